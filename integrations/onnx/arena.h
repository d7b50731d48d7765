/* Memory of a model or of a plan: many pieces, freed at once. Not thread-safe: one arena, one thread at a time. */
#ifndef ONNX_ARENA_H
#define ONNX_ARENA_H

#include <stddef.h>

struct onnx_arena_block;

struct onnx_arena {
    struct onnx_arena_block *first;
};

/* Zeroed, and aligned for any type; of 0 elements or bytes some place that is not read. NULL: memory is out, or
 * count * size is beyond size_t. */
void *onnx_allocate(struct onnx_arena *arena, size_t count, size_t size);

/* So many bytes of it, and a zero behind them. NULL: memory is out. */
char *onnx_copy_text(struct onnx_arena *arena, const char *text, size_t length);

void onnx_arena_free(struct onnx_arena *arena);

#endif
