/* The file in which a device's compiled pipelines are kept from one program to the next. */
#ifndef ONNX_CACHE_H
#define ONNX_CACHE_H

#include <stddef.h>
#include <vulkan/vulkan_core.h>

#include "onnx/error.h"

/* FOLDER/vkdml-VENDOR-DEVICE-DRIVER.pipelines, allocated with malloc(). NULL: out of memory. */
char *onnx_cache_path(const char *folder, const VkPhysicalDeviceProperties *device);

/* Reads the file. *data is allocated with malloc() and holds exactly what onnx_cache_write() was given for the same
 * device and driver: a checksum proves it. *data is NULL without a failure if there is no file, or one of another
 * driver. Fails on a missing folder, on damaged content, and on anything but a regular file: links are not followed,
 * and a FIFO does not block. */
bool onnx_cache_read(const char *path, const VkPhysicalDeviceProperties *device, void **data, size_t *size,
                     struct onnx_error *error);

/* Replaces the file in one step, so that readers find the old or the new content. Threads and processes may write at
 * once; the last one wins. The new file is readable by its user only. Removes what killed writers left behind. */
bool onnx_cache_write(const char *path, const VkPhysicalDeviceProperties *device, const void *data, size_t size,
                      struct onnx_error *error);

#endif
