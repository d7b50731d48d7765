#include "operators/neighbourhood.h"

#include <inttypes.h>
#include <string.h>

#include "operators/copying.h"

struct vkdml_neighbours vkdml_neighbours_begin(const struct vkdml_instance *instance) {
    struct vkdml_neighbours neighbours;
    memset(&neighbours, 0, sizeof(neighbours));
    neighbours.source = vkdml_input_view(instance, 0).at;
    neighbours.own = neighbours.source;
    neighbours.target = vkdml_output_view(instance, 0).at;
    return neighbours;
}

VkdmlResult vkdml_refuse_stride(const struct vkdml_planning *planning) {
    return vkdml_report_add(planning->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                            "elements that are taken together lie %" PRIu64
                            " elements apart or more, must lie at most %" PRIu32,
                            (uint64_t)UINT32_MAX + 1, UINT32_MAX);
}

VkdmlResult vkdml_plan_copied(const struct vkdml_copied *copied, const struct vkdml_planning *planning) {
    const struct vkdml_tensor *input = &planning->instance->inputs[0];
    const struct vkdml_tensor *output = &planning->instance->outputs[0];
    struct vkdml_gather gather = vkdml_copying_begin(planning->instance, 0, 0);
    bool fits = true;
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        const struct vkdml_copied c = copied[d];
        fits &= vkdml_copy_add(&gather, output->sizes[d] / c.repeats, (uint64_t)output->strides[d] * c.repeats,
                               (uint64_t)input->strides[d] * c.step);
        fits &= vkdml_copy_add(&gather, c.repeats, output->strides[d], 0);
        gather.input.first += (uint64_t)input->strides[d] * c.first;
    }
    return fits ? vkdml_copy_plan(&gather, true, planning->builder) : vkdml_refuse_stride(planning);
}
