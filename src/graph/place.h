/* Memory by lifetimes. */
#ifndef VKDML_GRAPH_PLACE_H
#define VKDML_GRAPH_PLACE_H

#include <vulkan/vulkan_core.h>

#include "base/report.h"

/* Bytes that are needed from one moment to another. */
struct vkdml_block {
    uint64_t bytes;  /* a multiple of 256; 0: none */
    uint64_t offset; /* where they lie: found */
    uint32_t first;  /* moments, both included */
    uint32_t last;
};

/* Finds places for blocks, so that what is needed at one moment lies apart. *bytes is what they take in all. */
VkdmlResult vkdml_place(struct vkdml_block *blocks, uint32_t count, const VkAllocationCallbacks *callbacks,
                        struct vkdml_report *report, uint64_t *bytes);

/* What no placement comes below: the most bytes that are needed at one moment. Moments are below `moments`, whose sums
 * are scratch of the caller's. */
uint64_t vkdml_place_bound(const struct vkdml_block *blocks, uint32_t count, uint64_t *sums, uint32_t moments);

#endif
