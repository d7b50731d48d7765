/**
 * @file result.h
 * @brief Result codes, the reason behind a failure, and version queries.
 */
#ifndef VKDML_RESULT_H
#define VKDML_RESULT_H

#include <stdint.h>

#include "vkdml/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Marks the library's exported symbols. */
#if defined(_WIN32) && defined(VKDML_BUILDING_SHARED)
#define VKDML_API __declspec(dllexport)
#elif defined(__GNUC__)
#define VKDML_API __attribute__((visibility("default")))
#else
#define VKDML_API
#endif

/** What a call came to. Zero is success, everything below is failure. Mirrors the HRESULTs of DirectML. */
typedef enum VkdmlResult {
    VKDML_SUCCESS = 0,
    /** A descriptor or argument breaks a rule; the reason names it (E_INVALIDARG). */
    VKDML_ERROR_INVALID_ARGUMENT = -1,
    /** An operator that has a name and no implementation; at present there is none (DXGI_ERROR_UNSUPPORTED). */
    VKDML_ERROR_NOT_IMPLEMENTED = -2,
    /** The device lacks a feature that the operator needs; the reason names it (DXGI_ERROR_UNSUPPORTED). */
    VKDML_ERROR_FEATURE_NOT_PRESENT = -3,
    /** A tensor or dispatch exceeds a limit of the device; the reason gives limit and value. */
    VKDML_ERROR_LIMIT_EXCEEDED = -4,
    /** The allocation callback or malloc returned NULL (E_OUTOFMEMORY). */
    VKDML_ERROR_OUT_OF_HOST_MEMORY = -5,
    /** The driver is out of device memory or descriptors (E_OUTOFMEMORY). */
    VKDML_ERROR_OUT_OF_DEVICE_MEMORY = -6,
    /** The VkDevice is lost; so says every later call on this device (DXGI_ERROR_DEVICE_REMOVED). */
    VKDML_ERROR_DEVICE_LOST = -7,
    /** No Vulkan loader, no usable device, or the driver refused to start. */
    VKDML_ERROR_INITIALIZATION_FAILED = -8,
    /** The driver returned an error that none of the above covers. */
    VKDML_ERROR_DRIVER = -9,
    VKDML_RESULT_MAX_ENUM = 0x7FFFFFFF
} VkdmlResult;

/**
 * The name of a result code, e.g. "VKDML_ERROR_DEVICE_LOST". Never NULL; the string is static.
 * Thread-safe.
 */
VKDML_API const char *vkdmlResultToString(VkdmlResult result);

/**
 * Why the calling thread's latest failed vkdml call failed.
 *
 * One line per failure, the first failure first, each of the form "DML_OPERATOR_PADDING: OutputTensor.Sizes[2] is
 * 7, must be 8 = ...". There in release builds too, and after out-of-memory: nothing is allocated for it.
 *
 * Ownership: the library's, per thread, valid until the thread's next vkdml call that fails. Never NULL; empty where
 * no call failed yet. Successful calls leave it as it is.
 */
VKDML_API const char *vkdmlGetErrorMessage(void);

/** What reasons of a failure are about. Programs decide by codes and by these, never by the text of a reason. */
typedef enum VkdmlErrorCauseBits {
    /** The data type of a tensor or a scalar: not among the operator's at the feature level, or not that of another
     *  tensor. Other sizes and elements do not help. */
    VKDML_ERROR_CAUSE_DATA_TYPE = 1,
    VKDML_ERROR_CAUSE_MAX_ENUM = 0x7FFFFFFF
} VkdmlErrorCauseBits;
/** A combination of VkdmlErrorCauseBits. */
typedef uint32_t VkdmlErrorCauses;

/** What the reasons of the calling thread's latest failed vkdml call are about, all its lines; 0: nothing of the above. */
VKDML_API VkdmlErrorCauses vkdmlGetErrorCauses(void);

/** VKDML_MAKE_VERSION of the library that is running, which may differ from VKDML_HEADER_VERSION. Thread-safe. */
VKDML_API uint32_t vkdmlGetVersion(void);

/** The running library's version as "major.minor.patch". The string is static. Thread-safe. */
VKDML_API const char *vkdmlGetVersionString(void);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_RESULT_H */
