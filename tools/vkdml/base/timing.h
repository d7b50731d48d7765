/* How long dispatches took. */
#ifndef TIMING_H
#define TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* One iteration, in milliseconds. NAN: not measured. */
struct timing_sample {
    double cpu;  /* recording, submitting and waiting, per repeat */
    double gpu;  /* between the timestamps around the work, per repeat */
    double bind; /* binding buffers */
};

/* All iterations of a dispatch. */
struct timing {
    struct timing_sample *samples;
    size_t count;
    size_t capacity;
};

/* Milliseconds on a clock that only goes forward. */
double timing_now(void);

void timing_sleep(double milliseconds);

/* False where memory is out. */
bool timing_add(struct timing *timing, const struct timing_sample *sample);

void timing_free(struct timing *timing);

/* Prints the summary of a dispatch on stdout. The first `warmup` samples, but never all, are left out of the median.
 * verbosity 0: one line; 1: statistics of cold and hot samples; 2: every sample too. */
void timing_print(const struct timing *timing, const char *name, size_t warmup, unsigned verbosity);

/* The median alone, on the device where that was measured, else of the CPU's times. */
double timing_median(const struct timing *timing, size_t warmup, bool *on_device);

/* Adds the same to an object: "iterations", "warmup", and of each series that was measured an object of its statistics.
 * False where memory is out. */
bool timing_to_json(const struct timing *timing, size_t warmup, struct json_object *object);

#endif
