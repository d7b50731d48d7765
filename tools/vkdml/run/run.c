#include "run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/message.h"
#include "base/progress.h"
#include "device/devices.h"
#include "model/element.h"
#include "model/load.h"
#include "model/npy.h"
#include "run/dispatch.h"
#include "run/expect.h"
#include "run/nodes.h"
#include "run/reference_check.h"
#include "run/results.h"

/* The values of a resource, as its buffer holds them now; malloc'ed. */
static unsigned char *download_values(struct executor *executor, const struct command *command) {
    const struct resource *resource = command->resource;
    unsigned char *bytes = NULL;
    if (!resource->contents && !resource->buffer) {
        document_error(&executor->model->document, command->json,
                       "resource '%s' is deferred and was never bound to a tensor", resource->name);
        return NULL;
    }
    bytes = malloc(resource->values_size ? resource->values_size : 1);
    if (!bytes) {
        document_error(&executor->model->document, command->json, "out of memory");
        return NULL;
    }
    if (!executor->operations->download(executor, resource, resource->values_offset, resource->values_size, bytes)) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

static bool run_print(struct executor *executor, const struct command *command) {
    unsigned char *bytes = download_values(executor, command);
    if (bytes) {
        results_values(executor->results, executor->model, command, bytes);
    }
    free(bytes);
    return bytes != NULL;
}

/* Writes the header of a .npy file into `header`; *length is its length. */
static bool make_npy_header(const struct executor *executor, const struct command *command,
                            char header[NPY_HEADER_SIZE], size_t *length) {
    const struct document *document = &executor->model->document;
    const struct resource *resource = command->resource;
    /* Of the command, else of the file that the resource came from, else flat. */
    const uint64_t *dimensions = command->dimensions    ? command->dimensions
                                 : resource->dimensions ? resource->dimensions
                                                        : &resource->count;
    uint32_t dimension_count = command->dimensions    ? command->dimension_count
                               : resource->dimensions ? resource->dimension_count
                                                      : 1;
    uint64_t product = 1;
    for (uint32_t i = 0; i < dimension_count; i++) {
        bool fits = dimensions[i] == 0 || product <= UINT64_MAX / dimensions[i];
        product = fits ? product * dimensions[i] : UINT64_MAX;
    }
    if (product != resource->count) {
        return document_error(document, command->json,
                              "writeFile: dimensions have %" PRIu64 " elements, resource '%s' has %" PRIu64, product,
                              resource->name, resource->count);
    }
    *length = npy_header(resource->type, dimension_count, dimensions, header);
    if (*length == 0 && resource->types) {
        return document_error(document, command->json,
                              "writeFile: resource '%s' is of several types, a .npy file has one", resource->name);
    }
    return *length != 0 || document_error(document, command->json,
                                          "writeFile: resource '%s' is of type %s, which .npy files do not have",
                                          resource->name, element_type_name(resource->type));
}

static bool run_write_file(struct executor *executor, const struct command *command) {
    const struct document *document = &executor->model->document;
    char header[NPY_HEADER_SIZE];
    size_t header_length = 0;
    if (!file_has_extension(command->path, "npy") && !file_has_extension(command->path, "dat") &&
        !file_has_extension(command->path, "bin")) {
        return document_error(document, command->json, "writeFile: '%s': must end in .npy, .dat or .bin",
                              command->path);
    }
    unsigned char *bytes = download_values(executor, command);
    bool good = bytes != NULL;
    if (good && file_has_extension(command->path, "npy")) {
        good = make_npy_header(executor, command, header, &header_length);
    }
    if (good) {
        const char *why = file_write(command->path, header, header_length, bytes, command->resource->values_size);
        good = !why || document_error(document, command->json, "writeFile: '%s': %s", command->path, why);
    }
    if (good) {
        results_file(executor->results, command);
    }
    free(bytes);
    return good;
}

static bool run_dispatch(struct executor *executor, const struct command *command) {
    const struct run_options *options = executor->options;
    struct timing timing = {0};
    const bool per_node = options->per_node && command->dispatchable->graph;
    const uint32_t iterations = per_node ? nodes_iterations(options) : options->iterations;
    bool good = dispatch_run(executor, command, executor->check, iterations, &timing);
    if (good) {
        results_dispatch(executor->results, command, &timing, options->warmup, options->verbosity);
    }
    if (good && per_node) {
        good = nodes_run(executor, command, &timing);
    }
    timing_free(&timing);
    return good;
}

/* By command_type. */
static bool (*const runners[])(struct executor *executor, const struct command *command) = {
    [COMMAND_DISPATCH] = run_dispatch,
    [COMMAND_EXPECT] = expect_run,
    [COMMAND_PRINT] = run_print,
    [COMMAND_WRITE_FILE] = run_write_file,
};

static bool prepare_model(struct executor *executor) {
    struct model *model = executor->model;
    for (size_t i = 0; i < model->resource_count; i++) {
        /* A deferred resource that nothing was bound to has no size. */
        if (model->resources[i].contents && !executor->operations->create_buffer(executor, &model->resources[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < model->dispatchable_count; i++) {
        double start = timing_now();
        progress_show("compiling %s, %zu of %zu", model->dispatchables[i].name, i + 1, model->dispatchable_count);
        if (!executor->operations->prepare(executor, &model->dispatchables[i])) {
            return false;
        }
        results_prepared(executor->results, &model->dispatchables[i], timing_now() - start,
                         executor->options->verbosity);
    }
    progress_clear();
    return true;
}

static bool run_commands(struct executor *executor) {
    const struct model *model = executor->model;
    for (size_t i = 0; i < model->command_count; i++) {
        const struct command *command = &model->commands[i];
        results_command(executor->results, i, command, executor->options->print_commands);
        if (!runners[command->type](executor, command)) {
            return false;
        }
    }
    return true;
}

static void release(struct executor *executor) {
    struct model *model = executor->model;
    reference_check_close(executor->check);
    for (size_t i = 0; i < model->dispatchable_count; i++) {
        executor->operations->release_dispatchable(executor, &model->dispatchables[i]);
    }
    for (size_t i = 0; i < model->resource_count; i++) {
        executor->operations->release_buffer(executor, &model->resources[i]);
    }
    executor->operations->close(executor);
}

/* Runs what was loaded and is valid. */
static bool execute(struct model *model, const struct run_options *options, struct results *results) {
    const bool reference = devices_is_reference(options->device);
    struct executor *executor = reference ? reference_open(model, options) : vulkan_open(model, options);
    if (!executor) {
        return false;
    }
    executor->results = results;
    results_device(results, executor->name);
    bool good = prepare_model(executor);
    if (good && options->compare_reference) {
        executor->check = reference_check_open(executor);
        good = executor->check != NULL;
    }
    good = good && run_commands(executor) && !executor->differs;
    if (executor->complained) {
        message_print("vkdml: the validation layer or the library complained");
        good = false;
    }
    release(executor);
    return good;
}

bool run_model(const char *path, const struct run_options *options) {
    struct model model;
    struct results results;
    results_begin(&results, path, options->json, options->arrays);
    bool good = model_load(&model, path, options->input_path, options->output_path);
    good = model_validate(&model, options->level) && good;
    good = good && execute(&model, options, &results);
    model_free(&model);
    return results_end(&results, good) && good;
}
