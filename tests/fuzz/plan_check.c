#include "plan_check.h"

bool plan_buffer_lies_within(const struct vkdml_plan_buffer *buffer, uint32_t repeat_count, uint32_t repeat_stride,
                             uint64_t resource_bytes) {
    const uint64_t room = (resource_bytes + 3) / 4 * 4; /* what is bound is at least that */
    /* Of a step that is repeated the size holds all times. */
    const uint64_t last = repeat_count > 1 ? (uint64_t)(repeat_count - 1) * repeat_stride : 0;
    return buffer->size != 0 && buffer->offset % 4 == 0 && buffer->size % 4 == 0 && buffer->offset <= room &&
           buffer->size <= room - buffer->offset && last < buffer->size;
}

/* The end of the last run; UINT64_MAX where that is beyond 2^64. */
static uint64_t end_of(const struct vkdml_plan_copy *copy, const uint64_t *strides) {
    uint64_t end = copy->run_bytes;
    for (uint32_t d = 0; d < copy->rank; d++) {
        const uint64_t steps = copy->sizes[d] - UINT64_C(1);
        if (copy->sizes[d] == 0 || (strides[d] != 0 && steps > (UINT64_MAX - end) / strides[d]))
            return UINT64_MAX;
        end += steps * strides[d];
    }
    return end;
}

bool plan_copy_lies_within(const struct vkdml_plan_copy *copy, const struct vkdml_plan_buffer buffers[2]) {
    return copy->run_bytes != 0 && copy->rank <= VKDML_PLAN_MAX_COPY_RANK &&
           end_of(copy, copy->source_strides) <= buffers[0].size &&
           end_of(copy, copy->target_strides) <= buffers[1].size;
}
