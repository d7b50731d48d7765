/* x * Scale + Bias, as element-wise operators apply it to their input. */
#ifndef VKDML_REFERENCE_SCALE_BIAS_H
#define VKDML_REFERENCE_SCALE_BIAS_H

#include <stdint.h>

#include "vkdml/dml_types.h"

/* The bits of x * Scale + Bias in the type, from the bits of x; see dml_types.h for roundings, NaN and saturation. */
uint64_t vkdml_scale_bias(DML_TENSOR_DATA_TYPE type, uint64_t bits, const DML_SCALE_BIAS *scale_bias);

/* The same of FLOAT32, and of FLOAT16 before it is rounded to that. */
float vkdml_scale_bias_float(float x, const DML_SCALE_BIAS *scale_bias);

#endif
