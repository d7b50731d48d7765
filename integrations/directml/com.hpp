/* Shared by the three libraries: reference counts, HRESULTs, the log, and the private interface between them. */
#ifndef VKDML_DIRECTML_COM_HPP
#define VKDML_DIRECTML_COM_HPP

#include "vkdml/directml.hpp"

#include <dxguids/dxguids.h> /* after the interfaces that it names */

#include <memory>

namespace vkdml::abi {

using directml::AsHresult;
using directml::detail::Counted;
using directml::detail::PrivateData;

inline const HRESULT ok = directml::detail::ok, invalid = directml::detail::invalid,
                     outOfMemory = directml::detail::outOfMemory, noInterface = directml::detail::noInterface,
                     failed = static_cast<HRESULT>(0x80004005u), // E_FAIL
    notImplemented = static_cast<HRESULT>(0x80004001u),          // E_NOTIMPL
    unsupported = static_cast<HRESULT>(0x887A0004u),             // DXGI_ERROR_UNSUPPORTED
    removed = static_cast<HRESULT>(0x887A0005u);                 // DXGI_ERROR_DEVICE_REMOVED

/** Writes a sentence to stderr, unless VKDML_LOG is "0". Thread-safe. */
void Log(const char *format, ...) noexcept __attribute__((format(printf, 1, 2)));

/** Logs that a method is not supported; the same method is logged once. Returns E_NOTIMPL. Thread-safe. */
HRESULT Refuse(const char *method, const char *reason = "clients of DirectML do not need it") noexcept;

/** Clears what a function returns an object in, in case it fails. */
inline void Empty(void **ppv) noexcept {
    if (ppv != nullptr) {
        *ppv = nullptr;
    }
}

/** Runs a function that creates something; exceptions become HRESULTs with a logged sentence. */
template <typename Function> HRESULT Guard(const char *method, Function function) noexcept {
    try {
        return function();
    } catch (const Error &error) {
        Log("%s: %s", method, error.what());
        return AsHresult(error.result());
    } catch (const std::bad_alloc &) {
        Log("%s: out of memory", method);
        return outOfMemory;
    } catch (const std::exception &error) {
        Log("%s: %s", method, error.what());
        return failed;
    } catch (...) {
        Log("%s: an unknown exception", method);
        return failed;
    }
}

/** Owns one reference to a COM object. */
template <typename Interface> class Reference {
  public:
    Reference() noexcept = default;
    /** Adds a reference. */
    explicit Reference(Interface *object) noexcept : object_(object) {
        if (object_ != nullptr) {
            object_->AddRef();
        }
    }
    Reference(const Reference &other) noexcept : Reference(other.object_) {
    }
    Reference(Reference &&other) noexcept : object_(other.object_) {
        other.object_ = nullptr;
    }
    Reference &operator=(Reference other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Reference() {
        if (object_ != nullptr) {
            object_->Release();
        }
    }
    /** Takes over a reference. */
    static Reference Own(Interface *object) noexcept {
        Reference reference;
        reference.object_ = object;
        return reference;
    }
    Interface *Get() const noexcept {
        return object_;
    }
    Interface *operator->() const noexcept {
        return object_;
    }
    explicit operator bool() const noexcept {
        return object_ != nullptr;
    }

  private:
    Interface *object_ = nullptr;
};

/** Gives libdirectml.so access to the Vulkan objects of libd3d12.so; an interface of its ID3D12Device. Both libraries
 * come from one build of vkdml, so the interface has no versions. */
struct IVkdmlDevice : IUnknown {
    /** Borrowed: lives as long as the ID3D12Device. */
    virtual VkdmlDevice STDMETHODCALLTYPE GetVkdmlDevice() = 0;
    /** The buffer of a resource and where the resource begins in it. VK_NULL_HANDLE: it is null, or another device's.
     */
    virtual VkBuffer STDMETHODCALLTYPE GetBuffer(ID3D12Resource *resource, UINT64 *offset) = 0;
    /** The command buffer of an open list, with all barriers recorded that came before. VK_NULL_HANDLE: it is closed,
     * null or another device's. */
    virtual VkCommandBuffer STDMETHODCALLTYPE GetCommands(ID3D12CommandList *list) = 0;
    /** Keeps an object until the list's command allocator is reset. S_OK or E_OUTOFMEMORY. */
    virtual HRESULT STDMETHODCALLTYPE Keep(ID3D12CommandList *list, const std::shared_ptr<const void> &object) = 0;
    /** Records a copy into memory that the list keeps, with barriers. A null buffer: it failed; the log has the reason.
     */
    virtual VkdmlBufferBinding STDMETHODCALLTYPE Copy(ID3D12CommandList *list, const VkdmlBufferBinding &from) = 0;
    /** Notes that the list's next dispatch uses a range: it writes the first bytes, as many as `written`, whatever is in
     * them, and may read the others. S_OK or E_OUTOFMEMORY. */
    virtual HRESULT STDMETHODCALLTYPE Use(ID3D12CommandList *list, const VkdmlBufferBinding &range, UINT64 written) = 0;
    /** Makes commands that follow in the list wait for those before. */
    virtual void STDMETHODCALLTYPE Barrier(ID3D12CommandList *list) = 0;
};

} // namespace vkdml::abi

__CRT_UUID_DECL(vkdml::abi::IVkdmlDevice, 0x9d0a5c2e, 0x4b1f, 0x4a53, 0x8f, 0x0e, 0x35, 0x1b, 0x6c, 0x27, 0xd4, 0x91)

#endif
