/* Weights inside a model's file, where they stay: ONNX Runtime has a copy of each as long as it reads the model. */
#ifndef VKDML_EMBEDDED_H
#define VKDML_EMBEDDED_H

#include "onnx/external.h"
#include "onnx/names.h"

struct embedded {
    bool is_open;
    struct onnx_names names; /* of initializers with bytes of their own */
    struct onnx_text *parts; /* by number: these bytes */
    uint32_t room;
    const unsigned char *end; /* of the file */
};

/* Bytes in the file that are equal to those of a constant: mapped by the arena, as long as it lives. NULL: there are
 * none, or not as a whole. `path` is the model's, in the folder of `external`. Opens the file at the first call. */
const void *embedded_find(struct embedded *embedded, struct onnx_external *external, const char *path,
                          struct onnx_arena *arena, const char *name, const void *data, size_t bytes);

#endif
