/* The functions that libd3d12.so exports. */
#include <algorithm>

#include "adapters.hpp"
#include "device.hpp"
#include "dxcore.hpp"

namespace vkdml::d3d12 {

namespace {

/** The adapter that a client chose: one of libdxcore.so's, or NULL for the best. Throws vkdml::Error. */
VkdmlPhysicalDeviceInfo FindAdapter(IUnknown *adapter) {
    const std::vector<VkdmlPhysicalDeviceInfo> all = abi::FindAdapters();
    if (all.empty()) {
        throw Error(VKDML_ERROR_INITIALIZATION_FAILED, "no Vulkan device that vkdml can use");
    }
    if (adapter == nullptr) {
        return all[0];
    }
    void *found = nullptr;
    LUID luid{};
    if (adapter->QueryInterface(__uuidof(IDXCoreAdapter), &found) != ok) {
        throw Error(VKDML_ERROR_INVALID_ARGUMENT, "pAdapter is not an IDXCoreAdapter");
    }
    auto *const known = static_cast<IDXCoreAdapter *>(found);
    const HRESULT result = known->GetProperty(DXCoreAdapterProperty::InstanceLuid, &luid);
    known->Release();
    const auto same = [&luid](const VkdmlPhysicalDeviceInfo &info) {
        const LUID own = abi::LuidOf(info);
        return own.LowPart == luid.LowPart && own.HighPart == luid.HighPart;
    };
    const auto chosen = std::find_if(all.begin(), all.end(), same);
    if (result != ok || chosen == all.end()) {
        throw Error(VKDML_ERROR_INVALID_ARGUMENT, "pAdapter is not one of libdxcore.so's adapters");
    }
    return *chosen;
}

} // namespace

} // namespace vkdml::d3d12

/** Without ppDevice it tells whether it would work, by S_FALSE. The minimum feature level is not checked: clients of
 * DirectML ask for 11_0 where 1_0_CORE would do. */
extern "C" VKDML_API HRESULT D3D12CreateDevice(IUnknown *adapter, D3D_FEATURE_LEVEL, REFIID riid, void **ppv) {
    using namespace vkdml;
    static const char method[] = "D3D12CreateDevice";
    abi::Empty(ppv);
    return abi::Guard(method, [&] {
        if (d3d12::Gpu::IsOpenInParent()) {
            throw Error(VKDML_ERROR_INITIALIZATION_FAILED,
                        "the process was forked after it had opened a device; open devices after the fork only");
        }
        const VkdmlPhysicalDeviceInfo info = d3d12::FindAdapter(adapter);
        return ppv != nullptr ? d3d12::CreateDevice(info, riid, ppv) : directml::detail::checked;
    });
}

/** There are no debug interfaces: VKDML_VALIDATION=1 turns Vulkan's validation layer on. */
extern "C" VKDML_API HRESULT D3D12GetDebugInterface(REFIID, void **ppv) {
    vkdml::abi::Empty(ppv);
    return vkdml::abi::noInterface;
}

/* Shaders and pipelines are not supported, and so neither are root signatures. Microsoft's libdirectml.so imports
 * D3D12SerializeVersionedRootSignature(). */

namespace {

HRESULT RefuseBlobs(const char *function, ID3DBlob **blob, ID3DBlob **error) {
    if (blob != nullptr) {
        *blob = nullptr;
    }
    if (error != nullptr) {
        *error = nullptr;
    }
    return vkdml::abi::Refuse(function, "shaders and pipelines are not supported");
}

HRESULT RefuseObject(const char *function, void **ppv) {
    vkdml::abi::Empty(ppv);
    return vkdml::abi::Refuse(function, "shaders and pipelines are not supported");
}

} // namespace

extern "C" VKDML_API HRESULT D3D12SerializeVersionedRootSignature(const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *,
                                                                  ID3DBlob **blob, ID3DBlob **error) {
    return RefuseBlobs("D3D12SerializeVersionedRootSignature", blob, error);
}

extern "C" VKDML_API HRESULT D3D12SerializeRootSignature(const D3D12_ROOT_SIGNATURE_DESC *, D3D_ROOT_SIGNATURE_VERSION,
                                                         ID3DBlob **blob, ID3DBlob **error) {
    return RefuseBlobs("D3D12SerializeRootSignature", blob, error);
}

extern "C" VKDML_API HRESULT D3D12CreateRootSignatureDeserializer(LPCVOID, SIZE_T, REFIID, void **ppv) {
    return RefuseObject("D3D12CreateRootSignatureDeserializer", ppv);
}

extern "C" VKDML_API HRESULT D3D12CreateVersionedRootSignatureDeserializer(LPCVOID, SIZE_T, REFIID, void **ppv) {
    return RefuseObject("D3D12CreateVersionedRootSignatureDeserializer", ppv);
}

extern "C" VKDML_API HRESULT D3D12EnableExperimentalFeatures(UINT, const IID *, void *, UINT *) {
    return vkdml::abi::Refuse("D3D12EnableExperimentalFeatures", "there are none");
}

extern "C" VKDML_API HRESULT D3D12GetInterface(REFCLSID, REFIID, void **ppv) {
    vkdml::abi::Empty(ppv);
    return vkdml::abi::noInterface;
}
