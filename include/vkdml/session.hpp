/**
 * @file session.hpp
 * @brief Optional: a device with buffers, uploads and a queue of its own, for small programs in C++17. vkdml.hpp
 * includes it, where there are exceptions.
 *
 * Once, on arrays of the host:
 *
 *     vkdml::Session session;
 *     session.run(desc, {a, b}, {sum}); // of std::vector, std::array, ..; by the order of the descriptor's tensors
 *
 * Or compiled once and called many times, on arrays that stay on the device:
 *
 *     vkdml::DeviceArray x = session.array(a), y = session.allocate(bytes);
 *     vkdml::Compiled layer = session.compile(desc);
 *     layer({x, weights}, {y});
 *     y.read(result);
 *
 * Each call submits one operator and waits for it. Programs that record many operators into one command buffer, or
 * share an application's Vulkan, use the handles of vkdml.hpp, and may take them from a session: Session::device().
 * Queue submits what they record and waits for it; a session has one too (Session::queue()).
 *
 * One thread at a time uses a session and what was made of it, which keeps alive what it needs of it. Nothing here
 * links Vulkan. Failures throw vkdml::Error.
 */
#ifndef VKDML_SESSION_HPP
#define VKDML_SESSION_HPP

#include "vkdml/vkdml.hpp"

#ifndef VKDML_HPP_NO_EXCEPTIONS
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace vkdml {

/** Elements in host memory that are read: of an array or a container in which they lie side by side. None: no tensor.
 */
struct ConstBytes {
    const void *data = nullptr; /**< the first */
    std::size_t size = 0;       /**< bytes */

    ConstBytes() noexcept = default;
    /** All of a container. */
    template <typename Elements, typename = decltype(std::data(std::declval<const Elements &>()))>
    ConstBytes(const Elements &elements) noexcept // NOLINT: meant to convert
        : data(std::data(elements)), size(std::size(elements) * sizeof *std::data(elements)) {
    }
};

/** Elements in host memory that are written. */
struct Bytes {
    void *data = nullptr; /**< the first */
    std::size_t size = 0; /**< bytes */

    Bytes() noexcept = default;
    /** All of a container. */
    template <typename Elements, typename = decltype(std::data(std::declval<Elements &>()))>
    Bytes(Elements &elements) noexcept // NOLINT: meant to convert
        : data(std::data(elements)), size(std::size(elements) * sizeof *std::data(elements)) {
    }
};

/** What stands behind sessions and queues. Not for programs. */
namespace detail {

/** Throws Error if a call of Vulkan failed. Reports a lost device to the library. */
inline void checkVulkan(VkdmlDevice device, VkResult result, const char *call) {
    if (result == VK_SUCCESS) {
        return;
    }
    const std::string reason = std::string(call) + " failed: VkResult " + std::to_string(result);
    if (result == VK_ERROR_DEVICE_LOST) {
        (void)vkdmlReportDeviceLost(device, reason.c_str());
    }
    throw Error(result == VK_ERROR_DEVICE_LOST            ? VKDML_ERROR_DEVICE_LOST
                : result == VK_ERROR_OUT_OF_DEVICE_MEMORY ? VKDML_ERROR_OUT_OF_DEVICE_MEMORY
                : result == VK_ERROR_OUT_OF_HOST_MEMORY   ? VKDML_ERROR_OUT_OF_HOST_MEMORY
                                                          : VKDML_ERROR_DRIVER,
                reason);
}

/** The Vulkan objects of a device. Throws Error. */
inline VkdmlVulkanHandles handlesOf(VkdmlDevice device) {
    VkdmlVulkanHandles handles{};
    check(vkdmlGetVulkanHandles(device, &handles));
    return handles;
}

/** Finds functions of Vulkan. */
class Functions {
  public:
    explicit Functions(const VkdmlVulkanHandles &handles) : handles_(handles) {
        getDeviceProcAddr_ = instance<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr");
    }
    template <typename Function> Function instance(const char *name) const {
        return reinterpret_cast<Function>(handles_.getInstanceProcAddr(handles_.instance, name));
    }
    template <typename Function> void load(Function &function, const char *name) const {
        function = reinterpret_cast<Function>(getDeviceProcAddr_(handles_.device, name));
    }

  private:
    const VkdmlVulkanHandles &handles_;
    PFN_vkGetDeviceProcAddr getDeviceProcAddr_;
};
} // namespace detail

/**
 * Submits commands to a queue of a device and waits for them. Owns one command buffer, which it records anew for each
 * submission.
 *
 *     vkdml::Queue queue(device);
 *     queue.submit([&](VkCommandBuffer commands) { device.recordDispatch(commands, compiled, table); });
 *
 * One thread at a time uses it, and as ever in Vulkan one thread at a time submits to the same VkQueue.
 */
class Queue {
  public:
    /**
     * @param device lent: it outlives the queue
     * @param queue  of the device's queueFamilyIndex; VK_NULL_HANDLE: the one of an opened device. An imported device
     *               has none, so it must be given.
     */
    explicit Queue(VkdmlDevice device, VkQueue queue = VK_NULL_HANDLE)
        : device_(device), handles_(detail::handlesOf(device)), queue_(queue ? queue : handles_.queue) {
        if (!queue_) {
            throw Error(VKDML_ERROR_INVALID_ARGUMENT,
                        "queue is VK_NULL_HANDLE, must be a queue: the device was not opened by vkdmlOpenDevice()");
        }
        const detail::Functions functions(handles_);
        functions.load(createCommandPool_, "vkCreateCommandPool");
        functions.load(destroyCommandPool_, "vkDestroyCommandPool");
        functions.load(resetCommandPool_, "vkResetCommandPool");
        functions.load(allocateCommandBuffers_, "vkAllocateCommandBuffers");
        functions.load(beginCommandBuffer_, "vkBeginCommandBuffer");
        functions.load(endCommandBuffer_, "vkEndCommandBuffer");
        functions.load(cmdPipelineBarrier_, "vkCmdPipelineBarrier");
        functions.load(queueSubmit_, "vkQueueSubmit");
        functions.load(queueWaitIdle_, "vkQueueWaitIdle");
        VkCommandPoolCreateInfo poolInfo{};
        poolInfo.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
        poolInfo.queueFamilyIndex = handles_.queueFamilyIndex;
        check(createCommandPool_(handles_.device, &poolInfo, nullptr, &pool_), "vkCreateCommandPool");
        VkCommandBufferAllocateInfo commandsInfo{};
        commandsInfo.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
        commandsInfo.commandPool = pool_;
        commandsInfo.commandBufferCount = 1;
        const VkResult result = allocateCommandBuffers_(handles_.device, &commandsInfo, &commands_);
        if (result != VK_SUCCESS) {
            destroyCommandPool_(handles_.device, pool_, nullptr);
            check(result, "vkAllocateCommandBuffers");
        }
    }
    /** The same for a handle of vkdml.hpp. */
    explicit Queue(const Device &device, VkQueue queue = VK_NULL_HANDLE) : Queue(device.get(), queue) {
    }

    Queue(const Queue &) = delete;
    Queue &operator=(const Queue &) = delete;

    ~Queue() {
        destroyCommandPool_(handles_.device, pool_, nullptr);
    }

    /**
     * Records commands by a function of a VkCommandBuffer, submits them and waits. Afterwards all results are visible
     * to the host and to later submissions; barriers between the commands are the function's. Where the function
     * throws nothing is submitted.
     */
    template <typename Record> void submit(Record record) {
        check(resetCommandPool_(handles_.device, pool_, 0), "vkResetCommandPool"); // ends a recording that threw
        VkCommandBufferBeginInfo begin{};
        begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
        check(beginCommandBuffer_(commands_, &begin), "vkBeginCommandBuffer");
        record(commands_);
        VkMemoryBarrier barrier{};
        barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
        barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
        barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
        cmdPipelineBarrier_(commands_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                            VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                            nullptr, 0, nullptr);
        check(endCommandBuffer_(commands_), "vkEndCommandBuffer");
        VkSubmitInfo info{};
        info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        info.commandBufferCount = 1;
        info.pCommandBuffers = &commands_;
        check(queueSubmit_(queue_, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
        check(queueWaitIdle_(queue_), "vkQueueWaitIdle");
    }

  private:
    void check(VkResult result, const char *call) const {
        detail::checkVulkan(device_, result, call);
    }

    VkdmlDevice device_;
    VkdmlVulkanHandles handles_;
    VkQueue queue_;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    PFN_vkCreateCommandPool createCommandPool_ = nullptr;
    PFN_vkDestroyCommandPool destroyCommandPool_ = nullptr;
    PFN_vkResetCommandPool resetCommandPool_ = nullptr;
    PFN_vkAllocateCommandBuffers allocateCommandBuffers_ = nullptr;
    PFN_vkBeginCommandBuffer beginCommandBuffer_ = nullptr;
    PFN_vkEndCommandBuffer endCommandBuffer_ = nullptr;
    PFN_vkCmdPipelineBarrier cmdPipelineBarrier_ = nullptr;
    PFN_vkQueueSubmit queueSubmit_ = nullptr;
    PFN_vkQueueWaitIdle queueWaitIdle_ = nullptr;
};

namespace detail {

/** A device and its queue, with as much of Vulkan as buffers and copies take. */
class Context {
  public:
    explicit Context(const VkdmlDeviceOpenInfo &info)
        : device(Device::open(info)), queue(device), handles(device.vulkanHandles()) {
        const Functions functions(handles);
        functions.instance<PFN_vkGetPhysicalDeviceMemoryProperties>("vkGetPhysicalDeviceMemoryProperties")(
            handles.physicalDevice, &types);
        functions.load(createBuffer, "vkCreateBuffer");
        functions.load(destroyBuffer, "vkDestroyBuffer");
        functions.load(getBufferMemoryRequirements, "vkGetBufferMemoryRequirements");
        functions.load(allocateMemory, "vkAllocateMemory");
        functions.load(freeMemory, "vkFreeMemory");
        functions.load(bindBufferMemory, "vkBindBufferMemory");
        functions.load(mapMemory, "vkMapMemory");
        functions.load(cmdCopyBuffer, "vkCmdCopyBuffer");
    }

    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    void checkVulkan(VkResult result, const char *call) const {
        detail::checkVulkan(device.get(), result, call);
    }

    /** The first type of memory, of those that are allowed, with all of these properties; -1: none. */
    [[nodiscard]] int memoryType(std::uint32_t allowed, VkMemoryPropertyFlags wanted) const noexcept {
        for (std::uint32_t i = 0; i < types.memoryTypeCount; i++) {
            if ((allowed & 1u << i) != 0 && (types.memoryTypes[i].propertyFlags & wanted) == wanted) {
                return static_cast<int>(i);
            }
        }
        return -1;
    }

    Device device;
    Queue queue;
    VkdmlVulkanHandles handles;
    VkPhysicalDeviceMemoryProperties types{};
    PFN_vkCreateBuffer createBuffer = nullptr;
    PFN_vkDestroyBuffer destroyBuffer = nullptr;
    PFN_vkGetBufferMemoryRequirements getBufferMemoryRequirements = nullptr;
    PFN_vkAllocateMemory allocateMemory = nullptr;
    PFN_vkFreeMemory freeMemory = nullptr;
    PFN_vkBindBufferMemory bindBufferMemory = nullptr;
    PFN_vkMapMemory mapMemory = nullptr;
    PFN_vkCmdCopyBuffer cmdCopyBuffer = nullptr;
};

/** A buffer with memory of its own, of the device or that the host sees. */
class Buffer {
  public:
    Buffer(std::shared_ptr<Context> owner, std::uint64_t size, bool forHost)
        : context(std::move(owner)), bytes(std::max<std::uint64_t>((size + 3) / 4 * 4, 4)) {
        try {
            create(forHost);
        } catch (...) {
            destroy();
            throw;
        }
    }

    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    ~Buffer() {
        destroy();
    }

    std::shared_ptr<Context> context;
    std::uint64_t bytes;
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void *mapped = nullptr; /**< where the host sees it */

  private:
    void create(bool forHost) {
        VkBufferCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
        info.size = bytes;
        info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
        info.usage |= forHost ? 0 : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
        const VkDevice vulkan = context->handles.device;
        context->checkVulkan(context->createBuffer(vulkan, &info, nullptr, &buffer), "vkCreateBuffer");
        VkMemoryRequirements needs{};
        context->getBufferMemoryRequirements(vulkan, buffer, &needs);
        const VkMemoryPropertyFlags visible =
            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
        const VkMemoryPropertyFlags cached = visible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
        const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, any = 0;
        int type = context->memoryType(needs.memoryTypeBits, forHost ? cached : local);
        if (type < 0) { // of the others Vulkan promises that there is one
            type = context->memoryType(needs.memoryTypeBits, forHost ? visible : any);
        }
        VkMemoryAllocateInfo allocation{};
        allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
        allocation.allocationSize = needs.size;
        allocation.memoryTypeIndex = static_cast<std::uint32_t>(type);
        context->checkVulkan(context->allocateMemory(vulkan, &allocation, nullptr, &memory), "vkAllocateMemory");
        context->checkVulkan(context->bindBufferMemory(vulkan, buffer, memory, 0), "vkBindBufferMemory");
        // A processor's own memory, or one that a GPU shares with it, needs no copies.
        if (forHost || (shares_memory && (context->types.memoryTypes[type].propertyFlags & cached) == cached)) {
            context->checkVulkan(context->mapMemory(vulkan, memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
        }
    }

    void destroy() noexcept {
        context->destroyBuffer(context->handles.device, buffer, nullptr);
        context->freeMemory(context->handles.device, memory, nullptr);
    }

#ifdef VKDML_SESSION_ALWAYS_COPIES /* for tests where all memory is the host's */
    static constexpr bool shares_memory = false;
#else
    static constexpr bool shares_memory = true;
#endif
};
} // namespace detail

/** Bytes on a device. A copy is the same bytes, which live as long as one of them. Empty: no tensor. */
class DeviceArray {
  public:
    /** Holds nothing. */
    DeviceArray() noexcept = default;

    /** How many: as many as were asked for, rounded up to a multiple of 4. */
    [[nodiscard]] std::uint64_t bytes() const noexcept {
        return buffer_ ? buffer_->bytes : 0;
    }

    /** Copies elements of the host to the first bytes. */
    void write(ConstBytes elements) {
        checkSize(elements.size);
        if (elements.size == 0) {
            return;
        }
        if (buffer_->mapped) {
            std::memcpy(buffer_->mapped, elements.data, elements.size);
            return;
        }
        const detail::Buffer seen(buffer_->context, elements.size, true);
        std::memcpy(seen.mapped, elements.data, elements.size);
        copy(seen.buffer, buffer_->buffer, elements.size);
    }

    /** Copies the first bytes to elements of the host. */
    void read(Bytes elements) const {
        checkSize(elements.size);
        if (elements.size == 0) {
            return;
        }
        if (buffer_->mapped) {
            std::memcpy(elements.data, buffer_->mapped, elements.size);
            return;
        }
        const detail::Buffer seen(buffer_->context, elements.size, true);
        copy(buffer_->buffer, seen.buffer, elements.size);
        std::memcpy(elements.data, seen.mapped, elements.size);
    }

    /** All of it, for a binding table. */
    [[nodiscard]] VkdmlBufferBinding binding() const noexcept {
        VkdmlBufferBinding binding{};
        if (buffer_) {
            binding.buffer = buffer_->buffer;
            binding.size = buffer_->bytes;
        }
        return binding;
    }

  private:
    friend class Session;
    friend class Compiled;
    explicit DeviceArray(std::shared_ptr<detail::Buffer> buffer) noexcept : buffer_(std::move(buffer)) {
    }

    void checkSize(std::size_t size) const {
        if (size > bytes()) {
            throw Error(VKDML_ERROR_INVALID_ARGUMENT, "the host's elements are " + std::to_string(size) +
                                                          " bytes, must be at most the array's " +
                                                          std::to_string(bytes()));
        }
    }

    /* Whole words, as the buffers are. */
    void copy(VkBuffer from, VkBuffer to, std::size_t size) const {
        detail::Context &context = *buffer_->context;
        const VkBufferCopy region{0, 0, (size + 3) / 4 * 4};
        context.queue.submit([&](VkCommandBuffer commands) { context.cmdCopyBuffer(commands, from, to, 1, &region); });
    }

    std::shared_ptr<detail::Buffer> buffer_;
};

namespace detail {
/** A weight store whose pages are buffers. */
class StoredWeights {
  public:
    explicit StoredWeights(std::shared_ptr<Context> owner) : context(std::move(owner)) {
        VkdmlWeightStoreCreateInfo info{};
        info.structSize = sizeof info;
        info.allocatePage = allocatePage;
        info.freePage = freePage;
        info.userData = this;
        check(vkdmlCreateWeightStore(context->device.get(), &info, store.put()));
    }

    StoredWeights(const StoredWeights &) = delete;
    StoredWeights &operator=(const StoredWeights &) = delete;

    std::shared_ptr<Context> context;
    std::mutex lock; /**< from compiling until initializers have run */
    std::map<VkBuffer, std::unique_ptr<Buffer>> pages;
    WeightStore store; /* destroyed first: it gives its pages back */

  private:
    static VkdmlResult allocatePage(void *data, std::uint64_t bytes, VkdmlBufferBinding *page) noexcept {
        StoredWeights &weights = *static_cast<StoredWeights *>(data);
        try {
            auto made = std::make_unique<Buffer>(weights.context, bytes, false);
            *page = {made->buffer, 0, made->bytes};
            weights.pages[made->buffer] = std::move(made);
            return VKDML_SUCCESS;
        } catch (const Error &error) {
            return error.result();
        } catch (...) {
            return VKDML_ERROR_OUT_OF_HOST_MEMORY;
        }
    }

    static void freePage(void *data, const VkdmlBufferBinding *page) noexcept {
        static_cast<StoredWeights *>(data)->pages.erase(page->buffer);
    }
};
} // namespace detail

/**
 * Constant inputs of graphs, packed once for all graphs of a session that are compiled with them: a weight store
 * (weights.h). A copy is the same store, which lives as long as one of them or a graph that was compiled with it.
 * Thread-safe.
 */
class Weights {
  public:
    /** What it holds. */
    [[nodiscard]] VkdmlWeightStoreInfo info() const {
        VkdmlWeightStoreInfo facts{};
        check(vkdmlGetWeightStoreInfo(stored_->store.get(), &facts));
        return facts;
    }

    /** Gives back the memory that no compiled graph uses. */
    void trim() const {
        const std::lock_guard<std::mutex> guard(stored_->lock);
        check(vkdmlTrimWeightStore(stored_->store.get()));
    }

  private:
    friend class Compiled;
    friend class Session;
    explicit Weights(std::shared_ptr<detail::StoredWeights> stored) noexcept : stored_(std::move(stored)) {
    }

    std::shared_ptr<detail::StoredWeights> stored_;
};

/** An operator that is compiled for a session's device, to be called many times. Moves and does not copy. */
class Compiled {
  public:
    /**
     * Runs it and waits. Arrays are in the order of the descriptor's tensors, an empty one ({}) for a tensor that is
     * absent or that the operator owns; those of a descriptor's array of tensors take one each.
     */
    void operator()(const std::vector<DeviceArray> &inputs, const std::vector<DeviceArray> &outputs) {
        run(dispatchable_, table_, inputs, outputs);
    }

  private:
    friend class Session;
    Compiled(std::shared_ptr<detail::Context> context, const DML_OPERATOR_DESC &desc, std::vector<DeviceArray> owned,
             DML_EXECUTION_FLAGS executionFlags, VkdmlCompileFlags flags)
        : Compiled(context, context->device.createOperator(desc).compile(executionFlags, flags), std::move(owned)) {
    }
    Compiled(std::shared_ptr<detail::Context> context, Dispatchable dispatchable, std::vector<DeviceArray> owned)
        : context_(std::move(context)), dispatchable_(std::move(dispatchable)) {
        const VkdmlBindingProperties properties = dispatchable_.bindingProperties();
        table_ = context_->device.createBindingTable(dispatchable_);
        temporary_ = resource(properties.temporaryResourceSize);
        table_.bindTemporaryResource(temporary_.binding());
        persistent_ = resource(properties.persistentResourceSize);
        table_.bindPersistentResource(persistent_.binding());
        if (properties.persistentResourceSize > 0) {
            const Dispatchable initializer = context_->device.createOperatorInitializer({dispatchable_.get()});
            BindingTable table = context_->device.createBindingTable(initializer);
            const DeviceArray temporary = resource(initializer.bindingProperties().temporaryResourceSize);
            table.bindTemporaryResource(temporary.binding());
            if (owned.empty()) {
                owned.resize(properties.inputCount);
            }
            run(initializer, table, owned, {persistent_});
        }
    }

    /* A graph with a weight store; the store's lock is held. */
    Compiled(std::shared_ptr<detail::StoredWeights> stored, const DML_GRAPH_DESC &desc, const VkdmlCompileInfo &info,
             const std::vector<DeviceArray> &owned)
        : context_(stored->context), stored_(std::move(stored)) {
        check(vkdmlCompileGraph(context_->device.get(), &desc, &info, dispatchable_.put()));
        for (Dispatchable part = missing(); part; part = missing()) {
            initialize(part, owned);
        }
        table_ = context_->device.createBindingTable(dispatchable_);
        temporary_ = resource(dispatchable_.bindingProperties().temporaryResourceSize);
        table_.bindTemporaryResource(temporary_.binding());
    }

    /* The next initializer, or none. */
    [[nodiscard]] Dispatchable missing() const {
        Dispatchable part;
        check(vkdmlCreateWeightInitializer(dispatchable_.get(), 0, part.put()));
        return part;
    }

    void initialize(const Dispatchable &part, const std::vector<DeviceArray> &owned) {
        const VkdmlBindingProperties properties = part.bindingProperties();
        std::uint32_t count = properties.inputCount;
        std::vector<std::uint32_t> indices(count);
        check(vkdmlGetWeightInitializerInputs(part.get(), &count, indices.data()));
        std::vector<DeviceArray> inputs(properties.inputCount);
        for (std::uint32_t i = 0; i < count; i++) {
            if (indices[i] < owned.size()) {
                inputs[indices[i]] = owned[indices[i]];
            }
        }
        BindingTable table = context_->device.createBindingTable(part);
        const DeviceArray temporary = resource(properties.temporaryResourceSize);
        table.bindTemporaryResource(temporary.binding());
        try {
            run(part, table, inputs, {});
        } catch (...) {
            vkdmlResetWeightInitializer(part.get());
            throw;
        }
    }

    [[nodiscard]] DeviceArray resource(std::uint64_t size) const {
        return size > 0 ? DeviceArray(std::make_shared<detail::Buffer>(context_, size, false)) : DeviceArray();
    }

    void run(const Dispatchable &dispatchable, BindingTable &table, const std::vector<DeviceArray> &inputs,
             const std::vector<DeviceArray> &outputs) {
        table.bindInputs(bindings(inputs));
        table.bindOutputs(bindings(outputs));
        context_->queue.submit(
            [&](VkCommandBuffer commands) { context_->device.recordDispatch(commands, dispatchable, table); });
    }

    static std::vector<VkdmlBufferBinding> bindings(const std::vector<DeviceArray> &arrays) {
        std::vector<VkdmlBufferBinding> all;
        for (const DeviceArray &array : arrays) {
            all.push_back(array.binding());
        }
        return all;
    }

    /* Destroyed in the opposite order. */
    std::shared_ptr<detail::Context> context_;
    std::shared_ptr<detail::StoredWeights> stored_;
    DeviceArray temporary_, persistent_;
    Dispatchable dispatchable_;
    BindingTable table_;
};

/** A device, with what runs operators on it. */
class Session {
  public:
    /** Opens one as Device::open() does: the best, or the one that the environment variable VKDML_DEVICE names. */
    explicit Session(const VkdmlDeviceOpenInfo &info = {}) : context_(std::make_shared<detail::Context>(info)) {
    }

    /** Its device, for all that has no member here. */
    [[nodiscard]] const Device &device() const noexcept {
        return context_->device;
    }

    /** Its queue: records many operators into one command buffer, on bindings of arrays (DeviceArray::binding()). */
    [[nodiscard]] Queue &queue() const noexcept {
        return context_->queue;
    }

    /** So many bytes on the device, whose values are not defined yet. */
    [[nodiscard]] DeviceArray allocate(std::uint64_t bytes) const {
        return DeviceArray(std::make_shared<detail::Buffer>(context_, bytes, false));
    }

    /** A copy of the host's elements on the device. */
    [[nodiscard]] DeviceArray array(ConstBytes elements) const {
        DeviceArray made = allocate(elements.size);
        made.write(elements);
        return made;
    }

    /**
     * Compiles an operator, and initializes it where it needs that.
     *
     * @param desc           the operator, copied
     * @param owned          the inputs flagged DML_TENSOR_FLAG_OWNED_BY_DML, in the places of the descriptor's inputs,
     *                       empty ones for the others; none where there is none. They are needed no more afterwards.
     * @param executionFlags as DirectML's CompileOperator() takes them
     * @param flags          more of them, vkdml's
     */
    [[nodiscard]] Compiled compile(const DML_OPERATOR_DESC &desc, const std::vector<DeviceArray> &owned = {},
                                   DML_EXECUTION_FLAGS executionFlags = DML_EXECUTION_FLAG_NONE,
                                   VkdmlCompileFlags flags = 0) const {
        return Compiled(context_, desc, owned, executionFlags, flags);
    }

    /** Takes what is compiled for this device already, a graph for example (graph.hpp), and initializes it likewise. */
    [[nodiscard]] Compiled compile(Dispatchable compiled, const std::vector<DeviceArray> &owned = {}) const {
        return Compiled(context_, std::move(compiled), owned);
    }

    /** An empty weight store on the session's device, for graphs that share constant inputs. */
    [[nodiscard]] Weights weights() const {
        return Weights(std::make_shared<detail::StoredWeights>(context_));
    }

    /**
     * Compiles a graph whose constant inputs are in a weight store, and initializes those that are not there yet.
     *
     * @param desc    the graph (vkdml::dml::Graph::Describe()), copied
     * @param weights of this session
     * @param ids     by GraphInputIndex: which weight an input flagged DML_TENSOR_FLAG_OWNED_BY_DML is; equal ids,
     *                equal bytes. 0: no other graph has it
     * @param owned   by GraphInputIndex: these inputs, at least those that the store does not have; empty arrays for
     *                the others. They are needed no more afterwards.
     * @param executionFlags as DirectML's CompileGraph() takes them
     * @param flags          more of them, vkdml's
     */
    [[nodiscard]] Compiled compile(const DML_GRAPH_DESC &desc, const Weights &weights,
                                   const std::vector<std::uint64_t> &ids, const std::vector<DeviceArray> &owned = {},
                                   DML_EXECUTION_FLAGS executionFlags = DML_EXECUTION_FLAG_NONE,
                                   VkdmlCompileFlags flags = 0) const {
        VkdmlCompileInfo info{};
        info.structSize = sizeof info;
        info.executionFlags = executionFlags;
        info.flags = flags;
        info.weightStore = weights.stored_->store.get();
        info.weightIdCount = static_cast<std::uint32_t>(ids.size());
        info.weightIds = ids.data();
        const std::lock_guard<std::mutex> guard(weights.stored_->lock);
        return Compiled(weights.stored_, desc, info, owned);
    }

    /**
     * Runs an operator once, on arrays of the host in the order of the descriptor's tensors; {} for one that is absent.
     * Of the outputs, bytes that belong to no element keep their value.
     */
    void run(const DML_OPERATOR_DESC &desc, const std::vector<ConstBytes> &inputs, const std::vector<Bytes> &outputs,
             DML_EXECUTION_FLAGS executionFlags = DML_EXECUTION_FLAG_NONE, VkdmlCompileFlags flags = 0) const {
        Compiled compiled = compile(desc, {}, executionFlags, flags);
        std::vector<DeviceArray> in, out;
        for (const ConstBytes &elements : inputs) {
            in.push_back(elements.data ? array(elements) : DeviceArray());
        }
        for (const Bytes &elements : outputs) {
            DeviceArray made;
            if (elements.data) {
                made = allocate(elements.size);
                ConstBytes before;
                before.data = elements.data;
                before.size = elements.size;
                made.write(before);
            }
            out.push_back(made);
        }
        compiled(in, out);
        for (std::size_t i = 0; i < outputs.size(); i++) {
            if (outputs[i].data) {
                out[i].read(outputs[i]);
            }
        }
    }

  private:
    std::shared_ptr<detail::Context> context_;
};

} // namespace vkdml

#endif /* VKDML_HPP_NO_EXCEPTIONS */
#endif /* VKDML_SESSION_HPP */
