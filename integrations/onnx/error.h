/* Reasons. */
#ifndef ONNX_ERROR_H
#define ONNX_ERROR_H

#include <stdbool.h>

#include <vkdml/result.h>

/* Why something failed: one sentence, with the node or the byte it is about, and a code. {0}: nothing has failed. */
struct onnx_error {
    char text[512];
    VkdmlResult result;
    VkdmlErrorCauses causes; /* of a refusal by DirectML's rules; 0 otherwise */
};

#if defined(__GNUC__)
#define ONNX_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define ONNX_PRINTF(text, first)
#endif

/* Sets the text, of at most what has room, and the code, once: the first reason stays. Returns false, so that it can be
 * returned. onnx_fail() is for what a model or a caller asks: VKDML_ERROR_INVALID_ARGUMENT. */
bool onnx_fail(struct onnx_error *error, const char *format, ...) ONNX_PRINTF(2, 3);
bool onnx_fail_with(struct onnx_error *error, VkdmlResult result, const char *format, ...) ONNX_PRINTF(3, 4);
bool onnx_fail_memory(struct onnx_error *error); /* "memory is out" */

/* Of a call of vkdml: true where it succeeded; else its code, and its reason. */
bool onnx_check(VkdmlResult result, struct onnx_error *error);

#endif
