/* Command queues and fences. */
#ifndef VKDML_DIRECTML_D3D12_QUEUE_HPP
#define VKDML_DIRECTML_D3D12_QUEUE_HPP

#include "commands.hpp"

namespace vkdml::d3d12 {

class Fence final : public Child<Fence, ID3D12Fence, ID3D12Pageable> {
  public:
    Fence(ID3D12Device *device, std::shared_ptr<Gpu> gpu, UINT64 value)
        : Child(device, std::move(gpu)), timeline_(std::make_shared<Timeline>(value)) {
    }

    /** UINT64_MAX once the device is removed. */
    UINT64 STDMETHODCALLTYPE GetCompletedValue() override {
        return gpu_->Value(*timeline_);
    }
    /** Without an event the call waits. An event is an eventfd, cast to HANDLE. */
    HRESULT STDMETHODCALLTYPE SetEventOnCompletion(UINT64 value, HANDLE event) override;
    HRESULT STDMETHODCALLTYPE Signal(UINT64 value) override;

    const std::shared_ptr<Timeline> &timeline() const noexcept {
        return timeline_;
    }

  private:
    const std::shared_ptr<Timeline> timeline_;
};

class CommandQueue final : public Child<CommandQueue, ID3D12CommandQueue, ID3D12Pageable> {
  public:
    CommandQueue(ID3D12Device *device, std::shared_ptr<Gpu> gpu, const D3D12_COMMAND_QUEUE_DESC &desc)
        : Child(device, std::move(gpu)), desc_(desc), stream_(gpu_->AddStream()) {
    }

    void STDMETHODCALLTYPE UpdateTileMappings(ID3D12Resource *, UINT, const D3D12_TILED_RESOURCE_COORDINATE *,
                                              const D3D12_TILE_REGION_SIZE *, ID3D12Heap *, UINT,
                                              const D3D12_TILE_RANGE_FLAGS *, const UINT *, const UINT *,
                                              D3D12_TILE_MAPPING_FLAGS) override {
        Refuse("ID3D12CommandQueue::UpdateTileMappings", "there are no tiled resources");
    }
    void STDMETHODCALLTYPE CopyTileMappings(ID3D12Resource *, const D3D12_TILED_RESOURCE_COORDINATE *, ID3D12Resource *,
                                            const D3D12_TILED_RESOURCE_COORDINATE *, const D3D12_TILE_REGION_SIZE *,
                                            D3D12_TILE_MAPPING_FLAGS) override {
        Refuse("ID3D12CommandQueue::CopyTileMappings", "there are no tiled resources");
    }
    void STDMETHODCALLTYPE ExecuteCommandLists(UINT count, ID3D12CommandList *const *lists) override;
    void STDMETHODCALLTYPE SetMarker(UINT, const void *, UINT) override {
    }
    void STDMETHODCALLTYPE BeginEvent(UINT, const void *, UINT) override {
    }
    void STDMETHODCALLTYPE EndEvent() override {
    }
    HRESULT STDMETHODCALLTYPE Signal(ID3D12Fence *fence, UINT64 value) override;
    HRESULT STDMETHODCALLTYPE Wait(ID3D12Fence *fence, UINT64 value) override;
    HRESULT STDMETHODCALLTYPE GetTimestampFrequency(UINT64 *frequency) override;
    HRESULT STDMETHODCALLTYPE GetClockCalibration(UINT64 *, UINT64 *) override {
        return Refuse("ID3D12CommandQueue::GetClockCalibration");
    }
    D3D12_COMMAND_QUEUE_DESC STDMETHODCALLTYPE GetDesc() override {
        return desc_;
    }

  private:
    HRESULT Enqueue(const char *method, ID3D12Fence *fence, UINT64 value, bool waits);

    const D3D12_COMMAND_QUEUE_DESC desc_;
    const std::shared_ptr<Stream> stream_;
};

} // namespace vkdml::d3d12

#endif
