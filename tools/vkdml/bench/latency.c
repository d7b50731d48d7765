/* Small operators against an empty dispatch. */
#include <math.h>
#include <stdio.h>

#include <json-c/json.h>

#include "base/compute.h"
#include "base/progress.h"
#include "bench/small.h"
#include "bench/trace.h"

static const uint64_t small_sizes[] = {1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};

/* A compute shader that does nothing, in one invocation. */
static const uint32_t empty_shader[] = {
    0x07230203, 0x00010000, 0,  5,          0,    /* SPIR-V 1.0, ids below 5 */
    0x00020011, 1,                                /* OpCapability Shader */
    0x0003000e, 0,          1,                    /* OpMemoryModel Logical GLSL450 */
    0x0005000f, 5,          1,  0x6e69616d, 0,    /* OpEntryPoint GLCompute %1 "main" */
    0x00060010, 1,          17, 1,          1, 1, /* OpExecutionMode %1 LocalSize 1 1 1 */
    0x00020013, 2,                                /* %2 = OpTypeVoid */
    0x00030021, 3,          2,                    /* %3 = OpTypeFunction %2 */
    0x00050036, 2,          1,  0,          3,    /* %1 = OpFunction %2 None %3 */
    0x000200f8, 4,                                /* %4 = OpLabel */
    0x000100fd, 0x00010038,                       /* OpReturn, OpFunctionEnd */
};

struct empty {
    VkShaderModule module;
    VkPipelineLayout layout;
    VkPipeline pipeline;
};

static bool create_empty(VkDevice device, struct empty *empty) {
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    return vkCreatePipelineLayout(device, &layout, NULL, &empty->layout) == VK_SUCCESS &&
           compute_create(device, empty_shader, sizeof(empty_shader), empty->layout, &empty->module, &empty->pipeline);
}

static bool record_empty(struct bench_device *device, uint32_t index, void *context) {
    const struct empty *empty = context;
    (void)index;
    vkCmdBindPipeline(device->gpu.commands, VK_PIPELINE_BIND_POINT_COMPUTE, empty->pipeline);
    vkCmdDispatch(device->gpu.commands, 1, 1, 1);
    return true;
}

static bool measure_empty(struct bench_session *session, struct bench_figures *figures) {
    struct empty empty = {VK_NULL_HANDLE, VK_NULL_HANDLE, VK_NULL_HANDLE};
    const struct bench_work work = {record_empty, &empty};
    const VkDevice device = session->device.gpu.handles.device;
    bool good = create_empty(device, &empty);
    if (!good) {
        fprintf(stderr, "vkdml: there is no pipeline for the empty dispatch\n");
    }
    good = good && bench_measure(&session->device, &work, &session->effort, figures);
    vkDestroyPipeline(device, empty.pipeline, NULL);
    vkDestroyPipelineLayout(device, empty.layout, NULL);
    vkDestroyShaderModule(device, empty.module, NULL);
    return good;
}

struct latency {
    struct bench_session *session;
    VkdmlDevice traced;
    double empty; /* milliseconds */
    struct json_object *rows;
    struct bench_turns turns;
};

/* How many dispatches the case records. */
static bool count_dispatches(struct latency *latency, const struct operator_case *c, uint32_t *count) {
    struct bench_device *device = &latency->session->device;
    struct bench_bound bound;
    bool good = bench_bind(device, latency->traced, c, 1, &bound) && gpu_begin(&device->gpu);
    bench_trace_begin();
    good = good && bench_record(device, 0, &bound);
    *count = bench_trace_end().dispatches;
    good = good && gpu_submit(&device->gpu);
    bench_release(&bound);
    return good;
}

static void add_row(const struct latency *latency, const struct bench_entry *entry, const struct bench_result *result,
                    uint32_t dispatches, double ratio) {
    struct json_object *row = json_object_new_object();
    json_object_object_add(row, "name", json_object_new_string(entry->name));
    json_object_object_add(row, "bytes", json_object_new_int64((int64_t)result->bytes));
    json_object_object_add(row, "dispatches", json_object_new_int64(dispatches));
    json_object_object_add(row, "us", json_object_new_double(1e3 * result->figures.median));
    json_object_object_add(row, "empty_us", json_object_new_double(1e3 * latency->empty));
    json_object_object_add(row, "ratio", json_object_new_double(ratio));
    json_object_array_add(latency->rows, row);
}

static bool time_entry(const struct bench_entry *entry, void *context) {
    static struct operator_case c;
    struct latency *latency = context;
    struct bench_session *session = latency->session;
    struct bench_result result;
    uint32_t dispatches;
    const char *peak;
    bench_turns_next(&latency->turns, entry->name, (double)NAN);
    if (entry->benchmark->flags & CASE_BENCHMARK_TRANSFER) {
        return true;
    }
    bench_make_case(entry, entry->size, &c);
    if (!bench_check(&session->device, &c, session->device.gpu.device) || !count_dispatches(latency, &c, &dispatches) ||
        !bench_case(&session->device, entry->family, &c, session->device.gpu.device, false, &session->effort,
                    &result)) {
        progress_clear();
        printf("%-54s no figure\n", entry->name);
        session->failed = true;
        return true;
    }
    const double moving = (double)result.bytes / bench_peak_of(session, entry->benchmark->flags, &peak) * 1e-6;
    const double ratio = result.figures.median / (latency->empty + moving);
    progress_clear();
    printf("%-54s %10.2f %8.2f %8.2f %10u %6.2f\n", entry->name, 1e3 * result.figures.median, 1e3 * result.figures.low,
           1e3 * result.figures.high, dispatches, ratio);
    fflush(stdout);
    add_row(latency, entry, &result, dispatches, ratio);
    return true;
}

bool bench_latency(struct bench_session *session, const struct bench_options *options, struct json_object *rows) {
    struct latency latency = {.session = session, .traced = bench_trace_open(&session->device, 0), .rows = rows};
    struct bench_figures empty;
    bool good = latency.traced != NULL && measure_empty(session, &empty);
    if (good) {
        latency.empty = empty.median;
        printf("# an empty dispatch: %.2f us (10 %%: %.2f, 90 %%: %.2f); ratio: against it and the bytes at the peak\n",
               1e3 * empty.median, 1e3 * empty.low, 1e3 * empty.high);
        printf("%-54s %10s %8s %8s %10s %6s\n", "# benchmark", "us", "10%", "90%", "dispatches", "ratio");
        const uint64_t *sizes = options->size_count ? options->sizes : small_sizes;
        const size_t size_count =
            options->size_count ? options->size_count : sizeof(small_sizes) / sizeof(small_sizes[0]);
        const struct bench_filter filter = bench_small_filter(options);
        latency.turns = bench_turns_begin(bench_count(&filter, sizes, size_count));
        bench_list(&filter, sizes, size_count, time_entry, &latency);
        progress_clear();
    }
    vkdmlDestroyDevice(latency.traced);
    return good;
}
