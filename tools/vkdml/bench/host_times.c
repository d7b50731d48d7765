/* What the CPU takes for the same work: the reference, memcpy, and a plain loop. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timing.h"
#include "bench/case.h"

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

/* The benchmark's own, or its family's where elements are floats. */
static case_loop *loop_of(const struct bench_entry *entry) {
    const bool is_float = entry->type == DML_TENSOR_DATA_TYPE_FLOAT32 || entry->type == DML_TENSOR_DATA_TYPE_FLOAT16;
    return entry->benchmark == NULL         ? NULL
           : entry->benchmark->loop != NULL ? entry->benchmark->loop
           : is_float                       ? entry->family->loop
                                            : NULL;
}

/* A loop of libm's functions is as exact as they are. */
static bool is_exact(const struct operator_case *c) {
    return c->schema->accuracy.kind == VKDML_ACCURACY_EXACT;
}

static void time_loop(case_loop *loop, const struct operator_case *c, const struct bench_images *images,
                      double *milliseconds) {
    double turns[TURNS + 1];
    unsigned char *tensors[CASE_MAX_TENSORS];
    for (uint32_t i = 0; i < CASE_MAX_TENSORS; i++) {
        tensors[i] = images->tensors[i] ? images->tensors[i] + c->tensors[i].offset : NULL;
    }
    for (size_t i = 0; i <= TURNS; i++) {
        const double start = timing_now();
        loop(c, tensors);
        turns[i] = timing_now() - start;
    }
    *milliseconds = median(turns + 1, TURNS);
}

/* Beyond so many operations C takes minutes. */
#define MOST_OPERATIONS 2e9

bool bench_host_times(struct bench_device *device, const struct bench_entry *entry, const struct operator_case *c,
                      uint64_t bytes, struct bench_host_times *times) {
    struct bench_images images = {{NULL}};
    const uint32_t flags = entry->benchmark ? entry->benchmark->flags : 0;
    *times = (struct bench_host_times){(double)NAN, (double)NAN, (double)NAN};
    bool good = bench_execute(device, c, bench_device_for(device, flags), &images);
    /* The loop first: into outputs that hold no result yet. */
    case_loop *const loop = loop_of(entry);
    if (good && entry->family->operations != NULL && entry->family->operations(c) > MOST_OPERATIONS) {
        bench_images_free(&images);
        return time_memory_copy(bytes, &times->memory_copy);
    }
    if (good && loop != NULL) {
        time_loop(loop, c, &images, &times->loop);
        good = !is_exact(c) || bench_images_compare(device, c, &images);
    }
    const double start = timing_now();
    good = good && bench_images_reference(c, &images);
    times->reference = timing_now() - start;
    good = good && bench_images_compare(device, c, &images);
    bench_images_free(&images);
    return good && time_memory_copy(bytes, &times->memory_copy);
}
