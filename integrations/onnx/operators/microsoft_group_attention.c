/* GroupQueryAttention of com.microsoft: causal, its cache a tensor that has room for more or grows. */
#include <math.h>

#include "onnx/operators.h"
#include "onnx/operators/attention.h"
#include "onnx/operators/parts.h"

struct group {
    uint32_t batch, rows, heads, key_heads;
    uint32_t past, room;        /* rows of the cache that comes in, and of the one that goes out */
    uint32_t least;             /* rows in use after this at least, of the batch that has most */
    bool has_one_offset;        /* which is room - rows, for all batches */
    struct onnx_tensor *offset; /* INT32 {1} or {batch, 1, 1, 1}: how many keys are past; layers share it */
    struct onnx_tensor *q, *k, *v, *past_k, *past_v;
};

static bool refuse_rest(const struct onnx_call *call) {
    for (uint32_t i = 11; i < call->input_count; ++i) {
        if (onnx_input(call, i) != NULL) {
            return onnx_refuse(call, "input %u", (unsigned)i);
        }
    }
    if (onnx_int(call, "smooth_softmax", 0) > 0 || onnx_int(call, "sliding_window_cache", 0) != 0 ||
        onnx_int(call, "kv_cache_bit_width", 0) != 0 || onnx_is_wanted(call, 3)) {
        return onnx_refuse(call, "a smooth softmax, a cache of a window or of few bits, or scores as a result");
    }
    return true;
}

/* Three tensors, or one with queries, keys and values side by side. */
static bool read_sources(const struct onnx_call *call, struct group *g) {
    const int64_t heads = onnx_int(call, "num_heads", 0), key_heads = onnx_int(call, "kv_num_heads", 0);
    struct onnx_tensor *q = onnx_input(call, 0), *k = onnx_input(call, 1), *v = onnx_input(call, 2);
    if (heads < 1 || heads > INT32_MAX || key_heads < 1 || key_heads > heads || heads % key_heads != 0 || q == NULL ||
        q->rank != 3 || onnx_is_empty(q)) {
        return onnx_refuse(call, "heads that have no meaning, or queries of other than 3 dimensions");
    }
    g->heads = (uint32_t)heads;
    g->key_heads = (uint32_t)key_heads;
    if (k == NULL && v == NULL) {
        const uint64_t parts = (uint64_t)heads + 2 * (uint64_t)key_heads;
        if (q->sizes[2] % parts != 0) {
            return onnx_refuse(call, "queries, keys and values whose sizes do not fit");
        }
        const uint32_t size = (uint32_t)(q->sizes[2] / parts), own = size * g->heads, other = size * g->key_heads;
        v = onnx_slice_axis(call, q, 2, own + other, other, 1);
        k = onnx_slice_axis(call, q, 2, own, other, 1);
        q = onnx_slice_axis(call, q, 2, 0, own, 1);
    }
    g->q = onnx_split_heads(call, q, g->heads);
    g->k = onnx_split_heads(call, k, g->key_heads);
    g->v = onnx_split_heads(call, v, g->key_heads);
    if (g->q == NULL || g->k == NULL || g->v == NULL || g->k->sizes[2] != g->q->sizes[2]) {
        return onnx_refuse(call, "keys or values of other rows than queries");
    }
    g->batch = g->q->sizes[0];
    g->rows = g->q->sizes[2];
    return true;
}

/* A cache has room for what is new, or grows to the total length: only that is looked at, which is a size. */
static bool read_room(const struct onnx_call *call, struct group *g) {
    const uint32_t room = g->past == 0 ? g->rows : g->past;
    uint32_t count;
    g->room = room;
    g->least = g->rows;
    g->has_one_offset = g->past == 0;
    if (onnx_is_within(call, 6, g->rows, room)) {
        return true;
    }
    const int64_t *total = onnx_host_ints(call, 6, &count);
    if (total == NULL || count != 1 || total[0] < g->rows || total[0] - g->rows > g->past) {
        return onnx_refuse(call, "a total_sequence_length that rows and past keys do not make");
    }
    g->room = g->least = (uint32_t)total[0];
    g->has_one_offset = g->batch == 1;
    return true;
}

/* A cache whose rows the plan does not fix: it grows by the new rows in each run. False with a reason where it does
 * not, so that its size is fixed. */
static bool read_growing_room(const struct onnx_call *call, struct group *g) {
    struct onnx_size_element all = onnx_size_of(g->past_k, 2);
    all.bias += g->rows;
    g->room = g->past;
    g->least = g->rows;
    g->has_one_offset = false;
    return (all.input != ONNX_NONE && onnx_has_room(call, &all) &&
            onnx_is_growing_sum(call, 6, g->past_k, g->rows) && onnx_grow_alike(call, g->past_k, g->past_v)) ||
           (onnx_fix_growing(call, g->past_k) && onnx_fix_growing(call, g->past_v));
}

/* How many rows of a growing cache are past, of one sequence, which has no padding. Layers of one total length share
 * it, since their caches have one size. */
static bool read_growing_past(const struct onnx_call *call, struct group *g) {
    const struct onnx_size_element past = onnx_size_of(g->past_k, 2);
    struct onnx_tensor **place = onnx_share(call, "growing offset", onnx_input(call, 6), NULL, g->rows, 0);
    if (place != NULL && *place == NULL) {
        *place = onnx_size_tensor(call, ONNX_INT32, 1, (uint32_t[]){1}, &past);
    }
    g->offset = place == NULL ? NULL : *place;
    return g->offset != NULL;
}

/* What is past by lengths, those of a first chunk, whose rows may be more, 0. */
static bool read_past(const struct onnx_call *call, struct group *g) {
    const uint32_t sizes[] = {g->batch, 1, 1, 1};
    struct onnx_tensor *lengths = onnx_input(call, 5);
    g->past_k = onnx_input(call, 3);
    g->past_v = onnx_input(call, 4);
    if (lengths == NULL || onnx_count(lengths) != g->batch || (g->past_k == NULL) != (g->past_v == NULL) ||
        (g->past_k != NULL && (g->past_k->rank != 4 || g->past_v->rank != 4))) {
        return onnx_refuse(call, "lengths, or past keys and values, whose sizes do not fit");
    }
    g->past = g->past_k == NULL ? 0 : g->past_k->sizes[2];
    if (g->past == 0) {
        g->past_k = g->past_v = NULL;
    }
    const bool is_growing = g->past_k != NULL && (g->past_k->growing != NULL || g->past_v->growing != NULL);
    if (is_growing ? !read_growing_room(call, g) : !read_room(call, g)) {
        return false;
    }
    if (is_growing && g->batch == 1) {
        return read_growing_past(call, g);
    }
    if (g->has_one_offset) {
        g->offset = onnx_number(call, ONNX_INT32, g->room - g->rows);
        return g->offset != NULL;
    }
    struct onnx_tensor **place = onnx_share(call, "offset", lengths, NULL, g->rows, 0);
    if (place != NULL && *place == NULL) {
        struct onnx_tensor *offset = onnx_reshape(call, onnx_cast(call, lengths, ONNX_INT32), 4, sizes);
        offset = onnx_add(call, offset, onnx_number(call, ONNX_INT32, 1.0 - g->rows));
        *place = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MAX, offset, onnx_number(call, ONNX_INT32, 0));
    }
    g->offset = place == NULL ? NULL : *place;
    return g->offset != NULL;
}

/* Rows of a table by places that are given, or those behind what is past. */
static struct onnx_tensor *look_up(const struct onnx_call *call, const struct group *g, struct onnx_tensor *table) {
    struct onnx_tensor *places = onnx_input(call, 9);
    struct onnx_tensor **place =
        onnx_share(call, "rows of a table", table, places == NULL ? g->offset : places, g->rows, 0);
    if (place == NULL || *place != NULL) {
        return place == NULL ? NULL : *place;
    }
    if (places == NULL) {
        const uint32_t sizes[] = {g->has_one_offset ? 1 : g->batch, 1};
        places = onnx_add(call, onnx_reshape(call, g->offset, 2, sizes), onnx_iota(call, ONNX_INT32, 2, 1, g->rows));
    }
    *place = onnx_look_up(call, table, places);
    return *place;
}

static bool rotate(const struct onnx_call *call, struct group *g) {
    struct onnx_tensor *cosines = onnx_input(call, 7), *sines = onnx_input(call, 8);
    if (onnx_int(call, "do_rotary", 0) == 0) {
        return true;
    }
    if (cosines == NULL || sines == NULL || cosines->rank != 2) {
        return onnx_refuse(call, "no cosines or sines");
    }
    const bool is_interleaved = onnx_int(call, "rotary_interleaved", 0) == 1;
    const uint32_t rotated = 2 * cosines->sizes[1];
    cosines = look_up(call, g, cosines);
    sines = look_up(call, g, sines);
    g->q = onnx_rotate(call, g->q, cosines, sines, rotated, is_interleaved);
    g->k = onnx_rotate(call, g->k, cosines, sines, rotated, is_interleaved);
    return g->q != NULL && g->k != NULL;
}

/* ---- the cache ---- */

static struct onnx_tensor *pad_rows(const struct onnx_call *call, struct onnx_tensor *rows, uint32_t count) {
    const uint32_t none[4] = {0}, end[] = {0, 0, count, 0};
    return count == 0 ? rows : onnx_pad_zeros(call, rows, none, end);
}

/* Of each row of the cache which of the new ones it is, the first being 0: {batch, 1, room, 1}. */
static struct onnx_tensor *number_rows(const struct onnx_call *call, const struct group *g) {
    return onnx_subtract(call, onnx_iota(call, ONNX_INT32, 4, 2, g->room), g->offset);
}

static struct onnx_tensor *compare_rows(const struct onnx_call *call, const struct group *g, DML_OPERATOR_TYPE type,
                                        const char *what) {
    struct onnx_tensor **place = onnx_share(call, what, g->offset, NULL, g->room, 0);
    if (place != NULL && *place == NULL) {
        *place = onnx_compare(call, type, number_rows(call, g), onnx_number(call, ONNX_INT32, 0));
    }
    return place == NULL ? NULL : *place;
}

/* New rows where they lie in the cache, and 0 behind them; what is before has no meaning. */
static struct onnx_tensor *spread(const struct onnx_call *call, const struct group *g, struct onnx_tensor *added) {
    const uint32_t sizes[] = {added->sizes[0], added->sizes[1], g->room, added->sizes[3]};
    struct onnx_tensor *from = number_rows(call, g);
    DML_GATHER_ELEMENTS_OPERATOR_DESC desc = {.Axis = 2};
    from = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MIN, from, onnx_number(call, ONNX_INT32, g->rows));
    from = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MAX, from, onnx_number(call, ONNX_INT32, 0));
    from = onnx_broadcast(call, from, 4, sizes);
    added = pad_rows(call, added, 1);
    return from == NULL || added == NULL
               ? NULL
               : onnx_make(call, DML_OPERATOR_GATHER_ELEMENTS, &desc, ONNX_TENSORS(added, from));
}

/* Past rows, the new ones behind them, and 0 in those that are not in use, as ONNX Runtime's CPU provider leaves them.
 */
static struct onnx_tensor *extend(const struct onnx_call *call, const struct group *g, struct onnx_tensor *past,
                                  struct onnx_tensor *added) {
    if (past == NULL || added == NULL) {
        return added;
    }
    if (g->has_one_offset) {
        struct onnx_tensor *first = onnx_slice_axis(call, past, 2, 0, g->room - g->rows, 1);
        return onnx_join(call, 2, (struct onnx_tensor *[]){first, added}, 2);
    }
    struct onnx_tensor *is_past = compare_rows(call, g, DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN, "is past");
    if (g->rows == 1) {
        struct onnx_tensor *is_new = compare_rows(call, g, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, "is new");
        added = onnx_select(call, is_new, added, onnx_number(call, added->type, 0));
    } else {
        added = spread(call, g, added);
    }
    return onnx_select(call, is_past, pad_rows(call, past, g->room - g->past), added);
}

static bool check_past(const struct onnx_call *call, const struct group *g) {
    const struct onnx_tensor *past[] = {g->past_k, g->past_v}, *added[] = {g->k, g->v};
    for (int i = 0; i < 2; ++i) {
        if (past[i] != NULL &&
            (past[i]->type != added[i]->type || past[i]->sizes[0] != g->batch || past[i]->sizes[1] != g->key_heads ||
             past[i]->sizes[2] != g->past || past[i]->sizes[3] != added[i]->sizes[3])) {
            return onnx_refuse(call, "past keys or values whose sizes do not fit");
        }
    }
    return true;
}

/* ---- the node ---- */

/* Its last dimension is that of keys in use; those beyond are masked. */
static struct onnx_tensor *read_bias(const struct onnx_call *call, const struct group *g, struct onnx_tensor *bias) {
    if (bias != NULL && bias->growing != NULL) {
        const bool grows = g->past_k != NULL && g->past_k->growing != NULL &&
                           g->past_k->growing->input == bias->growing->input &&
                           g->past_k->growing->added + (int32_t)g->rows == bias->growing->added &&
                           bias->growing->dimension == 3;
        bias = grows || onnx_fix_growing(call, bias) ? onnx_without_growing(call, bias) : NULL;
    }
    if (bias == NULL || bias->rank != 4 || bias->sizes[3] < g->least) {
        onnx_refuse(call, "an attention_bias of other sizes");
        return NULL;
    }
    bias = onnx_slice_axis(call, bias, 3, 0, bias->sizes[3] < g->room ? bias->sizes[3] : g->room, 1);
    if (bias == NULL || bias->sizes[3] == g->room) {
        return bias;
    }
    const uint32_t sizes[] = {bias->sizes[0], bias->sizes[1], bias->sizes[2], g->room - bias->sizes[3]};
    struct onnx_tensor *rest = onnx_fill(call, bias->type, 4, sizes, 0);
    return onnx_join(call, 2, (struct onnx_tensor *[]){bias, rest}, 3);
}

/* What is past and the row itself, and of that what lies in the window; -1: all. */
static struct onnx_tensor *mask(const struct onnx_call *call, const struct group *g, struct onnx_tensor *bias,
                                int64_t window) {
    const enum onnx_type type = g->q->type;
    const double masked = -(double)INFINITY;
    bias = onnx_mask_bias(call, type, bias, onnx_keep_to_right(call, g->rows, g->room, g->offset, 0), masked);
    if (window > 0 && window < INT32_MAX / 2) { /* the query's own key counts */
        bias = onnx_mask_bias(call, type, bias,
                              onnx_keep_to_left(call, g->rows, g->room, g->offset, (int32_t)window - 1), masked);
    }
    return bias;
}

static bool make_bias(const struct onnx_call *call, const struct group *g, struct onnx_attention *a) {
    const int64_t window = onnx_int(call, "local_window_size", -1);
    if (onnx_int(call, "causal", 1) == 0) {
        return onnx_refuse(call, "attention that is not causal");
    }
    if (window == 0 || window < -1 || window > INT32_MAX) {
        return onnx_refuse(call, "a local_window_size that has no meaning");
    }
    if (onnx_input(call, 10) != NULL) {
        a->bias = mask(call, g, read_bias(call, g, onnx_input(call, 10)), window);
        return call->error->text[0] == 0;
    }
    struct onnx_tensor **place = onnx_share(call, g->q->type == ONNX_FLOAT ? "mask" : "mask of halves", g->offset, NULL,
                                            g->room, (uint32_t)window);
    if (place != NULL && *place == NULL) {
        *place = mask(call, g, NULL, window);
    }
    a->bias = place == NULL ? NULL : *place;
    return call->error->text[0] == 0;
}

static bool group_query_attention(const struct onnx_call *call) {
    struct group g = {0};
    if (!refuse_rest(call) || !read_sources(call, &g) || !read_past(call, &g) || !rotate(call, &g) ||
        !check_past(call, &g)) {
        return false;
    }
    const float scale = onnx_float(call, "scale", 0.0F);
    struct onnx_attention a = {.q = g.q,
                               .k = extend(call, &g, g.past_k, g.k),
                               .v = extend(call, &g, g.past_v, g.v),
                               .softcap = onnx_float(call, "softcap", 0.0F),
                               .scale = scale != 0 ? scale : 1.0F / sqrtf((float)g.q->sizes[3]),
                               .wanted_scores = ONNX_SCORES_NONE};
    if (!(a.softcap >= 0)) {
        return onnx_refuse(call, "a softcap below 0");
    }
    struct onnx_tensor *keys = a.k, *values = a.v;
    if (g.past_k != NULL && g.past_k->growing != NULL && keys != NULL && values != NULL) {
        struct onnx_size_element size = onnx_size_of(g.past_k, 2);
        size.bias += g.rows;
        keys = onnx_with_growing(call, keys, 2, &size, true);
        values = onnx_with_growing(call, values, 2, &size, true);
    }
    return keys != NULL && values != NULL && make_bias(call, &g, &a) && onnx_attend(call, &a) &&
           onnx_output(call, 0, onnx_merge_heads(call, a.result)) && onnx_output(call, 1, keys) &&
           onnx_output(call, 2, values);
}

static const struct onnx_operator rows[] = {
    {ONNX_MICROSOFT, "GroupQueryAttention", 1, group_query_attention},
};
ONNX_DEFINE_FAMILY(microsoft_group_attention, rows)
