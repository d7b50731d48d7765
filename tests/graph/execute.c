#include "execute.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 64

struct region {
    size_t offset, bytes;
};

struct layout {
    struct region inputs[GRAPH_MAX_BINDINGS];
    struct region outputs[GRAPH_MAX_BINDINGS];
    struct region temporary, persistent, initial; /* the latter: the initializer's temporary memory */
    size_t size;
};

/* What the buffer must hold. */
static unsigned char *image;
static size_t capacity;

struct run {
    struct gpu *gpu;
    const struct execution *execution;
    struct layout layout;
    struct random random;
    char *text;
    size_t size;
};

static bool fail(struct run *run, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->text, run->size, format, arguments);
    va_end(arguments);
    return false;
}

static bool check(struct run *run, const char *call, VkdmlResult result) {
    return result == VKDML_SUCCESS ||
           fail(run, "%s: %s: %s", call, vkdmlResultToString(result), vkdmlGetErrorMessage());
}

/* ---- places ---- */

/* At a multiple of the alignment, behind a guard. */
static struct region place(struct run *run, size_t bytes, size_t alignment) {
    struct region region = {.bytes = bytes};
    if (bytes > 0) {
        region.offset = (run->layout.size + GUARD + alignment - 1) / alignment * alignment;
        run->layout.size = region.offset + bytes;
    }
    return region;
}

/* Tensors at odd multiples of 16 too. */
static struct region place_tensor(struct run *run, size_t bytes) {
    run->layout.size += (size_t)16 * random_below(&run->random, 8);
    return place(run, bytes, DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT);
}

static void place_all(struct run *run, const VkdmlBindingProperties *own, const VkdmlBindingProperties *initializer) {
    const struct execution *execution = run->execution;
    for (uint32_t i = 0; i < execution->input_count; i++) {
        run->layout.inputs[i] = place_tensor(run, execution->inputs[i].data != NULL ? execution->inputs[i].bytes : 0);
    }
    for (uint32_t i = 0; i < execution->output_count; i++) {
        run->layout.outputs[i] = place_tensor(run, execution->outputs[i].bytes);
    }
    run->layout.temporary = place(run, own->temporaryResourceSize, DML_TEMPORARY_BUFFER_ALIGNMENT);
    run->layout.persistent = place(run, own->persistentResourceSize, DML_PERSISTENT_BUFFER_ALIGNMENT);
    run->layout.initial = place(run, initializer->temporaryResourceSize, DML_TEMPORARY_BUFFER_ALIGNMENT);
    run->layout.size += GUARD;
}

static VkdmlBufferBinding binding_of(const struct run *run, const struct region *region) {
    return (VkdmlBufferBinding){.buffer = region->bytes > 0 ? run->gpu->buffer : VK_NULL_HANDLE,
                                .offset = region->offset,
                                .size = region->bytes};
}

/* ---- memory ---- */

static bool prepare(struct run *run) {
    const struct layout *layout = &run->layout;
    if (layout->size > capacity) {
        free(image);
        capacity = layout->size * 2;
        image = malloc(capacity);
    }
    if (image == NULL || !gpu_reserve(run->gpu, layout->size)) {
        return fail(run, "no memory for %zu bytes", layout->size);
    }
    random_bytes(&run->random, image, layout->size);
    for (uint32_t i = 0; i < run->execution->input_count; i++) {
        if (layout->inputs[i].bytes > 0) { /* absent ones have no data */
            memcpy(image + layout->inputs[i].offset, run->execution->inputs[i].data, layout->inputs[i].bytes);
        }
    }
    memcpy(run->gpu->mapped, image, layout->size);
    return true;
}

/* What may be written is what it became. */
static void accept(const struct run *run, const struct region *region) {
    memcpy(image + region->offset, run->gpu->mapped + region->offset, region->bytes);
}

static bool check_untouched(struct run *run, const char *when) {
    if (memcmp(image, run->gpu->mapped, run->layout.size) == 0) {
        return true;
    }
    size_t at = 0;
    while (image[at] == run->gpu->mapped[at]) {
        at++;
    }
    for (uint32_t i = 0; i < run->execution->input_count; i++) {
        const struct region *region = &run->layout.inputs[i];
        if (at >= region->offset && at - region->offset < region->bytes) {
            return fail(run, "byte %zu of input %" PRIu32 " was written %s", at - region->offset, i, when);
        }
    }
    return fail(run, "byte %zu of the buffer, which is nobody's, was written %s", at, when);
}

/* What is OWNED_BY_DML is read no more. */
static void overwrite_owned(struct run *run) {
    for (uint32_t i = 0; i < run->execution->input_count; i++) {
        if (run->execution->inputs[i].is_owned) {
            const struct region *region = &run->layout.inputs[i];
            random_bytes(&run->random, image + region->offset, region->bytes);
            memcpy(run->gpu->mapped + region->offset, image + region->offset, region->bytes);
        }
    }
}

static void poison(struct run *run, const struct region *region, int pattern) {
    memset(image + region->offset, pattern, region->bytes);
    memset(run->gpu->mapped + region->offset, pattern, region->bytes);
}

/* ---- dispatches ---- */

static bool record(struct run *run, VkdmlDispatchable dispatchable, VkdmlBindingTable table) {
    VkCommandBuffer commands = gpu_begin_commands(run->gpu);
    if (commands == VK_NULL_HANDLE) {
        return fail(run, "no command buffer");
    }
    const VkdmlResult result = vkdmlRecordDispatch(run->gpu->device, commands, dispatchable, table);
    if (result != VKDML_SUCCESS) {
        vkEndCommandBuffer(commands);
        return check(run, "vkdmlRecordDispatch", result);
    }
    return gpu_submit_and_wait(run->gpu) ||
           fail(run, "%s", run->gpu->error != NULL ? run->gpu->error : "Vulkan failed");
}

static VkdmlBindingTable create_table(struct run *run, VkdmlDispatchable dispatchable) {
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = dispatchable};
    VkdmlBindingTable table;
    check(run, "vkdmlCreateBindingTable", vkdmlCreateBindingTable(run->gpu->device, &info, &table));
    return table;
}

/* The inputs that are OWNED_BY_DML, or the others. */
static VkdmlResult bind_inputs(const struct run *run, VkdmlBindingTable table, bool owned) {
    VkdmlBufferBinding inputs[GRAPH_MAX_BINDINGS] = {{0}};
    for (uint32_t i = 0; i < run->execution->input_count; i++) {
        if (run->execution->inputs[i].is_owned == owned) {
            inputs[i] = binding_of(run, &run->layout.inputs[i]);
        }
    }
    return vkdmlBindInputs(table, run->execution->input_count, inputs);
}

static bool initialize(struct run *run, VkdmlDispatchable initializer) {
    const VkdmlBufferBinding persistent = binding_of(run, &run->layout.persistent);
    const VkdmlBufferBinding temporary = binding_of(run, &run->layout.initial);
    VkdmlBindingTable table = create_table(run, initializer);
    bool good = table != NULL && check(run, "binding owned inputs", bind_inputs(run, table, true)) &&
                check(run, "binding persistent memory", vkdmlBindOutputs(table, 1, &persistent)) &&
                (run->layout.initial.bytes == 0 ||
                 check(run, "binding temporary memory", vkdmlBindTemporaryResource(table, &temporary))) &&
                record(run, initializer, table);
    vkdmlDestroyBindingTable(table);
    if (good) {
        accept(run, &run->layout.persistent);
        accept(run, &run->layout.initial);
        good = check_untouched(run, "at initialization");
        overwrite_owned(run);
    }
    return good;
}

/* ---- weights in a store ---- */

/* What an initializer of all missing weights takes, which then goes unrecorded. */
static bool find_initial(struct run *run, VkdmlBindingProperties *initial) {
    VkdmlDispatchable whole;
    const bool good =
        check(run, "vkdmlCreateWeightInitializer", vkdmlCreateWeightInitializer(run->execution->compiled, 0, &whole)) &&
        (whole == NULL || check(run, "vkdmlGetBindingProperties", vkdmlGetBindingProperties(whole, initial)));
    vkdmlDestroyDispatchable(whole);
    return good;
}

static bool initialize_part(struct run *run, VkdmlDispatchable initializer) {
    VkdmlBufferBinding inputs[GRAPH_MAX_BINDINGS] = {{0}};
    const VkdmlBufferBinding temporary = binding_of(run, &run->layout.initial);
    uint32_t indices[GRAPH_MAX_BINDINGS], count = GRAPH_MAX_BINDINGS;
    VkdmlBindingTable table = create_table(run, initializer);
    bool good = table != NULL && check(run, "vkdmlGetWeightInitializerInputs",
                                       vkdmlGetWeightInitializerInputs(initializer, &count, indices));
    for (uint32_t i = 0; i < count && good; i++) {
        inputs[indices[i]] = binding_of(run, &run->layout.inputs[indices[i]]);
    }
    good = good && check(run, "binding weights", vkdmlBindInputs(table, run->execution->input_count, inputs)) &&
           (run->layout.initial.bytes == 0 ||
            check(run, "binding temporary memory", vkdmlBindTemporaryResource(table, &temporary))) &&
           record(run, initializer, table);
    vkdmlDestroyBindingTable(table);
    if (good) {
        accept(run, &run->layout.initial);
        good = check_untouched(run, "at initialization");
    }
    return good;
}

static bool initialize_parts(struct run *run) {
    for (;;) {
        VkdmlDispatchable part;
        if (!check(run, "vkdmlCreateWeightInitializer",
                   vkdmlCreateWeightInitializer(run->execution->compiled, 1, &part))) {
            return false;
        }
        if (part == NULL) {
            overwrite_owned(run);
            return true;
        }
        const bool good = initialize_part(run, part);
        vkdmlDestroyDispatchable(part);
        if (!good) {
            return false;
        }
    }
}

static VkdmlBindingTable bind(struct run *run) {
    const struct execution *execution = run->execution;
    const VkdmlBufferBinding persistent = binding_of(run, &run->layout.persistent);
    const VkdmlBufferBinding temporary = binding_of(run, &run->layout.temporary);
    VkdmlBufferBinding outputs[GRAPH_MAX_BINDINGS] = {{0}};
    for (uint32_t i = 0; i < execution->output_count; i++) {
        outputs[i] = binding_of(run, &run->layout.outputs[i]);
    }
    VkdmlBindingTable table = create_table(run, execution->compiled);
    if (table == NULL || !check(run, "binding inputs", bind_inputs(run, table, false)) ||
        !check(run, "binding outputs", vkdmlBindOutputs(table, execution->output_count, outputs)) ||
        (run->layout.temporary.bytes > 0 &&
         !check(run, "binding temporary memory", vkdmlBindTemporaryResource(table, &temporary))) ||
        (run->layout.persistent.bytes > 0 &&
         !check(run, "binding persistent memory", vkdmlBindPersistentResource(table, &persistent)))) {
        vkdmlDestroyBindingTable(table);
        return NULL;
    }
    return table;
}

static bool execute(struct run *run, VkdmlBindingTable table) {
    static const int patterns[2] = {0xFF, 0x3C};
    const struct execution *execution = run->execution;
    unsigned char *before = malloc(run->layout.size);
    bool good = before != NULL;
    if (good) {
        memcpy(before, image, run->layout.size);
    }
    for (uint32_t time = 0; time < 2 && good; time++) {
        memcpy(image, before, run->layout.size);
        memcpy(run->gpu->mapped, before, run->layout.size);
        poison(run, &run->layout.temporary, patterns[time]);
        for (uint32_t i = 0; i < execution->output_count; i++) {
            poison(run, &run->layout.outputs[i], patterns[time]);
        }
        good = record(run, execution->compiled, table);
        for (uint32_t i = 0; i < execution->output_count && good; i++) {
            const struct region *region = &run->layout.outputs[i];
            if (region->bytes > 0) {
                memcpy(execution->outputs[i].data[time], run->gpu->mapped + region->offset, region->bytes);
            }
            accept(run, region);
        }
        accept(run, &run->layout.temporary);
        good = good && check_untouched(run, time == 0 ? "in the first execution" : "in the second execution");
    }
    free(before);
    return good;
}

static bool needs_initializer(const struct run *run, const VkdmlBindingProperties *properties) {
    bool needs = properties->persistentResourceSize > 0;
    for (uint32_t i = 0; i < run->execution->input_count; i++) {
        needs = needs || run->execution->inputs[i].is_owned;
    }
    return needs;
}

bool execute_twice(struct gpu *gpu, const struct execution *execution, uint64_t seed, char *text, size_t size) {
    static struct run run;
    VkdmlBindingProperties properties, initial = {.temporaryResourceSize = 0};
    VkdmlDispatchable initializer = NULL;
    VkdmlBindingTable table = NULL;
    memset(&run, 0, sizeof run);
    run.gpu = gpu;
    run.execution = execution;
    run.random.state = seed;
    run.text = text;
    run.size = size;
    bool good = check(&run, "vkdmlGetBindingProperties", vkdmlGetBindingProperties(execution->compiled, &properties));
    const bool has_initializer = good && !execution->has_store && needs_initializer(&run, &properties);
    good = good && (!execution->has_store || find_initial(&run, &initial));
    if (has_initializer) {
        good = check(&run, "vkdmlCreateOperatorInitializer",
                     vkdmlCreateOperatorInitializer(gpu->device, 1, &execution->compiled, &initializer)) &&
               check(&run, "vkdmlGetBindingProperties", vkdmlGetBindingProperties(initializer, &initial));
    }
    if (good) {
        place_all(&run, &properties, &initial);
        good = prepare(&run) && (!has_initializer || initialize(&run, initializer)) &&
               (!execution->has_store || initialize_parts(&run));
    }
    if (good) {
        table = bind(&run);
        good = table != NULL && execute(&run, table);
    }
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(initializer);
    return good;
}

void execute_end(void) {
    free(image);
    image = NULL;
    capacity = 0;
}
