/* libdxcore.so: the Vulkan devices as adapters. */
#include <algorithm>
#include <array>
#include <cstring>

#include "adapters.hpp"
#include "dxcore.hpp"

namespace vkdml::dxcore {

using abi::Counted;
using abi::Guard;
using abi::invalid;
using abi::noInterface;
using abi::notImplemented;
using abi::ok;
using abi::Reference;
using abi::Refuse;

class Adapter final : public Counted<Adapter, IDXCoreAdapter> {
  public:
    explicit Adapter(const VkdmlPhysicalDeviceInfo &info) : info_(info) {
    }

    bool STDMETHODCALLTYPE IsValid() override {
        return true;
    }
    /** Core compute only: there are no shaders for graphics. DirectML's clients ask for graphics too, to find devices
     * of adapters that display; they create no graphics. */
    bool STDMETHODCALLTYPE IsAttributeSupported(REFGUID attribute) override {
        return attribute == compute || attribute == graphics;
    }
    bool STDMETHODCALLTYPE IsPropertySupported(DXCoreAdapterProperty property) override {
        bool supported = false;
        (void)Guard("IDXCoreAdapter::IsPropertySupported", [&] {
            supported = !Property(property).empty();
            return ok;
        });
        return supported;
    }
    HRESULT STDMETHODCALLTYPE GetProperty(DXCoreAdapterProperty property, std::size_t size, void *data) override {
        return Guard("IDXCoreAdapter::GetProperty", [&] {
            const std::vector<unsigned char> value = Property(property);
            if (value.empty() || data == nullptr || size < value.size()) {
                return value.empty() ? Unsupported("property", static_cast<int>(property)) : invalid;
            }
            std::memcpy(data, value.data(), value.size());
            return ok;
        });
    }
    HRESULT STDMETHODCALLTYPE GetPropertySize(DXCoreAdapterProperty property, std::size_t *size) override {
        return Guard("IDXCoreAdapter::GetPropertySize", [&] {
            const std::vector<unsigned char> value = Property(property);
            if (value.empty() || size == nullptr) {
                return value.empty() ? Unsupported("property", static_cast<int>(property)) : invalid;
            }
            *size = value.size();
            return ok;
        });
    }
    bool STDMETHODCALLTYPE IsQueryStateSupported(DXCoreAdapterState state) override {
        return state == DXCoreAdapterState::AdapterMemoryBudget ||
               state == DXCoreAdapterState::IsDriverUpdateInProgress;
    }
    HRESULT STDMETHODCALLTYPE QueryState(DXCoreAdapterState state, std::size_t inputSize, const void *input,
                                         std::size_t outputSize, void *output) override;
    bool STDMETHODCALLTYPE IsSetStateSupported(DXCoreAdapterState) override {
        return false;
    }
    HRESULT STDMETHODCALLTYPE SetState(DXCoreAdapterState, std::size_t, const void *, std::size_t,
                                       const void *) override {
        return Refuse("IDXCoreAdapter::SetState");
    }
    HRESULT STDMETHODCALLTYPE GetFactory(REFIID riid, void **ppv) override;

    bool IsIntegrated() const noexcept {
        return abi::SharesMemory(info_);
    }
    LUID Luid() const {
        return abi::LuidOf(info_);
    }

  private:
    static HRESULT Unsupported(const char *what, int number) {
        abi::Log("IDXCoreAdapter: %s %d is not supported", what, number);
        return abi::unsupported;
    }
    /** The bytes of a property; none: it is not supported. */
    std::vector<unsigned char> Property(DXCoreAdapterProperty property) const;

    const VkdmlPhysicalDeviceInfo info_;
};

namespace {

template <typename Value> std::vector<unsigned char> BytesOf(const Value &value) {
    const auto *const bytes = reinterpret_cast<const unsigned char *>(&value);
    return {bytes, bytes + sizeof value};
}

} // namespace

std::vector<unsigned char> Adapter::Property(DXCoreAdapterProperty property) const {
    switch (property) {
    case DXCoreAdapterProperty::InstanceLuid:
        return BytesOf(Luid());
    case DXCoreAdapterProperty::DriverVersion: // vkdml does not know the driver's: Vulkan's
        return BytesOf(std::uint64_t{info_.apiVersion});
    case DXCoreAdapterProperty::DriverDescription:
        return {info_.name, info_.name + std::strlen(info_.name) + 1};
    case DXCoreAdapterProperty::HardwareID:
        return BytesOf(DXCoreHardwareID{info_.vendorId, info_.deviceId, 0, 0});
    case DXCoreAdapterProperty::HardwareIDParts:
        return BytesOf(DXCoreHardwareIDParts{info_.vendorId, info_.deviceId, 0, 0, 0});
    case DXCoreAdapterProperty::DedicatedAdapterMemory:
        return BytesOf(IsIntegrated() ? std::uint64_t{0} : info_.deviceLocalBytes);
    case DXCoreAdapterProperty::DedicatedSystemMemory:
        return BytesOf(std::uint64_t{0});
    case DXCoreAdapterProperty::SharedSystemMemory:
        return BytesOf(IsIntegrated() ? info_.deviceLocalBytes : std::uint64_t{0});
    case DXCoreAdapterProperty::AcgCompatible:
    case DXCoreAdapterProperty::IsDetachable:
        return BytesOf(false);
    case DXCoreAdapterProperty::IsHardware: // clients skip an adapter that is software
        return BytesOf(true);
    case DXCoreAdapterProperty::IsIntegrated:
        return BytesOf(IsIntegrated());
    default:
        return {};
    }
}

/** The memory budget of a process is the size of the heap: Vulkan reports budgets only with an extension. */
HRESULT STDMETHODCALLTYPE Adapter::QueryState(DXCoreAdapterState state, std::size_t inputSize, const void *input,
                                              std::size_t outputSize, void *output) {
    if (state == DXCoreAdapterState::IsDriverUpdateInProgress && output != nullptr && outputSize >= sizeof(bool)) {
        std::memset(output, 0, sizeof(bool));
        return ok;
    }
    const auto *const asked = static_cast<const DXCoreAdapterMemoryBudgetNodeSegmentGroup *>(input);
    if (state != DXCoreAdapterState::AdapterMemoryBudget || output == nullptr || asked == nullptr ||
        inputSize < sizeof *asked || outputSize < sizeof(DXCoreAdapterMemoryBudget)) {
        return state != DXCoreAdapterState::AdapterMemoryBudget ? Unsupported("state", static_cast<int>(state))
                                                                : invalid;
    }
    const bool has = asked->segmentGroup == DXCoreSegmentGroup::Local;
    *static_cast<DXCoreAdapterMemoryBudget *>(output) = {has ? info_.deviceLocalBytes : 0, 0, 0, 0};
    return ok;
}

class AdapterList final : public Counted<AdapterList, IDXCoreAdapterList> {
  public:
    explicit AdapterList(std::vector<Reference<Adapter>> adapters) : adapters_(std::move(adapters)) {
    }

    HRESULT STDMETHODCALLTYPE GetAdapter(std::uint32_t index, REFIID riid, void **ppv) override {
        abi::Empty(ppv);
        return ppv == nullptr || index >= adapters_.size() ? invalid : adapters_[index]->QueryInterface(riid, ppv);
    }
    std::uint32_t STDMETHODCALLTYPE GetAdapterCount() override {
        return static_cast<std::uint32_t>(adapters_.size());
    }
    bool STDMETHODCALLTYPE IsStale() override {
        return false;
    }
    HRESULT STDMETHODCALLTYPE GetFactory(REFIID riid, void **ppv) override;
    /** Adapters are in vkdml's order, the best first, unless power is preferred first. */
    HRESULT STDMETHODCALLTYPE Sort(std::uint32_t count, const DXCoreAdapterPreference *preferences) override {
        if (count != 0 && preferences == nullptr) {
            return invalid;
        }
        if (count != 0 && preferences[0] == DXCoreAdapterPreference::MinimumPower) {
            std::stable_partition(adapters_.begin(), adapters_.end(),
                                  [](const Reference<Adapter> &adapter) { return adapter->IsIntegrated(); });
        }
        return ok;
    }
    bool STDMETHODCALLTYPE IsAdapterPreferenceSupported(DXCoreAdapterPreference preference) override {
        return preference == DXCoreAdapterPreference::Hardware || preference == DXCoreAdapterPreference::MinimumPower ||
               preference == DXCoreAdapterPreference::HighPerformance;
    }

  private:
    std::vector<Reference<Adapter>> adapters_;
};

class Factory final : public Counted<Factory, IDXCoreAdapterFactory> {
  public:
    HRESULT STDMETHODCALLTYPE CreateAdapterList(std::uint32_t count, const GUID *attributes, REFIID riid,
                                                void **ppv) override {
        abi::Empty(ppv);
        if (ppv == nullptr || count == 0 || attributes == nullptr) {
            return invalid;
        }
        return Guard("IDXCoreAdapterFactory::CreateAdapterList", [&] {
            std::vector<Reference<Adapter>> adapters;
            for (Reference<Adapter> &adapter : All()) {
                const auto supported = [&](const GUID &guid) { return adapter->IsAttributeSupported(guid); };
                if (std::all_of(attributes, attributes + count, supported)) {
                    adapters.push_back(std::move(adapter));
                }
            }
            return (new AdapterList(std::move(adapters)))->Give(riid, ppv);
        });
    }
    HRESULT STDMETHODCALLTYPE GetAdapterByLuid(const LUID &luid, REFIID riid, void **ppv) override {
        if (ppv == nullptr) {
            return invalid;
        }
        *ppv = nullptr;
        return Guard("IDXCoreAdapterFactory::GetAdapterByLuid", [&] {
            for (const Reference<Adapter> &adapter : All()) {
                const LUID own = adapter->Luid();
                if (own.LowPart == luid.LowPart && own.HighPart == luid.HighPart) {
                    return adapter->QueryInterface(riid, ppv);
                }
            }
            return invalid;
        });
    }
    bool STDMETHODCALLTYPE IsNotificationTypeSupported(DXCoreNotificationType) override {
        return false;
    }
    HRESULT STDMETHODCALLTYPE RegisterEventNotification(IUnknown *, DXCoreNotificationType,
                                                        PFN_DXCORE_NOTIFICATION_CALLBACK, void *,
                                                        std::uint32_t *) override {
        return Refuse("IDXCoreAdapterFactory::RegisterEventNotification");
    }
    HRESULT STDMETHODCALLTYPE UnregisterEventNotification(std::uint32_t) override {
        return Refuse("IDXCoreAdapterFactory::UnregisterEventNotification");
    }

  private:
    static std::vector<Reference<Adapter>> All() {
        std::vector<Reference<Adapter>> adapters;
        for (const VkdmlPhysicalDeviceInfo &info : abi::FindAdapters()) {
            adapters.push_back(Reference<Adapter>::Own(new Adapter(info)));
        }
        return adapters;
    }
};

namespace {

HRESULT CreateFactory(REFIID riid, void **ppv) {
    if (ppv == nullptr) {
        return invalid;
    }
    *ppv = nullptr;
    return Guard("DXCoreCreateAdapterFactory", [&] { return (new Factory)->Give(riid, ppv); });
}

} // namespace

HRESULT STDMETHODCALLTYPE Adapter::GetFactory(REFIID riid, void **ppv) {
    return CreateFactory(riid, ppv);
}

HRESULT STDMETHODCALLTYPE AdapterList::GetFactory(REFIID riid, void **ppv) {
    return CreateFactory(riid, ppv);
}

} // namespace vkdml::dxcore

extern "C" VKDML_API HRESULT DXCoreCreateAdapterFactory(REFIID riid, void **ppv) {
    return vkdml::dxcore::CreateFactory(riid, ppv);
}
