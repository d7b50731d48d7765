/* Pipelines, shared by all operators of a device: one per kernel and specialization, created when first asked for and
 * kept until the device goes. Their number is bounded by the kernels' variants, not by the tensors' shapes. */
#ifndef VKDML_VULKAN_PIPELINES_H
#define VKDML_VULKAN_PIPELINES_H

#include <pthread.h>

#include <vulkan/vulkan_core.h>

#include "base/report.h"
#include "kernels/specialize.h"
#include "plan/plan.h"
#include "vkdml/device.h"

/* What the thread in the background is to create next; see pipelines_background.c. */
struct vkdml_pipeline_request;

/* What tells pipelines apart. */
struct vkdml_pipeline_key {
    enum vkdml_kernel kernel;
    uint32_t buffer_count;
    struct vkdml_specialization constants; /* those that are not given are 0 */
};

/* A few dozen pipelines are usual; more make longer chains, no more. */
#define VKDML_PIPELINE_BUCKETS 64

struct vkdml_pipelines {
    pthread_mutex_t lock;   /* of all below; not held while a driver compiles */
    pthread_cond_t settled; /* a pipeline was created, or was not; the thread in the background has work, or ends */
    unsigned creating;      /* how many threads are at it */
    struct vkdml_pipeline *buckets[VKDML_PIPELINE_BUCKETS];
    struct vkdml_pipeline_request *requests; /* the next one first */
    bool has_thread;                         /* in the background */
    bool is_ending;                          /* it is to end */
    pthread_t thread;
    struct vkdml_pipelines *next_running; /* of the devices that have such a thread */
};

/* The pipeline of a step, borrowed from the device. Thread-safe: threads compile different pipelines in parallel, and
 * of those that need the same one the first compiles it and the others wait. */
VkdmlResult vkdml_pipelines_get(VkdmlDevice device, const struct vkdml_plan_step *step, struct vkdml_report *report,
                                VkPipeline *pipeline);

struct vkdml_pipeline_key vkdml_pipeline_key(VkdmlDevice device, const struct vkdml_plan_step *step);
bool vkdml_pipeline_key_is(const struct vkdml_pipeline_key *a, const struct vkdml_pipeline_key *b);
VkdmlResult vkdml_pipelines_get_by_key(VkdmlDevice device, const struct vkdml_pipeline_key *key,
                                       struct vkdml_report *report, VkPipeline *pipeline);

/* Whether it exists; false while a thread is creating it. Thread-safe, as all below. */
bool vkdml_pipelines_has(VkdmlDevice device, const struct vkdml_pipeline_key *key);

/* Has a pipeline created by a thread in the background, which the first call starts. Where there is no memory, or no
 * thread, nothing happens: whoever needs the pipeline creates it. */
void vkdml_pipelines_request(VkdmlDevice device, const struct vkdml_pipeline_key *key);

/* Ends that thread, once it has created what it is at. Before the rest of the device goes. */
void vkdml_pipelines_end_requests(VkdmlDevice device);

/* Pipelines that did not exist when a graph was planned, so that nodes were planned as general. */
struct vkdml_awaited {
    VkdmlDevice device;
    uint32_t node_count; /* that were */
    uint32_t key_count, key_room;
    struct vkdml_pipeline_key *keys; /* of the pipelines, each once */
    bool is_incomplete;              /* memory was out: there are others */
};

/* Whether pipelines exist, and requests for others, as planners ask for them. What they request is added to `awaited`,
 * which is empty but for the device. It must stay where it is as long as the planner uses it. */
struct vkdml_plan_pipelines vkdml_pipelines_of(struct vkdml_awaited *awaited);

/* How many of them do not exist yet. */
uint32_t vkdml_awaited_count_missing(const struct vkdml_awaited *awaited);
void vkdml_awaited_end(struct vkdml_awaited *awaited);

/* Creates those of a plan's spare steps. */
VkdmlResult vkdml_pipelines_create_spares(VkdmlDevice device, const struct vkdml_plan *plan,
                                          struct vkdml_report *report);

/* Creates what a plan needs by several threads. Fails where the device was lost; what fails otherwise is tried again
 * when it is asked for. */
VkdmlResult vkdml_pipelines_create_all(VkdmlDevice device, const struct vkdml_plan *plan, struct vkdml_report *report);

/* Adds to the device's own cache. No pipeline is created meanwhile: Vulkan wants the cache to itself then. */
VkdmlResult vkdml_pipelines_merge(VkdmlDevice device, VkPipelineCache other, struct vkdml_report *report);

/* Destroys all. */
void vkdml_pipelines_finish(VkdmlDevice device);

#endif
