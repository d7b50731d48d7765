/* Host copies of what a case's buffers hold, to compare results with. */
#ifndef BENCH_IMAGES_H
#define BENCH_IMAGES_H

#include "bench/device.h"

/* By slot, each from its pool's beginning; NULL: absent. Zeroed before use, bench_images_free() after. */
struct bench_images {
    unsigned char *tensors[CASE_MAX_TENSORS];
};

/* What a tensor takes of its pool: its offset, its bytes and those bound behind them, rounded up. */
uint64_t bench_region_bytes(const struct case_tensor *tensor);

/* Tells the library's reason for refusing a case; false. */
bool bench_refused(const struct operator_case *c);

/* Makes random bytes, in inputs what the case says, and uploads them to the beginnings of the pools. */
bool bench_images_upload(struct bench_device *device, const struct operator_case *c, struct bench_images *images);

/* Executes the reference on the images. */
bool bench_images_reference(const struct operator_case *c, struct bench_images *images);

/* Whether the outputs' pools begin with what the images hold; where not, tells the case. */
bool bench_images_compare(struct bench_device *device, const struct operator_case *c,
                          const struct bench_images *images);

void bench_images_free(struct bench_images *images);

#endif
