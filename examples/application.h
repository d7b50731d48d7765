/* What the small examples share: a device that vkdml opened, one buffer for everything, and one command buffer. */
#ifndef EXAMPLES_APPLICATION_H
#define EXAMPLES_APPLICATION_H

#include <volk.h>

#include <stdbool.h>
#include <stdint.h>

#include <vkdml/vkdml.h>

struct application {
    VkdmlDevice device;
    VkdmlVulkanHandles vk;
    VkBuffer buffer;
    VkDeviceMemory memory;
    unsigned char *bytes; /* of the buffer, which the host sees. Real programs copy to memory that it need not see. */
    VkCommandPool pool;
    VkCommandBuffer commands;
};

/* Each of these prints what failed, and returns false then. application_close() is due either way. */

/* Opens a device (info NULL: of the library's choice) and makes a buffer of so many bytes; 0: none yet. */
bool application_open(struct application *app, const VkdmlDeviceOpenInfo *info, VkDeviceSize bytes);
bool application_create_buffer(struct application *app, VkDeviceSize bytes);
/* The command buffer, empty and recording. */
bool application_begin(struct application *app);
/* Lets operators recorded from here on read what those before wrote: vkdml puts no barrier between operators. */
void application_order(struct application *app);
/* Makes results visible to the host, submits what was recorded, and waits. */
bool application_submit(struct application *app);
void application_close(struct application *app);

/* Prints why a call of vkdml's failed; returns whether it did not. */
bool succeeded(VkdmlResult result);

/* A packed tensor of up to 4 dimensions. */
struct tensor {
    uint32_t sizes[4];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc; /* what operators' descriptors point to */
};

void tensor_init(struct tensor *tensor, DML_TENSOR_DATA_TYPE type, uint32_t dimension_count, const uint32_t *sizes);

/* A tensor's place in the buffer, `offset` bytes from its beginning. */
VkdmlBufferBinding binding_of(const struct application *app, const struct tensor *tensor, VkDeviceSize offset);

/* Validates, compiles and makes a table. The caller destroys both. */
bool compile(struct application *app, const DML_OPERATOR_DESC *desc, VkdmlDispatchable *compiled,
             VkdmlBindingTable *table);

#endif
