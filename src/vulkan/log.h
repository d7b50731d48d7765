/* Where a device's messages go. */
#ifndef VKDML_VULKAN_LOG_H
#define VKDML_VULKAN_LOG_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/report.h"
#include "vkdml/device.h"

struct vkdml_log {
    VkdmlLogCallback callback; /* NULL: silent */
    void *user_data;
    const atomic_bool *muted; /* the device's; NULL: not muted */
};

/* Whether messages go anywhere. log may be NULL. */
bool vkdml_log_is_on(const struct vkdml_log *log);

/* Longest message that vkdml_log_message() composes; more is cut. */
#define VKDML_LOG_CAPACITY 512

/* Hands a composed message to the callback. Allocates nothing. log may be NULL. */
void vkdml_log_message(const struct vkdml_log *log, VkdmlLogLevel level, const char *format, ...) VKDML_PRINTF(3, 4);

#endif
