#include "vkdml/binding.h"

#include <inttypes.h>

#include "api/check.h"
#include "api/error.h"
#include "vulkan/binding_table.h"
#include "vulkan/device.h"

VkdmlResult vkdmlGetBindingProperties(VkdmlDispatchable dispatchable, VkdmlBindingProperties *properties) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = vkdml_check_object_given(dispatchable, VKDML_HANDLE_DISPATCHABLE, "dispatchable", properties,
                                                  "properties", report);
    if (result == VKDML_SUCCESS) {
        const struct vkdml_descriptor_count descriptors = vkdml_dispatchable_descriptors(dispatchable);
        *properties = (VkdmlBindingProperties){
            .inputCount = dispatchable->input_count,
            .outputCount = dispatchable->output_count,
            .temporaryResourceSize = dispatchable->temporary->bytes,
            .persistentResourceSize = dispatchable->persistent->bytes,
            .descriptorSetCount = descriptors.sets,
            .storageBufferDescriptorCount = descriptors.storage_buffers,
            .uniformBufferDescriptorCount = descriptors.sets,
        };
    }
    return vkdml_end_on_object(report, result, dispatchable);
}

VkdmlResult vkdmlGetWrittenSize(VkdmlDispatchable dispatchable, uint32_t output, uint64_t *bytes) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result =
        vkdml_check_object_given(dispatchable, VKDML_HANDLE_DISPATCHABLE, "dispatchable", bytes, "bytes", report);
    if (result == VKDML_SUCCESS && output >= dispatchable->output_count) {
        result = vkdml_report_invalid(report, "output is %" PRIu32 ", must be below %" PRIu32 ", the number of outputs",
                                      output, dispatchable->output_count);
    }
    if (result == VKDML_SUCCESS) {
        *bytes = dispatchable->outputs[output].written;
    }
    return vkdml_end_on_object(report, result, dispatchable);
}

VkdmlResult vkdmlCreateBindingTable(VkdmlDevice device, const VkdmlBindingTableCreateInfo *info,
                                    VkdmlBindingTable *table) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlBindingTableCreateInfo resolved = {.structSize = sizeof resolved};
    if (table) {
        *table = NULL;
    }
    VkdmlResult result = vkdml_check_device_given(device, table, "table", report);
    if (result == VKDML_SUCCESS) {
        result =
            vkdml_read_info(&resolved, sizeof resolved, sizeof resolved, info, "VkdmlBindingTableCreateInfo", report);
    }
    if (result == VKDML_SUCCESS) {
        result =
            vkdml_check_handle(resolved.dispatchable, VKDML_HANDLE_DISPATCHABLE, device, "info.dispatchable", report);
    }
    if (result == VKDML_SUCCESS && resolved.dispatchable->handle.device != device) {
        result = vkdml_report_invalid(report, "info.dispatchable is of another device, must be of the given one");
    }
    if (result == VKDML_SUCCESS) {
        result = vkdml_binding_table_create(resolved.dispatchable, resolved.descriptorPool, report, table);
    }
    return vkdml_end_on_object(report, result, device);
}

void vkdmlDestroyBindingTable(VkdmlBindingTable table) {
    if (vkdml_check_destroy(table, VKDML_HANDLE_BINDING_TABLE, "vkdmlDestroyBindingTable: table")) {
        vkdml_binding_table_destroy(table);
    }
}

/* What the four bind functions begin with; failures then name the dispatchable. */
static VkdmlResult check_table(VkdmlBindingTable table, struct vkdml_report *report) {
    VkdmlResult result = vkdml_check_object(table, VKDML_HANDLE_BINDING_TABLE, "table", report);
    if (result == VKDML_SUCCESS) {
        result = vkdml_handle_check(table->dispatchable, VKDML_HANDLE_DISPATCHABLE, table->handle.device,
                                    "the table's dispatchable", report);
    }
    if (result == VKDML_SUCCESS) {
        report->context = table->dispatchable->context;
    }
    return result;
}

static VkdmlResult bind_tensors(VkdmlBindingTable table, enum vkdml_plan_resource resource, uint32_t count,
                                const VkdmlBufferBinding *bindings) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = check_table(table, report);
    if (result == VKDML_SUCCESS) {
        result = vkdml_bind_tensors(table, resource, count, bindings, report);
    }
    return vkdml_end_on_object(report, result, table);
}

static VkdmlResult bind_resource(VkdmlBindingTable table, enum vkdml_plan_resource resource,
                                 const VkdmlBufferBinding *binding) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = check_table(table, report);
    if (result == VKDML_SUCCESS) {
        result = vkdml_bind_resource(table, resource, binding, report);
    }
    return vkdml_end_on_object(report, result, table);
}

VkdmlResult vkdmlBindInputs(VkdmlBindingTable table, uint32_t count, const VkdmlBufferBinding *bindings) {
    return bind_tensors(table, VKDML_PLAN_INPUT, count, bindings);
}

VkdmlResult vkdmlBindOutputs(VkdmlBindingTable table, uint32_t count, const VkdmlBufferBinding *bindings) {
    return bind_tensors(table, VKDML_PLAN_OUTPUT, count, bindings);
}

VkdmlResult vkdmlBindTemporaryResource(VkdmlBindingTable table, const VkdmlBufferBinding *binding) {
    return bind_resource(table, VKDML_PLAN_TEMPORARY, binding);
}

VkdmlResult vkdmlBindPersistentResource(VkdmlBindingTable table, const VkdmlBufferBinding *binding) {
    return bind_resource(table, VKDML_PLAN_PERSISTENT, binding);
}

static VkdmlResult check_record(VkdmlDevice device, VkCommandBuffer command_buffer, VkdmlDispatchable dispatchable,
                                VkdmlBindingTable table, struct vkdml_report *report) {
    if (vkdml_check_device(device, report) != VKDML_SUCCESS) {
        return report->result;
    }
    vkdml_check_given(command_buffer, "commandBuffer", report);
    vkdml_check_handle(dispatchable, VKDML_HANDLE_DISPATCHABLE, device, "dispatchable", report);
    vkdml_check_handle(table, VKDML_HANDLE_BINDING_TABLE, device, "table", report);
    if (report->count > 0) {
        return report->result;
    }
    report->context = dispatchable->context;
    if (dispatchable->handle.device != device) {
        return vkdml_report_invalid(report, "dispatchable is of another device, must be of the given one");
    }
    if (table->dispatchable != dispatchable) {
        return vkdml_report_invalid(report, "table is of another dispatchable, must be of the given one");
    }
    return VKDML_SUCCESS;
}

VkdmlResult vkdmlGetOverlappedInputs(VkdmlBindingTable table, uint32_t *count, uint32_t *inputs) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = check_table(table, report);
    if (result == VKDML_SUCCESS && !count) {
        result = vkdml_report_invalid(report, "count is NULL, must point to a number");
    }
    if (result == VKDML_SUCCESS) {
        *count = vkdml_binding_table_overlapped(table, inputs ? *count : 0, inputs);
    }
    return vkdml_end_on_object(report, result, table);
}

VkdmlResult vkdmlRecordDispatch(VkdmlDevice device, VkCommandBuffer commandBuffer, VkdmlDispatchable dispatchable,
                                VkdmlBindingTable table) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = check_record(device, commandBuffer, dispatchable, table, report);
    if (result == VKDML_SUCCESS) {
        result = vkdml_record(table, commandBuffer, report);
    }
    return vkdml_end_on_object(report, result, device);
}
