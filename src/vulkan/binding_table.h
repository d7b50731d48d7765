/* Binding tables: the buffers of one dispatchable, checked when bound, and the descriptor sets that record them. */
#ifndef VKDML_VULKAN_BINDING_TABLE_H
#define VKDML_VULKAN_BINDING_TABLE_H

#include <stdbool.h>

#include "base/overlaps.h"
#include "base/report.h"
#include "vkdml/binding.h"
#include "vulkan/dispatchable.h"

struct VkdmlBindingTable_T {
    struct vkdml_handle handle;
    VkdmlBindingTable next;         /* in the device's list, where the pool is the table's own */
    VkdmlBindingTable *link;        /* what points to it there */
    VkdmlDispatchable dispatchable; /* may be gone when the table is destroyed */
    VkDescriptorPool pool;
    bool owns_pool;
    bool changed;                                /* since the descriptors were written */
    bool idle;                                   /* bound in place, where the operator changes nothing */
    uint32_t step_count;                         /* the dispatchable's */
    VkdmlBufferBinding *bindings;                /* in the order of its points; buffer VK_NULL_HANDLE: not bound */
    VkDescriptorSet *sets;                       /* by step; VK_NULL_HANDLE of those that are no dispatch */
    VkBufferCopy *regions;                       /* of the copies, one step's after another's */
    struct vkdml_push_constants *push_constants; /* by step */
    struct vkdml_taken *taken;                   /* room for each point but inputs, for the check */
};

/* What a step's buffer is bound to. */
const VkdmlBufferBinding *vkdml_binding_table_bound(const struct VkdmlBindingTable_T *table,
                                                    const struct vkdml_plan_buffer *buffer);

/* pool: the caller's, or VK_NULL_HANDLE. *table is NULL on failure. */
VkdmlResult vkdml_binding_table_create(VkdmlDispatchable dispatchable, VkDescriptorPool pool,
                                       struct vkdml_report *report, VkdmlBindingTable *table);

/* NULL is ignored; half-built is fine. Of a table whose device was destroyed there is only memory left. */
void vkdml_binding_table_destroy(VkdmlBindingTable table);

/* Destroys the pools of the tables that a device still has. */
void vkdml_binding_tables_finish(VkdmlDevice device);

/* Binds all inputs (or outputs), or changes nothing. */
VkdmlResult vkdml_bind_tensors(VkdmlBindingTable table, enum vkdml_plan_resource inputs_or_outputs, uint32_t count,
                               const VkdmlBufferBinding *bindings, struct vkdml_report *report);

/* Binds the temporary (or persistent) resource, or changes nothing. A NULL binding or buffer unbinds. */
VkdmlResult vkdml_bind_resource(VkdmlBindingTable table, enum vkdml_plan_resource temporary_or_persistent,
                                const VkdmlBufferBinding *binding, struct vkdml_report *report);

/* Whether everything is bound and nothing overlaps that may not. */
VkdmlResult vkdml_binding_table_check(const struct VkdmlBindingTable_T *table, struct vkdml_report *report);

/* Counts the inputs that overlap outputs where the dispatchable cannot run in place; writes the numbers of the first
 * `room`. Overlaps with the temporary and the persistent resource do not count. */
uint32_t vkdml_binding_table_overlapped(const struct VkdmlBindingTable_T *table, uint32_t room, uint32_t *inputs);

/* Writes the storage buffers' descriptors, and the regions, of a table that passed the check. */
void vkdml_binding_table_write(VkdmlBindingTable table);

/* Records the table's dispatchable. Checks and writes the table first where it changed. Allocates nothing. */
VkdmlResult vkdml_record(VkdmlBindingTable table, VkCommandBuffer command_buffer, struct vkdml_report *report);

#endif
