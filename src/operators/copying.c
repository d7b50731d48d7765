#include "operators/copying.h"

#include <inttypes.h>

struct vkdml_gather vkdml_copying_begin(const struct vkdml_instance *instance, uint32_t input, uint32_t output) {
    const struct vkdml_view to = vkdml_output_view(instance, output), from = vkdml_input_view(instance, input);
    struct vkdml_gather gather;
    vkdml_gather_begin(&gather, &to, &from);
    return gather;
}

static VkdmlResult refuse_stride(const struct vkdml_planning *planning) {
    return vkdml_report_add(planning->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                            "elements that are moved lie %" PRIu64 " elements apart or more, must lie at most %" PRIu32,
                            (uint64_t)UINT32_MAX + 1, UINT32_MAX);
}

VkdmlResult vkdml_copying_plan(struct vkdml_gather *gather, bool fits, const struct vkdml_planning *planning) {
    return fits ? vkdml_copy_plan(gather, true, planning->builder) : refuse_stride(planning);
}

bool vkdml_copying_check_count(const char *field, uint32_t count, const struct vkdml_tensor *tensor, const char *name,
                               struct vkdml_report *report) {
    if (count == tensor->dimension_count) {
        return true;
    }
    vkdml_report_invalid(report, "%s is %" PRIu32 ", must be %" PRIu32 " = %s.DimensionCount", field, count,
                         tensor->dimension_count, name);
    return false;
}
