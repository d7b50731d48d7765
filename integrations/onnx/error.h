/* Reasons. */
#ifndef ONNX_ERROR_H
#define ONNX_ERROR_H

#include <stdbool.h>

/* Why something failed: one sentence, with the node or the byte it is about. */
struct onnx_error {
    char text[512];
};

/* Sets the text, of at most what has room, once: the first reason stays. Returns false, so that it can be returned. */
bool onnx_fail(struct onnx_error *error, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

#endif
