#include "pool.hpp"

namespace vkdml::d3d12 {

CommandPool::CommandPool(const Vulkan &vulkan) : vulkan_(vulkan) {
    VkCommandPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    info.queueFamilyIndex = vulkan_.handles.queueFamilyIndex;
    vulkan_.Check(vulkan_.createCommandPool(vulkan_.handles.device, &info, nullptr, &pool_), "vkCreateCommandPool");
}

CommandPool::~CommandPool() {
    vulkan_.destroyCommandPool(vulkan_.handles.device, pool_, nullptr);
}

VkCommandBuffer CommandPool::Begin() {
    if (used_ == all_.size()) {
        VkCommandBufferAllocateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
        info.commandPool = pool_;
        info.commandBufferCount = 1;
        all_.reserve(all_.size() + 1);
        VkCommandBuffer commands = VK_NULL_HANDLE;
        vulkan_.Check(vulkan_.allocateCommandBuffers(vulkan_.handles.device, &info, &commands),
                      "vkAllocateCommandBuffers");
        all_.push_back(commands);
    }
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT; // a list may be executed again while it runs
    vulkan_.Check(vulkan_.beginCommandBuffer(all_[used_], &begin), "vkBeginCommandBuffer");
    return all_[used_++];
}

void CommandPool::Reset() {
    vulkan_.Check(vulkan_.resetCommandPool(vulkan_.handles.device, pool_, 0), "vkResetCommandPool");
    used_ = 0;
    ++generation_;
    Release();
}

} // namespace vkdml::d3d12
