/* What translations of operators that go element by element share. Tensors may be NULL where something failed, which
 * has been told; results then are NULL too. */
#ifndef ONNX_ELEMENT_WISE_H
#define ONNX_ELEMENT_WISE_H

#include "onnx/plan.h"

/* Inputs 0 and 1. Below version 7 the second is laid along the first, by the attributes broadcast and axis. */
bool onnx_each_operands(const struct onnx_call *call, struct onnx_tensor **a, struct onnx_tensor **b);

/* An operator of one tensor, whose desc begins with it: of the same type and sizes. */
struct onnx_tensor *onnx_each_apply(const struct onnx_call *call, DML_OPERATOR_TYPE type, void *desc,
                                    struct onnx_tensor *tensor);

/* One without attributes, but for a scale and a bias, which is absent. */
struct onnx_tensor *onnx_each_unary(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *tensor);

/* As onnx_binary(), with a number of a's type. */
struct onnx_tensor *onnx_each_by_number(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                        double number);

/* An operator of one or two tensors that says of each element whether it is so: BOOL. */
struct onnx_tensor *onnx_each_classify(const struct onnx_call *call, DML_OPERATOR_TYPE type, void *desc, uint32_t count,
                                       struct onnx_tensor *const *inputs);
struct onnx_tensor *onnx_each_compare(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                      struct onnx_tensor *b);

/* The same of doubles; any comparison with NaN is false. */
struct onnx_tensor *onnx_each_compare_doubles(const struct onnx_call *call, DML_OPERATOR_TYPE type,
                                              struct onnx_tensor *a, struct onnx_tensor *b);

/* MIN or MAX, also of doubles. */
struct onnx_tensor *onnx_each_bound(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                    struct onnx_tensor *b);

/* Alpha * x + Beta, of floats. */
struct onnx_tensor *onnx_each_linear(const struct onnx_call *call, struct onnx_tensor *tensor, float alpha, float beta);

/* condition ? a : b, by NumPy's rules of broadcasting. */
struct onnx_tensor *onnx_each_select(const struct onnx_call *call, struct onnx_tensor *condition, struct onnx_tensor *a,
                                     struct onnx_tensor *b);

/* Of a FLOAT16 tensor one of FLOAT, for formulas of several steps; others as they are. */
struct onnx_tensor *onnx_each_widen(const struct onnx_call *call, struct onnx_tensor *tensor);

/* A UINT64 constant, with no dimensions. */
struct onnx_tensor *onnx_each_bits(const struct onnx_call *call, uint64_t bits);

bool onnx_each_is_integer(enum onnx_type type);
bool onnx_each_is_unsigned(enum onnx_type type);

/* Cast of ONNX: to BOOL it is whether an element is not 0. */
struct onnx_tensor *onnx_each_convert(const struct onnx_call *call, struct onnx_tensor *tensor, enum onnx_type type);

#endif
