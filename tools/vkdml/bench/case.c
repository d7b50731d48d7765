#include "bench/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than twice the largest last-level cache in use (H200: 50 MiB): a repetition finds nothing of its last turn. */
#define ROTATED_BYTES ((uint64_t)128 << 20)

static uint64_t all_bytes(const struct operator_case *c) {
    uint64_t bytes = 0;
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        bytes += bench_region_bytes(at.tensor);
    }
    return bytes;
}

VkdmlDevice bench_device_for(const struct bench_device *device, uint32_t flags) {
    return flags & CASE_BENCHMARK_TRANSFER ? device->transfer : device->gpu.device;
}

bool bench_compile(VkdmlDevice vkdml, const struct operator_case *c, VkdmlDispatchable *compiled) {
    struct case_desc desc;
    VkdmlOperator op = NULL;
    const VkdmlCompileInfo info = {
        .structSize = sizeof info, .executionFlags = (DML_EXECUTION_FLAGS)c->execution, .flags = c->flags};
    case_build_desc(c, &desc);
    VkdmlResult result = vkdmlCreateOperator(vkdml, &desc.op, &op);
    result = result == VKDML_SUCCESS ? vkdmlCompileOperator(op, &info, compiled) : result;
    vkdmlDestroyOperator(op);
    return result == VKDML_SUCCESS || bench_refused(c);
}

static bool fill_pools(struct bench_device *device, const struct bench_bound *bound) {
    for (struct case_at at = case_first(bound->c); at.tensor != NULL; at = case_next(bound->c, at)) {
        struct bench_pool *pool = &device->tensors[at.slot];
        const uint64_t size = bound->sets * bench_region_bytes(at.tensor);
        if (!(at.is_input ? bench_pool_fill(device, pool, size, at.tensor) : bench_pool_reserve(device, pool, size))) {
            return false;
        }
    }
    return bench_pool_reserve(device, &device->temporary, bound->properties.temporaryResourceSize) &&
           bench_pool_reserve(device, &device->persistent, bound->properties.persistentResourceSize);
}

/* Where a tensor of a set is: of those that vkdml owns, bound to an initializer, or of the others. */
static void bind_tensors(const struct bench_device *device, const struct operator_case *c, uint32_t set, bool is_owned,
                         VkdmlBufferBinding *inputs, VkdmlBufferBinding *outputs) {
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if ((at.tensor->owned != 0) == is_owned && (at.is_input || outputs != NULL)) {
            (at.is_input ? inputs : outputs)[at.binding] = (VkdmlBufferBinding){
                device->tensors[at.slot].buffer.buffer, set * bench_region_bytes(at.tensor) + at.tensor->offset,
                case_total_bytes(at.tensor) + at.tensor->extra};
        }
    }
}

static VkdmlResult bind_set(struct bench_device *device, const struct bench_bound *bound, uint32_t set) {
    VkdmlBufferBinding inputs[CASE_MAX_TENSORS] = {{0}}, outputs[CASE_MAX_TENSORS] = {{0}};
    bind_tensors(device, bound->c, set, false, inputs, outputs);
    const VkdmlBufferBinding temporary = {device->temporary.buffer.buffer, 0, bound->properties.temporaryResourceSize};
    VkdmlResult result = vkdmlBindInputs(bound->tables[set], case_input_count(bound->c), inputs);
    result =
        result == VKDML_SUCCESS ? vkdmlBindOutputs(bound->tables[set], case_output_count(bound->c), outputs) : result;
    const VkdmlBufferBinding persistent = {device->persistent.buffer.buffer, 0,
                                           bound->properties.persistentResourceSize};
    if (result == VKDML_SUCCESS && temporary.size != 0) {
        result = vkdmlBindTemporaryResource(bound->tables[set], &temporary);
    }
    return result == VKDML_SUCCESS && persistent.size != 0
               ? vkdmlBindPersistentResource(bound->tables[set], &persistent)
               : result;
}

/* `scratch`: as many bytes as the initializer wants. */
static bool run_initializer(struct bench_device *device, const struct bench_bound *bound, VkdmlDispatchable initializer,
                            VkdmlBindingTable table, const VkdmlBufferBinding *scratch) {
    VkdmlBufferBinding inputs[CASE_MAX_TENSORS] = {{0}};
    const VkdmlBufferBinding persistent = {device->persistent.buffer.buffer, 0,
                                           bound->properties.persistentResourceSize};
    bind_tensors(device, bound->c, 0, true, inputs, NULL);
    if (vkdmlBindInputs(table, case_input_count(bound->c), inputs) != VKDML_SUCCESS ||
        vkdmlBindOutputs(table, 1, &persistent) != VKDML_SUCCESS ||
        (scratch->size != 0 && vkdmlBindTemporaryResource(table, scratch) != VKDML_SUCCESS)) {
        return bench_refused(bound->c);
    }
    if (!gpu_begin(&device->gpu)) {
        return false;
    }
    if (vkdmlRecordDispatch(bound->device, device->gpu.commands, initializer, table) != VKDML_SUCCESS) {
        return bench_refused(bound->c);
    }
    gpu_barrier(&device->gpu);
    return gpu_submit(&device->gpu);
}

bool bench_initialize(struct bench_device *device, const struct bench_bound *bound) {
    VkdmlDispatchable initializer = NULL;
    VkdmlBindingTable table = NULL;
    if (bound->properties.persistentResourceSize == 0) {
        return true;
    }
    struct bench_pool scratch = {.filled = false};
    VkdmlBindingProperties properties = {0};
    VkdmlResult result = vkdmlCreateOperatorInitializer(bound->device, 1, &bound->compiled, &initializer);
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = initializer};
    result = result == VKDML_SUCCESS ? vkdmlCreateBindingTable(bound->device, &info, &table) : result;
    result = result == VKDML_SUCCESS ? vkdmlGetBindingProperties(initializer, &properties) : result;
    bool good = result == VKDML_SUCCESS ? bench_pool_reserve(device, &scratch, properties.temporaryResourceSize)
                                        : bench_refused(bound->c);
    const VkdmlBufferBinding bound_scratch = {scratch.buffer.buffer, 0, properties.temporaryResourceSize};
    good = good && run_initializer(device, bound, initializer, table, &bound_scratch);
    gpu_destroy_buffer(&device->gpu, &scratch.buffer);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(initializer);
    return good;
}

void bench_release(struct bench_bound *bound) {
    for (uint32_t i = 0; i < BENCH_MAX_SETS; i++) {
        vkdmlDestroyBindingTable(bound->tables[i]);
    }
    vkdmlDestroyDispatchable(bound->compiled);
    *bound = (struct bench_bound){0};
}

bool bench_bind(struct bench_device *device, VkdmlDevice vkdml, const struct operator_case *c, uint32_t sets,
                struct bench_bound *bound) {
    *bound = (struct bench_bound){.c = c, .device = vkdml, .sets = sets};
    if (!bench_compile(vkdml, c, &bound->compiled)) {
        return false;
    }
    if (vkdmlGetBindingProperties(bound->compiled, &bound->properties) != VKDML_SUCCESS) {
        return bench_refused(c);
    }
    if (!fill_pools(device, bound)) {
        return false;
    }
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = bound->compiled};
    for (uint32_t i = 0; i < sets; i++) {
        if (vkdmlCreateBindingTable(vkdml, &info, &bound->tables[i]) != VKDML_SUCCESS ||
            bind_set(device, bound, i) != VKDML_SUCCESS) {
            return bench_refused(c);
        }
    }
    return true;
}

bool bench_record(struct bench_device *device, uint32_t index, void *context) {
    const struct bench_bound *bound = context;
    return vkdmlRecordDispatch(bound->device, device->gpu.commands, bound->compiled,
                               bound->tables[index % bound->sets]) == VKDML_SUCCESS ||
           bench_refused(bound->c);
}

/* Input elements, each once however often a stride of 0 repeats it; outputs whole. */
static uint64_t moved_bytes(const struct case_tensor *tensor) {
    uint64_t bits = vkdmlGetDataTypeBits(tensor->type);
    for (uint32_t d = 0; d < tensor->rank; d++) {
        bits *= tensor->has_strides && tensor->strides[d] == 0 ? 1 : tensor->sizes[d];
    }
    return (bits + 7) / 8;
}

/* The value of the count that the case wrote; all of the rows with a flag that zeroes the others. */
static bool read_count(struct bench_device *device, const struct operator_case *c, uint32_t field, uint64_t rows,
                       uint64_t *count) {
    uint32_t value = 0;
    if (c->flags & VKDML_COMPILE_FLAG_ZERO_UNDEFINED) {
        *count = rows;
        return true;
    }
    bool good =
        gpu_download(&device->gpu, &device->tensors[field].buffer, c->tensors[field].offset, sizeof(value), &value);
    *count = value;
    return good;
}

static bool count_bytes(struct bench_device *device, const struct case_family *family, const struct operator_case *c,
                        uint64_t *bytes) {
    uint32_t count_field = 0;
    *bytes = 0;
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (family->count_output && strcmp(c->schema->fields[i].name, family->count_output) == 0) {
            count_field = i;
        }
    }
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        uint64_t own = moved_bytes(at.tensor);
        if (family->counted_output && strcmp(c->schema->fields[at.field].name, family->counted_output) == 0) {
            const uint64_t rows = at.tensor->sizes[at.tensor->rank - 2];
            uint64_t count;
            if (!read_count(device, c, count_field, rows, &count)) {
                return false;
            }
            own = own / rows * count;
        }
        *bytes += own;
    }
    return true;
}

uint32_t bench_choose_sets(uint64_t bytes) {
    const uint64_t sets = ROTATED_BYTES / bytes + 1;
    return sets < BENCH_MAX_SETS ? (uint32_t)sets : BENCH_MAX_SETS;
}

bool bench_case(struct bench_device *device, const struct case_family *family, const struct operator_case *c,
                VkdmlDevice vkdml, bool rotate, const struct bench_effort *effort, struct bench_result *result) {
    struct bench_bound bound;
    const struct bench_work work = {bench_record, &bound};
    result->sets = rotate ? bench_choose_sets(all_bytes(c)) : 1;
    bool good = bench_bind(device, vkdml, c, result->sets, &bound) && bench_initialize(device, &bound) &&
                bench_measure(device, &work, effort, &result->figures) &&
                count_bytes(device, family, c, &result->bytes);
    bench_release(&bound);
    return good;
}

/* vkCmdCopyBuffer and vkCmdFillBuffer, between the pools of the first two fields. */
struct transfer {
    uint64_t bytes;
    uint32_t sets;
};

static bool record_copy(struct bench_device *device, uint32_t index, void *context) {
    const struct transfer *transfer = context;
    const uint64_t offset = index % transfer->sets * transfer->bytes;
    const VkBufferCopy region = {offset, offset, transfer->bytes};
    vkCmdCopyBuffer(device->gpu.commands, device->tensors[0].buffer.buffer, device->tensors[1].buffer.buffer, 1,
                    &region);
    return true;
}

static bool record_fill(struct bench_device *device, uint32_t index, void *context) {
    const struct transfer *transfer = context;
    vkCmdFillBuffer(device->gpu.commands, device->tensors[1].buffer.buffer, index % transfer->sets * transfer->bytes,
                    transfer->bytes, 0x3f800000);
    return true;
}

static bool measure_transfer(struct bench_device *device, uint64_t bytes,
                             bool (*record_one)(struct bench_device *device, uint32_t index, void *context),
                             const struct bench_effort *effort, struct bench_result *result) {
    const struct case_tensor tensor = {.type = DML_TENSOR_DATA_TYPE_FLOAT32, .fill = CASE_FILL_BITS};
    struct transfer transfer = {(bytes + 3) / 4 * 4, bench_choose_sets(bytes)};
    const struct bench_work work = {record_one, &transfer};
    result->sets = transfer.sets;
    return bench_pool_fill(device, &device->tensors[0], transfer.sets * transfer.bytes, &tensor) &&
           bench_pool_reserve(device, &device->tensors[1], transfer.sets * transfer.bytes) &&
           bench_measure(device, &work, effort, &result->figures);
}

bool bench_copy(struct bench_device *device, uint64_t bytes, const struct bench_effort *effort,
                struct bench_result *result) {
    result->bytes = 2 * bytes;
    return measure_transfer(device, bytes, record_copy, effort, result);
}

bool bench_fill(struct bench_device *device, uint64_t bytes, const struct bench_effort *effort,
                struct bench_result *result) {
    result->bytes = bytes;
    return measure_transfer(device, bytes, record_fill, effort, result);
}

bool bench_execute(struct bench_device *device, const struct operator_case *c, VkdmlDevice vkdml,
                   struct bench_images *images) {
    struct bench_bound bound;
    bool good = bench_bind(device, vkdml, c, 1, &bound) && bench_images_upload(device, c, images) &&
                bench_initialize(device, &bound) && gpu_begin(&device->gpu) && bench_record(device, 0, &bound);
    if (good) {
        gpu_barrier(&device->gpu);
        good = gpu_submit(&device->gpu);
    }
    bench_release(&bound);
    return good;
}

bool bench_check(struct bench_device *device, const struct operator_case *c, VkdmlDevice vkdml) {
    struct bench_images images = {{NULL}};
    bool good = bench_execute(device, c, vkdml, &images) && bench_images_reference(c, &images) &&
                bench_images_compare(device, c, &images);
    bench_images_free(&images);
    return good;
}
