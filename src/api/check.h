/* Checks that public functions share. */
#ifndef VKDML_API_CHECK_H
#define VKDML_API_CHECK_H

#include "base/report.h"
#include "vkdml/device.h"

/* VKDML_SUCCESS, or reports a NULL argument. */
VkdmlResult vkdml_check_given(const void *argument, const char *name, struct vkdml_report *report);

/* VKDML_SUCCESS, or reports that the device is NULL or lost. */
VkdmlResult vkdml_check_device(VkdmlDevice device, struct vkdml_report *report);

/* Ends a call on a device, NULL among them: failures go to its log. */
VkdmlResult vkdml_end_on_device(struct vkdml_report *report, VkdmlResult result, VkdmlDevice device);

#endif
