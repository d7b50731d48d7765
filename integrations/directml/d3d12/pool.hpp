/* Command buffers, and the objects that what is recorded in them uses. A command allocator owns a pool; a submission
 * refers to it, so that the pool outlives the submission even if a client releases the allocator too early. */
#ifndef VKDML_DIRECTML_D3D12_POOL_HPP
#define VKDML_DIRECTML_D3D12_POOL_HPP

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "vulkan.hpp"

namespace vkdml::d3d12 {

/** One thread at a time, but for what Gpu's lock guards. */
class CommandPool {
  public:
    /** @param vulkan outlives the pool. Throws vkdml::Error. */
    explicit CommandPool(const Vulkan &vulkan);
    CommandPool(const CommandPool &) = delete;
    CommandPool &operator=(const CommandPool &) = delete;
    ~CommandPool();

    /** A command buffer that is being recorded. Throws vkdml::Error. */
    VkCommandBuffer Begin();
    /** Takes back all command buffers, and releases what is kept. Throws vkdml::Error. */
    void Reset();
    /** Keeps an object until Reset(). */
    void Keep(std::shared_ptr<const void> object) {
        kept_.insert(std::move(object));
    }
    /** Releases what is kept. */
    void Release() noexcept {
        kept_.clear();
    }
    /** Counts resets: a command buffer of an earlier generation must not be submitted. */
    std::uint64_t generation() const noexcept {
        return generation_;
    }

    /* Written with Gpu's lock: */
    std::atomic<std::uint32_t> queued{0}; /**< operations of command queues that have not been submitted yet */
    std::atomic<std::uint64_t> serial{0}; /**< of the last submission */
    std::shared_ptr<CommandPool> nextRetired;

  private:
    const Vulkan &vulkan_;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    std::vector<VkCommandBuffer> all_;
    std::size_t used_ = 0;
    std::uint64_t generation_ = 0;
    std::set<std::shared_ptr<const void>> kept_;
};

} // namespace vkdml::d3d12

#endif
