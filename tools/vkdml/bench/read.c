/* The read peak: a kernel of the program's own, glsl/bench/read_peak.comp, that does nothing but read. */
#include <stdio.h>

#include "base/compute.h"
#include "bench/case.h"

/* Its module. */
extern const uint32_t read_peak[];
extern const size_t read_peak_bytes;

/* How the kernel shares out what it reads: its push constants. */
struct form {
    uint32_t share; /* vectors of an invocation */
    uint32_t is_serial;
};

/* Invocations of a workgroup. */
#define LOCAL_SIZE 128u

/* Which of them is the fastest differs from device to device. */
static const struct form gpu_forms[] = {{4, 0}, {8, 0}, {16, 0}, {32, 0}};
static const struct form cpu_forms[] = {{64, 1}, {256, 1}};

#define VECTOR_BYTES 16u

/* Every device has that many in a dimension of a dispatch. */
#define LARGEST_GRID 32768u

struct reader {
    struct compute compute;
    uint64_t bytes; /* of a repetition */
    uint32_t sets;
    uint32_t groups[2];
    struct form form;
};

/* Whole workgroups alone, as many as can be bound; at least one. */
static void share_out(const struct bench_device *device, uint64_t bytes, const struct form *form,
                      struct reader *reader) {
    const uint64_t chunk = (uint64_t)LOCAL_SIZE * form->share * VECTOR_BYTES;
    const uint64_t range = device->gpu.properties.limits.maxStorageBufferRange;
    uint64_t groups = (bytes < range ? bytes : range) / chunk;
    groups = groups == 0 ? 1 : groups;
    reader->groups[0] = groups < LARGEST_GRID ? (uint32_t)groups : LARGEST_GRID;
    reader->groups[1] = (uint32_t)(groups / reader->groups[0]);
    reader->bytes = (uint64_t)reader->groups[0] * reader->groups[1] * chunk;
    reader->sets = bench_choose_sets(reader->bytes);
}

static bool bind_buffers(struct bench_device *device, const struct reader *reader) {
    const struct case_tensor tensor = {.type = DML_TENSOR_DATA_TYPE_FLOAT32, .fill = CASE_FILL_BITS};
    struct bench_pool *from = &device->tensors[0], *to = &device->tensors[1];
    if (!bench_pool_fill(device, from, reader->sets * reader->bytes, &tensor) ||
        !bench_pool_reserve(device, to, VECTOR_BYTES)) {
        return false;
    }
    const VkDescriptorBufferInfo buffers[] = {{from->buffer.buffer, 0, reader->bytes},
                                              {to->buffer.buffer, 0, VECTOR_BYTES}};
    const VkWriteDescriptorSet writes[] = {{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = reader->compute.set,
                                            .dstBinding = 0,
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
                                            .pBufferInfo = &buffers[0]},
                                           {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = reader->compute.set,
                                            .dstBinding = 1,
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .pBufferInfo = &buffers[1]}};
    vkUpdateDescriptorSets(device->gpu.handles.device, 2, writes, 0, NULL);
    return true;
}

static bool record_read(struct bench_device *device, uint32_t index, void *context) {
    const struct reader *reader = context;
    const uint32_t offset = (uint32_t)(index % reader->sets * reader->bytes); /* several sets are below 256 MiB */
    const VkCommandBuffer commands = device->gpu.commands;
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, reader->compute.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, reader->compute.layout, 0, 1,
                            &reader->compute.set, 1, &offset);
    vkCmdPushConstants(commands, reader->compute.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(reader->form),
                       &reader->form);
    vkCmdDispatch(commands, reader->groups[0], reader->groups[1], 1);
    return true;
}

static bool time_form(struct bench_device *device, uint64_t bytes, const struct form *form,
                      const struct bench_effort *effort, struct bench_result *result) {
    struct reader reader = {.form = *form};
    const struct bench_work work = {record_read, &reader};
    const VkDevice vulkan = device->gpu.handles.device;
    bool good = compute_create_with_set(vulkan, read_peak, read_peak_bytes, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
                                        sizeof(struct form), &reader.compute);
    if (!good) {
        fprintf(stderr, "vkdml: there is no pipeline for the read peak\n");
    }
    share_out(device, bytes, form, &reader);
    good = good && bind_buffers(device, &reader) && bench_measure(device, &work, effort, &result->figures);
    result->bytes = reader.bytes;
    result->sets = reader.sets;
    compute_destroy(vulkan, &reader.compute);
    return good;
}

static double speed_of(const struct bench_result *result) {
    return (double)result->bytes / result->figures.median;
}

bool bench_read(struct bench_device *device, uint64_t bytes, const struct bench_effort *effort,
                struct bench_result *result) {
    const bool is_cpu = bench_device_is_cpu(device);
    const struct form *forms = is_cpu ? cpu_forms : gpu_forms;
    const size_t count = is_cpu ? sizeof(cpu_forms) / sizeof(forms[0]) : sizeof(gpu_forms) / sizeof(forms[0]);
    for (size_t i = 0; i < count; i++) {
        struct bench_result own;
        if (!time_form(device, bytes, &forms[i], effort, &own)) {
            return false;
        }
        if (i == 0 || speed_of(&own) > speed_of(result)) {
            *result = own;
        }
    }
    return true;
}
