/* Operators that map elements: most of them are a line that says what is computed. */
#ifndef VKDML_OPERATORS_MAPPING_H
#define VKDML_OPERATORS_MAPPING_H

#include "frames/map/map.h"
#include "operators/operators.h"

/* Plans what op->mapping says: operands are the inputs in their order, the first of them scaled where the descriptor
 * has a ScaleBias, and the result goes through the fused activation where there is one. */
VkdmlResult vkdml_plan_mapping(const struct vkdml_operator *op, const struct vkdml_planning *planning);

/* The map of that, for planners that change it; `op` as above. */
void vkdml_mapping_begin(const struct vkdml_operator *op, const struct vkdml_planning *planning, struct vkdml_map *map);

/* Sets what becomes of results by the activation that is fused into an operator; nothing where there is none. */
void vkdml_mapping_epilogue(const struct vkdml_instance *instance, struct vkdml_epilogue *epilogue);

/* The function that an activation is, of results of a type, as a step of an epilogue. */
void vkdml_mapping_function(const struct vkdml_instance *activation, DML_TENSOR_DATA_TYPE type,
                            struct vkdml_epilogue_step *step);

/* Takes elements for unsigned integers of their width, where an operation only moves or combines their bits. */
void vkdml_mapping_use_bits(struct vkdml_map *map);

/* An attribute's bits as the kernels take them for an element of a type: extended to 32 bits, or FLOAT32's; of 64-bit
 * types the low word first. */
void vkdml_mapping_argument(const uint32_t bits[2], DML_TENSOR_DATA_TYPE type, uint32_t words[2]);

/* The same of a FLOAT that is converted to a type of up to 32 bits. */
void vkdml_mapping_float_argument(float value, DML_TENSOR_DATA_TYPE type, uint32_t *word);

/* Makes an operator of what is computed: an operation, a function, and at least one other member of struct
 * vkdml_mapping. */
#define VKDML_MAPPING(OPERATION_, FUNCTION_, ...)                                                                      \
    {                                                                                                                  \
        .plan = vkdml_plan_mapping, .takes_strides = true, .mapping = {                                                \
            .operation = VKDML_MAP_##OPERATION_,                                                                       \
            .function = VKDML_FUNCTION_##FUNCTION_,                                                                    \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

#endif
