#include "memory.hpp"

#include <algorithm>

namespace vkdml::d3d12 {

namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t blockBytes = 64 * mebibyte;
constexpr std::uint64_t sharedLimit = 16 * mebibyte;
constexpr std::uint64_t spareLimit = 512 * mebibyte;

/** DirectML asks for 16 bytes (DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT); 256 is Vulkan's greatest limit. */
constexpr std::uint64_t alignment = 256;

std::uint64_t RoundUp(std::uint64_t bytes, std::uint64_t to) {
    return (bytes + to - 1) / to * to;
}

/** The size of a block of one range: in steps, so that similar ranges reuse it, and never that of a shared block. */
std::uint64_t WholeBytes(std::uint64_t bytes) {
    const std::uint64_t rounded = RoundUp(bytes, mebibyte);
    return rounded == blockBytes ? rounded + mebibyte : rounded;
}

/** Four classes for each power of two. */
std::size_t ClassOf(std::uint64_t bytes) noexcept {
    std::size_t power = 0;
    while (bytes >> power >= 8) {
        ++power;
    }
    return power * 4 + (bytes >> power & 3);
}

} // namespace

/** A VkDeviceMemory with a VkBuffer over all of it. */
struct Block {
    std::size_t index;
    Use use;
    std::uint64_t bytes;
    Chunk *first = nullptr; /**< in address order */
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkBuffer buffer = VK_NULL_HANDLE;
    unsigned char *mapped = nullptr;

    /** Whether ranges share it; otherwise all of it is one range. */
    bool IsShared() const noexcept {
        return bytes == blockBytes;
    }
    bool IsEmpty() const noexcept {
        return first->isFree && first->after == nullptr;
    }
};

/* ---- ranges ---- */

Range::Range(std::shared_ptr<Memory> memory, Chunk *chunk) noexcept
    : offset(chunk->offset), bytes(chunk->bytes), buffer(chunk->block->buffer),
      mapped(chunk->block->mapped != nullptr ? chunk->block->mapped + chunk->offset : nullptr),
      memory_(std::move(memory)), chunk_(chunk) {
}

Range::~Range() {
    if (mapped == nullptr) {
        memory_->unwritten.Remove(buffer, offset);
    }
    memory_->Give(chunk_);
}

std::uint64_t Range::Address() const noexcept {
    return (std::uint64_t{chunk_->block->index} + 1) << 40 | offset;
}

/* ---- allocation ---- */

Memory::Memory(const Vulkan &vulkan) : vulkan_(vulkan) {
    vulkan_.getPhysicalDeviceMemoryProperties(vulkan_.handles.physicalDevice, &types_);
}

Memory::~Memory() {
    for (const std::unique_ptr<Block> &block : blocks_) {
        if (block != nullptr) {
            DestroyBlock(block.get());
        }
    }
}

std::shared_ptr<const Range> Memory::Allocate(Use use, std::uint64_t bytes) {
    if (bytes > INT64_MAX) { // beyond any device, and what follows cannot overflow
        throw Error(VKDML_ERROR_OUT_OF_DEVICE_MEMORY, "out of memory: " + std::to_string(bytes) + " bytes");
    }
    const std::lock_guard<std::mutex> guard(mutex_);
    return Take(use, RoundUp(std::max<std::uint64_t>(bytes, 1), alignment));
}

/** With the lock. */
std::shared_ptr<const Range> Memory::Take(Use use, std::uint64_t bytes) {
    auto rest = std::make_unique<Chunk>(); // everything that may throw comes before the first change
    const bool shares = bytes <= sharedLimit;
    const std::uint64_t whole = shares ? blockBytes : WholeBytes(bytes);
    Chunk *chunk = shares ? FindShared(use, bytes) : FindWhole(use, bytes);
    if (chunk == nullptr) {
        chunk = AddBlock(use, whole);
    }
    Block &block = *chunk->block;
    if (block.IsEmpty()) {
        spareBytes_[static_cast<std::size_t>(use)] -= block.bytes;
    }
    Unlink(chunk);
    if (shares && chunk->bytes > bytes) {
        *rest = {&block, chunk->offset + bytes, chunk->bytes - bytes, chunk, chunk->after, nullptr, nullptr, true};
        if (chunk->after != nullptr) {
            chunk->after->before = rest.get();
        }
        chunk->bytes = bytes;
        chunk->after = rest.get();
        Link(rest.release());
    }
    chunk->isFree = false;
    try {
        return std::make_shared<const Range>(shared_from_this(), chunk);
    } catch (...) {
        GiveLocked(chunk);
        throw;
    }
}

/** A free chunk of a shared block that suffices: of the range's own class if one of the first fits, or of a class whose
 * chunks all do. NULL: there is none. */
Chunk *Memory::FindShared(Use use, std::uint64_t bytes) const noexcept {
    const Classes &classes = shared_[static_cast<std::size_t>(use)];
    const std::size_t own = ClassOf(bytes);
    int tries = 16;
    for (Chunk *chunk = classes[own]; chunk != nullptr && tries > 0; chunk = chunk->next, --tries) {
        if (chunk->bytes >= bytes) {
            return chunk;
        }
    }
    const auto larger = std::find_if(classes.begin() + static_cast<std::ptrdiff_t>(own) + 1, classes.end(),
                                     [](const Chunk *chunk) { return chunk != nullptr; });
    return larger != classes.end() ? *larger : nullptr;
}

/** The smallest empty block of one range that suffices and is at most a quarter larger. NULL: there is none. */
Chunk *Memory::FindWhole(Use use, std::uint64_t bytes) const noexcept {
    Chunk *best = nullptr;
    for (const std::unique_ptr<Block> &block : blocks_) {
        if (block != nullptr && block->use == use && !block->IsShared() && block->IsEmpty() && block->bytes >= bytes &&
            block->bytes <= bytes + bytes / 4 && (best == nullptr || block->bytes < best->bytes)) {
            best = block->first;
        }
    }
    return best;
}

/* ---- giving back ---- */

void Memory::Give(Chunk *chunk) noexcept {
    const std::lock_guard<std::mutex> guard(mutex_);
    GiveLocked(chunk);
}

void Memory::GiveLocked(Chunk *chunk) noexcept {
    chunk->isFree = true;
    if (chunk->after != nullptr && chunk->after->isFree) {
        Unlink(chunk->after);
        chunk = Join(chunk, chunk->after);
    }
    if (chunk->before != nullptr && chunk->before->isFree) {
        Unlink(chunk->before);
        chunk = Join(chunk->before, chunk);
    }
    Link(chunk);
    Block *const block = chunk->block;
    if (block->IsEmpty()) {
        std::uint64_t &spare = spareBytes_[static_cast<std::size_t>(block->use)];
        spare += block->bytes;
        if (spare > spareLimit) {
            DestroyBlock(block);
        }
    }
}

/** Makes one chunk of two that are not in a list. */
Chunk *Memory::Join(Chunk *first, Chunk *second) noexcept {
    first->bytes += second->bytes;
    first->after = second->after;
    if (first->after != nullptr) {
        first->after->before = first;
    }
    delete second;
    return first;
}

/** Puts a free chunk into the list of its class. A block of one range is in none. */
void Memory::Link(Chunk *chunk) noexcept {
    if (!chunk->block->IsShared()) {
        return;
    }
    Chunk *&first = shared_[static_cast<std::size_t>(chunk->block->use)][ClassOf(chunk->bytes)];
    chunk->previous = nullptr;
    chunk->next = first;
    if (first != nullptr) {
        first->previous = chunk;
    }
    first = chunk;
}

void Memory::Unlink(Chunk *chunk) noexcept {
    if (!chunk->block->IsShared()) {
        return;
    }
    if (chunk->next != nullptr) {
        chunk->next->previous = chunk->previous;
    }
    if (chunk->previous != nullptr) {
        chunk->previous->next = chunk->next;
    } else {
        shared_[static_cast<std::size_t>(chunk->block->use)][ClassOf(chunk->bytes)] = chunk->next;
    }
}

/* ---- blocks ---- */

/** The free chunk of a new block. */
Chunk *Memory::AddBlock(Use use, std::uint64_t bytes) {
    try {
        return TryBlock(use, bytes);
    } catch (const Error &error) {
        const bool isOut =
            error.result() == VKDML_ERROR_OUT_OF_DEVICE_MEMORY || error.result() == VKDML_ERROR_OUT_OF_HOST_MEMORY;
        if (!isOut || !FreeSpares()) {
            throw;
        }
    }
    return TryBlock(use, bytes);
}

Chunk *Memory::TryBlock(Use use, std::uint64_t bytes) {
    const auto unused = std::find(blocks_.begin(), blocks_.end(), nullptr);
    const std::size_t index = static_cast<std::size_t>(unused - blocks_.begin());
    if (unused == blocks_.end()) {
        blocks_.emplace_back();
    }
    auto block = std::make_unique<Block>(Block{index, use, bytes});
    auto chunk = std::make_unique<Chunk>(Chunk{block.get(), 0, bytes, nullptr, nullptr, nullptr, nullptr, true});
    try {
        CreateBlock(*block);
    } catch (...) {
        DestroyVulkan(*block);
        throw;
    }
    block->first = chunk.release();
    blocks_[index] = std::move(block);
    spareBytes_[static_cast<std::size_t>(use)] += bytes;
    Link(blocks_[index]->first);
    return blocks_[index]->first;
}

void Memory::CreateBlock(Block &block) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = block.bytes;
    info.usage =
        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    CheckSize(block);
    vulkan_.Check(vulkan_.createBuffer(vulkan_.handles.device, &info, nullptr, &block.buffer), "vkCreateBuffer");
    VkMemoryRequirements needs{};
    vulkan_.getBufferMemoryRequirements(vulkan_.handles.device, block.buffer, &needs);
    const int type = TypeFor(needs.memoryTypeBits, block.use);
    if (type < 0) {
        throw Error(VKDML_ERROR_OUT_OF_DEVICE_MEMORY, "the device has no memory of the requested kind");
    }
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = static_cast<std::uint32_t>(type);
    vulkan_.Check(vulkan_.allocateMemory(vulkan_.handles.device, &allocation, nullptr, &block.memory),
                  "vkAllocateMemory");
    vulkan_.Check(vulkan_.bindBufferMemory(vulkan_.handles.device, block.buffer, block.memory, 0),
                  "vkBindBufferMemory");
    if (block.use != Use::Device) {
        void *mapped = nullptr;
        vulkan_.Check(vulkan_.mapMemory(vulkan_.handles.device, block.memory, 0, VK_WHOLE_SIZE, 0, &mapped),
                      "vkMapMemory");
        block.mapped = static_cast<unsigned char *>(mapped);
    }
}

/** Refuses what is larger than the heap: Vulkan does not allow to ask for it. Throws vkdml::Error. */
void Memory::CheckSize(const Block &block) const {
    const int type = TypeFor(UINT32_MAX, block.use);
    const std::uint64_t heap = type >= 0 ? types_.memoryHeaps[types_.memoryTypes[type].heapIndex].size : 0;
    if (block.bytes > heap) {
        throw Error(VKDML_ERROR_OUT_OF_DEVICE_MEMORY,
                    "out of memory: " + std::to_string(block.bytes) + " bytes; the heap has " + std::to_string(heap));
    }
}

void Memory::DestroyVulkan(Block &block) noexcept {
    vulkan_.destroyBuffer(vulkan_.handles.device, block.buffer, nullptr);
    vulkan_.freeMemory(vulkan_.handles.device, block.memory, nullptr);
}

/** An empty one. */
void Memory::DestroyBlock(Block *block) noexcept {
    spareBytes_[static_cast<std::size_t>(block->use)] -= block->bytes;
    Unlink(block->first);
    delete block->first;
    DestroyVulkan(*block);
    blocks_[block->index].reset();
}

/** Destroys all empty blocks. Returns whether there were any. */
bool Memory::FreeSpares() noexcept {
    bool any = false;
    for (const std::unique_ptr<Block> &block : blocks_) {
        if (block != nullptr && block->IsEmpty()) {
            DestroyBlock(block.get());
            any = true;
        }
    }
    return any;
}

/** Vulkan promises device-local memory, and host-visible, coherent memory. Types with other properties need features or
 * are for images. */
int Memory::TypeFor(std::uint32_t allowed, Use use) const noexcept {
    const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    const VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryPropertyFlags cached = visible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    const VkMemoryPropertyFlags wishes[useCount][2] = {{local, 0}, {visible, visible}, {cached, visible}};
    for (const VkMemoryPropertyFlags wish : wishes[static_cast<std::size_t>(use)]) {
        for (std::uint32_t i = 0; i < types_.memoryTypeCount; ++i) {
            const VkMemoryPropertyFlags flags = types_.memoryTypes[i].propertyFlags;
            if ((allowed >> i & 1) != 0 && (flags & wish) == wish && (flags & ~(local | cached)) == 0) {
                return static_cast<int>(i);
            }
        }
    }
    return -1;
}

} // namespace vkdml::d3d12
