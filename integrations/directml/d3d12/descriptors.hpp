/* Descriptor heaps. DirectML's tables have descriptors of their own, so a heap here holds only what
 * ClearUnorderedAccessView..() needs. */
#ifndef VKDML_DIRECTML_D3D12_DESCRIPTORS_HPP
#define VKDML_DIRECTML_D3D12_DESCRIPTORS_HPP

#include <cstdlib>

#include "resource.hpp"

namespace vkdml::d3d12 {

/** A descriptor; descriptor handles are pointers to it. */
struct Descriptor {
    const void *resource; /**< NULL: there is none. Never dereferenced: it may have been released. */
    D3D12_UNORDERED_ACCESS_VIEW_DESC view;
};

class DescriptorHeap final : public Child<DescriptorHeap, ID3D12DescriptorHeap, ID3D12Pageable> {
  public:
    /** Heaps may be large and mostly unused: memory that calloc() gives is not touched. Throws std::bad_alloc. */
    DescriptorHeap(ID3D12Device *device, std::shared_ptr<Gpu> gpu, const D3D12_DESCRIPTOR_HEAP_DESC &desc)
        : Child(device, std::move(gpu)), desc_(desc),
          descriptors_(static_cast<Descriptor *>(std::calloc(desc.NumDescriptors, sizeof(Descriptor)))) {
        if (descriptors_ == nullptr) {
            throw std::bad_alloc();
        }
    }

    D3D12_DESCRIPTOR_HEAP_DESC STDMETHODCALLTYPE GetDesc() override {
        return desc_;
    }
    D3D12_CPU_DESCRIPTOR_HANDLE STDMETHODCALLTYPE GetCPUDescriptorHandleForHeapStart() override {
        return {reinterpret_cast<SIZE_T>(descriptors_.get())};
    }
    /** Returns 0 if the heap is not shader-visible. */
    D3D12_GPU_DESCRIPTOR_HANDLE STDMETHODCALLTYPE GetGPUDescriptorHandleForHeapStart() override {
        const bool visible = (desc_.Flags & D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE) != 0;
        return {visible ? reinterpret_cast<UINT64>(descriptors_.get()) : 0};
    }

  private:
    const D3D12_DESCRIPTOR_HEAP_DESC desc_;
    struct Free {
        void operator()(Descriptor *descriptors) const noexcept {
            std::free(descriptors);
        }
    };
    const std::unique_ptr<Descriptor[], Free> descriptors_;
};

inline Descriptor *Of(D3D12_CPU_DESCRIPTOR_HANDLE handle) noexcept {
    return reinterpret_cast<Descriptor *>(handle.ptr);
}

} // namespace vkdml::d3d12

#endif
