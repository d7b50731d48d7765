/* What all objects that callers hold handles of have in common: whose they are, that a device counts them, and, where
 * it was created with VKDML_DEVICE_FLAG_CHECK_HANDLES, a place in the list that handles are held to. */
#ifndef VKDML_VULKAN_HANDLES_H
#define VKDML_VULKAN_HANDLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/report.h"
#include "vkdml/device.h"
#include "vulkan/log.h"

enum vkdml_handle_kind {
    VKDML_HANDLE_DEVICE,
    VKDML_HANDLE_OPERATOR,
    VKDML_HANDLE_DISPATCHABLE,
    VKDML_HANDLE_BINDING_TABLE,
    VKDML_HANDLE_WEIGHT_STORE,
    VKDML_HANDLE_KIND_COUNT
};

/* The first member of an object: a handle is a pointer to it. */
struct vkdml_handle {
    VkdmlDevice device; /* whose it is; a device's own */
    enum vkdml_handle_kind kind;
    size_t bytes; /* of the object, one allocation */
    /* Where the device checks handles; the list's lock guards them: */
    bool destroyed;
    struct vkdml_handle *next;      /* in the list, among those of like address */
    struct vkdml_handle *next_dead; /* destroyed after it */
};

/* Of a device that checks handles: its destroyed objects, whose memory is not given back yet. Then no object made since
 * has their address, and who uses them is told. */
struct vkdml_graveyard {
    struct vkdml_handle *first; /* destroyed longest ago */
    struct vkdml_handle *last;
    size_t count;
    size_t bytes;
};

/* Begins an object, in zeroed memory of the device's callbacks. */
void vkdml_handle_begin(struct vkdml_handle *handle, enum vkdml_handle_kind kind, VkdmlDevice device, size_t bytes);

/* Frees an object of a device, of which nothing is left but its memory, or keeps that back for a while. */
void vkdml_handle_free(struct vkdml_handle *handle);

/* Ends a device, before its memory is freed: gives back that of its destroyed objects. */
void vkdml_handle_end_device(VkdmlDevice device);

/* Whether some device of this process checks handles, or did. */
extern atomic_bool vkdml_handles_are_checked;

/* VKDML_SUCCESS, or reports that a handle, which must not be NULL, is no live object of that kind. Reads nothing of
 * what it points to. device: whose it must be too; NULL: any device's. Tells nothing where no device checks handles. */
VkdmlResult vkdml_handle_check(const void *handle, enum vkdml_handle_kind kind, VkdmlDevice device, const char *name,
                               struct vkdml_report *report);

/* The same for one that is to be destroyed: of two threads that try, one succeeds. */
VkdmlResult vkdml_handle_retire(void *handle, enum vkdml_handle_kind kind, const char *name,
                                struct vkdml_report *report);

/* Where to tell of a call that failed. handle: what the call was given, whatever it is. */
struct vkdml_log vkdml_handle_log(const void *handle);

#endif
