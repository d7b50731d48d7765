/* What the pooling operators have in common: their windows, their benchmarks, and what is known of a window's elements.
 */
#ifndef CASES_POOLING_H
#define CASES_POOLING_H

#include "cases/operators/neighbours.h"

struct pooling_windows {
    uint32_t spatial;
    uint32_t strides[3], window[3], start[3], end[3];
    uint32_t dilations[3];
};

struct pooling_windows pooling_read_windows(const struct operator_case *c);
void pooling_set_windows(struct operator_case *c, const struct pooling_windows *w);

/* The output's, of windows on an input. */
void pooling_set_sizes(const struct pooling_windows *w, const struct case_tensor *input, struct case_tensor *output);

/* Sometimes chooses another number of windows: fewer, or up to 3 more in a dimension. */
void pooling_change_count(struct random *random, const struct pooling_windows *w, struct case_tensor *pooled);

/* Any windows that fit an input. */
void pooling_generate_windows(struct random *random, const struct case_tensor *input, bool dilates,
                              struct pooling_windows *w);

/* What is made of a window's elements; `size` counts padding too. */
struct pooled {
    double sum, magnitudes, squares, greatest, count, size;
    double finite; /* magnitudes that are */
    double powers; /* of magnitudes beside a number */
};

/* Of the window of the output's element at coordinates; `beside`: of a number that powers of its elements are beside.
 */
struct pooled pooling_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at);
struct pooled pooling_beside(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at,
                             double beside);

void pooling_generate(const struct case_family *family, struct random *random, struct operator_case *c);

/* The argument of benchmarks: the window's side, 0 for the whole picture, and 16 times the stride; an odd side is
 * padded all round. */
#define POOLING_SIDE(side, stride) ((side) | (stride) << 4)
#define POOLING_WITH_INDICES       0x100

void pooling_make(DML_OPERATOR_TYPE operator_type, uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument,
                  struct operator_case *c);

enum pooling_function { POOLING_MAXIMUM, POOLING_AVERAGE, POOLING_ROOT };

/* Row by row of the output, onto which the window's elements go one after another. */
void pooling_loop(const struct operator_case *c, unsigned char *const *tensors, enum pooling_function function);

/* make_name() and name_loop() of an operator's benchmarks. */
#define POOLING_BENCHMARK(name, function, DESC)                                                                        \
    static void make_##name(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {   \
        pooling_make(DML_OPERATOR_##DESC, bytes, type, argument, c);                                                   \
    }                                                                                                                  \
    static void name##_loop(const struct operator_case *c, unsigned char *const *tensors) {                            \
        pooling_loop(c, tensors, function);                                                                            \
    }

#define POOLING_FAMILY(name, NAME, ...)                                                                                \
    CASE_FAMILY(name, NAME, .generate = pooling_generate, .group = "window", __VA_ARGS__)

#define POOLING_SUPPORT(name, level)                                                                                   \
    static const struct case_tensor_support name##_support[] = {                                                       \
        {"InputTensor", CASE_SUPPORT(AT_LEVEL(level, 4, 5, FLOATS))},                                                  \
        {"OutputTensor", CASE_SUPPORT(AT_LEVEL(level, 4, 5, FLOATS))},                                                 \
    };

#endif
