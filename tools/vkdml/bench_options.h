/* The command line of `vkdml bench`. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "bench_device.h"

#define BENCH_MAX_SIZES 16

struct bench_options {
    const char *device;
    const char *filter;
    const char *json, *csv, *html; /* files to write */
    const char *peers, *baseline;  /* files to read */
    const char *from;              /* the run to report on, instead of a new one */
    bool list, help, references, latency, host, no_features;
    uint64_t sizes[BENCH_MAX_SIZES];
    size_t size_count;  /* 0: the device's default size */
    uint64_t peak_size; /* 0: the same */
    uint32_t sweep;     /* random cases of each family */
    uint32_t seed;
    struct bench_effort effort;
};

extern const char bench_usage[];

/* False, with the reason on stderr, where the command line is wrong. */
bool bench_options_read(int argc, char **argv, struct bench_options *options);

#endif
