/* ID3D12Device. */
#ifndef VKDML_DIRECTML_D3D12_DEVICE_HPP
#define VKDML_DIRECTML_D3D12_DEVICE_HPP

#include "queue.hpp"

namespace vkdml::d3d12 {

class DeviceObject;

/** The private interface of a device object, which owns it and has its references. */
class Private final : public abi::IVkdmlDevice {
  public:
    Private(DeviceObject *owner, std::shared_ptr<Gpu> gpu) : owner_(owner), gpu_(std::move(gpu)) {
    }
    HRESULT STDMETHODCALLTYPE QueryInterface(REFIID riid, void **ppv) override;
    ULONG STDMETHODCALLTYPE AddRef() override;
    ULONG STDMETHODCALLTYPE Release() override;
    VkdmlDevice STDMETHODCALLTYPE GetVkdmlDevice() override {
        return gpu_->vulkan().device;
    }
    VkBuffer STDMETHODCALLTYPE GetBuffer(ID3D12Resource *resource, UINT64 *offset) override;
    VkCommandBuffer STDMETHODCALLTYPE GetCommands(ID3D12CommandList *list) override;
    HRESULT STDMETHODCALLTYPE Keep(ID3D12CommandList *list, const std::shared_ptr<const void> &object) override;
    VkdmlBufferBinding STDMETHODCALLTYPE Copy(ID3D12CommandList *list, const VkdmlBufferBinding &from) override;
    HRESULT STDMETHODCALLTYPE Use(ID3D12CommandList *list, const VkdmlBufferBinding &range, UINT64 written) override;
    void STDMETHODCALLTYPE Barrier(ID3D12CommandList *list) override;

  private:
    DeviceObject *const owner_;
    const std::shared_ptr<Gpu> gpu_;
};

/** All devices of an adapter share one Gpu, and may use each other's objects. */
class DeviceObject final : public Object<DeviceObject, ID3D12Device> {
  public:
    DeviceObject(std::shared_ptr<Gpu> gpu, const VkdmlPhysicalDeviceInfo &info);

    HRESULT STDMETHODCALLTYPE QueryInterface(REFIID riid, void **ppv) override;

    UINT STDMETHODCALLTYPE GetNodeCount() override {
        return 1;
    }
    HRESULT STDMETHODCALLTYPE CreateCommandQueue(const D3D12_COMMAND_QUEUE_DESC *desc, REFIID riid,
                                                 void **ppv) override;
    HRESULT STDMETHODCALLTYPE CreateCommandAllocator(D3D12_COMMAND_LIST_TYPE type, REFIID riid, void **ppv) override;
    HRESULT STDMETHODCALLTYPE CreateGraphicsPipelineState(const D3D12_GRAPHICS_PIPELINE_STATE_DESC *, REFIID,
                                                          void **ppv) override;
    HRESULT STDMETHODCALLTYPE CreateComputePipelineState(const D3D12_COMPUTE_PIPELINE_STATE_DESC *, REFIID,
                                                         void **ppv) override;
    HRESULT STDMETHODCALLTYPE CreateCommandList(UINT nodeMask, D3D12_COMMAND_LIST_TYPE type,
                                                ID3D12CommandAllocator *allocator, ID3D12PipelineState *state,
                                                REFIID riid, void **ppv) override;
    HRESULT STDMETHODCALLTYPE CheckFeatureSupport(D3D12_FEATURE feature, void *data, UINT bytes) override;
    HRESULT STDMETHODCALLTYPE CreateDescriptorHeap(const D3D12_DESCRIPTOR_HEAP_DESC *desc, REFIID riid,
                                                   void **ppv) override;
    UINT STDMETHODCALLTYPE GetDescriptorHandleIncrementSize(D3D12_DESCRIPTOR_HEAP_TYPE) override {
        return sizeof(Descriptor);
    }
    HRESULT STDMETHODCALLTYPE CreateRootSignature(UINT, const void *, SIZE_T, REFIID, void **ppv) override;
    void STDMETHODCALLTYPE CreateConstantBufferView(const D3D12_CONSTANT_BUFFER_VIEW_DESC *,
                                                    D3D12_CPU_DESCRIPTOR_HANDLE) override;
    void STDMETHODCALLTYPE CreateShaderResourceView(ID3D12Resource *, const D3D12_SHADER_RESOURCE_VIEW_DESC *,
                                                    D3D12_CPU_DESCRIPTOR_HANDLE) override;
    void STDMETHODCALLTYPE CreateUnorderedAccessView(ID3D12Resource *resource, ID3D12Resource *counter,
                                                     const D3D12_UNORDERED_ACCESS_VIEW_DESC *desc,
                                                     D3D12_CPU_DESCRIPTOR_HANDLE handle) override;
    void STDMETHODCALLTYPE CreateRenderTargetView(ID3D12Resource *, const D3D12_RENDER_TARGET_VIEW_DESC *,
                                                  D3D12_CPU_DESCRIPTOR_HANDLE) override;
    void STDMETHODCALLTYPE CreateDepthStencilView(ID3D12Resource *, const D3D12_DEPTH_STENCIL_VIEW_DESC *,
                                                  D3D12_CPU_DESCRIPTOR_HANDLE) override;
    void STDMETHODCALLTYPE CreateSampler(const D3D12_SAMPLER_DESC *, D3D12_CPU_DESCRIPTOR_HANDLE) override;
    void STDMETHODCALLTYPE CopyDescriptors(UINT toRangeCount, const D3D12_CPU_DESCRIPTOR_HANDLE *toStarts,
                                           const UINT *toSizes, UINT fromRangeCount,
                                           const D3D12_CPU_DESCRIPTOR_HANDLE *fromStarts, const UINT *fromSizes,
                                           D3D12_DESCRIPTOR_HEAP_TYPE type) override;
    void STDMETHODCALLTYPE CopyDescriptorsSimple(UINT count, D3D12_CPU_DESCRIPTOR_HANDLE to,
                                                 D3D12_CPU_DESCRIPTOR_HANDLE from,
                                                 D3D12_DESCRIPTOR_HEAP_TYPE type) override;
    D3D12_RESOURCE_ALLOCATION_INFO STDMETHODCALLTYPE
    GetResourceAllocationInfo(UINT visibleMask, UINT count, const D3D12_RESOURCE_DESC *descs) override;
    D3D12_HEAP_PROPERTIES STDMETHODCALLTYPE GetCustomHeapProperties(UINT nodeMask, D3D12_HEAP_TYPE type) override;
    HRESULT STDMETHODCALLTYPE CreateCommittedResource(const D3D12_HEAP_PROPERTIES *properties, D3D12_HEAP_FLAGS flags,
                                                      const D3D12_RESOURCE_DESC *desc, D3D12_RESOURCE_STATES state,
                                                      const D3D12_CLEAR_VALUE *clear, REFIID riid, void **ppv) override;
    HRESULT STDMETHODCALLTYPE CreateHeap(const D3D12_HEAP_DESC *desc, REFIID riid, void **ppv) override;
    HRESULT STDMETHODCALLTYPE CreatePlacedResource(ID3D12Heap *heap, UINT64 offset, const D3D12_RESOURCE_DESC *desc,
                                                   D3D12_RESOURCE_STATES state, const D3D12_CLEAR_VALUE *clear,
                                                   REFIID riid, void **ppv) override;
    HRESULT STDMETHODCALLTYPE CreateReservedResource(const D3D12_RESOURCE_DESC *, D3D12_RESOURCE_STATES,
                                                     const D3D12_CLEAR_VALUE *, REFIID, void **ppv) override;
    HRESULT STDMETHODCALLTYPE CreateSharedHandle(ID3D12DeviceChild *, const SECURITY_ATTRIBUTES *, DWORD, LPCWSTR,
                                                 HANDLE *handle) override;
    HRESULT STDMETHODCALLTYPE OpenSharedHandle(HANDLE, REFIID, void **ppv) override;
    HRESULT STDMETHODCALLTYPE OpenSharedHandleByName(LPCWSTR, DWORD, HANDLE *handle) override;
    /** Memory is always resident. */
    HRESULT STDMETHODCALLTYPE MakeResident(UINT, ID3D12Pageable *const *) override {
        return ok;
    }
    HRESULT STDMETHODCALLTYPE Evict(UINT, ID3D12Pageable *const *) override {
        return ok;
    }
    HRESULT STDMETHODCALLTYPE CreateFence(UINT64 value, D3D12_FENCE_FLAGS flags, REFIID riid, void **ppv) override;
    HRESULT STDMETHODCALLTYPE GetDeviceRemovedReason() override {
        return gpu_->RemovedReason();
    }
    void STDMETHODCALLTYPE GetCopyableFootprints(const D3D12_RESOURCE_DESC *desc, UINT first, UINT count, UINT64 offset,
                                                 D3D12_PLACED_SUBRESOURCE_FOOTPRINT *layouts, UINT *rowCounts,
                                                 UINT64 *rowBytes, UINT64 *totalBytes) override;
    HRESULT STDMETHODCALLTYPE CreateQueryHeap(const D3D12_QUERY_HEAP_DESC *desc, REFIID riid, void **ppv) override;
    HRESULT STDMETHODCALLTYPE SetStablePowerState(BOOL) override {
        return Refuse("ID3D12Device::SetStablePowerState");
    }
    HRESULT STDMETHODCALLTYPE CreateCommandSignature(const D3D12_COMMAND_SIGNATURE_DESC *, ID3D12RootSignature *,
                                                     REFIID, void **ppv) override;
    void STDMETHODCALLTYPE GetResourceTiling(ID3D12Resource *, UINT *, D3D12_PACKED_MIP_INFO *, D3D12_TILE_SHAPE *,
                                             UINT *, UINT, D3D12_SUBRESOURCE_TILING *) override;
    LUID STDMETHODCALLTYPE GetAdapterLuid() override {
        return luid_;
    }

  private:
    template <typename Made, typename... Arguments>
    HRESULT Create(const char *method, REFIID riid, void **ppv, Arguments &&...arguments);

    const std::shared_ptr<Gpu> gpu_;
    const LUID luid_;
    const bool sharesMemory_; /**< with the host */
    Private private_;
};

/** Makes a device of an adapter. Throws vkdml::Error. */
HRESULT CreateDevice(const VkdmlPhysicalDeviceInfo &info, REFIID riid, void **ppv);

} // namespace vkdml::d3d12

#endif
