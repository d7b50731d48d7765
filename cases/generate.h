/* What all generators choose alike: types, sizes, strides, placement. */
#ifndef CASES_GENERATE_H
#define CASES_GENERATE_H

#include "cases/case.h"
#include "cases/random.h"

/* How many elements the largest tensor may have: mostly few thousand, now and then up to a million; or what
 * generate_fix_budget() said. */
uint32_t generate_budget(struct random *random);

/* Fixes the budget of the cases generated from now on, for cases of one size; 0 leaves it to chance again. Of the
 * calling thread alone. */
void generate_fix_budget(uint32_t elements);
bool generate_budget_is_fixed(void);

/* Sizes with a product of at most `budget`, biased to 1, odd numbers and powers of two and their neighbours. Where the
 * budget is fixed it is spent. */
void generate_sizes(struct random *random, uint32_t budget, struct case_tensor *tensor);

/* A size of a product, at most `most`: around those of the tiles that kernels cut products into, and any. */
uint32_t generate_tile_size(struct random *random, uint32_t most);

/* One of the types that the field takes at the newest feature level. */
DML_TENSOR_DATA_TYPE generate_type(struct random *random, const struct operator_case *c, const char *field);

/* Strides, offset, alignment and sizes beyond need, of an input (broadcast and overlapping too) or output. */
void generate_input_layout(struct random *random, struct case_tensor *tensor);
void generate_output_layout(struct random *random, struct case_tensor *tensor);

/* Seed, execution flags, OWNED_BY_DML on inputs that nothing is in place of, and a feature level among those that take
 * the case. Last, when the rest of the case stands. */
void generate_call(struct random *random, struct operator_case *c);

/* The largest size, a multiple of `step`, of which `others` together hold at most `bytes`; at least `step`. */
uint32_t benchmark_size(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint64_t others, uint32_t step);

/* A packed tensor of the sizes given. */
void benchmark_tensor(struct case_tensor *tensor, DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *sizes);

/* Images: a batch of 64 channels of 256 x 256, smaller where `bytes` holds no such image. */
void benchmark_images(struct case_tensor *tensor, uint64_t bytes, DML_TENSOR_DATA_TYPE type);

/* InputTensor, of floats above 0 and up to 1, and OutputTensor: rows of so many elements; 0: pictures. */
void benchmark_rows(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t width, struct operator_case *c);

#endif
