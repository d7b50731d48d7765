/* Runs models on a Vulkan device. */
#include "device/gpu.h"

#include <stdio.h>
#include <stdlib.h>

#include <vkdml/binding.h>

#include "base/message.h"
#include "model/graph_build.h"
#include "run/executor.h"

struct vulkan_executor {
    struct executor base; /* first: the two are cast into each other */
    struct gpu gpu;
};

/* A dispatchable, compiled and with the resources it needs. */
struct compiled {
    VkdmlDispatchable dispatchable;
    VkdmlBindingTable table;
    struct gpu_buffer temporary;
    struct gpu_buffer persistent;
    VkdmlBufferBinding *bindings; /* inputs, then outputs */
};

static struct gpu *gpu_of(struct executor *executor) {
    return &((struct vulkan_executor *)executor)->gpu;
}

static bool create_buffer(struct executor *executor, struct resource *resource) {
    struct gpu *gpu = gpu_of(executor);
    struct gpu_buffer *buffer = calloc(1, sizeof(*buffer));
    resource->buffer = buffer;
    if (!buffer) {
        return document_error(&executor->model->document, resource->json, "out of memory");
    }
    if (!gpu_create_buffer(gpu, resource->size, false, buffer) ||
        !gpu_upload(gpu, buffer, resource->contents, resource->size)) {
        return document_error(&executor->model->document, resource->json,
                              "resource '%s': no buffer of %llu bytes on '%s'", resource->name,
                              (unsigned long long)resource->size, executor->name);
    }
    /* The device has them now. */
    free(resource->contents);
    resource->contents = NULL;
    return true;
}

static void release_buffer(struct executor *executor, struct resource *resource) {
    if (resource->buffer) {
        gpu_destroy_buffer(gpu_of(executor), resource->buffer);
        free(resource->buffer);
        resource->buffer = NULL;
    }
}

static VkdmlBufferBinding buffer_binding(const struct binding *binding) {
    VkdmlBufferBinding result = {VK_NULL_HANDLE, 0, 0};
    if (binding->resource) {
        const struct gpu_buffer *buffer = binding->resource->buffer;
        result = (VkdmlBufferBinding){buffer->buffer, binding->offset, binding->size};
    }
    return result;
}

/* Creates a temporary or persistent resource; of size 0: none. */
static bool create_scratch(struct gpu *gpu, uint64_t size, struct gpu_buffer *buffer) {
    return size == 0 || gpu_create_buffer(gpu, size, false, buffer);
}

static VkdmlResult bind_scratch(VkdmlBindingTable table, const struct gpu_buffer *buffer,
                                VkdmlResult (*bind)(VkdmlBindingTable, const VkdmlBufferBinding *)) {
    const VkdmlBufferBinding binding = {buffer->buffer, 0, buffer->size};
    return buffer->buffer ? bind(table, &binding) : VKDML_SUCCESS;
}

/* Records the operator initializer: owned inputs to the persistent resource. */
static bool initialize(struct executor *executor, struct dispatchable *dispatchable, struct compiled *compiled) {
    struct gpu *gpu = gpu_of(executor);
    VkdmlDispatchable initializer = NULL;
    VkdmlBindingTable table = NULL;
    VkdmlBindingProperties properties = {0};
    struct gpu_buffer temporary = {0};
    bool good = false;
    VkdmlBufferBinding persistent = {compiled->persistent.buffer, 0, compiled->persistent.size};
    for (uint32_t i = 0; i < dispatchable->input_count; i++) {
        compiled->bindings[i] = buffer_binding(&dispatchable->owned[i]);
    }
    if (vkdmlCreateOperatorInitializer(gpu->device, 1, &compiled->dispatchable, &initializer) != VKDML_SUCCESS ||
        vkdmlGetBindingProperties(initializer, &properties) != VKDML_SUCCESS) {
        goto refused;
    }
    if (!create_scratch(gpu, properties.temporaryResourceSize, &temporary)) {
        goto done;
    }
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = initializer};
    if (vkdmlCreateBindingTable(gpu->device, &info, &table) != VKDML_SUCCESS ||
        vkdmlBindInputs(table, dispatchable->input_count, compiled->bindings) != VKDML_SUCCESS ||
        vkdmlBindOutputs(table, 1, &persistent) != VKDML_SUCCESS ||
        bind_scratch(table, &temporary, vkdmlBindTemporaryResource) != VKDML_SUCCESS) {
        goto refused;
    }
    if (!gpu_begin(gpu)) {
        goto done;
    }
    if (vkdmlRecordDispatch(gpu->device, gpu->commands, initializer, table) != VKDML_SUCCESS) {
        goto refused;
    }
    good = gpu_submit(gpu);
    goto done;
refused:
    model_report_refusal(executor->model, dispatchable, dispatchable->json);
done:
    vkdmlDestroyBindingTable(table);
    gpu_destroy_buffer(gpu, &temporary);
    vkdmlDestroyDispatchable(initializer);
    return good;
}

/* Compiles an operator, or a graph; *milliseconds: by the function that does it. */
static bool compile(struct executor *executor, struct dispatchable *dispatchable, VkdmlDispatchable *compiled,
                    double *milliseconds) {
    VkdmlDevice device = gpu_of(executor)->device;
    const struct run_options *options = executor->options;
    const VkdmlCompileInfo info = {
        .structSize = sizeof info,
        .executionFlags = dispatchable->flags,
        .flags = (options->zero_undefined ? VKDML_COMPILE_FLAG_ZERO_UNDEFINED : 0) |
                 (options->node_by_node || dispatchable->node_by_node ? VKDML_COMPILE_FLAG_NODE_BY_NODE : 0)};
    VkdmlOperator op = NULL;
    struct graph_build build = {.operators = NULL};
    VkdmlResult result;
    double start = 0;
    if (dispatchable->graph) {
        if (!graph_build_begin(&build, executor->model, dispatchable, device)) {
            graph_build_end(&build);
            return false;
        }
        start = timing_now();
        result = vkdmlCompileGraph(device, &build.desc, &info, compiled);
    } else {
        result = vkdmlCreateOperator(device, &dispatchable->desc, &op);
        start = timing_now();
        result = result == VKDML_SUCCESS ? vkdmlCompileOperator(op, &info, compiled) : result;
    }
    *milliseconds = timing_now() - start;
    if (result != VKDML_SUCCESS) {
        model_report_refusal(executor->model, dispatchable, NULL);
    }
    graph_build_end(&build);
    vkdmlDestroyOperator(op);
    return result == VKDML_SUCCESS;
}

static bool time_compiling(struct executor *executor, struct dispatchable *dispatchable, double *milliseconds) {
    VkdmlDispatchable compiled = NULL;
    const bool good = compile(executor, dispatchable, &compiled, milliseconds);
    vkdmlDestroyDispatchable(compiled);
    return good;
}

static bool prepare(struct executor *executor, struct dispatchable *dispatchable) {
    struct gpu *gpu = gpu_of(executor);
    double milliseconds;
    struct compiled *compiled = calloc(1, sizeof(*compiled));
    VkdmlBindingProperties properties = {0};
    dispatchable->state = compiled;
    if (compiled) {
        compiled->bindings =
            calloc((size_t)dispatchable->input_count + dispatchable->output_count, sizeof(*compiled->bindings));
    }
    if (!compiled || !compiled->bindings) {
        return document_error(&executor->model->document, dispatchable->json, "out of memory");
    }
    if (!compile(executor, dispatchable, &compiled->dispatchable, &milliseconds)) {
        return false;
    }
    if (vkdmlGetBindingProperties(compiled->dispatchable, &properties) != VKDML_SUCCESS) {
        return model_report_refusal(executor->model, dispatchable, NULL);
    }
    if (!create_scratch(gpu, properties.temporaryResourceSize, &compiled->temporary) ||
        !create_scratch(gpu, properties.persistentResourceSize, &compiled->persistent)) {
        return false;
    }
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = compiled->dispatchable};
    if (vkdmlCreateBindingTable(gpu->device, &info, &compiled->table) != VKDML_SUCCESS) {
        return model_report_refusal(executor->model, dispatchable, NULL);
    }
    return properties.persistentResourceSize == 0 || initialize(executor, dispatchable, compiled);
}

static void release_dispatchable(struct executor *executor, struct dispatchable *dispatchable) {
    struct compiled *compiled = dispatchable->state;
    if (compiled) {
        vkdmlDestroyBindingTable(compiled->table);
        vkdmlDestroyDispatchable(compiled->dispatchable);
        gpu_destroy_buffer(gpu_of(executor), &compiled->temporary);
        gpu_destroy_buffer(gpu_of(executor), &compiled->persistent);
        free(compiled->bindings);
        free(compiled);
        dispatchable->state = NULL;
    }
}

static VkdmlResult bind(const struct command *command, struct compiled *compiled) {
    const struct dispatchable *dispatchable = command->dispatchable;
    VkdmlBufferBinding *outputs = compiled->bindings + dispatchable->input_count;
    for (uint32_t i = 0; i < dispatchable->input_count; i++) {
        compiled->bindings[i] = buffer_binding(&command->inputs[i]);
    }
    for (uint32_t i = 0; i < dispatchable->output_count; i++) {
        outputs[i] = buffer_binding(&command->outputs[i]);
    }
    VkdmlResult result = vkdmlBindInputs(compiled->table, dispatchable->input_count, compiled->bindings);
    result = result == VKDML_SUCCESS ? vkdmlBindOutputs(compiled->table, dispatchable->output_count, outputs) : result;
    result = result == VKDML_SUCCESS ? bind_scratch(compiled->table, &compiled->temporary, vkdmlBindTemporaryResource)
                                     : result;
    return result == VKDML_SUCCESS ? bind_scratch(compiled->table, &compiled->persistent, vkdmlBindPersistentResource)
                                   : result;
}

static bool dispatch(struct executor *executor, const struct command *command, struct timing_sample *sample) {
    struct gpu *gpu = gpu_of(executor);
    struct compiled *compiled = command->dispatchable->state;
    uint32_t repeats = executor->options->repeats;
    double start = timing_now();
    if (bind(command, compiled) != VKDML_SUCCESS) {
        return model_report_refusal(executor->model, command->dispatchable, command->json);
    }
    double bound = timing_now();
    if (!gpu_begin(gpu)) {
        return false;
    }
    gpu_timestamp(gpu, 0);
    for (uint32_t i = 0; i < repeats; i++) {
        if (i > 0 && executor->options->barriers) {
            gpu_barrier(gpu);
        }
        if (vkdmlRecordDispatch(gpu->device, gpu->commands, compiled->dispatchable, compiled->table) != VKDML_SUCCESS) {
            return model_report_refusal(executor->model, command->dispatchable, command->json);
        }
    }
    gpu_timestamp(gpu, 1);
    if (!gpu_submit(gpu)) {
        return false;
    }
    *sample = (struct timing_sample){(timing_now() - bound) / repeats, gpu_elapsed(gpu) / repeats, bound - start};
    return true;
}

static bool download(struct executor *executor, const struct resource *resource, uint64_t offset, uint64_t size,
                     void *bytes) {
    return gpu_download(gpu_of(executor), resource->buffer, offset, size, bytes);
}

static void close_executor(struct executor *executor) {
    gpu_close(gpu_of(executor));
    free(executor);
}

static const struct executor_operations operations = {
    create_buffer, prepare, time_compiling, dispatch, download, release_dispatchable, release_buffer, close_executor,
};

/* Errors come back through result codes as well, and are told there. */
static void log_message(void *user_data, VkdmlLogLevel level, const char *message) {
    struct executor *executor = user_data;
    if (level == VKDML_LOG_LEVEL_WARNING) {
        message_print("vkdml: warning: %s", message);
        executor->complained = executor->options->validation;
    }
}

struct executor *vulkan_open(struct model *model, const struct run_options *options) {
    struct vulkan_executor *executor = calloc(1, sizeof(*executor));
    if (!executor) {
        message_print("vkdml: out of memory");
        return NULL;
    }
    executor->base = (struct executor){.operations = &operations, .model = model, .options = options, .name = NULL};
    const VkdmlDeviceOpenInfo info = {.structSize = sizeof info,
                                      .headerVersion = VKDML_HEADER_VERSION,
                                      .name = options->device,
                                      .featureLevel = options->level,
                                      .flags = VKDML_DEVICE_FLAG_ALLOW_TRANSFER |
                                               (options->validation ? VKDML_DEVICE_FLAG_VALIDATION : 0),
                                      .logCallback = log_message,
                                      .logUserData = executor};
    if (options->no_driver_caches) {
        gpu_leave_driver_caches();
    }
    if (!gpu_open(&executor->gpu, &info)) {
        close_executor(&executor->base);
        return NULL;
    }
    executor->base.name = executor->gpu.properties.deviceName;
    return &executor->base;
}
