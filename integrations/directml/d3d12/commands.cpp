#include "commands.hpp"

#include <algorithm>
#include <cstring>

namespace vkdml::d3d12 {

/* ---- query heaps ---- */

QueryHeap::QueryHeap(ID3D12Device *device, std::shared_ptr<Gpu> gpu, const D3D12_QUERY_HEAP_DESC &desc)
    : Child(device, std::move(gpu)), count_(desc.Count), written_(new std::atomic<bool>[desc.Count]()) {
    const Vulkan &vulkan = gpu_->vulkan();
    if (vulkan.TimestampFrequency() == 0) {
        throw Error(VKDML_ERROR_FEATURE_NOT_PRESENT, "the queue has no timestamps");
    }
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = desc.Count;
    vulkan.Check(vulkan.createQueryPool(vulkan.handles.device, &info, nullptr, &pool_), "vkCreateQueryPool");
}

QueryHeap::~QueryHeap() {
    gpu_->vulkan().destroyQueryPool(gpu_->vulkan().handles.device, pool_, nullptr);
}

/* ---- allocators ---- */

CommandAllocator::CommandAllocator(ID3D12Device *device, std::shared_ptr<Gpu> gpu, D3D12_COMMAND_LIST_TYPE type)
    : Child(device, std::move(gpu)), type_(type), pool_(std::make_shared<CommandPool>(gpu_->vulkan())) {
}

/** The GPU may be running what was recorded. */
CommandAllocator::~CommandAllocator() {
    gpu_->Retire(std::move(pool_));
}

HRESULT STDMETHODCALLTYPE CommandAllocator::Reset() {
    static const char method[] = "ID3D12CommandAllocator::Reset";
    if (open_) {
        abi::Log("%s: a command list that records into it is open", method);
        return failed;
    }
    return Guard(method, [this] {
        const HRESULT removed = gpu_->RemovedReason();
        if (removed != ok) {
            return removed;
        }
        if (gpu_->IsBusy(*pool_)) {
            abi::Log("%s: the GPU has not finished with its command lists", method);
            return failed;
        }
        pool_->Reset();
        return ok;
    });
}

/* ---- lists ---- */

CommandList::CommandList(ID3D12Device *device, std::shared_ptr<Gpu> gpu, CommandAllocator *allocator)
    : Child(device, std::move(gpu)), type_(allocator->type()) {
    const HRESULT result = Begin(allocator);
    if (result != ok) {
        throw Error(result == outOfMemory ? VKDML_ERROR_OUT_OF_HOST_MEMORY : VKDML_ERROR_INVALID_ARGUMENT,
                    "the command allocator cannot record");
    }
}

CommandList::~CommandList() {
    SetClosed();
}

HRESULT CommandList::Begin(CommandAllocator *allocator) {
    if (allocator == nullptr || !allocator->IsOf(gpu_) || allocator->IsOpen() || allocator->type() != type_) {
        abi::Log("a command list needs an allocator of its device and type into which no other list records");
        return invalid;
    }
    return Guard("vkBeginCommandBuffer", [&] {
        commands_ = allocator->pool()->Begin();
        pool_ = allocator->pool();
        generation_ = pool_->generation();
        allocator_ = Reference<CommandAllocator>(allocator);
        allocator->SetOpen(true);
        open_ = true;
        result_ = ok;
        accesses_.clear();
        uses_.reset();
        dispatched_ = false;
        needsBarrier_ = true; // after earlier submissions
        return ok;
    });
}

void CommandList::SetClosed() noexcept {
    if (open_) {
        open_ = false;
        allocator_->SetOpen(false);
        allocator_ = Reference<CommandAllocator>();
    }
}

void CommandList::Fail(HRESULT result, const char *method, const char *reason) {
    abi::Log("%s: %s", method, reason);
    if (result_ == ok) {
        result_ = result;
    }
}

HRESULT STDMETHODCALLTYPE CommandList::Close() {
    if (!open_) {
        abi::Log("ID3D12GraphicsCommandList::Close: it is closed");
        return failed;
    }
    const Vulkan &vulkan = gpu_->vulkan();
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vulkan.cmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier,
                              0, nullptr, 0, nullptr);
    const HRESULT ended = Guard("ID3D12GraphicsCommandList::Close", [&] {
        vulkan.Check(vulkan.endCommandBuffer(commands_), "vkEndCommandBuffer");
        return ok;
    });
    SetClosed();
    result_ = result_ == ok ? ended : result_;
    return result_;
}

HRESULT STDMETHODCALLTYPE CommandList::Reset(ID3D12CommandAllocator *allocator, ID3D12PipelineState *state) {
    if (open_ || state != nullptr) {
        abi::Log("ID3D12GraphicsCommandList::Reset: %s",
                 open_ ? "the list is open" : "pInitialState must be NULL: there are no pipeline states");
        return open_ ? failed : invalid;
    }
    return Begin(static_cast<CommandAllocator *>(allocator));
}

void STDMETHODCALLTYPE CommandList::ClearState(ID3D12PipelineState *state) {
    if (state != nullptr) {
        RefuseCommand("ID3D12GraphicsCommandList::ClearState");
    }
}

/** Runs a function that records. Methods return nothing, so that a failure is Close()'s result. */
template <typename Function> void CommandList::Record(const char *method, Function function) noexcept {
    const HRESULT result = open_ ? Guard(method,
                                         [&] {
                                             function();
                                             return ok;
                                         })
                                 : failed;
    if (!open_) {
        abi::Log("%s: the list is closed; nothing is recorded", method);
    } else if (result != ok && result_ == ok) {
        result_ = result;
    }
}

/** Whether a resource is there, and of the list's device. */
bool CommandList::IsUsable(const char *method, ID3D12Resource *resource) {
    if (resource != nullptr && !Of(resource)->IsOf(gpu_)) {
        Fail(invalid, method, "a resource is another device's");
        return false;
    }
    return resource != nullptr;
}

void CommandList::RecordBarrier() {
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    // Not MEMORY_READ and MEMORY_WRITE, with which an NVIDIA H200 takes 3 microseconds longer for each barrier.
    const VkAccessFlags writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.srcAccessMask = writes;
    barrier.dstAccessMask = writes | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;
    gpu_->vulkan().cmdPipelineBarrier(commands_, stages, stages, 0, 1, &barrier, 0, nullptr, 0, nullptr);
    needsBarrier_ = dispatched_ = false;
    accesses_.clear();
}

VkCommandBuffer CommandList::RecordDispatch() {
    if (!open_) {
        return VK_NULL_HANDLE;
    }
    if (needsBarrier_ || !accesses_.empty()) {
        RecordBarrier();
    }
    dispatched_ = true;
    return commands_;
}

/** The command buffer for a copy or clear that uses these bytes. Few accesses are remembered: each is compared. */
VkCommandBuffer CommandList::RecordTransfer(std::initializer_list<Access> accesses) {
    const auto meets = [&](const Access &earlier) {
        return std::any_of(accesses.begin(), accesses.end(), [&](const Access &access) {
            return earlier.buffer == access.buffer && (earlier.writes || access.writes) &&
                   earlier.offset < access.offset + access.bytes && access.offset < earlier.offset + earlier.bytes;
        });
    };
    if (needsBarrier_ || dispatched_ || accesses_.size() >= 256 ||
        std::any_of(accesses_.begin(), accesses_.end(), meets)) {
        RecordBarrier();
    }
    accesses_.insert(accesses_.end(), accesses.begin(), accesses.end());
    for (const Access &access : accesses) { // what is read comes first
        Use({access.buffer, access.offset, access.offset + access.bytes}, access.writes ? access.bytes : 0);
    }
    return commands_;
}

VkdmlBufferBinding CommandList::Copy(const VkdmlBufferBinding &from) {
    if (!open_) {
        return {};
    }
    const std::shared_ptr<const Range> range = gpu_->Allocate(Use::Device, from.size, true);
    pool_->Keep(range);
    const VkBufferCopy region = {from.offset, range->offset, from.size};
    const VkCommandBuffer commands =
        RecordTransfer({{from.buffer, from.offset, from.size, false}, {range->buffer, range->offset, from.size, true}});
    gpu_->vulkan().cmdCopyBuffer(commands, from.buffer, range->buffer, 1, &region);
    return {range->buffer, range->offset, from.size};
}

void STDMETHODCALLTYPE CommandList::ResourceBarrier(UINT, const D3D12_RESOURCE_BARRIER *) {
    needsBarrier_ = true;
}

namespace {

/** DirectML rounds the sizes of tensors up to 4 bytes. torch-directml copies the rounded size also at the end of a
 * buffer whose Width is not larger: Direct3D 12 allocates 64 KiB at least, so that the bytes exist there. They are left
 * out. */
const std::uint64_t tensorRounding = 4;

std::uint64_t Remaining(const Resource &resource, std::uint64_t offset) {
    return resource.bytes() - std::min(offset, resource.bytes());
}

} // namespace

void STDMETHODCALLTYPE CommandList::CopyBufferRegion(ID3D12Resource *toResource, UINT64 toOffset,
                                                     ID3D12Resource *fromResource, UINT64 fromOffset, UINT64 asked) {
    static const char method[] = "ID3D12GraphicsCommandList::CopyBufferRegion";
    Record(method, [&] {
        if (toResource == nullptr || fromResource == nullptr) { // torch-directml's eye() does so
            static std::atomic_flag logged = ATOMIC_FLAG_INIT;
            if (!logged.test_and_set()) {
                abi::Log("%s: a resource is NULL; nothing is copied", method);
            }
            return;
        }
        if (!IsUsable(method, toResource) || !IsUsable(method, fromResource)) {
            return;
        }
        const Resource *const to = Of(toResource), *const from = Of(fromResource);
        const std::uint64_t bytes = std::min({asked, Remaining(*to, toOffset), Remaining(*from, fromOffset)});
        if (toOffset > to->bytes() || fromOffset > from->bytes() || asked - bytes >= tensorRounding) {
            Fail(invalid, method, "the range is not within the resource");
            return;
        }
        const VkBufferCopy region = {from->offset() + fromOffset, to->offset() + toOffset, bytes};
        if (bytes != 0 && to->buffer() == from->buffer() && region.srcOffset < region.dstOffset + bytes &&
            region.dstOffset < region.srcOffset + bytes) {
            Fail(invalid, method, "the source and the destination overlap");
        } else if (bytes != 0) {
            const VkCommandBuffer commands = RecordTransfer(
                {{from->buffer(), region.srcOffset, bytes, false}, {to->buffer(), region.dstOffset, bytes, true}});
            gpu_->vulkan().cmdCopyBuffer(commands, from->buffer(), to->buffer(), 1, &region);
        }
    });
}

void STDMETHODCALLTYPE CommandList::CopyResource(ID3D12Resource *to, ID3D12Resource *from) {
    if (to != nullptr && from != nullptr && Of(to)->bytes() != Of(from)->bytes()) {
        Fail(invalid, "ID3D12GraphicsCommandList::CopyResource", "the sizes of the resources differ");
        return;
    }
    CopyBufferRegion(to, 0, from, 0, from != nullptr ? Of(from)->bytes() : 0);
}

/** Descriptors are addressed directly. */
void STDMETHODCALLTYPE CommandList::SetDescriptorHeaps(UINT, ID3D12DescriptorHeap *const *) {
}

/* ---- clears ---- */

namespace {

/** Bytes of an element of a view; 0: the format is not supported. */
UINT ElementBytes(const D3D12_UNORDERED_ACCESS_VIEW_DESC &view) {
    switch (view.Format) {
    case DXGI_FORMAT_UNKNOWN:
        return view.Buffer.StructureByteStride;
    case DXGI_FORMAT_R8_UINT:
    case DXGI_FORMAT_R8_SINT:
    case DXGI_FORMAT_R8_UNORM:
        return 1;
    case DXGI_FORMAT_R16_UINT:
    case DXGI_FORMAT_R16_SINT:
    case DXGI_FORMAT_R16_FLOAT:
        return 2;
    case DXGI_FORMAT_R32_TYPELESS:
    case DXGI_FORMAT_R32_UINT:
    case DXGI_FORMAT_R32_SINT:
    case DXGI_FORMAT_R32_FLOAT:
        return 4;
    default:
        return 0;
    }
}

UINT Repeated(UINT value, UINT bytes) {
    return bytes == 1 ? (value & 0xff) * 0x01010101u : bytes == 2 ? (value & 0xffff) * 0x00010001u : value;
}

} // namespace

/** Records a clear by integers, or by the bits of a FLOAT32 value. The resource of the descriptor may have been
 * released, so only the resource that is passed is used. */
void CommandList::Fill(const char *method, const Descriptor *descriptor, ID3D12Resource *resource, const UINT *values,
                       UINT rectCount) {
    if (descriptor == nullptr || descriptor->resource == nullptr || values == nullptr || !IsUsable(method, resource)) {
        abi::Log("%s: there is no view, resource or value; nothing is cleared", method);
        return;
    }
    const D3D12_BUFFER_UAV &view = descriptor->view.Buffer;
    const Resource *const buffer = Of(resource);
    const UINT bytes = ElementBytes(descriptor->view);
    if ((bytes != 1 && bytes != 2 && bytes != 4) || rectCount != 0) {
        Fail(notImplemented, method, "supported are whole views of elements of 1, 2 or 4 bytes");
        return;
    }
    const std::uint64_t size = std::uint64_t{view.NumElements} * bytes;
    if (view.FirstElement > buffer->bytes() / bytes || !buffer->Has(view.FirstElement * bytes, size)) {
        Fail(invalid, method, "the view is not within the resource");
    } else if (size != 0) {
        RecordFill(buffer->buffer(), buffer->offset() + view.FirstElement * bytes, size, Repeated(values[0], bytes));
    }
}

/** Vulkan fills multiples of 4 bytes; any other bytes are copied from memory that is filled. Resources begin at
 * multiples of 4, so that the word's bytes are where they belong. */
void CommandList::RecordFill(VkBuffer buffer, std::uint64_t offset, std::uint64_t bytes, UINT word) {
    const Vulkan &vulkan = gpu_->vulkan();
    if (offset % 4 == 0 && bytes % 4 == 0) {
        vulkan.cmdFillBuffer(RecordTransfer({{buffer, offset, bytes, true}}), buffer, offset, bytes, word);
        return;
    }
    const std::shared_ptr<const Range> range = gpu_->Allocate(Use::Device, bytes + offset % 4, true);
    pool_->Keep(range);
    const VkCommandBuffer commands = RecordTransfer({{range->buffer, range->offset, range->bytes, true}});
    vulkan.cmdFillBuffer(commands, range->buffer, range->offset, range->bytes, word);
    const VkBufferCopy region = {range->offset + offset % 4, offset, bytes};
    (void)RecordTransfer({{range->buffer, region.srcOffset, bytes, false}, {buffer, offset, bytes, true}});
    vulkan.cmdCopyBuffer(commands, range->buffer, buffer, 1, &region);
}

void STDMETHODCALLTYPE CommandList::ClearUnorderedAccessViewUint(D3D12_GPU_DESCRIPTOR_HANDLE,
                                                                 D3D12_CPU_DESCRIPTOR_HANDLE handle,
                                                                 ID3D12Resource *resource, const UINT values[4],
                                                                 UINT rectCount, const D3D12_RECT *) {
    static const char method[] = "ID3D12GraphicsCommandList::ClearUnorderedAccessViewUint";
    Record(method, [&] { Fill(method, Of(handle), resource, values, rectCount); });
}

void STDMETHODCALLTYPE CommandList::ClearUnorderedAccessViewFloat(D3D12_GPU_DESCRIPTOR_HANDLE,
                                                                  D3D12_CPU_DESCRIPTOR_HANDLE handle,
                                                                  ID3D12Resource *resource, const FLOAT values[4],
                                                                  UINT rectCount, const D3D12_RECT *) {
    static const char method[] = "ID3D12GraphicsCommandList::ClearUnorderedAccessViewFloat";
    const Descriptor *const descriptor = Of(handle);
    UINT bits[4] = {};
    if (values != nullptr) {
        std::memcpy(bits, values, sizeof bits);
    }
    Record(method, [&] {
        if (descriptor != nullptr && descriptor->view.Format != DXGI_FORMAT_R32_FLOAT) {
            Fail(notImplemented, method, "supported are views of R32_FLOAT");
        } else {
            Fill(method, descriptor, resource, values != nullptr ? bits : nullptr, rectCount);
        }
    });
}

/* ---- queries ---- */

void STDMETHODCALLTYPE CommandList::EndQuery(ID3D12QueryHeap *heap, D3D12_QUERY_TYPE type, UINT index) {
    static const char method[] = "ID3D12GraphicsCommandList::EndQuery";
    Record(method, [&] {
        QueryHeap *const queries = static_cast<QueryHeap *>(heap);
        if (queries == nullptr || !queries->IsOf(gpu_) || type != D3D12_QUERY_TYPE_TIMESTAMP ||
            index >= queries->count()) {
            Fail(invalid, method, "supported are timestamps of a query heap");
            return;
        }
        const Vulkan &vulkan = gpu_->vulkan();
        vulkan.cmdResetQueryPool(commands_, queries->pool(), index, 1);
        vulkan.cmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries->pool(), index);
        queries->SetWritten(index);
    });
}

void STDMETHODCALLTYPE CommandList::ResolveQueryData(ID3D12QueryHeap *heap, D3D12_QUERY_TYPE type, UINT first,
                                                     UINT count, ID3D12Resource *to, UINT64 offset) {
    static const char method[] = "ID3D12GraphicsCommandList::ResolveQueryData";
    Record(method, [&] {
        const QueryHeap *const queries = static_cast<QueryHeap *>(heap);
        const std::uint64_t bytes = std::uint64_t{count} * sizeof(UINT64);
        if (queries == nullptr || !queries->IsOf(gpu_) || type != D3D12_QUERY_TYPE_TIMESTAMP ||
            count > queries->count() || first > queries->count() - count || !IsUsable(method, to) ||
            !Of(to)->Has(offset, bytes) || offset % sizeof(UINT64) != 0) {
            Fail(invalid, method, "supported are timestamps of a query heap, into a buffer that has room for them");
        } else if (!queries->AreWritten(first, count)) {
            Fail(invalid, method, "a timestamp was never written by EndQuery()");
        } else if (count != 0) {
            const VkBuffer buffer = Of(to)->buffer();
            const std::uint64_t at = Of(to)->offset() + offset;
            gpu_->vulkan().cmdCopyQueryPoolResults(RecordTransfer({{buffer, at, bytes, true}}), queries->pool(), first,
                                                   count, buffer, at, sizeof(UINT64),
                                                   VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
        }
    });
}

/* ---- what is refused ---- */

void CommandList::RefuseCommand(const char *method) {
    Refuse(method, "shaders, pipelines and textures are not supported");
    if (result_ == ok) {
        result_ = notImplemented;
    }
}

#define REFUSED(method, ...)                                                                                           \
    void STDMETHODCALLTYPE CommandList::method(__VA_ARGS__) {                                                          \
        RefuseCommand("ID3D12GraphicsCommandList::" #method);                                                          \
    }

REFUSED(DrawInstanced, UINT, UINT, UINT, UINT)
REFUSED(DrawIndexedInstanced, UINT, UINT, UINT, INT, UINT)
REFUSED(Dispatch, UINT, UINT, UINT)
REFUSED(CopyTextureRegion, const D3D12_TEXTURE_COPY_LOCATION *, UINT, UINT, UINT, const D3D12_TEXTURE_COPY_LOCATION *,
        const D3D12_BOX *)
REFUSED(CopyTiles, ID3D12Resource *, const D3D12_TILED_RESOURCE_COORDINATE *, const D3D12_TILE_REGION_SIZE *,
        ID3D12Resource *, UINT64, D3D12_TILE_COPY_FLAGS)
REFUSED(ResolveSubresource, ID3D12Resource *, UINT, ID3D12Resource *, UINT, DXGI_FORMAT)
REFUSED(IASetPrimitiveTopology, D3D12_PRIMITIVE_TOPOLOGY)
REFUSED(RSSetViewports, UINT, const D3D12_VIEWPORT *)
REFUSED(RSSetScissorRects, UINT, const D3D12_RECT *)
REFUSED(OMSetBlendFactor, const FLOAT[4])
REFUSED(OMSetStencilRef, UINT)
REFUSED(SetPipelineState, ID3D12PipelineState *)
REFUSED(ExecuteBundle, ID3D12GraphicsCommandList *)
REFUSED(SetComputeRootSignature, ID3D12RootSignature *)
REFUSED(SetGraphicsRootSignature, ID3D12RootSignature *)
REFUSED(SetComputeRootDescriptorTable, UINT, D3D12_GPU_DESCRIPTOR_HANDLE)
REFUSED(SetGraphicsRootDescriptorTable, UINT, D3D12_GPU_DESCRIPTOR_HANDLE)
REFUSED(SetComputeRoot32BitConstant, UINT, UINT, UINT)
REFUSED(SetGraphicsRoot32BitConstant, UINT, UINT, UINT)
REFUSED(SetComputeRoot32BitConstants, UINT, UINT, const void *, UINT)
REFUSED(SetGraphicsRoot32BitConstants, UINT, UINT, const void *, UINT)
REFUSED(SetComputeRootConstantBufferView, UINT, D3D12_GPU_VIRTUAL_ADDRESS)
REFUSED(SetGraphicsRootConstantBufferView, UINT, D3D12_GPU_VIRTUAL_ADDRESS)
REFUSED(SetComputeRootShaderResourceView, UINT, D3D12_GPU_VIRTUAL_ADDRESS)
REFUSED(SetGraphicsRootShaderResourceView, UINT, D3D12_GPU_VIRTUAL_ADDRESS)
REFUSED(SetComputeRootUnorderedAccessView, UINT, D3D12_GPU_VIRTUAL_ADDRESS)
REFUSED(SetGraphicsRootUnorderedAccessView, UINT, D3D12_GPU_VIRTUAL_ADDRESS)
REFUSED(IASetIndexBuffer, const D3D12_INDEX_BUFFER_VIEW *)
REFUSED(IASetVertexBuffers, UINT, UINT, const D3D12_VERTEX_BUFFER_VIEW *)
REFUSED(SOSetTargets, UINT, UINT, const D3D12_STREAM_OUTPUT_BUFFER_VIEW *)
REFUSED(OMSetRenderTargets, UINT, const D3D12_CPU_DESCRIPTOR_HANDLE *, BOOL, const D3D12_CPU_DESCRIPTOR_HANDLE *)
REFUSED(ClearDepthStencilView, D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_CLEAR_FLAGS, FLOAT, UINT8, UINT, const D3D12_RECT *)
REFUSED(ClearRenderTargetView, D3D12_CPU_DESCRIPTOR_HANDLE, const FLOAT[4], UINT, const D3D12_RECT *)
REFUSED(BeginQuery, ID3D12QueryHeap *, D3D12_QUERY_TYPE, UINT)
REFUSED(SetPredication, ID3D12Resource *, UINT64, D3D12_PREDICATION_OP)
REFUSED(ExecuteIndirect, ID3D12CommandSignature *, UINT, ID3D12Resource *, UINT64, ID3D12Resource *, UINT64)

} // namespace vkdml::d3d12
