/* The command line of `vkdml bench`. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <math.h>

#include "bench/device.h"
#include "bench/list.h"
#include "command_line/command_line.h"
#include "command_line/onnx_request.h"

#define BENCH_MAX_SIZES 16

struct bench_options {
    const char *device;
    const char *model; /* to time instead of benchmarks; NULL: none */
    struct bench_filter filter;
    const char *json, *csv;       /* files to write */
    const char *peers, *baseline; /* files to read */
    const char *from;             /* the run to report on, instead of a new one */
    bool list, references, latency, host, no_features;
    uint64_t sizes[BENCH_MAX_SIZES];
    size_t size_count;  /* 0: the device's default size */
    uint64_t peak_size; /* 0: the same */
    uint32_t sweep;     /* random cases of each family */
    uint32_t seed;
    double seconds; /* for all benchmarks together; NAN: as long as they take */
    struct bench_effort effort;
    struct onnx_request onnx;
};

extern const struct option_row bench_option_rows[];

/* The benchmarks of --latency and --host, where no filter is given. */
struct bench_filter bench_small_filter(const struct bench_options *options);

/* What the options are where the command line says nothing. */
#define BENCH_OPTIONS_DEFAULT                                                                                          \
    ((struct bench_options){.seed = 1, .seconds = (double)NAN, .effort = {.seconds = -1, .repeat = 5}})

/* Takes an option into a struct bench_options. False, with the reason on stderr, where its argument is wrong. */
bool bench_options_apply(int key, const char *argument, void *request);

/* False, with the reason on stderr, where options exclude each other. */
bool bench_options_agree(const struct bench_options *options);

#endif
