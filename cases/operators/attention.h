/* Cases of attention. */
#ifndef CASES_OPERATORS_ATTENTION_H
#define CASES_OPERATORS_ATTENTION_H

#include "cases/accuracy.h"

/* The fields' places in both descriptors, which are the tensors' slots. */
enum {
    QUERY,
    KEY,
    VALUE,
    QUERY_KEY,
    KEY_VALUE,
    QUERY_KEY_VALUE,
    BIAS,
    MASK,
    RELATIVE_BIAS,
    PAST_KEY,
    PAST_VALUE,
    PAST_LENGTHS
};
enum { MASK_NONE, MASK_LENGTH, MASK_END_START, MASK_PACKED, MASK_BOOLEAN };

/* What a case says, in one form. */
struct attention_shape {
    uint32_t batch, queries, keys, past, total, query_heads, key_heads, depth, columns;
    uint32_t mask_type;
    bool has_lengths;
    double scale, filter;
};

struct attention_shape attention_shape_of(const struct operator_case *c);

/* Whether it is MULTIHEAD_ATTENTION1. */
bool attention_is_newer(const struct operator_case *c);

struct accuracy_bounds attention_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                        const uint32_t *at);
struct accuracy_exact attention_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                      const uint32_t *at);

#endif
