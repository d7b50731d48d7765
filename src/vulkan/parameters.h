/* Parameter blocks: the words of a plan step, in small uniform buffers of the library's own. They are written once, at
 * compilation, so recording has nothing to upload. */
#ifndef VKDML_VULKAN_PARAMETERS_H
#define VKDML_VULKAN_PARAMETERS_H

#include <pthread.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include "base/report.h"
#include "vkdml/device.h"

struct vkdml_parameter_slab;

/* One block, of some units side by side. Zeroed: none. */
struct vkdml_parameter_block {
    struct vkdml_parameter_slab *slab;
    uint32_t first;
    uint32_t units;
};

/* Bytes of a unit, where the device's alignment is no more: what most kernels take. */
#define VKDML_PARAMETER_UNIT_BYTES 512

/* A device's slabs. */
struct vkdml_parameters {
    pthread_mutex_t lock; /* of all below, and of the slabs */
    struct vkdml_parameter_slab *slabs;
    uint32_t unit_bytes; /* a power of two */
};

/* Copies `count` words (0 is allowed) into a block of its own; the rest of the block is 0. Thread-safe. */
VkdmlResult vkdml_parameters_create(VkdmlDevice device, const uint32_t *words, uint32_t count,
                                    struct vkdml_report *report, struct vkdml_parameter_block *block);

/* Gives a block back. A zeroed one is ignored, and one that went with its device. Thread-safe. */
void vkdml_parameters_destroy(VkdmlDevice device, struct vkdml_parameter_block block);

/* What the block's descriptor is. */
VkDescriptorBufferInfo vkdml_parameters_descriptor(VkdmlDevice device, struct vkdml_parameter_block block);

/* Frees the slabs of a device, blocks and all. */
void vkdml_parameters_finish(VkdmlDevice device);

#endif
