#include "vulkan/parameters.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "plan/plan.h"
#include "vulkan/device.h"

/* One slab serves 128 dispatches of kernels with small blocks on any device that keeps to Vulkan's limit of 256 for
 * minUniformBufferOffsetAlignment; small enough not to matter, large enough that models need few. */
#define SLAB_BYTES 65536
#define MAX_UNITS  (SLAB_BYTES / VKDML_PARAMETER_UNIT_BYTES)
#define USED_WORDS (MAX_UNITS / 64)

struct vkdml_parameter_slab {
    struct vkdml_parameter_slab *next;
    VkBuffer buffer;
    VkDeviceMemory memory;
    unsigned char *mapped; /* as long as the slab lives */
    uint32_t used_count;
    uint64_t used[USED_WORDS]; /* bit per unit */
};

static uint32_t units_per_slab(const struct vkdml_parameters *parameters) {
    return SLAB_BYTES / parameters->unit_bytes;
}

static void destroy_slab(VkdmlDevice device, struct vkdml_parameter_slab *slab) {
    if (slab->buffer) {
        device->vk.DestroyBuffer(device->handles.device, slab->buffer, device->callbacks);
    }
    if (slab->memory) {
        device->vk.FreeMemory(device->handles.device, slab->memory, device->callbacks); /* unmaps */
    }
    vkdml_free(device->callbacks, slab);
}

/* Allocates from the first memory type that has all wanted properties and nothing that needs a feature. */
static VkResult allocate_from(VkdmlDevice device, const VkMemoryRequirements *requirements,
                              VkMemoryPropertyFlags wanted, VkDeviceMemory *memory) {
    const VkMemoryPropertyFlags allowed = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
        VkMemoryPropertyFlags flags = device->memory.memoryTypes[i].propertyFlags;
        if ((requirements->memoryTypeBits >> i & 1) && (flags & wanted) == wanted && (flags & ~allowed) == 0) {
            VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                         .allocationSize = requirements->size,
                                         .memoryTypeIndex = i};
            return device->vk.AllocateMemory(device->handles.device, &info, device->callbacks, memory);
        }
    }
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static VkdmlResult allocate_slab_memory(VkdmlDevice device, struct vkdml_parameter_slab *slab,
                                        struct vkdml_report *report) {
    const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkMemoryRequirements requirements;
    device->vk.GetBufferMemoryRequirements(device->handles.device, slab->buffer, &requirements);
    /* Where the host can write device memory, a kernel's first reads need not cross the bus. That heap may be small and
     * full: then any memory of the host's will do. */
    VkResult result = allocate_from(device, &requirements, host | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &slab->memory);
    if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY) {
        result = allocate_from(device, &requirements, host, &slab->memory);
    }
    if (result != VK_SUCCESS) {
        slab->memory = VK_NULL_HANDLE;
        return vkdml_vulkan_failure(&device->lost, report, result, "vkAllocateMemory");
    }
    result = device->vk.BindBufferMemory(device->handles.device, slab->buffer, slab->memory, 0);
    if (result != VK_SUCCESS) {
        return vkdml_vulkan_failure(&device->lost, report, result, "vkBindBufferMemory");
    }
    void *mapped;
    result = device->vk.MapMemory(device->handles.device, slab->memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    if (result != VK_SUCCESS) {
        return vkdml_vulkan_failure(&device->lost, report, result, "vkMapMemory");
    }
    slab->mapped = mapped;
    return VKDML_SUCCESS;
}

/* Puts a fresh slab first. */
static VkdmlResult add_slab(VkdmlDevice device, struct vkdml_report *report) {
    struct vkdml_parameter_slab *slab = vkdml_allocate(device->callbacks, sizeof *slab);
    if (!slab) {
        return vkdml_report_out_of_memory(report, sizeof *slab, "a parameter slab");
    }
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = SLAB_BYTES,
                               .usage = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                               .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
    VkResult created = device->vk.CreateBuffer(device->handles.device, &info, device->callbacks, &slab->buffer);
    VkdmlResult result;
    if (created == VK_SUCCESS) {
        vkdml_debug_name(device, VK_OBJECT_TYPE_BUFFER, (uint64_t)slab->buffer, "vkdml parameters");
        result = allocate_slab_memory(device, slab, report);
    } else {
        slab->buffer = VK_NULL_HANDLE;
        result = vkdml_vulkan_failure(&device->lost, report, created, "vkCreateBuffer");
    }
    if (result != VKDML_SUCCESS) {
        destroy_slab(device, slab);
        return result;
    }
    slab->next = device->parameters.slabs;
    device->parameters.slabs = slab;
    return VKDML_SUCCESS;
}

static void mark(struct vkdml_parameter_block block, bool used) {
    for (uint32_t i = block.first; i < block.first + block.units; i++) {
        const uint64_t bit = UINT64_C(1) << i % 64;
        block.slab->used[i / 64] = used ? block.slab->used[i / 64] | bit : block.slab->used[i / 64] & ~bit;
    }
    block.slab->used_count += used ? block.units : 0 - block.units;
}

/* Takes the first units side by side that are free. */
static bool take_units(struct vkdml_parameter_slab *slab, uint32_t end, uint32_t units,
                       struct vkdml_parameter_block *block) {
    uint32_t run = 0;
    for (uint32_t i = 0; i < end && end - slab->used_count >= units && run < units; i++) {
        run = slab->used[i / 64] >> i % 64 & 1 ? 0 : run + 1;
        *block = (struct vkdml_parameter_block){.slab = slab, .first = i + 1 - run, .units = units};
    }
    if (run == units) {
        mark(*block, true);
    }
    return run == units;
}

static bool take_block(struct vkdml_parameters *parameters, uint32_t units, struct vkdml_parameter_block *block) {
    bool taken = false;
    for (struct vkdml_parameter_slab *slab = parameters->slabs; slab && !taken; slab = slab->next) {
        taken = take_units(slab, units_per_slab(parameters), units, block);
    }
    return taken;
}

VkdmlResult vkdml_parameters_create(VkdmlDevice device, const uint32_t *words, uint32_t count,
                                    struct vkdml_report *report, struct vkdml_parameter_block *block) {
    struct vkdml_parameters *parameters = &device->parameters;
    VkdmlResult result = VKDML_SUCCESS;
    const size_t bytes = count * sizeof *words;
    const uint32_t units = bytes == 0 ? 1 : (uint32_t)((bytes - 1) / parameters->unit_bytes + 1);
    assert(count <= VKDML_PLAN_MAX_PARAMETERS);
    pthread_mutex_lock(&parameters->lock);
    if (!take_block(parameters, units, block)) {
        result = add_slab(device, report);
        if (result == VKDML_SUCCESS) {
            take_block(parameters, units, block); /* of the new slab */
        }
    }
    pthread_mutex_unlock(&parameters->lock);
    if (result == VKDML_SUCCESS) {
        /* The block is the caller's alone now; coherent memory, so the next submission sees it. */
        unsigned char *target = block->slab->mapped + (size_t)block->first * parameters->unit_bytes;
        memset(target, 0, (size_t)units * parameters->unit_bytes);
        memcpy(target, words, bytes);
    }
    return result;
}

void vkdml_parameters_destroy(VkdmlDevice device, struct vkdml_parameter_block block) {
    struct vkdml_parameters *parameters = &device->parameters;
    if (!block.slab || atomic_load(&device->destroyed)) {
        return;
    }
    pthread_mutex_lock(&parameters->lock);
    mark(block, false);
    /* The first slab stays, so that an application with one operator at a time does not allocate each time. */
    if (block.slab->used_count == 0 && block.slab != parameters->slabs) {
        struct vkdml_parameter_slab **link = &parameters->slabs;
        while (*link != block.slab) {
            link = &(*link)->next;
        }
        *link = block.slab->next;
        destroy_slab(device, block.slab);
    }
    pthread_mutex_unlock(&parameters->lock);
}

VkDescriptorBufferInfo vkdml_parameters_descriptor(VkdmlDevice device, struct vkdml_parameter_block block) {
    const VkDeviceSize unit_bytes = device->parameters.unit_bytes;
    return (VkDescriptorBufferInfo){
        .buffer = block.slab->buffer, .offset = block.first * unit_bytes, .range = block.units * unit_bytes};
}

void vkdml_parameters_finish(VkdmlDevice device) {
    struct vkdml_parameter_slab *slab = device->parameters.slabs;
    device->parameters.slabs = NULL;
    while (slab) {
        struct vkdml_parameter_slab *next = slab->next;
        destroy_slab(device, slab);
        slab = next;
    }
}
