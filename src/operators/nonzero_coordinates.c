/* NONZERO_COORDINATES: a stream compaction in two passes. The first marks and counts the nonzero elements of each
 * chunk, the second sums the counts of the chunks before its own and writes coordinates from that row on. No invocation
 * waits for another workgroup, so it needs no forward progress guarantee. */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "operators/operators.h"
#include "operators/plan_step.h"

/* The parameter block, word for word that of glsl/common/nonzero.glsl. */
struct nonzero_parameters {
    uint32_t element_count;
    uint32_t mask_words;
    uint32_t chunk_words;
    uint32_t chunk_count;
    uint32_t significant_bits;
    uint32_t row_stride;
    uint32_t column_stride;
    uint32_t column_count;
    uint32_t sizes[8];
    uint32_t strides[8];
};

_Static_assert(sizeof(struct nonzero_parameters) <= 4 * VKDML_PLAN_MAX_PARAMETERS, "must fit a parameter block");

/* Each workgroup of the second pass reads the totals of all chunks: few enough that this is little beside its own work,
 * enough to fill the largest GPUs. */
#define MAX_CHUNKS 1024

/* 128: Vulkan 1.2's least maxComputeWorkGroupInvocations, so that every device takes the same path. */
#define LOCAL_SIZE 128

void vkdml_rules_nonzero_coordinates(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    const struct vkdml_tensor *count = &instance->outputs[0];
    const struct vkdml_tensor *coordinates = &instance->outputs[1];
    const char *count_name = vkdml_output_name(instance, 0);
    const char *name = vkdml_output_name(instance, 1);
    for (uint32_t d = 0; d < count->dimension_count; ++d) {
        if (count->sizes[d] != 1) {
            vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1: the count is a scalar",
                                 count_name, d, count->sizes[d]);
        }
    }

    uint32_t dimensions = coordinates->dimension_count;
    if (dimensions < 2) {
        return; /* the table refuses it */
    }
    for (uint32_t d = 0; d + 2 < dimensions; ++d) {
        if (coordinates->sizes[d] != 1) {
            vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1: sizes are {1, .., M, N}",
                                 name, d, coordinates->sizes[d]);
        }
    }
    uint64_t elements = 0;
    if (vkdml_element_count(input->dimension_count, input->sizes, &elements) && elements != 0 &&
        coordinates->sizes[dimensions - 2] != elements) {
        vkdml_report_invalid(
            report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 ", the element count of %s", name,
            dimensions - 2, coordinates->sizes[dimensions - 2], elements, vkdml_input_name(instance, 0));
    }
    uint32_t rank = vkdml_effective_rank(input);
    uint32_t least = rank > 0 ? rank : 1;
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

/* Copies the input's dimensions without those of size 1 and with runs merged, in their order; returns how many, at
 * least one. Elements keep their ascending order. */
static uint32_t collapse_input(const struct vkdml_tensor *input, uint32_t sizes[8], uint32_t strides[8]) {
    uint32_t kept = 0;
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        if (input->sizes[d] == 1) {
            continue;
        }
        if (kept > 0 && strides[kept - 1] == (uint64_t)input->strides[d] * input->sizes[d]) {
            sizes[kept - 1] *= input->sizes[d];
            strides[kept - 1] = input->strides[d];
        } else {
            sizes[kept] = input->sizes[d];
            strides[kept++] = input->strides[d];
        }
    }
    if (kept == 0) {
        sizes[0] = 1;
        strides[0] = 1;
        kept = 1;
    }
    return kept;
}

static uint32_t significant_bits(const struct vkdml_tensor *input) {
    uint32_t width = 8 * input->element_size;
    uint32_t all = UINT32_MAX >> (32 - width);
    return vkdml_data_type_is_float(input->data_type) ? all >> 1 : all; /* -0.0 is zero */
}

/* Splits the elements into chunks of whole multiples of a workgroup's width. */
static struct nonzero_parameters split(uint32_t element_count, uint32_t local_size) {
    struct nonzero_parameters parameters = {.element_count = element_count};
    parameters.mask_words = (uint32_t)vkdml_divide_up(element_count, 32);
    uint32_t tiles = (uint32_t)vkdml_divide_up(parameters.mask_words, local_size);
    parameters.chunk_words = (uint32_t)vkdml_divide_up(tiles, MAX_CHUNKS) * local_size;
    parameters.chunk_count = (uint32_t)vkdml_divide_up(parameters.mask_words, parameters.chunk_words);
    return parameters;
}

static void set_parameters(struct vkdml_plan_step *step, const struct nonzero_parameters *parameters) {
    step->parameter_count = sizeof(*parameters) / 4;
    memcpy(step->parameters, parameters, sizeof(*parameters));
}

static VkdmlResult plan_mark(const struct vkdml_instance *instance, struct nonzero_parameters parameters,
                             uint32_t local_size, uint64_t temporary_bytes, const struct vkdml_plan_limits *limits,
                             struct vkdml_report *report, struct vkdml_plan_step *step) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    uint32_t rank = collapse_input(input, parameters.sizes, parameters.strides);
    step->kernel = VKDML_KERNEL_NONZERO_MARK;
    step->specialization_count = 3;
    step->specializations[VKDML_SPECIALIZATION_LOCAL_SIZE] = local_size;
    step->specializations[1] = 8 * input->element_size;
    step->specializations[2] = rank;
    set_parameters(step, &parameters);
    VkdmlResult result = vkdml_grid(parameters.chunk_count, limits, report, step->groups);
    if (result == VKDML_SUCCESS) {
        result = vkdml_step_input(step, instance, 0, limits, report);
    }
    if (result == VKDML_SUCCESS) {
        result =
            vkdml_step_buffer(step, VKDML_PLAN_TEMPORARY, 0, temporary_bytes, "the temporary resource", limits, report);
    }
    return result;
}

static VkdmlResult plan_write(const struct vkdml_instance *instance, struct nonzero_parameters parameters,
                              uint32_t local_size, uint64_t temporary_bytes, VkdmlCompileFlags flags,
                              const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                              struct vkdml_plan_step *step) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    const struct vkdml_tensor *coordinates = &instance->outputs[1];
    uint32_t last = coordinates->dimension_count - 1;
    parameters.row_stride = coordinates->strides[last - 1];
    parameters.column_stride = coordinates->strides[last];
    parameters.column_count = coordinates->sizes[last];
    memcpy(parameters.sizes, input->sizes + input->dimension_count - parameters.column_count,
           parameters.column_count * sizeof(uint32_t));
    step->kernel = VKDML_KERNEL_NONZERO_WRITE;
    step->specialization_count = 2;
    step->specializations[VKDML_SPECIALIZATION_LOCAL_SIZE] = local_size;
    step->specializations[1] = (flags & VKDML_COMPILE_FLAG_ZERO_UNDEFINED) != 0;
    step->barrier_before = true; /* reads the marks */
    set_parameters(step, &parameters);
    VkdmlResult result = vkdml_grid(parameters.chunk_count, limits, report, step->groups);
    if (result == VKDML_SUCCESS) {
        result =
            vkdml_step_buffer(step, VKDML_PLAN_TEMPORARY, 0, temporary_bytes, "the temporary resource", limits, report);
    }
    if (result == VKDML_SUCCESS) {
        result = vkdml_step_output(step, instance, 0, limits, report);
    }
    if (result == VKDML_SUCCESS) {
        result = vkdml_step_output(step, instance, 1, limits, report);
    }
    return result;
}

VkdmlResult vkdml_plan_nonzero_coordinates(const struct vkdml_instance *instance,
                                           const struct vkdml_plan_limits *limits, VkdmlCompileFlags flags,
                                           struct vkdml_report *report, struct vkdml_plan *plan) {
    uint32_t local_size = vkdml_local_size(limits, LOCAL_SIZE);
    struct nonzero_parameters parameters = split(vkdml_tensor_elements(&instance->inputs[0]), local_size);
    parameters.significant_bits = significant_bits(&instance->inputs[0]);
    plan->temporary_bytes = 4 * ((uint64_t)parameters.mask_words + parameters.chunk_count);
    plan->step_count = 2;
    VkdmlResult result =
        plan_mark(instance, parameters, local_size, plan->temporary_bytes, limits, report, &plan->steps[0]);
    if (result == VKDML_SUCCESS) {
        result =
            plan_write(instance, parameters, local_size, plan->temporary_bytes, flags, limits, report, &plan->steps[1]);
    }
    return result;
}
