/* A Vulkan device with what all objects of one ID3D12Device share: memory, submission, and the order of queues and
 * fences.
 *
 * Everything runs on one VkQueue, in the order in which it is submitted. A submission has a serial, 1 and up, and a
 * timeline semaphore counts the submissions that have finished. So a fence needs no object of Vulkan: a signal of a
 * command queue is a value that the fence gets when the serial of the queue's last submission has finished.
 *
 * An operation that waits for a signal which nobody has sent yet, and what follows on its command queue, stays on the
 * host until the signal is sent. */
#ifndef VKDML_DIRECTML_D3D12_GPU_HPP
#define VKDML_DIRECTML_D3D12_GPU_HPP

#include <atomic>
#include <condition_variable>
#include <deque>
#include <list>
#include <string>
#include <thread>

#include "memory.hpp"
#include "pool.hpp"

namespace vkdml::d3d12 {

/** The serial of a signal that nobody has sent. */
constexpr std::uint64_t unscheduled = UINT64_MAX;

/** The value of an ID3D12Fence. Thread-safe: clients poll fences while another thread submits with Gpu's lock. */
class Timeline {
  public:
    explicit Timeline(std::uint64_t value) : value_(value) {
    }

    /** The value once the GPU has finished `completed` submissions. Forgets the values before. */
    std::uint64_t Value(std::uint64_t completed) noexcept;
    /** The serial of the submission that reaches a value; 0: it is reached once the GPU has finished `completed`
     * submissions; `unscheduled`: none does. */
    std::uint64_t SerialOf(std::uint64_t value, std::uint64_t completed) noexcept;
    /** Sets the value when a submission has finished; serial 0: at once. Only with Gpu's lock. */
    void Schedule(std::uint64_t value, std::uint64_t serial);

  private:
    struct Pending {
        std::uint64_t value, serial;
    };
    std::uint64_t Reach(std::uint64_t completed) noexcept;

    std::mutex mutex_; /**< of all below; taken after Gpu's lock if both are */
    std::uint64_t value_;
    std::deque<Pending> pending_; /**< in the order of their serials */
};

/** Waits for a fence. A fence may be set to a lower value later: a wait that was reached once stays so. */
struct Wait {
    std::shared_ptr<Timeline> timeline;
    std::uint64_t value;
    std::uint64_t serial; /**< of the submission that reaches the value; `unscheduled`: not known yet */
    int event;            /**< an eventfd; -1: a thread waits */
};

/** A pending operation of a command queue. */
struct Operation {
    /** A command list to execute. */
    struct List {
        VkCommandBuffer commands;
        std::shared_ptr<CommandPool> pool;
        std::shared_ptr<const FirstUses> uses; /**< may be NULL */
    };
    std::vector<List> lists;
    std::shared_ptr<Timeline> timeline; /**< NULL: executes the lists */
    std::uint64_t value = 0;
    bool waits = false;                 /**< for the timeline; otherwise signals it */
    std::uint64_t serial = unscheduled; /**< of a wait, as in Wait */
};

/** Operations in order. All members are guarded by Gpu's lock. */
struct Stream {
    std::deque<Operation> operations;
    std::uint64_t serial = 0; /**< of the last submission that its next operation comes after */
};

/** Thread-safe. In a child of fork() the device counts as removed, and neither Vulkan nor a lock is touched: the threads
 * of the driver and those that held locks are not there. */
class Gpu {
  public:
    /** @param name the UUID of the device. Throws vkdml::Error. */
    explicit Gpu(const std::string &name);
    Gpu(const Gpu &) = delete;
    Gpu &operator=(const Gpu &) = delete;
    ~Gpu();

    const Vulkan &vulkan() const noexcept {
        return vulkan_;
    }
    Memory &memory() noexcept {
        return *memory_;
    }
    /** Throws vkdml::Error. The contents are zero unless `undefined`. */
    std::shared_ptr<const Range> Allocate(Use use, std::uint64_t bytes, bool undefined);

    std::shared_ptr<Stream> AddStream();
    /** A failed submission removes the device. */
    void Enqueue(Stream &stream, Operation operation);
    /** Removes the device: a call that returns nothing has failed. */
    void Remove(const char *reason) noexcept;
    /** Whether the GPU has not finished with command buffers of a pool. Takes no lock. */
    bool IsBusy(const CommandPool &pool) noexcept;
    /** Destroys a pool, once the GPU has finished with it. */
    void Retire(std::shared_ptr<CommandPool> pool) noexcept;

    /** UINT64_MAX once the device is removed. Does not wait for threads that submit. */
    std::uint64_t Value(Timeline &timeline) noexcept;
    void Signal(Timeline &timeline, std::uint64_t value);
    /** Waits on the calling thread, until the device is removed at most. */
    void WaitFor(const std::shared_ptr<Timeline> &timeline, std::uint64_t value);
    /** Adds 1 to an eventfd once the value is reached or the device is removed. */
    void Notify(const std::shared_ptr<Timeline> &timeline, std::uint64_t value, int event);

    /** S_OK, or why the device counts as removed. Takes no lock of this object. */
    HRESULT RemovedReason() noexcept;
    /** Whether this process is a child of one that had a device open at the fork. Vulkan's loader may then hang. */
    static bool IsOpenInParent() noexcept;
    /** Whether this process is a child of the one that opened the device. */
    bool IsForked() const noexcept {
        return forks_ != directml::detail::CountForks();
    }

  private:
    bool IsRemoved() const noexcept {
        return isLost_ || IsForked();
    }
    VkResult Query() noexcept;
    std::uint64_t Completed() noexcept;
    std::uint64_t CompletedUnlocked() noexcept;
    void Lose(const char *reason) noexcept;
    void Schedule(Timeline &timeline, std::uint64_t value, std::uint64_t serial);
    bool Advance(Stream &stream);
    void AdvanceAll() noexcept;
    void Submit(const Operation &operation);
    VkCommandBuffer RecordZeros(const std::vector<Bytes> &fills);
    std::shared_ptr<CommandPool> TakeZeroingPool();
    std::list<Wait>::iterator AddWait(const std::shared_ptr<Timeline> &timeline, std::uint64_t value, int event);
    static void SendEvent(int event) noexcept;
    void SendEvents() noexcept;
    void WatchEvents();
    void WaitForSerial(std::uint64_t serial) noexcept;

    Device device_;
    Vulkan vulkan_;
    std::shared_ptr<Memory> memory_;
    VkSemaphore progress_ = VK_NULL_HANDLE; /**< counts submissions that have finished */
    const unsigned forks_ = directml::detail::CountForks();
    std::atomic<std::uint64_t> completed_{0};
    std::atomic<bool> isLost_{false};

    std::mutex mutex_; /**< of all below */
    std::condition_variable changed_;
    std::uint64_t submitted_ = 0;
    bool isEnding_ = false;
    std::vector<std::shared_ptr<Stream>> streams_; /**< of a queue that was released: until it has done everything */
    std::list<Wait> waits_;
    std::thread watcher_;                  /**< writes eventfds; started by the first */
    std::shared_ptr<CommandPool> retired_; /**< the first */

    std::deque<std::shared_ptr<CommandPool>> zeroings_; /**< of commands that fill unwritten memory */
    std::vector<Bytes> fills_;                          /**< of a submission, and the next: kept for their memory */
    std::vector<VkCommandBuffer> submission_;
};

} // namespace vkdml::d3d12

#endif
