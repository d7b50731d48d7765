/* Two arrays of elements, what was got and what was expected: where they differ by more than a tolerance. */
#ifndef COMPARE_H
#define COMPARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <vkdml/dml_types.h>

/* What an element may differ from the expected one by: whichever of the three allows more. Numbers are compared: -0 is
 * 0, and NaN is expected of NaN alone. */
struct compare_tolerance {
    bool bits;         /* nothing: bit for bit; the others do not count */
    double absolute;   /* plus .. */
    double relative;   /* .. times the expected magnitude, plus .. */
    double of_largest; /* .. times the largest finite magnitude that is expected anywhere */
    double ulp;        /* units in the last place of the expected element; of integers ones */
};

struct compare_arrays {
    DML_TENSOR_DATA_TYPE type;
    uint64_t count; /* elements */
    const unsigned char *got;
    const unsigned char *expected;
};

struct compare_difference {
    uint64_t index;
    double distance;           /* infinite where one is NaN or infinity and the other is not */
    unsigned char got[8];      /* the two elements, as element_load() gives them */
    unsigned char expected[8]; /* of the type */
};

/* How many differences are kept, from the first on. */
#define COMPARE_KEPT 8

struct compare_result {
    uint64_t different; /* 0: all are within the tolerance */
    uint32_t kept;      /* min(different, COMPARE_KEPT) */
    struct compare_difference first[COMPARE_KEPT];
    struct compare_difference largest; /* of those that differ; the first of several */
};

void compare_elements(const struct compare_arrays *arrays, const struct compare_tolerance *tolerance,
                      struct compare_result *result);

/* The most dimensions of a shape: those of a .npy file. */
#define COMPARE_MAX_DIMENSIONS 32

/* How elements that lie one after another are a tensor's, so that they can be told by their coordinates. */
struct compare_shape {
    uint32_t dimension_count; /* 0: none is known, elements are told by their index */
    uint64_t sizes[COMPARE_MAX_DIMENSIONS];
    uint64_t strides[COMPARE_MAX_DIMENSIONS]; /* in elements */
};

/* A packed shape; one of more dimensions than there is room for is none. */
struct compare_shape compare_shape_of_sizes(uint32_t dimension_count, const uint64_t *sizes);
struct compare_shape compare_shape_of_tensor(const DML_BUFFER_TENSOR_DESC *tensor);

/* Longest text of coordinates, final zero included: 20 digits and ", " a dimension. */
#define COMPARE_COORDINATES_SIZE (COMPARE_MAX_DIMENSIONS * 22 + 3)

/* "[0, 1, 2]"; of an element that is none of the tensor's, "[17]", its index. */
void compare_coordinates(const struct compare_shape *shape, uint64_t index, char text[COMPARE_COORDINATES_SIZE]);

#define COMPARE_TOLERANCE_SIZE 160

/* "bit for bit", "within 2.5 ULP", "within 1e-05 + 0.001 of the magnitude" */
void compare_tolerance_text(const struct compare_tolerance *tolerance, char text[COMPARE_TOLERANCE_SIZE]);

/* Where result->different is not 0, what differs, in lines: how many elements, the largest difference, and the first
 * ones, indented. Without a prefix: the first line goes on where the caller's text ends. */
void compare_print(FILE *stream, const struct compare_arrays *arrays, const struct compare_tolerance *tolerance,
                   const struct compare_result *result, const struct compare_shape *shape);

#endif
