/* Memory of a model or of a plan: many pieces, freed at once. Not thread-safe: one arena, one thread at a time. */
#ifndef ONNX_ARENA_H
#define ONNX_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct onnx_arena_block;
struct onnx_arena_map;

struct onnx_arena {
    struct onnx_arena_block *first;
    struct onnx_arena_map *maps;
};

/* Zeroed, and aligned for any type; of 0 elements or bytes some place that is not read. NULL: memory is out, or
 * count * size is beyond size_t. */
void *onnx_allocate(struct onnx_arena *arena, size_t count, size_t size);

/* So many bytes of it, and a zero behind them. NULL: memory is out. */
char *onnx_copy_text(struct onnx_arena *arena, const char *text, size_t length);

/* Maps a file's first `length` bytes, which are not 0, for reading. They stay mapped until the arena is freed, and are
 * in memory only where they are read. The descriptor may be closed. NULL: the system does not map it, or memory is out.
 */
const unsigned char *onnx_map_file(struct onnx_arena *arena, const char *path, int file, size_t length);

/* The path of a mapped file that was written since, or NULL. What is read of it is not what it was, and the system ends
 * a process that reads beyond the end of a file that became shorter: so ask this first. Files that were removed or
 * replaced by others stay as they were. */
const char *onnx_arena_changed_file(const struct onnx_arena *arena);

/* Lets go of the memory that holds these bytes if they are of a mapped file; they are read again when they are needed.
 * Other bytes stay as they are. Thread-safe on an arena that nobody changes. */
void onnx_arena_release(const struct onnx_arena *arena, const void *bytes, size_t length);

/* Bytes that were allocated, without those of mapped files. */
size_t onnx_arena_bytes(const struct onnx_arena *arena);

void onnx_arena_free(struct onnx_arena *arena);

#endif
