/* Cases and benchmarks of operators that map elements. Most families are a line or two: what the documentation says
 * that their tensors may be, how one writes them in plain C, and a few cases as lines. */
#ifndef CASES_MAPPING_H
#define CASES_MAPPING_H

#include <math.h>

#include "cases/family.h"
#include "cases/loops.h"
#include "cases/support.h"

/* A family's `generate`: any descriptor that the table allows. Tensors agree as its rules say, with any layouts, in
 * place now and then; attributes are ordinary or special. */
void generate_mapping(const struct case_family *family, struct random *random, struct operator_case *c);

/* A family's `exhaustive`: of one input every special value, and all bits of up to 16; of two every pair of special
 * values, and all pairs of 8 bits. */
bool exhaust_mapping(const struct case_family *family, uint32_t number, struct operator_case *c);

/* Benchmarks: all tensors but the first input are of what type the rules allow, the first choice being its own. Their
 * `argument` is a layout of the last input, the others are packed, and bits of the others. */
enum mapping_layout {
    MAPPING_PACKED,
    MAPPING_ROWS,         /* one row for all */
    MAPPING_COLUMNS,      /* one column for all */
    MAPPING_CHANNELS,     /* of images: an element for each channel */
    MAPPING_SCALAR,       /* one element for all */
    MAPPING_STRIDED_ROWS, /* gaps between its rows */
    MAPPING_TRANSPOSED,
};
#define MAPPING_LAYOUT    0xFFu
#define MAPPING_TO(TYPE)  ((uint32_t)DML_TENSOR_DATA_TYPE_##TYPE << 8) /* outputs of that type */
#define MAPPING_SCALED    0x10000u                                     /* with ScaleBias */
#define MAPPING_FUSED     0x20000u                                     /* with a fused RELU */
#define MAPPING_ABOVE_ONE 0x40000u                                     /* floats from 1 to 2 rather than from 0 to 1 */

void benchmark_mapping(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c);

#define MAPPING_BENCHMARK(name, types, argument)                                                                       \
    { name, types, argument, 0, benchmark_mapping, NULL }

extern const struct case_benchmark mapping_packed[1];     /* packed alone, of every type */
extern const struct case_benchmark mapping_of_layouts[6]; /* and in all layouts */
extern const struct case_benchmark mapping_above_one[1];

/* Families. FAMILY is of any tensors and benchmarks; the others are of those that the operators of their kind have.
 * They take the struct's name in both spellings, the support of the tensors, an expression in C of x, or a and b, and
 * the attributes p[0], p[1], and lines of cases. */
#define FAMILY(...) FAMILY_WITH(, __VA_ARGS__)
/* Sets more of its members, as these. */
#define TRANSFERS .transfers = true,
#define FAMILY_WITH(MEMBERS, name, NAME, BENCHMARKS, LOOP, ADJUST, ...)                                                \
    static const char *const name##_fixed[] = {__VA_ARGS__};                                                           \
    const struct case_family vkdml_cases_##name = {                                                                    \
        MEMBERS.type = DML_OPERATOR_##NAME,                                                                            \
        .support = name##_support,                                                                                     \
        .support_count = sizeof(name##_support) / sizeof(name##_support[0]),                                           \
        .fixed = name##_fixed,                                                                                         \
        .fixed_count = sizeof(name##_fixed) / sizeof(name##_fixed[0]),                                                 \
        .generate = generate_mapping,                                                                                  \
        .adjust = (ADJUST),                                                                                            \
        .exhaustive = exhaust_mapping,                                                                                 \
        .group = #name,                                                                                                \
        .benchmarks = (BENCHMARKS),                                                                                    \
        .benchmark_count = sizeof(BENCHMARKS) / sizeof((BENCHMARKS)[0]),                                               \
        .loop = (LOOP),                                                                                                \
    }

#define TENSORS(name, ...) static const struct case_tensor_support name##_support[] = {__VA_ARGS__}
#define UNARY_TENSORS(name, SUPPORT, OUTPUT_SUPPORT)                                                                   \
    TENSORS(name, {"InputTensor", SUPPORT}, {"OutputTensor", OUTPUT_SUPPORT})
#define BINARY_TENSORS(name, SUPPORT, OUTPUT_SUPPORT)                                                                  \
    TENSORS(name, {"ATensor", SUPPORT}, {"BTensor", SUPPORT}, {"OutputTensor", OUTPUT_SUPPORT})

#define UNARY(name, NAME, SUPPORT, expression, ...)                                                                    \
    UNARY_TENSORS(name, SUPPORT, SUPPORT);                                                                             \
    LOOP_OF_ONE(name, expression)                                                                                      \
    FAMILY(name, NAME, mapping_packed, name##_loop, NULL, __VA_ARGS__)
#define BINARY(name, NAME, SUPPORT, expression, ...)                                                                   \
    BINARY_TENSORS(name, SUPPORT, SUPPORT);                                                                            \
    LOOP_OF_TWO(name, expression)                                                                                      \
    FAMILY(name, NAME, mapping_packed, name##_loop, NULL, __VA_ARGS__)
#define COMPARISON(name, NAME, SUPPORT, OUTPUT_SUPPORT, expression, ...)                                               \
    BINARY_TENSORS(name, SUPPORT, OUTPUT_SUPPORT);                                                                     \
    LOOP_OF_TWO_TO_BYTES(name, expression)                                                                             \
    FAMILY(name, NAME, mapping_packed, name##_loop, NULL, __VA_ARGS__)

/* Lines of n elements each, `out` being what must come out. */
#define OF_ONE(NAME, TYPE, n, in, out)                                                                                 \
#NAME " InputTensor=" #TYPE "[" #n "] InputTensor.data=" in " OutputTensor=" #TYPE "[" #n "] OutputTensor.data=" out
#define OF_ONE_TO(NAME, TYPE, n, in, OUT, out)                                                                         \
#NAME " InputTensor=" #TYPE "[" #n "] InputTensor.data=" in " OutputTensor=" #OUT "[" #n "] OutputTensor.data=" out
#define OF_TWO(NAME, TYPE, n, a, b, out) OF_TWO_TO(NAME, TYPE, n, a, b, TYPE, out)
#define OF_TWO_TO(NAME, TYPE, n, a, b, OUT, out)                                                                       \
#NAME " ATensor=" #TYPE "[" #n "] ATensor.data=" a " BTensor=" #TYPE "[" #n "] BTensor.data=" b                    \
          " OutputTensor=" #OUT "[" #n "] OutputTensor.data=" out

#endif
