#include "queue.hpp"

namespace vkdml::d3d12 {

HRESULT STDMETHODCALLTYPE Fence::SetEventOnCompletion(UINT64 value, HANDLE event) {
    return Guard("ID3D12Fence::SetEventOnCompletion", [&] {
        if (event == nullptr) {
            gpu_->WaitFor(timeline_, value);
        } else {
            gpu_->Notify(timeline_, value, static_cast<int>(reinterpret_cast<std::intptr_t>(event)));
        }
        return ok;
    });
}

HRESULT STDMETHODCALLTYPE Fence::Signal(UINT64 value) {
    return Guard("ID3D12Fence::Signal", [&] {
        gpu_->Signal(*timeline_, value);
        return ok;
    });
}

void STDMETHODCALLTYPE CommandQueue::ExecuteCommandLists(UINT count, ID3D12CommandList *const *lists) {
    static const char method[] = "ID3D12CommandQueue::ExecuteCommandLists";
    const HRESULT result = Guard(method, [&] {
        Operation operation;
        operation.lists.reserve(lists != nullptr ? count : 0);
        for (UINT i = 0; i < count; ++i) {
            const auto *const list = lists != nullptr ? static_cast<CommandList *>(lists[i]) : nullptr;
            const VkCommandBuffer commands = list != nullptr && list->IsOf(gpu_) ? list->Closed() : VK_NULL_HANDLE;
            if (commands == VK_NULL_HANDLE) {
                abi::Log("%s: a list is NULL, another device's, open, failed in Close(), or its allocator was reset; "
                         "nothing is executed",
                         method);
                return invalid;
            }
            operation.lists.push_back({commands, list->pool(), list->uses()});
        }
        if (count != 0) {
            gpu_->Enqueue(*stream_, std::move(operation));
        }
        return ok;
    });
    if (result == outOfMemory) {
        gpu_->Remove("out of memory in ID3D12CommandQueue::ExecuteCommandLists");
    }
}

HRESULT CommandQueue::Enqueue(const char *method, ID3D12Fence *fence, UINT64 value, bool waits) {
    const auto *const own = static_cast<Fence *>(fence);
    if (own == nullptr || !own->IsOf(gpu_)) {
        abi::Log("%s: pFence is NULL or another device's", method);
        return invalid;
    }
    return Guard(method, [&] {
        Operation operation;
        operation.timeline = own->timeline();
        operation.value = value;
        operation.waits = waits;
        gpu_->Enqueue(*stream_, std::move(operation));
        return gpu_->RemovedReason();
    });
}

HRESULT STDMETHODCALLTYPE CommandQueue::Signal(ID3D12Fence *fence, UINT64 value) {
    return Enqueue("ID3D12CommandQueue::Signal", fence, value, false);
}

HRESULT STDMETHODCALLTYPE CommandQueue::Wait(ID3D12Fence *fence, UINT64 value) {
    return Enqueue("ID3D12CommandQueue::Wait", fence, value, true);
}

HRESULT STDMETHODCALLTYPE CommandQueue::GetTimestampFrequency(UINT64 *frequency) {
    if (frequency == nullptr) {
        return invalid;
    }
    return Guard("ID3D12CommandQueue::GetTimestampFrequency", [&] {
        *frequency = gpu_->vulkan().TimestampFrequency();
        return *frequency != 0 ? ok : failed;
    });
}

} // namespace vkdml::d3d12
