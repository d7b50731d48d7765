/* NONZERO_COORDINATES */
#include <inttypes.h>

#include "frames/nonzero/nonzero.h"
#include "operators/operators.h"
#include "tensor/infer.h"

static void check_sizes(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    struct vkdml_tensor *count = &instance->outputs[0];
    struct vkdml_tensor *coordinates = &instance->outputs[1];
    const char *count_name = vkdml_output_name(instance, 0);
    const char *name = vkdml_output_name(instance, 1);
    vkdml_choose_dimension_count(count, input->dimension_count);
    vkdml_choose_dimension_count(coordinates, input->dimension_count > 2 ? input->dimension_count : 2);
    for (uint32_t d = 0; d < count->dimension_count; ++d) {
        if (!vkdml_size_is(count, d, 1)) {
            vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1: the count is a scalar",
                                 count_name, d, count->sizes[d]);
        }
    }

    uint32_t dimensions = coordinates->dimension_count;
    if (dimensions < 2) {
        return; /* the table refuses it */
    }
    for (uint32_t d = 0; d + 2 < dimensions; ++d) {
        if (!vkdml_size_is(coordinates, d, 1)) {
            vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1: sizes are {1, .., M, N}",
                                 name, d, coordinates->sizes[d]);
        }
    }
    uint64_t elements = 0;
    if (vkdml_element_count(input->dimension_count, input->sizes, &elements) && elements != 0 &&
        !vkdml_size_is(coordinates, dimensions - 2, elements)) {
        vkdml_report_invalid(
            report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 ", the element count of %s", name,
            dimensions - 2, coordinates->sizes[dimensions - 2], elements, vkdml_input_name(instance, 0));
    }
    uint32_t rank = vkdml_effective_rank(input);
    uint32_t least = rank > 0 ? rank : 1;
    vkdml_choose_size(coordinates, dimensions - 1, input->dimension_count);
    uint32_t columns = coordinates->sizes[dimensions - 1];
    if (columns < least || columns > input->dimension_count) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " to %" PRIu32
                             ": the effective rank of %s (%" PRIu32 "), at least 1, to its DimensionCount (%" PRIu32
                             ")",
                             name, dimensions - 1, columns, least, input->dimension_count,
                             vkdml_input_name(instance, 0), rank, input->dimension_count);
    }
}

static VkdmlResult plan_nonzero_coordinates(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    (void)op;
    const struct vkdml_nonzero select = {
        .input = vkdml_input_view(instance, 0),
        .input_name = vkdml_input_name(instance, 0),
        .count = vkdml_output_view(instance, 0),
        .coordinates = vkdml_output_view(instance, 1),
        .zeroes_rest = (planning->flags & VKDML_COMPILE_FLAG_ZERO_UNDEFINED) != 0,
    };
    return vkdml_nonzero_plan(&select, planning->builder);
}

const struct vkdml_operator vkdml_operator_nonzero_coordinates = {
    .rules = check_sizes,
    .plan = plan_nonzero_coordinates,
    .partial_outputs = 1u << 1, /* coordinates after the count */
};
