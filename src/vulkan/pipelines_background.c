/* Pipelines that nobody waits for: one thread per device creates them, in the order in which they were requested. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "vulkan/device.h"

struct vkdml_pipeline_request {
    struct vkdml_pipeline_request *next;
    struct vkdml_pipeline_key key;
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
            vkdml_pipelines_get_by_key(device, &request->key, &report, &pipeline);
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

void vkdml_pipelines_request(VkdmlDevice device, const struct vkdml_pipeline_key *key) {
    struct vkdml_pipelines *pipelines = &device->pipelines;
    struct vkdml_pipeline_request *request = vkdml_allocate(device->callbacks, sizeof *request);
    if (!request) {
        return;
    }
    *request = (struct vkdml_pipeline_request){.key = *key};
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

/* ---- what a graph waits for ---- */

static bool exists(void *context, const struct vkdml_plan_step *step) {
    const struct vkdml_awaited *awaited = context;
    const struct vkdml_pipeline_key key = vkdml_pipeline_key(awaited->device, step);
    return vkdml_pipelines_has(awaited->device, &key);
}

static bool is_known(const struct vkdml_awaited *awaited, const struct vkdml_pipeline_key *key) {
    uint32_t k = 0;
    while (k < awaited->key_count && !vkdml_pipeline_key_is(&awaited->keys[k], key)) {
        k++;
    }
    return k < awaited->key_count;
}

static bool make_room(struct vkdml_awaited *awaited) {
    if (awaited->key_count < awaited->key_room) {
        return true;
    }
    const VkAllocationCallbacks *callbacks = awaited->device->callbacks;
    const uint32_t room = awaited->key_room == 0 ? 8 : 2 * awaited->key_room;
    struct vkdml_pipeline_key *keys = vkdml_allocate(callbacks, room * sizeof *keys);
    if (!keys) {
        return false;
    }
    if (awaited->key_count > 0) {
        memcpy(keys, awaited->keys, awaited->key_count * sizeof *keys);
    }
    vkdml_free(callbacks, awaited->keys);
    awaited->keys = keys;
    awaited->key_room = room;
    return true;
}

static void request(void *context, const struct vkdml_plan_steps *steps) {
    struct vkdml_awaited *awaited = context;
    awaited->node_count++;
    for (uint32_t s = 0; s < steps->count; s++) {
        if (steps->items[s].kind != VKDML_PLAN_DISPATCH) {
            continue;
        }
        const struct vkdml_pipeline_key key = vkdml_pipeline_key(awaited->device, &steps->items[s]);
        if (is_known(awaited, &key) || vkdml_pipelines_has(awaited->device, &key)) {
            continue;
        }
        vkdml_pipelines_request(awaited->device, &key);
        if (make_room(awaited)) {
            awaited->keys[awaited->key_count++] = key;
        } else {
            awaited->is_incomplete = true;
        }
    }
}

struct vkdml_plan_pipelines vkdml_pipelines_of(struct vkdml_awaited *awaited) {
    return (struct vkdml_plan_pipelines){.context = awaited, .exists = exists, .request = request, .is_first = true};
}

uint32_t vkdml_awaited_count_missing(const struct vkdml_awaited *awaited) {
    uint32_t count = awaited->is_incomplete;
    for (uint32_t k = 0; k < awaited->key_count; k++) {
        count += !vkdml_pipelines_has(awaited->device, &awaited->keys[k]);
    }
    return count;
}

void vkdml_awaited_end(struct vkdml_awaited *awaited) {
    if (awaited->keys) {
        vkdml_free(awaited->device->callbacks, awaited->keys);
    }
    *awaited = (struct vkdml_awaited){.keys = NULL};
}
