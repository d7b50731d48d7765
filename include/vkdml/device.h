/**
 * @file device.h
 * @brief Devices: requirements, importing a VkDevice, opening a device, and queries.
 *
 * A VkdmlDevice is thread-safe: unless stated otherwise, any number of threads may call functions on it at the same
 * time. Mirrors IDMLDevice.
 */
#ifndef VKDML_DEVICE_H
#define VKDML_DEVICE_H

#include <stddef.h>

#include <vulkan/vulkan_core.h>

#include "vkdml/dml_types.h"
#include "vkdml/result.h"
#include "vkdml/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A Vulkan device that vkdml uses. */
typedef struct VkdmlDevice_T *VkdmlDevice;

/** The severity of a log message. */
typedef enum VkdmlLogLevel {
    VKDML_LOG_LEVEL_ERROR = 0,   /**< a call failed; the message is that of vkdmlGetErrorMessage() */
    VKDML_LOG_LEVEL_WARNING = 1, /**< a problem that vkdml handled, and messages of the validation layer */
    VKDML_LOG_LEVEL_INFO = 2,    /**< the device that was opened and how vkdml uses it */
} VkdmlLogLevel;

/**
 * Receives log messages.
 *
 * Called on the thread whose call caused the message, possibly on several threads at once. Must not call vkdml.
 *
 * @param userData the pointer that was given with the callback
 * @param level    severity
 * @param message  valid during the call only; may have several lines; does not end with a newline
 */
typedef void (*VkdmlLogCallback)(void *userData, VkdmlLogLevel level, const char *message);

/** Options of a device. */
typedef enum VkdmlDeviceFlagBits {
    /**
     * Every bound buffer has VK_BUFFER_USAGE_TRANSFER_SRC_BIT and _DST_BIT, and the caller's barriers cover
     * VK_PIPELINE_STAGE_TRANSFER_BIT with VK_ACCESS_TRANSFER_READ_BIT and VK_ACCESS_TRANSFER_WRITE_BIT too: vkdml then
     * records transfer commands if they are faster. Currently it does so on devices of type
     * VK_PHYSICAL_DEVICE_TYPE_CPU, for copies and for the zeros of DIAGONAL_MATRIX.
     */
    VKDML_DEVICE_FLAG_ALLOW_TRANSFER = 1,
    /** vkdmlOpenDevice() only: enable VK_LAYER_KHRONOS_validation. The log callback receives its messages as warnings.
     */
    VKDML_DEVICE_FLAG_VALIDATION = 2,
    /**
     * For debugging: every call checks that its handles are existing objects before it reads them. It fails with
     * VKDML_ERROR_INVALID_ARGUMENT if an object was destroyed, has another type, belongs to another device or is not an
     * object. The reason states which. A table's dispatchable is checked, too. Destroying an invalid handle only
     * reports the error, by the log callback and vkdmlGetErrorMessage().
     *
     * vkdmlRecordDispatch() refuses an operator with a persistent resource if no initializer was recorded for it,
     * because the operator would read undefined data. Do not use this flag if you fill persistent resources from a
     * copy.
     *
     * A handle that is not an object of this device may be an object of a device without the flag. If such a device
     * exists, calls without a device argument do not check such handles. The memory of the last 4096 destroyed objects,
     * at most 16 MiB, is not reused, so that new objects do not get the same address soon. Vulkan handles are not
     * checked; use the validation layer. After the first device with this flag was created, every call in the process
     * takes a lock for each handle.
     */
    VKDML_DEVICE_FLAG_CHECK_HANDLES = 4,
    /** vkdmlOpenDevice() only: enable VK_EXT_debug_utils, for names and labels. VALIDATION enables it, too. */
    VKDML_DEVICE_FLAG_DEBUG_UTILS = 8,
} VkdmlDeviceFlagBits;
typedef uint32_t VkdmlDeviceFlags; /**< VkdmlDeviceFlagBits */

/** The variant of the kernels that a device runs. All variants give the same results. */
typedef enum VkdmlKernelVariant {
    VKDML_KERNEL_VARIANT_DEFAULT = 0,  /**< chosen by the device's properties and known driver faults */
    VKDML_KERNEL_VARIANT_PORTABLE = 1, /**< core Vulkan 1.2 only: invocations exchange data in shared memory */
    VKDML_KERNEL_VARIANT_SUBGROUP = 2, /**< uses subgroup operations (BASIC and ARITHMETIC in compute shaders) and
                                          matrix cores, which add FLOAT16 products in another order */
    VKDML_KERNEL_VARIANT_SERIAL = 3, /**< core Vulkan 1.2 only, for CPU devices: each invocation processes many elements
                                        and uses no shared memory */
    VKDML_KERNEL_VARIANT_MAX_ENUM = 0x7FFFFFFF
} VkdmlKernelVariant;

/** What vkdml requires of a VkDevice, and what makes it faster. */
typedef struct VkdmlRequirements {
    uint32_t apiVersion;                   /**< VK_API_VERSION_1_2, for the instance and the physical device */
    VkQueueFlags queueFlags;               /**< VK_QUEUE_COMPUTE_BIT */
    uint32_t requiredFeatureCount;         /**< 0: only core 1.2 is required */
    const char *const *requiredFeatures;   /**< their names */
    uint32_t requiredExtensionCount;       /**< 0 */
    const char *const *requiredExtensions; /**< their names */
    uint32_t usefulFeatureCount;           /**< features that make some operators faster */
    const char *const *usefulFeatures;     /**< names of members of VkPhysicalDevice...Features */
    uint32_t usefulExtensionCount;         /**< device extensions that make some operators faster */
    const char *const *usefulExtensions;   /**< their names */
} VkdmlRequirements;

/**
 * Gets the requirements for a VkDevice that will be imported. The data is static. Thread-safe.
 *
 * @param[out] requirements must not be NULL
 */
VKDML_API VkdmlResult vkdmlGetRequirements(VkdmlRequirements *requirements);

/**
 * Gets the requirements of one operator for one data type. Currently no operator requires a feature: elements of 8, 16
 * and 64 bits, FLOAT16 and FLOAT64 included, can be processed with 32-bit integers.
 *
 * @return VKDML_ERROR_INVALID_ARGUMENT: not an operator, or none of its tensors supports the type.
 *         VKDML_ERROR_NOT_IMPLEMENTED: the operator has no implementation; currently all have one.
 */
VKDML_API VkdmlResult vkdmlGetOperatorRequirements(DML_OPERATOR_TYPE type, DML_TENSOR_DATA_TYPE dataType,
                                                   VkdmlRequirements *requirements);

/** A VkDevice to import. A member of 0 selects its default, except for the first two members. */
typedef struct VkdmlDeviceCreateInfo {
    size_t structSize;               /**< sizeof(VkdmlDeviceCreateInfo); see version.h */
    uint32_t headerVersion;          /**< VKDML_HEADER_VERSION; an incompatible library refuses it */
    VkInstance instance;             /**< created with apiVersion 1.2 or later */
    VkPhysicalDevice physicalDevice; /**< belongs to that instance */
    VkDevice device;                 /**< belongs to that physical device; outlives the VkdmlDevice */
    uint32_t queueFamilyIndex;       /**< queue family of your command buffers; supports VK_QUEUE_COMPUTE_BIT */
    PFN_vkGetInstanceProcAddr getInstanceProcAddr; /**< required; vkdml gets all Vulkan functions from it */
    /** The features that `device` was created with, including the pNext chain; NULL: none. vkdml uses no other
     * features. Read during the call. A feature that physicalDevice does not support is refused. shaderFloat16 makes
     * FLOAT16 faster. shaderFloat16, cooperativeMatrix and vulkanMemoryModel together make FLOAT16 matrix products much
     * faster. For matrix products of 8-bit integers, shaderInt8 with the last two does, or shaderIntegerDotProduct. */
    const VkPhysicalDeviceFeatures2 *enabledFeatures;
    uint32_t enabledExtensionCount;       /**< length of enabledExtensions */
    const char *const *enabledExtensions; /**< the enabled device extensions. Read during the call. */
    DML_FEATURE_LEVEL featureLevel;       /**< descriptors are validated against it; 0: the newest, 6_4 */
    VkdmlDeviceFlags flags;               /**< VkdmlDeviceFlagBits */
    /** for all host memory, also passed to Vulkan; copied; NULL: malloc */
    const VkAllocationCallbacks *allocationCallbacks;
    VkdmlLogCallback logCallback; /**< NULL: silent */
    void *logUserData;            /**< handed to logCallback */
    /** your pipeline cache, which outlives the VkdmlDevice; VK_NULL_HANDLE: vkdml creates one */
    VkPipelineCache pipelineCache;
    const void *pipelineCacheData; /**< initial data for the cache that vkdml creates, from vkdmlGetPipelineCacheData();
                                      data of another driver is ignored. Read during the call. */
    size_t pipelineCacheDataSize;  /**< bytes at pipelineCacheData */
    /** forces a variant; DEFAULT: vkdml chooses. The environment variable VKDML_KERNEL_VARIANT overrides it if it is
     * "portable", "subgroup" or "serial". */
    VkdmlKernelVariant kernelVariant;
} VkdmlDeviceCreateInfo;

/**
 * Imports a Vulkan device. Mirrors DMLCreateDevice.
 *
 * If getInstanceProcAddr() returns the functions of VK_EXT_debug_utils, vkdml names its pipelines, shader modules,
 * layouts, descriptor sets and uniform buffers, and labels recorded commands for debuggers and profilers. The label of
 * a dispatchable has the operator and the types and sizes of its tensors: "DML_OPERATOR_GEMM: ATensor FLOAT32
 * 1x1x64x32, BTensor ..". The label of each command has the kernel, the storage buffers in the order of their bindings,
 * and the workgroups: "product: ATensor, OutputTensor, BTensor; 2x1x1 workgroups". These texts may change.
 *
 * Submits nothing. Destroy the device with vkdmlDestroyDevice(), before its VkDevice.
 *
 * @return VKDML_ERROR_INVALID_ARGUMENT, VKDML_ERROR_INITIALIZATION_FAILED (the device does not support Vulkan 1.2, or a
 *         function is missing), VKDML_ERROR_FEATURE_NOT_PRESENT (the device cannot run the forced kernel variant),
 *         VKDML_ERROR_OUT_OF_HOST_MEMORY, VKDML_ERROR_OUT_OF_DEVICE_MEMORY, VKDML_ERROR_DEVICE_LOST,
 *         VKDML_ERROR_DRIVER. *device is then NULL.
 */
VKDML_API VkdmlResult vkdmlCreateDevice(const VkdmlDeviceCreateInfo *info, VkdmlDevice *device);

/** How to open a device. A member of 0 selects its default, except for the first two members. */
typedef struct VkdmlDeviceOpenInfo {
    size_t structSize;      /**< sizeof(VkdmlDeviceOpenInfo); see version.h */
    uint32_t headerVersion; /**< VKDML_HEADER_VERSION; an incompatible library refuses it */
    const char *name; /**< opens the first device whose name contains this, ignoring ASCII case; "#1": the second device
                         of vkdmlEnumeratePhysicalDevices(); 32 hexadecimal digits, with or without hyphens: the device
                         with that UUID; NULL: the best device (discrete before integrated, virtual and CPU) */
    DML_FEATURE_LEVEL featureLevel;                   /**< 0: the newest */
    VkdmlDeviceFlags flags;                           /**< VkdmlDeviceFlagBits */
    const VkAllocationCallbacks *allocationCallbacks; /**< copied; NULL: malloc */
    VkdmlLogCallback logCallback;                     /**< NULL: silent */
    void *logUserData;                                /**< handed to logCallback */
    const void *pipelineCacheData;                    /**< as in VkdmlDeviceCreateInfo */
    size_t pipelineCacheDataSize;                     /**< bytes at pipelineCacheData */
    VkdmlKernelVariant kernelVariant;                 /**< as in VkdmlDeviceCreateInfo */
} VkdmlDeviceOpenInfo;

/**
 * Loads Vulkan, creates an instance, a device and a compute queue, and imports them. Meant for tools, tests and
 * examples.
 *
 * If name is NULL, the environment variable VKDML_DEVICE is used as the name, unless it is empty.
 *
 * @param info NULL: all defaults
 * @param[out] device NULL on failure; destroyed with vkdmlDestroyDevice()
 * @return as vkdmlCreateDevice(); VKDML_ERROR_INITIALIZATION_FAILED if there is no Vulkan loader or no suitable device.
 */
VKDML_API VkdmlResult vkdmlOpenDevice(const VkdmlDeviceOpenInfo *info, VkdmlDevice *device);

/**
 * Destroys a device. If vkdmlOpenDevice() opened it, its VkDevice and VkInstance are destroyed, too.
 *
 * First destroy every object that was created from it. The GPU must have finished all work that uses them. NULL is
 * ignored.
 *
 * If objects are left, the log callback receives a warning with their number by type. Their Vulkan objects are
 * destroyed with the device, except for descriptor sets in your pools. You can still destroy the objects, which frees
 * their host memory by the device's allocation callbacks. All other calls on them fail with
 * VKDML_ERROR_INVALID_ARGUMENT.
 */
VKDML_API void vkdmlDestroyDevice(VkdmlDevice device);

/** A device that vkdmlOpenDevice() could open. */
typedef struct VkdmlPhysicalDeviceInfo {
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE]; /**< compared with VkdmlDeviceOpenInfo::name */
    char driver[VK_MAX_DRIVER_NAME_SIZE];        /**< name of the driver */
    char driverInfo[VK_MAX_DRIVER_INFO_SIZE];    /**< the driver's text about its version */
    uint32_t apiVersion;                         /**< supported Vulkan version, as VK_MAKE_API_VERSION */
    uint32_t vendorId;                           /**< VkPhysicalDeviceProperties::vendorID */
    uint32_t deviceId;                           /**< VkPhysicalDeviceProperties::deviceID */
    VkPhysicalDeviceType type;                   /**< discrete, integrated, virtual or CPU */
    uint64_t deviceLocalBytes;                   /**< total size of its device-local heaps, in bytes */
    uint8_t uuid[VK_UUID_SIZE];                  /**< VkPhysicalDeviceIDProperties::deviceUUID */
    const char *unusable;                        /**< why vkdml cannot use the device, or NULL; static */
    const char *warning;                         /**< a known driver fault and its remedy, or NULL; static */
} VkdmlPhysicalDeviceInfo;

/**
 * Lists the physical devices of a new instance, best first. Used like vkEnumeratePhysicalDevices().
 *
 * @param[in,out] count in: length of infos; out: number of entries written, or of devices if infos is NULL
 * @param[out] infos the devices, or NULL
 */
VKDML_API VkdmlResult vkdmlEnumeratePhysicalDevices(uint32_t *count, VkdmlPhysicalDeviceInfo *infos);

/** The Vulkan objects of a device. They are borrowed, and valid as long as the device. */
typedef struct VkdmlVulkanHandles {
    VkInstance instance;                           /**< yours, or created by vkdmlOpenDevice() */
    VkPhysicalDevice physicalDevice;               /**< belongs to that instance */
    VkDevice device;                               /**< belongs to that physical device */
    uint32_t queueFamilyIndex;                     /**< queue family of your command buffers */
    PFN_vkGetInstanceProcAddr getInstanceProcAddr; /**< gets all Vulkan functions */
    /** The features that vkdmlOpenDevice() enabled, for importing the device again; NULL for imported devices. */
    const VkPhysicalDeviceFeatures2 *enabledFeatures;
    /** The only queue of a device that vkdmlOpenDevice() opened; VK_NULL_HANDLE for imported devices. You synchronize
     * access to it, as Vulkan requires. */
    VkQueue queue;
} VkdmlVulkanHandles;

/** Gets the Vulkan objects of a device. */
VKDML_API VkdmlResult vkdmlGetVulkanHandles(VkdmlDevice device, VkdmlVulkanHandles *handles);

/**
 * Queries a feature. Mirrors IDMLDevice::CheckFeatureSupport, including its checks of sizes.
 *
 * DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT: whether an operator supports the type at the device's feature level.
 * DML_FEATURE_FEATURE_LEVELS: the newest of the requested levels that the device supports; an error if it supports
 * none.
 */
VKDML_API VkdmlResult vkdmlCheckFeatureSupport(VkdmlDevice device, DML_FEATURE feature, uint32_t queryDataSize,
                                               const void *queryData, uint32_t supportDataSize, void *supportData);

/** The feature level a device was created with. */
VKDML_API DML_FEATURE_LEVEL vkdmlGetFeatureLevel(VkdmlDevice device);

/** The kernel variant that a device runs; never DEFAULT. */
VKDML_API VkdmlKernelVariant vkdmlGetKernelVariant(VkdmlDevice device);

/**
 * Reports whether an operator supports a data type in at least one of its tensors, on this device and at its feature
 * level.
 *
 * @return VKDML_SUCCESS; otherwise VKDML_ERROR_NOT_IMPLEMENTED, VKDML_ERROR_INVALID_ARGUMENT (the feature level does
 *         not have the operator, or the operator does not support the type at this level) or
 *         VKDML_ERROR_FEATURE_NOT_PRESENT, with the reason.
 */
VKDML_API VkdmlResult vkdmlCheckOperatorSupport(VkdmlDevice device, DML_OPERATOR_TYPE type,
                                                DML_TENSOR_DATA_TYPE dataType);

/**
 * Reports whether a device is lost. Mirrors IDMLDevice::GetDeviceRemovedReason.
 *
 * Returns VKDML_SUCCESS while the device works, and VKDML_ERROR_DEVICE_LOST, with the reason, after vkdml received
 * VK_ERROR_DEVICE_LOST or vkdmlReportDeviceLost() was called. In a child process of fork(), every device that was
 * created before the fork is lost; destroying it or its objects does nothing there.
 */
VKDML_API VkdmlResult vkdmlGetDeviceLostReason(VkdmlDevice device);

/**
 * Reports a VK_ERROR_DEVICE_LOST that you received, for example from vkQueueSubmit(). Every later call on the device
 * fails with VKDML_ERROR_DEVICE_LOST, except for destroying objects.
 *
 * @param device must not be NULL
 * @param reason copied, at most 255 bytes; NULL: no reason
 */
VKDML_API void vkdmlReportDeviceLost(VkdmlDevice device, const char *reason);

/**
 * Mutes or unmutes the log callback of a device. Mirrors IDMLDebugDevice::SetMuteDebugOutput. vkdmlGetErrorMessage()
 * still has the reasons, and the callback still receives messages of the validation layer. Thread-safe.
 *
 * @param device must not be NULL
 * @param mute   0: the callback receives messages, which is the default; otherwise it does not
 */
VKDML_API void vkdmlMuteLog(VkdmlDevice device, int32_t mute);

/**
 * Gets the contents of the pipeline cache. Used like vkGetPipelineCacheData(): get the size first, with a NULL data.
 * Thread-safe.
 *
 * @param device must not be NULL
 * @param[in,out] size in: bytes at data; out: bytes written or needed
 * @param[out] data NULL: only *size is written
 */
VKDML_API VkdmlResult vkdmlGetPipelineCacheData(VkdmlDevice device, size_t *size, void *data);

/**
 * Adds data from vkdmlGetPipelineCacheData() to the pipeline cache, if the data was not available when the device was
 * created. Thread-safe. Waits for pipelines that other threads are creating.
 *
 * @param device must not be NULL
 * @param size bytes at data
 * @param data read, not kept
 * @return VKDML_ERROR_INVALID_ARGUMENT: the data is from another device or driver, or the cache is yours
 *         (VkdmlDeviceCreateInfo::pipelineCache).
 */
VKDML_API VkdmlResult vkdmlMergePipelineCacheData(VkdmlDevice device, size_t size, const void *data);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_DEVICE_H */
