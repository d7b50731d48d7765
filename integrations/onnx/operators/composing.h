/* Operators that translations are put together from: of the library's with what a node has at hand. All return NULL
 * where what they take is NULL, and where something failed, which is told. */
#ifndef ONNX_COMPOSING_H
#define ONNX_COMPOSING_H

#include "onnx/plan.h"

/* alpha times a matrix product, {.., M, K} x {.., K, N}, 2 to 4 dimensions each with equal leading sizes; b_turned: b
 * is
 * {.., N, K}. `c`, which may be NULL, is added and broadcast. */
struct onnx_tensor *onnx_product(const struct onnx_call *call, struct onnx_tensor *a, struct onnx_tensor *b,
                                 bool b_turned, float alpha, struct onnx_tensor *c);

/* Softmax along the last dimension. */
struct onnx_tensor *onnx_softmax_rows(const struct onnx_call *call, struct onnx_tensor *tensor);

/* The elements of one dimension from a place on, every `stride`th. */
struct onnx_tensor *onnx_part(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis, uint32_t start,
                              uint32_t size, uint32_t stride);

/* Tensors one behind the other along a dimension; NULL ones are left out. */
struct onnx_tensor *onnx_join(const struct onnx_call *call, uint32_t count, struct onnx_tensor *const *tensors,
                              uint32_t axis);

/* a where the condition, a bool, holds, else b; broadcast. */
struct onnx_tensor *onnx_pick(const struct onnx_call *call, struct onnx_tensor *condition, struct onnx_tensor *a,
                              struct onnx_tensor *b);

/* A comparison of DirectML's, whose result is a bool; broadcast. */
struct onnx_tensor *onnx_holds(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                               struct onnx_tensor *b);

/* An operator whose descriptor is an input, an output and a ScaleBias, without the latter. */
struct onnx_tensor *onnx_map(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *tensor);

/* Whole numbers 0, 1, .. of a type along one of `rank` dimensions, of which the others are 1. */
struct onnx_tensor *onnx_count_up(const struct onnx_call *call, enum onnx_type type, uint32_t rank, uint32_t axis,
                                  uint32_t count);

/* Binary operators by their names. */
#define onnx_add(call, a, b)      onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, a, b)
#define onnx_subtract(call, a, b) onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_SUBTRACT, a, b)
#define onnx_multiply(call, a, b) onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, a, b)

/* max(least, min(x, greatest)). */
struct onnx_tensor *onnx_clip(const struct onnx_call *call, struct onnx_tensor *tensor, float least, float greatest);

/* To whole numbers, halves to even. */
struct onnx_tensor *onnx_round(const struct onnx_call *call, struct onnx_tensor *tensor);

/* x's scales or zero points, of one number, one for each place of a dimension, or one for each block of `block`
 * places of it: as a view, or a tensor, of sizes that divide the tensor's. */
struct onnx_tensor *onnx_spread(const struct onnx_call *call, const struct onnx_tensor *x, struct onnx_tensor *scales,
                                int64_t axis, int64_t block);

/* QuantizeLinear and DequantizeLinear of scales and zero points that onnx_spread() gave; a zero point may be NULL. */
struct onnx_tensor *onnx_quantize(const struct onnx_call *call, struct onnx_tensor *x, struct onnx_tensor *scale,
                                  struct onnx_tensor *zero, enum onnx_type type);
struct onnx_tensor *onnx_dequantize(const struct onnx_call *call, struct onnx_tensor *x, struct onnx_tensor *scale,
                                    struct onnx_tensor *zero);

/* Whether something reads an output. */
bool onnx_is_wanted(const struct onnx_call *call, uint32_t index);

/* Quantized elements, their scale and their zero point, both of one element. */
bool onnx_dynamic_quantize(const struct onnx_call *call, struct onnx_tensor *x, enum onnx_type type,
                           struct onnx_tensor *outputs[3]);

/* One number, scale or zero point, as a tensor of `rank` dimensions. False where it has other elements. NULL stays. */
bool onnx_single(const struct onnx_call *call, struct onnx_tensor **tensor, uint32_t rank);

#endif
