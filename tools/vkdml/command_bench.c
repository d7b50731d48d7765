#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_case.h"
#include "commands.h"

static const char usage[] =
    "Usage: vkdml bench [OPTION]..\n"
    "\n"
    "Times the operators: bytes that must move over time, beside what copying and filling reach.\n"
    "\n"
    "  -a, --device TEXT    the device whose name contains TEXT; default: $VKDML_DEVICE, else the best device\n"
    "  -f, --filter TEXT    benchmarks whose name contains TEXT, or fits it where it has *, ? or [\n"
    "  -l, --list           print the benchmarks and their cases, and exit\n"
    "  -b, --bytes N,..     sizes, e.g. 1MiB,256MiB; default: 256MiB, on a CPU device 64MiB\n"
    "  -s, --seconds T      time each for at least T seconds; default: 0.2, on a CPU device 1\n"
    "  -r, --repeat N       take at least N samples of each (5)\n"
    "  -h, --help           print this and exit\n";

static const struct option long_options[] = {
    {"device", required_argument, NULL, 'a'},  {"filter", required_argument, NULL, 'f'},
    {"list", no_argument, NULL, 'l'},          {"bytes", required_argument, NULL, 'b'},
    {"seconds", required_argument, NULL, 's'}, {"repeat", required_argument, NULL, 'r'},
    {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
};

#define MAX_SIZES 16

/* Of the run that checks results before anything is timed: some thousand rows of any shape. */
#define CHECK_BYTES ((uint64_t)1 << 20)

struct request {
    const char *device;
    const char *filter;
    bool list;
    bool help;
    uint64_t sizes[MAX_SIZES];
    size_t size_count;
    struct bench_effort effort;
};

/* "256MiB", "64k", "1048576" */
static bool read_size(const char **text, uint64_t *size) {
    static const char units[] = "kmg";
    char *end = NULL;
    errno = 0;
    *size = strtoull(*text, &end, 10);
    bool good = end != *text && !errno && **text != '-';
    for (unsigned u = 0; good && units[u] != '\0'; u++) {
        if (*end == units[u] || *end == units[u] - 'a' + 'A') {
            *size <<= 10 * (u + 1);
            end += strncmp(end + 1, "iB", 2) == 0 ? 3 : 1;
            break;
        }
    }
    /* At most 16 GiB, so that elements can be counted; at least a page. */
    good = good && *size >= 256 && *size <= (uint64_t)16 << 30;
    *text = end;
    return good;
}

static bool read_sizes(const char *text, struct request *request) {
    const char *at = text;
    request->size_count = 0;
    do {
        if (request->size_count == MAX_SIZES || !read_size(&at, &request->sizes[request->size_count++]) ||
            (*at != ',' && *at != '\0')) {
            fprintf(stderr, "vkdml bench: --bytes is '%s', must be sizes such as 64KiB,256MiB\n", text);
            return false;
        }
    } while (*at++ == ',');
    return true;
}

static bool read_double(const char *text, double *number) {
    char *end = NULL;
    *number = strtod(text, &end);
    if (end == text || *end || !(*number >= 0)) {
        fprintf(stderr, "vkdml bench: '%s' must be a number\n", text);
        return false;
    }
    return true;
}

static bool apply_option(int option, const char *argument, struct request *request) {
    double number = 0;
    switch (option) {
    case 'a':
        request->device = argument;
        return true;
    case 'f':
        request->filter = argument;
        return true;
    case 'l':
        request->list = true;
        return true;
    case 'b':
        return read_sizes(argument, request);
    case 's':
        return read_double(argument, &request->effort.seconds);
    case 'r':
        if (!read_double(argument, &number)) {
            return false;
        }
        request->effort.repeat = (uint32_t)number;
        return true;
    case 'h':
        request->help = true;
        return true;
    default:
        return false; /* getopt_long has said what is wrong */
    }
}

static void make_case(const struct bench_entry *entry, uint64_t bytes, struct operator_case *c) {
    entry->benchmark->make(bytes, entry->type, entry->benchmark->argument, c);
    c->seed = 1;
}

static bool print_entry(const struct bench_entry *entry, void *context) {
    static struct operator_case c;
    char line[CASE_MAX_LINE];
    (void)context;
    make_case(entry, entry->size, &c);
    printf("%s  %s\n", entry->name, case_print(&c, line, sizeof(line)) ? line : "?");
    return true;
}

/* A run: the device, and the best of what it copies and fills, in GB/s. */
struct session {
    struct bench_device device;
    const struct request *request;
    struct bench_effort effort;
    double copy_peak, fill_peak;
    bool failed;
};

static double speed(const struct bench_result *result) {
    return (double)result->bytes / result->figures.median * 1e-6;
}

static bool measure_entry(struct session *session, const struct bench_entry *entry, struct bench_result *result) {
    static struct operator_case c;
    const bool transfer = (entry->benchmark->flags & CASE_BENCHMARK_TRANSFER) != 0;
    make_case(entry, entry->size < CHECK_BYTES ? entry->size : CHECK_BYTES, &c);
    if (!bench_check(&session->device, &c, transfer)) {
        return false;
    }
    make_case(entry, entry->size, &c);
    return bench_case(&session->device, entry->family, &c, transfer, &session->effort, result);
}

static bool time_entry(const struct bench_entry *entry, void *context) {
    struct session *session = context;
    struct bench_result result;
    if (!measure_entry(session, entry, &result)) {
        printf("%-52s no figure\n", entry->name);
        session->failed = true;
        return true;
    }
    const bool fill = (entry->benchmark->flags & CASE_BENCHMARK_FILL) != 0;
    const struct bench_figures *figures = &result.figures;
    printf("%-52s %9.1f %9.4f %7.4f %7.4f %8.1f %6.3f %s\n", entry->name, (double)result.bytes / (1 << 20),
           figures->median, figures->low, figures->high, speed(&result),
           speed(&result) / (fill ? session->fill_peak : session->copy_peak), fill ? "of fill" : "of copy");
    fflush(stdout);
    return true;
}

/* The speed of one of the benchmarks that peaks are taken from. */
static bool keep_speed(const struct bench_entry *entry, void *context) {
    struct session *session = context;
    struct bench_result result;
    if (!measure_entry(session, entry, &result)) {
        session->failed = true;
        return false;
    }
    const bool fill = (entry->benchmark->flags & CASE_BENCHMARK_FILL) != 0;
    double *peak = fill ? &session->fill_peak : &session->copy_peak;
    printf("# %s: %.1f GB/s\n", entry->name, speed(&result));
    *peak = speed(&result) > *peak ? speed(&result) : *peak;
    return true;
}

static bool measure_peaks(struct session *session, uint64_t bytes) {
    struct bench_result copy, fill;
    if (!bench_copy(&session->device, bytes, &session->effort, &copy) ||
        !bench_fill(&session->device, bytes, &session->effort, &fill)) {
        return false;
    }
    session->copy_peak = speed(&copy);
    session->fill_peak = speed(&fill);
    printf("# vkCmdCopyBuffer: %.1f GB/s; vkCmdFillBuffer: %.1f GB/s\n", session->copy_peak, session->fill_peak);
    bench_list("identity/contiguous/float32/*", &bytes, 1, keep_speed, session);
    bench_list("diagonal/fill/float32/*", &bytes, 1, keep_speed, session);
    printf("# copy peak %.1f GB/s, fill peak %.1f GB/s\n", session->copy_peak, session->fill_peak);
    return !session->failed;
}

static void log_message(void *user_data, VkdmlLogLevel level, const char *message) {
    (void)user_data;
    if (level == VKDML_LOG_LEVEL_WARNING) {
        fprintf(stderr, "vkdml: warning: %s\n", message);
    }
}

static bool run(const struct request *request) {
    static struct session session;
    const VkdmlDeviceOpenInfo info = {.name = request->device, .logCallback = log_message};
    bool good = bench_device_open(&session.device, &info);
    if (good) {
        const bool cpu = bench_device_is_cpu(&session.device);
        const uint64_t default_size = (uint64_t)(cpu ? 64 : 256) << 20;
        session.request = request;
        session.effort = request->effort;
        session.effort.seconds = session.effort.seconds < 0 ? cpu ? 1.0 : 0.2 : session.effort.seconds;
        printf("# %s; times by %s\n", session.device.gpu.properties.deviceName,
               session.device.queries ? "device timestamps" : "the host: the queue has no timestamps");
        good = measure_peaks(&session, default_size);
        printf("%-52s %9s %9s %7s %7s %8s %s\n", "# benchmark", "MiB", "ms", "10%", "90%", "GB/s", "ratio");
        if (good && bench_list(request->filter, request->size_count ? request->sizes : &default_size,
                               request->size_count ? request->size_count : 1, time_entry, &session) == 0) {
            fprintf(stderr, "vkdml bench: no benchmark fits '%s'; `vkdml bench --list` names them\n", request->filter);
            good = false;
        }
    }
    bench_device_close(&session.device);
    return good && !session.failed;
}

int command_bench(int argc, char **argv) {
    struct request request = {.effort = {.seconds = -1, .repeat = 5}};
    int option;
    while ((option = getopt_long(argc, argv, "a:f:lb:s:r:h", long_options, NULL)) != -1) {
        if (!apply_option(option, optarg, &request)) {
            return EXIT_FAILURE;
        }
    }
    if (request.help) {
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    if (optind != argc) {
        fprintf(stderr, "vkdml bench: what is '%s'? (`vkdml bench --help` tells more)\n", argv[optind]);
        return EXIT_FAILURE;
    }
    if (request.list) {
        const uint64_t size = (uint64_t)256 << 20;
        bench_list(request.filter, request.size_count ? request.sizes : &size,
                   request.size_count ? request.size_count : 1, print_entry, NULL);
        return EXIT_SUCCESS;
    }
    return run(&request) ? EXIT_SUCCESS : EXIT_FAILURE;
}
