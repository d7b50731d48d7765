#include "base/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

#ifdef __has_feature
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
size_t vkdml_arena_block_bytes = 0;
#else
/* Below the size from which glibc's malloc() asks the kernel for each block. */
size_t vkdml_arena_block_bytes = (size_t)64 << 10;
#endif

struct vkdml_arena_block {
    struct vkdml_arena_block *next;
    size_t used, size;
    max_align_t bytes[];
};

static struct vkdml_arena_block *add_block(struct vkdml_arena *arena, size_t bytes) {
    const bool is_large = bytes > vkdml_arena_block_bytes;
    const size_t size = is_large ? bytes : vkdml_arena_block_bytes;
    struct vkdml_arena_block *block =
        size <= SIZE_MAX - sizeof *block ? vkdml_allocate_unset(arena->outer, sizeof *block + size) : NULL;
    if (block == NULL) {
        return NULL;
    }
    block->size = size;
    block->used = 0;
    /* A large piece goes behind the block that still has room for small ones. */
    struct vkdml_arena_block **link = is_large && arena->first != NULL ? &arena->first->next : &arena->first;
    block->next = *link;
    *link = block;
    return block;
}

/* Alignments of vkdml_allocate() are that of max_align_t. */
static VKAPI_ATTR void *VKAPI_CALL allocate(void *user_data, size_t size, size_t alignment,
                                            VkSystemAllocationScope scope) {
    struct vkdml_arena *arena = user_data;
    struct vkdml_arena_block *block = arena->first;
    (void)alignment;
    (void)scope;
    if (size > SIZE_MAX - alignof(max_align_t)) {
        return NULL;
    }
    const size_t wanted = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    if (block == NULL || block->size - block->used < wanted) {
        block = add_block(arena, wanted);
    }
    if (block == NULL) {
        return NULL;
    }
    void *piece = (unsigned char *)block->bytes + block->used;
    block->used += wanted;
    return piece;
}

static VKAPI_ATTR void VKAPI_CALL free_piece(void *user_data, void *memory) {
    (void)user_data;
    (void)memory;
}

void vkdml_arena_begin(struct vkdml_arena *arena, const VkAllocationCallbacks *outer) {
    *arena = (struct vkdml_arena){
        .callbacks = {.pUserData = arena, .pfnAllocation = allocate, .pfnFree = free_piece}, .outer = outer};
}

void vkdml_arena_end(struct vkdml_arena *arena) {
    while (arena->first != NULL) {
        struct vkdml_arena_block *next = arena->first->next;
        vkdml_free(arena->outer, arena->first);
        arena->first = next;
    }
}
