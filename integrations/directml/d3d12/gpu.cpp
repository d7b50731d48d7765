#include "gpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace vkdml::d3d12 {

using abi::AsHresult;
using abi::outOfMemory;

/* ---- fences ---- */

std::uint64_t Timeline::Reach(std::uint64_t completed) noexcept {
    while (!pending_.empty() && pending_.front().serial <= completed) {
        value_ = pending_.front().value;
        pending_.pop_front();
    }
    return value_;
}

std::uint64_t Timeline::Value(std::uint64_t completed) noexcept {
    const std::lock_guard<std::mutex> guard(mutex_);
    return Reach(completed);
}

std::uint64_t Timeline::SerialOf(std::uint64_t value, std::uint64_t completed) noexcept {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (Reach(completed) >= value) {
        return 0;
    }
    const auto found = std::find_if(pending_.begin(), pending_.end(),
                                    [value](const Pending &pending) { return pending.value >= value; });
    return found != pending_.end() ? found->serial : unscheduled;
}

void Timeline::Schedule(std::uint64_t value, std::uint64_t serial) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto later = std::find_if(pending_.begin(), pending_.end(),
                                    [serial](const Pending &pending) { return pending.serial > serial; });
    pending_.insert(later, {value, serial});
}

/* ---- the device ---- */

namespace {

VkdmlDeviceOpenInfo InfoFor(const std::string &name) {
    VkdmlDeviceOpenInfo info{};
    info.name = name.c_str();
    info.flags = VKDML_DEVICE_FLAG_ALLOW_TRANSFER;
    const char *const validates = std::getenv("VKDML_VALIDATION");
    if (validates != nullptr && std::strcmp(validates, "1") == 0) {
        info.flags |= VKDML_DEVICE_FLAG_VALIDATION;
    }
    info.logCallback = [](void *, VkdmlLogLevel, const char *message) { abi::Log("%s", message); };
    return info;
}

/** Devices that are open, and the forks before the last of them was opened. */
std::atomic<unsigned> openCount{0}, openForks{0};

} // namespace

bool Gpu::IsOpenInParent() noexcept {
    return openCount != 0 && openForks != directml::detail::CountForks();
}

Gpu::Gpu(const std::string &name)
    : device_(Device::open(InfoFor(name))), vulkan_(device_.get()), memory_(std::make_shared<Memory>(vulkan_)) {
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    info.pNext = &type;
    vulkan_.Check(vulkan_.createSemaphore(vulkan_.handles.device, &info, nullptr, &progress_), "vkCreateSemaphore");
    openForks = forks_;
    ++openCount;
}

/** All objects of the device hold a reference, so no other thread uses it. Waits for pending submissions. */
Gpu::~Gpu() {
    --openCount;
    {
        const std::lock_guard<std::mutex> guard(mutex_);
        isEnding_ = true;
        changed_.notify_all();
    }
    if (watcher_.joinable()) {
        watcher_.join();
    }
    vulkan_.deviceWaitIdle(vulkan_.handles.device);
    streams_.clear();
    while (retired_ != nullptr) {
        retired_ = std::shared_ptr<CommandPool>(std::move(retired_->nextRetired));
    }
    zeroings_.clear();
    memory_.reset();
    vulkan_.destroySemaphore(vulkan_.handles.device, progress_, nullptr);
}

/** Memory for the GPU is zeroed when it is used: see Unwritten. */
std::shared_ptr<const Range> Gpu::Allocate(Use use, std::uint64_t bytes, bool undefined) {
    if (IsForked()) {
        throw Error(VKDML_ERROR_DEVICE_LOST, "the process was forked after the device was opened");
    }
    std::shared_ptr<const Range> range = memory_->Allocate(use, bytes);
    if (!undefined && range->mapped != nullptr) {
        std::memset(range->mapped, 0, range->bytes);
    } else if (!undefined) {
        memory_->unwritten.Add({range->buffer, range->offset, range->offset + (bytes + 3) / 4 * 4});
    }
    return range;
}

HRESULT Gpu::RemovedReason() noexcept {
    return IsRemoved() ? abi::removed : AsHresult(vkdmlGetDeviceLostReason(device_.get()));
}

/** With the lock: removes the device, for DirectML too. Whoever waits stops waiting. */
void Gpu::Lose(const char *reason) noexcept {
    if (isLost_.exchange(true)) {
        return;
    }
    abi::Log("the device is removed: %s", reason);
    vkdmlReportDeviceLost(device_.get(), reason);
    changed_.notify_all();
}

void Gpu::Remove(const char *reason) noexcept {
    const std::lock_guard<std::mutex> guard(mutex_);
    Lose(reason);
}

/** Updates completed_. */
VkResult Gpu::Query() noexcept {
    std::uint64_t completed = 0;
    const VkResult result =
        IsRemoved() ? VK_SUCCESS : vulkan_.getSemaphoreCounterValue(vulkan_.handles.device, progress_, &completed);
    std::uint64_t known = completed_;
    while (result == VK_SUCCESS && completed > known && !completed_.compare_exchange_weak(known, completed)) {
    }
    return result;
}

/** With the lock: how many submissions have finished. All of them once the device is removed, so that nobody waits. */
std::uint64_t Gpu::Completed() noexcept {
    if (Query() == VK_ERROR_DEVICE_LOST) {
        Lose("vkGetSemaphoreCounterValue failed: VK_ERROR_DEVICE_LOST");
    }
    return IsRemoved() ? UINT64_MAX : completed_.load();
}

/** The same without the lock, which is only taken to remove the device. */
std::uint64_t Gpu::CompletedUnlocked() noexcept {
    if (Query() == VK_ERROR_DEVICE_LOST) {
        Remove("vkGetSemaphoreCounterValue failed: VK_ERROR_DEVICE_LOST");
    }
    return IsRemoved() ? UINT64_MAX : completed_.load();
}

/* ---- submission ---- */

/** With the lock: an idle pool for commands that fill unwritten memory. */
std::shared_ptr<CommandPool> Gpu::TakeZeroingPool() {
    if (!zeroings_.empty() && zeroings_.front()->serial <= Completed()) {
        std::shared_ptr<CommandPool> pool = std::move(zeroings_.front());
        zeroings_.pop_front();
        pool->Reset();
        return pool;
    }
    return std::make_shared<CommandPool>(vulkan_);
}

/** With the lock: commands that fill memory with 0 before the next submission. */
VkCommandBuffer Gpu::RecordZeros(const std::vector<Bytes> &fills) {
    const std::shared_ptr<CommandPool> pool = TakeZeroingPool();
    pool->serial = submitted_ + 1;
    zeroings_.push_back(pool);
    const VkCommandBuffer commands = pool->Begin();
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT; // of the ranges' earlier owners
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    vulkan_.cmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1,
                               &barrier, 0, nullptr, 0, nullptr);
    for (const Bytes &fill : fills) {
        vulkan_.cmdFillBuffer(commands, fill.buffer, fill.first, fill.end - fill.first, 0);
    }
    vulkan_.Check(vulkan_.endCommandBuffer(commands), "vkEndCommandBuffer");
    return commands;
}

/** With the lock. Throws vkdml::Error. */
void Gpu::Submit(const Operation &operation) {
    fills_.clear();
    submission_.clear();
    for (const Operation::List &list : operation.lists) {
        if (list.uses != nullptr) {
            memory_->unwritten.Submit(*list.uses, fills_);
        }
    }
    if (!fills_.empty()) {
        submission_.push_back(RecordZeros(fills_));
    }
    for (const Operation::List &list : operation.lists) {
        submission_.push_back(list.commands);
    }
    const std::uint64_t serial = submitted_ + 1;
    VkTimelineSemaphoreSubmitInfo timeline{};
    timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    timeline.signalSemaphoreValueCount = 1;
    timeline.pSignalSemaphoreValues = &serial;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &timeline;
    info.commandBufferCount = static_cast<std::uint32_t>(submission_.size());
    info.pCommandBuffers = submission_.data();
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &progress_;
    vulkan_.Check(vulkan_.queueSubmit(vulkan_.handles.queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    submitted_ = serial;
    for (const Operation::List &list : operation.lists) {
        list.pool->serial = serial; // before `queued`: IsBusy() reads them in the other order
        --list.pool->queued;
    }
}

/** With the lock: a fence gets a value. Finds who waits for it. */
void Gpu::Schedule(Timeline &timeline, std::uint64_t value, std::uint64_t serial) {
    timeline.Schedule(value, serial);
    const auto reach = [&](auto &wait) {
        if (wait.timeline.get() == &timeline && wait.value <= value && wait.serial == unscheduled) {
            wait.serial = serial;
        }
    };
    std::for_each(waits_.begin(), waits_.end(), reach);
    for (const std::shared_ptr<Stream> &stream : streams_) {
        if (!stream->operations.empty() && stream->operations.front().waits) {
            reach(stream->operations.front());
        }
    }
}

/** With the lock: runs operations up to the first that waits for a signal that nobody has sent. Returns whether it ran
 * any. */
bool Gpu::Advance(Stream &stream) {
    bool ran = false;
    for (; !stream.operations.empty(); ran = true) {
        Operation &operation = stream.operations.front();
        if (operation.timeline == nullptr) {
            Submit(operation);
            stream.serial = submitted_;
        } else if (!operation.waits) {
            Schedule(*operation.timeline, operation.value, stream.serial);
        } else {
            if (operation.serial == unscheduled) {
                operation.serial = operation.timeline->SerialOf(operation.value, Completed());
            }
            if (operation.serial == unscheduled) {
                break;
            }
            stream.serial = std::max(stream.serial, operation.serial);
        }
        stream.operations.pop_front();
    }
    return ran;
}

/** With the lock. A signal on one command queue may be what another waits for. */
void Gpu::AdvanceAll() noexcept {
    try {
        bool ran = true;
        while (ran && !isLost_) {
            ran = false;
            for (const std::shared_ptr<Stream> &stream : streams_) {
                ran = (!isLost_ && Advance(*stream)) || ran;
            }
        }
    } catch (const std::exception &error) {
        Lose(error.what());
    }
    for (const std::shared_ptr<Stream> &stream : streams_) {
        if (isLost_) {
            stream->operations.clear();
        }
    }
    changed_.notify_all();
}

std::shared_ptr<Stream> Gpu::AddStream() {
    auto stream = std::make_shared<Stream>();
    const std::lock_guard<std::mutex> guard(mutex_);
    streams_.erase(std::remove_if(streams_.begin(), streams_.end(),
                                  [](const std::shared_ptr<Stream> &other) {
                                      return other.use_count() == 1 && other->operations.empty();
                                  }),
                   streams_.end());
    streams_.push_back(stream);
    return stream;
}

void Gpu::Enqueue(Stream &stream, Operation operation) {
    if (IsRemoved()) {
        return;
    }
    const std::lock_guard<std::mutex> guard(mutex_);
    stream.operations.push_back(std::move(operation));
    for (const Operation::List &list : stream.operations.back().lists) {
        ++list.pool->queued;
    }
    AdvanceAll();
}

bool Gpu::IsBusy(const CommandPool &pool) noexcept {
    return pool.queued != 0 || (pool.serial > completed_ && pool.serial > CompletedUnlocked());
}

/** Also destroys pools retired earlier that are idle now, without the lock. The state of a removed device's submissions
 * is unknown, so its pools are destroyed with the device. */
void Gpu::Retire(std::shared_ptr<CommandPool> pool) noexcept {
    std::shared_ptr<CommandPool> idle;
    const auto move = [](std::shared_ptr<CommandPool> &from, std::shared_ptr<CommandPool> &to) {
        std::shared_ptr<CommandPool> moved = std::move(from);
        from = std::move(moved->nextRetired);
        moved->nextRetired = std::move(to);
        to = std::move(moved);
    };
    {
        const std::lock_guard<std::mutex> guard(mutex_);
        const std::uint64_t completed = Completed();
        std::shared_ptr<CommandPool> all = std::move(retired_);
        pool->nextRetired = std::move(all);
        all = std::move(pool);
        while (all != nullptr) {
            move(all, !isLost_ && all->queued == 0 && all->serial <= completed ? idle : retired_);
        }
    }
    while (idle != nullptr) { // one by one: no recursion
        idle = std::shared_ptr<CommandPool>(std::move(idle->nextRetired));
    }
}

/* ---- waiting ---- */

std::uint64_t Gpu::Value(Timeline &timeline) noexcept {
    const std::uint64_t completed = CompletedUnlocked();
    return IsRemoved() ? UINT64_MAX : timeline.Value(completed);
}

void Gpu::Signal(Timeline &timeline, std::uint64_t value) {
    if (IsForked()) {
        return;
    }
    const std::lock_guard<std::mutex> guard(mutex_);
    Schedule(timeline, value, 0);
    (void)timeline.Value(0);
    AdvanceAll();
}

/** Without the lock. */
void Gpu::WaitForSerial(std::uint64_t serial) noexcept {
    VkSemaphoreWaitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    info.semaphoreCount = 1;
    info.pSemaphores = &progress_;
    info.pValues = &serial;
    const VkResult result = vulkan_.waitSemaphores(vulkan_.handles.device, &info, UINT64_MAX);
    if (result != VK_SUCCESS) {
        const std::lock_guard<std::mutex> guard(mutex_);
        Lose(result == VK_ERROR_DEVICE_LOST ? "vkWaitSemaphores failed: VK_ERROR_DEVICE_LOST"
                                            : "vkWaitSemaphores failed");
    }
}

/** With the lock. */
std::list<Wait>::iterator Gpu::AddWait(const std::shared_ptr<Timeline> &timeline, std::uint64_t value, int event) {
    return waits_.insert(waits_.end(), {timeline, value, timeline->SerialOf(value, Completed()), event});
}

/** Takes the lock only if nobody has sent the signal yet. */
void Gpu::WaitFor(const std::shared_ptr<Timeline> &timeline, std::uint64_t value) {
    if (IsRemoved()) {
        return;
    }
    std::uint64_t serial = timeline->SerialOf(value, CompletedUnlocked());
    if (serial == unscheduled) {
        std::unique_lock<std::mutex> lock(mutex_);
        const auto wait = AddWait(timeline, value, -1);
        changed_.wait(lock, [&] { return isLost_ || wait->serial != unscheduled; });
        serial = wait->serial;
        waits_.erase(wait);
    }
    if (serial != unscheduled && serial > CompletedUnlocked()) {
        WaitForSerial(serial);
    }
}

/** Adds 1 to an eventfd. */
void Gpu::SendEvent(int event) noexcept {
    const std::uint64_t one = 1;
    if (write(event, &one, sizeof one) != sizeof one) {
        abi::Log("ID3D12Fence::SetEventOnCompletion: hEvent is not an eventfd");
    }
}

/** With the lock: writes the events whose values are reached. */
void Gpu::SendEvents() noexcept {
    const std::uint64_t completed = Completed();
    waits_.remove_if([&](const Wait &wait) {
        const bool isDone = wait.event >= 0 && (isLost_ || wait.serial <= completed);
        if (isDone) {
            SendEvent(wait.event);
        }
        return isDone;
    });
}

/** Looks after each submission: one that is waited for later may finish first. */
void Gpu::WatchEvents() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!isEnding_) {
        SendEvents();
        const bool runs = std::any_of(waits_.begin(), waits_.end(),
                                      [](const Wait &wait) { return wait.event >= 0 && wait.serial != unscheduled; });
        if (!runs) {
            changed_.wait(lock);
            continue;
        }
        const std::uint64_t next = std::min(Completed(), submitted_ - 1) + 1;
        lock.unlock();
        WaitForSerial(next);
        lock.lock();
    }
}

void Gpu::Notify(const std::shared_ptr<Timeline> &timeline, std::uint64_t value, int event) {
    if (IsForked()) {
        SendEvent(event);
        return;
    }
    const std::lock_guard<std::mutex> guard(mutex_);
    if (!watcher_.joinable()) {
        watcher_ = std::thread([this] { WatchEvents(); });
    }
    (void)AddWait(timeline, value, event);
    SendEvents();
    changed_.notify_all();
}

} // namespace vkdml::d3d12
