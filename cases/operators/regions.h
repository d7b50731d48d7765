/* Cases of operators that pool regions of pictures. */
#ifndef CASES_REGIONS_H
#define CASES_REGIONS_H

#include "cases/family.h"

/* Slots; ROI_POOLING has no indices. */
enum { INPUT, ROI, INDICES, OUTPUT };

const uint32_t *regions_words(const struct operator_case *c, const char *field);
float regions_float(const struct operator_case *c, const char *field);

/* The element of a slot's tensor at a coordinate. */
uint64_t regions_bits_at(const struct operator_case *c, const unsigned char *const *tensors, uint32_t slot,
                         const uint32_t *at);
double regions_number_at(const struct operator_case *c, const unsigned char *const *tensors, uint32_t slot,
                         const uint32_t *at);

/* An input, and an output of regions on a grid of bins, each of which takes `cost` elements; 0: up to a plane's. */
void regions_generate_tensors(struct random *random, struct operator_case *c, uint32_t cost);

/* Gives ROITensor as many dimensions, regions, and numbers of each. */
void regions_set(struct case_tensor *roi, uint32_t rank, uint32_t regions, uint32_t numbers);

/* Its elements: typed data where there are few, else a fill. Corners are scaled by scales of x and y. */
void regions_generate(struct random *random, struct operator_case *c, const float *scales, bool has_picture);
float regions_scale(struct random *random, uint32_t size);

/* 24 regions on a plane of 64 x 64, to be scaled by that. */
void regions_benchmark(struct operator_case *c, uint32_t numbers);

/* One picture of as many channels as there is room for, and 7 x 7 bins. */
void regions_benchmark_planes(struct operator_case *c, uint64_t bytes, DML_TENSOR_DATA_TYPE type);

/* A plane of 4 x 4. */
#define SIXTEEN "InputTensor=FLOAT32[1,1,4,4] InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 "

#endif
