/* libdirectml.so: DirectML's objects (vkdml/directml.hpp) over those of libd3d12.so. */
#include "com.hpp"

namespace vkdml::abi {

namespace {

/** Translates the objects of libd3d12.so for the interfaces of directml.hpp. */
class NativeObjects final : public directml::detail::Objects {
  public:
    explicit NativeObjects(IVkdmlDevice *device) : device_(device) {
    }

    VkdmlBufferBinding Binding(const DML_BUFFER_BINDING &binding) override {
        UINT64 offset = 0;
        const VkBuffer buffer = device_->GetBuffer(binding.Buffer, &offset);
        return {buffer, offset + binding.Offset, binding.SizeInBytes};
    }
    VkCommandBuffer Commands(ID3D12CommandList *list) override {
        return device_->GetCommands(list);
    }
    void Keep(ID3D12CommandList *list, const std::shared_ptr<const void> &object) override {
        Check(device_->Keep(list, object));
    }
    void Use(ID3D12CommandList *list, const VkdmlBufferBinding &range, std::uint64_t written) override {
        if (range.buffer != VK_NULL_HANDLE) {
            Check(device_->Use(list, range, written));
        }
    }
    VkdmlBufferBinding Copy(ID3D12CommandList *list, const VkdmlBufferBinding &from) override {
        return device_->Copy(list, from);
    }
    /** TensorFlow's plugin records an operator right after its initializer without a barrier (ResourceScatterMul). */
    void EndInitialization(ID3D12CommandList *list) override {
        device_->Barrier(list);
    }

  private:
    static void Check(HRESULT result) {
        if (result != ok) {
            throw std::bad_alloc();
        }
    }

    IVkdmlDevice *const device_; /**< of the parent, to which directml.hpp's device keeps a reference */
};

HRESULT CreateDevice(ID3D12Device *parent, DML_FEATURE_LEVEL minimum, REFIID riid, void **ppv) {
    void *found = nullptr;
    if (parent == nullptr || parent->QueryInterface(__uuidof(IVkdmlDevice), &found) != ok) {
        Log("DMLCreateDevice: d3d12Device is not a device of vkdml's libd3d12.so");
        return invalid;
    }
    auto *const device = static_cast<IVkdmlDevice *>(found);
    device->Release(); // the caller has a reference
    if (minimum > vkdmlGetFeatureLevel(device->GetVkdmlDevice())) {
        Log("DMLCreateDevice1: minimumFeatureLevel is 0x%x, the device has 0x%x", static_cast<unsigned>(minimum),
            static_cast<unsigned>(vkdmlGetFeatureLevel(device->GetVkdmlDevice())));
        return unsupported;
    }
    return directml::CreateDevice(device->GetVkdmlDevice(), riid, ppv, parent, std::make_unique<NativeObjects>(device));
}

} // namespace

} // namespace vkdml::abi

extern "C" VKDML_API HRESULT DMLCreateDevice1(ID3D12Device *parent, DML_CREATE_DEVICE_FLAGS, DML_FEATURE_LEVEL minimum,
                                              REFIID riid, void **ppv) {
    if (ppv != nullptr) {
        *ppv = nullptr;
    }
    return vkdml::abi::Guard("DMLCreateDevice1", [&] { return vkdml::abi::CreateDevice(parent, minimum, riid, ppv); });
}

extern "C" VKDML_API HRESULT DMLCreateDevice(ID3D12Device *parent, DML_CREATE_DEVICE_FLAGS flags, REFIID riid,
                                             void **ppv) {
    return DMLCreateDevice1(parent, flags, DML_FEATURE_LEVEL_1_0, riid, ppv);
}
