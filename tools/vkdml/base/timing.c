#include "base/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/growth.h"
#include "base/json_tree.h"

double timing_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void timing_sleep(double milliseconds) {
    if (milliseconds > 0) {
        time_t seconds = (time_t)(milliseconds / 1e3);
        struct timespec pause = {seconds, (long)((milliseconds - (double)seconds * 1e3) * 1e6)};
        nanosleep(&pause, NULL);
    }
}

bool timing_add(struct timing *timing, const struct timing_sample *sample) {
    struct timing_sample *samples = growth_room(timing->samples, timing->count, &timing->capacity, sizeof(*samples));
    if (samples) {
        timing->samples = samples;
        samples[timing->count++] = *sample;
    }
    return samples != NULL;
}

void timing_free(struct timing *timing) {
    free(timing->samples);
    *timing = (struct timing){0};
}

static double cpu_of(const struct timing_sample *sample) {
    return sample->cpu;
}

static double gpu_of(const struct timing_sample *sample) {
    return sample->gpu;
}

static double bind_of(const struct timing_sample *sample) {
    return sample->bind;
}

/* The three series that a summary speaks of, in its order. */
static const struct series {
    const char *name;
    const char *member; /* in JSON */
    double (*value)(const struct timing_sample *sample);
} all_series[] = {{"CPU", "cpu_ms", cpu_of}, {"GPU", "gpu_ms", gpu_of}, {"Bind", "bind_ms", bind_of}};

static const size_t series_count = sizeof(all_series) / sizeof(all_series[0]);

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

struct statistics {
    size_t count;
    double average;
    double minimum;
    double median;
    double maximum;
};

/* Of the samples that were measured; all NAN where none was, or memory for sorting is out. */
static struct statistics summarize(const struct timing_sample *samples, size_t count, const struct series *series) {
    struct statistics result = {0, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
    double *values = count ? malloc(count * sizeof(*values)) : NULL;
    double sum = 0;
    if (!values) {
        return result;
    }
    size_t measured = 0;
    for (size_t i = 0; i < count; i++) {
        values[measured] = series->value(&samples[i]);
        if (!isnan(values[measured])) {
            sum += values[measured++];
        }
    }
    count = measured;
    if (count > 0) {
        qsort(values, count, sizeof(*values), by_size);
        double middle = values[count / 2];
        result = (struct statistics){count, sum / (double)count, values[0],
                                     count % 2 ? middle : (values[count / 2 - 1] + middle) / 2, values[count - 1]};
    }
    free(values);
    return result;
}

static void print_statistics(const char *temperature, const struct timing_sample *samples, size_t count) {
    /* Binding is not among them: the format that these lines follow has CPU and GPU only. */
    for (size_t i = 0; count && i < 2; i++) {
        struct statistics of = summarize(samples, count, &all_series[i]);
        if (!isnan(of.median)) {
            printf("%s Timings %-6s : %zu samples, %.4f ms average, %.4f ms min, %.4f ms median, %.4f ms max\n",
                   all_series[i].name, temperature, of.count, of.average, of.minimum, of.median, of.maximum);
        }
    }
}

/* How many samples are left out of the median. */
static size_t count_cold(const struct timing *timing, size_t warmup) {
    return warmup < timing->count ? warmup : timing->count ? timing->count - 1 : 0;
}

void timing_print(const struct timing *timing, const char *name, size_t warmup, unsigned verbosity) {
    const size_t cold = count_cold(timing, warmup);
    printf("Dispatch '%s': %zu iterations", name, timing->count);
    if (verbosity == 0) {
        for (size_t i = 0; i < series_count; i++) {
            struct statistics hot = summarize(timing->samples + cold, timing->count - cold, &all_series[i]);
            if (!isnan(hot.median)) {
                printf(", %.4f ms median (%s)", hot.median, all_series[i].name);
            }
        }
    }
    putchar('\n');
    if (verbosity >= 1) {
        print_statistics("(Cold)", timing->samples, cold);
        print_statistics("(Hot)", timing->samples + cold, timing->count - cold);
    }
    if (verbosity >= 2) {
        puts("The timings of each iteration:");
        for (size_t i = 0; i < timing->count; i++) {
            printf("iteration %zu: %.4f ms (CPU)", i, timing->samples[i].cpu);
            if (!isnan(timing->samples[i].gpu)) {
                printf(", %.4f ms (GPU)", timing->samples[i].gpu);
            }
            putchar('\n');
        }
    }
}

double timing_median(const struct timing *timing, size_t warmup, bool *on_device) {
    const size_t cold = count_cold(timing, warmup);
    const struct statistics gpu = summarize(timing->samples + cold, timing->count - cold, &all_series[1]);
    *on_device = gpu.count > 0;
    return *on_device ? gpu.median : summarize(timing->samples + cold, timing->count - cold, &all_series[0]).median;
}

bool timing_to_json(const struct timing *timing, size_t warmup, struct json_object *object) {
    const size_t cold = count_cold(timing, warmup);
    bool good = json_tree_count(object, "iterations", timing->count) && json_tree_count(object, "warmup", cold);
    for (size_t i = 0; good && i < series_count; i++) {
        const struct statistics hot = summarize(timing->samples + cold, timing->count - cold, &all_series[i]);
        if (hot.count == 0) {
            continue;
        }
        struct json_object *series = json_tree_object(object, all_series[i].member);
        good = json_tree_count(series, "samples", hot.count) && json_tree_number(series, "average", hot.average) &&
               json_tree_number(series, "minimum", hot.minimum) && json_tree_number(series, "median", hot.median) &&
               json_tree_number(series, "maximum", hot.maximum);
    }
    return good;
}
