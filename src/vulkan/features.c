#include "vulkan/features.h"

#include <stddef.h>

#include "kernels/cooperative_matrix.h"

static struct vkdml_features read_chain(const VkPhysicalDeviceFeatures2 *features) {
    struct vkdml_features found = {false, false, false, false, false};
    for (const VkBaseInStructure *next = features ? features->pNext : NULL; next; next = next->pNext) {
        const void *chained = next;
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
            const VkPhysicalDeviceVulkan12Features *vulkan12 = chained;
            found.float16 = found.float16 || vulkan12->shaderFloat16;
            found.int8 = found.int8 || vulkan12->shaderInt8;
            found.memory_model = found.memory_model || vulkan12->vulkanMemoryModel;
        } else if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES) {
            const VkPhysicalDeviceShaderFloat16Int8Features *float16 = chained;
            found.float16 = found.float16 || float16->shaderFloat16;
            found.int8 = found.int8 || float16->shaderInt8;
        } else if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES) {
            const VkPhysicalDeviceVulkanMemoryModelFeatures *memory_model = chained;
            found.memory_model = found.memory_model || memory_model->vulkanMemoryModel;
        } else if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR) {
            const VkPhysicalDeviceCooperativeMatrixFeaturesKHR *matrix = chained;
            found.cooperative_matrix = found.cooperative_matrix || matrix->cooperativeMatrix;
        } else if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES_KHR) {
            const VkPhysicalDeviceShaderIntegerDotProductFeaturesKHR *dot = chained;
            found.dot_product = found.dot_product || dot->shaderIntegerDotProduct;
        } else if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES) {
            const VkPhysicalDeviceVulkan13Features *vulkan13 = chained;
            found.dot_product = found.dot_product || vulkan13->shaderIntegerDotProduct;
        }
    }
    return found;
}

/* Structs of extensions are chained only where they matter: validation layers that do not know them, or drivers without
 * the extension, make it an error. */
static struct vkdml_features ask(const struct vkdml_functions_instance *vk, VkPhysicalDevice physical_device,
                                 const struct vkdml_features *claimed) {
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    VkPhysicalDeviceShaderIntegerDotProductFeaturesKHR dot = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES_KHR,
        .pNext = claimed->cooperative_matrix ? &matrix : NULL};
    VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                 .pNext = claimed->dot_product ? (void *)&dot : dot.pNext};
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &vulkan12};
    vk->GetPhysicalDeviceFeatures2(physical_device, &all);
    return read_chain(&all);
}

VkdmlResult vkdml_features_read(const struct vkdml_functions_instance *vk, const VkdmlDeviceCreateInfo *info,
                                struct vkdml_report *report, struct vkdml_features *enabled) {
    *enabled = read_chain(info->enabledFeatures);
    const struct vkdml_features there = ask(vk, info->physicalDevice, enabled);
    const struct {
        bool claimed, is_there;
        const char *name;
    } features[] = {
        {enabled->float16, there.float16, "shaderFloat16"},
        {enabled->int8, there.int8, "shaderInt8"},
        {enabled->memory_model, there.memory_model, "vulkanMemoryModel"},
        {enabled->cooperative_matrix, there.cooperative_matrix, "cooperativeMatrix"},
        {enabled->dot_product, there.dot_product, "shaderIntegerDotProduct"},
    };
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        if (features[i].claimed && !features[i].is_there) {
            vkdml_report_invalid(report, "enabledFeatures has %s, must not: physicalDevice does not support it",
                                 features[i].name);
        }
    }
    return report->result;
}
