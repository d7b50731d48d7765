/* Host memory that is freed all at once, for code that takes VkAllocationCallbacks. Not thread-safe. */
#ifndef VKDML_BASE_ARENA_H
#define VKDML_BASE_ARENA_H

#include <stddef.h>

#include <vulkan/vulkan_core.h>

struct vkdml_arena_block;

/* The arena must stay where it is from vkdml_arena_begin() to vkdml_arena_end(). */
struct vkdml_arena {
    VkAllocationCallbacks callbacks;    /* allocate from the arena; freeing a piece does nothing */
    const VkAllocationCallbacks *outer; /* of blocks; borrowed; may be NULL */
    struct vkdml_arena_block *first;
};

/* Of a block. Tests set it to 0: then each piece is a block of its own, whose allocation can fail. So it is where
 * AddressSanitizer watches the bounds of pieces. */
extern size_t vkdml_arena_block_bytes;

void vkdml_arena_begin(struct vkdml_arena *arena, const VkAllocationCallbacks *outer);

/* Frees all that was allocated. */
void vkdml_arena_end(struct vkdml_arena *arena);

#endif
