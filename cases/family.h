/* The cases of one operator. A file per operator defines one case_family, named after the operator table's row. */
#ifndef CASES_FAMILY_H
#define CASES_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cases/accuracy.h"
#include "cases/case.h"
#include "cases/random.h"

/* Sets of data types, as the documentation groups them: bit 1u << DML_TENSOR_DATA_TYPE_x for each type x. */
#define CASE_TYPE(type)   (1u << DML_TENSOR_DATA_TYPE_##type)
#define CASE_TYPES_FLOATS (CASE_TYPE(FLOAT32) | CASE_TYPE(FLOAT16))
#define CASE_TYPES_UP_TO_32                                                                                            \
    (CASE_TYPES_FLOATS | CASE_TYPE(INT32) | CASE_TYPE(INT16) | CASE_TYPE(INT8) | CASE_TYPE(UINT32) |                   \
     CASE_TYPE(UINT16) | CASE_TYPE(UINT8))
#define CASE_TYPES_UP_TO_64 (CASE_TYPES_UP_TO_32 | CASE_TYPE(FLOAT64) | CASE_TYPE(INT64) | CASE_TYPE(UINT64))

/* What a tensor may be from `level` on, until a later row of the same tensor. */
struct case_support {
    DML_FEATURE_LEVEL level;
    uint32_t min_dimensions;
    uint32_t max_dimensions;
    uint32_t types;
};

/* A tensor's documented support, oldest level first; level 0 ends the rows. Written from DirectML's documentation and
 * never from src/schema/, whose table is tested against it: a mistake made there must not be copied here. */
struct case_tensor_support {
    const char *tensor; /* the field, as in the descriptor struct; of an array each of its tensors */
    const struct case_support *rows;
};

#define CASE_SUPPORT(...)                                                                                              \
    (const struct case_support[]) {                                                                                    \
        __VA_ARGS__, {                                                                                                 \
            0                                                                                                          \
        }                                                                                                              \
    }

/* A case that one of the operator's own rules refuses, and the whole reason. */
struct case_refusal {
    const char *line;
    const char *reason;
};

/* A case in plain C. The tensors are by slot, each from its first element on. */
typedef void case_loop(const struct operator_case *c, unsigned char *const *tensors);

/* A case to time, at any size. Its full name is group/name/type/size. */
struct case_benchmark {
    const char *name;
    uint32_t types;    /* it is timed with each of them */
    uint32_t argument; /* what several rows with one maker differ by */
    uint32_t flags;    /* CASE_BENCHMARK_ bits */
    /* Makes of an empty case one with about `bytes` bytes of its largest input (of its output where it has no such
     * input). */
    void (*make)(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c);
    /* The same in plain C, see cases/loops.h; NULL: the family's. */
    case_loop *loop;
};

#define CASE_BENCHMARK_TRANSFER       1u /* on a device that may use transfer commands */
#define CASE_BENCHMARK_FILL           2u /* reads nothing: held to the fill peak */
#define CASE_BENCHMARK_READ           8u /* hardly writes: held to the read peak */
#define CASE_BENCHMARK_TYPE_OF_OUTPUT 4u /* its type is the output's, and not the first input's */

struct case_family {
    DML_OPERATOR_TYPE type;
    /* Of every tensor of the operator, once each. */
    const struct case_tensor_support *support;
    size_t support_count;
    /* Cases as lines (see cases/case.h): documented examples with their data, and what once went wrong. The first is
     * also what tests of refusals start from. */
    const char *const *fixed;
    size_t fixed_count;
    /* Those whose order of operations could show, if it hung on more than the case: test_differential --repeat. */
    const char *const *repeated;
    size_t repeated_count;
    /* What the operator's own rules refuse; the rules of the table are tested for all operators alike. */
    const struct case_refusal *refused;
    size_t refused_count;
    /* Whether its kernels are mostly its own: random tests try it five times as often. Of operators that share a
     * planner it is the one that says most. */
    bool has_frame;
    /* Whether plans of it may have transfer commands. */
    bool transfers;
    /* Whether some of what it reads is bound whole, so that devices of small ranges refuse large tensors. */
    bool binds_whole;
    /* Any case the operator accepts. */
    void (*generate)(const struct case_family *family, struct random *random, struct operator_case *c);
    /* NULL, or what generate_mapping() is to do last, before it lays tensors out: rules that the table does not say;
     * and pooling_generate(), behind that. */
    void (*adjust)(struct random *random, struct operator_case *c);
    /* NULL, or the cases, by number from 0 on, that leave no element or special value out; false: there are no more. */
    bool (*exhaustive)(const struct case_family *family, uint32_t number, struct operator_case *c);
    /* What `vkdml bench` times; `group` comes first in their names. */
    const char *group;
    const struct case_benchmark *benchmarks;
    size_t benchmark_count;
    /* For benchmarks of floats that have none of their own; NULL: none. */
    case_loop *loop;
    /* NULL, or how many floating point operations a case asks for, where these and not bytes are what it is timed for.
     */
    double (*operations)(const struct operator_case *c);
    /* The output whose rows beyond a count, the UINT32 in the other output, are undefined; NULL: all is written. */
    const char *counted_output;
    const char *count_output;
    /* Of operators whose accuracy is SUM: what floats may be. */
    accuracy_bounds_of *bounds;
    /* NULL, or what test_differential --errors measures them by. */
    accuracy_exact_of *exact;
};

#define CASE_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Lists and their lengths. */
#define CASE_SUPPORTED(array)  .support = (array), .support_count = CASE_COUNT(array)
#define CASE_FIXED(array)      .fixed = (array), .fixed_count = CASE_COUNT(array)
#define CASE_REPEATED(array)   .repeated = (array), .repeated_count = CASE_COUNT(array)
#define CASE_REFUSED(array)    .refused = (array), .refused_count = CASE_COUNT(array)
#define CASE_BENCHMARKS(array) .benchmarks = (array), .benchmark_count = CASE_COUNT(array)

/* The family of an operator, of name_support, name_fixed and name_refused and what else is given. */
#define CASE_FAMILY(name, NAME, ...)                                                                                   \
    const struct case_family vkdml_cases_##name = {.type = DML_OPERATOR_##NAME,                                        \
                                                   CASE_SUPPORTED(name##_support),                                     \
                                                   CASE_FIXED(name##_fixed),                                           \
                                                   CASE_REFUSED(name##_refused),                                       \
                                                   __VA_ARGS__}

/* One per row of the operator table, in its order. */
extern const struct case_family *const case_families[];

/* That of an operator, NULL where there is none. */
const struct case_family *case_family_of(DML_OPERATOR_TYPE type);
extern const size_t case_family_count;

/* The bounds of the family of an operator. */
accuracy_bounds_of *case_bounds(DML_OPERATOR_TYPE type);

#endif
