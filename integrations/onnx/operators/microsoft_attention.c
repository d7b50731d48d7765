/* Attention, MultiHeadAttention and QAttention of com.microsoft. */
#include <math.h>

#include "onnx/operators.h"
#include "onnx/operators/attention.h"
#include "onnx/operators/matrices.h"
#include "onnx/operators/parts.h"

struct sizes {
    uint32_t batch, rows, past, keys; /* all keys, past ones included */
    struct onnx_growing_keys growing;
};

static bool find_sizes(const struct onnx_call *call, struct onnx_attention *a, struct sizes *s) {
    *s = (struct sizes){.batch = a->q->sizes[0], .rows = a->q->sizes[2]};
    if (!onnx_grow_keys(call, a, &s->growing)) {
        return false;
    }
    s->past = a->past_k == NULL ? 0 : a->past_k->sizes[2];
    s->keys = s->past + a->k->sizes[2];
    return true;
}

/* ---- masks ---- */

/* `count` elements from the start of a tensor of one dimension, as {count, 1, 1, 1}. */
static struct onnx_tensor *for_batches(const struct onnx_call *call, struct onnx_tensor *mask, uint32_t start,
                                       uint32_t count) {
    const uint32_t sizes[] = {count, 1, 1, 1};
    return onnx_reshape(call, onnx_slice_axis(call, mask, 0, start, count, 1), 4, sizes);
}

/* Of one dimension: lengths, or ends and starts, or lengths and what has no meaning here. */
static struct onnx_tensor *keep_by_lengths(const struct onnx_call *call, const struct sizes *s,
                                           struct onnx_tensor *mask, struct onnx_tensor **from) {
    struct onnx_tensor *key = onnx_iota(call, ONNX_INT32, 4, 3, s->keys);
    const uint32_t count = mask->sizes[0];
    if (count != s->batch && count != 2 * s->batch && count != 3 * s->batch + 2) {
        onnx_refuse(call, "a mask whose sizes do not fit");
        return NULL;
    }
    if (count == 2 * s->batch) {
        *from = onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL, key,
                             for_batches(call, mask, s->batch, s->batch));
    }
    return onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN, key, for_batches(call, mask, 0, s->batch));
}

/* Of more dimensions: {batch, keys} or {batch, rows, keys}; what is above 0 is kept. */
static struct onnx_tensor *keep_by_places(const struct onnx_call *call, const struct sizes *s,
                                          struct onnx_tensor *mask) {
    uint32_t sizes[] = {s->batch, 1, 1, s->keys};
    if (mask->rank == 3) {
        sizes[2] = s->rows;
    }
    mask = onnx_reshape(call, mask, 4, sizes);
    return onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN, mask, onnx_number(call, ONNX_INT32, 0));
}

/* Of a mask, of `added`, which may both be NULL, and of unidirectional. */
static bool make_bias(const struct onnx_call *call, const struct sizes *s, struct onnx_tensor *mask,
                      struct onnx_tensor *added, struct onnx_attention *a) {
    const enum onnx_type type = a->q->type;
    const double filter = (double)onnx_float(call, "mask_filter_value", -10000.0F);
    struct onnx_tensor *from = NULL;
    if (mask != NULL && mask->rank > 1) {
        mask = onnx_grow_mask(call, &s->growing, mask);
        if (mask == NULL) {
            return false;
        }
    }
    if (mask != NULL) {
        if (mask->type != ONNX_INT32 || mask->rank == 0 || mask->rank > 3) {
            return onnx_refuse_type(call, "a mask of %s or other dimensions", onnx_type_name(mask->type));
        }
        struct onnx_tensor *keep =
            mask->rank == 1 ? keep_by_lengths(call, s, mask, &from) : keep_by_places(call, s, mask);
        a->bias = onnx_mask_bias(call, type, NULL, keep, filter);
        if (from != NULL) {
            a->bias = onnx_mask_bias(call, type, a->bias, from, filter);
        }
    }
    if (added != NULL) {
        added = onnx_grow_mask(call, &s->growing, added);
        a->bias = a->bias == NULL ? added : onnx_add(call, a->bias, added);
    }
    if (onnx_int(call, "unidirectional", 0) == 1) {
        if (s->growing.is_growing ? s->growing.all.bias != s->growing.past.bias + s->rows
                                  : s->keys != s->past + s->rows) {
            return onnx_refuse(call, "unidirectional with other keys than queries");
        }
        struct onnx_tensor *offset = s->growing.is_growing ? onnx_size_number(call, &s->growing.past)
                                                           : onnx_number(call, ONNX_INT32, s->past);
        a->bias = onnx_mask_bias(call, type, a->bias, onnx_keep_to_right(call, s->rows, s->keys, offset, 0),
                                 -(double)INFINITY);
    }
    const bool is_causal = onnx_int(call, "unidirectional", 0) == 1;
    return onnx_mask_unused(call, &s->growing, a, s->keys, is_causal);
}

/* Layers of the same mask share a bias of keys that grow, which depends on the run's length. */
static bool find_bias(const struct onnx_call *call, const struct sizes *s, struct onnx_tensor *mask,
                      struct onnx_tensor *added, struct onnx_attention *a) {
    if (!s->growing.is_growing || added != NULL ||
        onnx_attribute(call, "mask_filter_value", ONNX_ATTRIBUTE_FLOAT) != NULL) {
        return make_bias(call, s, mask, added, a);
    }
    const char *what = onnx_int(call, "unidirectional", 0) == 1 ? "bias of rows before" : "bias of rows";
    struct onnx_tensor *past = onnx_size_number(call, &s->growing.past);
    struct onnx_tensor **place =
        onnx_share(call, what, mask, past, s->rows, (uint32_t)s->growing.all.bias * 32 + (uint32_t)a->q->type);
    if (place == NULL || (*place == NULL && !make_bias(call, s, mask, added, a))) {
        return false;
    }
    *place = *place == NULL ? a->bias : *place;
    a->bias = *place;
    return true;
}

/* 0 is as good as none. */
static float read_scale(const struct onnx_call *call, const struct onnx_tensor *q) {
    const float scale = onnx_float(call, "scale", 0.0F);
    return scale != 0 ? scale : 1.0F / sqrtf((float)q->sizes[3]);
}

/* ---- Attention and QAttention ---- */

struct projected {
    struct onnx_tensor *all;   /* {batch, rows, sizes of queries, keys and values} */
    uint32_t heads, hidden[3]; /* sizes of queries, keys and values */
    struct onnx_tensor *mask, *past, *added;
};

static bool read_hidden(const struct onnx_call *call, uint32_t all, struct projected *p) {
    uint32_t count;
    uint64_t sum = 0;
    const int64_t *given = onnx_ints(call, "qkv_hidden_sizes", &count), heads = onnx_int(call, "num_heads", 0);
    if (heads < 1 || heads > INT32_MAX || (count != 0 && count != 3)) {
        return onnx_refuse(call, "num_heads or qkv_hidden_sizes that have no meaning");
    }
    p->heads = (uint32_t)heads;
    for (uint32_t i = 0; i < 3; ++i) {
        const int64_t size = count == 0 ? all / 3 : given[i];
        if (size < 1 || size > INT32_MAX || size % heads != 0) {
            return onnx_refuse(call, "sizes that num_heads does not divide");
        }
        p->hidden[i] = (uint32_t)size;
        sum += (uint64_t)size;
    }
    return sum == all || onnx_refuse(call, "weights of other sizes than qkv_hidden_sizes");
}

static bool read_past(const struct onnx_call *call, const struct projected *p, struct onnx_attention *a) {
    struct onnx_tensor *const past = p->past;
    if (past == NULL || (past->rank == 5 && past->sizes[3] == 0)) {
        return true;
    }
    if (past->rank != 5 || past->sizes[0] != 2) {
        return onnx_refuse(call, "a past of other sizes");
    }
    struct onnx_tensor *plain = onnx_without_growing(call, past);
    a->past_k = onnx_reshape(call, onnx_slice_axis(call, plain, 0, 0, 1, 1), 4, past->sizes + 1);
    a->past_v = onnx_reshape(call, onnx_slice_axis(call, plain, 0, 1, 1, 1), 4, past->sizes + 1);
    if (past->growing != NULL) {
        const struct onnx_size_element size = onnx_size_of(past, 3);
        a->past_k = onnx_with_growing(call, a->past_k, 2, &size, true);
        a->past_v = onnx_with_growing(call, a->past_v, 2, &size, true);
    }
    return a->past_k != NULL && a->past_v != NULL;
}

/* Keys and values as one tensor, {2, batch, heads, keys, elements}. */
static struct onnx_tensor *join_present(const struct onnx_call *call, struct onnx_tensor *k, struct onnx_tensor *v) {
    if (k == NULL || v == NULL) {
        return NULL;
    }
    const uint32_t sizes[] = {1, k->sizes[0], k->sizes[1], k->sizes[2], k->sizes[3]};
    const struct onnx_size_element size = onnx_size_of(k, 2);
    k = onnx_reshape(call, onnx_without_growing(call, k), 5, sizes);
    v = onnx_reshape(call, onnx_without_growing(call, v), 5, sizes);
    struct onnx_tensor *present = onnx_join(call, 2, (struct onnx_tensor *[]){k, v}, 0);
    return size.input == ONNX_NONE ? present : onnx_with_growing(call, present, 3, &size, true);
}

static bool attend_projected(const struct onnx_call *call, const struct projected *p) {
    struct onnx_attention a = {.wants_present = onnx_is_wanted(call, 1), .wanted_scores = ONNX_SCORES_NONE};
    const uint32_t *hidden = p->hidden;
    if (onnx_int(call, "do_rotary", 0) != 0 || onnx_int(call, "past_present_share_buffer", 0) != 0) {
        return onnx_refuse(call, "do_rotary, or past_present_share_buffer");
    }
    a.q = onnx_split_heads(call, onnx_slice_axis(call, p->all, 2, 0, hidden[0], 1), p->heads);
    a.k = onnx_split_heads(call, onnx_slice_axis(call, p->all, 2, hidden[0], hidden[1], 1), p->heads);
    a.v = onnx_split_heads(call, onnx_slice_axis(call, p->all, 2, hidden[0] + hidden[1], hidden[2], 1), p->heads);
    if (a.q == NULL || a.k == NULL || a.v == NULL || !read_past(call, p, &a)) {
        return false;
    }
    struct sizes s;
    if (!find_sizes(call, &a, &s)) {
        return false;
    }
    a.scale = read_scale(call, a.q);
    if (!find_bias(call, &s, p->mask, p->added, &a) || !onnx_attend(call, &a)) {
        return false;
    }
    onnx_set_present(&s.growing, &a);
    return onnx_output(call, 0, onnx_merge_heads(call, a.result)) &&
           (!a.wants_present || onnx_output(call, 1, join_present(call, a.present_k, a.present_v)));
}

static bool attention(const struct onnx_call *call) {
    struct onnx_tensor *x = onnx_input(call, 0), *weights = onnx_input(call, 1), *bias = onnx_input(call, 2);
    if (x == NULL || weights == NULL || x->rank != 3 || weights->rank != 2 || onnx_input(call, 6) != NULL) {
        return onnx_refuse(call, "an input of other than 3 dimensions, weights of other than 2, or past lengths");
    }
    const uint32_t all = weights->sizes[1];
    struct projected p = {.mask = onnx_input(call, 3), .past = onnx_input(call, 4), .added = onnx_input(call, 5)};
    if (onnx_is_empty(x) || x->sizes[2] != weights->sizes[0] || !read_hidden(call, all, &p)) {
        return onnx_refuse(call, "weights whose sizes do not fit");
    }
    struct onnx_tensor *rows = onnx_reshape(call, x, 2, (const uint32_t[]){x->sizes[0] * x->sizes[1], x->sizes[2]});
    p.all = onnx_reshape(call, onnx_gemm(call, rows, weights, false, 1.0F, bias), 3,
                         (const uint32_t[]){x->sizes[0], x->sizes[1], all});
    return p.all != NULL && attend_projected(call, &p);
}

static bool attention_of_integers(const struct onnx_call *call) {
    const struct onnx_quantized x = {onnx_input(call, 0), onnx_input(call, 3), onnx_input(call, 6)},
                                weights = {onnx_input(call, 1), onnx_input(call, 4), onnx_input(call, 7)};
    if (x.tensor == NULL || x.tensor->rank != 3 || weights.tensor == NULL || weights.tensor->rank != 2 ||
        x.scale == NULL || onnx_count(x.scale) != 1) {
        return onnx_refuse(call, "an input of other than 3 dimensions, or weights of other than 2");
    }
    struct projected p = {.mask = onnx_input(call, 5), .past = onnx_input(call, 8)};
    if (!read_hidden(call, weights.tensor->sizes[1], &p)) {
        return false;
    }
    p.all = onnx_product_to_float(call, &x, &weights, onnx_input(call, 2));
    return p.all != NULL && attend_projected(call, &p);
}

/* ---- MultiHeadAttention ---- */

/* One of `count` tensors that are stacked: {batch, rows, heads, count, elements}. */
static struct onnx_tensor *unstack(const struct onnx_call *call, struct onnx_tensor *stack, uint32_t which) {
    const uint32_t sizes[] = {stack->sizes[0], stack->sizes[1], stack->sizes[2], stack->sizes[4]};
    struct onnx_tensor *part = onnx_reshape(call, onnx_slice_axis(call, stack, 3, which, 1, 1), 4, sizes);
    return onnx_transpose(call, part, (const uint32_t[]){0, 2, 1, 3});
}

/* Its part of the bias is added to a tensor of 3 dimensions. */
static struct onnx_tensor *read_part(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t heads,
                                     uint32_t *start) {
    struct onnx_tensor *bias = onnx_input(call, 3);
    if (tensor != NULL && tensor->rank == 4 && bias == NULL) {
        return tensor;
    }
    if (tensor == NULL || tensor->rank != 3) {
        onnx_refuse(call, "queries, keys or values of dimensions that have no meaning, or that a bias is added to");
        return NULL;
    }
    if (bias != NULL) {
        if (bias->rank != 1 || *start > bias->sizes[0] || tensor->sizes[2] > bias->sizes[0] - *start) {
            onnx_refuse(call, "a bias whose sizes do not fit");
            return NULL;
        }
        tensor = onnx_add(call, tensor, onnx_slice_axis(call, bias, 0, *start, tensor->sizes[2], 1));
    }
    *start += tensor == NULL ? 0 : tensor->sizes[2];
    return onnx_split_heads(call, tensor, heads);
}

static bool read_sources(const struct onnx_call *call, uint32_t heads, struct onnx_attention *a) {
    struct onnx_tensor *q = onnx_input(call, 0), *k = onnx_input(call, 1), *v = onnx_input(call, 2);
    uint32_t start = 0;
    if (q == NULL) {
        return onnx_refuse(call, "no queries");
    }
    if (q->rank == 5 && q->sizes[3] == 3 && k == NULL && v == NULL && onnx_input(call, 3) == NULL) {
        a->q = unstack(call, q, 0);
        a->k = unstack(call, q, 1);
        a->v = unstack(call, q, 2);
    } else if (k != NULL && k->rank == 5 && k->sizes[3] == 2 && v == NULL && onnx_input(call, 3) == NULL) {
        a->q = read_part(call, q, heads, &start);
        a->k = unstack(call, k, 0);
        a->v = unstack(call, k, 1);
    } else if (q->rank == 3) {
        a->q = read_part(call, q, heads, &start);
        a->k = read_part(call, k, heads, &start);
        a->v = read_part(call, v, heads, &start);
    } else {
        return onnx_refuse(call, "queries of dimensions that have no meaning");
    }
    return a->q != NULL && a->k != NULL && a->v != NULL;
}

static bool multi_head_attention(const struct onnx_call *call) {
    const int64_t heads = onnx_int(call, "num_heads", 0);
    struct onnx_attention a = {.past_k = onnx_input(call, 6),
                               .past_v = onnx_input(call, 7),
                               .wants_present = onnx_is_wanted(call, 1) || onnx_is_wanted(call, 2),
                               .wanted_scores = ONNX_SCORES_NONE};
    if (heads < 1 || heads > INT32_MAX || onnx_input(call, 8) != NULL || onnx_input(call, 9) != NULL ||
        onnx_is_wanted(call, 3)) {
        return onnx_refuse(call, "no num_heads, past lengths, cache_indirection, or scores as a result");
    }
    if (!read_sources(call, (uint32_t)heads, &a)) {
        return false;
    }
    if (a.past_k != NULL && a.past_k->rank != 4) {
        return onnx_refuse(call, "past keys of other than 4 dimensions");
    }
    struct sizes s;
    if (!find_sizes(call, &a, &s)) {
        return false;
    }
    a.scale = read_scale(call, a.q);
    if (!find_bias(call, &s, onnx_input(call, 4), onnx_input(call, 5), &a) || !onnx_attend(call, &a)) {
        return false;
    }
    onnx_set_present(&s.growing, &a);
    return onnx_output(call, 0, onnx_merge_heads(call, a.result)) &&
           (!a.wants_present || (onnx_output(call, 1, a.present_k) && onnx_output(call, 2, a.present_v)));
}

static const struct onnx_operator rows[] = {
    {ONNX_MICROSOFT, "Attention", 1, attention},
    {ONNX_MICROSOFT, "QAttention", 1, attention_of_integers},
    {ONNX_MICROSOFT, "MultiHeadAttention", 1, multi_head_attention},
};
ONNX_DEFINE_FAMILY(microsoft_attention, rows)
