/* Bases of the objects of Direct3D 12. */
#ifndef VKDML_DIRECTML_D3D12_OBJECT_HPP
#define VKDML_DIRECTML_D3D12_OBJECT_HPP

#include "gpu.hpp"

namespace vkdml::d3d12 {

using abi::failed;
using abi::Guard;
using abi::invalid;
using abi::noInterface;
using abi::notImplemented;
using abi::ok;
using abi::outOfMemory;
using abi::Reference;
using abi::Refuse;
using abi::unsupported;

/** An object with private data and a name. */
template <typename Derived, typename Interface, typename... Inherited>
class Object : public abi::Counted<Derived, Interface, Inherited..., ID3D12Object> {
  public:
    HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, UINT *dataSize, void *data) override {
        return data_.Get(guid, dataSize, data);
    }
    HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID guid, UINT dataSize, const void *data) override {
        return Guard("ID3D12Object::SetPrivateData", [&] { return data_.Set(guid, dataSize, data); });
    }
    HRESULT STDMETHODCALLTYPE SetPrivateDataInterface(REFGUID guid, const IUnknown *data) override {
        return Guard("ID3D12Object::SetPrivateDataInterface", [&] {
            return data_.SetInterface(guid, const_cast<IUnknown *>(data)); // to count its references
        });
    }
    HRESULT STDMETHODCALLTYPE SetName(LPCWSTR name) override {
        return Guard("ID3D12Object::SetName", [&] { return data_.SetName(name); });
    }

  protected:
    ~Object() = default;

  private:
    abi::PrivateData data_;
};

/** An object that keeps its device alive. */
template <typename Derived, typename Interface, typename... Inherited>
class Child : public Object<Derived, Interface, Inherited..., ID3D12DeviceChild> {
  public:
    HRESULT STDMETHODCALLTYPE GetDevice(REFIID riid, void **ppv) override {
        return ppv != nullptr ? device_->QueryInterface(riid, ppv) : invalid;
    }

    /** Objects of different Vulkan devices must not meet. */
    bool IsOf(const std::shared_ptr<Gpu> &gpu) const noexcept {
        return gpu_ == gpu;
    }

  protected:
    Child(ID3D12Device *device, std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)), device_(device) {
    }
    ~Child() = default;

    const std::shared_ptr<Gpu> gpu_;

  private:
    const Reference<ID3D12Device> device_;
};

} // namespace vkdml::d3d12

#endif
