#include "api/operator.h"

#include <stddef.h>

#include "api/check.h"
#include "api/error.h"
#include "api/label.h"
#include "base/memory.h"
#include "operators/operators.h"
#include "schema/aliases.h"
#include "vulkan/device.h"
#include "vulkan/device_memory.h"
#include "vulkan/dispatchable.h"
#include "vulkan/weights.h"

static VkdmlResult create_operator(VkdmlDevice device, const DML_OPERATOR_DESC *desc, struct vkdml_report *report,
                                   VkdmlOperator *op) {
    struct vkdml_instance *instance;
    VkdmlResult result = vkdml_validate(desc, device->level, device->callbacks, report, &instance);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    *op = vkdml_allocate(device->callbacks, sizeof **op);
    if (!*op) {
        vkdml_instance_destroy(instance, device->callbacks);
        return vkdml_report_out_of_memory(report, sizeof **op, "an operator");
    }
    vkdml_handle_begin(&(*op)->handle, VKDML_HANDLE_OPERATOR, device, sizeof **op);
    (*op)->instance = instance;
    return VKDML_SUCCESS;
}

VkdmlResult vkdmlCreateOperator(VkdmlDevice device, const DML_OPERATOR_DESC *desc, VkdmlOperator *op) {
    struct vkdml_report *report = vkdml_error_begin();
    if (op) {
        *op = NULL;
    }
    VkdmlResult result = vkdml_check_device_given(device, op, "op", report);
    if (result == VKDML_SUCCESS) {
        result = create_operator(device, desc, report, op);
    }
    return vkdml_end_on_object(report, result, device);
}

void vkdmlDestroyOperator(VkdmlOperator op) {
    if (vkdml_check_destroy(op, VKDML_HANDLE_OPERATOR, "vkdmlDestroyOperator: op")) {
        vkdml_instance_destroy(op->instance, op->handle.device->callbacks);
        vkdml_device_end_object(&op->handle);
    }
}

static VkdmlResult check_compile_info(const VkdmlCompileInfo *info, struct vkdml_report *report) {
    const uint32_t execution = DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION |
                               DML_EXECUTION_FLAG_DISABLE_META_COMMANDS | DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE;
    if ((uint32_t)info->executionFlags & ~execution) {
        vkdml_report_invalid(report, "executionFlags is 0x%x, must be of DML_EXECUTION_FLAGS only",
                             (unsigned)info->executionFlags);
    }
    const VkdmlCompileFlags flags = VKDML_COMPILE_FLAG_ZERO_UNDEFINED | VKDML_COMPILE_FLAG_NODE_BY_NODE |
                                    VKDML_COMPILE_FLAG_PARALLEL | VKDML_COMPILE_FLAG_OPEN_SIZES |
                                    VKDML_COMPILE_FLAG_GENERAL_PIPELINES;
    if (info->flags & ~flags) {
        vkdml_report_invalid(report, "flags is 0x%x, must be of VkdmlCompileFlagBits only", info->flags);
    }
    return report->result;
}

static struct vkdml_bind_point tensor_point(const struct vkdml_tensor *tensor, const char *name, uint32_t element) {
    struct vkdml_bind_point point = {.name = name,
                                     .element = element,
                                     .operator_index = VKDML_NO_INDEX,
                                     .bytes = tensor->total_bytes,
                                     .alignment = DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT,
                                     .alignment_rule = "DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT",
                                     .base_alignment = tensor->base_alignment};
    if (tensor->dimension_count == 0) {
        point.unbound = "the tensor is absent";
    } else if (tensor->flags & DML_TENSOR_FLAG_OWNED_BY_DML) {
        point.unbound = "DML_TENSOR_FLAG_OWNED_BY_DML tensors are bound at initialization";
        point.owned = true;
    }
    return point;
}

/* What binding needs to know of a field's tensors: of one, or of an array's, the last of `all` of their kind. */
static void describe_field(const VkdmlFieldSchema *field, uint32_t all, const struct vkdml_tensor *tensors,
                           struct vkdml_bind_point *points) {
    if (field->type == VKDML_FIELD_TYPE_TENSOR_DESC) {
        points[field->bindingIndex] = tensor_point(&tensors[field->bindingIndex], field->name, VKDML_NO_INDEX);
        return;
    }
    for (uint32_t i = field->bindingIndex; i < all; i++) {
        points[i] = tensor_point(&tensors[i], field->name, i - field->bindingIndex);
    }
}

static void describe_tensors(VkdmlDispatchable compiled, const struct vkdml_instance *instance) {
    const VkdmlOperatorSchema *schema = instance->schema;
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &schema->fields[i];
        if (field->kind == VKDML_FIELD_KIND_INPUT_TENSOR) {
            describe_field(field, instance->input_count, instance->inputs, compiled->inputs);
        } else if (field->kind == VKDML_FIELD_KIND_OUTPUT_TENSOR) {
            describe_field(field, instance->output_count, instance->outputs, compiled->outputs);
            compiled->outputs[field->bindingIndex].aliases = vkdml_output_aliases(instance, field);
        }
    }
    for (uint32_t i = 0; i < instance->output_count; i++) {
        compiled->outputs[i].written = vkdml_output_written(instance, i);
    }
}

VkdmlResult vkdml_read_compile_info(VkdmlDevice device, const VkdmlCompileInfo *info, struct vkdml_report *report,
                                    struct vkdml_compilation *compilation) {
    VkdmlCompileInfo resolved = {.structSize = sizeof resolved};
    VkdmlResult result = VKDML_SUCCESS;
    if (info) {
        result = vkdml_read_info(&resolved, sizeof resolved, offsetof(VkdmlCompileInfo, weightStore), info,
                                 "VkdmlCompileInfo", report);
    }
    if (result == VKDML_SUCCESS) {
        result = check_compile_info(&resolved, report);
    }
    if (result == VKDML_SUCCESS && resolved.weightStore) {
        result = vkdml_check_handle(resolved.weightStore, VKDML_HANDLE_WEIGHT_STORE, device, "weightStore", report);
    }
    if (result == VKDML_SUCCESS && resolved.weightStore && resolved.weightStore->handle.device != device) {
        result = vkdml_report_invalid(report, "weightStore is of another device, must be of the one that compiles");
    }
    if (result == VKDML_SUCCESS && resolved.weightIdCount > 0 && (!resolved.weightStore || !resolved.weightIds)) {
        result = vkdml_report_invalid(report, "weightIdCount is %u without %s, must be 0", resolved.weightIdCount,
                                      resolved.weightStore ? "weightIds" : "a weightStore");
    }
    compilation->limits = device->limits;
    compilation->limits.half_allowed =
        (resolved.executionFlags & DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION) != 0;
    compilation->limits.open_sizes = (resolved.flags & VKDML_COMPILE_FLAG_OPEN_SIZES) != 0;
    compilation->flags = resolved.flags;
    compilation->weight_store = resolved.weightStore;
    compilation->weight_id_count = resolved.weightIdCount;
    compilation->weight_ids = resolved.weightIds;
    return result;
}

VkdmlResult vkdml_operator_plan(VkdmlOperator op, const VkdmlCompileInfo *info, struct vkdml_report *report,
                                struct vkdml_plan *plan) {
    struct vkdml_compilation compilation;
    report->context = op->instance->schema->name; /* static */
    VkdmlResult result = vkdml_read_compile_info(op->handle.device, info, report, &compilation);
    if (result == VKDML_SUCCESS && compilation.weight_store) {
        result = vkdml_report_invalid(report, "weightStore is given for an operator, must be NULL: graphs take one");
    }
    if (result == VKDML_SUCCESS) {
        result = vkdml_plan(op->instance, &compilation.limits, compilation.flags, report, plan);
    }
    return result;
}

static VkdmlResult compile(VkdmlOperator op, const VkdmlCompileInfo *info, struct vkdml_report *report,
                           VkdmlDispatchable *compiled) {
    VkdmlDevice device = op->handle.device;
    const struct vkdml_instance *instance = op->instance;
    struct vkdml_plan plan;
    VkdmlDispatchable d = NULL;
    vkdml_plan_begin(&plan, device->callbacks);
    VkdmlResult result = vkdml_operator_plan(op, info, report, &plan);
    if (result != VKDML_SUCCESS) {
        goto done;
    }
    struct vkdml_dispatchable_info dispatchable = vkdml_dispatchable_of_plan(&plan);
    dispatchable.context = instance->schema->name;
    dispatchable.input_count = instance->input_count;
    dispatchable.output_count = instance->output_count;
    result = vkdml_dispatchable_create(device, &dispatchable, report, &d);
    if (result != VKDML_SUCCESS) {
        goto done;
    }
    describe_tensors(d, instance);
    if (d->label) {
        vkdml_write_label(instance, d->label, VKDML_LABEL_CAPACITY);
    }
    result = vkdml_dispatchable_compile(d, &plan, NULL, report);
    if (result == VKDML_SUCCESS) {
        *compiled = d;
    } else {
        vkdml_dispatchable_destroy(d);
    }
done:
    vkdml_plan_end(&plan);
    return result;
}

VkdmlResult vkdmlCompileOperator(VkdmlOperator op, const VkdmlCompileInfo *info, VkdmlDispatchable *compiled) {
    struct vkdml_report *report = vkdml_error_begin();
    if (compiled) {
        *compiled = NULL;
    }
    VkdmlResult result = vkdml_check_object_given(op, VKDML_HANDLE_OPERATOR, "op", compiled, "compiled", report);
    if (result == VKDML_SUCCESS) {
        result = compile(op, info, report, compiled);
    }
    return vkdml_end_on_object(report, result, op);
}

VkdmlResult vkdmlCreateOperatorInitializer(VkdmlDevice device, uint32_t count, const VkdmlDispatchable *operators,
                                           VkdmlDispatchable *initializer) {
    struct vkdml_report *report = vkdml_error_begin();
    if (initializer) {
        *initializer = NULL;
    }
    VkdmlResult result = vkdml_check_device_given(device, initializer, "initializer", report);
    if (result == VKDML_SUCCESS && count > 0) {
        result = vkdml_check_given(operators, "operators", report);
    }
    if (result == VKDML_SUCCESS) {
        result = vkdml_initializer_create(device, count, operators, report, initializer);
    }
    return vkdml_end_on_object(report, result, device);
}

void vkdmlDestroyDispatchable(VkdmlDispatchable dispatchable) {
    if (vkdml_check_destroy(dispatchable, VKDML_HANDLE_DISPATCHABLE, "vkdmlDestroyDispatchable: dispatchable")) {
        vkdml_dispatchable_destroy(dispatchable);
    }
}
