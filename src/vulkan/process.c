#include "vulkan/process.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_uint number;

static void count_fork(void) {
    atomic_fetch_add_explicit(&number, 1, memory_order_relaxed);
}

/* Where memory is out here, a child is not told from its parent. */
static void watch_forks(void) {
    pthread_atfork(NULL, NULL, count_fork);
}

unsigned vkdml_process_number(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    return atomic_load_explicit(&number, memory_order_relaxed);
}
