#include "vkdml/weights.h"

#include "api/check.h"
#include "api/error.h"
#include "vulkan/device.h"
#include "vulkan/dispatchable.h"
#include "vulkan/weights.h"

VkdmlResult vkdmlCreateWeightStore(VkdmlDevice device, const VkdmlWeightStoreCreateInfo *info,
                                   VkdmlWeightStore *store) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlWeightStoreCreateInfo resolved = {.structSize = sizeof resolved};
    if (store) {
        *store = NULL;
    }
    VkdmlResult result = vkdml_check_device_given(device, store, "store", report);
    if (result == VKDML_SUCCESS) {
        result =
            vkdml_read_info(&resolved, sizeof resolved, sizeof resolved, info, "VkdmlWeightStoreCreateInfo", report);
    }
    if (result == VKDML_SUCCESS && (!resolved.allocatePage || !resolved.freePage)) {
        result = vkdml_report_invalid(report, "info.%s is NULL, must be a function",
                                      !resolved.allocatePage ? "allocatePage" : "freePage");
    }
    if (result == VKDML_SUCCESS) {
        result = vkdml_weight_store_create(device, &resolved, report, store);
    }
    return vkdml_end_on_object(report, result, device);
}

void vkdmlDestroyWeightStore(VkdmlWeightStore store) {
    if (vkdml_check_destroy(store, VKDML_HANDLE_WEIGHT_STORE, "vkdmlDestroyWeightStore: store")) {
        vkdml_weight_store_destroy(store);
    }
}

VkdmlResult vkdmlTrimWeightStore(VkdmlWeightStore store) {
    struct vkdml_report *report = vkdml_error_begin();
    const VkdmlResult result = vkdml_check_object(store, VKDML_HANDLE_WEIGHT_STORE, "store", report);
    if (result == VKDML_SUCCESS) {
        vkdml_weight_store_trim(store);
    }
    return vkdml_end_on_object(report, result, store);
}

VkdmlResult vkdmlGetWeightStoreInfo(VkdmlWeightStore store, VkdmlWeightStoreInfo *info) {
    struct vkdml_report *report = vkdml_error_begin();
    const VkdmlResult result =
        vkdml_check_object_given(store, VKDML_HANDLE_WEIGHT_STORE, "store", info, "info", report);
    if (result == VKDML_SUCCESS) {
        vkdml_weight_store_facts(store, info);
    }
    return vkdml_end_on_object(report, result, store);
}

VkdmlResult vkdmlCreateWeightInitializer(VkdmlDispatchable compiled, uint64_t maxInputBytes,
                                         VkdmlDispatchable *initializer) {
    struct vkdml_report *report = vkdml_error_begin();
    if (initializer) {
        *initializer = NULL;
    }
    VkdmlResult result = vkdml_check_object_given(compiled, VKDML_HANDLE_DISPATCHABLE, "compiled", initializer,
                                                  "initializer", report);
    if (result == VKDML_SUCCESS && (!compiled->weights || compiled->weights->is_claim)) {
        result = vkdml_report_invalid(report, "compiled has no weights in a store, must be a graph that was compiled "
                                              "with VkdmlCompileInfo::weightStore");
    }
    if (result == VKDML_SUCCESS) {
        result = vkdml_weight_initializer_create(compiled, maxInputBytes, report, initializer);
    }
    return vkdml_end_on_object(report, result, compiled);
}

static VkdmlResult check_initializer(VkdmlDispatchable initializer, struct vkdml_report *report) {
    if (!initializer->weights || !initializer->weights->is_claim) {
        return vkdml_report_invalid(report, "initializer is none of vkdmlCreateWeightInitializer()'s, must be one");
    }
    return VKDML_SUCCESS;
}

VkdmlResult vkdmlResetWeightInitializer(VkdmlDispatchable initializer) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = vkdml_check_object(initializer, VKDML_HANDLE_DISPATCHABLE, "initializer", report);
    if (result == VKDML_SUCCESS) {
        result = check_initializer(initializer, report);
    }
    if (result == VKDML_SUCCESS) {
        vkdml_weights_reset(initializer->weights);
    }
    return vkdml_end_on_object(report, result, initializer);
}

VkdmlResult vkdmlGetWeightInitializerInputs(VkdmlDispatchable initializer, uint32_t *count, uint32_t *indices) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result =
        vkdml_check_object_given(initializer, VKDML_HANDLE_DISPATCHABLE, "initializer", count, "count", report);
    if (result == VKDML_SUCCESS) {
        result = check_initializer(initializer, report);
    }
    if (result == VKDML_SUCCESS && *count > 0) {
        result = vkdml_check_given(indices, "indices", report);
    }
    if (result == VKDML_SUCCESS) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < initializer->input_count; i++) {
            if (!initializer->inputs[i].unbound) {
                if (found < *count) {
                    indices[found] = i;
                }
                found++;
            }
        }
        *count = found;
    }
    return vkdml_end_on_object(report, result, initializer);
}
