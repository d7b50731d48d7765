#include "vulkan/binding_table.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "vulkan/device.h"

static VkdmlResult create_pool(VkdmlBindingTable table, struct vkdml_report *report) {
    VkdmlDevice device = table->device;
    VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, vkdml_dispatchable_storage_buffers(table->dispatchable)},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, table->set_count},
    };
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = table->set_count,
                                       .poolSizeCount = sizeof sizes / sizeof *sizes,
                                       .pPoolSizes = sizes};
    VkResult result = device->vk.CreateDescriptorPool(device->handles.device, &info, device->callbacks, &table->pool);
    if (result != VK_SUCCESS) {
        table->pool = VK_NULL_HANDLE;
        return vkdml_vulkan_failure(&device->lost, report, result, "vkCreateDescriptorPool");
    }
    table->owns_pool = true;
    return VKDML_SUCCESS;
}

/* One set, with the parameter block, which never changes, written. */
static VkdmlResult create_set(VkdmlBindingTable table, uint32_t index, struct vkdml_report *report) {
    VkdmlDevice device = table->device;
    const struct vkdml_step *step = &table->dispatchable->steps[index];
    VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = table->pool,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &device->layouts[step->buffer_count - 1].set};
    VkResult result = device->vk.AllocateDescriptorSets(device->handles.device, &info, &table->sets[index]);
    if (result != VK_SUCCESS) {
        table->sets[index] = VK_NULL_HANDLE;
        return vkdml_vulkan_failure(&device->lost, report, result, "vkAllocateDescriptorSets");
    }
    VkDescriptorBufferInfo parameters = vkdml_parameters_descriptor(device, step->parameters);
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = table->sets[index],
                                  .dstBinding = 0,
                                  .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                  .pBufferInfo = &parameters};
    device->vk.UpdateDescriptorSets(device->handles.device, 1, &write, 0, NULL);
    return VKDML_SUCCESS;
}

/* One allocation for the struct and its arrays, the 8-byte ones first. */
static VkdmlBindingTable allocate_table(const struct VkdmlDispatchable_T *d, size_t *bytes) {
    _Static_assert(sizeof(struct VkdmlBindingTable_T) % _Alignof(VkdmlBufferBinding) == 0 &&
                       _Alignof(VkDescriptorSet) <= _Alignof(VkdmlBufferBinding) &&
                       _Alignof(struct vkdml_push_constants) <= _Alignof(VkDescriptorSet),
                   "the arrays lie behind one another without gaps");
    /* The dispatchable, with larger elements, is in memory: no overflow. */
    *bytes = sizeof(struct VkdmlBindingTable_T) +
             ((size_t)d->input_count + d->output_count) * sizeof(VkdmlBufferBinding) +
             (size_t)d->step_count * (sizeof(VkDescriptorSet) + sizeof(struct vkdml_push_constants));
    VkdmlBindingTable table = vkdml_allocate(d->device->callbacks, *bytes);
    if (table) {
        table->inputs = (VkdmlBufferBinding *)(table + 1);
        table->outputs = table->inputs + d->input_count;
        table->sets = (VkDescriptorSet *)(table->outputs + d->output_count);
        table->push_constants = (struct vkdml_push_constants *)(table->sets + d->step_count);
    }
    return table;
}

VkdmlResult vkdml_binding_table_create(VkdmlDispatchable dispatchable, VkDescriptorPool pool,
                                       struct vkdml_report *report, VkdmlBindingTable *table) {
    size_t bytes;
    VkdmlBindingTable t = allocate_table(dispatchable, &bytes);
    *table = NULL;
    if (!t) {
        return vkdml_report_out_of_memory(report, bytes, "a binding table");
    }
    t->device = dispatchable->device;
    t->dispatchable = dispatchable;
    t->pool = pool;
    t->changed = true;
    t->set_count = dispatchable->step_count;
    VkdmlResult result = VKDML_SUCCESS;
    if (!pool && t->set_count > 0) {
        result = create_pool(t, report);
    }
    for (uint32_t i = 0; i < t->set_count && result == VKDML_SUCCESS; i++) {
        result = create_set(t, i, report);
    }
    if (result != VKDML_SUCCESS) {
        vkdml_binding_table_destroy(t);
        return result;
    }
    *table = t;
    return VKDML_SUCCESS;
}

void vkdml_binding_table_destroy(VkdmlBindingTable table) {
    if (!table) {
        return;
    }
    VkdmlDevice device = table->device;
    if (table->owns_pool) {
        device->vk.DestroyDescriptorPool(device->handles.device, table->pool, device->callbacks);
    } else if (table->pool && table->set_count > 0) {
        /* VK_NULL_HANDLE among the sets of a half-built table is allowed */
        device->vk.FreeDescriptorSets(device->handles.device, table->pool, table->set_count, table->sets);
    }
    vkdml_free(device->callbacks, table);
}

static const VkdmlBufferBinding *bound_to(const struct VkdmlBindingTable_T *table,
                                          const struct vkdml_plan_buffer *buffer) {
    switch (buffer->resource) {
    case VKDML_PLAN_INPUT:
        return &table->inputs[buffer->index];
    case VKDML_PLAN_OUTPUT:
        return &table->outputs[buffer->index];
    case VKDML_PLAN_TEMPORARY:
        return &table->temporary;
    case VKDML_PLAN_PERSISTENT:
        return &table->persistent;
    }
    return NULL;
}

/* A step's storage buffers: bound at offsets that Vulkan allows, the rest left to the kernel. */
static void write_step(VkdmlBindingTable table, uint32_t index) {
    VkdmlDevice device = table->device;
    const struct vkdml_step *step = &table->dispatchable->steps[index];
    const uint64_t alignment = device->limits.min_storage_buffer_offset_alignment; /* a power of two */
    VkDescriptorBufferInfo infos[VKDML_PLAN_MAX_BUFFERS];
    VkWriteDescriptorSet writes[VKDML_PLAN_MAX_BUFFERS];
    for (uint32_t i = 0; i < step->buffer_count; i++) {
        const struct vkdml_plan_buffer *buffer = &step->buffers[i];
        const VkdmlBufferBinding *binding = bound_to(table, buffer);
        const uint64_t first = binding->offset + buffer->offset;
        const uint64_t rest = first & (alignment - 1);
        assert(rest + buffer->size <= device->limits.max_storage_buffer_range);
        table->push_constants[index].base_bytes[i] = (uint32_t)rest;
        infos[i] =
            (VkDescriptorBufferInfo){.buffer = binding->buffer, .offset = first - rest, .range = rest + buffer->size};
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = table->sets[index],
                                           .dstBinding = 1 + i,
                                           .descriptorCount = 1,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           .pBufferInfo = &infos[i]};
    }
    device->vk.UpdateDescriptorSets(device->handles.device, step->buffer_count, writes, 0, NULL);
}

void vkdml_binding_table_write(VkdmlBindingTable table) {
    for (uint32_t i = 0; i < table->set_count; i++) {
        write_step(table, i);
    }
}
