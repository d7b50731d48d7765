/* The functions of Vulkan that libd3d12.so calls, on a device that vkdml opened. */
#ifndef VKDML_DIRECTML_D3D12_VULKAN_HPP
#define VKDML_DIRECTML_D3D12_VULKAN_HPP

#include "com.hpp"

namespace vkdml::d3d12 {

struct Vulkan {
    /** Lent: outlives this. Throws vkdml::Error. */
    explicit Vulkan(VkdmlDevice device);

    /** Throws vkdml::Error if a call failed. Reports a lost device to vkdml. */
    void Check(VkResult result, const char *call) const {
        detail::checkVulkan(device, result, call);
    }

    /** Ticks in a second; 0: the queue has no timestamps. */
    std::uint64_t TimestampFrequency() const;

    VkdmlDevice device;
    VkdmlVulkanHandles handles;
    PFN_vkGetPhysicalDeviceMemoryProperties getPhysicalDeviceMemoryProperties;
    PFN_vkGetPhysicalDeviceProperties getPhysicalDeviceProperties;
    PFN_vkGetPhysicalDeviceQueueFamilyProperties getPhysicalDeviceQueueFamilyProperties;
    PFN_vkCreateBuffer createBuffer;
    PFN_vkDestroyBuffer destroyBuffer;
    PFN_vkGetBufferMemoryRequirements getBufferMemoryRequirements;
    PFN_vkAllocateMemory allocateMemory;
    PFN_vkFreeMemory freeMemory;
    PFN_vkBindBufferMemory bindBufferMemory;
    PFN_vkMapMemory mapMemory;
    PFN_vkCreateCommandPool createCommandPool;
    PFN_vkDestroyCommandPool destroyCommandPool;
    PFN_vkResetCommandPool resetCommandPool;
    PFN_vkAllocateCommandBuffers allocateCommandBuffers;
    PFN_vkBeginCommandBuffer beginCommandBuffer;
    PFN_vkEndCommandBuffer endCommandBuffer;
    PFN_vkCmdPipelineBarrier cmdPipelineBarrier;
    PFN_vkCmdCopyBuffer cmdCopyBuffer;
    PFN_vkCmdFillBuffer cmdFillBuffer;
    PFN_vkCmdWriteTimestamp cmdWriteTimestamp;
    PFN_vkCmdResetQueryPool cmdResetQueryPool;
    PFN_vkCmdCopyQueryPoolResults cmdCopyQueryPoolResults;
    PFN_vkCreateQueryPool createQueryPool;
    PFN_vkDestroyQueryPool destroyQueryPool;
    PFN_vkCreateSemaphore createSemaphore;
    PFN_vkDestroySemaphore destroySemaphore;
    PFN_vkGetSemaphoreCounterValue getSemaphoreCounterValue;
    PFN_vkWaitSemaphores waitSemaphores;
    PFN_vkQueueSubmit queueSubmit;
    PFN_vkDeviceWaitIdle deviceWaitIdle;
};

} // namespace vkdml::d3d12

#endif
