#include "onnx/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "text/visible_text.h"

static void set(struct onnx_error *error, VkdmlResult result, const char *format, va_list arguments) {
    char text[sizeof error->text];
    if (error->text[0] == 0) {
        vsnprintf(text, sizeof text, format, arguments);
        /* Names are shown already; what is left is other text of the model, as attributes' and ONNX Runtime's. */
        visible_message(text, error->text, sizeof error->text);
        error->result = result;
    }
}

bool onnx_fail(struct onnx_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    set(error, VKDML_ERROR_INVALID_ARGUMENT, format, arguments);
    va_end(arguments);
    return false;
}

bool onnx_fail_with(struct onnx_error *error, VkdmlResult result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    set(error, result, format, arguments);
    va_end(arguments);
    return false;
}

bool onnx_fail_memory(struct onnx_error *error) {
    return onnx_fail_with(error, VKDML_ERROR_OUT_OF_HOST_MEMORY, "memory is out");
}

bool onnx_check(VkdmlResult result, struct onnx_error *error) {
    return result == VKDML_SUCCESS || onnx_fail_with(error, result, "%s", vkdmlGetErrorMessage());
}
