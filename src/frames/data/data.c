#include "frames/data/data.h"

#include <string.h>

#include "base/checked.h"
#include "kernels/blocks.h"
#include "plan/step.h"

#define LOCAL_SIZE 64

VkdmlResult vkdml_data_plan(const struct vkdml_origin *output, uint64_t bytes, const void *data, size_t size,
                            struct vkdml_builder *builder) {
    struct vkdml_data_parameters block;
    const uint64_t most = sizeof block.words;
    for (uint64_t at = 0; at < bytes; at += most) {
        const uint64_t part = bytes - at < most ? bytes - at : most;
        const uint64_t given = at >= size ? 0 : size - at < part ? size - at : part;
        struct vkdml_plan_step *step;
        VkdmlResult result = vkdml_builder_add(builder, &step);
        if (result != VKDML_SUCCESS) {
            return result;
        }
        const uint32_t local_size = vkdml_local_size(builder->limits, LOCAL_SIZE);
        memset(&block, 0, sizeof block);
        memcpy(block.words, (const unsigned char *)data + at, (size_t)given);
        block.word_count = (uint32_t)(part / 4);
        step->kernel = VKDML_KERNEL_DATA;
        step->buffer_count = 1;
        step->buffers[0] = vkdml_origin_buffer(output, at, part);
        vkdml_step_constant(step, VKDML_DATA_CONSTANT_LOCAL_SIZE, local_size);
        vkdml_step_parameters(step, &block, sizeof block);
        result =
            vkdml_grid(vkdml_divide_up(block.word_count, local_size), builder->limits, builder->report, step->groups);
        if (result != VKDML_SUCCESS) {
            return result;
        }
    }
    return VKDML_SUCCESS;
}
