#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "kernels/kernels.h"
#include "vulkan/device.h"

#define MOST_THREADS 16

/* Steps whose pipelines are missing, each pipeline once; each thread takes the next. */
struct work {
    VkdmlDevice device;
    const struct vkdml_plan_step **steps;
    uint32_t count;
    atomic_uint next;
};

static void *create_pipelines(void *data) {
    struct work *work = data;
    struct vkdml_report report; /* who needs the pipeline tries once more, and tells */
    VkPipeline pipeline;
    vkdml_report_clear(&report);
    for (uint32_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;) {
        if (vkdml_pipelines_get(work->device, work->steps[i], &report, &pipeline) != VKDML_SUCCESS) {
            break;
        }
    }
    return NULL;
}

/* Equal layers of a network have equal pipelines. */
static bool is_listed(const struct work *work, const struct vkdml_pipeline_key *key) {
    bool is_listed = false;
    for (uint32_t i = 0; i < work->count && !is_listed; i++) {
        const struct vkdml_pipeline_key other = vkdml_pipeline_key(work->device, work->steps[i]);
        is_listed = vkdml_pipeline_key_is(&other, key);
    }
    return is_listed;
}

static void list_missing(struct work *work, const struct vkdml_plan_steps *steps) {
    for (uint32_t i = 0; i < steps->count; i++) {
        const struct vkdml_plan_step *step = &steps->items[i];
        if (step->kind != VKDML_PLAN_DISPATCH) {
            continue;
        }
        const struct vkdml_pipeline_key key = vkdml_pipeline_key(work->device, step);
        if (!vkdml_pipelines_has(work->device, &key) && !is_listed(work, &key)) {
            work->steps[work->count++] = step;
        }
    }
}

static size_t words_of(const void *step) {
    const struct vkdml_plan_step *const *of = step;
    return vkdml_kernel_module((*of)->kernel, VKDML_KERNEL_VARIANT_PORTABLE)->word_count;
}

/* The longest modules first: they take longest to compile, and the last ones leave most threads without work. */
static int compare_lengths(const void *a, const void *b) {
    return (words_of(a) < words_of(b)) - (words_of(a) > words_of(b));
}

static void create_listed(struct work *work) {
    pthread_t threads[MOST_THREADS];
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const long wanted = processors < MOST_THREADS ? processors : MOST_THREADS;
    int started = 0;
    while (started < wanted - 1 && (uint32_t)started + 1 < work->count &&
           pthread_create(&threads[started], NULL, create_pipelines, work) == 0) {
        started++;
    }
    create_pipelines(work);
    while (started > 0) {
        pthread_join(threads[--started], NULL);
    }
}

VkdmlResult vkdml_pipelines_create_all(VkdmlDevice device, const struct vkdml_plan *plan, struct vkdml_report *report) {
    const size_t steps = (size_t)plan->steps.count + plan->init_steps.count + plan->spare_steps.count;
    struct work work = {.device = device};
    work.steps = vkdml_allocate(device->callbacks, (steps + 1) * sizeof *work.steps);
    if (!work.steps) {
        return vkdml_report_out_of_memory(report, (steps + 1) * sizeof *work.steps, "a list of pipelines");
    }
    list_missing(&work, &plan->steps);
    list_missing(&work, &plan->init_steps);
    list_missing(&work, &plan->spare_steps);
    if (work.count != 0) {
        qsort(work.steps, work.count, sizeof *work.steps, compare_lengths);
        create_listed(&work);
    }
    vkdml_free(device->callbacks, (void *)work.steps);
    return vkdml_lost_check(&device->lost, report);
}
