/* What ONNX Runtime finds in the library: which devices there are, and providers for them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vkdml/vkdml.h>

#include "adapter.h"
#include "memory.h"
#include "provider.h"

#define INDEX_KEY         "vulkan_index" /* among a device's metadata */
#define SOFTWARE_VARIABLE "VKDML_ONNXRUNTIME_SOFTWARE"

enum { MOST_DEVICES = 8 };

struct factory {
    OrtEpFactory factory; /* first: ONNX Runtime has a pointer to it */
    struct adapter adapters[MOST_DEVICES];
    uint32_t count;
    bool is_left; /* it was unregistered: arguments of ONNX Runtime's may be gone */
};

static const char *ORT_API_CALL get_name(const OrtEpFactory *factory) {
    (void)factory;
    return PROVIDER_NAME;
}

static const char *ORT_API_CALL get_vendor(const OrtEpFactory *factory) {
    (void)factory;
    return "vkdml";
}

static uint32_t ORT_API_CALL get_vendor_id(const OrtEpFactory *factory) {
    (void)factory;
    return 0;
}

static const char *ORT_API_CALL get_version(const OrtEpFactory *factory) {
    (void)factory;
    return vkdmlGetVersionString();
}

/* ---- devices ---- */

static const OrtHardwareDevice *find_type(const OrtHardwareDevice *const *devices, size_t count,
                                          OrtHardwareDeviceType type) {
    for (size_t i = 0; i < count; ++i) {
        if (ort.api->HardwareDevice_Type(devices[i]) == type) {
            return devices[i];
        }
    }
    return NULL;
}

/* The device of these ids; else, of one that is no processor, any GPU; else the CPU, by which ONNX Runtime knows what
 * it has no device for. */
static const OrtHardwareDevice *find_hardware(const VkdmlPhysicalDeviceInfo *info,
                                              const OrtHardwareDevice *const *devices, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (info->type != VK_PHYSICAL_DEVICE_TYPE_CPU &&
            ort.api->HardwareDevice_Type(devices[i]) == OrtHardwareDeviceType_GPU &&
            ort.api->HardwareDevice_VendorId(devices[i]) == info->vendorId &&
            ort.api->HardwareDevice_DeviceId(devices[i]) == info->deviceId) {
            return devices[i];
        }
    }
    const OrtHardwareDevice *gpu =
        info->type == VK_PHYSICAL_DEVICE_TYPE_CPU ? NULL : find_type(devices, count, OrtHardwareDeviceType_GPU);
    return gpu != NULL ? gpu : find_type(devices, count, OrtHardwareDeviceType_CPU);
}

static bool add_device(OrtEpFactory *factory, const struct adapter *adapter, const OrtHardwareDevice *hardware,
                       OrtEpDevice **device, struct onnx_error *error) {
    char uuid[ADAPTER_UUID_ROOM], index[16];
    OrtKeyValuePairs *metadata;
    adapter_uuid(adapter, uuid);
    snprintf(index, sizeof index, "%u", (unsigned)adapter->index);
    ort.api->CreateKeyValuePairs(&metadata);
    ort.api->AddKeyValuePair(metadata, "vulkan_device", adapter->info.name);
    ort.api->AddKeyValuePair(metadata, "vulkan_driver", adapter->info.driver);
    ort.api->AddKeyValuePair(metadata, "vulkan_uuid", uuid);
    ort.api->AddKeyValuePair(metadata, INDEX_KEY, index);
    const bool done = ort_check(ort.ep->CreateEpDevice(factory, hardware, metadata, NULL, device), error) &&
                      ort_check(ort.ep->EpDevice_AddAllocatorInfo(*device, adapter->memory_info), error);
    ort.api->ReleaseKeyValuePairs(metadata);
    return done;
}

/* ONNX Runtime's policies, where one chooses for a session, prefer any provider to that of the CPU: drivers that are
 * software, as lavapipe, are offered to who asks for them. */
static bool is_offered(const VkdmlPhysicalDeviceInfo *info) {
    const char *asked = getenv(SOFTWARE_VARIABLE);
    return info->unusable == NULL &&
           (info->type != VK_PHYSICAL_DEVICE_TYPE_CPU || (asked != NULL && strcmp(asked, "1") == 0));
}

/* No Vulkan is no error: there is nothing to offer. */
static bool find_adapters(struct factory *factory, const OrtLogger *logger, struct onnx_error *error) {
    VkdmlPhysicalDeviceInfo infos[MOST_DEVICES];
    uint32_t count = MOST_DEVICES;
    if (vkdmlEnumeratePhysicalDevices(&count, infos) < 0) {
        return true;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (is_offered(&infos[i])) {
            if (!adapter_init(&factory->adapters[factory->count], &infos[i], i, logger, error)) {
                return false;
            }
            ++factory->count;
        }
    }
    return true;
}

static OrtStatus *ORT_API_CALL get_devices(OrtEpFactory *ep_factory, const OrtHardwareDevice *const *devices,
                                           size_t count, OrtEpDevice **ep_devices, size_t most, size_t *ep_count) {
    const struct factory *factory = (struct factory *)ep_factory;
    struct onnx_error error = {0};
    *ep_count = 0;
    for (uint32_t i = 0; i < factory->count && *ep_count < most; ++i) {
        const OrtHardwareDevice *hardware = find_hardware(&factory->adapters[i].info, devices, count);
        if (hardware != NULL &&
            !add_device(ep_factory, &factory->adapters[i], hardware, &ep_devices[*ep_count], &error)) {
            return ort_status(false, &error);
        }
        *ep_count += hardware != NULL;
    }
    return NULL;
}

/* ---- providers ---- */

/* The adapter of a device that a session was given. */
static struct adapter *find_adapter(struct factory *factory, const OrtKeyValuePairs *metadata,
                                    struct onnx_error *error) {
    const char *index = metadata == NULL ? NULL : ort.api->GetKeyValue(metadata, INDEX_KEY);
    for (uint32_t i = 0; index != NULL && i < factory->count; ++i) {
        if (factory->adapters[i].index == strtoul(index, NULL, 10)) {
            return &factory->adapters[i];
        }
    }
    onnx_fail(error, "the session's device is none of this plugin's");
    return NULL;
}

static OrtStatus *ORT_API_CALL create_ep(OrtEpFactory *factory, const OrtHardwareDevice *const *devices,
                                         const OrtKeyValuePairs *const *metadata, size_t count,
                                         const OrtSessionOptions *session_options, const OrtLogger *logger,
                                         OrtEp **ep) {
    struct provider_options options;
    struct onnx_error error = {0};
    (void)devices;
    *ep = NULL;
    if (((struct factory *)factory)->is_left) {
        onnx_fail(&error, "the plugin was unregistered after the session's options were made");
        return ort_status(false, &error);
    }
    /* Of several devices the first: it is the one whose memory ONNX Runtime allocates for the session. */
    struct adapter *adapter = find_adapter((struct factory *)factory, count == 0 ? NULL : metadata[0], &error);
    const bool done = adapter != NULL && read_options(session_options, &options, &error) &&
                      provider_create(adapter, &options, logger, ep, &error);
    return ort_status(done, &error);
}

static void ORT_API_CALL release_ep(OrtEpFactory *factory, OrtEp *ep) {
    (void)factory;
    provider_release(ep);
}

/* ---- memory ---- */

static OrtStatus *ORT_API_CALL create_allocator(OrtEpFactory *ep_factory, const OrtMemoryInfo *info,
                                                const OrtKeyValuePairs *options, OrtAllocator **allocator) {
    struct factory *factory = (struct factory *)ep_factory;
    (void)options;
    *allocator = NULL;
    for (uint32_t i = 0; info != NULL && i < factory->count; ++i) {
        const OrtMemoryInfo *own = factory->adapters[i].memory_info;
        if (ort.ep->MemoryDevice_AreEqual(ort.ep->MemoryInfo_GetMemoryDevice(own),
                                          ort.ep->MemoryInfo_GetMemoryDevice(info))) {
            *allocator = memory_create_allocator(&factory->adapters[i]);
            return *allocator != NULL ? NULL : ort.api->CreateStatus(ORT_EP_FAIL, "memory is out");
        }
    }
    return ort.api->CreateStatus(ORT_EP_FAIL, "there is no such memory");
}

static void ORT_API_CALL release_allocator(OrtEpFactory *factory, OrtAllocator *allocator) {
    (void)factory;
    memory_release_allocator(allocator);
}

static OrtStatus *ORT_API_CALL create_transfer(OrtEpFactory *ep_factory, OrtDataTransferImpl **transfer) {
    struct factory *factory = (struct factory *)ep_factory;
    *transfer = memory_create_transfer(factory->adapters, factory->count);
    return *transfer != NULL ? NULL : ort.api->CreateStatus(ORT_EP_FAIL, "memory is out");
}

static bool ORT_API_CALL is_stream_aware(const OrtEpFactory *factory) {
    (void)factory;
    return false;
}

/* ---- what the library exports ---- */

#if defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

EXPORT OrtStatus *CreateEpFactories(const char *registered_name, const OrtApiBase *base, const OrtLogger *logger,
                                    OrtEpFactory **factories, size_t most, size_t *count);
EXPORT OrtStatus *ReleaseEpFactory(OrtEpFactory *factory);
/* How many sessions and tensors of this process use the plugin's devices. Unregister it when both are 0: ONNX Runtime
 * does not look. Thread-safe. */
EXPORT void VkdmlOnnxRuntimeCountUses(uint64_t *sessions, uint64_t *tensors);

EXPORT OrtStatus *CreateEpFactories(const char *registered_name, const OrtApiBase *base, const OrtLogger *logger,
                                    OrtEpFactory **factories, size_t most, size_t *count) {
    (void)registered_name;
    *count = 0;
    const OrtApi *api = base->GetApi(API_VERSION);
    if (api == NULL) {
        /* Older ones have no plugins, and no status can be made without the API. */
        return NULL;
    }
    ort.api = api;
    ort.ep = api->GetEpApi();
    struct factory *factory = most == 0 ? NULL : calloc(1, sizeof *factory);
    if (factory == NULL) {
        return api->CreateStatus(ORT_EP_FAIL, "memory is out");
    }
    factory->factory = (OrtEpFactory){.ort_version_supported = API_VERSION,
                                      .GetName = get_name,
                                      .GetVendor = get_vendor,
                                      .GetSupportedDevices = get_devices,
                                      .CreateEp = create_ep,
                                      .ReleaseEp = release_ep,
                                      .GetVendorId = get_vendor_id,
                                      .GetVersion = get_version,
                                      .CreateAllocator = create_allocator,
                                      .ReleaseAllocator = release_allocator,
                                      .CreateDataTransfer = create_transfer,
                                      .IsStreamAware = is_stream_aware};
    struct onnx_error error = {0};
    if (!find_adapters(factory, logger, &error)) {
        ReleaseEpFactory(&factory->factory);
        return ort_status(false, &error);
    }
    factories[0] = &factory->factory;
    *count = 1;
    return NULL;
}

/* ONNX Runtime does not wait for sessions and tensors, and calls the factory for them afterwards: it stays, as does the
 * library (-z nodelete), and refuses what is new. */
EXPORT OrtStatus *ReleaseEpFactory(OrtEpFactory *ep_factory) {
    struct factory *factory = (struct factory *)ep_factory;
    factory->is_left = true;
    for (uint32_t i = 0; i < factory->count; ++i) {
        adapter_leave(&factory->adapters[i]);
    }
    return NULL;
}

EXPORT void VkdmlOnnxRuntimeCountUses(uint64_t *sessions, uint64_t *tensors) {
    const struct adapter_uses uses = adapter_count_uses();
    *sessions = uses.sessions;
    *tensors = uses.tensors;
}
