/* Memory that was never written, which Direct3D 12 promises to be zero.
 *
 * Filling memory costs as much as the operator that computes it, and clients create a resource for each tensor. So a
 * range is filled right before the first submission that uses it, and bytes that its first command writes are left
 * out: the output of a dispatch, the destination of a copy, a clear. A range that a command reads first is filled. */
#ifndef VKDML_DIRECTML_D3D12_UNWRITTEN_HPP
#define VKDML_DIRECTML_D3D12_UNWRITTEN_HPP

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "vulkan.hpp"

namespace vkdml::d3d12 {

/** Bytes of a buffer. */
struct Bytes {
    VkBuffer buffer;
    std::uint64_t first, end; /**< offsets in the buffer */
};

/** Ranges that were unwritten when a command list first used them, in the order of use. */
class FirstUses {
  public:
    FirstUses();

  private:
    friend class Unwritten;
    struct Use {
        VkBuffer buffer;
        std::uint64_t offset, id; /**< of the range */
        std::uint64_t first, end; /**< what the command writes */
    };
    const std::uint64_t recording_; /**< unique */
    std::vector<Use> uses_;
};

/** Thread-safe, but for the FirstUses of one command list. */
class Unwritten {
  public:
    /** Adds a range: both ends are multiples of 4. It overlaps no other. */
    void Add(const Bytes &range);
    /** Removes a range that begins there, if there is one. */
    void Remove(VkBuffer buffer, std::uint64_t first) noexcept;
    /** Notes that a command uses bytes. The first `written` of them are written whatever was in them; 0: the command
     * may read all. Allocates only if the bytes are in an unwritten range. */
    void Use(std::shared_ptr<FirstUses> &uses, const Bytes &bytes, std::uint64_t written);
    /** Called before a command list is submitted: appends what must be filled with 0 before. */
    void Submit(const FirstUses &uses, std::vector<Bytes> &fills);

  private:
    struct Range {
        std::uint64_t end, id;
        std::uint64_t recording; /**< the last that noted a use of it */
    };
    std::mutex mutex_;
    std::uint64_t count_ = 0; /**< of ranges that were ever added */
    std::map<std::pair<VkBuffer, std::uint64_t>, Range> ranges_;
};

} // namespace vkdml::d3d12

#endif
