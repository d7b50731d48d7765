// A Vulkan loader in front of the system's: it makes chosen functions of a device fail or wait, and counts what is created and
// not destroyed. Its SONAME is libvulkan.so.1, so that who opens that one later gets this one.
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>
#include <vulkan/vulkan_core.h>

namespace {

PFN_vkGetInstanceProcAddr nextInstanceProcAddr;
PFN_vkGetDeviceProcAddr nextDeviceProcAddr;
std::atomic<const char *> failing{nullptr}, held{nullptr};
std::atomic<int> remaining{0}, live{0}, isHeld{0}, fills{0};

bool Is(const char *chosen, const char *name) {
    return chosen != nullptr && std::strcmp(chosen, name) == 0;
}

enum Kind { Reports, Creates, Destroys, Fills };

template <auto &Name, Kind kind, typename Function> struct Hook;

template <auto &Name, Kind kind, typename Result, typename... Arguments>
struct Hook<Name, kind, Result(VKAPI_PTR *)(Arguments...)> {
    static inline Result(VKAPI_PTR *next)(Arguments...);

    static Result VKAPI_CALL Call(Arguments... arguments) {
        if constexpr (kind == Destroys) {
            live -= HasHandle(arguments...) ? 1 : 0;
            next(arguments...);
        } else if constexpr (kind == Fills) {
            ++fills;
            next(arguments...);
        } else {
            while (Is(held, Name)) {
                isHeld = 1;
                usleep(100);
            }
            if (Is(failing, Name) && --remaining == 0) {
                return VK_ERROR_OUT_OF_DEVICE_MEMORY;
            }
            const VkResult result = next(arguments...);
            live += kind == Creates && result == VK_SUCCESS ? 1 : 0;
            return result;
        }
    }
    template <typename Device, typename Handle, typename... Rest>
    static bool HasHandle(Device, Handle handle, Rest...) {
        return handle != VK_NULL_HANDLE;
    }
};

#define HOOKS(HOOK)                                                                                                    \
    HOOK(vkCreateBuffer, Creates)                                                                                      \
    HOOK(vkDestroyBuffer, Destroys)                                                                                    \
    HOOK(vkAllocateMemory, Creates)                                                                                    \
    HOOK(vkFreeMemory, Destroys)                                                                                       \
    HOOK(vkBindBufferMemory, Reports)                                                                                  \
    HOOK(vkMapMemory, Reports)                                                                                         \
    HOOK(vkCreateCommandPool, Creates)                                                                                 \
    HOOK(vkDestroyCommandPool, Destroys)                                                                               \
    HOOK(vkResetCommandPool, Reports)                                                                                  \
    HOOK(vkAllocateCommandBuffers, Reports)                                                                            \
    HOOK(vkBeginCommandBuffer, Reports)                                                                                \
    HOOK(vkEndCommandBuffer, Reports)                                                                                  \
    HOOK(vkCmdFillBuffer, Fills)                                                                                       \
    HOOK(vkCreateQueryPool, Creates)                                                                                   \
    HOOK(vkDestroyQueryPool, Destroys)                                                                                 \
    HOOK(vkCreateSemaphore, Creates)                                                                                   \
    HOOK(vkDestroySemaphore, Destroys)                                                                                 \
    HOOK(vkGetSemaphoreCounterValue, Reports)                                                                          \
    HOOK(vkWaitSemaphores, Reports)                                                                                    \
    HOOK(vkQueueSubmit, Reports)

#define NAME(function, kind) constexpr char name_##function[] = #function;
HOOKS(NAME)

PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char *name) {
    const PFN_vkVoidFunction next = nextDeviceProcAddr(device, name);
#define FIND(function, kind)                                                                                           \
    if (std::strcmp(name, #function) == 0) {                                                                           \
        using Own = Hook<name_##function, kind, PFN_##function>;                                                       \
        Own::next = reinterpret_cast<PFN_##function>(next);                                                            \
        return reinterpret_cast<PFN_vkVoidFunction>(&Own::Call);                                                       \
    }
    HOOKS(FIND)
    return next;
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance,
                                                                                           const char *name) {
    const PFN_vkVoidFunction next = nextInstanceProcAddr(instance, name);
    if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) {
        nextDeviceProcAddr = reinterpret_cast<PFN_vkGetDeviceProcAddr>(next);
        return reinterpret_cast<PFN_vkVoidFunction>(&GetDeviceProcAddr);
    }
    return next;
}

// Opens the system's loader by its path.
__attribute__((visibility("default"))) int faults_open(const char *path) {
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *const found = library != nullptr ? dlsym(library, "vkGetInstanceProcAddr") : nullptr;
    std::memcpy(&nextInstanceProcAddr, &found, sizeof found);
    return found != nullptr;
}

// The at-th call of a function from now on fails; NULL: none does.
__attribute__((visibility("default"))) void faults_set(const char *name, int at) {
    failing = nullptr;
    remaining = at;
    failing = name;
}

// Calls of a function do not return until this is called with another name or NULL.
__attribute__((visibility("default"))) void faults_hold(const char *name) {
    isHeld = 0;
    held = name;
}

// Whether a call is held.
__attribute__((visibility("default"))) int faults_held(void) {
    return isHeld;
}

// Whether that call has been made.
__attribute__((visibility("default"))) int faults_reached(void) {
    return remaining <= 0;
}

// How many fills have been recorded.
__attribute__((visibility("default"))) int faults_fills(void) {
    return fills;
}

// Objects that are created and not destroyed.
__attribute__((visibility("default"))) int faults_live(void) {
    return live;
}
}
