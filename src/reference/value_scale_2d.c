/* VALUE_SCALE_2D */
#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

void vkdml_reference_value_scale_2d(const struct vkdml_instance *instance,
                                    const struct vkdml_reference_memory *memory) {
    const DML_VALUE_SCALE_2D_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        const float x = vkdml_element_to_float(input->data_type, vkdml_element_read(input, memory->inputs[0], &at));
        const float product = x * desc->Scale;
        vkdml_element_write(output, memory->outputs[0], &at,
                            vkdml_float_to_element(output->data_type, product + desc->Bias[at.index[1]]));
    } while (vkdml_coordinate_next(output, &at));
}
