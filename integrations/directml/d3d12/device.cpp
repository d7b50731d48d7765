#include "device.hpp"

#include <algorithm>

#include "adapters.hpp"

namespace vkdml::d3d12 {

/* ---- the private interface ---- */

HRESULT STDMETHODCALLTYPE Private::QueryInterface(REFIID riid, void **ppv) {
    return owner_->QueryInterface(riid, ppv);
}

ULONG STDMETHODCALLTYPE Private::AddRef() {
    return owner_->AddRef();
}

ULONG STDMETHODCALLTYPE Private::Release() {
    return owner_->Release();
}

namespace {

/** Returns the object of a command list, or NULL if the list belongs to another device. */
CommandList *ListOf(ID3D12CommandList *list, const std::shared_ptr<Gpu> &gpu) {
    auto *const own = static_cast<CommandList *>(list);
    return own != nullptr && own->IsOf(gpu) ? own : nullptr;
}

} // namespace

VkBuffer STDMETHODCALLTYPE Private::GetBuffer(ID3D12Resource *resource, UINT64 *offset) {
    const bool own = resource != nullptr && Of(resource)->IsOf(gpu_);
    *offset = own ? Of(resource)->offset() : 0;
    return own ? Of(resource)->buffer() : VK_NULL_HANDLE;
}

VkCommandBuffer STDMETHODCALLTYPE Private::GetCommands(ID3D12CommandList *list) {
    CommandList *const own = ListOf(list, gpu_);
    return own != nullptr ? own->RecordDispatch() : VK_NULL_HANDLE;
}

HRESULT STDMETHODCALLTYPE Private::Keep(ID3D12CommandList *list, const std::shared_ptr<const void> &object) {
    return Guard("IDMLCommandRecorder::RecordDispatch", [&] {
        if (CommandList *const own = ListOf(list, gpu_)) {
            own->pool()->Keep(object);
        }
        return ok;
    });
}

HRESULT STDMETHODCALLTYPE Private::Use(ID3D12CommandList *list, const VkdmlBufferBinding &range, UINT64 written) {
    return Guard("IDMLCommandRecorder::RecordDispatch", [&] {
        if (CommandList *const own = ListOf(list, gpu_)) {
            own->Use({range.buffer, range.offset, range.offset + range.size}, written);
        }
        return ok;
    });
}

void STDMETHODCALLTYPE Private::Barrier(ID3D12CommandList *list) {
    if (CommandList *const own = ListOf(list, gpu_)) {
        own->ResourceBarrier(0, nullptr);
    }
}

VkdmlBufferBinding STDMETHODCALLTYPE Private::Copy(ID3D12CommandList *list, const VkdmlBufferBinding &from) {
    VkdmlBufferBinding to{};
    (void)Guard("IDMLCommandRecorder::RecordDispatch", [&] {
        if (CommandList *const own = ListOf(list, gpu_)) {
            to = own->Copy(from);
        }
        return ok;
    });
    return to;
}

/* ---- the device ---- */

HRESULT CreateDevice(const VkdmlPhysicalDeviceInfo &info, REFIID riid, void **ppv) {
    static std::mutex mutex;
    static auto &gpus = *new std::map<std::string, std::weak_ptr<Gpu>>; // used by destructors of other libraries, too
    const std::string name = abi::NameOf(info);
    std::shared_ptr<Gpu> gpu; // may be the last reference: released without the lock
    const std::lock_guard<std::mutex> guard(mutex);
    gpu = gpus[name].lock();
    if (gpu == nullptr) {
        gpu = std::make_shared<Gpu>(name);
        gpus[name] = gpu;
    }
    auto *const device = new DeviceObject(gpu, info);
    return device->Give(riid, ppv);
}

DeviceObject::DeviceObject(std::shared_ptr<Gpu> gpu, const VkdmlPhysicalDeviceInfo &info)
    : gpu_(std::move(gpu)), luid_(abi::LuidOf(info)), sharesMemory_(abi::SharesMemory(info)), private_(this, gpu_) {
}

HRESULT STDMETHODCALLTYPE DeviceObject::QueryInterface(REFIID riid, void **ppv) {
    if (ppv == nullptr || riid != __uuidof(abi::IVkdmlDevice)) {
        return Object::QueryInterface(riid, ppv);
    }
    *ppv = static_cast<abi::IVkdmlDevice *>(&private_);
    AddRef();
    return ok;
}

/* ---- creating objects ---- */

template <typename Made, typename... Arguments>
HRESULT DeviceObject::Create(const char *method, REFIID riid, void **ppv, Arguments &&...arguments) {
    abi::Empty(ppv);
    return Guard(method, [&] {
        auto *const made = new Made(this, gpu_, std::forward<Arguments>(arguments)...);
        return made->Give(riid, ppv);
    });
}

namespace {

HRESULT RefuseCreation(const char *method, void **ppv) {
    abi::Empty(ppv);
    return Refuse(method, "shaders, pipelines, textures and tiled resources are not supported");
}

bool IsQueueType(D3D12_COMMAND_LIST_TYPE type) {
    return type == D3D12_COMMAND_LIST_TYPE_DIRECT || type == D3D12_COMMAND_LIST_TYPE_COMPUTE ||
           type == D3D12_COMMAND_LIST_TYPE_COPY;
}

HRESULT Invalid(const char *method, const char *reason) {
    abi::Log("%s: %s", method, reason);
    return invalid;
}

HRESULT CheckBuffer(const char *method, const D3D12_RESOURCE_DESC *desc) {
    if (desc == nullptr) {
        return Invalid(method, "pDesc is NULL");
    }
    if (desc->Dimension != D3D12_RESOURCE_DIMENSION_BUFFER) {
        abi::Log("%s: Dimension is %d, must be BUFFER: textures are not supported", method,
                 static_cast<int>(desc->Dimension));
        return notImplemented;
    }
    const bool valid = desc->Width != 0 && desc->Height == 1 && desc->DepthOrArraySize == 1 && desc->MipLevels == 1 &&
                       desc->Format == DXGI_FORMAT_UNKNOWN && desc->SampleDesc.Count == 1 &&
                       desc->SampleDesc.Quality == 0 && desc->Layout == D3D12_TEXTURE_LAYOUT_ROW_MAJOR &&
                       (desc->Alignment == 0 || desc->Alignment == D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT);
    return valid ? ok
                 : Invalid(method, "a buffer has a Width, one row, one layer, one level, no format, ROW_MAJOR, and "
                                   "an Alignment of 0 or 64 KiB");
}

} // namespace

HRESULT STDMETHODCALLTYPE DeviceObject::CreateCommandQueue(const D3D12_COMMAND_QUEUE_DESC *desc, REFIID riid,
                                                           void **ppv) {
    static const char method[] = "ID3D12Device::CreateCommandQueue";
    abi::Empty(ppv);
    if (desc == nullptr || !IsQueueType(desc->Type)) {
        return Invalid(method, "the type must be DIRECT, COMPUTE or COPY");
    }
    return Create<CommandQueue>(method, riid, ppv, *desc);
}

HRESULT STDMETHODCALLTYPE DeviceObject::CreateCommandAllocator(D3D12_COMMAND_LIST_TYPE type, REFIID riid, void **ppv) {
    static const char method[] = "ID3D12Device::CreateCommandAllocator";
    abi::Empty(ppv);
    return IsQueueType(type) ? Create<CommandAllocator>(method, riid, ppv, type)
                             : Invalid(method, "the type must be DIRECT, COMPUTE or COPY");
}

HRESULT STDMETHODCALLTYPE DeviceObject::CreateCommandList(UINT, D3D12_COMMAND_LIST_TYPE type,
                                                          ID3D12CommandAllocator *allocator, ID3D12PipelineState *state,
                                                          REFIID riid, void **ppv) {
    static const char method[] = "ID3D12Device::CreateCommandList";
    auto *const own = static_cast<CommandAllocator *>(allocator);
    abi::Empty(ppv);
    if (own == nullptr || own->type() != type || state != nullptr) {
        return Invalid(method, "needs an allocator of the list's type, and no pipeline state");
    }
    return Create<CommandList>(method, riid, ppv, own);
}

HRESULT STDMETHODCALLTYPE DeviceObject::CreateDescriptorHeap(const D3D12_DESCRIPTOR_HEAP_DESC *desc, REFIID riid,
                                                             void **ppv) {
    static const char method[] = "ID3D12Device::CreateDescriptorHeap";
    abi::Empty(ppv);
    if (desc == nullptr || desc->Type != D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV || desc->NumDescriptors == 0) {
        return Invalid(method, "the type must be CBV_SRV_UAV, and NumDescriptors not 0");
    }
    return Create<DescriptorHeap>(method, riid, ppv, *desc);
}

HRESULT STDMETHODCALLTYPE DeviceObject::CreateCommittedResource(const D3D12_HEAP_PROPERTIES *properties,
                                                                D3D12_HEAP_FLAGS flags, const D3D12_RESOURCE_DESC *desc,
                                                                D3D12_RESOURCE_STATES, const D3D12_CLEAR_VALUE *,
                                                                REFIID riid, void **ppv) {
    static const char method[] = "ID3D12Device::CreateCommittedResource";
    abi::Empty(ppv);
    const HRESULT checked = CheckBuffer(method, desc);
    if (checked != ok || properties == nullptr) {
        return checked != ok ? checked : Invalid(method, "pHeapProperties is NULL");
    }
    return Guard(method, [&] {
        const bool undefined = (flags & D3D12_HEAP_FLAG_CREATE_NOT_ZEROED) != 0;
        return Create<Resource>(method, riid, ppv, *desc, *properties, flags,
                                gpu_->Allocate(UseOf(*properties), desc->Width, undefined), std::uint64_t{0});
    });
}

HRESULT STDMETHODCALLTYPE DeviceObject::CreateHeap(const D3D12_HEAP_DESC *desc, REFIID riid, void **ppv) {
    static const char method[] = "ID3D12Device::CreateHeap";
    abi::Empty(ppv);
    if (desc == nullptr || desc->SizeInBytes == 0) {
        return Invalid(method, "SizeInBytes must not be 0");
    }
    return Create<Heap>(method, riid, ppv, *desc);
}

HRESULT STDMETHODCALLTYPE DeviceObject::CreatePlacedResource(ID3D12Heap *heap, UINT64 offset,
                                                             const D3D12_RESOURCE_DESC *desc, D3D12_RESOURCE_STATES,
                                                             const D3D12_CLEAR_VALUE *, REFIID riid, void **ppv) {
    static const char method[] = "ID3D12Device::CreatePlacedResource";
    abi::Empty(ppv);
    const HRESULT checked = CheckBuffer(method, desc);
    const Heap *const own = static_cast<Heap *>(heap);
    if (checked != ok || own == nullptr || !own->IsOf(gpu_)) {
        return checked != ok ? checked : Invalid(method, "pHeap is NULL or another device's");
    }
    const D3D12_HEAP_DESC at = heap->GetDesc();
    if (offset % D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT != 0 || desc->Width > at.SizeInBytes ||
        offset > at.SizeInBytes - desc->Width) {
        return Invalid(method, "the resource must begin at a multiple of 64 KiB and end within the heap");
    }
    return Create<Resource>(method, riid, ppv, *desc, at.Properties, at.Flags, own->range(), offset);
}

HRESULT STDMETHODCALLTYPE DeviceObject::CreateFence(UINT64 value, D3D12_FENCE_FLAGS flags, REFIID riid, void **ppv) {
    static const char method[] = "ID3D12Device::CreateFence";
    abi::Empty(ppv);
    return flags == D3D12_FENCE_FLAG_NONE ? Create<Fence>(method, riid, ppv, value)
                                          : Invalid(method, "Flags must be NONE: fences are not shared");
}

HRESULT STDMETHODCALLTYPE DeviceObject::CreateQueryHeap(const D3D12_QUERY_HEAP_DESC *desc, REFIID riid, void **ppv) {
    static const char method[] = "ID3D12Device::CreateQueryHeap";
    abi::Empty(ppv);
    const bool valid =
        desc != nullptr && desc->Count != 0 &&
        (desc->Type == D3D12_QUERY_HEAP_TYPE_TIMESTAMP || desc->Type == D3D12_QUERY_HEAP_TYPE_COPY_QUEUE_TIMESTAMP);
    return valid ? Create<QueryHeap>(method, riid, ppv, *desc) : Invalid(method, "supported are timestamps");
}

HRESULT STDMETHODCALLTYPE DeviceObject::CreateGraphicsPipelineState(const D3D12_GRAPHICS_PIPELINE_STATE_DESC *, REFIID,
                                                                    void **ppv) {
    return RefuseCreation("ID3D12Device::CreateGraphicsPipelineState", ppv);
}

HRESULT STDMETHODCALLTYPE DeviceObject::CreateComputePipelineState(const D3D12_COMPUTE_PIPELINE_STATE_DESC *, REFIID,
                                                                   void **ppv) {
    return RefuseCreation("ID3D12Device::CreateComputePipelineState", ppv);
}

HRESULT STDMETHODCALLTYPE DeviceObject::CreateRootSignature(UINT, const void *, SIZE_T, REFIID, void **ppv) {
    return RefuseCreation("ID3D12Device::CreateRootSignature", ppv);
}

HRESULT STDMETHODCALLTYPE DeviceObject::CreateReservedResource(const D3D12_RESOURCE_DESC *, D3D12_RESOURCE_STATES,
                                                               const D3D12_CLEAR_VALUE *, REFIID, void **ppv) {
    return RefuseCreation("ID3D12Device::CreateReservedResource", ppv);
}

HRESULT STDMETHODCALLTYPE DeviceObject::CreateCommandSignature(const D3D12_COMMAND_SIGNATURE_DESC *,
                                                               ID3D12RootSignature *, REFIID, void **ppv) {
    return RefuseCreation("ID3D12Device::CreateCommandSignature", ppv);
}

HRESULT STDMETHODCALLTYPE DeviceObject::CreateSharedHandle(ID3D12DeviceChild *, const SECURITY_ATTRIBUTES *, DWORD,
                                                           LPCWSTR, HANDLE *handle) {
    abi::Empty(handle);
    return Refuse("ID3D12Device::CreateSharedHandle");
}

HRESULT STDMETHODCALLTYPE DeviceObject::OpenSharedHandle(HANDLE, REFIID, void **ppv) {
    return RefuseCreation("ID3D12Device::OpenSharedHandle", ppv);
}

HRESULT STDMETHODCALLTYPE DeviceObject::OpenSharedHandleByName(LPCWSTR, DWORD, HANDLE *handle) {
    abi::Empty(handle);
    return Refuse("ID3D12Device::OpenSharedHandleByName");
}

/* ---- descriptors ---- */

void STDMETHODCALLTYPE DeviceObject::CreateUnorderedAccessView(ID3D12Resource *resource, ID3D12Resource *,
                                                               const D3D12_UNORDERED_ACCESS_VIEW_DESC *desc,
                                                               D3D12_CPU_DESCRIPTOR_HANDLE handle) {
    if (handle.ptr == 0 || desc == nullptr || desc->ViewDimension != D3D12_UAV_DIMENSION_BUFFER) {
        abi::Log("ID3D12Device::CreateUnorderedAccessView: supported are views of buffers");
        return;
    }
    *Of(handle) = {resource, *desc};
}

/** Nothing reads such a descriptor: there are no shaders. */
void STDMETHODCALLTYPE DeviceObject::CreateConstantBufferView(const D3D12_CONSTANT_BUFFER_VIEW_DESC *,
                                                              D3D12_CPU_DESCRIPTOR_HANDLE) {
    Refuse("ID3D12Device::CreateConstantBufferView");
}

void STDMETHODCALLTYPE DeviceObject::CreateShaderResourceView(ID3D12Resource *, const D3D12_SHADER_RESOURCE_VIEW_DESC *,
                                                              D3D12_CPU_DESCRIPTOR_HANDLE) {
    Refuse("ID3D12Device::CreateShaderResourceView");
}

void STDMETHODCALLTYPE DeviceObject::CreateRenderTargetView(ID3D12Resource *, const D3D12_RENDER_TARGET_VIEW_DESC *,
                                                            D3D12_CPU_DESCRIPTOR_HANDLE) {
    Refuse("ID3D12Device::CreateRenderTargetView");
}

void STDMETHODCALLTYPE DeviceObject::CreateDepthStencilView(ID3D12Resource *, const D3D12_DEPTH_STENCIL_VIEW_DESC *,
                                                            D3D12_CPU_DESCRIPTOR_HANDLE) {
    Refuse("ID3D12Device::CreateDepthStencilView");
}

void STDMETHODCALLTYPE DeviceObject::CreateSampler(const D3D12_SAMPLER_DESC *, D3D12_CPU_DESCRIPTOR_HANDLE) {
    Refuse("ID3D12Device::CreateSampler");
}

void STDMETHODCALLTYPE DeviceObject::CopyDescriptorsSimple(UINT count, D3D12_CPU_DESCRIPTOR_HANDLE to,
                                                           D3D12_CPU_DESCRIPTOR_HANDLE from,
                                                           D3D12_DESCRIPTOR_HEAP_TYPE) {
    if (count != 0 && to.ptr != 0 && from.ptr != 0) {
        std::copy(Of(from), Of(from) + count, Of(to));
    }
}

/** The ranges of both sides have equal sums; without sizes each range is one descriptor. */
void STDMETHODCALLTYPE DeviceObject::CopyDescriptors(UINT toRangeCount, const D3D12_CPU_DESCRIPTOR_HANDLE *toStarts,
                                                     const UINT *toSizes, UINT fromRangeCount,
                                                     const D3D12_CPU_DESCRIPTOR_HANDLE *fromStarts,
                                                     const UINT *fromSizes, D3D12_DESCRIPTOR_HEAP_TYPE type) {
    UINT toRange = 0, toIndex = 0;
    if (toStarts == nullptr || fromStarts == nullptr) {
        return;
    }
    for (UINT range = 0; range < fromRangeCount; ++range) {
        for (UINT i = 0; i < (fromSizes != nullptr ? fromSizes[range] : 1); ++i) {
            while (toRange < toRangeCount && toIndex == (toSizes != nullptr ? toSizes[toRange] : 1)) {
                ++toRange;
                toIndex = 0;
            }
            if (toRange == toRangeCount) {
                return;
            }
            const D3D12_CPU_DESCRIPTOR_HANDLE to = {toStarts[toRange].ptr + toIndex++ * sizeof(Descriptor)};
            CopyDescriptorsSimple(1, to, {fromStarts[range].ptr + i * sizeof(Descriptor)}, type);
        }
    }
}

/* ---- queries ---- */

D3D12_RESOURCE_ALLOCATION_INFO STDMETHODCALLTYPE
DeviceObject::GetResourceAllocationInfo(UINT, UINT count, const D3D12_RESOURCE_DESC *descs) {
    const UINT64 alignment = D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT;
    D3D12_RESOURCE_ALLOCATION_INFO info = {0, alignment};
    for (UINT i = 0; i < count; ++i) {
        const HRESULT checked =
            CheckBuffer("ID3D12Device::GetResourceAllocationInfo", descs != nullptr ? &descs[i] : nullptr);
        const UINT64 room = UINT64_MAX - (alignment - 1) - info.SizeInBytes;
        if (checked != ok || descs[i].Width > room) {
            return {UINT64_MAX, alignment};
        }
        info.SizeInBytes += (descs[i].Width + alignment - 1) / alignment * alignment;
    }
    return info;
}

D3D12_HEAP_PROPERTIES STDMETHODCALLTYPE DeviceObject::GetCustomHeapProperties(UINT, D3D12_HEAP_TYPE type) {
    D3D12_HEAP_PROPERTIES properties{};
    properties.Type = D3D12_HEAP_TYPE_CUSTOM;
    properties.CPUPageProperty = type == D3D12_HEAP_TYPE_UPLOAD     ? D3D12_CPU_PAGE_PROPERTY_WRITE_COMBINE
                                 : type == D3D12_HEAP_TYPE_READBACK ? D3D12_CPU_PAGE_PROPERTY_WRITE_BACK
                                                                    : D3D12_CPU_PAGE_PROPERTY_NOT_AVAILABLE;
    properties.MemoryPoolPreference =
        type == D3D12_HEAP_TYPE_DEFAULT && !sharesMemory_ ? D3D12_MEMORY_POOL_L1 : D3D12_MEMORY_POOL_L0;
    properties.CreationNodeMask = properties.VisibleNodeMask = 1;
    return properties;
}

void STDMETHODCALLTYPE DeviceObject::GetCopyableFootprints(const D3D12_RESOURCE_DESC *desc, UINT first, UINT count,
                                                           UINT64 offset, D3D12_PLACED_SUBRESOURCE_FOOTPRINT *layouts,
                                                           UINT *rowCounts, UINT64 *rowBytes, UINT64 *totalBytes) {
    const bool valid = CheckBuffer("ID3D12Device::GetCopyableFootprints", desc) == ok && first == 0 && count == 1 &&
                       desc->Width < UINT_MAX;
    const UINT64 bytes = valid ? desc->Width : UINT64_MAX;
    const UINT width = valid ? static_cast<UINT>(bytes) : UINT_MAX, rows = valid ? 1 : UINT_MAX;
    for (UINT i = 0; i < count; ++i) {
        if (layouts != nullptr) {
            layouts[i] = {valid ? offset : UINT64_MAX, {DXGI_FORMAT_UNKNOWN, width, rows, rows, width}};
        }
        if (rowCounts != nullptr) {
            rowCounts[i] = rows;
        }
        if (rowBytes != nullptr) {
            rowBytes[i] = bytes;
        }
    }
    if (totalBytes != nullptr) {
        *totalBytes = bytes;
    }
}

void STDMETHODCALLTYPE DeviceObject::GetResourceTiling(ID3D12Resource *, UINT *, D3D12_PACKED_MIP_INFO *,
                                                       D3D12_TILE_SHAPE *, UINT *, UINT, D3D12_SUBRESOURCE_TILING *) {
    Refuse("ID3D12Device::GetResourceTiling", "there are no tiled resources");
}

/** Answers the queries of compute clients. Graphics features are reported as not supported. There are no shaders, so that
 *  what is said of shaders describes the operators: they have every data type on every device. Clients such as
 *  Microsoft's DirectML derive the data types from it. */
HRESULT STDMETHODCALLTYPE DeviceObject::CheckFeatureSupport(D3D12_FEATURE feature, void *data, UINT bytes) {
    const auto as = [&](auto *&typed) {
        typed = static_cast<std::remove_reference_t<decltype(typed)>>(data);
        return data != nullptr && bytes == sizeof *typed;
    };
    D3D12_FEATURE_DATA_D3D12_OPTIONS *options = nullptr;
    D3D12_FEATURE_DATA_D3D12_OPTIONS1 *options1 = nullptr;
    D3D12_FEATURE_DATA_D3D12_OPTIONS4 *options4 = nullptr;
    D3D12_FEATURE_DATA_SHADER_MODEL *model = nullptr;
    D3D12_FEATURE_DATA_ARCHITECTURE *architecture = nullptr;
    D3D12_FEATURE_DATA_ARCHITECTURE1 *architecture1 = nullptr;
    D3D12_FEATURE_DATA_FEATURE_LEVELS *levels = nullptr;
    D3D12_FEATURE_DATA_GPU_VIRTUAL_ADDRESS_SUPPORT *addresses = nullptr;
    switch (feature) {
    case D3D12_FEATURE_D3D12_OPTIONS:
        if (as(options)) {
            *options = {};
            options->DoublePrecisionFloatShaderOps = TRUE;
            options->ResourceHeapTier = D3D12_RESOURCE_HEAP_TIER_2;
            options->ResourceBindingTier = D3D12_RESOURCE_BINDING_TIER_3;
            return ok;
        }
        return invalid;
    case D3D12_FEATURE_D3D12_OPTIONS1:
        if (as(options1)) {
            *options1 = {};
            options1->Int64ShaderOps = TRUE;
            return ok;
        }
        return invalid;
    case D3D12_FEATURE_D3D12_OPTIONS4:
        if (as(options4)) {
            *options4 = {};
            options4->Native16BitShaderOpsSupported = TRUE;
            return ok;
        }
        return invalid;
    case D3D12_FEATURE_SHADER_MODEL: // the first one with 16-bit types; a client states the newest one that it knows
        if (as(model)) {
            model->HighestShaderModel = std::min(model->HighestShaderModel, D3D_SHADER_MODEL_6_2);
            return ok;
        }
        return invalid;
    case D3D12_FEATURE_ARCHITECTURE:
        if (as(architecture)) {
            *architecture = {architecture->NodeIndex, FALSE, sharesMemory_, sharesMemory_};
            return ok;
        }
        return invalid;
    case D3D12_FEATURE_ARCHITECTURE1:
        if (as(architecture1)) {
            *architecture1 = {architecture1->NodeIndex, FALSE, sharesMemory_, sharesMemory_, FALSE};
            return ok;
        }
        return invalid;
    case D3D12_FEATURE_FEATURE_LEVELS:
        if (as(levels)) {
            levels->MaxSupportedFeatureLevel = D3D_FEATURE_LEVEL_1_0_CORE;
            return ok;
        }
        return invalid;
    case D3D12_FEATURE_GPU_VIRTUAL_ADDRESS_SUPPORT:
        if (as(addresses)) {
            *addresses = {40, 48};
            return ok;
        }
        return invalid;
    default:
        abi::Log("ID3D12Device::CheckFeatureSupport: feature %d is not supported", static_cast<int>(feature));
        return invalid;
    }
}

} // namespace vkdml::d3d12
