/* ONNX Runtime as the plugin sees it: its C API, of number 23, which every version from 1.23 on has. */
#ifndef VKDML_ORT_H
#define VKDML_ORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <onnxruntime_c_api.h>

#include "onnx/error.h"

/* Where the headers are newer, too: nothing of a newer API is used. */
#define API_VERSION 23

/* The execution provider's name, as OrtEpDevice and sessions report it. */
#define PROVIDER_NAME "VkdmlExecutionProvider"

/* Set once, by CreateEpFactories(), and the same for all factories. */
struct ort {
    const OrtApi *api;
    const OrtEpApi *ep;
};
extern struct ort ort;

/* Whether a call succeeded; else its reason is the error's, and its status released. */
bool ort_check(OrtStatus *status, struct onnx_error *error);

/* NULL where it succeeded, else a status of that reason. */
OrtStatus *ort_status(bool succeeded, const struct onnx_error *error);

#endif
