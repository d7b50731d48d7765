/* What the operators have in common that move elements: slices, joins, splits, tiles, blocks and windows. */
#ifndef CASES_REARRANGING_H
#define CASES_REARRANGING_H

#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"

#define BENCHMARKED (CASE_TYPES_FLOATS | CASE_TYPE(UINT8) | CASE_TYPE(INT64))
#define WORDS_AND_HALVES                                                                                               \
    (CASE_TYPES_FLOATS | CASE_TYPE(INT32) | CASE_TYPE(INT16) | CASE_TYPE(UINT32) | CASE_TYPE(UINT16))

/* A family of name_support, name_fixed, name_refused, name_benchmarks and generate_name. One has a frame for all, with
 * every kind of step and direction. */
#define REARRANGING_FAMILY(name, NAME, has_frame_)                                                                     \
    CASE_FAMILY(name, NAME, .has_frame = has_frame_, .transfers = true, .generate = generate_##name, .group = #name,   \
                CASE_BENCHMARKS(name##_benchmarks))

/* What elements are that are moved. */
enum case_fill rearranging_fill(struct random *random);

/* A tensor of a type that the field takes, of any sizes. */
struct case_tensor *rearranging_any_tensor(struct random *random, struct operator_case *c, const char *field);

/* The same type, rank and sizes, for a caller that changes some. */
void rearranging_copy_shape(struct case_tensor *to, const struct case_tensor *from);

void rearranging_lay_out(struct random *random, struct case_tensor *input, struct case_tensor *output);

/* How far apart packed elements are along a dimension. */
ptrdiff_t rearranging_packed_stride(const struct case_tensor *tensor, uint32_t d);

#endif
