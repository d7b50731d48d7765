/* Checks that public functions share. */
#ifndef VKDML_API_CHECK_H
#define VKDML_API_CHECK_H

#include "base/report.h"
#include "vkdml/device.h"
#include "vulkan/handles.h"

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

/* VKDML_SUCCESS, or reports a handle that is NULL or, where devices check handles, that of no live object of a kind.
 * device: whose it must be; NULL: any device's. */
VkdmlResult vkdml_check_handle(const void *handle, enum vkdml_handle_kind kind, VkdmlDevice device, const char *name,
                               struct vkdml_report *report);

/* VKDML_SUCCESS, or reports that the device is NULL, lost or destroyed. */
VkdmlResult vkdml_check_device(VkdmlDevice device, struct vkdml_report *report);

/* The same two, and that an argument is given, which takes what the function makes. */
VkdmlResult vkdml_check_object_given(const void *handle, enum vkdml_handle_kind kind, const char *name,
                                     const void *argument, const char *argument_name, struct vkdml_report *report);
VkdmlResult vkdml_check_device_given(VkdmlDevice device, const void *argument, const char *argument_name,
                                     struct vkdml_report *report);

/* The same for what a call is made on, an object of a device. */
VkdmlResult vkdml_check_object(const void *handle, enum vkdml_handle_kind kind, const char *name,
                               struct vkdml_report *report);

/* Whether a function that destroys is to do so. NULL is not; who destroys twice, or something else, is told. Objects of
 * a process that this one is a fork of are not destroyed either: their memory goes with this process. */
bool vkdml_check_destroy(void *handle, enum vkdml_handle_kind kind, const char *name);

/* Ends a call that was made on an object, NULL or a wrong handle among them: failures go to the log of its device. */
VkdmlResult vkdml_end_on_object(struct vkdml_report *report, VkdmlResult result, const void *handle);

#endif
