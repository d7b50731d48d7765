#include "reference/element.h"
#include "reference/reference.h"

static void move(const struct vkdml_tensor *input, const void *from_memory, const struct vkdml_coordinate *from,
                 const struct vkdml_tensor *output, void *to_memory, const struct vkdml_coordinate *to) {
    vkdml_element_write(output, to_memory, to, vkdml_element_read(input, from_memory, from));
}

void vkdml_reference_slice(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_SLICE_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate to = {{0}};
    do {
        struct vkdml_coordinate from = {{0}};
        for (uint32_t i = 0; i < output->dimension_count; i++) {
            from.index[i] = desc->Offsets[i] + to.index[i] * desc->Strides[i];
        }
        move(input, memory->inputs[0], &from, output, memory->outputs[0], &to);
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
        move(input, memory->inputs[0], &from, output, memory->outputs[0], &to);
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
        move(input, memory->inputs[0], &at, output, memory->outputs[0], &to);
    } while (vkdml_coordinate_next(input, &at));
}

void vkdml_reference_split(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_SPLIT_OPERATOR_DESC *desc = instance->desc;
    uint32_t before = 0;
    for (uint32_t t = 0; t < instance->output_count; t++) {
        const struct vkdml_tensor *output = &instance->outputs[t];
        struct vkdml_coordinate to = {{0}};
        do {
            struct vkdml_coordinate from = to;
            from.index[desc->Axis] += before;
            move(&instance->inputs[0], memory->inputs[0], &from, output, memory->outputs[t], &to);
        } while (vkdml_coordinate_next(output, &to));
        before += output->sizes[desc->Axis];
    }
}

void vkdml_reference_join(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_JOIN_OPERATOR_DESC *desc = instance->desc;
    uint32_t before = 0;
    for (uint32_t t = 0; t < instance->input_count; t++) {
        const struct vkdml_tensor *input = &instance->inputs[t];
        struct vkdml_coordinate from = {{0}};
        do {
            struct vkdml_coordinate to = from;
            to.index[desc->Axis] += before;
            move(input, memory->inputs[t], &from, &instance->outputs[0], memory->outputs[0], &to);
        } while (vkdml_coordinate_next(input, &from));
        before += input->sizes[desc->Axis];
    }
}

void vkdml_reference_tile(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate to = {{0}};
    do {
        struct vkdml_coordinate from = {{0}};
        for (uint32_t i = 0; i < output->dimension_count; i++) {
            from.index[i] = to.index[i] % input->sizes[i];
        }
        move(input, memory->inputs[0], &from, output, memory->outputs[0], &to);
    } while (vkdml_coordinate_next(output, &to));
}

/* Where an element of the wide tensor, of `channels` channels, is in the deep one. */
static struct vkdml_coordinate in_depth(const struct vkdml_coordinate *wide, uint32_t block, uint32_t channels,
                                        DML_DEPTH_SPACE_ORDER order) {
    const uint32_t channel = wide->index[1];
    const uint32_t row = wide->index[2] % block, column = wide->index[3] % block;
    const uint32_t depth = order == DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH
                               ? channel * block * block + row * block + column
                               : (row * block + column) * channels + channel;
    return (struct vkdml_coordinate){{wide->index[0], depth, wide->index[2] / block, wide->index[3] / block}};
}

static void move_to_depth(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                          uint32_t block, DML_DEPTH_SPACE_ORDER order) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate from = {{0}};
    do {
        const struct vkdml_coordinate to = in_depth(&from, block, input->sizes[1], order);
        move(input, memory->inputs[0], &from, output, memory->outputs[0], &to);
    } while (vkdml_coordinate_next(input, &from));
}

static void move_to_space(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                          uint32_t block, DML_DEPTH_SPACE_ORDER order) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate to = {{0}};
    do {
        const struct vkdml_coordinate from = in_depth(&to, block, output->sizes[1], order);
        move(input, memory->inputs[0], &from, output, memory->outputs[0], &to);
    } while (vkdml_coordinate_next(output, &to));
}

void vkdml_reference_space_to_depth(const struct vkdml_instance *instance,
                                    const struct vkdml_reference_memory *memory) {
    const DML_SPACE_TO_DEPTH_OPERATOR_DESC *desc = instance->desc;
    move_to_depth(instance, memory, desc->BlockSize, DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW);
}

void vkdml_reference_space_to_depth1(const struct vkdml_instance *instance,
                                     const struct vkdml_reference_memory *memory) {
    const DML_SPACE_TO_DEPTH1_OPERATOR_DESC *desc = instance->desc;
    move_to_depth(instance, memory, desc->BlockSize, desc->Order);
}

void vkdml_reference_depth_to_space(const struct vkdml_instance *instance,
                                    const struct vkdml_reference_memory *memory) {
    const DML_DEPTH_TO_SPACE_OPERATOR_DESC *desc = instance->desc;
    move_to_space(instance, memory, desc->BlockSize, DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW);
}

void vkdml_reference_depth_to_space1(const struct vkdml_instance *instance,
                                     const struct vkdml_reference_memory *memory) {
    const DML_DEPTH_TO_SPACE1_OPERATOR_DESC *desc = instance->desc;
    move_to_space(instance, memory, desc->BlockSize, desc->Order);
}

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
