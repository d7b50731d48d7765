#include "base/memory.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

void *vkdml_allocate_unset(const VkAllocationCallbacks *callbacks, size_t bytes) {
    /* An allocation of no bytes may come back as NULL, which would read as out of memory. */
    const size_t size = bytes > 0 ? bytes : 1;
    return callbacks == NULL ? malloc(size)
                             : callbacks->pfnAllocation(callbacks->pUserData, size, alignof(max_align_t),
                                                        VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
}

void *vkdml_allocate(const VkAllocationCallbacks *callbacks, size_t bytes) {
    /* Not calloc(): glibc before 2.41 keeps no blocks at hand for it. */
    void *memory = vkdml_allocate_unset(callbacks, bytes);
    if (memory != NULL) {
        memset(memory, 0, bytes);
    }
    return memory;
}

void vkdml_free(const VkAllocationCallbacks *callbacks, void *memory) {
    if (memory == NULL) {
        return;
    }
    if (callbacks == NULL) {
        free(memory);
    } else {
        callbacks->pfnFree(callbacks->pUserData, memory);
    }
}
