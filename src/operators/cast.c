/* CAST */
#include "frames/gather/copy.h"
#include "operators/mapping.h"

static bool is_float(DML_TENSOR_DATA_TYPE type) {
    return vkdml_data_type_is_float(type);
}

/* Between equal types, or integers of one width, elements are moved as they are. */
static bool keeps_bits(DML_TENSOR_DATA_TYPE from, DML_TENSOR_DATA_TYPE to) {
    return from == to || (!is_float(from) && !is_float(to) && vkdml_data_type_bits(from) == vkdml_data_type_bits(to));
}

static VkdmlResult plan_cast(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_tensor *input = &planning->instance->inputs[0];
    const struct vkdml_tensor *output = &planning->instance->outputs[0];
    if (keeps_bits(input->data_type, output->data_type)) {
        return vkdml_plan_input_copy(planning);
    }
    return vkdml_plan_mapping(op, planning);
}

static bool moves_cast(const struct vkdml_instance *instance, uint32_t index, struct vkdml_move *move) {
    return keeps_bits(instance->inputs[0].data_type, instance->outputs[0].data_type) &&
           vkdml_moves_input(instance, index, move);
}

const struct vkdml_operator vkdml_operator_cast = {
    .plan = plan_cast,
    .moves = moves_cast,
    .mapping = {.operation = VKDML_MAP_CAST},
};
