/* What the descriptors of the attention operators say, in one form for all of their layouts. */
#ifndef VKDML_OPERATORS_ATTENTION_PARTS_H
#define VKDML_OPERATORS_ATTENTION_PARTS_H

#include "operators/operators.h"

/* Inputs, as both operators have them. */
enum {
    VKDML_ATTENTION_QUERY_TENSOR,
    VKDML_ATTENTION_KEY_TENSOR,
    VKDML_ATTENTION_VALUE_TENSOR,
    VKDML_ATTENTION_STACKED_QUERY_KEY,
    VKDML_ATTENTION_STACKED_KEY_VALUE,
    VKDML_ATTENTION_STACKED_QUERY_KEY_VALUE,
    VKDML_ATTENTION_BIAS_TENSOR,
    VKDML_ATTENTION_MASK_TENSOR,
    VKDML_ATTENTION_RELATIVE_BIAS,
    VKDML_ATTENTION_PAST_KEY,
    VKDML_ATTENTION_PAST_VALUE,
    VKDML_ATTENTION_PAST_LENGTHS /* of MULTIHEAD_ATTENTION1 alone */
};

/* Queries, keys and values; and the outputs. */
enum { VKDML_ATTENTION_QUERIES, VKDML_ATTENTION_KEYS, VKDML_ATTENTION_VALUES, VKDML_ATTENTION_ROLES };
enum { VKDML_ATTENTION_OUTPUT, VKDML_ATTENTION_PRESENT_KEY, VKDML_ATTENTION_PRESENT_VALUE };

/* The attributes, of either. */
struct vkdml_attention_attributes {
    float scale;
    float filter;
    uint32_t query_heads;
    uint32_t key_heads;
    DML_MULTIHEAD_ATTENTION_MASK_TYPE mask_type;
};

/* Where one of the roles comes from. */
struct vkdml_attention_source {
    uint32_t count; /* of tensors that would be it: 1, or the descriptor is not valid */
    uint32_t input;
    uint32_t place; /* in the stack */
    uint32_t stack; /* how many are stacked; 0: it is alone */
};

struct vkdml_attention_attributes vkdml_attention_read(const struct vkdml_instance *instance);

/* Whether there are lengths of the past: then the outputs of keys and values hold it, and are added to. */
bool vkdml_attention_has_lengths(const struct vkdml_instance *instance);

struct vkdml_attention_source vkdml_attention_source(const struct vkdml_instance *instance, uint32_t role);

/* The dimension of a tensor of which the last are `count`, of these number `index`; its size, 1 where it is not there.
 */
uint32_t vkdml_attention_size(const struct vkdml_tensor *tensor, uint32_t count, uint32_t index);

/* ---- of valid instances ---- */

/* All as {batch, head, row, element}; of heads that share keys those of a group lie behind one another. */
struct vkdml_attention_parts {
    struct vkdml_attention_attributes attributes;
    struct vkdml_view roles[VKDML_ATTENTION_ROLES];
    struct vkdml_view biases[VKDML_ATTENTION_ROLES]; /* of no tensor where there is none; of one row, for all batches */
    struct vkdml_view pasts[VKDML_ATTENTION_ROLES];  /* of keys and values */
    struct vkdml_view presents[VKDML_ATTENTION_ROLES];
    struct vkdml_view output;
    struct vkdml_view relative_bias; /* {batch, head, query, key} */
    struct vkdml_view mask; /* of BOOLEAN the same; else the numbers of batches, of which begin those that END_START
                               has more behind `mask_start` elements */
    uint64_t mask_start;
    bool fits; /* strides have 32 bits each */
};

void vkdml_attention_take_parts(const struct vkdml_instance *instance, struct vkdml_attention_parts *parts);

#endif
