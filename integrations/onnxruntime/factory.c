/* What ONNX Runtime finds in the library: which devices there are, and providers for them. */
#include <stdlib.h>
#include <string.h>

#include <vkdml/vkdml.h>

#include "provider.h"

#define DEVICE_KEY "vulkan_device" /* among a device's metadata: its name */

enum { MOST_DEVICES = 8 };

struct factory {
    OrtEpFactory factory; /* first: ONNX Runtime has a pointer to it */
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

static bool add_device(OrtEpFactory *factory, const VkdmlPhysicalDeviceInfo *info, const OrtHardwareDevice *hardware,
                       OrtEpDevice **device, struct onnx_error *error) {
    OrtKeyValuePairs *metadata;
    ort.api->CreateKeyValuePairs(&metadata);
    ort.api->AddKeyValuePair(metadata, DEVICE_KEY, info->name);
    ort.api->AddKeyValuePair(metadata, "vulkan_driver", info->driver);
    const bool done = ort_check(ort.ep->CreateEpDevice(factory, hardware, metadata, NULL, device), error);
    ort.api->ReleaseKeyValuePairs(metadata);
    return done;
}

static OrtStatus *ORT_API_CALL get_devices(OrtEpFactory *factory, const OrtHardwareDevice *const *devices, size_t count,
                                           OrtEpDevice **ep_devices, size_t most, size_t *ep_count) {
    VkdmlPhysicalDeviceInfo infos[MOST_DEVICES];
    uint32_t info_count = MOST_DEVICES;
    struct onnx_error error = {{0}};
    *ep_count = 0;
    /* No Vulkan is no error: there is nothing to offer. */
    if (vkdmlEnumeratePhysicalDevices(&info_count, infos) < 0) {
        return NULL;
    }
    for (uint32_t i = 0; i < info_count && *ep_count < most; ++i) {
        const OrtHardwareDevice *hardware = infos[i].unusable != NULL ? NULL : find_hardware(&infos[i], devices, count);
        if (hardware != NULL && !add_device(factory, &infos[i], hardware, &ep_devices[*ep_count], &error)) {
            return ort_status(false, &error);
        }
        *ep_count += hardware != NULL;
    }
    return NULL;
}

/* ---- providers ---- */

static OrtStatus *ORT_API_CALL create_ep(OrtEpFactory *factory, const OrtHardwareDevice *const *devices,
                                         const OrtKeyValuePairs *const *metadata, size_t count,
                                         const OrtSessionOptions *session_options, const OrtLogger *logger,
                                         OrtEp **ep) {
    struct provider_options options;
    struct onnx_error error = {{0}};
    (void)factory;
    (void)devices;
    *ep = NULL;
    const char *name = count == 0 || metadata[0] == NULL ? NULL : ort.api->GetKeyValue(metadata[0], DEVICE_KEY);
    const bool done = (count == 1 || onnx_fail(&error, "a session runs on one device, not %zu", count)) &&
                      read_options(session_options, &options, &error) &&
                      provider_create(name, &options, logger, ep, &error);
    return ort_status(done, &error);
}

static void ORT_API_CALL release_ep(OrtEpFactory *factory, OrtEp *ep) {
    (void)factory;
    provider_release(ep);
}

static OrtStatus *ORT_API_CALL create_allocator(OrtEpFactory *factory, const OrtMemoryInfo *info,
                                                const OrtKeyValuePairs *options, OrtAllocator **allocator) {
    (void)factory;
    (void)info;
    (void)options;
    *allocator = NULL;
    return NULL;
}

static void ORT_API_CALL release_allocator(OrtEpFactory *factory, OrtAllocator *allocator) {
    (void)factory;
    (void)allocator;
}

static OrtStatus *ORT_API_CALL create_transfer(OrtEpFactory *factory, OrtDataTransferImpl **transfer) {
    (void)factory;
    *transfer = NULL;
    return NULL;
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

EXPORT OrtStatus *CreateEpFactories(const char *registered_name, const OrtApiBase *base, const OrtLogger *logger,
                                    OrtEpFactory **factories, size_t most, size_t *count) {
    (void)registered_name;
    (void)logger;
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
    factories[0] = &factory->factory;
    *count = 1;
    return NULL;
}

EXPORT OrtStatus *ReleaseEpFactory(OrtEpFactory *factory) {
    free(factory);
    return NULL;
}
