#include "onnx/bench_model.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json_tree.h"
#include "base/message.h"
#include "base/progress.h"
#include "base/timing.h"
#include "bench/report.h"
#include "onnx/stages.h"
#include "onnx/subject.h"
#include "onnx/values.h"
#include "text/visible_text.h"

/* Where the command line says nothing. */
#define USUAL_SECONDS 1.0

enum { FUSED, NODE_BY_NODE, WAYS };

/* A way to run the model. */
struct way {
    struct onnx_stages *stages;
    struct onnx_stages_run *run;
    struct values values;
    double ready, first; /* milliseconds of planning and compiling, and of the first run */
    double *samples;
    struct bench_figures figures;
};

struct timed {
    const struct subject *subject;
    struct way ways[WAYS];
    double *ratios; /* of neighbouring samples */
    double ratio;
    size_t count;
};

static bool execute(const struct subject *subject, struct way *way, double *milliseconds) {
    struct onnx_error error = {0};
    const double start = timing_now();
    if (!onnx_stages_execute(way->run, way->values.elements, NULL, &error)) {
        return subject_fail(subject, &error);
    }
    *milliseconds = timing_now() - start;
    return true;
}

static bool begin(struct timed *timed, struct onnx_device *device, bool node_by_node) {
    const struct subject *subject = timed->subject;
    struct way *way = &timed->ways[node_by_node ? NODE_BY_NODE : FUSED];
    const struct onnx_session_options options = {.allows_half = subject->request->half,
                                                 .has_float32_intermediates = subject->request->float32_intermediates,
                                                 .node_by_node = node_by_node};
    struct onnx_error error = {0};
    const double start = timing_now();
    progress_show("%s: compiling", subject->name);
    if (!onnx_stages_create(device, subject->model, subject->graph, &options, &way->stages, &error) ||
        !onnx_stages_begin(way->stages, subject->input_count, subject->inputs, NULL, &way->run, &error)) {
        return subject_fail(subject, &error);
    }
    way->ready = timing_now() - start;
    return values_begin(&way->values, subject->graph->output_count, onnx_stages_outputs(way->run)) &&
           execute(subject, way, &way->first);
}

/* Makes room for one more than there are. */
static bool grow(double **values, size_t count) {
    double *grown = realloc(*values, (count + 1) * sizeof(*grown));
    if (!grown) {
        message_print("vkdml: out of memory");
        return false;
    }
    *values = grown;
    return true;
}

/* Samples of both ways alternate, so that what else the machine does meets both. */
static bool add_samples(struct timed *timed) {
    const size_t at = timed->count;
    for (size_t w = 0; w < WAYS; w++) {
        struct way *way = &timed->ways[w];
        if (!grow(&way->samples, at) || !execute(timed->subject, way, &way->samples[at])) {
            return false;
        }
    }
    if (!grow(&timed->ratios, at)) {
        return false;
    }
    timed->ratios[at] = timed->ways[NODE_BY_NODE].samples[at] / timed->ways[FUSED].samples[at];
    timed->count++;
    return true;
}

static bool measure(struct timed *timed, const struct bench_effort *effort) {
    const double until = timing_now() + 1e3 * (effort->seconds < 0 ? USUAL_SECONDS : effort->seconds);
    bool good = true;
    while (good && (timed->count < effort->repeat || timed->count == 0 || timing_now() < until)) {
        progress_show("%s: %zu samples", timed->subject->name, timed->count);
        good = add_samples(timed);
    }
    progress_clear();
    for (size_t w = 0; good && w < WAYS; w++) {
        bench_summarize(timed->ways[w].samples, timed->count, &timed->ways[w].figures);
    }
    if (good) {
        struct bench_figures ratios;
        bench_summarize(timed->ratios, timed->count, &ratios);
        timed->ratio = ratios.median;
    }
    return good;
}

static void print(const struct timed *timed, const char *device) {
    const struct way *fused = &timed->ways[FUSED];
    printf("# on '%s', milliseconds by the CPU's clock, inputs and outputs copied, samples in turn\n", device);
    printf("# %-22s %-12s %10s %10s %10s %8s  %s\n", "model", "", "median", "p10", "p90", "samples", "ratio");
    for (size_t w = 0; w < WAYS; w++) {
        const struct bench_figures *figures = &timed->ways[w].figures;
        printf("%-24s %-12s %10.4f %10.4f %10.4f %8zu", w == FUSED ? visible_text(timed->subject->name).text : "",
               w == FUSED ? "graph" : "node by node", figures->median, figures->low, figures->high, timed->count);
        if (w == NODE_BY_NODE) {
            printf("  %.3f", timed->ratio);
        }
        putchar('\n');
    }
    printf("# %s: planned and compiled in %.4f, first run %.4f\n", visible_text(timed->subject->name).text,
           fused->ready, fused->first);
    fflush(stdout);
}

static bool add_row(struct json_object *rows, const struct timed *timed, uint32_t node_count) {
    const struct bench_figures *fused = &timed->ways[FUSED].figures;
    const struct bench_figures *single = &timed->ways[NODE_BY_NODE].figures;
    struct json_object *row = json_tree_object(rows, NULL);
    return json_tree_text(row, "name", timed->subject->name) && json_tree_count(row, "nodes", node_count) &&
           json_tree_number(row, "ms", fused->median) && json_tree_number(row, "ms_p10", fused->low) &&
           json_tree_number(row, "ms_p90", fused->high) && json_tree_number(row, "node_by_node_ms", single->median) &&
           json_tree_number(row, "node_by_node_ms_p10", single->low) &&
           json_tree_number(row, "node_by_node_ms_p90", single->high) && json_tree_number(row, "ratio", timed->ratio) &&
           json_tree_number(row, "compile_ms", timed->ways[FUSED].ready) &&
           json_tree_number(row, "first_ms", timed->ways[FUSED].first) &&
           json_tree_count(row, "samples", timed->count) && json_tree_count(row, "repetitions", 1);
}

static bool report(const struct timed *timed, const char *device, const char *path) {
    struct onnx_run_facts facts;
    struct json_object *rows = json_object_new_array(), *json = NULL;
    onnx_stages_facts(timed->ways[FUSED].run, &facts);
    bool good = rows && add_row(rows, timed, facts.node_count);
    json = good ? bench_models_to_json(device, false, rows) : NULL;
    if (!json) {
        message_print("vkdml: out of memory");
    }
    good = json && bench_write_json(path, json);
    json_object_put(json);
    json_object_put(rows);
    return good;
}

static bool bench_subject(const struct subject *subject, const struct bench_options *options) {
    struct timed timed = {.subject = subject};
    struct onnx_error error = {0};
    struct onnx_device *device;
    const struct onnx_device_options device_options = {.name = options->device};
    if (!onnx_device_open(&device_options, &device, &error)) {
        message_print("vkdml: %s", error.text);
        return false;
    }
    bool good = begin(&timed, device, false) && begin(&timed, device, true) && measure(&timed, &options->effort);
    if (good) {
        print(&timed, onnx_device_name(device));
        good = !options->json || report(&timed, onnx_device_name(device), options->json);
    }
    progress_clear();
    for (size_t w = 0; w < WAYS; w++) {
        onnx_stages_end(timed.ways[w].run);
        onnx_stages_free(timed.ways[w].stages);
        values_free(&timed.ways[w].values);
        free(timed.ways[w].samples);
    }
    free(timed.ratios);
    onnx_device_close(device);
    return good;
}

bool bench_onnx_model(const struct bench_options *options) {
    struct subject subject;
    const bool good = subject_open(&subject, options->model, &options->onnx) && bench_subject(&subject, options);
    subject_close(&subject);
    return good;
}
