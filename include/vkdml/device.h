/**
 * @file device.h
 * @brief Devices: asking before, importing the caller's, opening one's own, and what a device can do.
 *
 * A VkdmlDevice is free-threaded: any function may be called on it from any thread at once, unless said otherwise.
 * Mirrors IDMLDevice.
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

/** A Vulkan device as vkdml uses it. */
typedef struct VkdmlDevice_T *VkdmlDevice;

/** How urgent a log message is. */
typedef enum VkdmlLogLevel {
    VKDML_LOG_LEVEL_ERROR = 0,   /**< a call failed; the text of vkdmlGetErrorMessage() */
    VKDML_LOG_LEVEL_WARNING = 1, /**< something is odd but was dealt with; Vulkan validation messages */
    VKDML_LOG_LEVEL_INFO = 2,    /**< which device was opened, how it is used */
} VkdmlLogLevel;

/**
 * Receives the library's messages.
 *
 * Called on the thread whose call caused the message, possibly on several threads at once; must not call vkdml.
 *
 * @param userData what the creator was given beside the callback
 * @param level    how urgent it is
 * @param message  valid during the call only; may hold several lines; no newline at its end
 */
typedef void (*VkdmlLogCallback)(void *userData, VkdmlLogLevel level, const char *message);

/** What vkdml may do with a caller's device beyond its plain contract. */
typedef enum VkdmlDeviceFlagBits {
    /**
     * Every bound buffer has VK_BUFFER_USAGE_TRANSFER_SRC_BIT and _DST_BIT, and the caller's barriers cover
     * VK_PIPELINE_STAGE_TRANSFER_BIT with VK_ACCESS_TRANSFER_READ_BIT and VK_ACCESS_TRANSFER_WRITE_BIT too: vkdml may
     * then record transfer commands where they are faster. At present it does on devices of type
     * VK_PHYSICAL_DEVICE_TYPE_CPU, for copies and for the zeros round a diagonal.
     */
    VKDML_DEVICE_FLAG_ALLOW_TRANSFER = 1,
    /** vkdmlOpenDevice() only: enable VK_LAYER_KHRONOS_validation, messages to the log callback as warnings. */
    VKDML_DEVICE_FLAG_VALIDATION = 2,
    /**
     * For finding errors: every call holds the handles it is given to the objects there are, before it reads anything
     * of them, and fails with VKDML_ERROR_INVALID_ARGUMENT where one was destroyed, is another kind of object's, is
     * another device's, or is none at all; the reason says which. Destroying such a handle does nothing but tell, by
     * the log callback and vkdmlGetErrorMessage(). A table's dispatchable is held to them likewise.
     *
     * vkdmlRecordDispatch() refuses an operator with a persistent resource of which no initializer was recorded before:
     * it would read whatever lies there. Who fills persistent resources from a copy does without this flag.
     *
     * The objects of this device are known with certainty. A handle of none of them may be an object of a device
     * without the flag: where there is one, calls without a device argument take such handles as they are. The memory
     * of destroyed objects is kept back, of the last 4096 and 16 MiB at most, so that no other object gets their
     * address soon. What Vulkan's handles are is for the validation layer to say. From the first device with the flag
     * on every call of the process takes a lock for each handle; before, none does.
     */
    VKDML_DEVICE_FLAG_CHECK_HANDLES = 4,
    /** vkdmlOpenDevice() only: enable VK_EXT_debug_utils, for names and labels; VALIDATION enables it too. */
    VKDML_DEVICE_FLAG_DEBUG_UTILS = 8,
} VkdmlDeviceFlagBits;
typedef uint32_t VkdmlDeviceFlags; /**< VkdmlDeviceFlagBits */

/** Which build of its kernels a device runs, for kernels that have several; all give the same results. */
typedef enum VkdmlKernelVariant {
    VKDML_KERNEL_VARIANT_DEFAULT = 0,  /**< chosen by what the device reports and what is known of its driver */
    VKDML_KERNEL_VARIANT_PORTABLE = 1, /**< core Vulkan 1.2 only: invocations meet in shared memory */
    VKDML_KERNEL_VARIANT_SUBGROUP = 2, /**< subgroup operations: BASIC and ARITHMETIC in compute shaders; and matrix
                                            cores, of which sums of FLOAT16 products come in another order */
    VKDML_KERNEL_VARIANT_SERIAL = 3,   /**< core Vulkan 1.2 only, for processors: invocations work alone on long runs */
    VKDML_KERNEL_VARIANT_MAX_ENUM = 0x7FFFFFFF
} VkdmlKernelVariant;

/** What vkdml needs of a VkDevice, and what it profits from. */
typedef struct VkdmlRequirements {
    uint32_t apiVersion;                   /**< VK_API_VERSION_1_2: of the instance and of the physical device */
    VkQueueFlags queueFlags;               /**< VK_QUEUE_COMPUTE_BIT */
    uint32_t requiredFeatureCount;         /**< 0: nothing beyond core 1.2 is required */
    const char *const *requiredFeatures;   /**< their names */
    uint32_t requiredExtensionCount;       /**< 0 */
    const char *const *requiredExtensions; /**< their names */
    uint32_t usefulFeatureCount;         /**< names of VkPhysicalDevice...Features members that make something faster */
    const char *const *usefulFeatures;   /**< the names */
    uint32_t usefulExtensionCount;       /**< device extensions that make something faster */
    const char *const *usefulExtensions; /**< their names */
} VkdmlRequirements;

/**
 * What to ask of Vulkan before creating a VkDevice that is to be imported. Static data. Thread-safe.
 *
 * @param[out] requirements must not be NULL
 */
VKDML_API VkdmlResult vkdmlGetRequirements(VkdmlRequirements *requirements);

/**
 * The same for one operator on one data type: which features it cannot do without. At present none: 8-, 16- and
 * 64-bit elements, FLOAT16 and FLOAT64 included, are computed with 32-bit integers.
 *
 * @return VKDML_ERROR_INVALID_ARGUMENT for what is no operator, or a type that no tensor of it may have.
 *         VKDML_ERROR_NOT_IMPLEMENTED for an operator without an implementation; at present there is none.
 */
VKDML_API VkdmlResult vkdmlGetOperatorRequirements(DML_OPERATOR_TYPE type, DML_TENSOR_DATA_TYPE dataType,
                                                   VkdmlRequirements *requirements);

/** A device the caller made. Zero-initialized members mean the default said beside them, but for the first two. */
typedef struct VkdmlDeviceCreateInfo {
    size_t structSize;               /**< sizeof(VkdmlDeviceCreateInfo); see version.h */
    uint32_t headerVersion;          /**< VKDML_HEADER_VERSION: a library that does not fit these headers refuses */
    VkInstance instance;             /**< created with apiVersion 1.2 or later */
    VkPhysicalDevice physicalDevice; /**< of that instance */
    VkDevice device;                 /**< of that physical device; outlives the VkdmlDevice */
    uint32_t queueFamilyIndex;       /**< a family with VK_QUEUE_COMPUTE_BIT that commands will be submitted to */
    PFN_vkGetInstanceProcAddr getInstanceProcAddr;    /**< required; the only way the library reaches Vulkan */
    const VkPhysicalDeviceFeatures2 *enabledFeatures; /**< what `device` was created with, with its chain;
                                                           NULL: none. Nothing else is used. Read during the call.
                                                           Of the features below, one that physicalDevice does not
                                                           support is refused.
                                                           shaderFloat16 makes FLOAT16 faster, with
                                                           cooperativeMatrix and vulkanMemoryModel products much;
                                                           those of bytes shaderInt8 with these, or
                                                           shaderIntegerDotProduct. */
    uint32_t enabledExtensionCount;                   /**< length of enabledExtensions */
    const char *const *enabledExtensions;             /**< the device extensions enabled. Read during the call. */
    DML_FEATURE_LEVEL featureLevel;                   /**< descriptors are held to it; 0: the newest, 6_4 */
    VkdmlDeviceFlags flags;                           /**< 0: the plain contract */
    const VkAllocationCallbacks *allocationCallbacks; /**< for all host memory, Vulkan's included; copied;
                                                           NULL: malloc */
    VkdmlLogCallback logCallback;                     /**< NULL: silent */
    void *logUserData;                                /**< handed to logCallback */
    VkPipelineCache pipelineCache;    /**< the caller's, used and kept alive by it; VK_NULL_HANDLE: the library's own */
    const void *pipelineCacheData;    /**< initial data of the library's own cache, as vkdmlGetPipelineCacheData()
                                           gave it; data of another driver is ignored. Read during the call. */
    size_t pipelineCacheDataSize;     /**< bytes at pipelineCacheData */
    VkdmlKernelVariant kernelVariant; /**< forces one; DEFAULT: the library chooses. The environment variable
                                           VKDML_KERNEL_VARIANT, when set and not empty, overrides it: "portable",
                                           "subgroup" or "serial". */
} VkdmlDeviceCreateInfo;

/**
 * Imports a Vulkan device. Mirrors DMLCreateDevice.
 *
 * Where VK_EXT_debug_utils was enabled on the instance, which is to say where getInstanceProcAddr() has its functions,
 * pipelines, shader modules, layouts, descriptor sets and uniform buffers get names; and what vkdmlRecordDispatch()
 * records is labelled with the operator, its tensors' types and sizes ("DML_OPERATOR_GEMM: ATensor FLOAT32 1x1x64x32,
 * BTensor .."), and each command in it with the kernel, what its storage buffers are, in order of their bindings, and
 * workgroups ("product: ATensor, OutputTensor, BTensor; 2x1x1 workgroups"). Tools that show labels show these. Texts
 * are for people and may change. Elsewhere nothing is called.
 *
 * Creates no queue, submits nothing. The caller destroys the result with vkdmlDestroyDevice(), before its VkDevice.
 *
 * @return VKDML_ERROR_INVALID_ARGUMENT, VKDML_ERROR_INITIALIZATION_FAILED (not a 1.2 device, a function is missing),
 *         VKDML_ERROR_FEATURE_NOT_PRESENT (a kernel variant is forced that the device cannot run),
 *         VKDML_ERROR_OUT_OF_HOST_MEMORY, VKDML_ERROR_OUT_OF_DEVICE_MEMORY, VKDML_ERROR_DEVICE_LOST,
 *         VKDML_ERROR_DRIVER. *device is then NULL.
 */
VKDML_API VkdmlResult vkdmlCreateDevice(const VkdmlDeviceCreateInfo *info, VkdmlDevice *device);

/** How to open a device of one's own. Zero-initialized members mean the default said beside them, but for the first
    two. */
typedef struct VkdmlDeviceOpenInfo {
    size_t structSize;      /**< sizeof(VkdmlDeviceOpenInfo); see version.h */
    uint32_t headerVersion; /**< VKDML_HEADER_VERSION: a library that does not fit these headers refuses */
    const char *name;       /**< opens the first device whose name contains this, ASCII case ignored; "#1": the second
                                 that vkdmlEnumeratePhysicalDevices() lists; 32 hexadecimal digits, with hyphens or
                                 without: the one of that UUID; NULL: the best (discrete, then integrated, virtual,
                                 CPU) */
    DML_FEATURE_LEVEL featureLevel;                   /**< 0: the newest */
    VkdmlDeviceFlags flags;                           /**< 0: the plain contract */
    const VkAllocationCallbacks *allocationCallbacks; /**< copied; NULL: malloc */
    VkdmlLogCallback logCallback;                     /**< NULL: silent */
    void *logUserData;                                /**< handed to logCallback */
    const void *pipelineCacheData;                    /**< as in VkdmlDeviceCreateInfo */
    size_t pipelineCacheDataSize;                     /**< bytes at pipelineCacheData */
    VkdmlKernelVariant kernelVariant;                 /**< as in VkdmlDeviceCreateInfo */
} VkdmlDeviceOpenInfo;

/**
 * Loads Vulkan, creates an instance, a device and a compute queue, and imports them: for tools, tests and examples.
 *
 * The environment variable VKDML_DEVICE, when set and not empty, stands in for a NULL name.
 *
 * @param info NULL: all defaults
 * @param[out] device NULL on failure; destroyed with vkdmlDestroyDevice()
 * @return as vkdmlCreateDevice(); VKDML_ERROR_INITIALIZATION_FAILED where there is no Vulkan loader or no device fits.
 */
VKDML_API VkdmlResult vkdmlOpenDevice(const VkdmlDeviceOpenInfo *info, VkdmlDevice *device);

/**
 * Destroys a device; where it was opened by vkdmlOpenDevice() its VkDevice and VkInstance too.
 *
 * Every object made from it must have been destroyed and all GPU work that uses them finished. NULL is ignored.
 *
 * Where objects are left, one warning to the log callback says how many of which kind, the last message of vkdml's own.
 * What they have of Vulkan's goes with the device, but for descriptor sets in pools of the caller's. From then on they
 * can be destroyed, which gives back their host memory, by the allocation callbacks of the device; all other calls on
 * them fail with VKDML_ERROR_INVALID_ARGUMENT. The device itself is gone.
 */
VKDML_API void vkdmlDestroyDevice(VkdmlDevice device);

/** A device that vkdmlOpenDevice() could open. */
typedef struct VkdmlPhysicalDeviceInfo {
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE]; /**< what VkdmlDeviceOpenInfo::name is looked for in */
    char driver[VK_MAX_DRIVER_NAME_SIZE];        /**< the driver's name */
    char driverInfo[VK_MAX_DRIVER_INFO_SIZE];    /**< its version, in its own words */
    uint32_t apiVersion;                         /**< Vulkan's, as VK_MAKE_API_VERSION */
    uint32_t vendorId;                           /**< VkPhysicalDeviceProperties::vendorID */
    uint32_t deviceId;                           /**< VkPhysicalDeviceProperties::deviceID */
    VkPhysicalDeviceType type;                   /**< discrete, integrated, virtual or CPU */
    uint64_t deviceLocalBytes;                   /**< sum of its device-local heaps */
    uint8_t uuid[VK_UUID_SIZE];                  /**< VkPhysicalDeviceIDProperties::deviceUUID */
    const char *unusable;                        /**< NULL, or why vkdml cannot use it; static */
    const char *warning;                         /**< NULL, or a fault of its driver, and what helps; static */
} VkdmlPhysicalDeviceInfo;

/**
 * Lists the physical devices of a fresh instance, best first, in the manner of vkEnumeratePhysicalDevices.
 *
 * @param[in,out] count in: length of infos; out: entries written, or, with infos NULL, how many there are
 * @param[out] infos *count entries, or NULL
 */
VKDML_API VkdmlResult vkdmlEnumeratePhysicalDevices(uint32_t *count, VkdmlPhysicalDeviceInfo *infos);

/** The Vulkan objects behind a device; borrowed, valid as long as it. */
typedef struct VkdmlVulkanHandles {
    VkInstance instance;                           /**< the caller's, or the opened device's own */
    VkPhysicalDevice physicalDevice;               /**< of that instance */
    VkDevice device;                               /**< of that physical device */
    uint32_t queueFamilyIndex;                     /**< of the queues that commands are submitted to */
    PFN_vkGetInstanceProcAddr getInstanceProcAddr; /**< how Vulkan is reached */
    /** Of an opened device what it was created with, for who imports it once more; NULL for imported devices. */
    const VkPhysicalDeviceFeatures2 *enabledFeatures;
    /** Of an opened device the only queue of it; VK_NULL_HANDLE for imported devices. Submission to it is the caller's
        to synchronize, as ever in Vulkan. */
    VkQueue queue;
} VkdmlVulkanHandles;

/** The Vulkan objects behind a device. */
VKDML_API VkdmlResult vkdmlGetVulkanHandles(VkdmlDevice device, VkdmlVulkanHandles *handles);

/**
 * Queries a feature. Mirrors IDMLDevice::CheckFeatureSupport, sizes and all.
 *
 * DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT: whether any implemented operator takes the type at the device's level.
 * DML_FEATURE_FEATURE_LEVELS: the newest of the requested levels that is not above the device's; an error where none
 * is.
 */
VKDML_API VkdmlResult vkdmlCheckFeatureSupport(VkdmlDevice device, DML_FEATURE feature, uint32_t queryDataSize,
                                               const void *queryData, uint32_t supportDataSize, void *supportData);

/** The feature level a device was created with. */
VKDML_API DML_FEATURE_LEVEL vkdmlGetFeatureLevel(VkdmlDevice device);

/** The variant of its kernels that a device runs; never DEFAULT. */
VKDML_API VkdmlKernelVariant vkdmlGetKernelVariant(VkdmlDevice device);

/**
 * Whether this device, at its feature level, runs an operator on a data type in at least one of its tensors.
 *
 * @return VKDML_SUCCESS; otherwise VKDML_ERROR_NOT_IMPLEMENTED, VKDML_ERROR_INVALID_ARGUMENT (newer than the level, or
 *         the type is not among its types at the level) or VKDML_ERROR_FEATURE_NOT_PRESENT, with the reason.
 */
VKDML_API VkdmlResult vkdmlCheckOperatorSupport(VkdmlDevice device, DML_OPERATOR_TYPE type,
                                                DML_TENSOR_DATA_TYPE dataType);

/**
 * VKDML_SUCCESS while the device works; VKDML_ERROR_DEVICE_LOST, with the reason, once a Vulkan call of this library
 * returned VK_ERROR_DEVICE_LOST or vkdmlReportDeviceLost() said so. Mirrors IDMLDevice::GetDeviceRemovedReason.
 */
VKDML_API VkdmlResult vkdmlGetDeviceLostReason(VkdmlDevice device);

/**
 * Tells the library of a VK_ERROR_DEVICE_LOST that the caller saw (at its submit, say). Every later call on the device
 * fails with VKDML_ERROR_DEVICE_LOST; destroying stays allowed.
 *
 * @param device must not be NULL
 * @param reason copied, cut after 255 bytes; NULL: none given
 */
VKDML_API void vkdmlReportDeviceLost(VkdmlDevice device, const char *reason);

/**
 * Mutes the log callback of a device, or lets it speak again. Reasons stay in vkdmlGetErrorMessage(), and messages of
 * the validation layer (VKDML_DEVICE_FLAG_VALIDATION) still come. Thread-safe. Mirrors
 * IDMLDebugDevice::SetMuteDebugOutput.
 *
 * @param device must not be NULL
 * @param mute   0: messages go to the callback, as from the start; otherwise none do
 */
VKDML_API void vkdmlMuteLog(VkdmlDevice device, int32_t mute);

/**
 * The contents of the pipeline cache, in the manner of vkGetPipelineCacheData: ask for the size with data NULL.
 * Thread-safe.
 *
 * @param device must not be NULL
 * @param[in,out] size in: bytes at data; out: bytes written or needed
 * @param[out] data NULL: only *size is written
 */
VKDML_API VkdmlResult vkdmlGetPipelineCacheData(VkdmlDevice device, size_t *size, void *data);

/**
 * Adds to the pipeline cache what vkdmlGetPipelineCacheData() gave, for data that is at hand only once the device is
 * in use. Thread-safe; waits for pipelines that other threads are creating.
 *
 * @param device must not be NULL
 * @param size bytes at data
 * @param data read, not kept
 * @return VKDML_SUCCESS; VKDML_ERROR_INVALID_ARGUMENT where the data is not of this device and driver, or the cache is
 *         the caller's own (VkdmlDeviceCreateInfo::pipelineCache).
 */
VKDML_API VkdmlResult vkdmlMergePipelineCacheData(VkdmlDevice device, size_t size, const void *data);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_DEVICE_H */
