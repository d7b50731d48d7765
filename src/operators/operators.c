#include "operators/operators.h"

#include <assert.h>
#include <inttypes.h>

#include "base/notes.h"
#include "frames/gather/copy.h"
#include "plan/append.h"
#include "plan/step.h"
#include "schema/aliases.h"
#include "tensor/tensor.h"

static const struct vkdml_operator *const operators[] = {
#define VKDML_OPERATOR(NAME, name, ...) [DML_OPERATOR_##NAME] = &vkdml_operator_##name,
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR
};

const struct vkdml_operator *vkdml_operator_of(DML_OPERATOR_TYPE type) {
    assert((size_t)type < sizeof(operators) / sizeof(operators[0]) && operators[type] != NULL);
    return operators[type];
}

struct vkdml_view vkdml_input_view(const struct vkdml_instance *instance, uint32_t index) {
    return vkdml_view_input(&instance->inputs[index], index);
}

struct vkdml_view vkdml_output_view(const struct vkdml_instance *instance, uint32_t index) {
    return vkdml_view_output(&instance->outputs[index], index);
}

uint64_t vkdml_output_written(const struct vkdml_instance *instance, uint32_t output) {
    const uint32_t partial = vkdml_operator_of(instance->schema->type)->partial_outputs;
    const bool is_partial = output < 32 && (partial >> output & 1) != 0;
    return is_partial ? 0 : vkdml_dense_bytes(&instance->outputs[output]);
}

VkdmlResult vkdml_plan_input_copy(const struct vkdml_planning *planning) {
    const struct vkdml_view output = vkdml_output_view(planning->instance, 0);
    const struct vkdml_view input = vkdml_input_view(planning->instance, 0);
    return vkdml_copy_plan_identity(&output, &input, planning->builder);
}

bool vkdml_moves_input(const struct vkdml_instance *instance, uint32_t index, struct vkdml_move *move) {
    (void)instance;
    *move = (struct vkdml_move){.input = 0};
    return index == 0;
}

void vkdml_check_rules(const struct vkdml_instance *instance, struct vkdml_report *report) {
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
        vkdml_check_rules(fused, report);
        report->part = NULL;
    }
}

void vkdml_check_instance(const struct vkdml_instance *instance, struct vkdml_report *report) {
    vkdml_schema_check(instance, report);
    vkdml_check_rules(instance, report);
    check_fused(instance, report);
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
    vkdml_check_instance(*instance, report);
    report->context = outer_context;
    if (report->result != VKDML_SUCCESS) {
        vkdml_instance_destroy(*instance, callbacks);
        *instance = NULL;
    }
    return report->result;
}

/* A plain copy of an owned input into the persistent resource, which the caller may then let go of. */
static VkdmlResult plan_owned_input(const struct vkdml_instance *instance, uint32_t index,
                                    struct vkdml_builder *builder) {
    const uint64_t size = vkdml_tensor_span(&instance->inputs[index]);
    if (size / 4 > UINT32_MAX) {
        return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "%s spans %" PRIu64 " bytes, must be at most %" PRIu64 " to be OWNED_BY_DML",
                                vkdml_input_name(instance, index), size, UINT64_C(4) * UINT32_MAX);
    }
    vkdml_note(builder->report,
               "%s is OWNED_BY_DML: copied to the persistent resource when the operator is initialized",
               vkdml_input_name(instance, index));
    const struct vkdml_origin kept =
        vkdml_builder_kept(builder, vkdml_input_name(instance, index), size, instance->inputs[index].data_type);
    const struct vkdml_origin input = vkdml_input_view(instance, index).at;
    struct vkdml_builder initialization = vkdml_builder_at_initialization(builder);
    vkdml_plan_move_input(builder->plan, index, &kept);
    return vkdml_copy_plan_words(&kept, &input, (uint32_t)(size / 4), &initialization);
}

/* In place of which inputs outputs may be bound, of the same layout: what steps then have in common. */
static void set_aliases(const struct vkdml_instance *instance, struct vkdml_plan *plan) {
    for (uint32_t i = 0; i < instance->schema->fieldCount; ++i) {
        const VkdmlFieldSchema *field = &instance->schema->fields[i];
        if (field->mayAliasFields == 0) {
            continue;
        }
        const struct vkdml_aliases aliases = vkdml_output_aliases(instance, field);
        for (uint32_t input = 0; aliases.same_layouts >> input != 0; ++input) {
            if ((aliases.same_layouts >> input & 1) != 0) {
                assert(plan->alias_count < VKDML_PLAN_MAX_ALIASES);
                plan->aliases[plan->alias_count++] = (struct vkdml_plan_alias){field->bindingIndex, input};
            }
        }
    }
}

static const char *bound_name(const struct vkdml_instance *instance, const struct vkdml_plan_buffer *buffer) {
    return buffer->resource == VKDML_PLAN_INPUT    ? vkdml_input_name(instance, buffer->index)
           : buffer->resource == VKDML_PLAN_OUTPUT ? vkdml_output_name(instance, buffer->index)
                                                   : "what it keeps";
}

/* What a kernel reads or writes without windows is small, but for strides. */
static VkdmlResult check_ranges(const struct vkdml_instance *instance, const struct vkdml_builder *builder) {
    for (uint32_t s = builder->first; s < builder->steps->count; ++s) {
        const struct vkdml_plan_step *step = &builder->steps->items[s];
        for (uint32_t b = 0; step->kind == VKDML_PLAN_DISPATCH && b < step->buffer_count; ++b) {
            const struct vkdml_plan_buffer *buffer = &step->buffers[b];
            if (!vkdml_fits(builder->limits, buffer->offset, buffer->size)) {
                return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                        "maxStorageBufferRange is %" PRIu64 ", must be at least %" PRIu64
                                        " and what alignment takes, to bind %s",
                                        builder->limits->max_storage_buffer_range, buffer->size,
                                        bound_name(instance, buffer));
            }
        }
    }
    return VKDML_SUCCESS;
}

VkdmlResult vkdml_plan_unkept(const struct vkdml_instance *instance, const struct vkdml_epilogue *tail,
                              const struct vkdml_plan_limits *limits, VkdmlCompileFlags flags,
                              struct vkdml_report *report, struct vkdml_plan *plan) {
    const char *outer_context = report->context;
    report->context = instance->schema->name;
    const struct vkdml_operator *op = vkdml_operator_of(instance->schema->type);
    struct vkdml_builder builder = vkdml_builder_begin(plan, limits, report);
    const struct vkdml_planning planning = {instance, flags, &builder, tail};
    set_aliases(instance, plan);
    VkdmlResult result = op->plan(op, &planning);
    if (result == VKDML_SUCCESS && plan->steps.temporary_bytes >= VKDML_PLAN_ENDLESS_BYTES) {
        result = vkdml_report_add(report, VKDML_ERROR_LIMIT_EXCEEDED,
                                  "what is computed on the way has more than 4294967295 elements");
    }
    if (result == VKDML_SUCCESS) {
        result = check_ranges(instance, &builder);
    }
    report->context = outer_context;
    return result;
}

VkdmlResult vkdml_plan(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                       VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan) {
    struct vkdml_builder builder = vkdml_builder_begin(plan, limits, report);
    VkdmlResult result = vkdml_plan_unkept(instance, NULL, limits, flags, report, plan);
    const char *outer_context = report->context;
    report->context = instance->schema->name;
    for (uint32_t i = 0; result == VKDML_SUCCESS && i < instance->input_count; ++i) {
        const struct vkdml_tensor *input = &instance->inputs[i];
        if (input->dimension_count != 0 && (input->flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0 &&
            vkdml_plan_reads_input(plan, i)) {
            result = plan_owned_input(instance, i, &builder);
        }
    }
    vkdml_plan_synchronize(plan, 0, 0);
    report->context = outer_context;
    return result;
}
