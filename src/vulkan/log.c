#include "vulkan/log.h"

#include <stdarg.h>
#include <stdio.h>

bool vkdml_log_is_on(const struct vkdml_log *log) {
    return log && log->callback && !(log->muted && atomic_load(log->muted));
}

void vkdml_log_message(const struct vkdml_log *log, VkdmlLogLevel level, const char *format, ...) {
    if (!vkdml_log_is_on(log)) {
        return;
    }
    char message[VKDML_LOG_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    log->callback(log->user_data, level, message);
}
