/* Pipelines, shared by all operators of a device: one per kernel and specialization, created when first asked for and
 * kept until the device goes. Their number is bounded by the kernels' variants, not by the tensors' shapes. */
#ifndef VKDML_VULKAN_PIPELINES_H
#define VKDML_VULKAN_PIPELINES_H

#include <pthread.h>

#include <vulkan/vulkan_core.h>

#include "base/report.h"
#include "plan/plan.h"
#include "vkdml/device.h"

/* A few dozen pipelines are usual; more make longer chains, no more. */
#define VKDML_PIPELINE_BUCKETS 64

struct vkdml_pipelines {
    pthread_mutex_t lock;   /* of all below; not held while a driver compiles */
    pthread_cond_t settled; /* a pipeline was created, or was not */
    unsigned creating;      /* how many threads are at it */
    struct vkdml_pipeline *buckets[VKDML_PIPELINE_BUCKETS];
};

/* The pipeline of a step, borrowed from the device. Thread-safe: threads compile different pipelines in parallel, and
 * of those that need the same one the first compiles it and the others wait. */
VkdmlResult vkdml_pipelines_get(VkdmlDevice device, const struct vkdml_plan_step *step, struct vkdml_report *report,
                                VkPipeline *pipeline);

/* Creates what a plan needs by several threads. Fails where the device was lost; what fails otherwise is tried again
 * when it is asked for. */
VkdmlResult vkdml_pipelines_create_all(VkdmlDevice device, const struct vkdml_plan *plan, struct vkdml_report *report);

/* Adds to the device's own cache. No pipeline is created meanwhile: Vulkan wants the cache to itself then. */
VkdmlResult vkdml_pipelines_merge(VkdmlDevice device, VkPipelineCache other, struct vkdml_report *report);

/* Destroys all. */
void vkdml_pipelines_finish(VkdmlDevice device);

#endif
