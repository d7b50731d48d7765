/* What a new input shape costs the host: a network with a weight store is described, compiled and recorded for a size,
 * with its weights on the device and all of its pipelines made. */
#include <stdio.h>
#include <stdlib.h>

#include "base/timing.h"
#include "bench/host_network.h"
#include "bench/small.h"

#define SIZES  3
#define ROUNDS 21 /* of all sizes: an odd number of each */
#define PAGES  256

#define ROUND_UP(x, to) (((x) + ((to)-1)) / (to) * (to))

/* A network at work: its weights, and memory for all that it reads and writes. */
struct work {
    struct bench_device *device;
    struct network network;
    VkdmlWeightStore store;
    VkdmlDispatchable first; /* uses the store as long as others come and go */
    struct gpu_buffer pages[PAGES];
    struct gpu_buffer inputs, outputs, temporary;
    VkdmlBufferBinding bindings[NETWORK_INPUTS + NETWORK_OUTPUTS];
};

/* In microseconds. */
struct costs {
    double operators, compile, record, total;
};

static bool succeeds(VkdmlResult result) {
    if (result != VKDML_SUCCESS) {
        fprintf(stderr, "vkdml: %s\n", vkdmlGetErrorMessage());
    }
    return result == VKDML_SUCCESS;
}

/* ---- weights ---- */

static VkdmlResult allocate_page(void *data, uint64_t bytes, VkdmlBufferBinding *page) {
    struct work *work = data;
    for (size_t p = 0; p < PAGES; p++) {
        if (work->pages[p].buffer == VK_NULL_HANDLE) {
            if (!gpu_create_buffer(&work->device->gpu, bytes, false, &work->pages[p])) {
                return VKDML_ERROR_OUT_OF_DEVICE_MEMORY;
            }
            *page = (VkdmlBufferBinding){work->pages[p].buffer, 0, bytes};
            return VKDML_SUCCESS;
        }
    }
    return VKDML_ERROR_LIMIT_EXCEEDED;
}

/* Pages stay until the end. */
static void free_page(void *data, const VkdmlBufferBinding *page) {
    (void)data;
    (void)page;
}

/* A buffer of at least so many bytes. */
static bool reserve(struct work *work, struct gpu_buffer *buffer, uint64_t bytes) {
    if (buffer->size >= bytes && buffer->buffer != VK_NULL_HANDLE) {
        return true;
    }
    gpu_destroy_buffer(&work->device->gpu, buffer);
    return gpu_create_buffer(&work->device->gpu, bytes > 0 ? bytes : 4, false, buffer);
}

/* Tensors side by side in a buffer. */
static bool place(struct work *work, struct gpu_buffer *buffer, uint32_t count, const uint64_t *bytes,
                  VkdmlBufferBinding *bindings) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        all += ROUND_UP(bytes[i], 256);
    }
    if (!reserve(work, buffer, all)) {
        return false;
    }
    uint64_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        bindings[i] = (VkdmlBufferBinding){buffer->buffer, at, bytes[i]};
        at += ROUND_UP(bytes[i], 256);
    }
    return true;
}

/* Binds those inputs of the graph that are weights, or the others, and the temporary resource. */
static bool bind(struct work *work, VkdmlDispatchable compiled, bool weights, VkdmlBindingTable *table) {
    const struct network *network = &work->network;
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = compiled};
    VkdmlBufferBinding inputs[NETWORK_INPUTS] = {{VK_NULL_HANDLE, 0, 0}};
    VkdmlBindingProperties needs;
    for (uint32_t i = 0; i < network->desc.InputCount; i++) {
        if ((network->weight_ids[i] != 0) == weights) {
            inputs[i] = work->bindings[i];
        }
    }
    if (!succeeds(vkdmlGetBindingProperties(compiled, &needs)) ||
        !reserve(work, &work->temporary, needs.temporaryResourceSize) ||
        !succeeds(vkdmlCreateBindingTable(work->device->gpu.device, &info, table)) ||
        !succeeds(vkdmlBindInputs(*table, network->desc.InputCount, inputs))) {
        return false;
    }
    const VkdmlBufferBinding temporary = {work->temporary.buffer, 0, needs.temporaryResourceSize};
    return (needs.temporaryResourceSize == 0 || succeeds(vkdmlBindTemporaryResource(*table, &temporary))) &&
           (weights || succeeds(vkdmlBindOutputs(*table, network->desc.OutputCount,
                                                 work->bindings + network->desc.InputCount)));
}

/* Makes the weights' regions, of whatever the inputs' buffer holds. */
static bool initialize(struct work *work) {
    struct gpu *gpu = &work->device->gpu;
    VkdmlDispatchable initializer = NULL;
    VkdmlBindingTable table = NULL;
    bool good = succeeds(vkdmlCreateWeightInitializer(work->first, 0, &initializer)) && initializer != NULL &&
                bind(work, initializer, true, &table) && gpu_begin(gpu) &&
                succeeds(vkdmlRecordDispatch(gpu->device, gpu->commands, initializer, table)) && gpu_submit(gpu);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(initializer);
    return good;
}

/* ---- shapes ---- */

static bool compile(struct work *work, VkdmlCompileFlags flags, VkdmlDispatchable *compiled) {
    const VkdmlCompileInfo info = {.structSize = sizeof info,
                                   .flags = flags,
                                   .weightStore = work->store,
                                   .weightIdCount = work->network.desc.InputCount,
                                   .weightIds = work->network.weight_ids};
    return succeeds(vkdmlCompileGraph(work->device->gpu.device, &work->network.desc, &info, compiled));
}

/* Describes the network for a size, and places its tensors. */
static bool describe(struct work *work, network_describe *network, uint32_t size) {
    network_destroy(&work->network);
    return network(&work->network, work->device->gpu.device, size);
}

static bool place_tensors(struct work *work) {
    struct network *network = &work->network;
    return place(work, &work->inputs, network->desc.InputCount, network->input_bytes, work->bindings) &&
           place(work, &work->outputs, network->desc.OutputCount, network->output_bytes,
                 work->bindings + network->desc.InputCount);
}

/* Creates all pipelines of a size, general ones with the first. */
static bool prepare(struct work *work, network_describe *network, uint32_t size) {
    VkdmlDispatchable best = NULL;
    bool good = describe(work, network, size) && place_tensors(work);
    if (good && work->first == NULL) {
        good = compile(work, VKDML_COMPILE_FLAG_OPEN_SIZES | VKDML_COMPILE_FLAG_PARALLEL, &work->first) &&
               initialize(work);
    }
    good = good && compile(work, VKDML_COMPILE_FLAG_PARALLEL, &best);
    vkdmlDestroyDispatchable(best);
    return good;
}

/* What a size takes that was compiled before, and destroyed. */
static bool time_size(struct work *work, network_describe *network, uint32_t size, struct costs *costs) {
    struct gpu *gpu = &work->device->gpu;
    VkdmlDispatchable compiled = NULL;
    VkdmlBindingTable table = NULL;
    const double start = timing_now();
    bool good = describe(work, network, size);
    const double described = timing_now();
    good = good && compile(work, VKDML_COMPILE_FLAG_OPEN_SIZES | VKDML_COMPILE_FLAG_PARALLEL, &compiled);
    const double done = timing_now();
    good = good && place_tensors(work) && gpu_begin(gpu);
    const double placed = timing_now();
    good = good && bind(work, compiled, false, &table) &&
           succeeds(vkdmlRecordDispatch(gpu->device, gpu->commands, compiled, table));
    const double recorded = timing_now();
    good = good && gpu_submit(gpu);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
    *costs = (struct costs){(described - start) * 1e3, (done - described) * 1e3, (recorded - placed) * 1e3,
                            (done - start + recorded - placed) * 1e3};
    return good;
}

/* ---- a network ---- */

struct subject {
    const char *name;
    network_describe *describe;
    uint32_t sizes[SIZES];
};

static const struct subject subjects[] = {{"text recognizer", network_recognizer, {40, 41, 50}},
                                          {"decoder of 24 layers", network_decoder, {31, 60, 64}}};

static bool measure(struct work *work, const struct subject *subject) {
    double operators[ROUNDS], compiles[ROUNDS], records[ROUNDS], totals[ROUNDS];
    bool good = true;
    for (uint32_t s = 0; good && s < SIZES; s++) {
        good = prepare(work, subject->describe, subject->sizes[s]);
    }
    for (uint32_t r = 0; good && r < ROUNDS; r++) {
        struct costs costs;
        good = time_size(work, subject->describe, subject->sizes[r % SIZES], &costs);
        operators[r] = costs.operators;
        compiles[r] = costs.compile;
        records[r] = costs.record;
        totals[r] = costs.total;
    }
    if (good) {
        printf("%-54s %8u %10.1f %10.1f %10.1f %10.1f\n", subject->name, work->network.desc.NodeCount,
               bench_median(operators, ROUNDS), bench_median(compiles, ROUNDS), bench_median(records, ROUNDS),
               bench_median(totals, ROUNDS));
    }
    return good;
}

static void end(struct work *work) {
    struct gpu *gpu = &work->device->gpu;
    vkdmlDestroyDispatchable(work->first);
    vkdmlDestroyWeightStore(work->store);
    network_destroy(&work->network);
    for (size_t p = 0; p < PAGES; p++) {
        gpu_destroy_buffer(gpu, &work->pages[p]);
    }
    gpu_destroy_buffer(gpu, &work->inputs);
    gpu_destroy_buffer(gpu, &work->outputs);
    gpu_destroy_buffer(gpu, &work->temporary);
}

bool bench_host_shapes(struct bench_device *device) {
    bool good = true;
    printf("# microseconds for a new size, weights and pipelines being there: operators created, graph compiled, bound "
           "and recorded\n");
    printf("%-54s %8s %10s %10s %10s %10s\n", "# network", "nodes", "operators", "compile", "record", "all");
    for (size_t s = 0; good && s < sizeof subjects / sizeof *subjects; s++) {
        struct work *work = calloc(1, sizeof *work);
        if (work == NULL) {
            fprintf(stderr, "vkdml: out of memory\n");
            return false;
        }
        work->device = device;
        const VkdmlWeightStoreCreateInfo info = {
            .structSize = sizeof info, .allocatePage = allocate_page, .freePage = free_page, .userData = work};
        good = succeeds(vkdmlCreateWeightStore(device->gpu.device, &info, &work->store)) &&
               measure(work, &subjects[s]);
        end(work);
        free(work);
    }
    return good;
}
