/* Files: a model's, and those beside it that hold its tensors. */
#ifndef ONNX_EXTERNAL_H
#define ONNX_EXTERNAL_H

#include "onnx/names.h"

/* A file that holds data of tensors. */
struct onnx_external_file {
    const char *path; /* links followed */
    uint64_t length;
    const unsigned char *mapped; /* the whole file; NULL: it is not mapped, at least not yet */
};

/* Files that were found, and parts of them that were read, each once. */
struct onnx_external {
    const char *folder;        /* NULL: there is none */
    struct onnx_arena *memory; /* of the tables */
    struct onnx_names file_names, part_names;
    struct onnx_external_file *files;
    const unsigned char **parts;
    uint64_t bytes, read; /* of all files; of all parts */
};

/* Tensors of a file that have more bytes stay there: the file is mapped. */
#define ONNX_MOST_COPIED ((size_t)64 << 10)

/* A file's bytes, in memory of the arena, aligned for any type. */
bool onnx_read_file(const char *path, struct onnx_arena *arena, const unsigned char **bytes, size_t *length,
                    struct onnx_error *error);

/* The same, and the file's bytes where it is mapped, for as long as the arena `maps` lives; NULL if the file has no
 * large tensor or is not mapped. */
bool onnx_read_and_map_file(const char *path, struct onnx_arena *arena, struct onnx_arena *maps,
                            const unsigned char **bytes, const unsigned char **mapped, size_t *length,
                            struct onnx_error *error);

/* Finds a file of the folder; its number. The location is relative to the folder, as the model states it. A location
 * that leads out of the folder is refused, by itself or through links. */
bool onnx_external_find(struct onnx_external *external, struct onnx_text location, uint32_t *file,
                        struct onnx_error *error);

/* Finds the file of a path, wherever it is; its number. */
bool onnx_external_add(struct onnx_external *external, const char *path, uint32_t *file, struct onnx_error *error);

/* The part of a file that begins at `offset`, which must be in it. Large parts are where the file is mapped; others are
 * in memory of the arena, aligned for any type. Both live as long as the arena. Tensors that name the same part share
 * it. Fails if the parts overlap so much that they are several times as large as their files: each will take memory of a
 * device. */
bool onnx_external_read(struct onnx_external *external, uint32_t file, uint64_t offset, size_t length,
                        struct onnx_arena *arena, const unsigned char **bytes, struct onnx_error *error);

#endif
