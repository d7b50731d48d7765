#include "operators/neighbourhood.h"

#include <inttypes.h>
#include <string.h>

#include "frames/gather/copy.h"

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

struct vkdml_gather vkdml_begin_copied(const struct vkdml_instance *instance) {
    const struct vkdml_view output = vkdml_output_view(instance, 0), input = vkdml_input_view(instance, 0);
    struct vkdml_gather gather;
    vkdml_gather_begin(&gather, &output, &input);
    return gather;
}
