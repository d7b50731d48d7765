/* What the CPU takes for the same work: the reference, memcpy, and a plain loop. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_case.h"
#include "timing.h"

static double median(double *values, size_t count) {
    for (size_t i = 1; i < count; i++) {
        for (size_t j = i; j > 0 && values[j] < values[j - 1]; j--) {
            const double value = values[j];
            values[j] = values[j - 1];
            values[j - 1] = value;
        }
    }
    return values[count / 2];
}

/* Of odd number, so that there is a middle one. The first, which meets untouched pages, is not among them. */
#define TURNS 5

/* memcpy of as many bytes as the case moves, half of them read. Not of zeros: written over zeros, they take half the
 * time of others on an Intel Xeon that leaves out lines which do not change. */
static bool time_memory_copy(uint64_t bytes, double *milliseconds) {
    double turns[TURNS + 1];
    unsigned char *from = malloc(bytes / 2 + 1), *to = malloc(bytes / 2 + 1);
    const bool good = from && to;
    for (size_t i = 0; good && i <= TURNS; i++) {
        /* Other bytes each turn, so that no copy can be left out. */
        memset(from, (int)i + 1, i == 0 ? bytes / 2 + 1 : 1);
        const double start = timing_now();
        memcpy(to, from, bytes / 2 + 1);
        turns[i] = timing_now() - start;
    }
    if (good) {
        *milliseconds = to[0] == TURNS + 1 ? median(turns + 1, TURNS) : (double)NAN;
    } else {
        fprintf(stderr, "vkdml: out of memory\n");
    }
    free(from);
    free(to);
    return good;
}

static void time_loop(const struct bench_entry *entry, const struct operator_case *c, const struct bench_images *images,
                      double *milliseconds) {
    double turns[TURNS + 1];
    unsigned char *tensors[CASE_MAX_FIELDS];
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        tensors[i] = images->fields[i] ? images->fields[i] + c->fields[i].tensor.offset : NULL;
    }
    for (size_t i = 0; i <= TURNS; i++) {
        const double start = timing_now();
        entry->benchmark->loop(c, tensors);
        turns[i] = timing_now() - start;
    }
    *milliseconds = median(turns + 1, TURNS);
}

bool bench_host_times(struct bench_device *device, const struct bench_entry *entry, const struct operator_case *c,
                      uint64_t bytes, struct bench_host_times *times) {
    struct bench_images images = {{NULL}};
    const uint32_t flags = entry->benchmark ? entry->benchmark->flags : 0;
    *times = (struct bench_host_times){(double)NAN, (double)NAN, (double)NAN};
    bool good = bench_execute(device, c, bench_device_for(device, flags), &images);
    /* The loop first: into outputs that hold no result yet. */
    if (good && entry->benchmark && entry->benchmark->loop) {
        time_loop(entry, c, &images, &times->loop);
        good = bench_images_compare(device, c, &images);
    }
    const double start = timing_now();
    good = good && bench_images_reference(c, &images);
    times->reference = timing_now() - start;
    good = good && bench_images_compare(device, c, &images);
    bench_images_free(&images);
    return good && time_memory_copy(bytes, &times->memory_copy);
}
