/* Queues that are watched: Vulkan leaves it to those who call to use a queue by one thread at a time, and what a driver
 * does where they do not is seen by chance alone. Linked with watched_queue.c and --wrap=vkdmlGetVulkanHandles: what is
 * opened then reaches Vulkan through here. Its atomics are relaxed: they put threads in no order, and hide no race. */
#ifndef ONNX_TEST_WATCHED_QUEUE_H
#define ONNX_TEST_WATCHED_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct watched_queue {
    uint32_t submissions, waits; /* of vkQueueSubmit() and vkQueueWaitIdle() */
    uint32_t overlaps;           /* calls of these while another thread was in one of the same queue */
    uint32_t unwatched;          /* functions asked for that use queues, and are not watched */
};

/* What happened since the last call. */
struct watched_queue watched_queue_take(void);

/* Whether vkWaitForFences() fails from now on, without a wait: VK_ERROR_OUT_OF_HOST_MEMORY. */
void watched_queue_fail_waits(bool fail);

#endif
