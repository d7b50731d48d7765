/* Attention of ai.onnx. */
#include <math.h>

#include "onnx/operators.h"
#include "onnx/operators/attention.h"
#include "onnx/operators/parts.h"

struct inputs {
    struct onnx_tensor *q, *k, *v; /* {batch, heads, rows, elements} */
    struct onnx_tensor *past_k, *past_v, *lengths;
    struct onnx_growing_keys growing;
    uint32_t rows, keys; /* all of them */
};

static bool read_tensors(const struct onnx_call *call, struct inputs *i) {
    i->q = onnx_input(call, 0);
    i->k = onnx_input(call, 1);
    i->v = onnx_input(call, 2);
    i->past_k = onnx_input(call, 4);
    i->past_v = onnx_input(call, 5);
    i->lengths = onnx_input(call, 6);
    if (i->q == NULL || i->k == NULL || i->v == NULL || i->k->rank != i->q->rank || i->v->rank != i->q->rank) {
        return onnx_refuse(call, "queries, keys and values of other dimensions");
    }
    if (i->q->rank == 3) {
        const int64_t heads = onnx_int(call, "q_num_heads", 0), key_heads = onnx_int(call, "kv_num_heads", 0);
        if (heads < 1 || heads > UINT32_MAX || key_heads < 1 || key_heads > UINT32_MAX) {
            return onnx_refuse(call, "no q_num_heads or kv_num_heads");
        }
        i->q = onnx_split_heads(call, i->q, (uint32_t)heads);
        i->k = onnx_split_heads(call, i->k, (uint32_t)key_heads);
        i->v = onnx_split_heads(call, i->v, (uint32_t)key_heads);
    }
    if (i->q == NULL || i->k == NULL || i->v == NULL || i->q->rank != 4) {
        return onnx_refuse(call, "queries of other than 3 or 4 dimensions");
    }
    if (i->q->type != ONNX_FLOAT && i->q->type != ONNX_FLOAT16) {
        return onnx_refuse_type(call, "queries of %s", onnx_type_name(i->q->type));
    }
    if (i->past_k != NULL && (i->past_k->rank != 4 || i->lengths != NULL)) {
        return onnx_refuse(call, "past keys of other than 4 dimensions, or with lengths");
    }
    struct onnx_attention a = {.q = i->q, .k = i->k, .v = i->v, .past_k = i->past_k, .past_v = i->past_v};
    if (!onnx_grow_keys(call, &a, &i->growing)) {
        return false;
    }
    i->k = a.k;
    i->v = a.v;
    i->past_k = a.past_k;
    i->past_v = a.past_v;
    i->rows = i->q->sizes[2];
    i->keys = i->k->sizes[2] + (i->past_k == NULL ? 0 : i->past_k->sizes[2]);
    return true;
}

/* The mask as a bias; keys that it does not reach are masked. */
static struct onnx_tensor *read_mask(const struct onnx_call *call, const struct inputs *i, struct onnx_tensor *mask) {
    const enum onnx_type type = i->q->type;
    mask = onnx_grow_mask(call, &i->growing, mask);
    if (mask == NULL) {
        return NULL;
    }
    if (mask->rank == 0 || mask->rank > 4 || mask->sizes[mask->rank - 1] > i->keys) {
        onnx_refuse(call, "a mask whose sizes do not fit");
        return NULL;
    }
    if (mask->type == ONNX_BOOL) {
        mask = onnx_mask_bias(call, type, NULL, mask, -(double)INFINITY);
    } else if (mask->type == ONNX_FLOAT || mask->type == ONNX_FLOAT16) {
        mask = onnx_cast(call, mask, type);
    } else {
        onnx_refuse_type(call, "a mask of %s", onnx_type_name(mask->type));
        return NULL;
    }
    if (mask == NULL || call->node->version < 24 || mask->sizes[mask->rank - 1] == i->keys || i->growing.is_growing) {
        return mask;
    }
    uint32_t sizes[ONNX_MAX_RANK];
    const uint32_t last = mask->rank - 1;
    for (uint32_t d = 0; d < mask->rank; ++d) {
        sizes[d] = mask->sizes[d];
    }
    sizes[last] = i->keys - mask->sizes[last];
    struct onnx_tensor *rest = onnx_fill(call, type, mask->rank, sizes, -(double)INFINITY);
    return onnx_join(call, 2, (struct onnx_tensor *[]){mask, rest}, last);
}

/* {batch} of INT32 as {batch, 1, 1, 1}. */
static struct onnx_tensor *read_lengths(const struct onnx_call *call, const struct inputs *i) {
    const uint32_t sizes[] = {i->q->sizes[0], 1, 1, 1};
    if (i->lengths->rank != 1) {
        onnx_refuse(call, "lengths of other than one dimension");
        return NULL;
    }
    return onnx_reshape(call, onnx_cast(call, i->lengths, ONNX_INT32), 4, sizes);
}

/* Masks, is_causal, windows and lengths, all of them as one bias. */
static bool make_bias(const struct onnx_call *call, const struct inputs *i, struct onnx_attention *a) {
    const enum onnx_type type = i->q->type;
    const double masked = -(double)INFINITY;
    struct onnx_tensor *mask = onnx_input(call, 3), *lengths = NULL, *offset;
    const bool is_causal = onnx_int(call, "is_causal", 0) == 1;
    const int64_t left = onnx_int(call, "left_window_size", -1), right = onnx_int(call, "right_window_size", -1);
    if (left < -1 || right < -1) {
        return onnx_refuse(call, "a window of a size that has no meaning");
    }
    if (mask != NULL) {
        a->bias = read_mask(call, i, mask);
    }
    if (i->lengths != NULL) {
        lengths = read_lengths(call, i);
        offset = onnx_subtract(call, lengths, onnx_number(call, ONNX_INT32, i->rows));
    } else if (i->growing.is_growing) {
        offset = onnx_size_number(call, &i->growing.past);
    } else {
        offset = onnx_number(call, ONNX_INT32, i->past_k == NULL ? 0 : i->past_k->sizes[2]);
    }
    a->masks_rows = mask != NULL || lengths != NULL || left >= 0 || right >= 0;
    if (is_causal) {
        a->bias = onnx_mask_bias(call, type, a->bias, onnx_keep_to_right(call, i->rows, i->keys, offset, 0), masked);
    }
    if (left >= 0 && left < INT32_MAX / 2) {
        a->bias = onnx_mask_bias(call, type, a->bias, onnx_keep_to_left(call, i->rows, i->keys, offset, (int32_t)left),
                                 masked);
    }
    if (right >= 0 && right < INT32_MAX / 2) {
        a->bias = onnx_mask_bias(call, type, a->bias,
                                 onnx_keep_to_right(call, i->rows, i->keys, offset, (int32_t)right), masked);
    }
    if (lengths != NULL) {
        struct onnx_tensor *key = onnx_iota(call, ONNX_INT32, 4, 3, i->keys);
        struct onnx_tensor *keep = onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN, key, lengths);
        a->bias = onnx_mask_bias(call, type, a->bias, keep, masked);
    }
    return onnx_mask_unused(call, &i->growing, a, i->keys, is_causal);
}

/* Layers of the same mask share a bias of keys that grow, which depends on the run's length. */
static bool find_bias(const struct onnx_call *call, const struct inputs *i, struct onnx_attention *a) {
    const bool has_window = onnx_int(call, "left_window_size", -1) >= 0 || onnx_int(call, "right_window_size", -1) >= 0;
    if (!i->growing.is_growing || i->lengths != NULL || has_window) {
        return make_bias(call, i, a);
    }
    const char *what = onnx_int(call, "is_causal", 0) == 1 ? "causal bias of Attention" : "bias of Attention";
    struct onnx_tensor *past = onnx_size_number(call, &i->growing.past);
    struct onnx_tensor **place = onnx_share(call, what, onnx_input(call, 3), past, i->rows,
                                            (uint32_t)i->growing.all.bias * 32 + (uint32_t)i->q->type);
    if (place == NULL || (*place == NULL && !make_bias(call, i, a))) {
        return false;
    }
    a->masks_rows = onnx_input(call, 3) != NULL;
    *place = *place == NULL ? a->bias : *place;
    a->bias = *place;
    return true;
}

/* FLOAT is as good as DOUBLE where results are FLOAT's at most. */
static bool read_precision(const struct onnx_call *call, enum onnx_type type, enum onnx_type *precision) {
    const int64_t asked = onnx_int(call, "softmax_precision", 0);
    if (asked != 0 && asked != ONNX_FLOAT && asked != ONNX_FLOAT16 && asked != ONNX_DOUBLE) {
        return onnx_refuse_type(call, "a softmax of %s", onnx_type_name((enum onnx_type)asked));
    }
    *precision = asked == 0 || asked == (int64_t)type ? ONNX_UNDEFINED
                 : asked == ONNX_FLOAT16              ? ONNX_FLOAT16
                                                      : ONNX_FLOAT;
    return true;
}

static bool attention(const struct onnx_call *call) {
    struct inputs i = {0};
    if (!read_tensors(call, &i)) {
        return false;
    }
    struct onnx_attention a = {.q = i.q,
                               .k = i.k,
                               .v = i.v,
                               .past_k = i.past_k,
                               .past_v = i.past_v,
                               .wants_present = onnx_is_wanted(call, 1) || onnx_is_wanted(call, 2),
                               .softcap = onnx_float(call, "softcap", 0.0F),
                               .wanted_scores = ONNX_SCORES_NONE};
    a.scale = onnx_float(call, "scale", 1.0F / sqrtf((float)i.q->sizes[3]));
    if (onnx_is_wanted(call, 3)) {
        if (i.growing.is_growing) {
            return onnx_fix_growing(call, i.growing.present_k);
        }
        const int64_t mode = onnx_int(call, "qk_matmul_output_mode", 0);
        if (mode < ONNX_SCORES_PRODUCT || mode > ONNX_SCORES_WEIGHTS) {
            return onnx_refuse(call, "a qk_matmul_output_mode that has no meaning");
        }
        a.wanted_scores = (enum onnx_scores)mode;
    }
    if (!(a.softcap >= 0)) {
        return onnx_refuse(call, "a softcap below 0");
    }
    if (!read_precision(call, i.q->type, &a.precision) || !find_bias(call, &i, &a) || !onnx_attend(call, &a)) {
        return false;
    }
    onnx_set_present(&i.growing, &a);
    struct onnx_tensor *result = onnx_input(call, 0)->rank == 3 ? onnx_merge_heads(call, a.result) : a.result;
    return onnx_output(call, 0, result) &&
           (!a.wants_present || (onnx_output(call, 1, a.present_k) && onnx_output(call, 2, a.present_v))) &&
           (a.wanted_scores == ONNX_SCORES_NONE || onnx_output(call, 3, a.scores));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Attention", 23, attention},
};
ONNX_DEFINE_FAMILY(attention, rows)
