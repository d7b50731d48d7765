/* What an operator costs the host: recording, creating and compiling. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "base/progress.h"
#include "base/timing.h"
#include "bench/small.h"
#include "bench/trace.h"

/* Shapes do not matter to the host. */
#define HOST_BYTES ((uint64_t)1 << 20)

#define RECORDINGS 1000 /* in one timing: some hundred microseconds at least */
#define ROUNDS     21   /* odd, so that there is a middle one */
#define COMPILES   5    /* the same; each on a device of its own */

struct host {
    struct bench_session *session;
    struct json_object *rows;
    struct bench_turns turns;
};

/* All in microseconds. */
struct host_costs {
    double record, raw;          /* recording one dispatch, and the Vulkan commands in it alone */
    double cold, warm, existing; /* creating and compiling: pipeline new, in the VkPipelineCache, made before */
    double first;                /* how much longer a new pipeline's first dispatch takes than the next */
    struct bench_trace_counts counts;
};

static int by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double bench_median(double *values, size_t count) {
    qsort(values, count, sizeof(*values), by_size);
    return values[count / 2];
}

/* Microseconds of one recording, by the library or by replaying what it recorded. */
static bool time_recording(struct bench_device *device, struct bench_bound *bound, bool raw, double *microseconds) {
    if (!gpu_begin(&device->gpu)) {
        return false;
    }
    const double start = timing_now();
    for (uint32_t i = 0; i < RECORDINGS; i++) {
        if (raw) {
            bench_trace_replay(device->gpu.commands);
        } else if (!bench_record(device, 0, bound)) {
            return false;
        }
    }
    *microseconds = (timing_now() - start) * 1e3 / RECORDINGS;
    return vkEndCommandBuffer(device->gpu.commands) == VK_SUCCESS;
}

/* Records once on a traced device, so that bindings are written; then again, traced. Leaves `traced` bound: what is
 * replayed uses its objects. */
static bool trace_recording(struct bench_device *device, VkdmlDevice traced_device, const struct operator_case *c,
                            struct bench_bound *traced, struct bench_trace_counts *counts) {
    bool good =
        bench_bind(device, traced_device, c, 1, traced) && gpu_begin(&device->gpu) && bench_record(device, 0, traced);
    bench_trace_begin();
    good = good && bench_record(device, 0, traced);
    *counts = bench_trace_end();
    return good && gpu_submit(&device->gpu);
}

static bool measure_recording(struct bench_device *device, const struct operator_case *c, uint32_t flags,
                              struct host_costs *costs) {
    double records[ROUNDS], raws[ROUNDS];
    struct bench_bound bound = {.c = c}, traced = {.c = c};
    const bool transfer = (flags & CASE_BENCHMARK_TRANSFER) != 0;
    VkdmlDevice traced_device = bench_trace_open(device, transfer ? VKDML_DEVICE_FLAG_ALLOW_TRANSFER : 0u);
    bool good = traced_device != NULL && trace_recording(device, traced_device, c, &traced, &costs->counts) &&
                bench_bind(device, bench_device_for(device, flags), c, 1, &bound);
    /* In turn, so that both see the same machine. The first round of each warms up. */
    for (int i = -1; good && i < ROUNDS; i++) {
        double *const record = &records[i < 0 ? 0 : i], *const raw = &raws[i < 0 ? 0 : i];
        good = time_recording(device, &bound, false, record) && time_recording(device, &bound, true, raw);
    }
    if (good) {
        costs->record = bench_median(records, ROUNDS);
        costs->raw = bench_median(raws, ROUNDS);
    }
    bench_release(&bound);
    bench_release(&traced);
    vkdmlDestroyDevice(traced_device);
    return good;
}

static bool time_compile(VkdmlDevice vkdml, const struct operator_case *c, double *microseconds) {
    VkdmlDispatchable compiled = NULL;
    const double start = timing_now();
    const bool good = bench_compile(vkdml, c, &compiled);
    *microseconds = (timing_now() - start) * 1e3;
    vkdmlDestroyDispatchable(compiled);
    return good;
}

static bool time_submission(struct bench_device *device, struct bench_bound *bound, double *microseconds) {
    if (!gpu_begin(&device->gpu) || !bench_record(device, 0, bound)) {
        return false;
    }
    const double start = timing_now();
    const bool good = gpu_submit(&device->gpu);
    *microseconds = (timing_now() - start) * 1e3;
    return good;
}

/* Some drivers compile the rest when a pipeline is first dispatched. */
static bool time_first_dispatch(struct bench_device *device, VkdmlDevice vkdml, const struct operator_case *c,
                                double *microseconds) {
    struct bench_bound bound = {.c = c};
    double first = 0, next = 0;
    const bool good = bench_bind(device, vkdml, c, 1, &bound) && time_submission(device, &bound, &first) &&
                      time_submission(device, &bound, &next);
    *microseconds = first - next;
    bench_release(&bound);
    return good;
}

/* A device of its own, with pipelines of an earlier one's cache or none. */
static VkdmlDevice open_fresh(const struct bench_device *device, uint32_t flags, const void *cache, size_t cache_size) {
    VkdmlDeviceCreateInfo info = bench_import_info(device);
    info.flags = flags & CASE_BENCHMARK_TRANSFER ? VKDML_DEVICE_FLAG_ALLOW_TRANSFER : 0u;
    info.pipelineCacheData = cache;
    info.pipelineCacheDataSize = cache_size;
    VkdmlDevice fresh = NULL;
    if (vkdmlCreateDevice(&info, &fresh) != VKDML_SUCCESS) {
        fprintf(stderr, "vkdml: %s\n", vkdmlGetErrorMessage());
    }
    return fresh;
}

/* The pipeline cache of a device, in malloc'ed memory. */
static void *read_cache(VkdmlDevice vkdml, size_t *size) {
    void *data = NULL;
    if (vkdmlGetPipelineCacheData(vkdml, size, NULL) == VKDML_SUCCESS && (data = malloc(*size)) != NULL &&
        vkdmlGetPipelineCacheData(vkdml, size, data) != VKDML_SUCCESS) {
        free(data);
        data = NULL;
    }
    return data;
}

static bool measure_compiling(struct bench_device *device, const struct operator_case *c, uint32_t flags,
                              struct host_costs *costs) {
    double colds[COMPILES], firsts[COMPILES], warms[COMPILES], existings[ROUNDS];
    void *cache = NULL;
    size_t cache_size = 0;
    bool good = true;
    for (int i = 0; good && i < COMPILES; i++) {
        VkdmlDevice fresh = open_fresh(device, flags, NULL, 0);
        good = fresh != NULL && time_compile(fresh, c, &colds[i]) && time_first_dispatch(device, fresh, c, &firsts[i]);
        for (int r = 0; good && i == 0 && r < ROUNDS; r++) {
            good = time_compile(fresh, c, &existings[r]);
        }
        if (good && i == 0) {
            cache = read_cache(fresh, &cache_size);
        }
        vkdmlDestroyDevice(fresh);
    }
    good = good && cache != NULL;
    for (int i = 0; good && i < COMPILES; i++) {
        VkdmlDevice fresh = open_fresh(device, flags, cache, cache_size);
        good = fresh != NULL && time_compile(fresh, c, &warms[i]);
        vkdmlDestroyDevice(fresh);
    }
    free(cache);
    if (good) {
        costs->cold = bench_median(colds, COMPILES);
        costs->first = bench_median(firsts, COMPILES);
        costs->warm = bench_median(warms, COMPILES);
        costs->existing = bench_median(existings, ROUNDS);
    }
    return good;
}

static void add_row(const struct host *host, const struct bench_entry *entry, const struct host_costs *costs) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"record_us", costs->record},
                   {"raw_us", costs->raw},
                   {"overhead_us", costs->record - costs->raw},
                   {"compile_cold_us", costs->cold},
                   {"first_dispatch_us", costs->first},
                   {"compile_warm_us", costs->warm},
                   {"compile_existing_us", costs->existing}};
    const struct {
        const char *name;
        uint32_t value;
    } counts[] = {{"commands", costs->counts.commands},
                  {"dispatches", costs->counts.dispatches},
                  {"descriptor_updates", costs->counts.descriptor_updates},
                  {"allocations", costs->counts.allocations}};
    struct json_object *row = json_object_new_object();
    json_object_object_add(row, "name", json_object_new_string(entry->name));
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        json_object_object_add(row, numbers[i].name, json_object_new_double(numbers[i].value));
    }
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        json_object_object_add(row, counts[i].name, json_object_new_int64(counts[i].value));
    }
    json_object_array_add(host->rows, row);
}

static bool time_entry(const struct bench_entry *entry, void *context) {
    static struct operator_case c;
    struct host *host = context;
    struct bench_device *device = &host->session->device;
    struct host_costs costs;
    const uint32_t flags = entry->benchmark->flags;
    bench_turns_next(&host->turns, entry->name, (double)NAN);
    bench_make_case(entry, entry->size, &c);
    if (!measure_recording(device, &c, flags, &costs) || !measure_compiling(device, &c, flags, &costs)) {
        progress_clear();
        printf("%-54s no figure\n", entry->name);
        host->session->failed = true;
        return true;
    }
    progress_clear();
    printf("%-54s %9.3f %9.3f %9.3f%s %8u %8u %8u %10.1f %10.1f %10.1f %10.1f\n", entry->name, costs.record, costs.raw,
           costs.record - costs.raw, costs.counts.complete ? " " : "?", costs.counts.commands,
           costs.counts.descriptor_updates, costs.counts.allocations, costs.cold, costs.first, costs.warm,
           costs.existing);
    fflush(stdout);
    add_row(host, entry, &costs);
    return true;
}

bool bench_host(struct bench_session *session, const struct bench_options *options, struct json_object *rows) {
    const uint64_t size = HOST_BYTES;
    const uint64_t *sizes = options->size_count ? options->sizes : &size;
    const size_t size_count = options->size_count ? options->size_count : 1;
    const struct bench_filter filter = bench_small_filter(options);
    /* First, where nothing has warmed the library up. */
    const bool good = options->filter.count > 0 || (bench_host_graph(&session->device) && bench_host_shapes(&session->device));
    struct host host = {session, rows, bench_turns_begin(bench_count(&filter, sizes, size_count))};
    printf(
        "# microseconds; recorded: bindings unchanged; raw: the same Vulkan commands without the library; compiled:\n"
        "# create and compile on a new device, what its first dispatch takes longer than the next, with its pipeline "
        "in\n"
        "# a VkPipelineCache, with its pipeline made\n");
    printf("%-54s %9s %9s %9s  %8s %8s %8s %10s %10s %10s %10s\n", "# benchmark", "record", "raw", "overhead",
           "commands", "updates", "allocs", "cold", "first", "cached", "existing");
    bench_list(&filter, sizes, size_count, time_entry, &host);
    return good;
}
