/* What operators that move data are made of. NULL where something failed, which is told. Tensors of no elements are
 * taken and made. BOOL, BFLOAT16, DOUBLE and COMPLEX64, which are moved only, go as their bits. */
#ifndef ONNX_MOVE_H
#define ONNX_MOVE_H

#include "onnx/operators.h"
#include "onnx/plan_parts.h"

/* Element offsets[d] + i * steps[d] of each dimension, sizes[d] of them; steps of NULL are 1. */
struct onnx_tensor *onnx_move_slice(const struct onnx_call *call, struct onnx_tensor *tensor, const uint32_t *offsets,
                                    const uint32_t *sizes, const int32_t *steps);

/* So many of one axis, from an offset on. */
struct onnx_tensor *onnx_move_part(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis,
                                   uint32_t offset, uint32_t size);

/* One behind the other along an axis; at least one. */
struct onnx_tensor *onnx_move_join(const struct onnx_call *call, uint32_t count, struct onnx_tensor *const *tensors,
                                   uint32_t axis);

/* The indices' sizes stand in place of the axis. Indices are integers; negative ones count from the end. */
struct onnx_tensor *onnx_move_gather(const struct onnx_call *call, struct onnx_tensor *tensor,
                                     struct onnx_tensor *indices, uint32_t axis);

/* The same with indices that are known, all within the axis: a slice where they go by equal steps. */
struct onnx_tensor *onnx_move_pick(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis,
                                   uint32_t count, const uint32_t *indices);

/* Zeros before and behind. */
struct onnx_tensor *onnx_move_pad_zero(const struct onnx_call *call, struct onnx_tensor *tensor, const uint32_t *start,
                                       const uint32_t *end);

/* `condition` is bool; broadcast to the sizes of all together. */
struct onnx_tensor *onnx_move_select(const struct onnx_call *call, struct onnx_tensor *condition, struct onnx_tensor *a,
                                     struct onnx_tensor *b);

/* A comparison, of DirectML's descriptor A, B, output: bool. */
struct onnx_tensor *onnx_move_compare(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                      struct onnx_tensor *b);

/* 0, 1, 2, .. as INT64. */
struct onnx_tensor *onnx_move_iota(const struct onnx_call *call, uint32_t count);

/* INT64 indices of which negative ones count from the end of `size`. */
struct onnx_tensor *onnx_move_from_start(const struct onnx_call *call, struct onnx_tensor *indices, uint32_t size);

/* Its elements' bits as a type that operators that move take, and back. */
struct onnx_tensor *onnx_move_as_bits(const struct onnx_call *call, struct onnx_tensor *tensor);

/* What stands in place of one dimension, as three sizes: all before `axis`, the axis itself, all behind it. */
struct onnx_tensor *onnx_move_as_three(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis);

/* Memory that lives as long as the plan, zeroed. */
void *onnx_move_scratch(const struct onnx_call *call, size_t count, size_t size);

/* An input that must be there. */
struct onnx_tensor *onnx_move_needed(const struct onnx_call *call, uint32_t index);

#endif
