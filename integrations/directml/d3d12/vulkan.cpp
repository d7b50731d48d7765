#include "vulkan.hpp"

#include <vector>

namespace vkdml::d3d12 {

Vulkan::Vulkan(VkdmlDevice lent) : device(lent), handles(detail::handlesOf(lent)) {
    const detail::Functions functions(handles);
    const auto instance = [&](auto &function, const char *name) {
        function = functions.instance<std::remove_reference_t<decltype(function)>>(name);
    };
    instance(getPhysicalDeviceMemoryProperties, "vkGetPhysicalDeviceMemoryProperties");
    instance(getPhysicalDeviceProperties, "vkGetPhysicalDeviceProperties");
    instance(getPhysicalDeviceQueueFamilyProperties, "vkGetPhysicalDeviceQueueFamilyProperties");
    functions.load(createBuffer, "vkCreateBuffer");
    functions.load(destroyBuffer, "vkDestroyBuffer");
    functions.load(getBufferMemoryRequirements, "vkGetBufferMemoryRequirements");
    functions.load(allocateMemory, "vkAllocateMemory");
    functions.load(freeMemory, "vkFreeMemory");
    functions.load(bindBufferMemory, "vkBindBufferMemory");
    functions.load(mapMemory, "vkMapMemory");
    functions.load(createCommandPool, "vkCreateCommandPool");
    functions.load(destroyCommandPool, "vkDestroyCommandPool");
    functions.load(resetCommandPool, "vkResetCommandPool");
    functions.load(allocateCommandBuffers, "vkAllocateCommandBuffers");
    functions.load(beginCommandBuffer, "vkBeginCommandBuffer");
    functions.load(endCommandBuffer, "vkEndCommandBuffer");
    functions.load(cmdPipelineBarrier, "vkCmdPipelineBarrier");
    functions.load(cmdCopyBuffer, "vkCmdCopyBuffer");
    functions.load(cmdFillBuffer, "vkCmdFillBuffer");
    functions.load(cmdWriteTimestamp, "vkCmdWriteTimestamp");
    functions.load(cmdResetQueryPool, "vkCmdResetQueryPool");
    functions.load(cmdCopyQueryPoolResults, "vkCmdCopyQueryPoolResults");
    functions.load(createQueryPool, "vkCreateQueryPool");
    functions.load(destroyQueryPool, "vkDestroyQueryPool");
    functions.load(createSemaphore, "vkCreateSemaphore");
    functions.load(destroySemaphore, "vkDestroySemaphore");
    functions.load(getSemaphoreCounterValue, "vkGetSemaphoreCounterValue");
    functions.load(waitSemaphores, "vkWaitSemaphores");
    functions.load(queueSubmit, "vkQueueSubmit");
    functions.load(deviceWaitIdle, "vkDeviceWaitIdle");
}

std::uint64_t Vulkan::TimestampFrequency() const {
    std::uint32_t count = 0;
    getPhysicalDeviceQueueFamilyProperties(handles.physicalDevice, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    getPhysicalDeviceQueueFamilyProperties(handles.physicalDevice, &count, families.data());
    VkPhysicalDeviceProperties properties{};
    getPhysicalDeviceProperties(handles.physicalDevice, &properties);
    const double period = static_cast<double>(properties.limits.timestampPeriod);
    const bool has = handles.queueFamilyIndex < count && families[handles.queueFamilyIndex].timestampValidBits != 0;
    return has && period > 0 ? static_cast<std::uint64_t>(1e9 / period) : 0;
}

} // namespace vkdml::d3d12
