/* Host memory through the caller's VkAllocationCallbacks, or malloc where there are none. */
#ifndef VKDML_BASE_MEMORY_H
#define VKDML_BASE_MEMORY_H

#include <stddef.h>

#include <vulkan/vulkan_core.h>

/* Zeroed memory aligned for any type, or NULL. callbacks may be NULL. Free with the same callbacks. */
void *vkdml_allocate(const VkAllocationCallbacks *callbacks, size_t bytes);

/* The same of memory that is not zeroed. */
void *vkdml_allocate_unset(const VkAllocationCallbacks *callbacks, size_t bytes);

/* NULL memory is ignored. */
void vkdml_free(const VkAllocationCallbacks *callbacks, void *memory);

#endif
