#include "vkdml/reference.h"

#include <inttypes.h>

#include "api/check.h"
#include "api/error.h"
#include "base/memory.h"
#include "operators/operators.h"
#include "reference/reference.h"

/* Holds host memory to its tensors: one binding per tensor, present where the tensor is, and large enough. */
static void check_memory(struct vkdml_report *report, const char *what, uint32_t count,
                         const VkdmlHostBinding *bindings, uint32_t tensor_count, const struct vkdml_tensor *tensors,
                         const struct vkdml_instance *instance,
                         const char *(*name)(const struct vkdml_instance *, uint32_t)) {
    if (count != tensor_count) {
        vkdml_report_invalid(report, "%sCount is %" PRIu32 ", must be %" PRIu32, what, count, tensor_count);
        return;
    }
    if (count != 0 && bindings == NULL) {
        vkdml_report_invalid(report, "%ss is NULL, must point to %" PRIu32 " bindings", what, count);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        bool present = tensors[i].dimension_count != 0;
        if (present && bindings[i].data == NULL) {
            vkdml_report_invalid(report, "%s: data is NULL", name(instance, i));
        } else if (!present && bindings[i].data != NULL) {
            vkdml_report_invalid(report, "%s: data must be NULL, the descriptor has no such tensor", name(instance, i));
        } else if (present && bindings[i].size < tensors[i].total_bytes) {
            vkdml_report_invalid(report, "%s: size is %zu, must be at least %" PRIu64 " = TotalTensorSizeInBytes",
                                 name(instance, i), bindings[i].size, tensors[i].total_bytes);
        }
    }
}

static VkdmlResult execute(const VkdmlReferenceInfo *info, const struct vkdml_instance *instance,
                           struct vkdml_report *report) {
    report->context = instance->schema->name;
    if ((info->flags & ~(VkdmlCompileFlags)VKDML_COMPILE_FLAG_ZERO_UNDEFINED) != 0) {
        vkdml_report_invalid(report, "flags is 0x%" PRIx32 ", must hold VkdmlCompileFlagBits only", info->flags);
    }
    check_memory(report, "input", info->inputCount, info->inputs, instance->input_count, instance->inputs, instance,
                 vkdml_input_name);
    check_memory(report, "output", info->outputCount, info->outputs, instance->output_count, instance->outputs,
                 instance, vkdml_output_name);
    if (report->result != VKDML_SUCCESS) {
        return report->result;
    }

    size_t bytes = ((size_t)instance->input_count + instance->output_count) * sizeof(void *);
    void **pointers = vkdml_allocate(NULL, bytes);
    if (pointers == NULL) {
        return vkdml_report_out_of_memory(report, bytes, "tensor pointers");
    }
    void **outputs = pointers + instance->input_count;
    for (uint32_t i = 0; i < instance->input_count; ++i) {
        pointers[i] = info->inputs[i].data;
    }
    for (uint32_t i = 0; i < instance->output_count; ++i) {
        outputs[i] = info->outputs[i].data;
    }
    const struct vkdml_reference_memory memory = {
        .inputs = (const void *const *)pointers,
        .outputs = outputs,
        .flags = info->flags,
    };
    vkdml_reference(instance, &memory);
    vkdml_free(NULL, pointers);
    return VKDML_SUCCESS;
}

VkdmlResult vkdmlReferenceExecute(const VkdmlReferenceInfo *info) {
    struct vkdml_report *report = vkdml_error_begin();
    struct vkdml_instance *instance = NULL;
    VkdmlReferenceInfo resolved;
    VkdmlResult result =
        vkdml_read_info(&resolved, sizeof resolved, sizeof resolved, info, "VkdmlReferenceInfo", report);
    if (result == VKDML_SUCCESS) {
        result = vkdml_validate(resolved.desc, resolved.featureLevel, NULL, report, &instance);
    }
    if (result == VKDML_SUCCESS) {
        result = execute(&resolved, instance, report);
    }
    vkdml_instance_destroy(instance, NULL);
    return vkdml_error_end(report, result);
}
