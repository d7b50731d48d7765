#include "onnx/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES ((size_t)64 << 10)
#define FIRST_BYTES ((size_t)4 << 10) /* of the first block: much that is read is small */
#define ALIGNMENT   sizeof(max_align_t)

struct onnx_arena_block {
    struct onnx_arena_block *next;
    size_t used, size;
    max_align_t bytes[];
};

void *onnx_allocate(struct onnx_arena *arena, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX - BLOCK_BYTES) / size) {
        return NULL;
    }
    const size_t wanted = count * size / ALIGNMENT * ALIGNMENT + ALIGNMENT;
    struct onnx_arena_block *block = arena->first;
    if (block == NULL || block->size - block->used < wanted) {
        const size_t usual = block != NULL ? BLOCK_BYTES : FIRST_BYTES;
        const size_t room = wanted > usual ? wanted : usual;
        struct onnx_arena_block *made = calloc(1, sizeof *made + room);
        if (made == NULL) {
            return NULL;
        }
        made->size = room;
        /* A large piece goes behind the block that still has room for small ones. */
        if (block != NULL && room > BLOCK_BYTES) {
            made->next = block->next;
            block->next = made;
        } else {
            made->next = block;
            arena->first = made;
        }
        block = made;
    }
    void *place = (char *)block->bytes + block->used;
    block->used += wanted;
    return place;
}

char *onnx_copy_text(struct onnx_arena *arena, const char *text, size_t length) {
    char *copy = length == SIZE_MAX ? NULL : onnx_allocate(arena, length + 1, 1);
    if (copy != NULL && length != 0) {
        memcpy(copy, text, length);
    }
    return copy;
}

/* ---- mapped files ---- */

struct onnx_arena_map {
    struct onnx_arena_map *next;
    unsigned char *bytes;
    size_t length;
    struct stat status; /* when it was mapped */
    char path[];
};

const unsigned char *onnx_map_file(struct onnx_arena *arena, const char *path, int file, size_t length) {
    struct onnx_arena_map *map = calloc(1, sizeof *map + strlen(path) + 1);
    if (map == NULL) {
        return NULL;
    }
    void *bytes = fstat(file, &map->status) == 0 ? mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    if (bytes == MAP_FAILED) {
        free(map);
        return NULL;
    }
    map->next = arena->maps;
    map->bytes = bytes;
    map->length = length;
    memcpy(map->path, path, strlen(path) + 1);
    arena->maps = map;
    return map->bytes;
}

const char *onnx_arena_changed_file(const struct onnx_arena *arena) {
    for (const struct onnx_arena_map *map = arena->maps; map != NULL; map = map->next) {
        const struct stat *then = &map->status;
        struct stat now;
        const bool is_same = stat(map->path, &now) == 0 && now.st_dev == then->st_dev && now.st_ino == then->st_ino;
        if (is_same && (now.st_size != then->st_size || now.st_mtim.tv_sec != then->st_mtim.tv_sec ||
                        now.st_mtim.tv_nsec != then->st_mtim.tv_nsec)) {
            return map->path;
        }
    }
    return NULL;
}

void onnx_arena_release(const struct onnx_arena *arena, const void *bytes, size_t length) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)bytes;
    for (const struct onnx_arena_map *map = arena->maps; map != NULL; map = map->next) {
        const uintptr_t from = (uintptr_t)map->bytes;
        if (begin >= from && begin - from < map->length && length <= map->length - (begin - from)) {
            /* Whole pages, of neighbours too: the file still has them. */
            const size_t first = (begin - from) / page * page;
            madvise(map->bytes + first, begin - from + length - first, MADV_DONTNEED);
        }
    }
}

/* ---- the whole ---- */

size_t onnx_arena_bytes(const struct onnx_arena *arena) {
    size_t bytes = 0;
    for (const struct onnx_arena_block *block = arena->first; block != NULL; block = block->next) {
        bytes += block->size;
    }
    return bytes;
}

void onnx_arena_free(struct onnx_arena *arena) {
    while (arena->first != NULL) {
        struct onnx_arena_block *next = arena->first->next;
        free(arena->first);
        arena->first = next;
    }
    while (arena->maps != NULL) {
        struct onnx_arena_map *next = arena->maps->next;
        munmap(arena->maps->bytes, arena->maps->length);
        free(arena->maps);
        arena->maps = next;
    }
}
