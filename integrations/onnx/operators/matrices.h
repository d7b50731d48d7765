/* Matrix products by NumPy's rules, as DirectML takes them: 2 to 4 dimensions, leading sizes equal. */
#ifndef ONNX_MATRICES_H
#define ONNX_MATRICES_H

#include "onnx/plan.h"

struct onnx_matrices {
    struct onnx_tensor *a, *b;                   /* {.., M, K} and {.., K, N}, lined up */
    uint32_t rank;                               /* of both */
    uint32_t batch_rank, batches[ONNX_MAX_RANK]; /* leading sizes of the result, as the node has them */
    uint32_t rows, columns;                      /* M and N of the node */
    bool is_folded;                              /* batches are rows of a, for b has none */
    uint32_t result_rank, result_sizes[ONNX_MAX_RANK];
};

/* Of two tensors of one dimension or more. */
bool onnx_line_up(const struct onnx_call *call, struct onnx_tensor *a, struct onnx_tensor *b,
                  struct onnx_matrices *matrices);

/* What there is one of, or one for each row or each column: as the operators take it, {.., M, 1} or {.., 1, N}. NULL
 * stays NULL; false where it has other sizes. */
bool onnx_for_rows(const struct onnx_call *call, const struct onnx_matrices *matrices, struct onnx_tensor **tensor);
bool onnx_for_columns(const struct onnx_call *call, const struct onnx_matrices *matrices, struct onnx_tensor **tensor);

/* The sizes of the operator's result, and the result by the node's. */
void onnx_product_sizes(const struct onnx_matrices *matrices, uint32_t sizes[ONNX_MAX_RANK]);
struct onnx_tensor *onnx_product_result(const struct onnx_call *call, const struct onnx_matrices *matrices,
                                        struct onnx_tensor *made);

/* A quantized operand: scale and zero point may be NULL. */
struct onnx_quantized {
    struct onnx_tensor *tensor, *scale, *zero;
};

/* (a - za) (b - zb) sa sb + bias: MATRIX_MULTIPLY_INTEGER_TO_FLOAT. The bias may be NULL, or {N}. */
struct onnx_tensor *onnx_product_to_float(const struct onnx_call *call, const struct onnx_quantized *a,
                                          const struct onnx_quantized *b, struct onnx_tensor *bias);

#endif
