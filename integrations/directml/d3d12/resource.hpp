/* Buffers and heaps. */
#ifndef VKDML_DIRECTML_D3D12_RESOURCE_HPP
#define VKDML_DIRECTML_D3D12_RESOURCE_HPP

#include "object.hpp"

namespace vkdml::d3d12 {

/** Who uses memory of a heap. Throws vkdml::Error where the properties contradict each other. */
Use UseOf(const D3D12_HEAP_PROPERTIES &properties);

class Heap final : public Child<Heap, ID3D12Heap, ID3D12Pageable> {
  public:
    Heap(ID3D12Device *device, std::shared_ptr<Gpu> gpu, const D3D12_HEAP_DESC &desc);

    D3D12_HEAP_DESC STDMETHODCALLTYPE GetDesc() override {
        return desc_;
    }
    const std::shared_ptr<const Range> &range() const noexcept {
        return range_;
    }

  private:
    const D3D12_HEAP_DESC desc_;
    const std::shared_ptr<const Range> range_;
};

/** A buffer: a part of a range. */
class Resource final : public Child<Resource, ID3D12Resource, ID3D12Pageable> {
  public:
    /** @param offset from the range's first byte */
    Resource(ID3D12Device *device, std::shared_ptr<Gpu> gpu, const D3D12_RESOURCE_DESC &desc,
             const D3D12_HEAP_PROPERTIES &properties, D3D12_HEAP_FLAGS flags, std::shared_ptr<const Range> range,
             std::uint64_t offset);

    HRESULT STDMETHODCALLTYPE Map(UINT subresource, const D3D12_RANGE *readRange, void **data) override;
    void STDMETHODCALLTYPE Unmap(UINT subresource, const D3D12_RANGE *writtenRange) override;
    D3D12_RESOURCE_DESC STDMETHODCALLTYPE GetDesc() override {
        return desc_;
    }
    /** Not an address of the GPU's: for clients that compare addresses or add offsets to them. */
    D3D12_GPU_VIRTUAL_ADDRESS STDMETHODCALLTYPE GetGPUVirtualAddress() override {
        return range_->Address() + offset_;
    }
    HRESULT STDMETHODCALLTYPE WriteToSubresource(UINT, const D3D12_BOX *, const void *, UINT, UINT) override {
        return Refuse("ID3D12Resource::WriteToSubresource", "resources are buffers; use Map()");
    }
    HRESULT STDMETHODCALLTYPE ReadFromSubresource(void *, UINT, UINT, UINT, const D3D12_BOX *) override {
        return Refuse("ID3D12Resource::ReadFromSubresource", "resources are buffers; use Map()");
    }
    HRESULT STDMETHODCALLTYPE GetHeapProperties(D3D12_HEAP_PROPERTIES *properties, D3D12_HEAP_FLAGS *flags) override;

    VkBuffer buffer() const noexcept {
        return range_->buffer;
    }
    /** In the VkBuffer. */
    std::uint64_t offset() const noexcept {
        return range_->offset + offset_;
    }
    std::uint64_t bytes() const noexcept {
        return desc_.Width;
    }
    /** Whether a range is within the buffer. */
    bool Has(std::uint64_t offset, std::uint64_t count) const noexcept {
        return count <= bytes() && offset <= bytes() - count;
    }

  private:
    const D3D12_RESOURCE_DESC desc_;
    const D3D12_HEAP_PROPERTIES properties_;
    const D3D12_HEAP_FLAGS flags_;
    const std::shared_ptr<const Range> range_;
    const std::uint64_t offset_;
};

/** Casts an interface of this library to its object; NULL stays NULL. */
inline Resource *Of(ID3D12Resource *resource) noexcept {
    return static_cast<Resource *>(resource);
}

} // namespace vkdml::d3d12

#endif
