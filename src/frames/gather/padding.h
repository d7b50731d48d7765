/* Padding: gathers whose dimensions begin before and end behind their input. */
#ifndef VKDML_FRAMES_GATHER_PADDING_H
#define VKDML_FRAMES_GATHER_PADDING_H

#include "plan/builder.h"

struct vkdml_padding {
    DML_PADDING_MODE mode;
    const uint32_t
        *start;        /* elements before the input in each dimension; behind it as many as the output has room for */
    uint32_t value[2]; /* of CONSTANT: an element of the tensors' type, low word first */
};

VkdmlResult vkdml_padding_plan(const struct vkdml_padding *padding, const struct vkdml_view *output,
                               const struct vkdml_view *input, struct vkdml_builder *builder);

#endif
