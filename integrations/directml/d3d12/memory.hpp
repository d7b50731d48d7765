/* Memory of a device.
 *
 * Resources take ranges of large blocks. A block is one VkDeviceMemory with one VkBuffer over all of it, because a
 * process may have tens of thousands of tensors, and drivers allow about 4,096 allocations. A range of at most
 * sharedLimit bytes shares a block with others; a larger one has a block to itself.
 *
 * Free ranges are found by two-level segregated fit: a free chunk is in the list of its size class, and a chunk knows
 * its neighbors, so that taking and giving back cost the same however many ranges there are. Giving back allocates
 * nothing.
 *
 * Empty blocks stay for the next allocations, up to spareLimit bytes per kind of memory: a training step frees and
 * makes all its tensors. If the driver is out of memory, all empty blocks are freed and the allocation is retried.
 */
#ifndef VKDML_DIRECTML_D3D12_MEMORY_HPP
#define VKDML_DIRECTML_D3D12_MEMORY_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "unwritten.hpp"

namespace vkdml::d3d12 {

/** Who uses a range. */
enum class Use {
    Device,  /**< the GPU only */
    Upload,  /**< written by the host, read by the GPU */
    Readback /**< written by the GPU, read by the host */
};

class Memory;
struct Block;

/** A part of a block: free, or owned by a Range. */
struct Chunk {
    Block *block;
    std::uint64_t offset, bytes;
    Chunk *before, *after;  /**< neighbors in the block */
    Chunk *previous, *next; /**< in the list of a size class, while it is free */
    bool isFree;
};

/** Part of a block; gives it back when it is destroyed. */
class Range {
  public:
    Range(std::shared_ptr<Memory> memory, Chunk *chunk) noexcept;
    Range(const Range &) = delete;
    Range &operator=(const Range &) = delete;
    ~Range();

    const std::uint64_t offset; /**< in the buffer */
    const std::uint64_t bytes;
    const VkBuffer buffer;
    unsigned char *const mapped; /**< the range's first byte; NULL of Use::Device */

    /** A number for the first byte; those of two live ranges never overlap. Not an address of the GPU's. */
    std::uint64_t Address() const noexcept;

  private:
    const std::shared_ptr<Memory> memory_;
    Chunk *const chunk_;
};

/** Thread-safe. */
class Memory : public std::enable_shared_from_this<Memory> {
  public:
    explicit Memory(const Vulkan &vulkan);
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    ~Memory();

    /** Throws vkdml::Error. The contents are undefined. */
    std::shared_ptr<const Range> Allocate(Use use, std::uint64_t bytes);

    /** Ranges that count as zero until they are written. A range leaves it when it is destroyed. */
    Unwritten unwritten;

  private:
    friend class Range;
    static constexpr std::size_t classCount = 64 * 4, useCount = 3;
    using Classes = std::array<Chunk *, classCount>; /**< the first free chunk of each size class */

    std::shared_ptr<const Range> Take(Use use, std::uint64_t bytes);
    Chunk *FindShared(Use use, std::uint64_t bytes) const noexcept;
    Chunk *FindWhole(Use use, std::uint64_t bytes) const noexcept;
    Chunk *AddBlock(Use use, std::uint64_t bytes);
    Chunk *TryBlock(Use use, std::uint64_t bytes);
    void CreateBlock(Block &block);
    void CheckSize(const Block &block) const;
    void DestroyBlock(Block *block) noexcept;
    void DestroyVulkan(Block &block) noexcept;
    bool FreeSpares() noexcept;
    void Give(Chunk *chunk) noexcept;
    void GiveLocked(Chunk *chunk) noexcept;
    Chunk *Join(Chunk *first, Chunk *second) noexcept;
    void Link(Chunk *chunk) noexcept;
    void Unlink(Chunk *chunk) noexcept;
    int TypeFor(std::uint32_t allowed, Use use) const noexcept;

    const Vulkan &vulkan_;
    VkPhysicalDeviceMemoryProperties types_{};
    std::mutex mutex_;
    std::vector<std::unique_ptr<Block>> blocks_;       /**< by Block::index; NULL: the place is free */
    std::array<Classes, useCount> shared_{};           /**< free chunks of blocks that ranges share */
    std::array<std::uint64_t, useCount> spareBytes_{}; /**< of empty blocks */
};

} // namespace vkdml::d3d12

#endif
