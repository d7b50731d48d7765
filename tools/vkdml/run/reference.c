/* Runs models on the library's CPU reference. A resource's buffer is its contents. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vkdml/reference.h>

#include "base/message.h"
#include "base/watch.h"
#include "run/executor.h"
#include "run/graph_reference.h"

/* What a dispatchable owns: copies made when it was prepared, as a GPU's persistent resource is. */
struct owned_inputs {
    uint32_t count;
    void *copies[];
};

static bool create_buffer(struct executor *executor, struct resource *resource) {
    (void)executor;
    resource->buffer = resource->contents;
    return true;
}

static void release_dispatchable(struct executor *executor, struct dispatchable *dispatchable) {
    (void)executor;
    struct owned_inputs *owned = dispatchable->state;
    for (uint32_t i = 0; owned && i < owned->count; i++) {
        free(owned->copies[i]);
    }
    free(owned);
    dispatchable->state = NULL;
}

static bool prepare(struct executor *executor, struct dispatchable *dispatchable) {
    const struct document *document = &executor->model->document;
    uint32_t count = dispatchable->input_count;
    struct owned_inputs *owned = calloc(1, sizeof(*owned) + count * sizeof(owned->copies[0]));
    if (!owned) {
        return document_error(document, dispatchable->json, "out of memory");
    }
    owned->count = count;
    dispatchable->state = owned;
    for (uint32_t i = 0; i < count; i++) {
        const struct binding *binding = &dispatchable->owned[i];
        if (!binding->resource) {
            continue;
        }
        owned->copies[i] = malloc(binding->size);
        if (!owned->copies[i]) {
            return document_error(document, binding->json, "out of memory for %llu bytes",
                                  (unsigned long long)binding->size);
        }
        memcpy(owned->copies[i], binding->resource->contents + binding->offset, binding->size);
    }
    return true;
}

static VkdmlHostBinding host_binding(const struct binding *binding) {
    VkdmlHostBinding host = {NULL, 0};
    if (binding->resource) {
        host = (VkdmlHostBinding){binding->resource->contents + binding->offset, binding->size};
    }
    return host;
}

bool reference_execute(const struct executor *executor, const struct command *command,
                       const VkdmlHostBinding *bindings) {
    const struct dispatchable *dispatchable = command->dispatchable;
    const VkdmlReferenceInfo info = {.structSize = sizeof info,
                                     .desc = &dispatchable->desc,
                                     .featureLevel = executor->options->level,
                                     .flags = executor->options->zero_undefined ? VKDML_COMPILE_FLAG_ZERO_UNDEFINED : 0,
                                     .inputCount = dispatchable->input_count,
                                     .inputs = bindings,
                                     .outputCount = dispatchable->output_count,
                                     .outputs = bindings + dispatchable->input_count};
    bool good = true;
    for (uint32_t i = 0; good && i < executor->options->repeats; i++) {
        if (dispatchable->graph) {
            good = graph_reference_execute(executor, command, bindings);
            continue;
        }
        watch_begin(dispatchable->name, executor->options->reference_seconds, "--reference-seconds");
        good = vkdmlReferenceExecute(&info) == VKDML_SUCCESS;
        watch_end();
        good = good || model_report_refusal(executor->model, dispatchable, command->json);
    }
    return good;
}

static bool dispatch(struct executor *executor, const struct command *command, struct timing_sample *sample) {
    const struct dispatchable *dispatchable = command->dispatchable;
    const struct owned_inputs *owned = dispatchable->state;
    const uint32_t input_count = dispatchable->input_count, output_count = dispatchable->output_count;
    VkdmlHostBinding *bindings = calloc((size_t)input_count + output_count, sizeof(*bindings));
    if (!bindings) {
        return document_error(&executor->model->document, command->json, "out of memory");
    }
    VkdmlHostBinding *outputs = bindings + input_count;
    for (uint32_t i = 0; i < input_count; i++) {
        const struct binding *binding = &dispatchable->owned[i];
        bindings[i] =
            binding->resource ? (VkdmlHostBinding){owned->copies[i], binding->size} : host_binding(&command->inputs[i]);
    }
    for (uint32_t i = 0; i < output_count; i++) {
        outputs[i] = host_binding(&command->outputs[i]);
    }
    double start = timing_now();
    const bool good = reference_execute(executor, command, bindings);
    *sample = (struct timing_sample){(timing_now() - start) / executor->options->repeats, (double)NAN, (double)NAN};
    free(bindings);
    return good;
}

static bool download(struct executor *executor, const struct resource *resource, uint64_t offset, uint64_t size,
                     void *bytes) {
    (void)executor;
    memcpy(bytes, resource->contents + offset, size);
    return true;
}

static void release_buffer(struct executor *executor, struct resource *resource) {
    (void)executor;
    resource->buffer = NULL;
}

static void close_executor(struct executor *executor) {
    free(executor);
}

static const struct executor_operations operations = {
    create_buffer, prepare, NULL, dispatch, download, release_dispatchable, release_buffer, close_executor,
};

struct executor *reference_open(struct model *model, const struct run_options *options) {
    struct executor *executor = calloc(1, sizeof(*executor));
    if (!executor) {
        message_print("vkdml: out of memory");
        return NULL;
    }
    *executor = (struct executor){.operations = &operations, .model = model, .options = options, .name = "reference"};
    return executor;
}
