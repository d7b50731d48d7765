#include "bench/session.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/growth.h"
#include "base/progress.h"

/* Of the run that checks results before anything is timed: some thousand rows of any shape, and what the reference
 * computes in a second. */
#define CHECK_BYTES      ((uint64_t)1 << 20)
#define CHECK_OPERATIONS 3e7

/* Before the peaks a GPU is kept busy for so many times what each benchmark takes, at most so long: an H200 that begins
 * idle copies at 1650 GB/s for half a second, and then at 4170. */
#define WAKE_SHARE   20
#define WAKE_SECONDS 1.0

static void log_message(void *user_data, VkdmlLogLevel level, const char *message) {
    (void)user_data;
    if (level == VKDML_LOG_LEVEL_WARNING) {
        fprintf(stderr, "vkdml: warning: %s\n", message);
    }
}

uint64_t bench_default_size(const struct bench_session *session) {
    return (uint64_t)(bench_device_is_cpu(&session->device) ? 64 : 256) << 20;
}

void bench_make_case(const struct bench_entry *entry, uint64_t bytes, struct operator_case *c) {
    case_begin(c, entry->family->type);
    entry->benchmark->make(bytes, entry->type, entry->benchmark->argument, c);
    c->seed = 1;
}

const char *bench_session_variant(const struct bench_session *session) {
    static const char *const names[] = {"default", "portable", "subgroup", "serial"};
    const size_t variant = (size_t)vkdmlGetKernelVariant(session->device.gpu.device);
    return variant < sizeof(names) / sizeof(names[0]) ? names[variant] : "?";
}

static double speed_of(const struct bench_result *result) {
    return (double)result->bytes / result->figures.median * 1e-6;
}

/* Times the one benchmark of a name, as a peak. */
struct peak {
    struct bench_session *session;
    double speed;
};

static bool measure_peak(const struct bench_entry *entry, void *context) {
    static struct operator_case c;
    struct peak *peak = context;
    struct bench_session *session = peak->session;
    struct bench_result result;
    bench_make_case(entry, session->peaks.bytes, &c);
    if (bench_case(&session->device, entry->family, &c, session->device.gpu.device, true, &session->effort, &result)) {
        peak->speed = speed_of(&result);
    }
    return false;
}

static double kernel_peak(struct bench_session *session, const char *name) {
    const struct bench_filter filter = {{name}, 1};
    struct peak peak = {session, 0};
    bench_list(&filter, &session->peaks.bytes, 1, measure_peak, &peak);
    return peak.speed;
}

static void print_peaks(const struct bench_peaks *peaks) {
    char size[32];
    bench_size_name(peaks->bytes, sizeof(size), size);
    printf("# copy peak, %s: %.1f GB/s (vkCmdCopyBuffer %.1f, identity/contiguous %.1f)\n", size, peaks->copy,
           peaks->copy_command, peaks->copy_kernel);
    printf("# fill peak, %s: %.1f GB/s (vkCmdFillBuffer %.1f, diagonal/fill %.1f)\n", size, peaks->fill,
           peaks->fill_command, peaks->fill_kernel);
    printf("# read peak, %s: %.1f GB/s\n", size, peaks->read);
    fflush(stdout);
}

void bench_session_wake(struct bench_session *session, double seconds) {
    const struct bench_effort effort = session->effort;
    if (!bench_device_is_cpu(&session->device) && seconds > 0) {
        session->effort = (struct bench_effort){.seconds = seconds, .repeat = 1};
        kernel_peak(session, "identity/contiguous/float32/*");
        session->effort = effort;
    }
}

bool bench_session_measure_peaks(struct bench_session *session, uint64_t bytes) {
    struct bench_peaks *peaks = &session->peaks;
    struct bench_result copy, fill, read;
    peaks->bytes = bytes ? bytes : bench_default_size(session);
    bench_session_wake(session, fmin(WAKE_SECONDS, WAKE_SHARE * session->effort.seconds));
    if (!bench_copy(&session->device, peaks->bytes, &session->effort, &copy) ||
        !bench_fill(&session->device, peaks->bytes, &session->effort, &fill) ||
        !bench_read(&session->device, peaks->bytes, &session->effort, &read)) {
        return false;
    }
    peaks->copy_command = speed_of(&copy);
    peaks->fill_command = speed_of(&fill);
    peaks->read = speed_of(&read);
    peaks->copy_kernel = kernel_peak(session, "identity/contiguous/float32/*");
    peaks->fill_kernel = kernel_peak(session, "diagonal/fill/float32/*");
    peaks->copy = fmax(peaks->copy_command, peaks->copy_kernel);
    peaks->fill = fmax(peaks->fill_command, peaks->fill_kernel);
    print_peaks(peaks);
    return peaks->copy_kernel > 0 && peaks->fill_kernel > 0;
}

bool bench_session_open(struct bench_session *session, const char *device, bool no_features,
                        const struct bench_effort *effort) {
    const VkdmlDeviceOpenInfo info = {
        .structSize = sizeof info, .headerVersion = VKDML_HEADER_VERSION, .name = device, .logCallback = log_message};
    *session = (struct bench_session){.effort = *effort};
    if (!bench_device_open(&session->device, &info, no_features)) {
        return false;
    }
    if (session->effort.seconds < 0) {
        session->effort.seconds = bench_device_is_cpu(&session->device) ? 1.0 : 0.2;
    }
    printf("# %s, %s kernels%s; times by %s\n", session->device.gpu.properties.deviceName,
           bench_session_variant(session), no_features ? ", no feature enabled" : "",
           session->device.queries ? "device timestamps" : "the host's clock: the queue has no timestamps");
    return true;
}

void bench_session_close(struct bench_session *session) {
    for (size_t i = 0; i < session->count; i++) {
        free(session->records[i].line);
    }
    free(session->records);
    bench_device_close(&session->device);
}

double bench_peak_of(const struct bench_session *session, uint32_t flags, const char **name) {
    const bool fills = (flags & CASE_BENCHMARK_FILL) != 0, reads = (flags & CASE_BENCHMARK_READ) != 0;
    *name = fills ? "fill" : reads ? "read" : "copy";
    return fills ? session->peaks.fill : reads ? session->peaks.read : session->peaks.copy;
}

static bool keep(struct bench_session *session, const struct bench_record *record) {
    struct bench_record *records = growth_room(session->records, session->count, &session->capacity, sizeof(*records));
    if (records) {
        session->records = records;
        records[session->count++] = *record;
    }
    return records != NULL;
}

bool bench_session_time_case(struct bench_session *session, const struct bench_entry *entry,
                             const struct operator_case *c) {
    struct bench_record record = {.entry = *entry, .times = {(double)NAN, (double)NAN, (double)NAN}};
    const uint32_t flags = entry->benchmark ? entry->benchmark->flags : 0;
    char line[CASE_MAX_LINE];
    const VkdmlDevice vkdml = bench_device_for(&session->device, flags);
    if (!bench_case(&session->device, entry->family, c, vkdml, true, &session->effort, &record.result) ||
        (session->references && !bench_host_times(&session->device, entry, c, record.result.bytes, &record.times))) {
        progress_clear();
        printf("%-54s no figure\n", entry->name);
        session->failed = true;
        return true;
    }
    record.speed = speed_of(&record.result);
    record.copy_ratio = record.speed / session->peaks.copy;
    record.ratio = record.speed / bench_peak_of(session, flags, &record.peak);
    record.tflops =
        entry->family->operations ? entry->family->operations(c) / record.result.figures.median * 1e-9 : (double)NAN;
    const size_t length = case_print(c, line, sizeof(line)) ? strlen(line) : 0;
    record.line = calloc(1, length + 1);
    if (!record.line || !keep(session, &record)) {
        fprintf(stderr, "vkdml: out of memory\n");
        free(record.line);
        return false;
    }
    memcpy(record.line, line, length);
    return true;
}

static void make_check(const struct bench_entry *entry, struct operator_case *c) {
    uint64_t bytes = entry->size < CHECK_BYTES ? entry->size : CHECK_BYTES;
    bench_make_case(entry, bytes, c);
    while (entry->family->operations != NULL && entry->family->operations(c) > CHECK_OPERATIONS && bytes > 4096) {
        bytes /= 2;
        bench_make_case(entry, bytes, c);
    }
}

bool bench_session_time(struct bench_session *session, const struct bench_entry *entry) {
    static struct operator_case c;
    make_check(entry, &c);
    if (!bench_check(&session->device, &c, bench_device_for(&session->device, entry->benchmark->flags))) {
        progress_clear();
        printf("%-54s no figure: its result is wrong\n", entry->name);
        session->failed = true;
        return true;
    }
    bench_make_case(entry, entry->size, &c);
    return bench_session_time_case(session, entry, &c);
}

void bench_print_header(const struct bench_session *session) {
    printf("%-54s %9s %9s %8s %8s %8s %6s", "# benchmark", "MiB", "ms", "10%", "90%", "GB/s", "ratio");
    printf(session->references ? "  %16s %9s %9s\n" : "\n", "times: reference", "memcpy", "C loop");
    fflush(stdout);
}

/* How many times as fast as the CPU. */
static void print_gain(double theirs, double ours) {
    if (isnan(theirs)) {
        printf(" %9s", "-");
    } else {
        printf(" %9.2f", theirs / ours);
    }
}

void bench_print_record(const struct bench_session *session, const struct bench_record *record) {
    const struct bench_figures *figures = &record->result.figures;
    progress_clear();
    printf("%-54s %9.2f %9.4f %8.4f %8.4f %8.1f %6.3f of %s", record->entry.name,
           (double)record->result.bytes / (1 << 20), figures->median, figures->low, figures->high, record->speed,
           record->ratio, record->peak);
    if (!isnan(record->tflops)) {
        printf(record->tflops >= 1 ? " %8.2f TFLOP/s" : " %8.2f GFLOP/s",
               record->tflops >= 1 ? record->tflops : 1e3 * record->tflops);
    }
    if (session->references) {
        print_gain(record->times.reference, figures->median);
        print_gain(record->times.memory_copy, figures->median);
        print_gain(record->times.loop, figures->median);
    }
    putchar('\n');
    fflush(stdout);
}
