/* What results of attention may be. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/number.h"
#include "cases/operators/attention.h"

enum { QUERIES, KEYS, VALUES };

/* Weights less than this beside the greatest may be 0. */
#define FARTHEST  86
#define MOST_KEYS 16384

static bool is_there(const struct operator_case *c, uint32_t slot) {
    return c->fields[slot].present != 0;
}

bool attention_is_newer(const struct operator_case *c) {
    return c->schema->type == DML_OPERATOR_MULTIHEAD_ATTENTION1;
}

static uint32_t last_size(const struct case_tensor *tensor, uint32_t from_the_end) {
    return from_the_end > tensor->rank ? 1 : tensor->sizes[tensor->rank - from_the_end];
}

static const struct case_tensor *tensor_of(const struct operator_case *c, const char *field) {
    return &c->tensors[case_index(c, field)];
}

struct attention_shape attention_shape_of(const struct operator_case *c) {
    const struct case_tensor *out = tensor_of(c, "OutputTensor");
    struct attention_shape s = {.mask_type = case_word(c, "MaskType"),
                                .has_lengths = attention_is_newer(c) && is_there(c, PAST_LENGTHS),
                                .scale = (double)case_float(c, "Scale"),
                                .filter = (double)case_float(c, "MaskFilterValue")};
    s.query_heads = case_word(c, attention_is_newer(c) ? "QueryHeadCount" : "HeadCount");
    s.key_heads = case_word(c, attention_is_newer(c) ? "KeyValueHeadCount" : "HeadCount");
    s.batch = last_size(out, 3);
    s.queries = last_size(out, 2);
    s.columns = last_size(out, 1) / s.query_heads;
    s.depth = is_there(c, QUERY)       ? last_size(&c->tensors[QUERY], 1) / s.query_heads
              : is_there(c, QUERY_KEY) ? last_size(&c->tensors[QUERY_KEY], 1)
                                       : last_size(&c->tensors[QUERY_KEY_VALUE], 1);
    s.keys = is_there(c, KEY)         ? last_size(&c->tensors[KEY], 2)
             : is_there(c, KEY_VALUE) ? last_size(&c->tensors[KEY_VALUE], 4)
                                      : s.queries;
    s.past = is_there(c, PAST_KEY) ? last_size(&c->tensors[PAST_KEY], 2) : 0;
    s.total = s.has_lengths ? last_size(tensor_of(c, "OutputPresentKeyTensor"), 2) : s.past + s.keys;
    return s;
}

/* ---- elements ---- */

/* What a case's tensors are before it runs. */
struct view {
    const struct operator_case *c;
    const unsigned char *const *tensors;
    struct attention_shape s;
};

/* The element whose last coordinates are given; where a size is 1 that is 0. */
static double number_at(const struct view *v, uint32_t slot, uint32_t count, const uint32_t *last) {
    const struct case_tensor *tensor = &v->c->tensors[slot];
    uint32_t at[CASE_MAX_RANK] = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (tensor->rank + i >= count) {
            const uint32_t d = tensor->rank + i - count;
            at[d] = tensor->sizes[d] == 1 ? 0 : last[i];
        }
    }
    return case_number(v->c, v->tensors, slot, at);
}

static double source_number(const struct view *v, uint32_t role, uint32_t b, uint32_t n, uint32_t row, uint32_t e) {
    static const uint32_t stacks[] = {QUERY_KEY_VALUE, QUERY_KEY, KEY_VALUE};
    static const uint32_t firsts[] = {QUERIES, QUERIES, KEYS}, counts[] = {3, 2, 2};
    for (uint32_t i = 0; i < 3; i++) {
        if (is_there(v->c, stacks[i]) && role >= firsts[i] && role < firsts[i] + counts[i]) {
            return number_at(v, stacks[i], 5, (const uint32_t[]){b, row, n, role - firsts[i], e});
        }
    }
    const uint32_t width = role == VALUES ? v->s.columns : v->s.depth;
    return number_at(v, role, 3, (const uint32_t[]){b, row, n * width + e});
}

/* With its bias, rounded as an element. */
static double element(const struct view *v, uint32_t role, uint32_t b, uint32_t n, uint32_t row, uint32_t e) {
    const double x = source_number(v, role, b, n, row, e);
    const uint32_t widths[] = {v->s.depth, v->s.depth, v->s.columns};
    const uint32_t heads[] = {v->s.query_heads, v->s.key_heads, v->s.key_heads};
    uint32_t at = n * widths[role] + e;
    if (!is_there(v->c, BIAS)) {
        return x;
    }
    for (uint32_t before = 0; before < role; before++) {
        at += heads[before] * widths[before];
    }
    const DML_TENSOR_DATA_TYPE type = v->c->tensors[BIAS].type;
    const float sum = (float)(x + number_at(v, BIAS, 1, &at));
    return number_decode(type, number_encode(type, (double)sum));
}

static uint32_t past_of(const struct view *v, uint32_t b) {
    if (!v->s.has_lengths) {
        return v->s.past;
    }
    const double length = number_at(v, PAST_LENGTHS, 1, &b);
    return length < 0 ? 0 : length < v->s.total ? (uint32_t)length : v->s.total;
}

/* A key's or a value's, among all there are. */
static double whole_number(const struct view *v, uint32_t role, uint32_t b, uint32_t n, uint32_t row, uint32_t e) {
    const uint32_t past = past_of(v, b);
    const char *present = role == KEYS ? "OutputPresentKeyTensor" : "OutputPresentValueTensor";
    const uint32_t slot = v->s.has_lengths ? case_index(v->c, present) : role == KEYS ? (uint32_t)PAST_KEY : PAST_VALUE;
    if (row < past) {
        return number_at(v, slot, 4, (const uint32_t[]){b, n, row, e});
    }
    return element(v, role, b, n, row - past, e);
}

/* ---- what results may be ---- */

struct score {
    double value, off; /* off by so much at most */
};

/* Of one row: found once for its columns. */
static _Thread_local struct row {
    uint64_t occasion;
    uint32_t batch, head, query;
    uint32_t count; /* of keys that are seen */
    bool is_open;
    double farthest; /* that scores which count are off */
    double greatest;
    struct score scores[MOST_KEYS];
} row;

static bool is_kept(const struct view *v, uint32_t b, uint32_t key) {
    const bool is_packed = v->s.mask_type == MASK_PACKED;
    const double end = is_packed ? number_at(v, MASK, 1, &b) : number_at(v, MASK, 2, (const uint32_t[]){0, b});
    const double start = v->s.mask_type == MASK_END_START ? number_at(v, MASK, 2, (const uint32_t[]){1, b}) : 0;
    return key >= start && key < end;
}

static double lost_of(double x) {
    return fabs(x) < 0x1p-126 ? fabs(x) : 0;
}

static struct score score_at(const struct view *v, uint32_t b, uint32_t n, uint32_t query, uint32_t key) {
    const uint32_t group = v->s.query_heads / v->s.key_heads;
    const uint32_t at[] = {b, n, query, key};
    double product = 0, magnitudes = 0, lost = 0;
    if (v->s.mask_type != MASK_NONE && v->s.mask_type != MASK_BOOLEAN && !is_kept(v, b, key)) {
        return (struct score){v->s.filter, 0};
    }
    for (uint32_t e = 0; e < v->s.depth; e++) {
        const double x = element(v, QUERIES, b, n, query, e), y = whole_number(v, KEYS, b, n / group, key, e);
        product += x * y;
        magnitudes += fabs(x * y);
        lost += lost_of(x) * fabs(y) + lost_of(y) * fabs(x) + 0x1p-126;
    }
    if (magnitudes > FLT_MAX) {
        return (struct score){(double)NAN, 0};
    }
    struct score score = {v->s.scale * product, 0};
    magnitudes *= fabs(v->s.scale);
    if (is_there(v->c, RELATIVE_BIAS)) {
        const double bias = number_at(v, RELATIVE_BIAS, 4, at);
        score.value += bias;
        magnitudes += fabs(bias);
    }
    if (v->s.mask_type == MASK_BOOLEAN && number_at(v, MASK, 4, at) <= 0) {
        score.value += v->s.filter;
        magnitudes += isinf(v->s.filter) ? 0 : fabs(v->s.filter);
    }
    score.off = accuracy_of_terms(v->c, v->s.depth) * magnitudes + lost * fabs(v->s.scale) + 0x1p-126;
    score.off = isinf(score.value) && score.value < 0 ? 0 : score.off;
    score.value = magnitudes > FLT_MAX ? (double)NAN : score.value;
    return score;
}

static void find_row(const struct view *v, uint32_t b, uint32_t n, uint32_t query) {
    const uint64_t own = (uint64_t)past_of(v, b) + query + 1;
    double least = -(double)INFINITY; /* that the greatest may be */
    row = (struct row){.occasion = accuracy_occasion(), .batch = b, .head = n, .query = query};
    row.count = v->s.has_lengths && own < v->s.total ? (uint32_t)own : v->s.total;
    row.is_open = row.count > MOST_KEYS;
    row.greatest = -(double)INFINITY;
    for (uint32_t key = 0; key < row.count && !row.is_open; key++) {
        const struct score score = score_at(v, b, n, query, key);
        row.scores[key] = score;
        row.is_open = isnan(score.value) || (isinf(score.value) && score.value > 0);
        row.greatest = fmax(row.greatest, score.value);
        least = fmax(least, score.value - score.off);
    }
    for (uint32_t key = 0; key < row.count && !row.is_open; key++) {
        const struct score *score = &row.scores[key];
        row.farthest = score->value + score->off >= least - FARTHEST ? fmax(row.farthest, score->off) : row.farthest;
    }
}

/* Sums of a column by exact weights. */
struct sums {
    double value, magnitudes, all, least, greatest;
    bool is_finite;
};

static struct sums sum_column(const struct view *v, uint32_t column) {
    const uint32_t group = v->s.query_heads / v->s.key_heads;
    struct sums sums = {0, 0, 0, (double)INFINITY, -(double)INFINITY, true};
    double weights = 0;
    for (uint32_t key = 0; key < row.count; key++) {
        const double x = whole_number(v, VALUES, row.batch, row.head / group, key, column);
        const double weight = exp(row.scores[key].value - row.greatest);
        sums.is_finite = sums.is_finite && isfinite(x);
        sums.value += weight * x;
        sums.magnitudes += weight * fabs(x);
        sums.all += fabs(x);
        sums.least = fmin(sums.least, x);
        sums.greatest = fmax(sums.greatest, x);
        weights += weight;
    }
    sums.value /= weights;
    sums.magnitudes /= weights;
    return sums;
}

static struct view view_of(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at,
                           uint32_t *column) {
    const struct view v = {c, tensors, attention_shape_of(c)};
    const uint32_t rank = tensor_of(c, "OutputTensor")->rank;
    const uint32_t b = at[rank - 3], query = at[rank - 2], n = at[rank - 1] / v.s.columns;
    *column = at[rank - 1] % v.s.columns;
    if (row.occasion != accuracy_occasion() || row.batch != b || row.head != n || row.query != query) {
        find_row(&v, b, n, query);
    }
    return v;
}

struct accuracy_bounds attention_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                        const uint32_t *at) {
    uint32_t column;
    const struct view v = view_of(c, tensors, at, &column);
    if (row.is_open) {
        return accuracy_anything;
    }
    if (isinf(row.greatest)) {
        return (struct accuracy_bounds){0, 0, false}; /* nothing is seen */
    }
    const struct sums sums = sum_column(&v, column);
    if (!sums.is_finite || sums.all > FLT_MAX || isnan(row.farthest)) {
        return accuracy_anything;
    }
    const bool is_half = tensor_of(c, "OutputTensor")->type == DML_TENSOR_DATA_TYPE_FLOAT16;
    const double off = sums.all * (is_half ? 0x1p-25 : 0x1p-120) + row.count * 0x1p-126 +
                       sums.magnitudes * (accuracy_of_result(c, row.count) + (is_half ? 0x1p-10 : 0));
    if (row.farthest > 0.5) { /* weights are any */
        const double most = fmax(fabs(sums.least), fabs(sums.greatest));
        const double own = most * (accuracy_of_result(c, row.count) + 0x1p-10) + off;
        return (struct accuracy_bounds){fmin(sums.least, 0) - own, fmax(sums.greatest, 0) + own, false};
    }
    return accuracy_around(sums.value, off + sums.magnitudes * expm1(2 * row.farthest));
}

struct accuracy_exact attention_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                      const uint32_t *at) {
    uint32_t column;
    const struct view v = view_of(c, tensors, at, &column);
    if (row.is_open || isinf(row.greatest)) {
        return accuracy_no_exact;
    }
    const struct sums sums = sum_column(&v, column);
    return sums.is_finite && sums.all <= FLT_MAX && row.farthest <= 0.5 ? accuracy_beside(sums.value, sums.magnitudes)
                                                                        : accuracy_no_exact;
}
