#include "vkdml/reference.h"

#include <inttypes.h>

#include "api/check.h"
#include "api/error.h"
#include "api/host_memory.h"
#include "base/memory.h"
#include "operators/operators.h"
#include "reference/reference.h"

static VkdmlResult execute(const VkdmlReferenceInfo *info, const struct vkdml_instance *instance,
                           struct vkdml_report *report) {
    report->context = instance->schema->name;
    if ((info->flags & ~(VkdmlCompileFlags)VKDML_COMPILE_FLAG_ZERO_UNDEFINED) != 0) {
        vkdml_report_invalid(report, "flags is 0x%" PRIx32 ", must hold VkdmlCompileFlagBits only", info->flags);
    }
    if (vkdml_check_host_memory(info, instance, report) != VKDML_SUCCESS) {
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
        .report = report,
    };
    vkdml_reference(instance, &memory);
    vkdml_free(NULL, pointers);
    return report->result;
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
