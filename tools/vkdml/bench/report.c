#include "bench/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A ratio must drop by this much beyond the spreads to count: clocks and other tenants move it as far from run to run.
 */
#define MARGIN 0.03

static double number_of(struct json_object *object, const char *name) {
    struct json_object *value = NULL;
    return json_object_object_get_ex(object, name, &value) ? json_object_get_double(value) : (double)NAN;
}

static const char *name_of(struct json_object *object) {
    struct json_object *value = NULL;
    const char *name = json_object_object_get_ex(object, "name", &value) ? json_object_get_string(value) : NULL;
    return name ? name : "";
}

static struct json_object *results_of(struct json_object *run) {
    return json_object_object_get(run, "results");
}

static struct json_object *find_result(struct json_object *run, const char *name) {
    struct json_object *results = results_of(run);
    for (size_t i = 0; i < json_object_array_length(results); i++) {
        struct json_object *result = json_object_array_get_idx(results, i);
        if (strcmp(name_of(result), name) == 0) {
            return result;
        }
    }
    return NULL;
}

/* An earlier run may hold a benchmark to another peak. */
static const char *peak_of(struct json_object *result) {
    struct json_object *value = NULL;
    const char *peak = json_object_object_get_ex(result, "peak", &value) ? json_object_get_string(value) : NULL;
    return peak ? peak : "";
}

/* Half of what lies between the 10th and the 90th percentile, of the median. */
static double spread_of(struct json_object *result) {
    const double spread = (number_of(result, "ms_p90") - number_of(result, "ms_p10")) / 2 / number_of(result, "ms");
    return isnan(spread) ? 0 : spread;
}

int bench_compare(struct json_object *run, struct json_object *baseline) {
    struct json_object *results = results_of(run);
    int drops = 0, compared = 0;
    for (size_t i = 0; i < json_object_array_length(results); i++) {
        struct json_object *now = json_object_array_get_idx(results, i);
        struct json_object *then = find_result(baseline, name_of(now));
        if (!then || strcmp(peak_of(now), peak_of(then)) != 0) {
            continue;
        }
        const double drop = 1 - number_of(now, "ratio") / number_of(then, "ratio");
        const double noise = spread_of(now) + spread_of(then) + MARGIN;
        compared++;
        if (drop > noise) {
            drops++;
            printf("# DROP %s: ratio %.3f, was %.3f: %.1f %% less, noise and margin are %.1f %%\n", name_of(now),
                   number_of(now, "ratio"), number_of(then, "ratio"), 100 * drop, 100 * noise);
        }
    }
    printf("# %d of %d ratios dropped since the baseline\n", drops, compared);
    return compared ? drops : -1;
}

void bench_print_peers(struct json_object *run, struct json_object *peers) {
    struct json_object *results = results_of(peers);
    printf("%-54s %-16s %9s %9s %s\n", "# benchmark", "peer", "ms", "ours", "times as fast");
    for (size_t i = 0; i < json_object_array_length(results); i++) {
        struct json_object *theirs = json_object_array_get_idx(results, i);
        struct json_object *ours = find_result(run, name_of(theirs));
        struct json_object *peer = NULL;
        json_object_object_get_ex(theirs, "peer", &peer);
        if (ours) {
            printf("%-54s %-16s %9.4f %9.4f %6.2f\n", name_of(ours), peer ? json_object_get_string(peer) : "?",
                   number_of(theirs, "ms"), number_of(ours, "ms"), number_of(theirs, "ms") / number_of(ours, "ms"));
        }
    }
}

static bool opened(const char *path, FILE *file) {
    if (!file) {
        fprintf(stderr, "vkdml bench: cannot write %s\n", path);
    }
    return file != NULL;
}

static bool closed(const char *path, FILE *file) {
    const bool good = !ferror(file);
    if (fclose(file) != 0 || !good) {
        fprintf(stderr, "vkdml bench: cannot write %s\n", path);
        return false;
    }
    return true;
}

bool bench_write_csv(const char *path, struct json_object *run) {
    static const char *const columns[] = {"name",    "group",        "type",      "size",   "bytes", "ms",
                                          "ms_p10",  "ms_p90",       "gbps",      "ratio",  "peak",  "tflops",
                                          "ms_host", "reference_ms", "memcpy_ms", "loop_ms"};
    const size_t column_count = sizeof(columns) / sizeof(columns[0]);
    struct json_object *results = results_of(run);
    FILE *file = fopen(path, "w");
    if (!opened(path, file)) {
        return false;
    }
    for (size_t i = 0; i < column_count; i++) {
        fprintf(file, "%s%s", i ? "," : "", columns[i]);
    }
    for (size_t r = 0; r < json_object_array_length(results); r++) {
        struct json_object *result = json_object_array_get_idx(results, r);
        for (size_t i = 0; i < column_count; i++) {
            struct json_object *value = NULL;
            json_object_object_get_ex(result, columns[i], &value);
            /* No name or type holds a comma or a quote. */
            fprintf(file, "%s%s", i ? "," : "\n", value ? json_object_get_string(value) : "");
        }
    }
    fputc('\n', file);
    return closed(path, file);
}
