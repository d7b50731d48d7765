/**
 * @file result.h
 * @brief Result codes, error messages and version queries.
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

/** The result of a call. Zero is success, negative values are errors. Mirrors the HRESULTs of DirectML. */
typedef enum VkdmlResult {
    VKDML_SUCCESS = 0,
    /** A descriptor or argument breaks a rule; the reason names it (E_INVALIDARG). */
    VKDML_ERROR_INVALID_ARGUMENT = -1,
    /** The operator is known but not implemented; currently all are implemented (DXGI_ERROR_UNSUPPORTED). */
    VKDML_ERROR_NOT_IMPLEMENTED = -2,
    /** The device lacks a feature that the operator needs; the reason names it (DXGI_ERROR_UNSUPPORTED). */
    VKDML_ERROR_FEATURE_NOT_PRESENT = -3,
    /** A tensor or dispatch exceeds a limit of the device; the reason states the limit and the value. */
    VKDML_ERROR_LIMIT_EXCEEDED = -4,
    /** The allocation callback or malloc returned NULL (E_OUTOFMEMORY). */
    VKDML_ERROR_OUT_OF_HOST_MEMORY = -5,
    /** The driver is out of device memory or descriptors (E_OUTOFMEMORY). */
    VKDML_ERROR_OUT_OF_DEVICE_MEMORY = -6,
    /** The VkDevice is lost; every later call on this device fails, too (DXGI_ERROR_DEVICE_REMOVED). */
    VKDML_ERROR_DEVICE_LOST = -7,
    /** No Vulkan loader, no usable device, or the driver failed to initialize. */
    VKDML_ERROR_INITIALIZATION_FAILED = -8,
    /** The driver returned another error. */
    VKDML_ERROR_DRIVER = -9,
    VKDML_RESULT_MAX_ENUM = 0x7FFFFFFF
} VkdmlResult;

/**
 * Returns the name of a result code, e.g. "VKDML_ERROR_DEVICE_LOST". Never NULL. The string is static. Thread-safe.
 */
VKDML_API const char *vkdmlResultToString(VkdmlResult result);

/**
 * Returns the reasons for the last failed vkdml call on this thread.
 *
 * One line per reason, for example "DML_OPERATOR_PADDING: OutputTensor.Sizes[2] is 7, must be 8 = ...". Available in
 * release builds and after out-of-memory errors: nothing is allocated for the message.
 *
 * The string belongs to vkdml, and is valid until the next failed vkdml call on this thread. Never NULL; empty if no
 * call has failed. Successful calls do not change it.
 */
VKDML_API const char *vkdmlGetErrorMessage(void);

/** Causes of an error that programs can test for. Do not parse error messages. */
typedef enum VkdmlErrorCauseBits {
    /** A tensor or scalar has a data type that the operator does not support at the feature level, or that differs from
       another tensor's. Other sizes or values do not help. */
    VKDML_ERROR_CAUSE_DATA_TYPE = 1,
    VKDML_ERROR_CAUSE_MAX_ENUM = 0x7FFFFFFF
} VkdmlErrorCauseBits;
/** A combination of VkdmlErrorCauseBits. */
typedef uint32_t VkdmlErrorCauses;

/** Returns the causes of the last failed vkdml call on this thread, for all lines of its message; 0: none of the above.
 */
VKDML_API VkdmlErrorCauses vkdmlGetErrorCauses(void);

/** Returns the version of the running library (VKDML_MAKE_VERSION), which may differ from VKDML_HEADER_VERSION.
 * Thread-safe. */
VKDML_API uint32_t vkdmlGetVersion(void);

/** Returns the version of the running library as "major.minor.patch". The string is static. Thread-safe. */
VKDML_API const char *vkdmlGetVersionString(void);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_RESULT_H */
