#include "bench/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one dispatch may take; one cut into more windows than this is not replayed. */
#define MAX_COMMANDS 64
#define MAX_SETS     4
#define MAX_OFFSETS  8
#define MAX_BARRIERS 4
#define MAX_REGIONS  4
#define MAX_BYTES    256 /* of push constants; no device in use has more */

enum kind { BIND_PIPELINE, BIND_SETS, PUSH, DISPATCH, BARRIER, COPY, FILL };

struct command {
    enum kind kind;
    union {
        struct {
            VkPipelineBindPoint point;
            VkPipeline pipeline;
        } bind_pipeline;
        struct {
            VkPipelineBindPoint point;
            VkPipelineLayout layout;
            uint32_t first, count, offset_count;
            VkDescriptorSet sets[MAX_SETS];
            uint32_t offsets[MAX_OFFSETS];
        } bind_sets;
        struct {
            VkPipelineLayout layout;
            VkShaderStageFlags stages;
            uint32_t offset, size;
            unsigned char bytes[MAX_BYTES];
        } push;
        uint32_t groups[3];
        struct {
            VkPipelineStageFlags from, to;
            VkDependencyFlags flags;
            uint32_t count, buffer_count;
            VkMemoryBarrier barriers[MAX_BARRIERS];
            VkBufferMemoryBarrier buffers[MAX_BARRIERS];
        } barrier;
        struct {
            VkBuffer from, to;
            uint32_t count;
            VkBufferCopy regions[MAX_REGIONS];
        } copy;
        struct {
            VkBuffer buffer;
            VkDeviceSize offset, size;
            uint32_t data;
        } fill;
    } of;
};

/* One trace at a time: Vulkan's functions have no place for a context. */
static struct {
    PFN_vkGetInstanceProcAddr next_instance;
    PFN_vkGetDeviceProcAddr next_device;
    PFN_vkUpdateDescriptorSets update_descriptor_sets;
    bool on;
    struct bench_trace_counts counts;
    uint32_t count;
    struct command commands[MAX_COMMANDS];
} trace;

/* Copies an array, which may be none where it has no elements. */
#define KEEP(to, from, count)                                                                                          \
    for (uint32_t i = 0; i < (count); i++) {                                                                           \
        (to)[i] = (from)[i];                                                                                           \
    }

/* A place for the next command; NULL where nothing is to be kept. */
static struct command *next_command(enum kind kind, bool fits) {
    if (!trace.on) {
        return NULL;
    }
    trace.counts.commands++;
    trace.counts.dispatches += kind == DISPATCH || kind == COPY || kind == FILL;
    if (!fits || trace.count == MAX_COMMANDS) {
        trace.counts.complete = false;
        return NULL;
    }
    struct command *command = &trace.commands[trace.count++];
    command->kind = kind;
    return command;
}

static VKAPI_ATTR void VKAPI_CALL bind_pipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                VkPipeline pipeline) {
    struct command *command = next_command(BIND_PIPELINE, true);
    if (command) {
        command->of.bind_pipeline.point = point;
        command->of.bind_pipeline.pipeline = pipeline;
    }
    vkCmdBindPipeline(commands, point, pipeline);
}

static VKAPI_ATTR void VKAPI_CALL bind_sets(VkCommandBuffer commands, VkPipelineBindPoint point,
                                            VkPipelineLayout layout, uint32_t first, uint32_t count,
                                            const VkDescriptorSet *sets, uint32_t offset_count,
                                            const uint32_t *offsets) {
    struct command *command = next_command(BIND_SETS, count <= MAX_SETS && offset_count <= MAX_OFFSETS);
    if (command) {
        command->of.bind_sets.point = point;
        command->of.bind_sets.layout = layout;
        command->of.bind_sets.first = first;
        command->of.bind_sets.count = count;
        command->of.bind_sets.offset_count = offset_count;
        KEEP(command->of.bind_sets.sets, sets, count)
        KEEP(command->of.bind_sets.offsets, offsets, offset_count)
    }
    vkCmdBindDescriptorSets(commands, point, layout, first, count, sets, offset_count, offsets);
}

static VKAPI_ATTR void VKAPI_CALL push(VkCommandBuffer commands, VkPipelineLayout layout, VkShaderStageFlags stages,
                                       uint32_t offset, uint32_t size, const void *bytes) {
    struct command *command = next_command(PUSH, size <= MAX_BYTES);
    if (command) {
        command->of.push.layout = layout;
        command->of.push.stages = stages;
        command->of.push.offset = offset;
        command->of.push.size = size;
        memcpy(command->of.push.bytes, bytes, size);
    }
    vkCmdPushConstants(commands, layout, stages, offset, size, bytes);
}

static VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
    struct command *command = next_command(DISPATCH, true);
    if (command) {
        command->of.groups[0] = x;
        command->of.groups[1] = y;
        command->of.groups[2] = z;
    }
    vkCmdDispatch(commands, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
                                          VkDependencyFlags flags, uint32_t count, const VkMemoryBarrier *barriers,
                                          uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
                                          uint32_t image_count, const VkImageMemoryBarrier *images) {
    struct command *command =
        next_command(BARRIER, count <= MAX_BARRIERS && buffer_count <= MAX_BARRIERS && image_count == 0);
    if (command) {
        command->of.barrier.from = from;
        command->of.barrier.to = to;
        command->of.barrier.flags = flags;
        command->of.barrier.count = count;
        command->of.barrier.buffer_count = buffer_count;
        KEEP(command->of.barrier.barriers, barriers, count)
        KEEP(command->of.barrier.buffers, buffers, buffer_count)
    }
    vkCmdPipelineBarrier(commands, from, to, flags, count, barriers, buffer_count, buffers, image_count, images);
}

static VKAPI_ATTR void VKAPI_CALL copy(VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t count,
                                       const VkBufferCopy *regions) {
    struct command *command = next_command(COPY, count <= MAX_REGIONS);
    if (command) {
        command->of.copy.from = from;
        command->of.copy.to = to;
        command->of.copy.count = count;
        memcpy(command->of.copy.regions, regions, count * sizeof(regions[0]));
    }
    vkCmdCopyBuffer(commands, from, to, count, regions);
}

static VKAPI_ATTR void VKAPI_CALL fill(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset,
                                       VkDeviceSize size, uint32_t data) {
    struct command *command = next_command(FILL, true);
    if (command) {
        command->of.fill.buffer = buffer;
        command->of.fill.offset = offset;
        command->of.fill.size = size;
        command->of.fill.data = data;
    }
    vkCmdFillBuffer(commands, buffer, offset, size, data);
}

static VKAPI_ATTR void VKAPI_CALL update_descriptor_sets(VkDevice device, uint32_t write_count,
                                                         const VkWriteDescriptorSet *writes, uint32_t copy_count,
                                                         const VkCopyDescriptorSet *copies) {
    trace.counts.descriptor_updates += trace.on;
    trace.update_descriptor_sets(device, write_count, writes, copy_count, copies);
}

static const struct {
    const char *name;
    PFN_vkVoidFunction function;
} traced[] = {
    {"vkCmdBindPipeline", (PFN_vkVoidFunction)bind_pipeline},
    {"vkCmdBindDescriptorSets", (PFN_vkVoidFunction)bind_sets},
    {"vkCmdPushConstants", (PFN_vkVoidFunction)push},
    {"vkCmdDispatch", (PFN_vkVoidFunction)dispatch},
    {"vkCmdPipelineBarrier", (PFN_vkVoidFunction)barrier},
    {"vkCmdCopyBuffer", (PFN_vkVoidFunction)copy},
    {"vkCmdFillBuffer", (PFN_vkVoidFunction)fill},
    {"vkUpdateDescriptorSets", (PFN_vkVoidFunction)update_descriptor_sets},
};

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char *name) {
    PFN_vkVoidFunction found = trace.next_device(device, name);
    for (size_t i = 0; found && i < sizeof(traced) / sizeof(traced[0]); i++) {
        if (strcmp(name, traced[i].name) == 0) {
            if (strcmp(name, "vkUpdateDescriptorSets") == 0) {
                trace.update_descriptor_sets = (PFN_vkUpdateDescriptorSets)found;
            }
            return traced[i].function;
        }
    }
    if (found && strncmp(name, "vkCmd", 5) == 0) {
        fprintf(stderr, "vkdml: warning: %s is neither counted nor replayed\n", name);
    }
    return found;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char *name) {
    PFN_vkVoidFunction found = trace.next_instance(instance, name);
    if (found && strcmp(name, "vkGetDeviceProcAddr") == 0) {
        trace.next_device = (PFN_vkGetDeviceProcAddr)found;
        return (PFN_vkVoidFunction)get_device_proc_addr;
    }
    return found;
}

/* Before the memory handed out: where it was allocated, and how much was asked for. */
struct allocation {
    void *base;
    size_t size;
};

static VKAPI_ATTR void *VKAPI_CALL allocate(void *user_data, size_t size, size_t alignment,
                                            VkSystemAllocationScope scope) {
    (void)user_data;
    (void)scope;
    trace.counts.allocations += trace.on;
    alignment = alignment < sizeof(struct allocation) ? sizeof(struct allocation) : alignment;
    unsigned char *base = aligned_alloc(alignment, alignment + (size + alignment - 1) / alignment * alignment);
    if (!base) {
        return NULL;
    }
    const struct allocation allocation = {base, size};
    memcpy(base + alignment - sizeof(allocation), &allocation, sizeof(allocation));
    return base + alignment;
}

static VKAPI_ATTR void VKAPI_CALL release(void *user_data, void *memory) {
    struct allocation allocation;
    (void)user_data;
    if (memory) {
        memcpy(&allocation, (unsigned char *)memory - sizeof(allocation), sizeof(allocation));
        free(allocation.base);
    }
}

static VKAPI_ATTR void *VKAPI_CALL reallocate(void *user_data, void *memory, size_t size, size_t alignment,
                                              VkSystemAllocationScope scope) {
    struct allocation allocation = {NULL, 0};
    void *grown = size != 0 ? allocate(user_data, size, alignment, scope) : NULL;
    if (memory && (grown || size == 0)) {
        memcpy(&allocation, (unsigned char *)memory - sizeof(allocation), sizeof(allocation));
        if (grown) {
            memcpy(grown, memory, allocation.size < size ? allocation.size : size);
        }
        free(allocation.base);
    }
    return grown;
}

VkdmlDevice bench_trace_open(const struct bench_device *device, VkdmlDeviceFlags flags) {
    static const VkAllocationCallbacks callbacks = {
        .pfnAllocation = allocate, .pfnReallocation = reallocate, .pfnFree = release};
    VkdmlDeviceCreateInfo info = bench_import_info(device);
    info.getInstanceProcAddr = get_instance_proc_addr;
    info.flags = flags;
    info.allocationCallbacks = &callbacks;
    VkdmlDevice traced_device = NULL;
    trace.next_instance = device->gpu.handles.getInstanceProcAddr;
    trace.on = false;
    if (vkdmlCreateDevice(&info, &traced_device) != VKDML_SUCCESS) {
        fprintf(stderr, "vkdml: %s\n", vkdmlGetErrorMessage());
    }
    return traced_device;
}

void bench_trace_begin(void) {
    trace.count = 0;
    trace.counts = (struct bench_trace_counts){.complete = true};
    trace.on = true;
}

struct bench_trace_counts bench_trace_end(void) {
    trace.on = false;
    return trace.counts;
}

static void replay(VkCommandBuffer commands, const struct command *command) {
    switch (command->kind) {
    case BIND_PIPELINE:
        vkCmdBindPipeline(commands, command->of.bind_pipeline.point, command->of.bind_pipeline.pipeline);
        return;
    case BIND_SETS:
        vkCmdBindDescriptorSets(commands, command->of.bind_sets.point, command->of.bind_sets.layout,
                                command->of.bind_sets.first, command->of.bind_sets.count, command->of.bind_sets.sets,
                                command->of.bind_sets.offset_count, command->of.bind_sets.offsets);
        return;
    case PUSH:
        vkCmdPushConstants(commands, command->of.push.layout, command->of.push.stages, command->of.push.offset,
                           command->of.push.size, command->of.push.bytes);
        return;
    case DISPATCH:
        vkCmdDispatch(commands, command->of.groups[0], command->of.groups[1], command->of.groups[2]);
        return;
    case BARRIER:
        vkCmdPipelineBarrier(commands, command->of.barrier.from, command->of.barrier.to, command->of.barrier.flags,
                             command->of.barrier.count, command->of.barrier.barriers, command->of.barrier.buffer_count,
                             command->of.barrier.buffers, 0, NULL);
        return;
    case COPY:
        vkCmdCopyBuffer(commands, command->of.copy.from, command->of.copy.to, command->of.copy.count,
                        command->of.copy.regions);
        return;
    case FILL:
        vkCmdFillBuffer(commands, command->of.fill.buffer, command->of.fill.offset, command->of.fill.size,
                        command->of.fill.data);
        return;
    }
}

void bench_trace_replay(VkCommandBuffer commands) {
    for (uint32_t i = 0; i < trace.count; i++) {
        replay(commands, &trace.commands[i]);
    }
}
