#include "resource.hpp"

#include <string>

namespace vkdml::d3d12 {

Use UseOf(const D3D12_HEAP_PROPERTIES &properties) {
    if (properties.Type != D3D12_HEAP_TYPE_CUSTOM && (properties.CPUPageProperty != D3D12_CPU_PAGE_PROPERTY_UNKNOWN ||
                                                      properties.MemoryPoolPreference != D3D12_MEMORY_POOL_UNKNOWN)) {
        throw Error(VKDML_ERROR_INVALID_ARGUMENT,
                    "CPUPageProperty and MemoryPoolPreference must be UNKNOWN unless the heap type is CUSTOM");
    }
    switch (properties.Type) {
    case D3D12_HEAP_TYPE_DEFAULT:
        return Use::Device;
    case D3D12_HEAP_TYPE_UPLOAD:
        return Use::Upload;
    case D3D12_HEAP_TYPE_READBACK:
        return Use::Readback;
    case D3D12_HEAP_TYPE_CUSTOM:
        break;
    default:
        throw Error(VKDML_ERROR_INVALID_ARGUMENT,
                    "heap type " + std::to_string(properties.Type) + ", must be DEFAULT, UPLOAD, READBACK or CUSTOM");
    }
    switch (properties.CPUPageProperty) {
    case D3D12_CPU_PAGE_PROPERTY_NOT_AVAILABLE:
        return Use::Device;
    case D3D12_CPU_PAGE_PROPERTY_WRITE_COMBINE:
        return Use::Upload;
    case D3D12_CPU_PAGE_PROPERTY_WRITE_BACK:
        return Use::Readback;
    default:
        throw Error(VKDML_ERROR_INVALID_ARGUMENT, "CPUPageProperty of a CUSTOM heap must be NOT_AVAILABLE, "
                                                  "WRITE_COMBINE or WRITE_BACK");
    }
}

Heap::Heap(ID3D12Device *device, std::shared_ptr<Gpu> gpu, const D3D12_HEAP_DESC &desc)
    : Child(device, std::move(gpu)), desc_(desc),
      range_(gpu_->Allocate(UseOf(desc.Properties), desc.SizeInBytes,
                            (desc.Flags & D3D12_HEAP_FLAG_CREATE_NOT_ZEROED) != 0)) {
}

Resource::Resource(ID3D12Device *device, std::shared_ptr<Gpu> gpu, const D3D12_RESOURCE_DESC &desc,
                   const D3D12_HEAP_PROPERTIES &properties, D3D12_HEAP_FLAGS flags, std::shared_ptr<const Range> range,
                   std::uint64_t offset)
    : Child(device, std::move(gpu)), desc_(desc), properties_(properties), flags_(flags), range_(std::move(range)),
      offset_(offset) {
}

HRESULT STDMETHODCALLTYPE Resource::Map(UINT subresource, const D3D12_RANGE *, void **data) {
    if (subresource != 0 || range_->mapped == nullptr) {
        if (data != nullptr) {
            *data = nullptr;
        }
        abi::Log(subresource != 0 ? "ID3D12Resource::Map: Subresource must be 0: resources are buffers"
                                  : "ID3D12Resource::Map: the heap is not accessible to the CPU");
        return invalid;
    }
    if (data != nullptr) {
        *data = range_->mapped + offset_;
    }
    return ok;
}

/** Memory stays mapped, and it is coherent. */
void STDMETHODCALLTYPE Resource::Unmap(UINT, const D3D12_RANGE *) {
}

HRESULT STDMETHODCALLTYPE Resource::GetHeapProperties(D3D12_HEAP_PROPERTIES *properties, D3D12_HEAP_FLAGS *flags) {
    if (properties != nullptr) {
        *properties = properties_;
    }
    if (flags != nullptr) {
        *flags = flags_;
    }
    return ok;
}

} // namespace vkdml::d3d12
