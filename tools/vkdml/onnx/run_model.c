#include "onnx/run_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/progress.h"
#include "device/devices.h"
#include "onnx/layers.h"
#include "onnx/stages.h"
#include "onnx/values.h"
#include "run/results.h"
#include "text/visible_text.h"

/* What results are told of: the model as if it were a dispatchable of JSON. */
struct stand_in {
    VkdmlOperatorSchema schema;
    struct dispatchable dispatchable;
    struct command command;
};

static void stand_in(struct stand_in *it, const struct subject *subject) {
    *it = (struct stand_in){.schema = {.name = "ONNX"}};
    it->dispatchable = (struct dispatchable){.name = subject->name, .schema = &it->schema};
    it->command = (struct command){.type = COMMAND_DISPATCH, .dispatchable = &it->dispatchable};
}

/* As often and as long as the options say. */
static bool execute(const struct subject *subject, struct onnx_stages_run *run, const struct run_options *options,
                    struct values *values, struct timing *timing) {
    struct onnx_error error = {0};
    const double begun = timing_now();
    for (uint32_t i = 0; i < options->iterations || timing_now() - begun < options->milliseconds; i++) {
        const double start = timing_now();
        if (!onnx_stages_execute(run, values->elements, NULL, &error)) {
            return subject_fail(subject, &error);
        }
        const struct timing_sample sample = {timing_now() - start, (double)NAN, (double)NAN};
        if (!timing_add(timing, &sample)) {
            message_print("vkdml: out of memory");
            return false;
        }
        timing_sleep(i + 1 < options->iterations ? start + options->interval - timing_now() : 0);
    }
    return true;
}

static void print_values(struct results *results, const struct subject *subject, const struct values *values,
                         uint32_t index) {
    const struct onnx_plan_output *output = &values->outputs[index];
    uint64_t sizes[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < output->rank; d++) {
        sizes[d] = output->sizes[d];
    }
    struct resource resource = {.name = subject_output(subject, index),
                                .type = subject_type(output->type),
                                .count = values_elements(values, index),
                                .values_size = output->bytes,
                                .dimension_count = output->rank,
                                .dimensions = sizes};
    struct command command = {.type = COMMAND_PRINT, .resource = &resource};
    const struct model none = {.commands = &command};
    results_command(results, 0, &command, false);
    results_values(results, &none, &command, values->elements[index]);
}

static bool write_values(struct results *results, const struct subject *subject, const struct values *values,
                         uint32_t index, const char *path) {
    struct resource resource = {.name = subject_output(subject, index)};
    const struct command command = {.type = COMMAND_WRITE_FILE, .resource = &resource, .path = path};
    results_command(results, 0, &command, false);
    if (!values_write(values, index, path)) {
        return false;
    }
    results_file(results, &command);
    return true;
}

static bool tell_outputs(struct results *results, const struct subject *subject, const struct values *values) {
    bool good = true;
    for (uint32_t i = 0; i < values->count; i++) {
        const char *path = onnx_pairs_find(&subject->request->outputs, subject_output(subject, i));
        const enum onnx_type type = values->outputs[i].type;
        if (subject_type(type) == DML_TENSOR_DATA_TYPE_UNKNOWN) {
            message_print("%s: output '%s' is of type %s, which is not told", subject->path,
                          visible_text(subject_output(subject, i)).text, onnx_type_name(type));
            good = false;
        } else if (path) {
            good = write_values(results, subject, values, i, path) && good;
        } else {
            print_values(results, subject, values, i);
        }
    }
    return good;
}

static void show_load(void *data, uint64_t done, uint64_t total) {
    const struct subject *const *subject = data;
    progress_show("%s: %.0f of %.0f MiB of weights loaded", (*subject)->name, (double)done / (1 << 20),
                  (double)total / (1 << 20));
}

/* Compiles, runs, and tells what came of it. */
static bool run_stages(const struct subject *subject, struct onnx_device *device, struct onnx_stages *stages,
                        const struct run_options *options, struct results *results) {
    struct onnx_error error = {0};
    struct onnx_stages_run *run;
    struct values values = {0};
    struct timing timing = {0};
    struct stand_in it;
    stand_in(&it, subject);
    const double start = timing_now();
    const bool begun = onnx_stages_begin(stages, subject->input_count, subject->inputs, NULL, &run, &error);
    progress_clear();
    if (!begun) {
        return subject_fail(subject, &error);
    }
    results_prepared(results, &it.dispatchable, timing_now() - start, options->verbosity);
    results_command(results, 0, &it.command, false);
    bool good = values_begin(&values, subject->graph->output_count, onnx_stages_outputs(run)) &&
                execute(subject, run, options, &values, &timing);
    onnx_stages_end(run);
    if (good) {
        results_dispatch(results, &it.command, &timing, options->warmup, options->verbosity);
        good = !options->compare_reference || layers_compare(subject, device, options, results, &values);
        good = (!options->check_finite || layers_check_finite(subject, device, options)) && good;
        good = tell_outputs(results, subject, &values) && good;
    }
    timing_free(&timing);
    values_free(&values);
    return good;
}

static bool run_subject(const struct subject *subject, const struct run_options *options, struct results *results) {
    struct onnx_error error = {0};
    struct onnx_device *device;
    struct onnx_stages *stages = NULL;
    const bool reference = devices_is_reference(options->device);
    /* The reference's graphs are made of a device's operators, too: any one's. */
    const struct onnx_device_options device_options = {.name = reference ? NULL : options->device};
    if (!onnx_device_open(&device_options, &device, &error)) {
        message_print("vkdml: %s", error.text);
        return false;
    }
    const struct onnx_session_options session_options = {
        .allows_half = subject->request->half,
        .has_float32_intermediates = subject->request->float32_intermediates,
        .node_by_node = options->node_by_node, .by_reference = reference,
        .load_callback = show_load, .load_callback_data = &subject};
    results_device(results, reference ? "reference" : onnx_device_name(device));
    bool good = onnx_stages_create(device, subject->model, subject->graph, &session_options, &stages, &error)
                    ? run_stages(subject, device, stages, options, results)
                    : subject_fail(subject, &error);
    onnx_stages_free(stages);
    onnx_device_close(device);
    return good;
}

bool run_onnx_model(const char *path, const struct run_options *options, const struct onnx_request *request) {
    struct subject subject;
    struct results results;
    results_begin(&results, path, options->json, options->arrays);
    const bool good = subject_open(&subject, path, request) && run_subject(&subject, options, &results);
    const bool printed = results_end(&results, good);
    subject_close(&subject);
    return good && printed;
}
