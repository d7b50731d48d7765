#include "operators/neighbourhood.h"

#include <inttypes.h>
#include <string.h>

#include "frames/gather/copy.h"

struct vkdml_neighbours_tensor vkdml_neighbours_tensor_of(enum vkdml_plan_resource resource,
                                                          const struct vkdml_tensor *tensor) {
    return (struct vkdml_neighbours_tensor){resource, 0, 0, tensor->data_type};
}

struct vkdml_neighbours vkdml_neighbours_begin(const struct vkdml_instance *instance) {
    struct vkdml_neighbours neighbours;
    memset(&neighbours, 0, sizeof(neighbours));
    neighbours.source = vkdml_neighbours_tensor_of(VKDML_PLAN_INPUT, &instance->inputs[0]);
    neighbours.own = neighbours.source;
    neighbours.target = vkdml_neighbours_tensor_of(VKDML_PLAN_OUTPUT, &instance->outputs[0]);
    return neighbours;
}

VkdmlResult vkdml_plan_neighbours(const struct vkdml_neighbours *neighbours, const struct vkdml_planning *planning) {
    return vkdml_neighbours_plan(neighbours, planning->builder);
}

VkdmlResult vkdml_refuse_stride(const struct vkdml_planning *planning) {
    return vkdml_report_add(planning->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                            "elements that are taken together lie %" PRIu64
                            " elements apart or more, must lie at most %" PRIu32,
                            (uint64_t)UINT32_MAX + 1, UINT32_MAX);
}

/* Copies what a gather names, of element size, places and dimensions. */
VkdmlResult vkdml_plan_copied(struct vkdml_gather *gather, const struct vkdml_planning *planning) {
    const struct vkdml_gather_use use = {
        .kernel = VKDML_KERNEL_COPY,
        .runs_kernel = VKDML_KERNEL_COPY_RUNS,
        .has_seams = true,
        .has_input = true,
        .input = VKDML_PLAN_INPUT,
        .output = VKDML_PLAN_OUTPUT,
    };
    return vkdml_copy_plan(gather, &use, planning->builder);
}
