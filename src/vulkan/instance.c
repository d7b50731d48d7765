#include "vulkan/instance.h"

#include <string.h>

#include "base/memory.h"
#include "vkdml/version.h"
#include "vulkan/device.h"
#include "vulkan/failure.h"
#include "vulkan/loader.h"

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

static VKAPI_ATTR VkBool32 VKAPI_CALL forward_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                      VkDebugUtilsMessageTypeFlagsEXT types,
                                                      const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                      void *user_data) {
    const struct vkdml_log *log = user_data;
    (void)severity;
    (void)types;
    /* Not composed: these messages are longer than any line of the library's own. */
    log->callback(log->user_data, VKDML_LOG_LEVEL_WARNING, data->pMessage);
    return VK_FALSE;
}

static VkdmlResult check_layer(struct vkdml_own_instance *own, struct vkdml_report *report) {
    uint32_t count = 0;
    VkResult result = own->global.EnumerateInstanceLayerProperties(&count, NULL);
    if (result < 0) {
        return vkdml_vulkan_failure(NULL, report, result, "vkEnumerateInstanceLayerProperties");
    }
    VkLayerProperties *layers = vkdml_allocate(own->callbacks, (count + (size_t)1) * sizeof *layers);
    if (!layers) {
        return vkdml_report_out_of_memory(report, (count + (size_t)1) * sizeof *layers, "the list of layers");
    }
    result = own->global.EnumerateInstanceLayerProperties(&count, layers);
    bool found = false;
    for (uint32_t i = 0; i < count && result >= 0 && !found; i++) {
        found = strcmp(layers[i].layerName, VALIDATION_LAYER) == 0;
        own->layer_version = found ? layers[i].specVersion : 0;
    }
    vkdml_free(own->callbacks, layers);
    if (result < 0) {
        return vkdml_vulkan_failure(NULL, report, result, "vkEnumerateInstanceLayerProperties");
    }
    if (!found) {
        return vkdml_report_add(report, VKDML_ERROR_INITIALIZATION_FAILED,
                                "VKDML_DEVICE_FLAG_VALIDATION needs " VALIDATION_LAYER ", which is not installed");
    }
    return VKDML_SUCCESS;
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_info(const struct vkdml_log *log) {
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        /* General messages are the loader's, about the machine; performance ones are matters of taste. */
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = forward_message,
        .pUserData = (void *)log};
}

static VkdmlResult create_messenger(struct vkdml_own_instance *own, struct vkdml_report *report) {
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)own->get(own->instance, "vkCreateDebugUtilsMessengerEXT");
    if (!create) {
        return vkdml_report_add(report, VKDML_ERROR_INITIALIZATION_FAILED,
                                "the instance has no vkCreateDebugUtilsMessengerEXT");
    }
    VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(own->log);
    VkResult result = create(own->instance, &info, own->callbacks, &own->messenger);
    if (result != VK_SUCCESS) {
        own->messenger = VK_NULL_HANDLE;
        return vkdml_vulkan_failure(NULL, report, result, "vkCreateDebugUtilsMessengerEXT");
    }
    return VKDML_SUCCESS;
}

static VkdmlResult create_instance(struct vkdml_own_instance *own, VkdmlDeviceFlags flags,
                                   struct vkdml_report *report) {
    static const char *const layers[] = {VALIDATION_LAYER};
    static const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                             VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
    static const VkValidationFeatureEnableEXT enabled[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    const bool validation = (flags & VKDML_DEVICE_FLAG_VALIDATION) != 0;
    const bool debug_utils = validation || (flags & VKDML_DEVICE_FLAG_DEBUG_UTILS) != 0;
    const bool messages = validation && own->log->callback;
    VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(own->log); /* of creation and destruction itself */
    VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                        .pNext = messages ? &messenger : NULL,
                                        .enabledValidationFeatureCount = 1,
                                        .pEnabledValidationFeatures = enabled};
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pEngineName = "vkdml",
                                     .engineVersion = VKDML_HEADER_VERSION,
                                     .apiVersion = VKDML_VULKAN_API_VERSION};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pNext = validation ? &features : NULL,
                                 .pApplicationInfo = &application,
                                 .enabledLayerCount = validation ? 1 : 0,
                                 .ppEnabledLayerNames = layers,
                                 .enabledExtensionCount = (uint32_t)debug_utils + (uint32_t)validation,
                                 .ppEnabledExtensionNames = extensions};
    VkResult result = own->global.CreateInstance(&info, own->callbacks, &own->instance);
    if (result != VK_SUCCESS) {
        own->instance = VK_NULL_HANDLE;
        return vkdml_vulkan_failure(NULL, report, result, "vkCreateInstance");
    }
    const char *missing = vkdml_functions_load_opening(own->get, own->instance, &own->opening);
    if (!missing) {
        missing = vkdml_functions_load_instance(own->get, own->instance, &own->vk);
    }
    if (missing) {
        return vkdml_report_add(report, VKDML_ERROR_INITIALIZATION_FAILED, "the instance has no %s", missing);
    }
    return messages ? create_messenger(own, report) : VKDML_SUCCESS;
}

VkdmlResult vkdml_own_instance_create(struct vkdml_own_instance *own, VkdmlDeviceFlags flags,
                                      struct vkdml_report *report) {
    VkdmlResult result = vkdml_loader_open(report, &own->library, &own->get);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    const char *missing = vkdml_functions_load_global(own->get, &own->global);
    uint32_t version = 0;
    if (missing) {
        return vkdml_report_add(report, VKDML_ERROR_INITIALIZATION_FAILED, "the Vulkan loader has no %s", missing);
    }
    VkResult asked = own->global.EnumerateInstanceVersion(&version);
    if (asked != VK_SUCCESS) {
        return vkdml_vulkan_failure(NULL, report, asked, "vkEnumerateInstanceVersion");
    }
    if (version < VKDML_VULKAN_API_VERSION) {
        return vkdml_report_add(report, VKDML_ERROR_INITIALIZATION_FAILED,
                                "the Vulkan loader's version is %u.%u, must be at least 1.2",
                                VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
    }
    if (flags & VKDML_DEVICE_FLAG_VALIDATION) {
        result = check_layer(own, report);
    }
    return result == VKDML_SUCCESS ? create_instance(own, flags, report) : result;
}

void vkdml_own_instance_destroy(struct vkdml_own_instance *own) {
    if (own->messenger) {
        PFN_vkDestroyDebugUtilsMessengerEXT destroy =
            (PFN_vkDestroyDebugUtilsMessengerEXT)own->get(own->instance, "vkDestroyDebugUtilsMessengerEXT");
        destroy(own->instance, own->messenger, own->callbacks);
    }
    if (own->instance) {
        /* Not in the table yet where loading the table is what failed. */
        PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)own->get(own->instance, "vkDestroyInstance");
        if (destroy) {
            destroy(own->instance, own->callbacks);
        }
    }
    vkdml_loader_close(own->library);
}

static int rank(const struct vkdml_candidate *candidate) {
    static const VkPhysicalDeviceType best_first[] = {VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                                                      VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
                                                      VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, VK_PHYSICAL_DEVICE_TYPE_CPU};
    const int count = sizeof best_first / sizeof *best_first;
    int place = 0;
    while (place < count && best_first[place] != candidate->properties.deviceType) {
        place++;
    }
    return candidate->unusable ? place + count + 1 : place;
}

/* Insertion: few devices, and equals keep the driver's order. */
static void sort_best_first(struct vkdml_candidate *candidates, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        struct vkdml_candidate moved = candidates[i];
        uint32_t k = i;
        for (; k > 0 && rank(&candidates[k - 1]) > rank(&moved); k--) {
            candidates[k] = candidates[k - 1];
        }
        candidates[k] = moved;
    }
}

VkdmlResult vkdml_own_instance_candidates(const struct vkdml_own_instance *own, struct vkdml_report *report,
                                          uint32_t *count, struct vkdml_candidate **candidates) {
    VkPhysicalDevice *handles = NULL;
    struct vkdml_candidate *list = NULL;
    VkdmlResult result = VKDML_SUCCESS;
    *candidates = NULL;
    VkResult listed = own->opening.EnumeratePhysicalDevices(own->instance, count, NULL);
    if (listed >= 0) {
        /* one more each: a list of none is memory too, not an out-of-memory */
        handles = vkdml_allocate(own->callbacks, (*count + (size_t)1) * sizeof *handles);
        list = vkdml_allocate(own->callbacks, (*count + (size_t)1) * sizeof *list);
        if (!handles || !list) {
            result = vkdml_report_out_of_memory(report, (*count + (size_t)1) * sizeof *list, "the list of devices");
            goto done;
        }
        listed = own->opening.EnumeratePhysicalDevices(own->instance, count, handles);
    }
    if (listed < 0) {
        result = vkdml_vulkan_failure(NULL, report, listed, "vkEnumeratePhysicalDevices");
        goto done;
    }
    for (uint32_t i = 0; i < *count; i++) {
        VkPhysicalDeviceIDProperties ids = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
        VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                                  .pNext = &ids};
        own->vk.GetPhysicalDeviceProperties2(handles[i], &properties);
        list[i].physical_device = handles[i];
        list[i].properties = properties.properties;
        memcpy(list[i].uuid, ids.deviceUUID, VK_UUID_SIZE);
        list[i].unusable = vkdml_physical_device_unusable(&own->vk, handles[i], properties.properties.apiVersion,
                                                          &list[i].queue_family_index);
    }
    sort_best_first(list, *count);
    *candidates = list;
    list = NULL;
done:
    vkdml_free(own->callbacks, list);
    vkdml_free(own->callbacks, handles);
    return result;
}
