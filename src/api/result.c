#include "vkdml/result.h"

#include <stddef.h>

/* Failures count down from 0, so a result's name is at its negative. */
#define RESULT(NAME) [-(NAME)] = #NAME

static const char *const result_names[] = {
    RESULT(VKDML_SUCCESS),
    RESULT(VKDML_ERROR_INVALID_ARGUMENT),
    RESULT(VKDML_ERROR_NOT_IMPLEMENTED),
    RESULT(VKDML_ERROR_FEATURE_NOT_PRESENT),
    RESULT(VKDML_ERROR_LIMIT_EXCEEDED),
    RESULT(VKDML_ERROR_OUT_OF_HOST_MEMORY),
    RESULT(VKDML_ERROR_OUT_OF_DEVICE_MEMORY),
    RESULT(VKDML_ERROR_DEVICE_LOST),
    RESULT(VKDML_ERROR_INITIALIZATION_FAILED),
    RESULT(VKDML_ERROR_DRIVER),
};

const char *vkdmlResultToString(VkdmlResult result) {
    const uint32_t index = 0u - (uint32_t)result;
    return index < sizeof result_names / sizeof result_names[0] ? result_names[index] : "unknown VkdmlResult";
}

uint32_t vkdmlGetVersion(void) {
    return VKDML_HEADER_VERSION;
}

const char *vkdmlGetVersionString(void) {
    return VKDML_VERSION_STRING;
}
