#include "onnx/error.h"

#include <stdarg.h>
#include <stdio.h>

bool onnx_fail(struct onnx_error *error, const char *format, ...) {
    if (error->text[0] == 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return false;
}
