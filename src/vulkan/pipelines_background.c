/* Pipelines that nobody waits for: one thread per device creates them, in the order in which they were requested. */
#include <signal.h>
#include <stdlib.h>

#include "base/memory.h"
#include "vulkan/device.h"

struct vkdml_pipeline_request {
    struct vkdml_pipeline_request *next;
    struct vkdml_plan_step step;
};

/* Devices with such a thread. A program that exits without destroying its device runs the driver's destructors while the
 * thread compiles, and crashed: so the threads are ended before. atexit() runs in reverse order, and the driver was
 * loaded before. */
static struct {
    pthread_mutex_t lock;
    struct vkdml_pipelines *first;
} running = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void end_thread(struct vkdml_pipelines *pipelines) {
    pthread_mutex_lock(&pipelines->lock);
    pipelines->is_ending = true;
    pthread_cond_broadcast(&pipelines->settled);
    pthread_mutex_unlock(&pipelines->lock);
    if (pipelines->has_thread) {
        pthread_join(pipelines->thread, NULL);
        pipelines->has_thread = false;
    }
}

static void end_all(void) {
    pthread_mutex_lock(&running.lock);
    for (struct vkdml_pipelines *pipelines = running.first; pipelines; pipelines = pipelines->next_running) {
        end_thread(pipelines);
    }
    running.first = NULL;
    pthread_mutex_unlock(&running.lock);
}

/* In a child of a process that had such threads there are none. */
static void forget_all(void) {
    running.first = NULL;
    pthread_mutex_init(&running.lock, NULL);
}

static void watch_exit(void) {
    atexit(end_all);
    pthread_atfork(NULL, NULL, forget_all);
}

static void add_running(struct vkdml_pipelines *pipelines) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_exit);
    pthread_mutex_lock(&running.lock);
    pipelines->next_running = running.first;
    running.first = pipelines;
    pthread_mutex_unlock(&running.lock);
}

static void remove_running(struct vkdml_pipelines *pipelines) {
    pthread_mutex_lock(&running.lock);
    struct vkdml_pipelines **link = &running.first;
    while (*link && *link != pipelines) {
        link = &(*link)->next_running;
    }
    if (*link) {
        *link = pipelines->next_running;
    }
    pthread_mutex_unlock(&running.lock);
}

/* With the lock held: the next request, taken out of the list; NULL once the thread is to end. */
static struct vkdml_pipeline_request *take(struct vkdml_pipelines *pipelines) {
    while (!pipelines->is_ending && !pipelines->requests) {
        pthread_cond_wait(&pipelines->settled, &pipelines->lock);
    }
    struct vkdml_pipeline_request *request = pipelines->is_ending ? NULL : pipelines->requests;
    if (request) {
        pipelines->requests = request->next;
    }
    return request;
}

/* What fails is tried again by whoever needs it, who then reports why. */
static void *create_requested(void *data) {
    VkdmlDevice device = data;
    struct vkdml_pipelines *pipelines = &device->pipelines;
    struct vkdml_pipeline_request *request;
    struct vkdml_report report;
    pthread_mutex_lock(&pipelines->lock);
    while ((request = take(pipelines)) != NULL) {
        VkPipeline pipeline;
        pthread_mutex_unlock(&pipelines->lock);
        vkdml_report_clear(&report);
        if (vkdml_lost_check(&device->lost, &report) == VKDML_SUCCESS) {
            vkdml_pipelines_get(device, &request->step, &report, &pipeline);
        }
        vkdml_free(device->callbacks, request);
        pthread_mutex_lock(&pipelines->lock);
    }
    pthread_mutex_unlock(&pipelines->lock);
    return NULL;
}

/* With the lock held: whether it started a thread. Signals are left to the application's threads. */
static bool start_thread(VkdmlDevice device) {
    struct vkdml_pipelines *pipelines = &device->pipelines;
    sigset_t all, before;
    sigfillset(&all);
    if (pipelines->has_thread || pipelines->is_ending || pthread_sigmask(SIG_SETMASK, &all, &before) != 0) {
        return false;
    }
    pipelines->has_thread = pthread_create(&pipelines->thread, NULL, create_requested, device) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pipelines->has_thread;
}

void vkdml_pipelines_request(VkdmlDevice device, const struct vkdml_plan_step *step) {
    struct vkdml_pipelines *pipelines = &device->pipelines;
    struct vkdml_pipeline_request *request =
        vkdml_pipelines_has(device, step) ? NULL : vkdml_allocate(device->callbacks, sizeof *request);
    if (!request) {
        return;
    }
    *request = (struct vkdml_pipeline_request){.step = *step};
    request->step.words = NULL; /* the plan's */
    pthread_mutex_lock(&pipelines->lock);
    const bool is_started = start_thread(device);
    struct vkdml_pipeline_request **last = &pipelines->requests;
    while (*last) {
        last = &(*last)->next;
    }
    if (pipelines->has_thread) {
        *last = request;
        request = NULL;
    }
    pthread_cond_broadcast(&pipelines->settled);
    pthread_mutex_unlock(&pipelines->lock);
    if (is_started) {
        add_running(pipelines); /* its lock comes before the device's */
    }
    vkdml_free(device->callbacks, request);
}

void vkdml_pipelines_end_requests(VkdmlDevice device) {
    struct vkdml_pipelines *pipelines = &device->pipelines;
    remove_running(pipelines);
    end_thread(pipelines);
    while (pipelines->requests) {
        struct vkdml_pipeline_request *request = pipelines->requests;
        pipelines->requests = request->next;
        vkdml_free(device->callbacks, request);
    }
}

static bool exists(void *context, const struct vkdml_plan_step *step) {
    return vkdml_pipelines_has(context, step);
}

static void request(void *context, const struct vkdml_plan_step *step) {
    vkdml_pipelines_request(context, step);
}

struct vkdml_plan_pipelines vkdml_pipelines_of(VkdmlDevice device) {
    return (struct vkdml_plan_pipelines){.context = device, .exists = exists, .request = request, .is_first = true};
}
