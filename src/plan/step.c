#include "plan/step.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"

uint64_t vkdml_tensor_span(const struct vkdml_tensor *tensor) {
    uint64_t bytes = 0;
    bool fits =
        vkdml_minimum_bytes(tensor->element_bits, tensor->dimension_count, tensor->sizes, tensor->strides, &bytes);
    assert(fits); /* validation saw to it */
    (void)fits;
    return bytes;
}

uint32_t vkdml_local_size(const struct vkdml_plan_limits *limits, uint32_t wanted) {
    while (wanted > 1 && (wanted > limits->max_workgroup_size[0] || wanted > limits->max_workgroup_invocations)) {
        wanted /= 2;
    }
    return wanted;
}

void vkdml_step_parameters(struct vkdml_plan_step *step, const void *parameters, size_t bytes) {
    struct vkdml_plan_words *words = step->words;
    step->first_parameter = words->count;
    step->parameter_count = (uint32_t)(bytes / sizeof(*words->items));
    assert(bytes % sizeof(*words->items) == 0 && step->parameter_count <= words->capacity - words->count);
    memcpy(words->items + words->count, parameters, bytes);
    words->count += step->parameter_count;
}

/* Granlund and Montgomery, "Division by Invariant Integers using Multiplication" (1994), figure 4.1. */
struct vkdml_divisor vkdml_divisor(uint32_t d) {
    uint32_t bits = 0; /* ceil(log2(d)) */
    while (bits < 32 && UINT64_C(1) << bits < d) {
        ++bits;
    }
    const uint64_t multiplier = ((UINT64_C(1) << 32) * ((UINT64_C(1) << bits) - d)) / d + 1;
    const uint32_t first = bits > 1 ? 1 : bits;
    const uint32_t second = bits > 1 ? bits - 1 : 0;
    return (struct vkdml_divisor){(uint32_t)multiplier, first + 256 * second};
}

/* The same, theorem 4.2 for numerators of 31 bits: the multiplier, 2^(31 + bits) / d rounded up, is below 2^32. */
struct vkdml_divisor vkdml_short_divisor(uint32_t d) {
    uint32_t bits = 1; /* ceil(log2(d)) */
    while (bits < 32 && UINT64_C(1) << bits < d) {
        ++bits;
    }
    const uint64_t power = UINT64_C(1) << (31 + bits);
    return (struct vkdml_divisor){(uint32_t)vkdml_divide_up(power, d), bits - 1};
}

VkdmlResult vkdml_grid(uint64_t group_count, const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                       uint32_t groups[3]) {
    uint64_t rows = vkdml_divide_up(group_count, limits->max_workgroup_count[0]);
    if (rows > limits->max_workgroup_count[1]) {
        return vkdml_report_add(report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "needs %" PRIu64 " workgroups, more than maxComputeWorkGroupCount (%" PRIu32
                                " x %" PRIu32 ") allows",
                                group_count, limits->max_workgroup_count[0], limits->max_workgroup_count[1]);
    }
    groups[0] = (uint32_t)vkdml_divide_up(group_count, rows);
    groups[1] = (uint32_t)rows;
    groups[2] = 1;
    return VKDML_SUCCESS;
}

static uint64_t alignment_rest(const struct vkdml_plan_limits *limits, uint64_t offset) {
    const uint32_t alignment = limits->min_storage_buffer_offset_alignment;
    const uint32_t granularity =
        offset % DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT == 0 ? DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT : 4;
    return alignment > granularity ? alignment - granularity : 0;
}

bool vkdml_fits(const struct vkdml_plan_limits *limits, uint64_t offset, uint64_t size) {
    const uint64_t rest = alignment_rest(limits, offset);
    return rest <= limits->max_storage_buffer_range && size <= limits->max_storage_buffer_range - rest;
}

uint32_t vkdml_place_modulo_16(const struct vkdml_plan_limits *limits, uint64_t offset, uint64_t byte) {
    const uint32_t alignment = limits->min_storage_buffer_offset_alignment;
    return (uint32_t)((offset & ((alignment < 16 ? alignment : 16) - 1)) + byte) % 16;
}
