/* Activations of a FLOAT32, as operators have them and as they are fused. */
#ifndef VKDML_REFERENCE_ACTIVATION_H
#define VKDML_REFERENCE_ACTIVATION_H

#include <stdbool.h>

#include "vkdml/dml_operators.h"

/* What a function is told beside its operands. */
struct vkdml_map_context {
    const void *desc;          /* the descriptor; of a fused activation its own */
    DML_TENSOR_DATA_TYPE type; /* of the first operand */
    DML_TENSOR_DATA_TYPE second_type;
    bool is_half; /* the operands are FLOAT16, unscaled: functions of its grade do */
};

typedef float vkdml_float_function(const float *x, const struct vkdml_map_context *context);

/* The function of an activation that may be fused, which looks at x[0]. */
vkdml_float_function *vkdml_reference_activation(DML_OPERATOR_TYPE type);

#endif
