#include "operators/operators.h"

#include <assert.h>
#include <inttypes.h>

#include "base/notes.h"
#include "frames/gather/gather.h"
#include "frames/gather/transfer.h"
#include "plan/step.h"

static const struct vkdml_operator *const operators[] = {
#define VKDML_OPERATOR(NAME, name, ...) [DML_OPERATOR_##NAME] = &vkdml_operator_##name,
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR
};

const struct vkdml_operator *vkdml_operator_of(DML_OPERATOR_TYPE type) {
    assert((size_t)type < sizeof(operators) / sizeof(operators[0]) && operators[type] != NULL);
    return operators[type];
}

static void check_rules(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_operator *op = vkdml_operator_of(instance->schema->type);
    if (op->rules != NULL) {
        op->rules(instance, report);
    }
}

/* The own rules of operators that are fused, which are of their attributes. */
static void check_fused(const struct vkdml_instance *instance, struct vkdml_report *report) {
    for (uint32_t i = 0; i < instance->activation_count; ++i) {
        const struct vkdml_instance *fused = &instance->activations[i];
        report->part = fused->role;
        check_rules(fused, report);
        report->part = NULL;
    }
}

VkdmlResult vkdml_validate(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level,
                           const VkAllocationCallbacks *callbacks, struct vkdml_report *report,
                           struct vkdml_instance **instance) {
    const char *outer_context = report->context;
    VkdmlResult result = vkdml_instance_create(desc, level, callbacks, report, instance);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    report->context = (*instance)->schema->name;
    vkdml_schema_check(*instance, report);
    check_rules(*instance, report);
    check_fused(*instance, report);
    report->context = outer_context;
    if (report->result != VKDML_SUCCESS) {
        vkdml_instance_destroy(*instance, callbacks);
        *instance = NULL;
    }
    return report->result;
}

/* Persistent memory of an owned input begins at a multiple of what any resource is bound at. */
#define PERSISTENT_ALIGNMENT DML_PERSISTENT_BUFFER_ALIGNMENT

/* Whether a step takes it: a planner may have made something else of an owned input, when it is initialized. */
static bool is_read(const struct vkdml_plan *plan, uint32_t index) {
    for (uint32_t s = 0; s < plan->steps.count; ++s) {
        const struct vkdml_plan_step *step = &plan->steps.items[s];
        for (uint32_t b = 0; b < step->buffer_count; ++b) {
            if (step->buffers[b].resource == VKDML_PLAN_INPUT && step->buffers[b].index == index) {
                return true;
            }
        }
    }
    return false;
}

/* A plain copy of an owned input into the persistent resource, which the caller may then let go of. */
static VkdmlResult plan_owned_input(const struct vkdml_instance *instance, uint32_t index,
                                    const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                    struct vkdml_plan *plan) {
    const uint64_t size = vkdml_tensor_span(&instance->inputs[index]);
    if (size / 4 > UINT32_MAX) {
        return vkdml_report_add(report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "%s spans %" PRIu64 " bytes, must be at most %" PRIu64 " to be OWNED_BY_DML",
                                vkdml_input_name(instance, index), size, UINT64_C(4) * UINT32_MAX);
    }
    vkdml_note(report, "%s is OWNED_BY_DML: copied to the persistent resource when the operator is initialized",
               vkdml_input_name(instance, index));
    const uint32_t words = (uint32_t)(size / 4);
    const struct vkdml_gather gather = {
        .element_bytes = 4,
        .count = 1,
        .dimensions = {{.size = words, .output_stride = 1, .input_stride = 1, .input_size = words}},
    };
    const uint64_t offset = plan->persistent_bytes;
    const struct vkdml_gather_use use = {
        .kernel = VKDML_KERNEL_COPY,
        .runs_kernel = VKDML_KERNEL_COPY_RUNS,
        .has_input = true,
        .input = VKDML_PLAN_INPUT,
        .input_index = index,
        .output = VKDML_PLAN_PERSISTENT,
        .output_offset = offset,
    };
    VkdmlResult result = vkdml_transfer_suits_copy(&gather, limits)
                             ? vkdml_transfer_plan_copy(&gather, &use, limits, report, plan, &plan->init_steps)
                             : vkdml_gather_plan(&gather, &use, limits, report, plan, &plan->init_steps);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    plan->persistent_bytes += (size + PERSISTENT_ALIGNMENT - 1) / PERSISTENT_ALIGNMENT * PERSISTENT_ALIGNMENT;
    for (uint32_t s = 0; s < plan->steps.count; ++s) {
        struct vkdml_plan_step *step = &plan->steps.items[s];
        for (uint32_t b = 0; b < step->buffer_count; ++b) {
            struct vkdml_plan_buffer *buffer = &step->buffers[b];
            if (buffer->resource == VKDML_PLAN_INPUT && buffer->index == index) {
                buffer->resource = VKDML_PLAN_PERSISTENT;
                buffer->index = 0;
                buffer->offset += offset;
            }
        }
    }
    return VKDML_SUCCESS;
}

VkdmlResult vkdml_plan(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                       VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan) {
    const char *outer_context = report->context;
    report->context = instance->schema->name;
    const struct vkdml_operator *op = vkdml_operator_of(instance->schema->type);
    const struct vkdml_planning planning = {instance, limits, flags, report, plan};
    VkdmlResult result = op->plan(op, &planning);
    for (uint32_t i = 0; result == VKDML_SUCCESS && i < instance->input_count; ++i) {
        const struct vkdml_tensor *input = &instance->inputs[i];
        if (input->dimension_count != 0 && (input->flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0 && is_read(plan, i)) {
            result = plan_owned_input(instance, i, limits, report, plan);
        }
    }
    report->context = outer_context;
    return result;
}
