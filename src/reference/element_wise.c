#include "reference/element.h"
#include "reference/reference.h"
#include "reference/scale_bias.h"

void vkdml_reference_element_wise_identity(const struct vkdml_instance *instance,
                                           const struct vkdml_reference_memory *memory) {
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        uint64_t bits = vkdml_element_read(input, memory->inputs[0], &at);
        if (desc->ScaleBias != NULL) {
            bits = vkdml_scale_bias(output->data_type, bits, desc->ScaleBias);
        }
        vkdml_element_write(output, memory->outputs[0], &at, bits);
    } while (vkdml_coordinate_next(output, &at));
}
