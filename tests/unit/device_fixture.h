/* What tests of the public functions on a device have in common: the group's Vulkan and host memory, devices that are
 * imported of it, and objects of them. */
#ifndef UNIT_DEVICE_FIXTURE_H
#define UNIT_DEVICE_FIXTURE_H

#include "interposer.h"
#include "operator_fixture.h"
#include "vulkan_fixture.h"

extern struct vulkan vulkan;
extern struct allocations allocations;

/* Of a group of tests. */
int set_up_vulkan(void **state);
int tear_down_vulkan(void **state);

/* Puts the interposer into its neutral state and zeros into both buffers. */
void reset_vulkan(void);

/* A device of the group's Vulkan, through the interposer, that counts its host memory. */
VkdmlDevice import_device(VkdmlDeviceFlags flags, VkdmlLogCallback log);

/* Every test has destroyed what it made. */
void assert_nothing_left(void);

void assert_invalid(VkdmlResult result, const char *reason);

/* A device and an object of each kind, all that a dispatch takes; NULL where it was not created. */
struct objects {
    VkdmlDevice device;
    VkdmlOperator op;
    VkdmlDispatchable compiled;
    VkdmlDispatchable initializer;
    VkdmlBindingTable table; /* of the compiled operator */
};

void destroy_objects(struct objects *objects);

VkdmlDispatchable compile_desc(VkdmlDevice device, const DML_OPERATOR_DESC *desc);

/* In a pool of its own where none is given. */
VkdmlBindingTable create_table(VkdmlDevice device, VkdmlDispatchable dispatchable, VkDescriptorPool pool);

/* Of the group's buffer, and of the other. */
VkdmlBufferBinding range(VkDeviceSize offset, VkDeviceSize size);
VkdmlBufferBinding other_range(VkDeviceSize offset, VkDeviceSize size);

extern const VkdmlBufferBinding nothing;

#endif
