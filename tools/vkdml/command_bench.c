#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/progress.h"
#include "base/timing.h"
#include "bench/model.h"
#include "bench/options.h"
#include "bench/report.h"
#include "bench/small.h"
#include "bench/sweep.h"
#include "commands.h"
#include "onnx/bench_model.h"

/* Of the time for a whole run each of the some ten peaks is measured for so much. */
#define PEAKS_SHARE 0.01

/* The size that is listed, where the command line says none. */
#define GPU_SIZE ((uint64_t)256 << 20)

static bool print_entry(const struct bench_entry *entry, void *context) {
    static struct operator_case c;
    char line[CASE_MAX_LINE];
    (void)context;
    bench_make_case(entry, entry->size, &c);
    printf("%s  %s\n", entry->name, case_print(&c, line, sizeof(line)) ? line : "?");
    return true;
}

/* The benchmarks of a run, and the time there is for them. */
struct timed_list {
    struct bench_session *session;
    struct bench_turns turns;
    double seconds;  /* for all that are to come; NAN: as long as they take */
    double overhead; /* of a benchmark beside its measuring, in seconds */
    double measured; /* by the benchmarks so far, in seconds, overhead and all */
    size_t missed;   /* that time was up for */
};

/* What a GPU needs at least: with less of it to wake by, one told 3.8 times what the same benchmark takes. */
#define LEAST_SECONDS 0.075

/* What is left of the time is shared out evenly, less what each takes beside; where that is too little to wake a GPU,
 * the last benchmarks are missed instead. */
static void share_out(struct timed_list *list, double left) {
    const double share = left / (double)(list->turns.count - list->turns.done);
    const double least = bench_device_is_cpu(&list->session->device) ? 0 : LEAST_SECONDS;
    list->session->effort.seconds = fmax(least, share - list->overhead);
}

/* Half of what the latest took, half of what was thought before it. */
static void learn(struct timed_list *list, double took) {
    const double overhead = fmax(0, took - list->session->effort.seconds);
    list->overhead = list->turns.done == 1 ? overhead : (list->overhead + overhead) / 2;
    list->measured += took;
}

static bool time_entry(const struct bench_entry *entry, void *context) {
    struct timed_list *list = context;
    struct bench_session *session = list->session;
    const double start = timing_now();
    const double left = list->seconds - (start - list->turns.begun) * 1e-3;
    if (left <= 0 && list->turns.done != 0) {
        list->missed++;
        return true;
    }
    if (!isnan(left)) {
        share_out(list, left);
    }
    bench_turns_next(&list->turns, entry->name, left);
    const size_t before = session->count;
    const bool good = bench_session_time(session, entry);
    if (session->count > before) {
        bench_print_record(session, &session->records[before]);
    }
    learn(list, (timing_now() - start) * 1e-3);
    return good;
}

static void tell_missed(const struct timed_list *list) {
    const size_t done = list->turns.done;
    if (list->missed != 0) {
        printf("# time was up: %zu of %zu benchmarks were not reached; all take about %.0f s and more\n", list->missed,
               list->turns.count, ceil(list->measured / (double)done * (double)list->turns.count));
    }
}

/* The sizes that the command line says, or else the device's. */
static bool visit_all(const struct bench_options *options, uint64_t default_size,
                      bool (*visit)(const struct bench_entry *entry, void *context), void *context) {
    const uint64_t *sizes = options->size_count ? options->sizes : &default_size;
    if (bench_list(&options->filter, sizes, options->size_count ? options->size_count : 1, visit, context) == 0) {
        fprintf(stderr, "vkdml bench: no benchmark fits '");
        for (size_t i = 0; i < options->filter.count; i++) {
            fprintf(stderr, "%s%s", i ? "," : "", options->filter.texts[i]);
        }
        fprintf(stderr, "'; `vkdml bench --list` names them\n");
        return false;
    }
    return true;
}

static bool count_entry(const struct bench_entry *entry, void *context) {
    (void)entry;
    (void)context;
    return false;
}

/* What the run is compared with; NULL: nothing. */
struct others {
    struct json_object *peers, *baseline;
};

/* Before anything is timed, so that what is wrong with a file is told at once. False where one holds no results;
 * others_free() is due either way. */
static bool others_read(const struct bench_options *options, struct others *others) {
    *others = (struct others){0};
    if (options->baseline) {
        others->baseline = bench_read_json(options->baseline, BENCH_FILE_RUN);
    }
    if (options->peers) {
        others->peers = bench_read_json(options->peers, BENCH_FILE_PEERS);
    }
    return (!options->baseline || others->baseline) && (!options->peers || others->peers);
}

static void others_free(struct others *others) {
    json_object_put(others->peers);
    json_object_put(others->baseline);
}

/* Writes and compares what the command line asks for. */
static bool report(const struct bench_options *options, struct json_object *run, const struct others *others) {
    bool good = !options->json || bench_write_json(options->json, run);
    good = good && (!options->csv || bench_write_csv(options->csv, run));
    if (good && others->peers) {
        bench_print_peers(run, others->peers);
    }
    if (good && others->baseline) {
        const int drops = bench_compare(run, others->baseline);
        if (drops < 0) {
            fprintf(stderr, "vkdml bench: %s holds none of these benchmarks\n", options->baseline);
        }
        good = drops == 0;
    }
    return good;
}

/* Times what the command line asks for. */
static bool measure(struct bench_session *session, const struct bench_options *options, struct json_object *rows) {
    const double start = timing_now();
    if (options->host) {
        return bench_host(session, options, rows);
    }
    if (!isnan(options->seconds)) {
        session->effort.seconds = fmin(session->effort.seconds, options->seconds * PEAKS_SHARE);
    }
    if (!bench_session_measure_peaks(session, options->peak_size)) {
        return false;
    }
    if (options->latency) {
        return bench_latency(session, options, rows);
    }
    bench_print_header(session);
    if (options->sweep) {
        return bench_sweep(session, options);
    }
    const uint64_t size = bench_default_size(session);
    const size_t count = options->size_count ? bench_count(&options->filter, options->sizes, options->size_count)
                                             : bench_count(&options->filter, &size, 1);
    struct timed_list list = {.session = session,
                              .turns = bench_turns_begin(count),
                              .seconds = options->seconds - (timing_now() - start) * 1e-3};
    const bool good = visit_all(options, size, time_entry, &list);
    progress_clear();
    tell_missed(&list);
    session->incomplete = list.missed != 0;
    return good;
}

/* Times and reports; what was measured is written even where a case has no figure. Returns the exit status. */
static int run_session(const struct bench_options *options, const struct others *others) {
    static struct bench_session session;
    struct json_object *rows = json_object_new_array(), *run = NULL;
    if (options->host) {
        gpu_leave_driver_caches(); /* compiling is measured */
    }
    bool good = rows != NULL && bench_session_open(&session, options->device, options->no_features, &options->effort);
    session.references = options->references;
    good = good && measure(&session, options, rows);
    if (good) {
        run = bench_to_json(&session, options->latency ? "latency" : options->host ? "host" : NULL, rows);
        good = run != NULL && report(options, run, others) && !session.failed;
    }
    const bool incomplete = session.incomplete;
    bench_session_close(&session);
    json_object_put(run);
    json_object_put(rows);
    return !good ? EXIT_FAILURE : incomplete ? EXIT_INCOMPLETE : EXIT_SUCCESS;
}

static int report_earlier(const struct bench_options *options, const struct others *others) {
    struct json_object *run = bench_read_json(options->from, BENCH_FILE_RUN);
    const bool good = run && report(options, run, others);
    json_object_put(run);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_bench(const struct bench_options *options) {
    struct others others;
    int status = EXIT_FAILURE;
    /* What can be told without a device first; names of a sweep's cases are not known before they are made. */
    if (others_read(options, &others) &&
        (options->from || options->sweep || visit_all(options, GPU_SIZE, count_entry, NULL))) {
        status = options->from ? report_earlier(options, &others) : run_session(options, &others);
    }
    others_free(&others);
    return status;
}

static int run(int argc, char **argv) {
    struct bench_options options = BENCH_OPTIONS_DEFAULT;
    int first;
    const int status = command_line_read(&subcommand_bench, argc, argv, &options, &first);
    if (status != COMMAND_LINE_GO_ON) {
        return status;
    }
    options.model = first < argc ? argv[first] : NULL;
    if (!bench_options_agree(&options)) {
        return EXIT_USAGE;
    }
    if (options.list) {
        return visit_all(&options, GPU_SIZE, print_entry, NULL) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if (options.model) {
        const bool good = onnx_request_is_model(options.model) ? bench_onnx_model(&options) : bench_model(&options);
        return good ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    return run_bench(&options);
}

const struct subcommand subcommand_bench = {
    .name = "bench",
    .operands = "[MODEL]",
    .operands_most = 1,
    .kind = ARGUMENT_MODEL,
    .summary = "times the operators, or a model",
    .description =
        "Times the operators on the benchmarks of the test cases, after holding a small run of each to the CPU "
        "reference: "
        "the bytes that must move (each input element once, each output byte once) over time, and the ratio of that to "
        "what copying reaches in the same run, or filling where nothing is read, or reading where hardly anything is "
        "written.\n"
        "Of a model it times each dispatch as a whole instead, its inputs and outputs on the device, and graphs node "
        "by "
        "node as well, in turn: the ratio is how many times as fast the graph is. Of an ONNX model, MODEL.onnx, "
        "whole runs are timed, inputs and outputs copied, and told what making it ready and its first run took.\n"
        "Exits with 3 where nothing failed but the time that --seconds gives was up before all were timed.",
    .options = bench_option_rows,
    .apply = bench_options_apply,
    .run = run,
};
