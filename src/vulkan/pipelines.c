#include "vulkan/pipelines.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "vulkan/device.h"

_Static_assert(VKDML_SPECIALIZATION_ALIGNED == 12, "must be BASES_ARE_ZERO's id in binding.glsl");

struct key {
    enum vkdml_kernel kernel;
    uint32_t count;
    uint32_t aligned;                                /* the value of VKDML_SPECIALIZATION_ALIGNED */
    uint32_t values[VKDML_PLAN_MAX_SPECIALIZATIONS]; /* those past count are 0 */
};

struct vkdml_pipeline {
    struct vkdml_pipeline *next;
    struct key key;
    VkPipeline pipeline; /* VK_NULL_HANDLE: a thread is creating it */
};

/* Whether every buffer of a step begins at a multiple of the device's alignment, as what callers bind then does. */
static bool is_aligned(VkdmlDevice device, const struct vkdml_plan_step *step) {
    bool aligned = device->limits.min_storage_buffer_offset_alignment <= DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT;
    for (uint32_t i = 0; i < step->buffer_count; i++) {
        aligned = aligned && step->buffers[i].offset % DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT == 0;
    }
    return aligned;
}

static struct key key_of(VkdmlDevice device, const struct vkdml_plan_step *step) {
    struct key key = {.kernel = step->kernel, .count = step->specialization_count, .aligned = is_aligned(device, step)};
    memcpy(key.values, step->specializations, step->specialization_count * sizeof *key.values);
    return key;
}

static bool same_key(const struct key *a, const struct key *b) {
    return a->kernel == b->kernel && a->count == b->count && a->aligned == b->aligned &&
           memcmp(a->values, b->values, sizeof a->values) == 0;
}

static struct vkdml_pipeline **bucket_of(struct vkdml_pipelines *pipelines, const struct key *key) {
    /* FNV-1a over words, folded: 2166136261 and 16777619 are its 32-bit offset basis and prime. */
    uint32_t hash = (UINT32_C(2166136261) ^ (uint32_t)key->kernel ^ key->aligned << 31) * UINT32_C(16777619);
    for (uint32_t i = 0; i < key->count; i++) {
        hash = (hash ^ key->values[i]) * UINT32_C(16777619);
    }
    return &pipelines->buckets[(hash ^ hash >> 16) % VKDML_PIPELINE_BUCKETS];
}

static struct vkdml_pipeline *find(struct vkdml_pipelines *pipelines, const struct key *key) {
    struct vkdml_pipeline *entry = *bucket_of(pipelines, key);
    while (entry && !same_key(&entry->key, key)) {
        entry = entry->next;
    }
    return entry;
}

/* With the lock held. Modules are made once per kernel and kept: they are small, and every variant needs them. */
static VkdmlResult get_module(VkdmlDevice device, enum vkdml_kernel kernel, struct vkdml_report *report) {
    VkShaderModule *module = &device->pipelines.modules[kernel];
    if (*module) {
        return VKDML_SUCCESS;
    }
    const struct vkdml_kernel_module *embedded = vkdml_kernel_module(kernel, device->variant);
    const size_t bytes = embedded->word_count * sizeof(uint32_t);
    uint32_t *code = vkdml_allocate(device->callbacks, bytes);
    if (!code) {
        return vkdml_report_out_of_memory(report, bytes, "a kernel's SPIR-V");
    }
    vkdml_kernel_unpack(embedded, code);
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
    VkResult result = device->vk.CreateShaderModule(device->handles.device, &info, device->callbacks, module);
    vkdml_free(device->callbacks, code);
    if (result != VK_SUCCESS) {
        *module = VK_NULL_HANDLE;
        return vkdml_vulkan_failure(&device->lost, report, result, "vkCreateShaderModule");
    }
    return VKDML_SUCCESS;
}

static VkdmlResult create_pipeline(VkdmlDevice device, const struct key *key, VkShaderModule module,
                                   struct vkdml_report *report, VkPipeline *pipeline) {
    VkSpecializationMapEntry entries[VKDML_PLAN_MAX_SPECIALIZATIONS + 1];
    for (uint32_t i = 0; i < key->count; i++) {
        entries[i] =
            (VkSpecializationMapEntry){.constantID = i,
                                       .offset = (uint32_t)(offsetof(struct key, values) + i * sizeof *key->values),
                                       .size = sizeof *key->values};
    }
    entries[key->count] = (VkSpecializationMapEntry){.constantID = VKDML_SPECIALIZATION_ALIGNED,
                                                     .offset = (uint32_t)offsetof(struct key, aligned),
                                                     .size = sizeof key->aligned};
    VkSpecializationInfo specialization = {
        .mapEntryCount = key->count + 1, .pMapEntries = entries, .dataSize = sizeof *key, .pData = key};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main",
                  .pSpecializationInfo = &specialization},
        .layout = device->layouts[vkdml_kernel_info(key->kernel)->buffer_count - 1].pipeline,
    };
    VkResult result = device->vk.CreateComputePipelines(device->handles.device, device->pipeline_cache, 1, &info,
                                                        device->callbacks, pipeline);
    if (result < 0) {
        *pipeline = VK_NULL_HANDLE;
        return vkdml_vulkan_failure(&device->lost, report, result, "vkCreateComputePipelines");
    }
    return VKDML_SUCCESS;
}

/* With the lock held: the entry of a key, once no thread is creating its pipeline any more, or NULL. */
static struct vkdml_pipeline *find_settled(struct vkdml_pipelines *pipelines, const struct key *key) {
    struct vkdml_pipeline *entry = find(pipelines, key);
    while (entry && !entry->pipeline) {
        pthread_cond_wait(&pipelines->settled, &pipelines->lock);
        entry = find(pipelines, key);
    }
    return entry;
}

/* With the lock held: adds an entry whose pipeline the calling thread is to create. */
static VkdmlResult add_entry(VkdmlDevice device, const struct key *key, struct vkdml_report *report,
                             struct vkdml_pipeline **added) {
    VkdmlResult result = get_module(device, key->kernel, report);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    struct vkdml_pipeline *entry = vkdml_allocate(device->callbacks, sizeof *entry);
    if (!entry) {
        return vkdml_report_out_of_memory(report, sizeof *entry, "a pipeline");
    }
    struct vkdml_pipeline **bucket = bucket_of(&device->pipelines, key);
    *entry = (struct vkdml_pipeline){.next = *bucket, .key = *key};
    *bucket = entry;
    *added = entry;
    return VKDML_SUCCESS;
}

/* With the lock held: gives an entry its pipeline, or takes it out again where that is VK_NULL_HANDLE: a thread that
 * waits then tries itself. */
static void settle(VkdmlDevice device, struct vkdml_pipeline *entry, VkPipeline pipeline) {
    struct vkdml_pipelines *pipelines = &device->pipelines;
    entry->pipeline = pipeline;
    if (!pipeline) {
        struct vkdml_pipeline **link = bucket_of(pipelines, &entry->key);
        while (*link != entry) {
            link = &(*link)->next;
        }
        *link = entry->next;
        vkdml_free(device->callbacks, entry);
    }
    pthread_cond_broadcast(&pipelines->settled);
}

VkdmlResult vkdml_pipelines_get(VkdmlDevice device, const struct vkdml_plan_step *step, struct vkdml_report *report,
                                VkPipeline *pipeline) {
    struct vkdml_pipelines *pipelines = &device->pipelines;
    const struct key key = key_of(device, step);
    assert(step->buffer_count == vkdml_kernel_info(step->kernel)->buffer_count);
    VkdmlResult result = VKDML_SUCCESS;
    *pipeline = VK_NULL_HANDLE;

    pthread_mutex_lock(&pipelines->lock);
    struct vkdml_pipeline *entry = find_settled(pipelines, &key);
    if (entry) {
        *pipeline = entry->pipeline;
    } else {
        result = add_entry(device, &key, report, &entry);
    }
    if (result == VKDML_SUCCESS && !*pipeline) {
        const VkShaderModule module = pipelines->modules[key.kernel];
        pthread_mutex_unlock(&pipelines->lock);
        result = create_pipeline(device, &key, module, report, pipeline);
        pthread_mutex_lock(&pipelines->lock);
        settle(device, entry, *pipeline);
    }
    pthread_mutex_unlock(&pipelines->lock);
    return result;
}

void vkdml_pipelines_finish(VkdmlDevice device) {
    struct vkdml_pipelines *pipelines = &device->pipelines;
    for (size_t i = 0; i < VKDML_PIPELINE_BUCKETS; i++) {
        struct vkdml_pipeline *entry = pipelines->buckets[i];
        pipelines->buckets[i] = NULL;
        while (entry) {
            struct vkdml_pipeline *next = entry->next;
            device->vk.DestroyPipeline(device->handles.device, entry->pipeline, device->callbacks);
            vkdml_free(device->callbacks, entry);
            entry = next;
        }
    }
    for (size_t i = 0; i < VKDML_KERNEL_COUNT; i++) {
        if (pipelines->modules[i]) {
            device->vk.DestroyShaderModule(device->handles.device, pipelines->modules[i], device->callbacks);
            pipelines->modules[i] = VK_NULL_HANDLE;
        }
    }
}
