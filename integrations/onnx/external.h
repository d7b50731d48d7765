/* Files: a model's, and those beside it that hold its tensors. */
#ifndef ONNX_EXTERNAL_H
#define ONNX_EXTERNAL_H

#include "onnx/names.h"

/* Those that were read, each once and whole. */
struct onnx_external_file;
struct onnx_external {
    const char *folder; /* NULL: there is none */
    struct onnx_external_file *files;
    uint64_t bytes, copied; /* of all of them; of tensors that were not aligned in them */
};

/* A file's bytes, in memory of the arena, aligned for any type. */
bool onnx_read_file(const char *path, struct onnx_arena *arena, const unsigned char **bytes, size_t *length,
                    struct onnx_error *error);

/* A file of the folder. The location is one below it, as the model says it: what leads out of it is refused. */
bool onnx_external_read(struct onnx_external *external, struct onnx_arena *arena, struct onnx_text location,
                        const unsigned char **bytes, size_t *length, struct onnx_error *error);

#endif
