#include "bench_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char bench_usage[] =
    "Usage: vkdml bench [OPTION]..\n"
    "\n"
    "Times the operators on the benchmarks of the test cases, after holding a small run of each to the CPU reference:\n"
    "the bytes that must move (each input element once, each output byte once) over time, and the ratio of that to "
    "what\n"
    "copying reaches in the same run, or filling where nothing is read, or reading where hardly anything is written.\n"
    "\n"
    "  -a, --device TEXT    the device whose name contains TEXT; default: $VKDML_DEVICE, else the best device\n"
    "  -f, --filter TEXT    benchmarks whose name contains TEXT, or fits it where it has *, ? or [\n"
    "  -l, --list           print the benchmarks and their cases, and exit\n"
    "  -b, --bytes N,..     sizes, e.g. 1MiB,256MiB; default: 256MiB, on a CPU device 64MiB\n"
    "      --peak-bytes N   measure the copy, fill and read peaks at this size (as --bytes by default)\n"
    "  -s, --seconds T      time each for at least T seconds; default: 0.2, on a CPU device 1; of a sweep\n"
    "                       0.005\n"
    "  -r, --repeat N       take at least N samples of each (5)\n"
    "      --reference      run the CPU reference, memcpy and plain C loops at the same size too, and hold the\n"
    "                       device's whole result to theirs\n"
    "      --json FILE      write the results as JSON (docs/BENCHMARKS.md)\n"
    "      --csv FILE       write the results as comma-separated values\n"
    "      --html FILE      write the results as a page with plots\n"
    "      --peers FILE     compare with what tools/bench_peers.py wrote\n"
    "      --compare FILE   compare with an earlier run's JSON: exit with 1 where a ratio dropped by more than the\n"
    "                       spread of both runs and 3 %\n"
    "      --from FILE      instead of timing: report on, or compare, what --json wrote\n"
    "      --sweep N        instead: N random cases of each family, of the size that --bytes says\n"
    "      --seed S         of the random cases (1)\n"
    "      --latency        instead: operators of 1 KiB to 1 MiB against an empty dispatch\n"
    "      --host           instead: what recording, creating and compiling cost the host\n"
    "      --no-features    on a device with no feature enabled: no shaderFloat16, no matrix cores\n"
    "  -h, --help           print this and exit\n";

enum long_option {
    OPTION_REFERENCE = 256,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_HTML,
    OPTION_PEERS,
    OPTION_COMPARE,
    OPTION_FROM,
    OPTION_PEAK,
    OPTION_SWEEP,
    OPTION_SEED,
    OPTION_LATENCY,
    OPTION_HOST,
    OPTION_NO_FEATURES
};

static const struct option long_options[] = {
    {"device", required_argument, NULL, 'a'},
    {"filter", required_argument, NULL, 'f'},
    {"list", no_argument, NULL, 'l'},
    {"bytes", required_argument, NULL, 'b'},
    {"seconds", required_argument, NULL, 's'},
    {"repeat", required_argument, NULL, 'r'},
    {"reference", no_argument, NULL, OPTION_REFERENCE},
    {"json", required_argument, NULL, OPTION_JSON},
    {"csv", required_argument, NULL, OPTION_CSV},
    {"html", required_argument, NULL, OPTION_HTML},
    {"peers", required_argument, NULL, OPTION_PEERS},
    {"compare", required_argument, NULL, OPTION_COMPARE},
    {"from", required_argument, NULL, OPTION_FROM},
    {"peak-bytes", required_argument, NULL, OPTION_PEAK},
    {"sweep", required_argument, NULL, OPTION_SWEEP},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"latency", no_argument, NULL, OPTION_LATENCY},
    {"host", no_argument, NULL, OPTION_HOST},
    {"no-features", no_argument, NULL, OPTION_NO_FEATURES},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* From a page to what 2^32 - 1 elements of the smallest type hold. */
#define SMALLEST_SIZE ((uint64_t)256)
#define LARGEST_SIZE  ((uint64_t)1 << 32)

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
            fprintf(stderr, "vkdml bench: '%s' must be at most %zu sizes from 256 to 4GiB, such as 64KiB or 256MiB\n",
                    text, capacity);
            return 0;
        }
        count++;
    } while (*at++ == ',');
    return count;
}

static bool read_seconds(const char *text, double *seconds) {
    char *end = NULL;
    *seconds = strtod(text, &end);
    if (end == text || *end || !(*seconds >= 0 && *seconds <= 3600)) {
        fprintf(stderr, "vkdml bench: '%s' must be a number of seconds from 0 to 3600\n", text);
        return false;
    }
    return true;
}

static bool read_number(const char *text, uint32_t minimum, uint32_t maximum, uint32_t *number) {
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end || text[0] == '-' || errno || value < minimum || value > maximum) {
        fprintf(stderr, "vkdml bench: '%s' must be a whole number from %u to %u\n", text, minimum, maximum);
        return false;
    }
    *number = (uint32_t)value;
    return true;
}

/* Options that name a file. */
static const char **file_of(int option, struct bench_options *options) {
    switch (option) {
    case OPTION_JSON:
        return &options->json;
    case OPTION_CSV:
        return &options->csv;
    case OPTION_HTML:
        return &options->html;
    case OPTION_PEERS:
        return &options->peers;
    case OPTION_COMPARE:
        return &options->baseline;
    case OPTION_FROM:
        return &options->from;
    default:
        return NULL;
    }
}

static bool apply_option(int option, const char *argument, struct bench_options *options) {
    const char **file = file_of(option, options);
    if (file) {
        *file = argument;
        return true;
    }
    switch (option) {
    case 'a':
        options->device = argument;
        return true;
    case 'f':
        options->filter = argument;
        return true;
    case 'l':
        return options->list = true;
    case 'b':
        options->size_count = read_sizes(argument, BENCH_MAX_SIZES, options->sizes);
        return options->size_count != 0;
    case OPTION_PEAK:
        return read_sizes(argument, 1, &options->peak_size) == 1;
    case 's':
        return read_seconds(argument, &options->effort.seconds);
    case 'r':
        return read_number(argument, 1, 1000, &options->effort.repeat);
    case OPTION_REFERENCE:
        return options->references = true;
    case OPTION_SWEEP:
        return read_number(argument, 1, 1000000, &options->sweep);
    case OPTION_SEED:
        return read_number(argument, 0, UINT32_MAX, &options->seed);
    case OPTION_LATENCY:
        return options->latency = true;
    case OPTION_HOST:
        return options->host = true;
    case OPTION_NO_FEATURES:
        return options->no_features = true;
    case 'h':
        return options->help = true;
    default:
        return false; /* getopt_long has said what is wrong */
    }
}

bool bench_options_read(int argc, char **argv, struct bench_options *options) {
    int option;
    *options = (struct bench_options){.seed = 1, .effort = {.seconds = -1, .repeat = 5}};
    while ((option = getopt_long(argc, argv, "a:f:lb:s:r:h", long_options, NULL)) != -1) {
        if (!apply_option(option, optarg, options)) {
            return false;
        }
    }
    if (optind != argc) {
        fprintf(stderr, "vkdml bench: what is '%s'? (`vkdml bench --help` tells more)\n", argv[optind]);
        return false;
    }
    if ((options->sweep != 0) + options->latency + options->host + (options->from != NULL) > 1) {
        fprintf(stderr, "vkdml bench: --sweep, --latency, --host and --from: one at a time\n");
        return false;
    }
    return true;
}
