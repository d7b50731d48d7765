#include "bench/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line/refusal.h"
#include "device/devices.h"

enum {
    OPTION_REFERENCE = OPTION_KEY_FIRST,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_HTML,
    OPTION_PEERS,
    OPTION_COMPARE,
    OPTION_FROM,
    OPTION_PEAK,
    OPTION_EACH,
    OPTION_SWEEP,
    OPTION_SEED,
    OPTION_LATENCY,
    OPTION_HOST,
    OPTION_NO_FEATURES
};

const struct option_row bench_option_rows[] = {
    {'a', "adapter", .alias = "device", .argument = "TEXT", .kind = ARGUMENT_DEVICE,
     .text = "the device whose name contains TEXT, `#N` by number, or a UUID; default: $VKDML_DEVICE, else the best "
             "device"},
    {'f', "filter", .argument = "TEXT,..",
     .text = "benchmarks whose name, or whose operator's, contains a TEXT in any case, or fits it where it has *, ? or "
             "[; may be given more than once"},
    {'l', "list", SETS(struct bench_options, list), .text = "print the benchmarks and their cases, and exit"},
    {'b', "bytes", .argument = "N,..", .text = "sizes, e.g. 1MiB,256MiB; default: 256MiB, on a CPU device 64MiB"},
    {OPTION_PEAK, "peak-bytes", .argument = "N",
     .text = "measure the copy, fill and read peaks at this size (as --bytes by default)"},
    {'s', "seconds", .argument = "T",
     .text = "take about T seconds for all of them together, and leave out what is not reached by then"},
    {OPTION_EACH, "seconds-each", .argument = "T",
     .text = "time each for at least T seconds; default: 0.2, on a CPU device and of a model's dispatch 1; of a sweep "
             "0.005"},
    {'r', "repeat", .argument = "N", .text = "take at least N samples of each (5)"},
    {OPTION_REFERENCE, "reference", SETS(struct bench_options, references),
     .text = "run the CPU reference, memcpy and plain C loops at the same size too, and hold the device's whole result "
             "to theirs"},
    {OPTION_JSON, "json", KEEPS(struct bench_options, json), .argument = "FILE", .kind = ARGUMENT_FILE,
     .text = "write the results as JSON (docs/BENCHMARKS.md)"},
    {OPTION_CSV, "csv", KEEPS(struct bench_options, csv), .argument = "FILE", .kind = ARGUMENT_FILE,
     .text = "write the results as comma-separated values"},
    {OPTION_HTML, "html", .argument = "FILE",
     .refusal = "tools/bench/page.py, beside vkdml's sources, draws the page of what --json writes"},
    {OPTION_PEERS, "peers", KEEPS(struct bench_options, peers), .argument = "FILE", .kind = ARGUMENT_FILE,
     .text = "compare with what tools/bench/peers.py wrote"},
    {OPTION_COMPARE, "compare", KEEPS(struct bench_options, baseline), .argument = "FILE", .kind = ARGUMENT_FILE,
     .text =
         "compare with an earlier run's JSON: exit with 1 where a ratio dropped by more than the spread of both runs "
         "and 3 %"},
    {OPTION_FROM, "from", KEEPS(struct bench_options, from), .argument = "FILE", .kind = ARGUMENT_FILE,
     .text = "instead of timing: report on, or compare, what --json wrote"},
    {OPTION_SWEEP, "sweep", .argument = "N",
     .text = "instead: N random cases of each family, of the size that --bytes says"},
    {OPTION_SEED, "seed", .argument = "S", .text = "of the random cases (1)"},
    {OPTION_LATENCY, "latency", SETS(struct bench_options, latency),
     .text = "instead: operators of 1 KiB to 1 MiB against an empty dispatch"},
    {OPTION_HOST, "host", SETS(struct bench_options, host),
     .text = "instead: what recording, creating and compiling cost the host"},
    {OPTION_NO_FEATURES, "no-features", SETS(struct bench_options, no_features),
     .text = "on a device with no feature enabled: no shaderFloat16, no matrix cores"},
    ONNX_ROWS(struct bench_options, onnx),
    ONNX_HALF_ROW(struct bench_options, onnx),
    ONNX_WIDE_ROW(struct bench_options, onnx),
    {0},
};

/* Every benchmark is valid at each of these sizes. At 4 GiB many tensors of 8-bit types would have 2^32 elements, which is
 * one too many. */
#define SMALLEST_SIZE ((uint64_t)256)
#define LARGEST_SIZE  ((uint64_t)2 << 30)

/* "256MiB", "64k", "1048576"; *text then stands behind it. */
static bool read_size(const char **text, uint64_t *size) {
    static const char units[] = "kmg";
    char *end = NULL;
    errno = 0;
    *size = strtoull(*text, &end, 10);
    bool good = end != *text && !errno && **text != '-' && *size <= LARGEST_SIZE;
    for (unsigned u = 0; good && units[u] != '\0'; u++) {
        if (*end == units[u] || *end == units[u] - 'a' + 'A') {
            *size <<= 10 * (u + 1);
            end += strncmp(end + 1, "iB", 2) == 0 ? 3 : 1;
            break;
        }
    }
    *text = end;
    return good && *size >= SMALLEST_SIZE && *size <= LARGEST_SIZE;
}

/* Sizes between commas; 0, and a message on stderr, where they are none. */
static size_t read_sizes(const char *text, size_t capacity, uint64_t *sizes) {
    const char *at = text;
    size_t count = 0;
    do {
        if (count == capacity || !read_size(&at, &sizes[count]) || (*at != ',' && *at != '\0')) {
            refusal_tell("'%s' must be at most %zu sizes from 256 to 2GiB, such as 64KiB or 256MiB", text, capacity);
            return 0;
        }
        count++;
    } while (*at++ == ',');
    return count;
}

/* A day: more is a slip of the pen. */
#define LONGEST_SECONDS 86400

static bool read_seconds(const char *text, double *seconds) {
    char *end = NULL;
    *seconds = strtod(text, &end);
    if (end == text || *end || !(*seconds >= 0 && *seconds <= LONGEST_SECONDS)) {
        return refusal_tell("'%s' must be a number of seconds from 0 to %d", text, LONGEST_SECONDS);
    }
    return true;
}

static bool add_filter(struct bench_options *options, const char *text) {
    struct bench_filter *filter = &options->filter;
    if (filter->count == BENCH_MAX_FILTERS) {
        return refusal_tell("at most %d times; commas take more", BENCH_MAX_FILTERS);
    }
    filter->texts[filter->count++] = text;
    return true;
}

bool bench_options_apply(int option, const char *argument, void *request) {
    struct bench_options *options = request;
    if (onnx_request_takes(option)) {
        return onnx_request_apply(option, argument, &options->onnx);
    }
    switch (option) {
    case 'a':
        options->device = argument;
        if (devices_is_reference(argument)) {
            return refusal_tell("it times Vulkan devices; --reference times the CPU reference beside one");
        }
        return true;
    case 'f':
        return add_filter(options, argument);
    case 'b':
        options->size_count = read_sizes(argument, BENCH_MAX_SIZES, options->sizes);
        return options->size_count != 0;
    case OPTION_PEAK:
        return read_sizes(argument, 1, &options->peak_size) == 1;
    case 's':
        return read_seconds(argument, &options->seconds);
    case OPTION_EACH:
        return read_seconds(argument, &options->effort.seconds);
    case 'r':
        return command_line_number(argument, 1, 1000, &options->effort.repeat);
    case OPTION_SWEEP:
        return command_line_number(argument, 1, 1000000, &options->sweep);
    default:
        return command_line_number(argument, 0, UINT32_MAX, &options->seed);
    }
}

/* Whether options speak of the benchmarks, which are not timed where a model is. */
static bool has_benchmarks(const struct bench_options *options) {
    return options->filter.count || options->list || options->references || options->latency || options->host ||
           options->no_features || options->size_count || options->peak_size || options->sweep ||
           !isnan(options->seconds) || options->csv || options->peers || options->baseline || options->from;
}

bool bench_options_agree(const struct bench_options *options) {
    if (options->model && has_benchmarks(options)) {
        fprintf(stderr, "vkdml bench: of a model there are --adapter, --seconds-each, --repeat and --json alone\n");
        return false;
    }
    if (onnx_request_is_used(&options->onnx) && !(options->model && onnx_request_is_model(options->model))) {
        fputs("vkdml bench: --size, --input, --zeros, --half and --float32-intermediates are of ONNX models\n", stderr);
        return false;
    }
    if ((options->sweep != 0) + options->latency + options->host + (options->from != NULL) > 1) {
        fprintf(stderr, "vkdml bench: --sweep, --latency, --host and --from: one at a time\n");
        return false;
    }
    if (!isnan(options->seconds) && (options->sweep != 0 || options->latency || options->host)) {
        fprintf(stderr, "vkdml bench: --seconds, with --sweep, --latency or --host, must be --seconds-each\n");
        return false;
    }
    if (!isnan(options->seconds) && options->effort.seconds >= 0) {
        fprintf(
            stderr,
            "vkdml bench: --seconds and --seconds-each must be one of the two: all benchmarks' time, or each one's\n");
        return false;
    }
    return true;
}

struct bench_filter bench_small_filter(const struct bench_options *options) {
    return options->filter.count ? options->filter : (struct bench_filter){{"*/float32/*"}, 1};
}
