/* Small operators that translations are made of. All return NULL where what they take is NULL, and where something
 * failed, which is told. Tensors of no elements are taken and made, but where it says otherwise. */
#ifndef ONNX_PARTS_H
#define ONNX_PARTS_H

#include "onnx/plan.h"

bool onnx_is_float(enum onnx_type type); /* FLOAT or FLOAT16 */
bool onnx_is_integer(enum onnx_type type);
bool onnx_is_unsigned(enum onnx_type type);

/* Memory that lives as long as the plan, zeroed. */
void *onnx_scratch(const struct onnx_call *call, size_t count, size_t size);

/* The same for a table that planning fills in. Refused where it is larger than a quarter of what planning may write out. */
void *onnx_table(const struct onnx_call *call, uint64_t count, size_t size);

/* Whether something reads an output. */
bool onnx_is_wanted(const struct onnx_call *call, uint32_t index);

/* ---- element by element ---- */

/* An operator of one tensor, whose desc begins with it and the output: of the same type and sizes. It says no axis, as
 * the operator may get other sizes of as many elements. */
struct onnx_tensor *onnx_apply(const struct onnx_call *call, DML_OPERATOR_TYPE type, void *desc,
                               struct onnx_tensor *tensor);

/* One without attributes, but for a scale and a bias, which is absent: EXP, ABS, SQRT, RELU .. */
struct onnx_tensor *onnx_unary(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *tensor);

/* tensor * scale + bias, of floats. */
struct onnx_tensor *onnx_linear(const struct onnx_call *call, struct onnx_tensor *tensor, float scale, float bias);

/* max(least, min(tensor, greatest)). */
struct onnx_tensor *onnx_clip(const struct onnx_call *call, struct onnx_tensor *tensor, float least, float greatest);

/* To whole numbers, halves to even. */
struct onnx_tensor *onnx_round(const struct onnx_call *call, struct onnx_tensor *tensor);

/* Binary operators by their names. */
#define onnx_add(call, a, b)      onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, a, b)
#define onnx_subtract(call, a, b) onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_SUBTRACT, a, b)
#define onnx_multiply(call, a, b) onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, a, b)

/* An operator of one or two tensors, which are broadcast, that says of each element whether it is so: BOOL. */
struct onnx_tensor *onnx_classify(const struct onnx_call *call, DML_OPERATOR_TYPE type, void *desc, uint32_t count,
                                  struct onnx_tensor *const *inputs);
struct onnx_tensor *onnx_compare(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                 struct onnx_tensor *b);

/* condition ? a : b, all broadcast; of any type that is moved. */
struct onnx_tensor *onnx_select(const struct onnx_call *call, struct onnx_tensor *condition, struct onnx_tensor *a,
                                struct onnx_tensor *b);

/* 0, 1, 2, .. along one of `rank` dimensions, of which the others are 1. */
struct onnx_tensor *onnx_iota(const struct onnx_call *call, enum onnx_type type, uint32_t rank, uint32_t axis,
                              uint32_t count);

/* start, start + delta, .. of INT64, modulo 2^64; one dimension. The device computes it. */
struct onnx_tensor *onnx_sequence(const struct onnx_call *call, uint32_t count, int64_t start, int64_t delta);

/* ---- what moves elements, of any type ---- */

/* Element offsets[d] + i * steps[d] of each dimension, sizes[d] of them; steps of NULL are 1. */
struct onnx_tensor *onnx_slice(const struct onnx_call *call, struct onnx_tensor *tensor, const uint32_t *offsets,
                               const uint32_t *sizes, const int32_t *steps);

/* So many of one axis, from an offset on, every `step`th. */
struct onnx_tensor *onnx_slice_axis(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis,
                                    uint32_t offset, uint32_t size, int32_t step);

/* One behind the other along an axis. NULL ones are left out where nothing failed; one at least is there. */
struct onnx_tensor *onnx_join(const struct onnx_call *call, uint32_t count, struct onnx_tensor *const *tensors,
                              uint32_t axis);

/* Zeros before and behind. */
struct onnx_tensor *onnx_pad_zeros(const struct onnx_call *call, struct onnx_tensor *tensor, const uint32_t *start,
                                   const uint32_t *end);

/* ---- along axes; tensors have elements and a rank ---- */

/* REDUCE over axes, which stay as sizes of 1. */
struct onnx_tensor *onnx_reduce(const struct onnx_call *call, DML_REDUCE_FUNCTION function, struct onnx_tensor *tensor,
                                uint32_t count, const uint32_t *axes);

/* SOFTMAX1, LOG_SOFTMAX1 or HARDMAX1 over axes. */
struct onnx_tensor *onnx_softmax(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *tensor,
                                 uint32_t count, const uint32_t *axes);

/* GEMM as it is: alpha * a b + c, {.., M, K} x {.., K, N}, 2 to 4 dimensions each with equal leading sizes; b_turned:
 * b is {.., N, K}. `c`, which may be NULL, is broadcast. By NumPy's rules: onnx_matmul() of network.h. */
struct onnx_tensor *onnx_gemm(const struct onnx_call *call, struct onnx_tensor *a, struct onnx_tensor *b, bool b_turned,
                              float alpha, struct onnx_tensor *c);

#endif
