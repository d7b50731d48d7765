#include <stdatomic.h>
#include <unistd.h>

#include "vulkan/device.h"

#define MOST_THREADS 16

/* A plan's steps, of which each thread takes the next. */
struct work {
    VkdmlDevice device;
    const struct vkdml_plan *plan;
    atomic_uint next;
};

static void *create_pipelines(void *data) {
    struct work *work = data;
    const struct vkdml_plan *plan = work->plan;
    const uint32_t init = plan->steps.count, spare = init + plan->init_steps.count;
    struct vkdml_report report; /* who needs the pipeline tries once more, and tells */
    vkdml_report_clear(&report);
    for (uint32_t i; (i = atomic_fetch_add(&work->next, 1)) < spare + plan->spare_steps.count;) {
        const struct vkdml_plan_step *step = i < init    ? &plan->steps.items[i]
                                             : i < spare ? &plan->init_steps.items[i - init]
                                                         : &plan->spare_steps.items[i - spare];
        VkPipeline pipeline;
        if (step->kind == VKDML_PLAN_DISPATCH &&
            vkdml_pipelines_get(work->device, step, &report, &pipeline) != VKDML_SUCCESS) {
            break;
        }
    }
    return NULL;
}

VkdmlResult vkdml_pipelines_create_all(VkdmlDevice device, const struct vkdml_plan *plan, struct vkdml_report *report) {
    struct work work = {.device = device, .plan = plan};
    pthread_t threads[MOST_THREADS];
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const long steps = (long)plan->steps.count + (long)plan->init_steps.count + (long)plan->spare_steps.count;
    const long wanted = processors < MOST_THREADS ? processors : MOST_THREADS;
    int started = 0;
    while (started < wanted - 1 && started < steps - 1 &&
           pthread_create(&threads[started], NULL, create_pipelines, &work) == 0) {
        started++;
    }
    create_pipelines(&work);
    while (started > 0) {
        pthread_join(threads[--started], NULL);
    }
    return vkdml_lost_check(&device->lost, report);
}
