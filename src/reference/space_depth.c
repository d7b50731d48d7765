#include "reference/element.h"
#include "reference/reference.h"

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

static void move(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory, uint32_t block,
                 DML_DEPTH_SPACE_ORDER order, bool to_depth) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    const struct vkdml_tensor *wide = to_depth ? input : output;
    struct vkdml_coordinate at = {{0}};
    do {
        const struct vkdml_coordinate deep = in_depth(&at, block, wide->sizes[1], order);
        vkdml_element_move(input, memory->inputs[0], to_depth ? &at : &deep, output, memory->outputs[0],
                           to_depth ? &deep : &at);
    } while (vkdml_coordinate_next(wide, &at));
}

#define OF_BLOCKS(name, NAME, to_depth, order)                                                                         \
    void vkdml_reference_##name(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {  \
        const DML_##NAME##_OPERATOR_DESC *desc = instance->desc;                                                       \
        move(instance, memory, desc->BlockSize, order, to_depth);                                                      \
    }

OF_BLOCKS(space_to_depth, SPACE_TO_DEPTH, true, DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW)
OF_BLOCKS(space_to_depth1, SPACE_TO_DEPTH1, true, desc->Order)
OF_BLOCKS(depth_to_space, DEPTH_TO_SPACE, false, DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW)
OF_BLOCKS(depth_to_space1, DEPTH_TO_SPACE1, false, desc->Order)
