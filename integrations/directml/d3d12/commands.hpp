/* Command allocators and lists. */
#ifndef VKDML_DIRECTML_D3D12_COMMANDS_HPP
#define VKDML_DIRECTML_D3D12_COMMANDS_HPP

#include <algorithm>
#include <atomic>

#include "descriptors.hpp"

namespace vkdml::d3d12 {

/** Timestamps. Throws vkdml::Error where the queue has none. */
class QueryHeap final : public Child<QueryHeap, ID3D12QueryHeap, ID3D12Pageable> {
  public:
    /** Throws vkdml::Error. */
    QueryHeap(ID3D12Device *device, std::shared_ptr<Gpu> gpu, const D3D12_QUERY_HEAP_DESC &desc);
    ~QueryHeap();

    VkQueryPool pool() const noexcept {
        return pool_;
    }
    UINT count() const noexcept {
        return count_;
    }
    /** A timestamp is recorded: only then it can be read without waiting for ever. */
    void SetWritten(UINT index) noexcept {
        written_[index] = true;
    }
    bool AreWritten(UINT first, UINT count) const noexcept {
        return std::all_of(&written_[first], &written_[first] + count,
                           [](const auto &written) { return written.load(); });
    }

  private:
    const UINT count_;
    const std::unique_ptr<std::atomic<bool>[]> written_;
    VkQueryPool pool_ = VK_NULL_HANDLE;
};

/** A pool of command buffers. One thread at a time. */
class CommandAllocator final : public Child<CommandAllocator, ID3D12CommandAllocator, ID3D12Pageable> {
  public:
    /** Throws vkdml::Error. */
    CommandAllocator(ID3D12Device *device, std::shared_ptr<Gpu> gpu, D3D12_COMMAND_LIST_TYPE type);
    ~CommandAllocator();

    HRESULT STDMETHODCALLTYPE Reset() override;

    D3D12_COMMAND_LIST_TYPE type() const noexcept {
        return type_;
    }
    const std::shared_ptr<CommandPool> &pool() const noexcept {
        return pool_;
    }
    /** Called by lists: only one is open at a time. */
    void SetOpen(bool open) noexcept {
        open_ = open;
    }
    bool IsOpen() const noexcept {
        return open_;
    }

  private:
    const D3D12_COMMAND_LIST_TYPE type_;
    std::shared_ptr<CommandPool> pool_;
    bool open_ = false;
};

/**
 * Records into one command buffer. Barriers are collected and recorded before the next command that reads or writes
 * memory: a barrier of any kind is one for all memory. Copies and clears wait for earlier ones that use the same bytes,
 * as they do in Direct3D 12, where a resource in the state COPY_DEST needs no barrier between copies. Between copies
 * and DirectML's dispatches there is always a barrier: buffers change their state without one.
 */
class CommandList final : public Child<CommandList, ID3D12GraphicsCommandList, ID3D12CommandList> {
  public:
    /** Begins recording. Throws vkdml::Error. */
    CommandList(ID3D12Device *device, std::shared_ptr<Gpu> gpu, CommandAllocator *allocator);
    ~CommandList();

    D3D12_COMMAND_LIST_TYPE STDMETHODCALLTYPE GetType() override {
        return type_;
    }
    HRESULT STDMETHODCALLTYPE Close() override;
    HRESULT STDMETHODCALLTYPE Reset(ID3D12CommandAllocator *allocator, ID3D12PipelineState *state) override;
    void STDMETHODCALLTYPE ClearState(ID3D12PipelineState *state) override;
    void STDMETHODCALLTYPE CopyBufferRegion(ID3D12Resource *to, UINT64 toOffset, ID3D12Resource *from,
                                            UINT64 fromOffset, UINT64 bytes) override;
    void STDMETHODCALLTYPE CopyResource(ID3D12Resource *to, ID3D12Resource *from) override;
    void STDMETHODCALLTYPE ResourceBarrier(UINT count, const D3D12_RESOURCE_BARRIER *barriers) override;
    void STDMETHODCALLTYPE SetDescriptorHeaps(UINT count, ID3D12DescriptorHeap *const *heaps) override;
    void STDMETHODCALLTYPE ClearUnorderedAccessViewUint(D3D12_GPU_DESCRIPTOR_HANDLE gpuHandle,
                                                        D3D12_CPU_DESCRIPTOR_HANDLE cpuHandle, ID3D12Resource *resource,
                                                        const UINT values[4], UINT rectCount,
                                                        const D3D12_RECT *rects) override;
    void STDMETHODCALLTYPE ClearUnorderedAccessViewFloat(D3D12_GPU_DESCRIPTOR_HANDLE gpuHandle,
                                                         D3D12_CPU_DESCRIPTOR_HANDLE cpuHandle,
                                                         ID3D12Resource *resource, const FLOAT values[4],
                                                         UINT rectCount, const D3D12_RECT *rects) override;
    void STDMETHODCALLTYPE EndQuery(ID3D12QueryHeap *heap, D3D12_QUERY_TYPE type, UINT index) override;
    void STDMETHODCALLTYPE ResolveQueryData(ID3D12QueryHeap *heap, D3D12_QUERY_TYPE type, UINT first, UINT count,
                                            ID3D12Resource *to, UINT64 offset) override;
    /** Markers and events are for debuggers; vkdml labels its own commands. */
    void STDMETHODCALLTYPE SetMarker(UINT, const void *, UINT) override {
    }
    void STDMETHODCALLTYPE BeginEvent(UINT, const void *, UINT) override {
    }
    void STDMETHODCALLTYPE EndEvent() override {
    }
    void STDMETHODCALLTYPE DiscardResource(ID3D12Resource *, const D3D12_DISCARD_REGION *) override {
    }

    /* Methods that need shaders, pipelines or textures: the list fails with E_NOTIMPL in Close(). */
    void STDMETHODCALLTYPE DrawInstanced(UINT, UINT, UINT, UINT) override;
    void STDMETHODCALLTYPE DrawIndexedInstanced(UINT, UINT, UINT, INT, UINT) override;
    void STDMETHODCALLTYPE Dispatch(UINT, UINT, UINT) override;
    void STDMETHODCALLTYPE CopyTextureRegion(const D3D12_TEXTURE_COPY_LOCATION *, UINT, UINT, UINT,
                                             const D3D12_TEXTURE_COPY_LOCATION *, const D3D12_BOX *) override;
    void STDMETHODCALLTYPE CopyTiles(ID3D12Resource *, const D3D12_TILED_RESOURCE_COORDINATE *,
                                     const D3D12_TILE_REGION_SIZE *, ID3D12Resource *, UINT64,
                                     D3D12_TILE_COPY_FLAGS) override;
    void STDMETHODCALLTYPE ResolveSubresource(ID3D12Resource *, UINT, ID3D12Resource *, UINT, DXGI_FORMAT) override;
    void STDMETHODCALLTYPE IASetPrimitiveTopology(D3D12_PRIMITIVE_TOPOLOGY) override;
    void STDMETHODCALLTYPE RSSetViewports(UINT, const D3D12_VIEWPORT *) override;
    void STDMETHODCALLTYPE RSSetScissorRects(UINT, const D3D12_RECT *) override;
    void STDMETHODCALLTYPE OMSetBlendFactor(const FLOAT[4]) override;
    void STDMETHODCALLTYPE OMSetStencilRef(UINT) override;
    void STDMETHODCALLTYPE SetPipelineState(ID3D12PipelineState *) override;
    void STDMETHODCALLTYPE ExecuteBundle(ID3D12GraphicsCommandList *) override;
    void STDMETHODCALLTYPE SetComputeRootSignature(ID3D12RootSignature *) override;
    void STDMETHODCALLTYPE SetGraphicsRootSignature(ID3D12RootSignature *) override;
    void STDMETHODCALLTYPE SetComputeRootDescriptorTable(UINT, D3D12_GPU_DESCRIPTOR_HANDLE) override;
    void STDMETHODCALLTYPE SetGraphicsRootDescriptorTable(UINT, D3D12_GPU_DESCRIPTOR_HANDLE) override;
    void STDMETHODCALLTYPE SetComputeRoot32BitConstant(UINT, UINT, UINT) override;
    void STDMETHODCALLTYPE SetGraphicsRoot32BitConstant(UINT, UINT, UINT) override;
    void STDMETHODCALLTYPE SetComputeRoot32BitConstants(UINT, UINT, const void *, UINT) override;
    void STDMETHODCALLTYPE SetGraphicsRoot32BitConstants(UINT, UINT, const void *, UINT) override;
    void STDMETHODCALLTYPE SetComputeRootConstantBufferView(UINT, D3D12_GPU_VIRTUAL_ADDRESS) override;
    void STDMETHODCALLTYPE SetGraphicsRootConstantBufferView(UINT, D3D12_GPU_VIRTUAL_ADDRESS) override;
    void STDMETHODCALLTYPE SetComputeRootShaderResourceView(UINT, D3D12_GPU_VIRTUAL_ADDRESS) override;
    void STDMETHODCALLTYPE SetGraphicsRootShaderResourceView(UINT, D3D12_GPU_VIRTUAL_ADDRESS) override;
    void STDMETHODCALLTYPE SetComputeRootUnorderedAccessView(UINT, D3D12_GPU_VIRTUAL_ADDRESS) override;
    void STDMETHODCALLTYPE SetGraphicsRootUnorderedAccessView(UINT, D3D12_GPU_VIRTUAL_ADDRESS) override;
    void STDMETHODCALLTYPE IASetIndexBuffer(const D3D12_INDEX_BUFFER_VIEW *) override;
    void STDMETHODCALLTYPE IASetVertexBuffers(UINT, UINT, const D3D12_VERTEX_BUFFER_VIEW *) override;
    void STDMETHODCALLTYPE SOSetTargets(UINT, UINT, const D3D12_STREAM_OUTPUT_BUFFER_VIEW *) override;
    void STDMETHODCALLTYPE OMSetRenderTargets(UINT, const D3D12_CPU_DESCRIPTOR_HANDLE *, BOOL,
                                              const D3D12_CPU_DESCRIPTOR_HANDLE *) override;
    void STDMETHODCALLTYPE ClearDepthStencilView(D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_CLEAR_FLAGS, FLOAT, UINT8, UINT,
                                                 const D3D12_RECT *) override;
    void STDMETHODCALLTYPE ClearRenderTargetView(D3D12_CPU_DESCRIPTOR_HANDLE, const FLOAT[4], UINT,
                                                 const D3D12_RECT *) override;
    void STDMETHODCALLTYPE BeginQuery(ID3D12QueryHeap *, D3D12_QUERY_TYPE, UINT) override;
    void STDMETHODCALLTYPE SetPredication(ID3D12Resource *, UINT64, D3D12_PREDICATION_OP) override;
    void STDMETHODCALLTYPE ExecuteIndirect(ID3D12CommandSignature *, UINT, ID3D12Resource *, UINT64, ID3D12Resource *,
                                           UINT64) override;

    /** The command buffer for a dispatch while the list is open, with all barriers recorded; otherwise
     * VK_NULL_HANDLE. */
    VkCommandBuffer RecordDispatch();
    /** Returns the command buffer to submit, or VK_NULL_HANDLE if the list is open, has failed, or its allocator was
     * reset. */
    VkCommandBuffer Closed() const noexcept {
        return open_ || result_ != ok || pool_->generation() != generation_ ? VK_NULL_HANDLE : commands_;
    }
    const std::shared_ptr<CommandPool> &pool() const noexcept {
        return pool_;
    }
    /** Unwritten memory that it uses; may be NULL. */
    const std::shared_ptr<FirstUses> &uses() const noexcept {
        return uses_;
    }
    /** Notes what the next command uses: see Unwritten. Throws std::bad_alloc. */
    void Use(const Bytes &bytes, std::uint64_t written) {
        gpu_->memory().unwritten.Use(uses_, bytes, written);
    }
    /** Records a copy into memory that the pool keeps, after and before a barrier. A null buffer: the list is closed.
     * Throws vkdml::Error. */
    VkdmlBufferBinding Copy(const VkdmlBufferBinding &from);

  private:
    /** Bytes that a copy or clear uses. */
    struct Access {
        VkBuffer buffer;
        std::uint64_t offset, bytes;
        bool writes;
    };

    HRESULT Begin(CommandAllocator *allocator);
    void SetClosed() noexcept;
    void Fail(HRESULT result, const char *method, const char *reason);
    void RefuseCommand(const char *method);
    template <typename Function> void Record(const char *method, Function function) noexcept;
    bool IsUsable(const char *method, ID3D12Resource *resource);
    void RecordBarrier();
    VkCommandBuffer RecordTransfer(std::initializer_list<Access> accesses);
    void Fill(const char *method, const Descriptor *descriptor, ID3D12Resource *resource, const UINT *values,
              UINT rectCount);
    void RecordFill(VkBuffer buffer, std::uint64_t offset, std::uint64_t bytes, UINT word);

    const D3D12_COMMAND_LIST_TYPE type_;
    Reference<CommandAllocator> allocator_; /**< while the list is open */
    std::shared_ptr<CommandPool> pool_;
    std::uint64_t generation_ = 0; /**< of the pool, when recording began */
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    bool open_ = false, needsBarrier_ = false;
    bool dispatched_ = false;      /**< since the last barrier */
    HRESULT result_ = ok;          /**< of Close() */
    std::vector<Access> accesses_; /**< since the last barrier */
    std::shared_ptr<FirstUses> uses_;
};

} // namespace vkdml::d3d12

#endif
