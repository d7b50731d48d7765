/* Attention, softmax(scale q k^T + bias) v, which several operators are. */
#ifndef ONNX_ATTENTION_H
#define ONNX_ATTENTION_H

#include "onnx/plan.h"

/* Which scores are asked for: as ONNX numbers them. */
enum onnx_scores {
    ONNX_SCORES_PRODUCT,
    ONNX_SCORES_CAPPED,
    ONNX_SCORES_BIASED,
    ONNX_SCORES_WEIGHTS,
    ONNX_SCORES_NONE,
};

struct onnx_attention {
    /* {batch, heads, rows, elements}, views of any strides; heads of keys divide those of queries. */
    struct onnx_tensor *q, *k, *v;
    struct onnx_tensor *past_k, *past_v; /* before the keys and values; or NULL */
    struct onnx_tensor *bias;            /* broadcasts to {batch, heads, rows, keys}; or NULL */
    bool masks_rows;                     /* all of a row's bias may be -infinity: its result is 0 */
    bool wants_present;
    float scale, softcap;     /* no cap: 0 */
    enum onnx_type precision; /* of the softmax; UNDEFINED: of the tensors or a better one */
    enum onnx_scores wanted_scores;

    struct onnx_tensor *result;                /* {batch, heads, rows, elements} */
    struct onnx_tensor *present_k, *present_v; /* as wants_present says, past ones included */
    struct onnx_tensor *scores;                /* as wanted_scores says */
};

bool onnx_attend(const struct onnx_call *call, struct onnx_attention *attention);

/* Keys and values whose number the plan does not fix. */
struct onnx_growing_keys {
    bool is_growing;
    struct onnx_size_element past, all; /* how many a run has: before the new ones, and together */
    struct onnx_tensor *present_k, *present_v;
};

/* Appends keys and values to past ones that grow, and takes growing dimensions from keys and values: then they are of
 * the capacity, and there are no past ones. Returns false with a reason. */
bool onnx_grow_keys(const struct onnx_call *call, struct onnx_attention *attention, struct onnx_growing_keys *keys);

/* A mask as operators read it, whose last dimension grows as the keys do, or is 1. NULL with a reason. */
struct onnx_tensor *onnx_grow_mask(const struct onnx_call *call, const struct onnx_growing_keys *keys,
                                   struct onnx_tensor *mask);

/* Masks the keys that a run does not use, which a causal mask does too, and sets the present keys and values after
 * onnx_attend(). */
bool onnx_mask_unused(const struct onnx_call *call, const struct onnx_growing_keys *keys,
                      struct onnx_attention *attention, uint32_t count, bool is_causal);
void onnx_set_present(const struct onnx_growing_keys *keys, struct onnx_attention *attention);

/* {batch, rows, heads * elements} as {batch, heads, rows, elements}, and back. */
struct onnx_tensor *onnx_split_heads(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t heads);
struct onnx_tensor *onnx_merge_heads(const struct onnx_call *call, struct onnx_tensor *tensor);

/* The bias, NULL being 0, where `keep` holds, a bool; elsewhere `otherwise`. */
struct onnx_tensor *onnx_mask_bias(const struct onnx_call *call, enum onnx_type type, struct onnx_tensor *bias,
                                   struct onnx_tensor *keep, double otherwise);

/* Which keys are within reach of queries: {.., rows, keys} of bool, j - i - offset at most `right` or at least -`left`.
 * The offset is of INT32 and {1} or {batch, 1, 1, 1}. */
struct onnx_tensor *onnx_keep_to_right(const struct onnx_call *call, uint32_t rows, uint32_t keys,
                                       struct onnx_tensor *offset, int32_t right);
struct onnx_tensor *onnx_keep_to_left(const struct onnx_call *call, uint32_t rows, uint32_t keys,
                                      struct onnx_tensor *offset, int32_t left);

/* Rotates pairs of elements of {batch, heads, rows, elements}: the first `rotated` of each row, by cosines and sines
 * of {batch or 1, rows, rotated / 2}. */
struct onnx_tensor *onnx_rotate(const struct onnx_call *call, struct onnx_tensor *tensor, struct onnx_tensor *cosines,
                                struct onnx_tensor *sines, uint32_t rotated, bool is_interleaved);

/* Rows of a table {places, elements} by INT32 or INT64 places of {batch, rows}. */
struct onnx_tensor *onnx_look_up(const struct onnx_call *call, struct onnx_tensor *table, struct onnx_tensor *places);

#endif
