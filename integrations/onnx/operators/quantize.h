/* Quantized tensors, their scales and zero points. All return NULL where what they take is NULL, and where something
 * failed, which is told. */
#ifndef ONNX_QUANTIZE_H
#define ONNX_QUANTIZE_H

#include "onnx/operators/parts.h"

/* x's scales or zero points, of one number, one for each place of a dimension, or one for each block of `block`
 * places of it: as a view, or a tensor, of sizes that divide the tensor's. */
struct onnx_tensor *onnx_spread(const struct onnx_call *call, const struct onnx_tensor *x, struct onnx_tensor *scales,
                                int64_t axis, int64_t block);

/* QuantizeLinear and DequantizeLinear of scales and zero points that onnx_spread() gave; a zero point may be NULL. */
struct onnx_tensor *onnx_quantize(const struct onnx_call *call, struct onnx_tensor *x, struct onnx_tensor *scale,
                                  struct onnx_tensor *zero, enum onnx_type type);
struct onnx_tensor *onnx_dequantize(const struct onnx_call *call, struct onnx_tensor *x, struct onnx_tensor *scale,
                                    struct onnx_tensor *zero);

/* Quantized elements, their scale and their zero point, both of one element. */
bool onnx_dynamic_quantize(const struct onnx_call *call, struct onnx_tensor *x, enum onnx_type type,
                           struct onnx_tensor *outputs[3]);

/* One number, scale or zero point, as a tensor of `rank` dimensions. False where it has other elements. NULL stays. */
bool onnx_single(const struct onnx_call *call, struct onnx_tensor **tensor, uint32_t rank);

#endif
