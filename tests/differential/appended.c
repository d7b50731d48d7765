#include "appended.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operators/operators.h"
#include "plan/append.h"

/* The linker lets compilation call the one here: see meson.build. */
VkdmlResult __real_vkdml_plan(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                              VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan);
VkdmlResult __wrap_vkdml_plan(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                              VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan);

#define MAX_TENSORS CASE_MAX_TENSORS

static struct {
    bool on;
    bool general; /* instead: the plan alone, but a general one */
    char failure[512];
    unsigned char *kept; /* the result of the plan alone */
    size_t kept_bytes;
} state;

void appended_set(bool on, bool general) {
    state.on = on;
    state.general = general;
    state.failure[0] = '\0';
}

const char *appended_failure(void) {
    return state.failure[0] != '\0' ? state.failure : NULL;
}

/* What a NaN's sign and payload are hangs on the order in which a processor's instruction has its operands. */
static bool are_not_numbers(DML_TENSOR_DATA_TYPE type, const unsigned char *a, const unsigned char *b, size_t byte) {
    if (type == DML_TENSOR_DATA_TYPE_FLOAT32) {
        uint32_t x, y;
        memcpy(&x, a + byte / 4 * 4, sizeof x);
        memcpy(&y, b + byte / 4 * 4, sizeof y);
        return x << 1 > 0xFF000000 && y << 1 > 0xFF000000;
    }
    uint16_t x, y;
    memcpy(&x, a + byte / 2 * 2, sizeof x);
    memcpy(&y, b + byte / 2 * 2, sizeof y);
    return type == DML_TENSOR_DATA_TYPE_FLOAT16 && (x & 0x7FFF) > 0x7C00 && (y & 0x7FFF) > 0x7C00;
}

static bool are_same(DML_TENSOR_DATA_TYPE type, const unsigned char *a, const unsigned char *b, size_t bytes) {
    bool same = true;
    for (size_t i = 0; i < bytes && same; i++) {
        same = a[i] == b[i] || are_not_numbers(type, a, b, i);
    }
    return same;
}

void appended_observe(const struct operator_case *c, const unsigned char *const *tensors, const unsigned char *got) {
    struct case_at output = case_first(c);
    (void)tensors;
    while (output.is_input) {
        output = case_next(c, output);
    }
    const size_t bytes = (size_t)case_minimum_bytes(output.tensor);
    if (!state.on) {
        free(state.kept);
        state.kept = malloc(bytes);
        state.kept_bytes = bytes;
        assert(state.kept != NULL);
        memcpy(state.kept, got, bytes);
    } else if (bytes != state.kept_bytes || !are_same(output.tensor->type, state.kept, got, bytes)) {
        snprintf(state.failure, sizeof state.failure, "the %s plan's bits are others than those of the plan alone",
                 state.general ? "general" : "appended");
    }
}

/* ---- plans around it ---- */

static VkdmlResult plan_of(const DML_OPERATOR_DESC *desc, const struct vkdml_plan_limits *limits,
                           struct vkdml_report *report, struct vkdml_plan *plan) {
    struct vkdml_instance *instance;
    VkdmlResult result = vkdml_validate(desc, DML_FEATURE_LEVEL_6_4, NULL, report, &instance);
    if (result == VKDML_SUCCESS) {
        result = __real_vkdml_plan(instance, limits, 0, report, plan);
        vkdml_instance_destroy(instance, NULL);
    }
    return result;
}

static VkdmlResult append_operator(struct vkdml_plan *plan, const DML_OPERATOR_DESC *desc,
                                   const struct vkdml_renaming *renaming, const struct vkdml_plan_limits *limits,
                                   struct vkdml_report *report) {
    struct vkdml_plan own;
    vkdml_plan_begin(&own, plan->callbacks);
    VkdmlResult result = plan_of(desc, limits, report, &own);
    if (result == VKDML_SUCCESS) {
        result = vkdml_plan_append(plan, &own, renaming, report);
    }
    vkdml_plan_end(&own);
    return result;
}

/* Appends the copy of words between two places, by the plan of an operator. */
static VkdmlResult append_copy(struct vkdml_plan *plan, uint64_t bytes, const struct vkdml_origin *from,
                               const struct vkdml_origin *to, const struct vkdml_plan_limits *limits,
                               struct vkdml_report *report) {
    const uint32_t words = (uint32_t)(bytes / 4);
    const DML_BUFFER_TENSOR_DESC buffer = {
        DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_FLAG_NONE, 1, &words, NULL, bytes, 0};
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC identity = {&tensor, &tensor, NULL};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_ELEMENT_WISE_IDENTITY, &identity};
    const struct vkdml_renaming renaming = {
        .input_count = 1, .inputs = from, .output_count = 1, .outputs = to, .temporary_offset = VKDML_NEW_REGION};
    return append_operator(plan, &desc, &renaming, limits, report);
}

/* Appends what fills a region that nothing else touches. */
static VkdmlResult append_fill(struct vkdml_plan *plan, const struct vkdml_plan_limits *limits,
                               struct vkdml_report *report) {
    const uint32_t words = 64;
    const DML_BUFFER_TENSOR_DESC buffer = {
        DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_FLAG_NONE, 1, &words, NULL, 4 * words, 0};
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_FILL_VALUE_CONSTANT_OPERATOR_DESC fill = {&tensor, DML_TENSOR_DATA_TYPE_UINT32, {.UInt32 = 7}};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_FILL_VALUE_CONSTANT, &fill};
    struct vkdml_builder builder = vkdml_builder_begin(plan, limits, report);
    const struct vkdml_origin region = vkdml_builder_region(&builder, "a region", 4 * words, buffer.DataType);
    const struct vkdml_renaming renaming = {
        .output_count = 1, .outputs = &region, .temporary_offset = VKDML_NEW_REGION};
    return append_operator(plan, &desc, &renaming, limits, report);
}

/* ---- barriers ---- */

/* As the library's hazards.c decides it, told once more: what one writes and the other touches, in one place or in two
 * that may be bound as one, from multiples of 16 bytes on. */
static bool touch(const struct vkdml_plan *plan, const struct vkdml_plan_buffer *a, const struct vkdml_plan_buffer *b) {
    const uint64_t a_first = a->offset / 16 * 16, b_first = b->offset / 16 * 16;
    const uint64_t a_end = a->offset + a->size, b_end = b->offset + b->size;
    bool same = a->resource == b->resource && a->index == b->index;
    for (uint32_t i = 0; i < plan->alias_count; i++) {
        const struct vkdml_plan_alias *alias = &plan->aliases[i];
        same = same || (a->resource == VKDML_PLAN_INPUT && b->resource == VKDML_PLAN_OUTPUT &&
                        a->index == alias->input && b->index == alias->output);
    }
    return same && (a_first <= b_first ? a_end > b_first : b_end > a_first);
}

static bool writes(const struct vkdml_plan_step *step, uint32_t b) {
    return step->kind == VKDML_PLAN_DISPATCH ? (vkdml_kernel_info(step->kernel)->written >> b & 1) != 0
                                             : b + 1 == step->buffer_count;
}

static bool meet(const struct vkdml_plan *plan, const struct vkdml_plan_step *earlier,
                 const struct vkdml_plan_step *later) {
    bool found = false;
    for (uint32_t n = 0; n < earlier->buffer_count * later->buffer_count; n++) {
        const uint32_t a = n / later->buffer_count, b = n % later->buffer_count;
        found = found ||
                ((writes(earlier, a) || writes(later, b)) && (touch(plan, &earlier->buffers[a], &later->buffers[b]) ||
                                                              touch(plan, &later->buffers[b], &earlier->buffers[a])));
    }
    return found;
}

#define MOST_EARLIER                                                                                                   \
    512 /* steps of earlier phases that the library holds one to; where there are more it waits unasked */

/* Between any two steps of different phases that meet there is a barrier, for the later one's stage, and each barrier
 * has two such steps, or too many to look for them. */
static void check_barriers(const struct vkdml_plan *plan, const struct vkdml_plan_steps *steps) {
    uint32_t lasts[2] = {0, 0}; /* the last barrier for transfers, and for dispatches, or the first step */
    for (uint32_t s = 0; s < steps->count; s++) {
        const struct vkdml_plan_step *step = &steps->items[s];
        uint32_t *last = &lasts[step->kind == VKDML_PLAN_DISPATCH];
        bool is_needed = false;
        for (uint32_t e = *last; e < s; e++) {
            const struct vkdml_plan_step *earlier = &steps->items[e];
            is_needed = is_needed || (earlier->phase != step->phase && meet(plan, earlier, step));
        }
        if (is_needed != step->barrier_before && (is_needed || s - *last <= MOST_EARLIER)) {
            snprintf(state.failure, sizeof state.failure, "step %" PRIu32 " of %" PRIu32 " %s", s, steps->count,
                     is_needed ? "has no barrier before it" : "has a barrier before it that nothing needs");
        }
        *last = step->barrier_before ? s : *last;
    }
}

/* ---- the whole ---- */

static VkdmlResult compose(const struct vkdml_instance *instance, const struct vkdml_plan *own,
                           const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                           struct vkdml_plan *plan) {
    struct vkdml_origin bound_inputs[MAX_TENSORS], bound_outputs[MAX_TENSORS];
    struct vkdml_origin inputs[MAX_TENSORS], outputs[MAX_TENSORS];
    struct vkdml_builder builder = vkdml_builder_begin(plan, limits, report);
    assert(instance->input_count <= MAX_TENSORS && instance->output_count <= MAX_TENSORS);
    plan->alias_count = own->alias_count;
    memcpy(plan->aliases, own->aliases, sizeof plan->aliases);
    VkdmlResult result = append_fill(plan, limits, report);
    for (uint32_t i = 0; i < instance->input_count && result == VKDML_SUCCESS; i++) {
        const struct vkdml_tensor *tensor = &instance->inputs[i];
        bound_inputs[i] = inputs[i] = vkdml_view_input(tensor, i).at;
        if (vkdml_plan_reads_input(own, i)) {
            inputs[i] = vkdml_builder_region(&builder, "an input", tensor->total_bytes, tensor->data_type);
            result = append_copy(plan, tensor->total_bytes, &bound_inputs[i], &inputs[i], limits, report);
        }
    }
    /* Bytes that belong to no element keep their value: the outputs come along too. */
    for (uint32_t i = 0; i < instance->output_count && result == VKDML_SUCCESS; i++) {
        const struct vkdml_tensor *tensor = &instance->outputs[i];
        bound_outputs[i] = outputs[i] = vkdml_view_output(tensor, i).at;
        if (tensor->dimension_count != 0) {
            outputs[i] = vkdml_builder_region(&builder, "an output", tensor->total_bytes, tensor->data_type);
            result = append_copy(plan, tensor->total_bytes, &bound_outputs[i], &outputs[i], limits, report);
        }
    }
    if (result == VKDML_SUCCESS) {
        const struct vkdml_renaming renaming = {.input_count = instance->input_count,
                                                .inputs = inputs,
                                                .init_inputs = bound_inputs,
                                                .output_count = instance->output_count,
                                                .outputs = outputs,
                                                .temporary_offset = VKDML_NEW_REGION};
        result = vkdml_plan_append(plan, own, &renaming, report);
    }
    for (uint32_t i = 0; i < instance->output_count && result == VKDML_SUCCESS; i++) {
        if (instance->outputs[i].dimension_count != 0) {
            result =
                append_copy(plan, instance->outputs[i].total_bytes, &outputs[i], &bound_outputs[i], limits, report);
        }
    }
    check_barriers(plan, &plan->steps);
    check_barriers(plan, &plan->init_steps);
    return result;
}

VkdmlResult __wrap_vkdml_plan(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                              VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan) {
    if (!state.on) {
        return __real_vkdml_plan(instance, limits, flags, report, plan);
    }
    if (state.general) {
        struct vkdml_plan_limits general = *limits;
        general.general = true;
        return __real_vkdml_plan(instance, &general, flags, report, plan);
    }
    struct vkdml_plan own;
    vkdml_plan_begin(&own, plan->callbacks);
    VkdmlResult result = __real_vkdml_plan(instance, limits, flags, report, &own);
    if (result == VKDML_SUCCESS) {
        result = compose(instance, &own, limits, report, plan);
    }
    vkdml_plan_end(&own);
    return result;
}
