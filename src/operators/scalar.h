/* Attribute values, given as FLOAT, as elements of a tensor. */
#ifndef VKDML_OPERATORS_SCALAR_H
#define VKDML_OPERATORS_SCALAR_H

#include <stdint.h>

#include "vkdml/dml_types.h"

/* The bits of a float. */
uint32_t vkdml_float_bits(float value);

/* The value of a FLOAT16. */
float vkdml_float_of_half(uint32_t half);

/* Converts to a data type, low word first: FLOAT32 keeps its bits, FLOAT16 is rounded to nearest even, integers are
 * truncated toward zero and saturated, NaN becomes 0 in integers and the quiet NaN without payload in floats. */
void vkdml_scalar_from_float(float value, DML_TENSOR_DATA_TYPE type, uint32_t bits[2]);

/* The bits of a value given in the tensor's own type, low word first. */
void vkdml_scalar_from_union(const DML_SCALAR_UNION *value, DML_TENSOR_DATA_TYPE type, uint32_t bits[2]);

#endif
