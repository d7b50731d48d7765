#include "vulkan/pipelines.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/blocks.h"
#include "kernels/specialize.h"
#include "kernels/variant.h"
#include "vulkan/device.h"

_Static_assert(VKDML_SPECIALIZATION_ALIGNED == VKDML_CONSTANT_BASES_ARE_ZERO, "is another in binding.glsl");

struct vkdml_pipeline {
    struct vkdml_pipeline *next;
    struct vkdml_pipeline_key key;
    VkPipeline pipeline; /* VK_NULL_HANDLE: a thread is creating it */
};

/* Whether every buffer of a step begins at a multiple of the device's alignment, as what callers bind then does; a
 * repeated step moves on by push constants. */
static bool is_aligned(VkdmlDevice device, const struct vkdml_plan_step *step) {
    bool aligned = step->repeat_count <= 1 &&
                   device->limits.min_storage_buffer_offset_alignment <= DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT;
    for (uint32_t i = 0; i < step->buffer_count; i++) {
        aligned = aligned && step->buffers[i].offset % DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT == 0;
    }
    return aligned;
}

struct vkdml_pipeline_key vkdml_pipeline_key(VkdmlDevice device, const struct vkdml_plan_step *step) {
    struct vkdml_pipeline_key key = {
        .kernel = step->kernel,
        .buffer_count = step->buffer_count,
        .constants.given = step->constants_given | UINT32_C(1) << VKDML_SPECIALIZATION_ALIGNED,
        .constants.float_controls = step->float_controls};
    memcpy(key.constants.values, step->constants, sizeof step->constants);
    key.constants.values[VKDML_SPECIALIZATION_ALIGNED] = !step->is_general && is_aligned(device, step);
    return key;
}

bool vkdml_pipeline_key_is(const struct vkdml_pipeline_key *a, const struct vkdml_pipeline_key *b) {
    return a->kernel == b->kernel && a->buffer_count == b->buffer_count && a->constants.given == b->constants.given &&
           a->constants.float_controls == b->constants.float_controls &&
           memcmp(a->constants.values, b->constants.values, sizeof a->constants.values) == 0;
}

static struct vkdml_pipeline **bucket_of(struct vkdml_pipelines *pipelines, const struct vkdml_pipeline_key *key) {
    /* FNV-1a over words, folded: 2166136261 and 16777619 are its 32-bit offset basis and prime. Left out is what hardly
     * tells pipelines apart: the constants behind a kernel's last, which are 0, and whether buffers are aligned. */
    const uint32_t given = key->constants.given & ~(UINT32_C(1) << VKDML_SPECIALIZATION_ALIGNED);
    uint32_t hash = (UINT32_C(2166136261) ^ (uint32_t)key->kernel) * UINT32_C(16777619);
    for (uint32_t i = 0; given >> i != 0; i++) {
        hash = (hash ^ key->constants.values[i]) * UINT32_C(16777619);
    }
    return &pipelines->buckets[(hash ^ hash >> 16) % VKDML_PIPELINE_BUCKETS];
}

static struct vkdml_pipeline *find(struct vkdml_pipelines *pipelines, const struct vkdml_pipeline_key *key) {
    struct vkdml_pipeline *entry = *bucket_of(pipelines, key);
    while (entry && !vkdml_pipeline_key_is(&entry->key, key)) {
        entry = entry->next;
    }
    return entry;
}

/* "vkdml product, subgroup kernels, constants 64 0 1 1": those of the plan. */
static void name_object(VkdmlDevice device, VkObjectType type, uint64_t object, const struct vkdml_pipeline_key *key) {
    char constants[VKDML_SPECIALIZATION_COUNT * sizeof " 4294967295"] = "";
    size_t length = 0;
    if (!vkdml_debug_is_on(device)) {
        return;
    }
    for (uint32_t i = 0; i < VKDML_SPECIALIZATION_ALIGNED; i++) {
        if (key->constants.given >> i & 1) {
            length += (size_t)snprintf(constants + length, sizeof constants - length, " %u", key->constants.values[i]);
        }
    }
    vkdml_debug_name(device, type, object, "vkdml %s, %s kernels, constants%s", vkdml_kernel_info(key->kernel)->name,
                     vkdml_variant_name(device->variant), constants);
}

/* The module of one pipeline: kernel and constants, with nothing left to specialize. Unpacking and specializing take
 * 0.02 to 0.15 milliseconds, so that nothing is kept between pipelines, and threads wait for none of it. */
static VkdmlResult create_module(VkdmlDevice device, const struct vkdml_pipeline_key *key, struct vkdml_report *report,
                                 VkShaderModule *module) {
    const struct vkdml_kernel_module *embedded = vkdml_kernel_module(key->kernel, device->variant);
    size_t count = embedded->word_count;
    uint32_t *whole = vkdml_allocate(device->callbacks, count * sizeof *whole);
    uint32_t *code = NULL;
    VkdmlResult result = VKDML_SUCCESS;
    if (whole) {
        vkdml_kernel_unpack(embedded, whole);
        code = vkdml_specialize(whole, &count, &key->constants, device->callbacks);
    }
    if (code) {
        const VkShaderModuleCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = count * sizeof *code, .pCode = code};
        VkResult created = device->vk.CreateShaderModule(device->handles.device, &info, device->callbacks, module);
        if (created != VK_SUCCESS) {
            *module = VK_NULL_HANDLE;
            result = vkdml_vulkan_failure(&device->lost, report, created, "vkCreateShaderModule");
        } else {
            name_object(device, VK_OBJECT_TYPE_SHADER_MODULE, (uint64_t)*module, key);
        }
    } else {
        result = vkdml_report_out_of_memory(report, count * sizeof *code, "a kernel's SPIR-V");
    }
    vkdml_free(device->callbacks, code);
    vkdml_free(device->callbacks, whole);
    return result;
}

static VkdmlResult create_pipeline(VkdmlDevice device, const struct vkdml_pipeline_key *key,
                                   struct vkdml_report *report, VkPipeline *pipeline) {
    VkShaderModule module = VK_NULL_HANDLE;
    VkdmlResult result = create_module(device, key, report, &module);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = device->layouts[key->buffer_count - 1].pipeline,
    };
    VkResult created = device->vk.CreateComputePipelines(device->handles.device, device->pipeline_cache, 1, &info,
                                                         device->callbacks, pipeline);
    if (created < 0) {
        *pipeline = VK_NULL_HANDLE;
        result = vkdml_vulkan_failure(&device->lost, report, created, "vkCreateComputePipelines");
    } else {
        name_object(device, VK_OBJECT_TYPE_PIPELINE, (uint64_t)*pipeline, key);
    }
    device->vk.DestroyShaderModule(device->handles.device, module, device->callbacks);
    return result;
}

/* With the lock held: the entry of a key, once no thread is creating its pipeline any more, or NULL. */
static struct vkdml_pipeline *find_settled(struct vkdml_pipelines *pipelines, const struct vkdml_pipeline_key *key) {
    struct vkdml_pipeline *entry = find(pipelines, key);
    while (entry && !entry->pipeline) {
        pthread_cond_wait(&pipelines->settled, &pipelines->lock);
        entry = find(pipelines, key);
    }
    return entry;
}

/* With the lock held: adds an entry whose pipeline the calling thread is to create. */
static VkdmlResult add_entry(VkdmlDevice device, const struct vkdml_pipeline_key *key, struct vkdml_report *report,
                             struct vkdml_pipeline **added) {
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
    pipelines->creating--;
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
    const struct vkdml_pipeline_key key = vkdml_pipeline_key(device, step);
    return vkdml_pipelines_get_by_key(device, &key, report, pipeline);
}

VkdmlResult vkdml_pipelines_get_by_key(VkdmlDevice device, const struct vkdml_pipeline_key *key,
                                       struct vkdml_report *report, VkPipeline *pipeline) {
    struct vkdml_pipelines *pipelines = &device->pipelines;
    assert(key->buffer_count <= vkdml_kernel_info(key->kernel)->buffer_count);
    VkdmlResult result = VKDML_SUCCESS;
    *pipeline = VK_NULL_HANDLE;

    pthread_mutex_lock(&pipelines->lock);
    struct vkdml_pipeline *entry = find_settled(pipelines, key);
    if (entry) {
        *pipeline = entry->pipeline;
    } else {
        result = add_entry(device, key, report, &entry);
    }
    if (result == VKDML_SUCCESS && !*pipeline) {
        pipelines->creating++;
        pthread_mutex_unlock(&pipelines->lock);
        result = create_pipeline(device, key, report, pipeline);
        pthread_mutex_lock(&pipelines->lock);
        settle(device, entry, *pipeline);
    }
    pthread_mutex_unlock(&pipelines->lock);
    return result;
}

bool vkdml_pipelines_has(VkdmlDevice device, const struct vkdml_pipeline_key *key) {
    struct vkdml_pipelines *pipelines = &device->pipelines;
    pthread_mutex_lock(&pipelines->lock);
    const struct vkdml_pipeline *entry = find(pipelines, key);
    const bool exists = entry && entry->pipeline;
    pthread_mutex_unlock(&pipelines->lock);
    return exists;
}

VkdmlResult vkdml_pipelines_create_spares(VkdmlDevice device, const struct vkdml_plan *plan,
                                          struct vkdml_report *report) {
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t i = 0; i < plan->spare_steps.count && result == VKDML_SUCCESS; i++) {
        VkPipeline pipeline;
        result = vkdml_pipelines_get(device, &plan->spare_steps.items[i], report, &pipeline);
    }
    return result;
}

VkdmlResult vkdml_pipelines_merge(VkdmlDevice device, VkPipelineCache other, struct vkdml_report *report) {
    struct vkdml_pipelines *pipelines = &device->pipelines;
    pthread_mutex_lock(&pipelines->lock);
    while (pipelines->creating > 0) {
        pthread_cond_wait(&pipelines->settled, &pipelines->lock);
    }
    VkResult merged = device->vk.MergePipelineCaches(device->handles.device, device->pipeline_cache, 1, &other);
    pthread_mutex_unlock(&pipelines->lock);
    return merged == VK_SUCCESS ? VKDML_SUCCESS
                                : vkdml_vulkan_failure(&device->lost, report, merged, "vkMergePipelineCaches");
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
}
