#include "base/watch.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "base/progress.h"
#include "base/timing.h"

/* Nanoseconds between looks. */
#define LOOK 100000000

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t thread;
    bool runs; /* there is a thread */
    bool ends; /* and it is to end */
    const char *name;
    const char *option;
    uint32_t seconds;
    double begin;
} watch = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void look(void) {
    const double seconds = (timing_now() - watch.begin) / 1000;
    if (watch.seconds != 0 && seconds >= watch.seconds) {
        message_print("%s: not done after %.0f seconds on the CPU reference, which %s allows", watch.name, seconds,
                      watch.option);
        _exit(EXIT_FAILURE); /* what runs cannot be interrupted */
    }
    if (watch.seconds != 0) {
        progress_show("%s: on the CPU reference, %.0f of at most %u s", watch.name, seconds, (unsigned)watch.seconds);
    } else {
        progress_show("%s: on the CPU reference, %.0f s", watch.name, seconds);
    }
}

static void *run(void *context) {
    (void)context;
    pthread_mutex_lock(&watch.mutex);
    while (!watch.ends) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        look();
        pthread_cond_timedwait(&watch.changed, &watch.mutex, &until);
    }
    pthread_mutex_unlock(&watch.mutex);
    return NULL;
}

void watch_begin(const char *name, uint32_t seconds, const char *option) {
    watch.name = name;
    watch.seconds = seconds;
    watch.option = option;
    watch.begin = timing_now();
    watch.ends = false;
    watch.runs = pthread_create(&watch.thread, NULL, run, NULL) == 0; /* else nobody watches */
}

void watch_end(void) {
    if (!watch.runs) {
        return;
    }
    pthread_mutex_lock(&watch.mutex);
    watch.ends = true;
    pthread_cond_signal(&watch.changed);
    pthread_mutex_unlock(&watch.mutex);
    pthread_join(watch.thread, NULL);
    watch.runs = false;
}
