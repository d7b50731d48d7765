/* What a VkResult comes to, and the state of a lost device. */
#ifndef VKDML_VULKAN_FAILURE_H
#define VKDML_VULKAN_FAILURE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <vulkan/vulkan_core.h>

#include "base/report.h"

/* vkdmlReportDeviceLost() promises 255 bytes of reason. */
#define VKDML_LOST_REASON_CAPACITY 256

struct vkdml_lost {
    unsigned process;     /* vkdml_process_number() of who made the device: it is lost in others */
    atomic_bool lost;     /* set, with release, after the reason was written; never cleared */
    pthread_mutex_t lock; /* of writers: the first reason stays */
    char reason[VKDML_LOST_REASON_CAPACITY];
};

/* Reports that `call` ("vkCreateBuffer") returned `result`, an error. With lost not NULL, VK_ERROR_DEVICE_LOST is
 * kept there. */
VkdmlResult vkdml_vulkan_failure(struct vkdml_lost *lost, struct vkdml_report *report, VkResult result,
                                 const char *call);

/* Begins the state of a new device, but for its lock. */
void vkdml_lost_begin(struct vkdml_lost *lost);

/* Whether the device was made before fork(), in another process. Then its locks may be taken by threads that are not
 * there, and no call of Vulkan may be made on it. Thread-safe, without a lock. */
bool vkdml_lost_is_inherited(const struct vkdml_lost *lost);

/* Keeps the first reason; longer ones are cut. Thread-safe. */
void vkdml_lost_set(struct vkdml_lost *lost, const char *reason);

/* VKDML_SUCCESS, or reports VKDML_ERROR_DEVICE_LOST with the reason. Thread-safe, without a lock. */
VkdmlResult vkdml_lost_check(struct vkdml_lost *lost, struct vkdml_report *report);

#endif
