/* Numbers for byte strings: equal strings get equal numbers, others different ones. Not thread-safe. */
#ifndef VKDML_BASE_INTERN_H
#define VKDML_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

struct vkdml_interned;

/* Zeroed but for the callbacks, which may be NULL: empty. Ended by vkdml_intern_end(). */
struct vkdml_intern {
    const VkAllocationCallbacks *callbacks;
    struct vkdml_interned **buckets;
    size_t bucket_count; /* a power of two, or 0 */
    uint64_t count;      /* of strings, which have the numbers 1 to this */
};

/* The number of a string, which is copied if it is new. 0: out of memory. */
uint64_t vkdml_intern(struct vkdml_intern *intern, const void *bytes, size_t count);

/* Forgets all strings. */
void vkdml_intern_end(struct vkdml_intern *intern);

#endif
