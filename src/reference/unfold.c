#include "reference/element.h"
#include "reference/reference.h"

/* The spatial coordinates of an input element, from which one window starts and of which it takes one element. False:
 * in the padding. */
static bool window_element(const DML_UNFOLD_OPERATOR_DESC *desc, const struct vkdml_tensor *input, uint32_t element,
                           uint32_t block, struct vkdml_coordinate *from) {
    bool inside = true;
    for (uint32_t s = desc->DimensionCount; s-- > 0;) {
        const int64_t padded = (int64_t)input->sizes[2 + s] + desc->StartPadding[s] + desc->EndPadding[s];
        const int64_t reach = (int64_t)desc->Dilations[s] * (desc->WindowSizes[s] - 1) + 1;
        const uint32_t blocks = (uint32_t)((padded - reach) / desc->Strides[s] + 1);
        const int64_t at = (int64_t)(block % blocks) * desc->Strides[s] +
                           (int64_t)(element % desc->WindowSizes[s]) * desc->Dilations[s] - desc->StartPadding[s];
        inside = inside && at >= 0 && at < input->sizes[2 + s];
        from->index[2 + s] = (uint32_t)at;
        element /= desc->WindowSizes[s];
        block /= blocks;
    }
    return inside;
}

void vkdml_reference_unfold(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_UNFOLD_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    const uint32_t first = output->dimension_count - 3;
    uint32_t window = 1;
    for (uint32_t s = 0; s < desc->DimensionCount; s++) {
        window *= desc->WindowSizes[s];
    }
    struct vkdml_coordinate to = {{0}};
    do {
        struct vkdml_coordinate from = {{to.index[first], to.index[first + 1] / window}};
        const bool inside = window_element(desc, input, to.index[first + 1] % window, to.index[first + 2], &from);
        vkdml_element_write(output, memory->outputs[0], &to,
                            inside ? vkdml_element_read(input, memory->inputs[0], &from) : 0);
    } while (vkdml_coordinate_next(output, &to));
}
