#include "bench/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_tree.h"
#include "base/progress.h"
#include "bench/report.h"
#include "bench/small.h"
#include "model/load.h"
#include "run/executor.h"

/* For both ways of a dispatch together, where the command line says nothing. */
#define USUAL_SECONDS 1.0

/* A GPU lets its clocks fall while nothing is to do. */
#define WARM_UP_MILLISECONDS 300.0

/* A sample is so long that a timestamp's own cost is lost in it, and so are submission and wait on the host's clock. */
#define SAMPLE_MILLISECONDS 1.0
#define MAX_REPEATS         100u

/* Odd, so that there is a middle one. */
#define COMPILES 21

enum { FUSED, NODE_BY_NODE, WAYS };

/* A way to execute a dispatch. */
struct way {
    struct dispatchable dispatchable; /* the model's, with a state of its own */
    struct command command;
    struct bench_figures figures;
    double *samples; /* milliseconds of one execution */
};

/* A dispatch of the model. */
struct timed {
    struct executor *executor;
    struct run_options *run;
    struct way ways[WAYS];
    size_t way_count; /* 1: of an operator, which has no nodes */
    size_t count;     /* samples of each way */
    double *ratios;   /* of neighbouring samples */
    double ratio;     /* how many times as fast a graph is as its nodes one by one: the median */
    double compiling; /* milliseconds that compiling it again takes, with its pipelines made */
    bool on_device;   /* by its clock */
};

static bool execute(struct timed *timed, struct way *way, double *milliseconds) {
    struct timing_sample sample;
    if (!timed->executor->operations->dispatch(timed->executor, &way->command, &sample)) {
        return false;
    }
    timed->on_device = !isnan(sample.gpu);
    *milliseconds = timed->on_device ? sample.gpu : sample.cpu;
    return true;
}

/* Executes all ways in turn until time is up, and once at least, without a sample. */
static bool warm_up(struct timed *timed, double milliseconds) {
    const double until = timing_now() + milliseconds;
    double one = 0;
    do {
        for (size_t w = 0; w < timed->way_count; w++) {
            if (!execute(timed, &timed->ways[w], &one)) {
                return false;
            }
        }
    } while (timing_now() < until);
    const double repeats = SAMPLE_MILLISECONDS / fmax(one, 1e-5);
    timed->run->repeats = repeats < 1 ? 1 : (uint32_t)fmin(repeats, MAX_REPEATS);
    return true;
}

/* Makes room for one more than there are. */
static bool grow(double **values, size_t count) {
    double *grown = realloc(*values, (count + 1) * sizeof(*grown));
    if (!grown) {
        fprintf(stderr, "vkdml: out of memory\n");
        return false;
    }
    *values = grown;
    return true;
}

static bool add_samples(struct timed *timed) {
    const size_t at = timed->count;
    for (size_t w = 0; w < timed->way_count; w++) {
        struct way *way = &timed->ways[w];
        if (!grow(&way->samples, at) || !execute(timed, way, &way->samples[at])) {
            return false;
        }
    }
    if (timed->way_count == WAYS) {
        if (!grow(&timed->ratios, at)) {
            return false;
        }
        timed->ratios[at] = timed->ways[NODE_BY_NODE].samples[at] / timed->ways[FUSED].samples[at];
    }
    timed->count++;
    return true;
}

/* Samples of both ways alternate, so that what else the machine does meets both. */
static bool measure(struct timed *timed, const struct bench_effort *effort) {
    const double seconds = effort->seconds < 0 ? USUAL_SECONDS : effort->seconds;
    bool good = warm_up(timed, 0) && warm_up(timed, fmin(WARM_UP_MILLISECONDS, seconds * 1e3));
    const double until = timing_now() + seconds * 1e3;
    while (good && (timed->count < effort->repeat || timing_now() < until)) {
        progress_show("%s: %zu samples", timed->ways[FUSED].dispatchable.name, timed->count);
        good = add_samples(timed);
    }
    progress_clear();
    for (size_t w = 0; good && w < timed->way_count; w++) {
        bench_summarize(timed->ways[w].samples, timed->count, &timed->ways[w].figures);
    }
    if (good && timed->ratios) {
        struct bench_figures ratios;
        bench_summarize(timed->ratios, timed->count, &ratios);
        timed->ratio = ratios.median;
    }
    return good;
}

static bool measure_compiling(struct timed *timed) {
    double times[COMPILES] = {0};
    bool good = true;
    for (size_t i = 0; good && i < COMPILES; i++) {
        good =
            timed->executor->operations->time_compiling(timed->executor, &timed->ways[FUSED].dispatchable, &times[i]);
    }
    timed->compiling = bench_median(times, COMPILES);
    return good;
}

static bool begin(struct timed *timed, const struct command *command) {
    bool good = true;
    timed->way_count = command->dispatchable->graph ? WAYS : 1;
    timed->run->repeats = 1;
    for (size_t w = 0; good && w < timed->way_count; w++) {
        struct way *way = &timed->ways[w];
        way->dispatchable = *command->dispatchable;
        way->dispatchable.node_by_node = w == NODE_BY_NODE;
        way->command = *command;
        way->command.dispatchable = &way->dispatchable;
        good = timed->executor->operations->prepare(timed->executor, &way->dispatchable);
    }
    return good;
}

static void end(struct timed *timed) {
    for (size_t w = 0; w < timed->way_count; w++) {
        timed->executor->operations->release_dispatchable(timed->executor, &timed->ways[w].dispatchable);
        free(timed->ways[w].samples);
    }
    free(timed->ratios);
}

static void print(const struct timed *timed) {
    for (size_t w = 0; w < timed->way_count; w++) {
        const struct bench_figures *figures = &timed->ways[w].figures;
        printf("%-24s %-12s %10.4f %10.4f %10.4f %8zu", w == FUSED ? timed->ways[w].dispatchable.name : "",
               timed->way_count == 1 ? "operator"
               : w == FUSED          ? "graph"
                                     : "node by node",
               figures->median, figures->low, figures->high, timed->count);
        if (w == NODE_BY_NODE) {
            printf("  %.3f", timed->ratio);
        }
        putchar('\n');
    }
    printf("# %s: compiled in %.4f with its pipelines made\n", timed->ways[FUSED].dispatchable.name, timed->compiling);
    fflush(stdout);
}

static bool add_row(struct json_object *rows, const struct timed *timed) {
    static const char *const members[WAYS][3] = {{"ms", "ms_p10", "ms_p90"},
                                                 {"node_by_node_ms", "node_by_node_ms_p10", "node_by_node_ms_p90"}};
    const struct graph *graph = timed->ways[FUSED].dispatchable.graph;
    struct json_object *row = json_tree_object(rows, NULL);
    bool good = json_tree_text(row, "name", timed->ways[FUSED].dispatchable.name) &&
                json_tree_count(row, "nodes", graph ? graph->operator_count : 1);
    for (size_t w = 0; w < timed->way_count && good; w++) {
        const struct bench_figures *figures = &timed->ways[w].figures;
        good = json_tree_number(row, members[w][0], figures->median) &&
               json_tree_number(row, members[w][1], figures->low) &&
               json_tree_number(row, members[w][2], figures->high);
    }
    good = good && (timed->way_count == 1 || json_tree_number(row, "ratio", timed->ratio)) &&
           json_tree_number(row, "compile_ms", timed->compiling) && json_tree_count(row, "samples", timed->count) &&
           json_tree_count(row, "repetitions", timed->run->repeats);
    if (!good) {
        fprintf(stderr, "vkdml: out of memory\n");
    }
    return good;
}

static void print_head(const struct executor *executor, bool on_device) {
    printf("# on '%s', milliseconds by the %s's clock, samples in turn\n", executor->name,
           on_device ? "device" : "CPU");
    printf("# %-22s %-12s %10s %10s %10s %8s  %s\n", "dispatch", "", "median", "p10", "p90", "samples", "ratio");
}

/* Times the dispatches one after the other, each by itself. */
static bool time_dispatches(struct executor *executor, struct run_options *run, const struct bench_options *options,
                            struct json_object *rows, bool *on_device) {
    const struct model *model = executor->model;
    size_t count = 0;
    bool good = true;
    for (size_t i = 0; i < model->command_count && good; i++) {
        struct timed timed = {.executor = executor, .run = run};
        if (model->commands[i].type != COMMAND_DISPATCH) {
            continue;
        }
        good = begin(&timed, &model->commands[i]) && measure(&timed, &options->effort) && measure_compiling(&timed);
        if (good && count++ == 0) {
            *on_device = timed.on_device;
            print_head(executor, timed.on_device);
        }
        if (good) {
            print(&timed);
            good = add_row(rows, &timed);
        }
        end(&timed);
    }
    return good && (count > 0 || document_error(&model->document, NULL, "the model dispatches nothing"));
}

static bool create_buffers(struct executor *executor) {
    const struct model *model = executor->model;
    bool good = true;
    for (size_t i = 0; i < model->resource_count && good; i++) {
        /* A deferred resource that nothing was bound to has no size. */
        good = !model->resources[i].contents || executor->operations->create_buffer(executor, &model->resources[i]);
    }
    return good;
}

static bool run_loaded(struct model *model, const struct bench_options *options, struct json_object *rows) {
    struct run_options run = {
        .device = options->device, .iterations = 1, .repeats = 1, .barriers = true, .gpu_times = UINT32_MAX};
    struct executor *executor = vulkan_open(model, &run);
    bool on_device = false;
    if (!executor) {
        return false;
    }
    bool good = create_buffers(executor) && time_dispatches(executor, &run, options, rows, &on_device);
    if (good && options->json) {
        struct json_object *json = bench_models_to_json(executor->name, on_device, rows);
        good = json && bench_write_json(options->json, json);
        json_object_put(json);
    }
    for (size_t i = 0; i < model->resource_count; i++) {
        executor->operations->release_buffer(executor, &model->resources[i]);
    }
    executor->operations->close(executor);
    return good;
}

bool bench_model(const struct bench_options *options) {
    struct json_object *rows = json_object_new_array();
    struct model model;
    bool good = model_load(&model, options->model, NULL, NULL);
    good = model_validate(&model, (DML_FEATURE_LEVEL)0) && good;
    good = good && rows && run_loaded(&model, options, rows);
    model_free(&model);
    json_object_put(rows);
    return good;
}
