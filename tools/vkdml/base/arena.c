#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

struct arena_block {
    struct arena_block *next;
    alignas(max_align_t) unsigned char bytes[];
};

void *arena_allocate(struct arena *arena, size_t count, size_t size) {
    struct arena_block *block = NULL;
    if (size == 0 || count <= (SIZE_MAX - sizeof(*block)) / size) {
        block = calloc(1, sizeof(*block) + count * size);
    }
    if (!block) {
        message_print("vkdml: out of memory");
        return NULL;
    }
    block->next = arena->first;
    arena->first = block;
    return block->bytes;
}

char *arena_join(struct arena *arena, const char *first, const char *second) {
    size_t first_length = strlen(first);
    size_t second_length = strlen(second);
    char *joined = arena_allocate(arena, first_length + second_length + 1, 1);
    if (joined) {
        memcpy(joined, first, first_length);
        memcpy(joined + first_length, second, second_length);
    }
    return joined;
}

void arena_free(struct arena *arena) {
    struct arena_block *next;
    for (struct arena_block *block = arena->first; block; block = next) {
        next = block->next;
        free(block);
    }
    arena->first = NULL;
}
