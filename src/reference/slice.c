#include "reference/element.h"
#include "reference/reference.h"

void vkdml_reference_slice(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_SLICE_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate to = {{0}};
    do {
        struct vkdml_coordinate from = {{0}};
        for (uint32_t i = 0; i < output->dimension_count; i++) {
            from.index[i] = desc->Offsets[i] + to.index[i] * desc->Strides[i];
        }
        vkdml_element_move(input, memory->inputs[0], &from, output, memory->outputs[0], &to);
    } while (vkdml_coordinate_next(output, &to));
}

/* The coordinate of a window's element: backward from the window's last element where the stride is negative. */
static uint32_t in_window(uint32_t offset, uint32_t size, int32_t stride, uint32_t c) {
    const int64_t start = stride > 0 ? (int64_t)offset : (int64_t)offset + size - 1;
    return (uint32_t)(start + (int64_t)stride * c);
}

void vkdml_reference_slice1(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_SLICE1_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate to = {{0}};
    do {
        struct vkdml_coordinate from = {{0}};
        for (uint32_t i = 0; i < output->dimension_count; i++) {
            from.index[i] = in_window(desc->InputWindowOffsets[i], desc->InputWindowSizes[i],
                                      desc->InputWindowStrides[i], to.index[i]);
        }
        vkdml_element_move(input, memory->inputs[0], &from, output, memory->outputs[0], &to);
    } while (vkdml_coordinate_next(output, &to));
}

void vkdml_reference_slice_grad(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_SLICE_GRAD_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        vkdml_element_write(output, memory->outputs[0], &at, 0);
    } while (vkdml_coordinate_next(output, &at));
    do {
        struct vkdml_coordinate to = {{0}};
        for (uint32_t i = 0; i < output->dimension_count; i++) {
            to.index[i] = in_window(desc->InputWindowOffsets[i], desc->InputWindowSizes[i], desc->InputWindowStrides[i],
                                    at.index[i]);
        }
        vkdml_element_move(input, memory->inputs[0], &at, output, memory->outputs[0], &to);
    } while (vkdml_coordinate_next(input, &at));
}
