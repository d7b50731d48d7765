#include "vulkan/binding_table.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "vulkan/device.h"
#include "vulkan/device_memory.h"
#include "vulkan/weights.h"

static void put_in_list(VkdmlBindingTable table) {
    struct vkdml_binding_tables *tables = &table->handle.device->tables;
    pthread_mutex_lock(&tables->lock);
    table->next = tables->first;
    table->link = &tables->first;
    if (table->next) {
        table->next->link = &table->next;
    }
    tables->first = table;
    pthread_mutex_unlock(&tables->lock);
}

static void take_out_of_list(VkdmlBindingTable table) {
    struct vkdml_binding_tables *tables = &table->handle.device->tables;
    pthread_mutex_lock(&tables->lock);
    *table->link = table->next;
    if (table->next) {
        table->next->link = table->link;
    }
    pthread_mutex_unlock(&tables->lock);
}

static void destroy_pool(VkdmlBindingTable table) {
    VkdmlDevice device = table->handle.device;
    take_out_of_list(table);
    device->vk.DestroyDescriptorPool(device->handles.device, table->pool, device->callbacks);
    table->pool = VK_NULL_HANDLE;
    table->owns_pool = false;
}

void vkdml_binding_tables_finish(VkdmlDevice device) {
    while (device->tables.first) { /* nobody else uses the device any more */
        destroy_pool(device->tables.first);
    }
}

static VkdmlResult create_pool(VkdmlBindingTable table, struct vkdml_report *report) {
    VkdmlDevice device = table->handle.device;
    const struct vkdml_descriptor_count count = vkdml_dispatchable_descriptors(table->dispatchable);
    if (count.sets == 0) {
        return VKDML_SUCCESS;
    }
    VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count.storage_buffers},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, count.sets},
    };
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = count.sets,
                                       .poolSizeCount = sizeof sizes / sizeof *sizes,
                                       .pPoolSizes = sizes};
    VkResult result = device->vk.CreateDescriptorPool(device->handles.device, &info, device->callbacks, &table->pool);
    if (result != VK_SUCCESS) {
        table->pool = VK_NULL_HANDLE;
        return vkdml_vulkan_failure(&device->lost, report, result, "vkCreateDescriptorPool");
    }
    table->owns_pool = true;
    put_in_list(table);
    return VKDML_SUCCESS;
}

/* Sets that are allocated and written by one call each: a graph has hundreds. */
#define SETS_AT_ONCE 64

struct set_batch {
    uint32_t count;
    uint32_t steps[SETS_AT_ONCE];
    VkDescriptorSetLayout layouts[SETS_AT_ONCE];
};

/* Allocates sets, with the parameter blocks, which never change, written. */
static VkdmlResult create_batch(VkdmlBindingTable table, const struct set_batch *batch, struct vkdml_report *report) {
    VkdmlDevice device = table->handle.device;
    VkDescriptorSet sets[SETS_AT_ONCE];
    VkDescriptorBufferInfo parameters[SETS_AT_ONCE];
    VkWriteDescriptorSet writes[SETS_AT_ONCE];
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = table->pool,
                                              .descriptorSetCount = batch->count,
                                              .pSetLayouts = batch->layouts};
    const VkResult result = device->vk.AllocateDescriptorSets(device->handles.device, &info, sets);
    if (result != VK_SUCCESS) {
        return vkdml_vulkan_failure(&device->lost, report, result, "vkAllocateDescriptorSets");
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct vkdml_step *step = &table->dispatchable->steps[batch->steps[i]];
        table->sets[batch->steps[i]] = sets[i];
        vkdml_debug_name(device, VK_OBJECT_TYPE_DESCRIPTOR_SET, (uint64_t)sets[i], "%s: %s",
                         table->dispatchable->context, step->label);
        parameters[i] = vkdml_parameters_descriptor(device, step->parameters);
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = sets[i],
                                           .dstBinding = 0,
                                           .descriptorCount = 1,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                           .pBufferInfo = &parameters[i]};
    }
    device->vk.UpdateDescriptorSets(device->handles.device, batch->count, writes, 0, NULL);
    return VKDML_SUCCESS;
}

static VkdmlResult create_sets(VkdmlBindingTable table, struct vkdml_report *report) {
    VkdmlDevice device = table->handle.device;
    struct set_batch batch;
    VkdmlResult result = VKDML_SUCCESS;
    batch.count = 0;
    for (uint32_t i = 0; i < table->step_count && result == VKDML_SUCCESS; i++) {
        const struct vkdml_step *step = &table->dispatchable->steps[i];
        if (step->kind == VKDML_PLAN_DISPATCH) {
            batch.steps[batch.count] = i;
            batch.layouts[batch.count++] = device->layouts[step->buffer_count - 1].set;
        }
        if (batch.count == SETS_AT_ONCE || (batch.count > 0 && i + 1 == table->step_count)) {
            result = create_batch(table, &batch, report);
            batch.count = 0;
        }
    }
    return result;
}

/* One allocation for the struct and its arrays, the 8-byte ones first. */
static VkdmlBindingTable allocate_table(const struct VkdmlDispatchable_T *d, size_t *bytes) {
    _Static_assert(sizeof(struct VkdmlBindingTable_T) % _Alignof(VkdmlBufferBinding) == 0 &&
                       _Alignof(struct vkdml_taken) <= _Alignof(VkdmlBufferBinding) &&
                       _Alignof(VkBufferCopy) <= _Alignof(struct vkdml_taken) &&
                       _Alignof(VkDescriptorSet) <= _Alignof(VkBufferCopy) &&
                       _Alignof(struct vkdml_push_constants) <= _Alignof(VkDescriptorSet),
                   "the arrays lie behind one another without gaps");
    size_t region_count = 0;
    for (uint32_t i = 0; i < d->step_count; i++) {
        region_count += d->steps[i].region_count;
    }
    const size_t exclusive = vkdml_dispatchable_point(d, VKDML_PLAN_INPUT, 0);
    /* The dispatchable, with larger elements, is in memory, and a step has few regions: no overflow. */
    *bytes = sizeof(struct VkdmlBindingTable_T) + vkdml_dispatchable_point_count(d) * sizeof(VkdmlBufferBinding) +
             exclusive * sizeof(struct vkdml_taken) + region_count * sizeof(VkBufferCopy) +
             (size_t)d->step_count * (sizeof(VkDescriptorSet) + sizeof(struct vkdml_push_constants));
    VkdmlBindingTable table = vkdml_allocate(d->handle.device->callbacks, *bytes);
    if (table) {
        table->bindings = (VkdmlBufferBinding *)(table + 1);
        table->taken = (struct vkdml_taken *)(table->bindings + vkdml_dispatchable_point_count(d));
        table->regions = (VkBufferCopy *)(table->taken + exclusive);
        table->sets = (VkDescriptorSet *)(table->regions + region_count);
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
    vkdml_handle_begin(&t->handle, VKDML_HANDLE_BINDING_TABLE, dispatchable->handle.device, bytes);
    t->dispatchable = dispatchable;
    t->pool = pool;
    t->changed = true;
    t->step_count = dispatchable->step_count;
    for (uint32_t p = 0; p < dispatchable->page_count; p++) {
        t->bindings[vkdml_dispatchable_point(dispatchable, VKDML_PLAN_PAGE, p)] =
            dispatchable->weights->pages[p]->binding;
    }
    VkdmlResult result = pool ? VKDML_SUCCESS : create_pool(t, report);
    if (result == VKDML_SUCCESS) {
        result = create_sets(t, report);
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
    VkdmlDevice device = table->handle.device;
    if (table->owns_pool) {
        destroy_pool(table);
    } else if (table->pool && table->step_count > 0 && !atomic_load(&device->destroyed)) {
        /* VK_NULL_HANDLE among the sets is allowed */
        device->vk.FreeDescriptorSets(device->handles.device, table->pool, table->step_count, table->sets);
    }
    vkdml_device_end_object(&table->handle);
}

const VkdmlBufferBinding *vkdml_binding_table_bound(const struct VkdmlBindingTable_T *table,
                                                    const struct vkdml_plan_buffer *buffer) {
    return &table->bindings[vkdml_dispatchable_point(table->dispatchable, buffer->resource, buffer->index)];
}

/* A step's storage buffers: bound at offsets that Vulkan allows, the rest left to the kernel. */
static void write_step(VkdmlBindingTable table, uint32_t index) {
    VkdmlDevice device = table->handle.device;
    const struct vkdml_step *step = &table->dispatchable->steps[index];
    const uint64_t alignment = device->limits.min_storage_buffer_offset_alignment; /* a power of two */
    VkDescriptorBufferInfo infos[VKDML_PLAN_MAX_BUFFERS];
    VkWriteDescriptorSet writes[VKDML_PLAN_MAX_BUFFERS];
    for (uint32_t i = 0; i < step->buffer_count; i++) {
        const struct vkdml_plan_buffer *buffer = &step->buffers[i];
        const VkdmlBufferBinding *binding = vkdml_binding_table_bound(table, buffer);
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

/* Writes the regions of one run; returns where the next run's go. */
static VkBufferCopy *write_run(uint64_t source, uint64_t target, uint64_t bytes, VkBufferCopy *region) {
    for (uint64_t part; bytes > 0; bytes -= part) {
        part = bytes < VKDML_MAX_REGION_BYTES ? bytes : VKDML_MAX_REGION_BYTES;
        *region++ = (VkBufferCopy){.srcOffset = source, .dstOffset = target, .size = part};
        source += part;
        target += part;
    }
    return region;
}

/* Takes the next coordinate, the innermost dimension first, and moves the offsets along; false after the last. */
static bool next_run(const struct vkdml_plan_copy *copy, uint32_t coordinates[VKDML_PLAN_MAX_COPY_RANK],
                     uint64_t *source, uint64_t *target) {
    for (uint32_t d = copy->rank; d-- > 0;) {
        *source += copy->source_strides[d];
        *target += copy->target_strides[d];
        if (++coordinates[d] < copy->sizes[d]) {
            return true;
        }
        *source -= copy->sizes[d] * copy->source_strides[d];
        *target -= copy->sizes[d] * copy->target_strides[d];
        coordinates[d] = 0;
    }
    return false;
}

static void write_copy(const struct VkdmlBindingTable_T *table, const struct vkdml_step *step, VkBufferCopy *regions) {
    uint64_t source = vkdml_binding_table_bound(table, &step->buffers[0])->offset + step->buffers[0].offset;
    uint64_t target = vkdml_binding_table_bound(table, &step->buffers[1])->offset + step->buffers[1].offset;
    uint32_t coordinates[VKDML_PLAN_MAX_COPY_RANK] = {0};
    do {
        regions = write_run(source, target, step->copy.run_bytes, regions);
    } while (next_run(&step->copy, coordinates, &source, &target));
}

/* What the check lets overlap is the same bytes in the same layout. */
static bool is_in_place(const struct VkdmlBindingTable_T *table) {
    const struct VkdmlDispatchable_T *d = table->dispatchable;
    const VkdmlBufferBinding *output = &table->bindings[vkdml_dispatchable_point(d, VKDML_PLAN_OUTPUT, 0)];
    const VkdmlBufferBinding *input = &table->bindings[vkdml_dispatchable_point(d, VKDML_PLAN_INPUT, 0)];
    return output->buffer == input->buffer && output->offset == input->offset;
}

void vkdml_binding_table_write(VkdmlBindingTable table) {
    table->idle = table->dispatchable->keeps_input && is_in_place(table);
    VkBufferCopy *regions = table->regions;
    for (uint32_t i = 0; i < table->step_count && !table->idle; i++) {
        const struct vkdml_step *step = &table->dispatchable->steps[i];
        if (step->kind == VKDML_PLAN_DISPATCH) {
            write_step(table, i);
        } else if (step->kind == VKDML_PLAN_COPY) {
            write_copy(table, step, regions);
        }
        regions += step->region_count;
    }
}
