/* Attention: DirectML's operator where nothing is asked for that it does not say, else products and a softmax. */
#include "onnx/operators/attention.h"

#include <math.h>

#include "onnx/operators/parts.h"

/* ---- views ---- */

static const uint32_t swapped[] = {0, 2, 1, 3};

struct onnx_tensor *onnx_split_heads(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t heads) {
    if (tensor == NULL) {
        return NULL;
    }
    if (tensor->growing != NULL && tensor->rank == 3 && tensor->growing->dimension == 1) {
        const struct onnx_size_element size = onnx_size_of(tensor, 1);
        struct onnx_tensor *split = onnx_split_heads(call, onnx_without_growing(call, tensor), heads);
        return split == NULL ? NULL : onnx_with_growing(call, split, 2, &size, tensor->growing->is_zero);
    }
    if (tensor->growing != NULL) {
        onnx_fix_growing(call, tensor);
        return NULL;
    }
    if (tensor->rank != 3 || heads == 0 || tensor->sizes[2] % heads != 0) {
        onnx_refuse(call, "a tensor that %u heads do not divide", (unsigned)heads);
        return NULL;
    }
    const uint32_t sizes[] = {tensor->sizes[0], tensor->sizes[1], heads, tensor->sizes[2] / heads};
    return onnx_transpose(call, onnx_reshape(call, tensor, 4, sizes), swapped);
}

struct onnx_tensor *onnx_merge_heads(const struct onnx_call *call, struct onnx_tensor *tensor) {
    struct onnx_tensor *rows = onnx_transpose(call, tensor, swapped);
    if (rows == NULL) {
        return NULL;
    }
    const uint32_t sizes[] = {rows->sizes[0], rows->sizes[1], rows->sizes[2] * rows->sizes[3]};
    return onnx_reshape(call, rows, 3, sizes);
}

/* ---- masks ---- */

struct onnx_tensor *onnx_mask_bias(const struct onnx_call *call, enum onnx_type type, struct onnx_tensor *bias,
                                   struct onnx_tensor *keep, double otherwise) {
    if (bias == NULL && call->error->text[0] == 0) {
        bias = onnx_number(call, type, 0);
    }
    return onnx_select(call, keep, bias, onnx_number(call, type, otherwise));
}

static struct onnx_tensor *compare_places(const struct onnx_call *call, DML_OPERATOR_TYPE type, uint32_t rows,
                                          uint32_t keys, struct onnx_tensor *offset, int32_t by) {
    struct onnx_tensor *row = onnx_iota(call, ONNX_INT32, 2, 0, rows);
    struct onnx_tensor *key = onnx_iota(call, ONNX_INT32, 2, 1, keys);
    offset = onnx_add(call, offset, onnx_number(call, ONNX_INT32, by));
    return onnx_compare(call, type, key, onnx_add(call, row, offset));
}

struct onnx_tensor *onnx_keep_to_right(const struct onnx_call *call, uint32_t rows, uint32_t keys,
                                       struct onnx_tensor *offset, int32_t right) {
    return compare_places(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL, rows, keys, offset, right);
}

struct onnx_tensor *onnx_keep_to_left(const struct onnx_call *call, uint32_t rows, uint32_t keys,
                                      struct onnx_tensor *offset, int32_t left) {
    return compare_places(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL, rows, keys, offset, -left);
}

/* ---- keys that grow ---- */

static bool is_same_growth(const struct onnx_tensor *a, const struct onnx_tensor *b) {
    return a->growing != NULL && b->growing != NULL && a->growing->input == b->growing->input &&
           a->growing->added == b->growing->added && a->growing->dimension == b->growing->dimension;
}

bool onnx_grow_keys(const struct onnx_call *call, struct onnx_attention *a, struct onnx_growing_keys *keys) {
    struct onnx_tensor *past[] = {a->past_k, a->past_v};
    *keys = (struct onnx_growing_keys){.is_growing = false};
    if (a->k == NULL || a->v == NULL) {
        return false;
    }
    if (past[0] != NULL && past[1] != NULL && (past[0]->growing != NULL || past[1]->growing != NULL)) {
        if (!is_same_growth(past[0], past[1]) || past[0]->growing->dimension != 2) {
            return onnx_fix_growing(call, past[0]) && onnx_fix_growing(call, past[1]);
        }
        keys->past = onnx_size_of(past[0], 2);
        a->k = onnx_append(call, past[0], a->k);
        a->v = onnx_append(call, past[1], a->v);
        a->past_k = a->past_v = NULL;
    } else if (a->k->growing != NULL || a->v->growing != NULL) {
        if (past[0] != NULL || !is_same_growth(a->k, a->v) || a->k->growing->dimension != 2) {
            return onnx_fix_growing(call, a->k) && onnx_fix_growing(call, a->v);
        }
        keys->past = (struct onnx_size_element){ONNX_NONE, 0, 0};
    } else {
        return true;
    }
    if (a->k == NULL || a->v == NULL) {
        return false;
    }
    keys->is_growing = true;
    keys->all = onnx_size_of(a->k, 2);
    keys->present_k = a->k;
    keys->present_v = a->v;
    a->k = onnx_fill_unused(call, a->k, 0);
    a->v = onnx_fill_unused(call, a->v, 0);
    return a->k != NULL && a->v != NULL;
}

struct onnx_tensor *onnx_grow_mask(const struct onnx_call *call, const struct onnx_growing_keys *keys,
                                   struct onnx_tensor *mask) {
    if (mask == NULL || (mask->growing == NULL && !keys->is_growing)) {
        return mask;
    }
    const struct onnx_growing_dimension *growing = mask->growing;
    const bool is_alike = growing != NULL && keys->is_growing && growing->dimension + 1 == mask->rank &&
                          growing->input == keys->all.input && growing->added == keys->all.bias;
    if (is_alike || (growing == NULL && mask->rank != 0 && mask->sizes[mask->rank - 1] == 1)) {
        return onnx_without_growing(call, mask);
    }
    onnx_fix_growing(call, growing != NULL ? mask : keys->present_k);
    return NULL;
}

bool onnx_mask_unused(const struct onnx_call *call, const struct onnx_growing_keys *keys, struct onnx_attention *a,
                      uint32_t count, bool is_causal) {
    if (keys->is_growing && !is_causal) {
        a->bias = onnx_mask_bias(call, a->q->type, a->bias, onnx_in_use(call, &keys->all, count, 4, 3),
                                 -(double)INFINITY);
    }
    return call->error->text[0] == 0;
}

void onnx_set_present(const struct onnx_growing_keys *keys, struct onnx_attention *a) {
    if (keys->is_growing) {
        a->present_k = keys->present_k;
        a->present_v = keys->present_v;
    }
}

/* ---- by DirectML's operator ---- */

static bool is_packed(const struct onnx_tensor *tensor) {
    return tensor == NULL || !tensor->is_strided;
}

/* Tensors of the operator: heads side by side in rows, or each head of keys a batch of its own, where the tensors lie
 * so; rows of the heads of queries that share it follow each other then. */
struct layout {
    bool has_batches; /* of heads */
    uint32_t batch, heads, key_heads, rows, keys, columns;
};

/* {batch, heads, rows, ..} as {batch * heads of keys, heads for each * rows, ..}, with a 1 between for 4 dimensions. */
static struct onnx_tensor *merge_batches(const struct onnx_call *call, const struct layout *l,
                                         struct onnx_tensor *tensor, uint32_t rank) {
    if (tensor == NULL) {
        return NULL;
    }
    const uint32_t batches = l->batch * l->key_heads, rows = tensor->sizes[1] / l->key_heads * tensor->sizes[2],
                   columns = tensor->sizes[3];
    return rank == 3 ? onnx_reshape(call, tensor, 3, (const uint32_t[]){batches, rows, columns})
                     : onnx_reshape(call, tensor, 4, (const uint32_t[]){batches, 1, rows, columns});
}

static struct onnx_tensor *lay_out(const struct onnx_call *call, const struct layout *l, struct onnx_tensor *tensor) {
    return l->has_batches ? merge_batches(call, l, tensor, 3) : onnx_merge_heads(call, tensor);
}

static struct onnx_tensor *lay_out_bias(const struct onnx_call *call, const struct layout *l,
                                        struct onnx_tensor *bias) {
    const uint32_t all[] = {l->batch, l->heads, l->rows, l->keys};
    bias = onnx_pad_rank(call, bias, 4);
    if (bias == NULL || !l->has_batches) {
        return onnx_broadcast(call, bias, 4, all);
    }
    if (bias->sizes[0] == 1 && bias->sizes[1] == 1 && l->heads == l->key_heads) {
        return onnx_broadcast(call, bias, 4, (const uint32_t[]){l->batch * l->heads, 1, l->rows, l->keys});
    }
    return merge_batches(call, l, onnx_broadcast(call, bias, 4, all), 4);
}

/* What is past as it is, {batch, heads, rows, elements}. */
static struct onnx_tensor *lay_out_past(const struct onnx_call *call, const struct layout *l,
                                        struct onnx_tensor *past) {
    return past == NULL || !l->has_batches ? past : merge_batches(call, l, past, 4);
}

static bool emit_attention(const struct onnx_call *call, struct onnx_attention *a, const struct layout *l) {
    const bool has_present = a->wants_present && a->past_k != NULL;
    struct onnx_tensor *q = lay_out(call, l, a->q), *k = lay_out(call, l, a->k), *v = lay_out(call, l, a->v);
    struct onnx_tensor *past_k = lay_out_past(call, l, a->past_k), *past_v = lay_out_past(call, l, a->past_v);
    struct onnx_tensor *bias = a->bias == NULL ? NULL : lay_out_bias(call, l, a->bias);
    if (call->error->text[0] != 0 || q == NULL || k == NULL || v == NULL) {
        return false;
    }
    const uint32_t batches = q->sizes[0], heads = l->has_batches ? 1 : l->heads,
                   key_heads = l->has_batches ? 1 : l->key_heads;
    struct onnx_tensor *outputs[] = {
        onnx_declare(call, q->type, 3, (const uint32_t[]){batches, q->sizes[1], heads * l->columns}), &onnx_absent,
        &onnx_absent};
    if (has_present) {
        outputs[1] = onnx_declare(call, q->type, 4, (const uint32_t[]){batches, key_heads, l->keys, a->k->sizes[3]});
        outputs[2] = onnx_declare(call, q->type, 4, (const uint32_t[]){batches, key_heads, l->keys, l->columns});
    }
    DML_MULTIHEAD_ATTENTION1_OPERATOR_DESC desc = {
        .Scale = a->scale, .QueryHeadCount = heads, .KeyValueHeadCount = key_heads};
    struct onnx_tensor *const inputs[] = {q, k, v, NULL, NULL, NULL, NULL, NULL, bias, past_k, past_v};
    if (outputs[0] == NULL || outputs[1] == NULL || outputs[2] == NULL ||
        !onnx_emit(call, DML_OPERATOR_MULTIHEAD_ATTENTION1, &desc, sizeof inputs / sizeof inputs[0], inputs, 3,
                   outputs)) {
        return false;
    }
    const uint32_t sizes[] = {l->batch, l->heads, l->rows, l->columns};
    a->result = l->has_batches ? onnx_reshape(call, outputs[0], 4, sizes) : onnx_split_heads(call, outputs[0], heads);
    if (has_present) {
        const uint32_t keys[] = {l->batch, l->key_heads, l->keys, a->k->sizes[3]};
        const uint32_t values[] = {l->batch, l->key_heads, l->keys, l->columns};
        a->present_k = onnx_reshape(call, outputs[1], 4, keys);
        a->present_v = onnx_reshape(call, outputs[2], 4, values);
    }
    return a->result != NULL;
}

/* ---- by products ---- */

/* {batch, heads, rows, ..} as {batch, heads of keys, heads for each * rows, ..}. */
static struct onnx_tensor *group(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t key_heads) {
    if (tensor == NULL || tensor->sizes[1] == key_heads) {
        return tensor;
    }
    const uint32_t sizes[] = {tensor->sizes[0], key_heads, tensor->sizes[1] / key_heads * tensor->sizes[2],
                              tensor->sizes[3]};
    return onnx_reshape(call, tensor, 4, sizes);
}

/* Whether all of a row's bias is -infinity. */
static struct onnx_tensor *find_masked_rows(const struct onnx_call *call, struct onnx_tensor *bias) {
    bias = onnx_pad_rank(call, bias, 4);
    if (bias == NULL) {
        return NULL;
    }
    const uint32_t axis = 3;
    struct onnx_tensor *greatest = onnx_reduce(call, DML_REDUCE_FUNCTION_MAX, bias, 1, &axis);
    return onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, greatest,
                        onnx_number(call, bias->type, -(double)INFINITY));
}

static bool compose(const struct onnx_call *call, struct onnx_attention *a, const struct layout *l) {
    struct onnx_tensor *k = a->k, *v = a->v;
    if (a->past_k != NULL) {
        k = onnx_join(call, 2, (struct onnx_tensor *[]){a->past_k, k}, 2);
        v = onnx_join(call, 2, (struct onnx_tensor *[]){a->past_v, v}, 2);
        a->present_k = k;
        a->present_v = v;
    }
    struct onnx_tensor *stages[4];
    const enum onnx_type type = a->q->type;
    const uint32_t sizes[] = {l->batch, l->heads, l->rows, l->keys};
    struct onnx_tensor *scores = onnx_gemm(call, group(call, a->q, l->key_heads), k, true, a->scale, NULL);
    scores = onnx_reshape(call, scores, 4, sizes);
    stages[ONNX_SCORES_PRODUCT] = scores;
    if (a->softcap > 0) {
        const DML_SCALE_BIAS by = {1.0F / a->softcap, 0.0F};
        DML_ELEMENT_WISE_TANH_OPERATOR_DESC desc = {.ScaleBias = &by};
        scores = onnx_linear(call, onnx_apply(call, DML_OPERATOR_ELEMENT_WISE_TANH, &desc, scores), a->softcap, 0);
    }
    stages[ONNX_SCORES_CAPPED] = scores;
    if (a->bias != NULL) {
        scores = onnx_add(call, scores, a->bias);
    }
    stages[ONNX_SCORES_BIASED] = scores;
    if (a->precision != ONNX_UNDEFINED) {
        scores = onnx_cast(call, scores, a->precision);
    }
    static const uint32_t last = 3;
    struct onnx_tensor *weights = onnx_softmax(call, DML_OPERATOR_ACTIVATION_SOFTMAX1, scores, 1, &last);
    if (weights != NULL && a->masks_rows && a->bias != NULL) {
        weights = onnx_select(call, find_masked_rows(call, a->bias), onnx_number(call, weights->type, 0), weights);
    }
    weights = onnx_cast(call, weights, type);
    stages[ONNX_SCORES_WEIGHTS] = weights;
    struct onnx_tensor *result = onnx_gemm(call, group(call, weights, l->key_heads), v, false, 1.0F, NULL);
    a->result = onnx_reshape(call, result, 4, (const uint32_t[]){l->batch, l->heads, l->rows, l->columns});
    a->scores = a->wanted_scores == ONNX_SCORES_NONE ? NULL : stages[a->wanted_scores];
    return a->result != NULL;
}

/* ---- either ---- */

static bool check(const struct onnx_call *call, struct onnx_attention *a) {
    const struct onnx_tensor *q = a->q, *k = a->k, *v = a->v;
    if (q == NULL || k == NULL || v == NULL || q->rank != 4 || k->rank != 4 || v->rank != 4) {
        return onnx_refuse(call, "no queries, keys or values");
    }
    if (q->type != k->type || q->type != v->type || (q->type != ONNX_FLOAT && q->type != ONNX_FLOAT16)) {
        return onnx_refuse_type(call, "queries, keys and values of %s, %s and %s", onnx_type_name(q->type),
                           onnx_type_name(k->type), onnx_type_name(v->type));
    }
    if (onnx_is_empty(q) || onnx_is_empty(k) || onnx_is_empty(v)) {
        return onnx_refuse(call, "no elements in queries, keys or values");
    }
    if (k->sizes[0] != q->sizes[0] || v->sizes[0] != q->sizes[0] || v->sizes[1] != k->sizes[1] ||
        q->sizes[1] % k->sizes[1] != 0 || k->sizes[3] != q->sizes[3] || v->sizes[2] != k->sizes[2]) {
        return onnx_refuse(call, "queries, keys and values whose sizes do not fit");
    }
    if ((a->past_k == NULL) != (a->past_v == NULL)) {
        return onnx_refuse(call, "past keys or values without the other");
    }
    if (a->past_k == NULL) {
        return true;
    }
    const struct onnx_tensor *pairs[][2] = {{a->past_k, k}, {a->past_v, v}};
    for (int i = 0; i < 2; ++i) {
        const struct onnx_tensor *past = pairs[i][0], *now = pairs[i][1];
        if (past->rank != 4 || past->type != now->type || past->sizes[0] != now->sizes[0] ||
            past->sizes[1] != now->sizes[1] || past->sizes[3] != now->sizes[3] ||
            past->sizes[2] != a->past_k->sizes[2]) {
            return onnx_refuse(call, "past keys or values whose sizes do not fit");
        }
    }
    if (a->past_k->sizes[2] == 0) {
        a->past_k = a->past_v = NULL;
    }
    return true;
}

/* A bias is written out for each head of queries that share one of keys; else keys and values are moved. */
static bool has_batches(const struct onnx_attention *a) {
    const uint64_t shared = a->q->sizes[1] / a->k->sizes[1];
    const bool is_short =
        shared == 1 || a->bias == NULL || shared * a->q->sizes[2] < (uint64_t)a->k->sizes[3] + a->v->sizes[3];
    return is_short && is_packed(a->q) && is_packed(a->k) && is_packed(a->v) && is_packed(a->past_k) &&
           is_packed(a->past_v);
}

bool onnx_attend(const struct onnx_call *call, struct onnx_attention *a) {
    if (!check(call, a)) {
        return false;
    }
    const struct layout l = {
        .has_batches = has_batches(a),
        .batch = a->q->sizes[0],
        .heads = a->q->sizes[1],
        .key_heads = a->k->sizes[1],
        .rows = a->q->sizes[2],
        .keys = a->k->sizes[2] + (a->past_k == NULL ? 0 : a->past_k->sizes[2]),
        .columns = a->v->sizes[3],
    };
    if (a->bias != NULL) {
        a->bias = onnx_cast(call, a->bias, a->q->type);
        if (a->bias == NULL) {
            return false;
        }
    }
    a->present_k = a->k;
    a->present_v = a->v;
    const bool is_plain = a->softcap == 0 && a->wanted_scores == ONNX_SCORES_NONE &&
                          (a->precision == ONNX_UNDEFINED || a->precision == ONNX_FLOAT);
    return is_plain ? emit_attention(call, a, &l) : compose(call, a, &l);
}
