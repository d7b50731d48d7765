/**
 * @file directml.hpp
 * @brief Optional: IDMLDevice and the rest of DirectML's interfaces over vkdml, in C++17. Header only.
 *
 * For code that is written for these interfaces and is to stay as it is: reference counts, QueryInterface() by the
 * published GUIDs, HRESULTs, IID_PPV_ARGS, ComPtr. It needs directx-headers (Debian: directx-headers-dev, found by
 * `pkg-config --cflags DirectX-Headers`), which have Direct3D 12's names on Linux. From 1.614 on they also have a
 * DirectML.h, which may be included before or after this header: the first one declares the interfaces.
 *
 *     Microsoft::WRL::ComPtr<IDMLDevice1> device;
 *     vkdml::directml::CreateDevice(vkdmlDevice, IID_PPV_ARGS(&device)); // in the place of DMLCreateDevice()
 *     device->CompileGraph(&desc, DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled));
 *
 * **What is not Direct3D 12.** There are no resources, command lists and descriptor heaps: Vulkan's handles stand in
 * their places. AsResource() of a VkBuffer is what DML_BUFFER_BINDING::Buffer takes, AsCommandList() of a
 * VkCommandBuffer what RecordDispatch() takes. They are handles under another type, no objects: nothing may be called
 * on them, AddRef() included. GetParentDevice() gives the object that CreateDevice() was given; GetDevice() of this
 * header lends the VkdmlDevice.
 *
 * **Lifetimes.** The descriptor handles in DML_BINDING_TABLE_DESC are not read: tables have descriptors of their own.
 * A command list keeps the descriptors and the dispatchables that were recorded into it. So a binding table may be
 * released or reset, and its range of descriptors used again, as soon as RecordDispatch() has returned; a dispatchable
 * may be released then too. A binding table has a reference to its dispatchable. ReleaseRecorded() ends this: call it
 * where a DirectML client resets its command allocator, when a command buffer (or its pool) has been reset or before it
 * is freed. Execute() does so by itself. Without these calls the device keeps what was recorded until its last
 * reference is released. Descriptors that are released are kept for the same dispatchable's next table, at most 1,024
 * tables of a device. Buffers, and this device or an object made by it, outlive the execution, as in DirectML.
 *
 * **Processes.** A child of fork() must not use objects of its parent. It may release them, as Python does at its end:
 * they are then left as they are, because the threads of the driver exist only in the parent.
 *
 * **Failures.** vkdmlGetErrorMessage() has the reason of the calling thread's latest one. Where DirectML returns void
 * and removes the device, so does this: GetDeviceRemovedReason() then tells the HRESULT, GetRemovedMessage() why, and
 * RecordDispatch() records nothing more.
 *
 * No exception leaves a method of an interface or CreateDevice(). Where memory runs out inside the standard library,
 * methods return E_OUTOFMEMORY, and those that return nothing remove the device.
 *
 * Threads are DirectML's: a device and what it makes may be used by several, binding tables and recorders by one at a
 * time.
 */
#ifndef VKDML_DIRECTML_HPP
#define VKDML_DIRECTML_HPP

#ifdef _WIN32
#include <d3d12.h>
#elif __has_include(<wsl/winadapter.h>) && __has_include(<directx/d3d12.h>)
#include <wsl/winadapter.h>

#include <directx/d3d12.h>
#else
#error "vkdml/directml.hpp needs directx-headers (Debian: directx-headers-dev)"
#endif

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <cwchar>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#ifndef _WIN32
#include <pthread.h>
#endif

#include "vkdml/vkdml.hpp"

static_assert(sizeof(VkBuffer) == sizeof(ID3D12Resource *), "where handles are no pointers, they fit in none");

/** @cond */
/* DirectML documents them. */
#ifdef VKDML_DECLARES_DIRECTML   /* and not the real DirectML.h */
#ifndef VKDML_BINDING_TABLE_DESC /* vkdml.h came before d3d12.h */
#define VKDML_BINDING_TABLE_DESC
struct DML_BINDING_TABLE_DESC {
    IDMLDispatchable *Dispatchable;
    D3D12_CPU_DESCRIPTOR_HANDLE CPUDescriptorHandle;
    D3D12_GPU_DESCRIPTOR_HANDLE GPUDescriptorHandle;
    UINT SizeInDescriptors;
};
#endif

/* ---- DirectML's interfaces: names, order of functions and GUIDs are DirectML.h's ---- */

struct IDMLObject : IUnknown {
    virtual HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, UINT *dataSize, void *data) = 0;
    virtual HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID guid, UINT dataSize, const void *data) = 0;
    virtual HRESULT STDMETHODCALLTYPE SetPrivateDataInterface(REFGUID guid, IUnknown *data) = 0;
    virtual HRESULT STDMETHODCALLTYPE SetName(const wchar_t *name) = 0;
};

struct IDMLDevice : IDMLObject {
    virtual HRESULT STDMETHODCALLTYPE CheckFeatureSupport(DML_FEATURE feature, UINT featureQueryDataSize,
                                                          const void *featureQueryData, UINT featureSupportDataSize,
                                                          void *featureSupportData) = 0;
    virtual HRESULT STDMETHODCALLTYPE CreateOperator(const DML_OPERATOR_DESC *desc, REFIID riid, void **ppv) = 0;
    virtual HRESULT STDMETHODCALLTYPE CompileOperator(IDMLOperator *op, DML_EXECUTION_FLAGS flags, REFIID riid,
                                                      void **ppv) = 0;
    virtual HRESULT STDMETHODCALLTYPE CreateOperatorInitializer(UINT operatorCount,
                                                                IDMLCompiledOperator *const *operators, REFIID riid,
                                                                void **ppv) = 0;
    virtual HRESULT STDMETHODCALLTYPE CreateCommandRecorder(REFIID riid, void **ppv) = 0;
    virtual HRESULT STDMETHODCALLTYPE CreateBindingTable(const DML_BINDING_TABLE_DESC *desc, REFIID riid,
                                                         void **ppv) = 0;
    virtual HRESULT STDMETHODCALLTYPE Evict(UINT count, IDMLPageable *const *ppObjects) = 0;
    virtual HRESULT STDMETHODCALLTYPE MakeResident(UINT count, IDMLPageable *const *ppObjects) = 0;
    virtual HRESULT STDMETHODCALLTYPE GetDeviceRemovedReason() = 0;
    virtual HRESULT STDMETHODCALLTYPE GetParentDevice(REFIID riid, void **ppv) = 0;
};

struct IDMLDevice1 : IDMLDevice {
    virtual HRESULT STDMETHODCALLTYPE CompileGraph(const DML_GRAPH_DESC *desc, DML_EXECUTION_FLAGS flags, REFIID riid,
                                                   void **ppv) = 0;
};

struct IDMLDeviceChild : IDMLObject {
    virtual HRESULT STDMETHODCALLTYPE GetDevice(REFIID riid, void **ppv) = 0;
};

struct IDMLPageable : IDMLDeviceChild {};

struct IDMLOperator : IDMLDeviceChild {};

struct IDMLDispatchable : IDMLPageable {
    virtual DML_BINDING_PROPERTIES STDMETHODCALLTYPE GetBindingProperties() = 0;
};

struct IDMLCompiledOperator : IDMLDispatchable {};

struct IDMLOperatorInitializer : IDMLDispatchable {
    virtual HRESULT STDMETHODCALLTYPE Reset(UINT operatorCount, IDMLCompiledOperator *const *operators) = 0;
};

struct IDMLBindingTable : IDMLDeviceChild {
    virtual void STDMETHODCALLTYPE BindInputs(UINT bindingCount, const DML_BINDING_DESC *bindings) = 0;
    virtual void STDMETHODCALLTYPE BindOutputs(UINT bindingCount, const DML_BINDING_DESC *bindings) = 0;
    virtual void STDMETHODCALLTYPE BindTemporaryResource(const DML_BINDING_DESC *binding) = 0;
    virtual void STDMETHODCALLTYPE BindPersistentResource(const DML_BINDING_DESC *binding) = 0;
    virtual HRESULT STDMETHODCALLTYPE Reset(const DML_BINDING_TABLE_DESC *desc) = 0;
};

struct IDMLCommandRecorder : IDMLDeviceChild {
    virtual void STDMETHODCALLTYPE RecordDispatch(ID3D12CommandList *commandList, IDMLDispatchable *dispatchable,
                                                  IDMLBindingTable *bindings) = 0;
};

struct IDMLDebugDevice : IUnknown {
    virtual void STDMETHODCALLTYPE SetMuteDebugOutput(BOOL mute) = 0;
};
#endif

#if defined(VKDML_DECLARES_DIRECTML) || !defined(_WIN32) /* the real DirectML.h has GUIDs only on Windows */
__CRT_UUID_DECL(IDMLObject, 0xc8263aac, 0x9e0c, 0x4a2d, 0x9b, 0x8e, 0x00, 0x75, 0x21, 0xa3, 0x31, 0x7c)
__CRT_UUID_DECL(IDMLDevice, 0x6dbd6437, 0x96fd, 0x423f, 0xa9, 0x8c, 0xae, 0x5e, 0x7c, 0x2a, 0x57, 0x3f)
__CRT_UUID_DECL(IDMLDevice1, 0xa0884f9a, 0xd2be, 0x4355, 0xaa, 0x5d, 0x59, 0x01, 0x28, 0x1a, 0xd1, 0xd2)
__CRT_UUID_DECL(IDMLDeviceChild, 0x27e83142, 0x8165, 0x49e3, 0x97, 0x4e, 0x2f, 0xd6, 0x6e, 0x4c, 0xb6, 0x9d)
__CRT_UUID_DECL(IDMLPageable, 0xb1ab0825, 0x4542, 0x4a4b, 0x86, 0x17, 0x6d, 0xde, 0x6e, 0x8f, 0x62, 0x01)
__CRT_UUID_DECL(IDMLOperator, 0x26caae7a, 0x3081, 0x4633, 0x95, 0x81, 0x22, 0x6f, 0xbe, 0x57, 0x69, 0x5d)
__CRT_UUID_DECL(IDMLDispatchable, 0xdcb821a8, 0x1039, 0x441e, 0x9f, 0x1c, 0xb1, 0x75, 0x9c, 0x2f, 0x3c, 0xec)
__CRT_UUID_DECL(IDMLCompiledOperator, 0x6b15e56a, 0xbf5c, 0x4902, 0x92, 0xd8, 0xda, 0x3a, 0x65, 0x0a, 0xfe, 0xa4)
__CRT_UUID_DECL(IDMLOperatorInitializer, 0x427c1113, 0x435c, 0x469c, 0x86, 0x76, 0x4d, 0x5d, 0xd0, 0x72, 0xf8, 0x13)
__CRT_UUID_DECL(IDMLBindingTable, 0x29c687dc, 0xde74, 0x4e3b, 0xab, 0x00, 0x11, 0x68, 0xf2, 0xfc, 0x3c, 0xfc)
__CRT_UUID_DECL(IDMLCommandRecorder, 0xe6857a76, 0x2e3e, 0x4fdd, 0xbf, 0xf4, 0x5d, 0x2b, 0xa1, 0x0f, 0xb4, 0x53)
__CRT_UUID_DECL(IDMLDebugDevice, 0x7d6f3ac9, 0x394a, 0x4ac3, 0x92, 0xa7, 0x39, 0x0c, 0xc5, 0x7a, 0x82, 0x17)
#endif

/** @endcond */

/** DirectML's interfaces over vkdml. */
namespace vkdml::directml {

/** What DML_BUFFER_BINDING::Buffer takes: the handle, no object. */
inline ID3D12Resource *AsResource(VkBuffer buffer) noexcept {
    return reinterpret_cast<ID3D12Resource *>(buffer);
}

/** What IDMLCommandRecorder::RecordDispatch() takes: the handle, no object. */
inline ID3D12CommandList *AsCommandList(VkCommandBuffer commands) noexcept {
    return reinterpret_cast<ID3D12CommandList *>(commands);
}

/** The HRESULT for what a call of the C API returned. */
inline HRESULT AsHresult(VkdmlResult result) noexcept {
    const auto code = [](std::uint32_t bits) { return static_cast<HRESULT>(bits); };
    switch (result) {
    case VKDML_SUCCESS:
        return code(0);
    case VKDML_ERROR_INVALID_ARGUMENT:
        return code(0x80070057u); // E_INVALIDARG
    case VKDML_ERROR_OUT_OF_HOST_MEMORY:
    case VKDML_ERROR_OUT_OF_DEVICE_MEMORY:
        return code(0x8007000Eu); // E_OUTOFMEMORY
    case VKDML_ERROR_NOT_IMPLEMENTED:
    case VKDML_ERROR_FEATURE_NOT_PRESENT:
    case VKDML_ERROR_LIMIT_EXCEEDED:
        return code(0x887A0004u); // DXGI_ERROR_UNSUPPORTED
    case VKDML_ERROR_DEVICE_LOST:
        return code(0x887A0005u); // DXGI_ERROR_DEVICE_REMOVED
    default:
        return code(0x80004005u); // E_FAIL
    }
}

/** @cond */
/* What stands behind the interfaces. Not for programs. */
namespace detail {

/* Codes as constants: the macros of headers cast in C's manner. */
inline const HRESULT ok = AsHresult(VKDML_SUCCESS), invalid = AsHresult(VKDML_ERROR_INVALID_ARGUMENT),
                     outOfMemory = AsHresult(VKDML_ERROR_OUT_OF_HOST_MEMORY),
                     checked = static_cast<HRESULT>(1), // S_FALSE: it would work
    noInterface = static_cast<HRESULT>(0x80004002u), notFound = static_cast<HRESULT>(0x887A0002u),
                     moreData = static_cast<HRESULT>(0x887A0003u);

/** Calls a function and returns its HRESULT. Exceptions become HRESULTs: none may leave a method of an interface. */
template <typename Function> HRESULT Guarded(Function function) noexcept {
#ifdef VKDML_HPP_NO_EXCEPTIONS
    return function();
#else
    try {
        return function();
    } catch (const std::bad_alloc &) {
        return outOfMemory;
    } catch (...) {
        return AsHresult(VKDML_ERROR_DRIVER); // E_FAIL
    }
#endif
}

/** How many forks there are between the process that called this first and the current one. Takes no lock. */
inline unsigned CountForks() noexcept {
#ifdef _WIN32
    return 0;
#else
    static std::atomic<unsigned> forks{0};
    static const int registered = pthread_atfork(nullptr, nullptr, [] { ++forks; });
    return registered == 0 ? forks.load(std::memory_order_relaxed) : 0;
#endif
}

/** Data that an application attaches to an object by GUID. Thread-safe. */
class PrivateData {
  public:
    PrivateData() = default;
    PrivateData(const PrivateData &) = delete;
    PrivateData &operator=(const PrivateData &) = delete;
    ~PrivateData() {
        for (Entry &entry : entries_) {
            entry.Drop();
        }
    }

    HRESULT Get(REFGUID guid, UINT *dataSize, void *data) {
        const std::lock_guard<std::mutex> guard(mutex_);
        Entry *const found = Find(guid);
        if (found == nullptr || dataSize == nullptr) {
            return found == nullptr ? notFound : invalid;
        }
        const UINT size = static_cast<UINT>(found->bytes.size()), room = *dataSize;
        *dataSize = size;
        if (data == nullptr) {
            return ok;
        }
        if (room < size) {
            return moreData;
        }
        std::memcpy(data, found->bytes.data(), size);
        if (found->object != nullptr) {
            found->object->AddRef();
        }
        return ok;
    }
    HRESULT Set(REFGUID guid, UINT dataSize, const void *data) noexcept {
        return Keep(guid, dataSize, data, nullptr);
    }
    HRESULT SetInterface(REFGUID guid, IUnknown *data) noexcept {
        return Keep(guid, sizeof data, data != nullptr ? &data : nullptr, data);
    }
    HRESULT SetName(const wchar_t *name) noexcept {
        static const GUID guid = {0x4cca5fd8, 0x921f, 0x42c8, {0x85, 0x66, 0x70, 0xca, 0xf2, 0xa9, 0xb7, 0x41}};
        return Keep(guid, name != nullptr ? static_cast<UINT>((std::wcslen(name) + 1) * sizeof *name) : 0, name,
                    nullptr);
    }

  private:
    struct Entry {
        GUID guid;
        std::vector<unsigned char> bytes;
        IUnknown *object;

        void Drop() {
            if (object != nullptr) {
                object->Release();
            }
        }
    };

    Entry *Find(REFGUID guid) {
        for (Entry &entry : entries_) {
            if (entry.guid == guid) {
                return &entry;
            }
        }
        return nullptr;
    }

    /** Leaves the earlier data in place if it fails. */
    HRESULT Keep(REFGUID guid, UINT size, const void *data, IUnknown *object) noexcept {
        return Guarded([&] {
            const unsigned char *const bytes = static_cast<const unsigned char *>(data);
            const std::lock_guard<std::mutex> guard(mutex_);
            if (data != nullptr) {
                entries_.push_back({guid, std::vector<unsigned char>(bytes, bytes + size), object});
            }
            if (object != nullptr) {
                object->AddRef();
            }
            Entry *const found = Find(guid); // the earlier data, or what was added
            const bool replaces = found != nullptr && (data == nullptr || found != &entries_.back());
            if (replaces) {
                found->Drop();
                entries_.erase(entries_.begin() + (found - entries_.data()));
            }
            return ok;
        });
    }

    std::mutex mutex_;
    std::vector<Entry> entries_;
};

/** Counts references, and answers for an interface and those it inherits from. */
template <typename Derived, typename Interface, typename... Inherited> class Counted : public Interface {
  public:
    Counted() = default;
    Counted(const Counted &) = delete;
    Counted &operator=(const Counted &) = delete;

    HRESULT STDMETHODCALLTYPE QueryInterface(REFIID riid, void **ppv) override {
        if (ppv == nullptr) {
            return invalid;
        }
        const bool known = Is<IUnknown>(riid) || Is<Interface>(riid) || (Is<Inherited>(riid) || ...);
        *ppv = known ? static_cast<Interface *>(this) : nullptr; // single inheritance: one address
        if (known) {
            AddRef();
        }
        return known ? ok : noInterface;
    }
    ULONG STDMETHODCALLTYPE AddRef() override {
        return ++references_;
    }
    ULONG STDMETHODCALLTYPE Release() override {
        const ULONG left = --references_;
        if (left == 0 && forks_ == CountForks()) {
            delete static_cast<Derived *>(this);
        }
        return left;
    }

    /** Hands the first reference to the caller, as an interface that it asks for. */
    HRESULT Give(REFIID riid, void **ppv) {
        const HRESULT result = ppv != nullptr ? QueryInterface(riid, ppv) : checked;
        Release();
        return result;
    }

  protected:
    ~Counted() = default;

  private:
    template <typename Other> static bool Is(REFIID riid) {
        return riid == __uuidof(Other);
    }

    std::atomic<ULONG> references_{1};
    const unsigned forks_ = CountForks(); /**< of the process that created the object */
};

/** An object of DirectML. */
template <typename Derived, typename Interface, typename... Inherited>
class Object : public Counted<Derived, Interface, Inherited..., IDMLObject> {
  public:
    HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, UINT *dataSize, void *data) override {
        return data_.Get(guid, dataSize, data);
    }
    HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID guid, UINT dataSize, const void *data) override {
        return data_.Set(guid, dataSize, data);
    }
    HRESULT STDMETHODCALLTYPE SetPrivateDataInterface(REFGUID guid, IUnknown *data) override {
        return data_.SetInterface(guid, data);
    }
    HRESULT STDMETHODCALLTYPE SetName(const wchar_t *name) override {
        return data_.SetName(name);
    }

  protected:
    ~Object() = default;

  private:
    PrivateData data_;
};

class DeviceObject;

/** An object that keeps its device alive. */
template <typename Derived, typename Interface, typename... Inherited>
class Child : public Object<Derived, Interface, Inherited..., IDMLDeviceChild> {
  public:
    explicit Child(DeviceObject *device);
    HRESULT STDMETHODCALLTYPE GetDevice(REFIID riid, void **ppv) override;

  protected:
    ~Child();

    DeviceObject *device_;
};

class OperatorObject final : public Child<OperatorObject, IDMLOperator> {
  public:
    explicit OperatorObject(DeviceObject *device) : Child(device) {
    }
    ~OperatorObject() {
        vkdmlDestroyOperator(op_);
    }
    VkdmlOperator Get() const noexcept {
        return op_;
    }
    /** Where the operator is created. */
    VkdmlOperator *Handle() noexcept {
        return &op_;
    }

  private:
    VkdmlOperator op_ = nullptr;
};

struct Dispatched;

/** A binding table of the C API, or nothing. A list, because its element moves to other lists without an allocation. */
using OneTable = std::list<VkdmlBindingTable>;

/**
 * Binding tables that nobody uses any more, kept to be bound again: clients create one for each dispatch, and each has
 * a descriptor pool. At most `limit` are kept for a device; the dispatchable that used its tables least recently loses
 * its oldest one first. Thread-safe.
 */
class SpareTables {
  public:
    static constexpr std::size_t limit = 1024;

    SpareTables() = default;
    SpareTables(const SpareTables &) = delete;
    SpareTables &operator=(const SpareTables &) = delete;

    /** A table of a dispatchable with nothing bound; empty: there is none. */
    OneTable Take(const Dispatched &of);
    /** Keeps a table. The GPU has finished with it. */
    void Give(const Dispatched &of, OneTable table) noexcept;
    /** Destroys all tables of a dispatchable. */
    void Drop(const Dispatched &of) noexcept;

  private:
    std::mutex mutex_; /**< of all below, and of the members of dispatchables that are named here */
    std::size_t count_ = 0;
    std::list<const Dispatched *> order_; /**< those that have spare tables, least recently used first */
};

/** A dispatchable of the C API, shared by its interface, binding tables and command lists. */
struct Dispatched {
    explicit Dispatched(std::shared_ptr<SpareTables> spares) : tables(std::move(spares)), place{this} {
    }
    Dispatched(const Dispatched &) = delete;
    Dispatched &operator=(const Dispatched &) = delete;
    ~Dispatched() {
        tables->Drop(*this);
        vkdmlDestroyDispatchable(dispatchable);
    }
    /** Called once the dispatchable is compiled. */
    void FindWritten() {
        written.resize(Properties().outputCount);
        for (std::size_t i = 0; i < written.size(); i++) {
            (void)vkdmlGetWrittenSize(dispatchable, static_cast<std::uint32_t>(i), &written[i]);
        }
    }
    VkdmlBindingProperties Properties() const noexcept {
        VkdmlBindingProperties properties{};
        (void)vkdmlGetBindingProperties(dispatchable, &properties);
        return properties;
    }

    VkdmlDispatchable dispatchable = nullptr;
    bool initializes = false;
    std::vector<std::uint64_t> written; /**< by output: see vkdmlGetWrittenSize() */
    std::vector<std::shared_ptr<const Dispatched>> operators; /**< of an initializer, which runs their pipelines */

    /* The members below belong to SpareTables. */
    const std::shared_ptr<SpareTables> tables;
    mutable std::list<VkdmlBindingTable> spare;  /**< oldest first */
    mutable std::list<const Dispatched *> place; /**< the element that is in the order while there are spare tables */
    const std::list<const Dispatched *>::iterator at = place.begin(); /**< of that element, in either list */
};

inline OneTable SpareTables::Take(const Dispatched &of) {
    OneTable taken;
    {
        const std::lock_guard<std::mutex> guard(mutex_);
        if (of.spare.empty()) {
            return taken;
        }
        taken.splice(taken.end(), of.spare, std::prev(of.spare.end()));
        count_--;
        if (of.spare.empty()) {
            of.place.splice(of.place.end(), order_, of.at);
        } else {
            order_.splice(order_.end(), order_, of.at);
        }
    }
    const VkdmlBindingTable table = taken.front();
    const bool unbound = vkdmlBindInputs(table, 0, nullptr) == VKDML_SUCCESS &&
                         vkdmlBindOutputs(table, 0, nullptr) == VKDML_SUCCESS &&
                         vkdmlBindTemporaryResource(table, nullptr) == VKDML_SUCCESS &&
                         vkdmlBindPersistentResource(table, nullptr) == VKDML_SUCCESS;
    if (!unbound) {
        vkdmlDestroyBindingTable(table);
        taken.clear();
    }
    return taken;
}

inline void SpareTables::Give(const Dispatched &of, OneTable table) noexcept {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (of.spare.empty()) {
        order_.splice(order_.end(), of.place);
    }
    of.spare.splice(of.spare.end(), table);
    if (++count_ > limit) {
        const Dispatched &least = *order_.front();
        vkdmlDestroyBindingTable(least.spare.front());
        least.spare.pop_front();
        count_--;
        if (least.spare.empty()) {
            least.place.splice(least.place.end(), order_, order_.begin());
        }
    }
}

inline void SpareTables::Drop(const Dispatched &of) noexcept {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (!of.spare.empty()) {
        of.place.splice(of.place.end(), order_, of.at);
    }
    count_ -= of.spare.size();
    std::for_each(of.spare.begin(), of.spare.end(), vkdmlDestroyBindingTable);
    of.spare.clear();
}

inline DML_BINDING_PROPERTIES Properties(const Dispatched &dispatched) noexcept {
    const VkdmlBindingProperties properties = dispatched.Properties();
    return {properties.storageBufferDescriptorCount + properties.uniformBufferDescriptorCount,
            properties.temporaryResourceSize, properties.persistentResourceSize};
}

/** A binding table of the C API. Shared by the interface whose bindings it has and command lists that recorded it. */
struct Bound {
    explicit Bound(std::shared_ptr<const Dispatched> shared) : dispatched(std::move(shared)) {
    }
    Bound(const Bound &) = delete;
    Bound &operator=(const Bound &) = delete;
    ~Bound() {
        if (!owned_.empty()) {
            dispatched->tables->Give(*dispatched, std::move(owned_));
        }
    }

    /** Takes a table that is spare, or creates one. */
    VkdmlResult Begin(VkdmlDevice device) {
        owned_ = dispatched->tables->Take(*dispatched);
        VkdmlResult result = VKDML_SUCCESS;
        if (owned_.empty()) {
            owned_.push_back(nullptr);
            VkdmlBindingTableCreateInfo info{};
            info.structSize = sizeof info;
            info.dispatchable = dispatched->dispatchable;
            result = vkdmlCreateBindingTable(device, &info, &owned_.front());
        }
        if (result != VKDML_SUCCESS) {
            owned_.clear();
        }
        return result;
    }
    /** NULL before Begin(). */
    VkdmlBindingTable Table() const noexcept {
        return owned_.empty() ? nullptr : owned_.front();
    }

    const std::shared_ptr<const Dispatched> dispatched; /**< outlives the table */
    std::vector<VkdmlBufferBinding> inputs, outputs;    /**< as they are bound, with the resources that are */
    VkdmlBufferBinding temporary{}, persistent{};

  private:
    OneTable owned_;
};

class CompiledObject final : public Child<CompiledObject, IDMLCompiledOperator, IDMLDispatchable, IDMLPageable> {
  public:
    CompiledObject(DeviceObject *device, std::shared_ptr<const Dispatched> dispatched)
        : Child(device), dispatched_(std::move(dispatched)) {
    }
    DML_BINDING_PROPERTIES STDMETHODCALLTYPE GetBindingProperties() override {
        return Properties(*dispatched_);
    }
    const std::shared_ptr<const Dispatched> &Get() const noexcept {
        return dispatched_;
    }

  private:
    std::shared_ptr<const Dispatched> dispatched_;
};

class InitializerObject final
    : public Child<InitializerObject, IDMLOperatorInitializer, IDMLDispatchable, IDMLPageable> {
  public:
    explicit InitializerObject(DeviceObject *device) : Child(device) {
    }
    DML_BINDING_PROPERTIES STDMETHODCALLTYPE GetBindingProperties() override {
        return Properties(*dispatched_);
    }
    HRESULT STDMETHODCALLTYPE Reset(UINT operatorCount, IDMLCompiledOperator *const *operators) override;
    const std::shared_ptr<const Dispatched> &Get() const noexcept {
        return dispatched_;
    }

  private:
    std::shared_ptr<const Dispatched> dispatched_;
};

/** The debug interface of a device object, which owns it and has its references. */
class DebugPart final : public IDMLDebugDevice {
  public:
    DebugPart(IUnknown *owner, VkdmlDevice device) noexcept : owner_(owner), device_(device) {
    }
    HRESULT STDMETHODCALLTYPE QueryInterface(REFIID riid, void **ppv) override {
        return owner_->QueryInterface(riid, ppv);
    }
    ULONG STDMETHODCALLTYPE AddRef() override {
        return owner_->AddRef();
    }
    ULONG STDMETHODCALLTYPE Release() override {
        return owner_->Release();
    }
    void STDMETHODCALLTYPE SetMuteDebugOutput(BOOL mute) override {
        vkdmlMuteLog(device_, mute ? 1 : 0);
    }

  private:
    IUnknown *owner_;
    VkdmlDevice device_;
};

/** Translates pointers to Direct3D 12's objects: to Vulkan handles here, to real objects in libdirectml.so. */
class Objects {
  public:
    virtual ~Objects() = default;
    /** Returns the buffer that a binding names, with the offset and size in bytes. */
    virtual VkdmlBufferBinding Binding(const DML_BUFFER_BINDING &binding) = 0;
    /** Returns the command buffer of a command list, or VK_NULL_HANDLE if the list cannot record. */
    virtual VkCommandBuffer Commands(ID3D12CommandList *commandList) = 0;
    /** Keeps an object as long as what was recorded into a command list may be executed. May throw. */
    virtual void Keep(ID3D12CommandList *commandList, const std::shared_ptr<const void> &object) = 0;
    /** Records a copy into memory that the command list keeps. A null buffer: there is no such memory. May throw. */
    virtual VkdmlBufferBinding Copy(ID3D12CommandList *commandList, const VkdmlBufferBinding &from) = 0;
    /** Called before a dispatch is recorded, for what it uses of a buffer: it writes the first `written` bytes of the
     * range whatever is in them, and may read the others. May throw. */
    virtual void Use(ID3D12CommandList *, const VkdmlBufferBinding &, std::uint64_t) {
    }
    /** Called after an initializer was recorded: unmodified clients forget the barrier after it. */
    virtual void EndInitialization(ID3D12CommandList *) {
    }
};

/** The inverse of AsResource() and AsCommandList(). */
class Handles final : public Objects {
  public:
    VkdmlBufferBinding Binding(const DML_BUFFER_BINDING &binding) override {
        return {reinterpret_cast<VkBuffer>(binding.Buffer), binding.Offset, binding.SizeInBytes};
    }
    VkCommandBuffer Commands(ID3D12CommandList *commandList) override {
        return reinterpret_cast<VkCommandBuffer>(commandList);
    }
    void Keep(ID3D12CommandList *commandList, const std::shared_ptr<const void> &object) override {
        const std::lock_guard<std::mutex> guard(mutex_);
        recorded_[commandList].insert(object);
    }
    VkdmlBufferBinding Copy(ID3D12CommandList *, const VkdmlBufferBinding &) override {
        return {};
    }
    /** Releases what a command list keeps. */
    void ReleaseRecorded(ID3D12CommandList *commandList) {
        std::set<std::shared_ptr<const void>> released; // destroyed without the lock
        const std::lock_guard<std::mutex> guard(mutex_);
        const auto found = recorded_.find(commandList);
        if (found != recorded_.end()) {
            released.swap(found->second);
            recorded_.erase(found);
        }
    }

  private:
    std::mutex mutex_;
    std::unordered_map<ID3D12CommandList *, std::set<std::shared_ptr<const void>>> recorded_;
};

class DeviceObject final : public Object<DeviceObject, IDMLDevice1, IDMLDevice> {
  public:
    /** parent: NULL, or what GetParentDevice() gives. objects: NULL for handles of Vulkan. */
    DeviceObject(VkdmlDevice device, IUnknown *parent, std::unique_ptr<Objects> objects)
        : device_(device), parent_(parent), debug_(this, device), objects_(std::move(objects)) {
        if (parent_ != nullptr) {
            parent_->AddRef();
        }
    }
    ~DeviceObject() {
        if (parent_ != nullptr) {
            parent_->Release();
        }
    }

    HRESULT STDMETHODCALLTYPE QueryInterface(REFIID riid, void **ppv) override {
        if (ppv == nullptr || riid != __uuidof(IDMLDebugDevice)) {
            return Object::QueryInterface(riid, ppv);
        }
        *ppv = static_cast<IDMLDebugDevice *>(&debug_);
        AddRef();
        return ok;
    }
    HRESULT STDMETHODCALLTYPE CheckFeatureSupport(DML_FEATURE feature, UINT querySize, const void *query,
                                                  UINT supportSize, void *support) override {
        return AsHresult(vkdmlCheckFeatureSupport(device_, feature, querySize, query, supportSize, support));
    }
    HRESULT STDMETHODCALLTYPE CreateOperator(const DML_OPERATOR_DESC *desc, REFIID riid, void **ppv) override {
        Empty(ppv);
        return Guarded([&] {
            auto *const made = new OperatorObject(this);
            const VkdmlResult result = vkdmlCreateOperator(device_, desc, made->Handle());
            return GiveIf(AsHresult(result), made, riid, ppv);
        });
    }
    HRESULT STDMETHODCALLTYPE CompileOperator(IDMLOperator *op, DML_EXECUTION_FLAGS flags, REFIID riid,
                                              void **ppv) override {
        Empty(ppv);
        return Guarded([&] {
            const VkdmlCompileInfo info = Info(flags);
            const auto compiled = std::make_shared<Dispatched>(spares_);
            const VkdmlResult result = vkdmlCompileOperator(Handle(op), &info, &compiled->dispatchable);
            return result == VKDML_SUCCESS ? GiveCompiled(compiled, riid, ppv) : AsHresult(result);
        });
    }
    HRESULT STDMETHODCALLTYPE CompileGraph(const DML_GRAPH_DESC *desc, DML_EXECUTION_FLAGS flags, REFIID riid,
                                           void **ppv) override {
        Empty(ppv);
        return Guarded([&] {
            const auto compiled = std::make_shared<Dispatched>(spares_);
            const VkdmlResult result = Compile(desc, Info(flags), &compiled->dispatchable);
            return result == VKDML_SUCCESS ? GiveCompiled(compiled, riid, ppv) : AsHresult(result);
        });
    }
    HRESULT STDMETHODCALLTYPE CreateOperatorInitializer(UINT operatorCount, IDMLCompiledOperator *const *operators,
                                                        REFIID riid, void **ppv) override {
        Empty(ppv);
        return Guarded([&] {
            auto *const made = new InitializerObject(this);
            return GiveIf(made->Reset(operatorCount, operators), made, riid, ppv);
        });
    }
    HRESULT STDMETHODCALLTYPE CreateCommandRecorder(REFIID riid, void **ppv) override;
    HRESULT STDMETHODCALLTYPE CreateBindingTable(const DML_BINDING_TABLE_DESC *desc, REFIID riid, void **ppv) override;
    /** Memory is the caller's: nothing is ever evicted. */
    HRESULT STDMETHODCALLTYPE Evict(UINT, IDMLPageable *const *) override {
        return ok;
    }
    HRESULT STDMETHODCALLTYPE MakeResident(UINT, IDMLPageable *const *) override {
        return ok;
    }
    HRESULT STDMETHODCALLTYPE GetDeviceRemovedReason() override {
        const std::lock_guard<std::mutex> guard(mutex_);
        return removed_ != ok ? removed_ : AsHresult(vkdmlGetDeviceLostReason(device_));
    }
    HRESULT STDMETHODCALLTYPE GetParentDevice(REFIID riid, void **ppv) override {
        Empty(ppv);
        return ppv == nullptr ? invalid : parent_ != nullptr ? parent_->QueryInterface(riid, ppv) : noInterface;
    }

    VkdmlDevice Get() const noexcept {
        return device_;
    }
    /** A call that returns void has failed. */
    void Remove(HRESULT result, const char *reason) noexcept {
        if (result == ok) {
            return;
        }
        const std::lock_guard<std::mutex> guard(mutex_);
        if (removed_ == ok) {
            removed_ = result;
            const std::size_t length = std::min(std::strlen(reason), sizeof message_ - 1);
            std::memcpy(message_, reason, length); // memory may be out: nothing is allocated
            message_[length] = '\0';
        }
    }
    /** Calls a function of a method that returns nothing: an exception removes the device. */
    template <typename Function> void GuardedVoid(Function function) noexcept {
        const HRESULT result = Guarded([&] {
            function();
            return ok;
        });
        Remove(result, result == outOfMemory ? "out of memory" : "an exception of the standard library");
    }
    /** The spare binding tables of this device. */
    const std::shared_ptr<SpareTables> &Spares() const noexcept {
        return spares_;
    }
    Objects &Native() noexcept {
        return objects_ != nullptr ? *objects_ : handles_;
    }
    /** For Vulkan handles only; libdirectml.so releases recorded objects when the command allocator is reset. */
    void ReleaseRecorded(ID3D12CommandList *commandList) {
        handles_.ReleaseRecorded(commandList);
    }
    /** Does not change once it is there. */
    const char *Message() {
        const std::lock_guard<std::mutex> guard(mutex_);
        return message_;
    }

    /** Gives an object to the caller, or releases it if it could not be set up. */
    template <typename Made> static HRESULT GiveIf(HRESULT result, Made *made, REFIID riid, void **ppv) {
        if (result == ok) {
            return made->Give(riid, ppv);
        }
        made->Release();
        return result;
    }
    static void Empty(void **ppv) noexcept {
        if (ppv != nullptr) {
            *ppv = nullptr;
        }
    }

  private:
    HRESULT GiveCompiled(const std::shared_ptr<Dispatched> &compiled, REFIID riid, void **ppv) {
        compiled->FindWritten();
        return (new CompiledObject(this, compiled))->Give(riid, ppv);
    }
    static VkdmlCompileInfo Info(DML_EXECUTION_FLAGS flags) noexcept {
        VkdmlCompileInfo info{};
        info.structSize = sizeof info;
        info.executionFlags = flags;
        return info;
    }
    static VkdmlOperator Handle(IDMLOperator *op) noexcept {
        return op != nullptr ? static_cast<OperatorObject *>(op)->Get() : nullptr;
    }
    /** Compiles a graph whose nodes name operators by their interfaces. */
    VkdmlResult Compile(const DML_GRAPH_DESC *desc, const VkdmlCompileInfo &info, VkdmlDispatchable *compiled) {
        DML_GRAPH_DESC graph = desc != nullptr ? *desc : DML_GRAPH_DESC{};
        std::vector<DML_GRAPH_NODE_DESC> nodes;
        std::vector<DML_OPERATOR_GRAPH_NODE_DESC> operators;
        if (desc != nullptr && desc->Nodes != nullptr) {
            nodes.assign(desc->Nodes, desc->Nodes + desc->NodeCount);
            operators.reserve(nodes.size()); // the nodes point into it
            for (DML_GRAPH_NODE_DESC &node : nodes) {
                if (node.Type == DML_GRAPH_NODE_TYPE_OPERATOR && node.Desc != nullptr) {
                    operators.push_back(*static_cast<const DML_OPERATOR_GRAPH_NODE_DESC *>(node.Desc));
                    operators.back().Operator = vkdmlGraphOperator(Handle(operators.back().Operator));
                    node.Desc = &operators.back();
                }
            }
            graph.Nodes = nodes.data();
        }
        return vkdmlCompileGraph(device_, desc != nullptr ? &graph : nullptr, &info, compiled);
    }

    VkdmlDevice device_;
    IUnknown *parent_;
    DebugPart debug_;
    std::mutex mutex_;
    HRESULT removed_ = ok;
    char message_[1024] = "";
    const std::shared_ptr<SpareTables> spares_ = std::make_shared<SpareTables>();
    Handles handles_;
    std::unique_ptr<Objects> objects_;
};

template <typename Derived, typename Interface, typename... Inherited>
Child<Derived, Interface, Inherited...>::Child(DeviceObject *device) : device_(device) {
    device_->AddRef();
}

template <typename Derived, typename Interface, typename... Inherited>
Child<Derived, Interface, Inherited...>::~Child() {
    device_->Release();
}

template <typename Derived, typename Interface, typename... Inherited>
HRESULT STDMETHODCALLTYPE Child<Derived, Interface, Inherited...>::GetDevice(REFIID riid, void **ppv) {
    return device_->QueryInterface(riid, ppv);
}

inline HRESULT STDMETHODCALLTYPE InitializerObject::Reset(UINT operatorCount, IDMLCompiledOperator *const *operators) {
    return Guarded([&] {
        const auto made = std::make_shared<Dispatched>(device_->Spares());
        std::vector<VkdmlDispatchable> handles;
        made->initializes = true;
        for (UINT i = 0; i < operatorCount; i++) {
            if (operators == nullptr || operators[i] == nullptr) {
                return invalid;
            }
            made->operators.push_back(static_cast<CompiledObject *>(operators[i])->Get());
            handles.push_back(made->operators.back()->dispatchable);
        }
        const VkdmlResult result =
            vkdmlCreateOperatorInitializer(device_->Get(), operatorCount, handles.data(), &made->dispatchable);
        if (result == VKDML_SUCCESS) {
            dispatched_ = made;
        }
        return AsHresult(result);
    });
}

using Bindings = std::vector<VkdmlBufferBinding>;

inline bool BindsNothing(const Bindings &bindings) noexcept {
    return std::all_of(bindings.begin(), bindings.end(),
                       [](const VkdmlBufferBinding &binding) { return binding.buffer == VK_NULL_HANDLE; });
}

/** Appends the tensors of one binding: none of an empty array, one of all else. */
inline void Flatten(Objects &objects, const DML_BINDING_DESC &binding, Bindings &all) {
    const auto append = [&](const DML_BUFFER_BINDING &buffer) { all.push_back(objects.Binding(buffer)); };
    if (binding.Type == DML_BINDING_TYPE_BUFFER && binding.Desc != nullptr) {
        append(*static_cast<const DML_BUFFER_BINDING *>(binding.Desc));
    } else if (binding.Type == DML_BINDING_TYPE_BUFFER_ARRAY) {
        const auto *const array = static_cast<const DML_BUFFER_ARRAY_BINDING *>(binding.Desc);
        if (array != nullptr && array->Bindings != nullptr) {
            std::for_each(array->Bindings, array->Bindings + array->BindingCount, append);
        }
    } else {
        all.emplace_back();
    }
}

/**
 * Of an initializer: appends all inputs of an operator, which nothing at all stands for too.
 *
 * @return false: the binding has another number of tensors
 */
inline bool FlattenOperator(Objects &objects, const DML_BINDING_DESC &binding, const Dispatched &op, Bindings &all) {
    const std::uint32_t count = op.Properties().inputCount;
    Bindings own;
    Flatten(objects, binding, own);
    if (BindsNothing(own) && own.size() <= 1) {
        own = Bindings(count);
    }
    all.insert(all.end(), own.begin(), own.end());
    return own.size() == count;
}

class TableObject final : public Child<TableObject, IDMLBindingTable> {
  public:
    explicit TableObject(DeviceObject *device) : Child(device) {
    }
    ~TableObject() {
        Refer(nullptr);
    }

    void STDMETHODCALLTYPE BindInputs(UINT bindingCount, const DML_BINDING_DESC *bindings) override {
        device_->GuardedVoid([&] {
            const bool initializes = bound_ != nullptr && bound_->dispatched->initializes;
            if (!IsGiven(bindingCount, bindings)) {
                return;
            }
            if (initializes) {
                BindOperators(bindingCount, bindings);
            } else {
                BindFlat(vkdmlBindInputs, bindingCount, bindings);
            }
        });
    }
    void STDMETHODCALLTYPE BindOutputs(UINT bindingCount, const DML_BINDING_DESC *bindings) override {
        device_->GuardedVoid([&] {
            if (IsGiven(bindingCount, bindings)) {
                BindFlat(vkdmlBindOutputs, bindingCount, bindings);
            }
        });
    }
    void STDMETHODCALLTYPE BindTemporaryResource(const DML_BINDING_DESC *binding) override {
        device_->GuardedVoid([&] { BindResource(vkdmlBindTemporaryResource, binding); });
    }
    void STDMETHODCALLTYPE BindPersistentResource(const DML_BINDING_DESC *binding) override {
        device_->GuardedVoid([&] { BindResource(vkdmlBindPersistentResource, binding); });
    }

    /** What was recorded keeps the descriptors it has. Without a descriptor the table is empty. */
    HRESULT STDMETHODCALLTYPE Reset(const DML_BINDING_TABLE_DESC *desc) override {
        if (desc == nullptr) {
            bound_ = nullptr;
            Refer(nullptr);
            return ok;
        }
        if (desc->Dispatchable == nullptr) {
            return invalid;
        }
        return Guarded([&] {
            const auto made = std::make_shared<Bound>(Of(desc->Dispatchable));
            const VkdmlResult result = made->Begin(device_->Get());
            if (result == VKDML_SUCCESS) {
                bound_ = made;
                Refer(desc->Dispatchable);
            }
            return AsHresult(result);
        });
    }

    /** NULL of an empty table. */
    const std::shared_ptr<Bound> &Get() const noexcept {
        return bound_;
    }

    static const std::shared_ptr<const Dispatched> &Of(IDMLDispatchable *dispatchable) {
        void *found = nullptr;
        if (dispatchable->QueryInterface(__uuidof(IDMLOperatorInitializer), &found) == ok) {
            IDMLOperatorInitializer *const initializer = static_cast<IDMLOperatorInitializer *>(found);
            initializer->Release(); // the caller has a reference
            return static_cast<InitializerObject *>(initializer)->Get();
        }
        return static_cast<CompiledObject *>(static_cast<IDMLCompiledOperator *>(dispatchable))->Get();
    }

  private:
    VkdmlBindingTable Table() const noexcept {
        return bound_ != nullptr ? bound_->Table() : nullptr;
    }
    /** TensorFlow's plugin releases a dispatchable before another thread records it; only the table is alive then. */
    void Refer(IDMLDispatchable *dispatchable) {
        if (dispatchable != nullptr) {
            dispatchable->AddRef();
        }
        if (dispatchable_ != nullptr) {
            dispatchable_->Release();
        }
        dispatchable_ = dispatchable;
    }
    void Check(VkdmlResult result) {
        device_->Remove(AsHresult(result), vkdmlGetErrorMessage());
    }
    void Refuse(const std::string &reason) {
        device_->Remove(invalid, reason.c_str());
    }
    bool IsGiven(UINT bindingCount, const DML_BINDING_DESC *bindings) {
        if (bindingCount > 0 && bindings == nullptr) {
            Refuse("bindings is NULL, must point to " + std::to_string(bindingCount) + " bindings");
        }
        return bindingCount == 0 || bindings != nullptr;
    }
    /** Whether an initializer's inputs are one binding for each operator, or none at all. */
    bool IsPerOperator(UINT bindingCount) {
        const std::size_t count = bound_->dispatched->operators.size();
        if (bindingCount != 0 && bindingCount != count) {
            Refuse("bindingCount is " + std::to_string(bindingCount) + ", must be " + std::to_string(count) +
                   " (one for each operator) or 0");
            return false;
        }
        return true;
    }

    /** Binds inputs of an initializer. */
    void BindOperators(UINT bindingCount, const DML_BINDING_DESC *bindings) {
        Bindings all;
        if (!IsPerOperator(bindingCount)) {
            return;
        }
        for (UINT i = 0; i < bindingCount; i++) {
            if (!FlattenOperator(device_->Native(), bindings[i], *bound_->dispatched->operators[i], all)) {
                Refuse("bindings[" + std::to_string(i) +
                       "] must be an array of a buffer for each input of the operator, or nothing");
                return;
            }
        }
        BindTensors(vkdmlBindInputs, all);
    }
    void BindFlat(decltype(vkdmlBindInputs) bind, UINT bindingCount, const DML_BINDING_DESC *bindings) {
        Bindings all;
        for (UINT i = 0; i < bindingCount; i++) {
            Flatten(device_->Native(), bindings[i], all);
        }
        BindTensors(bind, all);
    }
    /** As many NONEs as there are tensors unbind as no binding does. An empty table has nothing to unbind. */
    void BindTensors(decltype(vkdmlBindInputs) bind, const Bindings &all) {
        if (Table() == nullptr && BindsNothing(all)) {
            return;
        }
        const VkdmlBindingProperties properties =
            bound_ != nullptr ? bound_->dispatched->Properties() : VkdmlBindingProperties{};
        const std::uint32_t expected = bind == vkdmlBindInputs ? properties.inputCount : properties.outputCount;
        const bool unbinds = all.size() == expected && BindsNothing(all);
        const VkdmlResult result = bind(Table(), unbinds ? 0 : static_cast<std::uint32_t>(all.size()), all.data());
        if (result == VKDML_SUCCESS) {
            (bind == vkdmlBindInputs ? bound_->inputs : bound_->outputs) = all;
        }
        Check(result);
    }
    void BindResource(decltype(vkdmlBindTemporaryResource) bind, const DML_BINDING_DESC *binding) {
        Bindings one;
        if (binding != nullptr) {
            Flatten(device_->Native(), *binding, one);
        }
        if (Table() != nullptr || !BindsNothing(one)) {
            const VkdmlResult result = bind(Table(), BindsNothing(one) ? nullptr : one.data());
            if (result == VKDML_SUCCESS) {
                (bind == vkdmlBindTemporaryResource ? bound_->temporary : bound_->persistent) =
                    one.empty() ? VkdmlBufferBinding{} : one[0];
            }
            Check(result);
        }
    }

    std::shared_ptr<Bound> bound_;
    IDMLDispatchable *dispatchable_ = nullptr; /**< of bound_ */
};

class RecorderObject final : public Child<RecorderObject, IDMLCommandRecorder> {
  public:
    explicit RecorderObject(DeviceObject *device) : Child(device) {
    }

    void STDMETHODCALLTYPE RecordDispatch(ID3D12CommandList *commandList, IDMLDispatchable *dispatchable,
                                          IDMLBindingTable *bindings) override {
        if (device_->GetDeviceRemovedReason() == ok) {
            device_->GuardedVoid([&] { Record(commandList, dispatchable, static_cast<TableObject *>(bindings)); });
        }
    }

  private:
    void Record(ID3D12CommandList *commandList, IDMLDispatchable *dispatchable, const TableObject *table) {
        std::shared_ptr<Bound> bound = table != nullptr ? table->Get() : nullptr;
        if (bound != nullptr) {
            bound = WithCopies(commandList, bound);
            device_->Native().Keep(commandList, bound); // before recording: it may throw
            Use(commandList, *bound);
        }
        const VkdmlResult result =
            vkdmlRecordDispatch(device_->Get(), device_->Native().Commands(commandList),
                                dispatchable != nullptr ? TableObject::Of(dispatchable)->dispatchable : nullptr,
                                bound != nullptr ? bound->Table() : nullptr);
        device_->Remove(AsHresult(result), vkdmlGetErrorMessage());
        if (bound != nullptr && bound->dispatched->initializes) {
            device_->Native().EndInitialization(commandList);
        }
    }
    /** Inputs first: outputs may be bound onto them. What is in temporary memory before and after a dispatch is
     * undefined, and so are the parts of a persistent resource that its initializer leaves out. */
    void Use(ID3D12CommandList *commandList, const Bound &bound) {
        Objects &native = device_->Native();
        const std::vector<std::uint64_t> &written = bound.dispatched->written;
        for (const VkdmlBufferBinding &input : bound.inputs) {
            native.Use(commandList, input, 0);
        }
        for (std::size_t i = 0; i < bound.outputs.size(); i++) {
            const VkdmlBufferBinding &output = bound.outputs[i];
            const std::uint64_t known = i < written.size() ? std::min<std::uint64_t>(written[i], output.size) : 0;
            native.Use(commandList, output, bound.dispatched->initializes ? output.size : known);
        }
        native.Use(commandList, bound.temporary, bound.temporary.size);
        native.Use(commandList, bound.persistent, 0);
    }
    /**
     * DirectML lets a graph's output be bound onto its input, as TensorFlow does for updates of variables. Inputs that
     * such an output would overwrite too early are copied first; then the table is another one that binds the copies.
     */
    std::shared_ptr<Bound> WithCopies(ID3D12CommandList *commandList, const std::shared_ptr<Bound> &bound) {
        std::uint32_t count = 0;
        if (vkdmlGetOverlappedInputs(bound->Table(), &count, nullptr) != VKDML_SUCCESS || count == 0) {
            return bound;
        }
        std::vector<std::uint32_t> overlapped(count);
        (void)vkdmlGetOverlappedInputs(bound->Table(), &count, overlapped.data());
        const auto copied = std::make_shared<Bound>(bound->dispatched);
        copied->inputs = bound->inputs;
        for (std::uint32_t i = 0; i < count; i++) {
            VkdmlBufferBinding &input = copied->inputs[overlapped[i]];
            input = device_->Native().Copy(commandList, input);
            if (input.buffer == VK_NULL_HANDLE) {
                return bound; // which is refused, with the reason
            }
        }
        const bool done = copied->Begin(device_->Get()) == VKDML_SUCCESS &&
                          Bind(vkdmlBindInputs, *copied, copied->inputs) &&
                          Bind(vkdmlBindOutputs, *copied, bound->outputs) &&
                          Bind(vkdmlBindTemporaryResource, *copied, bound->temporary) &&
                          Bind(vkdmlBindPersistentResource, *copied, bound->persistent);
        return done ? copied : bound;
    }
    static bool Bind(decltype(vkdmlBindInputs) bind, const Bound &to, const Bindings &bindings) {
        return bind(to.Table(), static_cast<std::uint32_t>(bindings.size()), bindings.data()) == VKDML_SUCCESS;
    }
    static bool Bind(decltype(vkdmlBindTemporaryResource) bind, const Bound &to, const VkdmlBufferBinding &binding) {
        return bind(to.Table(), binding.buffer != VK_NULL_HANDLE ? &binding : nullptr) == VKDML_SUCCESS;
    }
};

inline HRESULT STDMETHODCALLTYPE DeviceObject::CreateCommandRecorder(REFIID riid, void **ppv) {
    Empty(ppv);
    return Guarded([&] { return (new RecorderObject(this))->Give(riid, ppv); });
}

inline HRESULT STDMETHODCALLTYPE DeviceObject::CreateBindingTable(const DML_BINDING_TABLE_DESC *desc, REFIID riid,
                                                                  void **ppv) {
    Empty(ppv);
    return Guarded([&] {
        auto *const made = new TableObject(this);
        return GiveIf(made->Reset(desc), made, riid, ppv);
    });
}
} // namespace detail
/** @endcond */

/**
 * Makes the interface of a device, in the place of DMLCreateDevice().
 *
 * @param device lent: it outlives the interface and all that is made by it
 * @param riid   IDMLDevice's or IDMLDevice1's, by IID_PPV_ARGS, which is the next one too
 * @param[out] ppv released by the caller; NULL on failure
 * @param parent what GetParentDevice() gives, by its QueryInterface(): an ID3D12Device of the caller's for example. The
 *               device keeps a reference. NULL: GetParentDevice() fails with E_NOINTERFACE.
 * @param objects NULL for handles of Vulkan; the library for binary clients (integrations/directml) has its own
 */
inline HRESULT CreateDevice(VkdmlDevice device, REFIID riid, void **ppv, IUnknown *parent = nullptr,
                            std::unique_ptr<detail::Objects> objects = nullptr) {
    detail::DeviceObject::Empty(ppv);
    if (device == nullptr) {
        return detail::invalid;
    }
    return detail::Guarded(
        [&] { return (new detail::DeviceObject(device, parent, std::move(objects)))->Give(riid, ppv); });
}

/** The device behind an interface of this header: for functions of the C API, and for vkdml::dml::Graph. */
inline VkdmlDevice GetDevice(IDMLDevice *device) noexcept {
    return static_cast<detail::DeviceObject *>(static_cast<IDMLDevice1 *>(device))->Get();
}

/**
 * Creates an interface for a dispatchable that was compiled for the device, for example a graph of graph.hpp.
 *
 * @param device   the device that compiled it
 * @param compiled the interface owns it; if the call fails, the caller still does
 * @param riid     the interface's identifier
 * @param ppv      the interface, or NULL
 */
inline HRESULT CreateCompiledOperator(IDMLDevice *device, VkdmlDispatchable compiled, REFIID riid, void **ppv) {
    detail::DeviceObject::Empty(ppv);
    detail::DeviceObject *const owner = static_cast<detail::DeviceObject *>(static_cast<IDMLDevice1 *>(device));
    return detail::Guarded([&] {
        const auto dispatched = std::make_shared<detail::Dispatched>(owner->Spares());
        auto *const made = new detail::CompiledObject(owner, dispatched); // whose outputs' written sizes nobody asks for
        const HRESULT result = made->QueryInterface(riid, ppv);
        dispatched->dispatchable = result == detail::ok ? compiled : nullptr;
        made->Release();
        return result;
    });
}

/**
 * Releases the descriptors and dispatchables that were recorded into a command list. Call it when the command buffer
 * or its pool has been reset, or before the command buffer is freed: where DirectML's clients call
 * ID3D12CommandAllocator::Reset(). The GPU has finished with the command buffer, and it is not submitted again as it
 * is. Nothing happens if nothing was recorded. Thread-safe, but for the command list itself.
 */
inline void ReleaseRecorded(IDMLDevice *device, ID3D12CommandList *commandList) {
    static_cast<detail::DeviceObject *>(static_cast<IDMLDevice1 *>(device))->ReleaseRecorded(commandList);
}

#ifndef VKDML_HPP_NO_EXCEPTIONS
/**
 * Records by a function of an ID3D12CommandList *, submits and waits, and releases what was recorded: in the place of
 * ID3D12CommandQueue::ExecuteCommandLists(), a fence and ID3D12CommandAllocator::Reset(). Whether the calls of the
 * function succeeded IDMLDevice::GetDeviceRemovedReason() says.
 *
 * @param device whose operators are recorded
 * @param queue  of the VkdmlDevice that GetDevice() lends, for example vkdml::Queue(GetDevice(device))
 * @param record called once; where it throws nothing is submitted
 */
template <typename Record> void Execute(IDMLDevice *device, vkdml::Queue &queue, Record record) {
    ID3D12CommandList *commandList = nullptr;
    queue.submit([&](VkCommandBuffer commands) {
        commandList = AsCommandList(commands);
        ReleaseRecorded(device, commandList); // of a submission that failed
        record(commandList);
    });
    ReleaseRecorded(device, commandList);
}
#endif

/** Why a device counts as removed (IDMLDevice::GetDeviceRemovedReason()) after a call that returns nothing; else "". */
inline const char *GetRemovedMessage(IDMLDevice *device) {
    return static_cast<detail::DeviceObject *>(static_cast<IDMLDevice1 *>(device))->Message();
}

} // namespace vkdml::directml

#endif /* VKDML_DIRECTML_HPP */
