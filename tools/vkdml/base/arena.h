/* Memory that lives as long as the model: many small pieces, freed at once. */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *first;
};

/* Zeroed and aligned for any type. NULL, and a message on stderr, when memory is out. */
void *arena_allocate(struct arena *arena, size_t count, size_t size);

/* The two strings in one, with nothing between them. */
char *arena_join(struct arena *arena, const char *first, const char *second);

void arena_free(struct arena *arena);

#endif
