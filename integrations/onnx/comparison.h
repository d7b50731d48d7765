/* Two tensors of the same type and sizes: where one differs from the other by more than a bound. */
#ifndef ONNX_COMPARISON_H
#define ONNX_COMPARISON_H

#include "onnx/graph.h"

/* How many wrong elements are kept, from the first on. */
#define ONNX_WRONG_KEPT 8

struct onnx_comparison {
    enum onnx_type type;
    uint64_t count; /* elements */
    const void *got, *expected;
    double relative, of_largest; /* the bound: so much of the element plus so much of the largest one; both 0: equal */
    uint64_t excused; /* elements that are outside the bound and within their slack */
    uint64_t wrong;
    uint64_t first[ONNX_WRONG_KEPT]; /* of the wrong elements: their indices, min(wrong, ONNX_WRONG_KEPT) */
    uint64_t worst;                  /* the index of the wrong element that is farthest */
    double farthest;                 /* the largest distance of all elements, in largest elements expected */
};

/* The distance of two numbers: 0 of two NaNs, infinite where only one of them is finite or NaN. */
double onnx_distance(double a, double b);

/* Compares. Real numbers may differ by 2^-13 of the element plus 2^-16 of the largest element, FLOAT16, BFLOAT16 and,
 * with `half`, FLOAT by 2^-9 and 2^-12 (BFLOAT16 by 2^-7 of the element); others not at all. slack: what each element
 * may differ by beyond that; or NULL. */
void onnx_compare_elements(struct onnx_comparison *comparison, enum onnx_type type, uint64_t count, const void *got,
                           const void *expected, bool half, const double *slack);

#endif
