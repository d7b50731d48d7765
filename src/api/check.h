/* Checks that public functions share. */
#ifndef VKDML_API_CHECK_H
#define VKDML_API_CHECK_H

#include "base/report.h"
#include "vkdml/device.h"

/* VKDML_SUCCESS, or reports a NULL argument. */
VkdmlResult vkdml_check_given(const void *argument, const char *name, struct vkdml_report *report);

/*
 * Copies a struct that begins with its size, a size_t, as the caller was compiled: what an older caller does not have
 * is 0, what a newer one has beyond `size` bytes must be. `oldest` is the size that the struct began with, `type` its
 * name.
 */
VkdmlResult vkdml_read_info(void *copy, size_t size, size_t oldest, const void *info, const char *type,
                            struct vkdml_report *report);

/* VKDML_SUCCESS, or reports that a program was compiled with headers which this library does not fit. */
VkdmlResult vkdml_check_header_version(uint32_t version, struct vkdml_report *report);

/* VKDML_SUCCESS, or reports that the device is NULL or lost. */
VkdmlResult vkdml_check_device(VkdmlDevice device, struct vkdml_report *report);

/* Ends a call on a device, NULL among them: failures go to its log. */
VkdmlResult vkdml_end_on_device(struct vkdml_report *report, VkdmlResult result, VkdmlDevice device);

#endif
