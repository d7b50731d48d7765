/* What operators that move data are made of. NULL where something failed, which is told. Tensors of no elements are
 * taken and made. BOOL, BFLOAT16, DOUBLE and COMPLEX64, which are moved only, go as their bits. */
#ifndef ONNX_MOVE_H
#define ONNX_MOVE_H

#include "onnx/operators.h"
#include "onnx/operators/parts.h"

/* The indices' sizes stand in place of the axis. Indices are integers; negative ones count from the end. */
struct onnx_tensor *onnx_gather(const struct onnx_call *call, struct onnx_tensor *tensor, struct onnx_tensor *indices,
                                uint32_t axis);

/* The same with indices that are known, all within the axis: a slice where they go by equal steps. */
struct onnx_tensor *onnx_take(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis, uint32_t count,
                              const uint32_t *indices);

/* INT64 indices of which negative ones count from the end of `size`. */
struct onnx_tensor *onnx_from_start(const struct onnx_call *call, struct onnx_tensor *indices, uint32_t size);

/* What stands in place of one dimension, as three sizes: all before `axis`, the axis itself, all behind it. */
struct onnx_tensor *onnx_as_three(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis);

/* An input that must be there. */
struct onnx_tensor *onnx_needed(const struct onnx_call *call, uint32_t index);

#endif
