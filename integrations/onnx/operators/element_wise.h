/* What translations of operators that go element by element share. Tensors may be NULL where something failed, which
 * has been told; results then are NULL too. */
#ifndef ONNX_ELEMENT_WISE_H
#define ONNX_ELEMENT_WISE_H

#include "onnx/operators/parts.h"

/* Inputs 0 and 1. Below version 7 the second is laid along the first, by the attributes broadcast and axis. */
bool onnx_operands(const struct onnx_call *call, struct onnx_tensor **a, struct onnx_tensor **b);

/* As onnx_binary(), with a number of a's type. */
struct onnx_tensor *onnx_binary_number(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                       double number);

/* onnx_compare() of doubles; any comparison with NaN is false. */
struct onnx_tensor *onnx_compare_doubles(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                         struct onnx_tensor *b);

/* MIN or MAX, also of doubles. */
struct onnx_tensor *onnx_bound(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                               struct onnx_tensor *b);

/* Of a FLOAT16 tensor one of FLOAT, for formulas of several steps; others as they are. */
struct onnx_tensor *onnx_widen_half(const struct onnx_call *call, struct onnx_tensor *tensor);

/* A UINT64 constant, with no dimensions. */
struct onnx_tensor *onnx_bits(const struct onnx_call *call, uint64_t bits);

/* Cast of ONNX: to BOOL it is whether an element is not 0. */
struct onnx_tensor *onnx_convert(const struct onnx_call *call, struct onnx_tensor *tensor, enum onnx_type type);

#endif
