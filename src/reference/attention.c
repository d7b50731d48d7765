/* MULTIHEAD_ATTENTION and MULTIHEAD_ATTENTION1, in double but for what is rounded: elements with their bias, scores,
 * and results. */
#include <math.h>

#include "reference/number.h"
#include "reference/reference.h"

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
enum { OUTPUT, PRESENT_KEY, PRESENT_VALUE };
enum { QUERIES, KEYS, VALUES };

struct attention {
    const struct vkdml_instance *instance;
    const struct vkdml_reference_memory *memory;
    float scale, filter;
    uint32_t query_heads, key_heads;
    DML_MULTIHEAD_ATTENTION_MASK_TYPE mask_type;
    bool has_lengths;
    uint32_t batch, queries, keys, past, total, depth, columns;
};

/* A place among queries, keys or values. */
struct place {
    uint32_t batch, head, row, element;
};

static bool exists(const struct attention *a, uint32_t input) {
    return input < a->instance->input_count && a->instance->inputs[input].dimension_count != 0;
}

/* The dimension of a tensor of which the last are `count`, number `index` of these; and whether it is there. */
static bool dimension(const struct vkdml_tensor *tensor, uint32_t count, uint32_t index, uint32_t *d) {
    *d = tensor->dimension_count + index - count;
    return tensor->dimension_count + index >= count;
}

/* The coordinate whose last `count` indices are given; of dimensions of size 1, and those that are not there, 0. */
static struct vkdml_coordinate last(const struct vkdml_tensor *tensor, uint32_t count, const uint32_t *indices) {
    struct vkdml_coordinate at = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t d;
        if (dimension(tensor, count, i, &d) && tensor->sizes[d] != 1) {
            at.index[d] = indices[i];
        }
    }
    return at;
}

static uint32_t last_size(const struct vkdml_tensor *tensor, uint32_t count, uint32_t index) {
    uint32_t d;
    return dimension(tensor, count, index, &d) ? tensor->sizes[d] : 1;
}

/* ---- queries, keys and values ---- */

/* The input that a role comes from, and which of the stack it is. */
static uint32_t source(const struct attention *a, uint32_t role, uint32_t *place) {
    *place = role;
    if (exists(a, QUERY_KEY_VALUE)) {
        return QUERY_KEY_VALUE;
    }
    if (role != VALUES && exists(a, QUERY_KEY)) {
        return QUERY_KEY;
    }
    *place = role - KEYS;
    return role != QUERIES && exists(a, KEY_VALUE) ? (uint32_t)KEY_VALUE : role;
}

static uint32_t heads_of(const struct attention *a, uint32_t role) {
    return role == QUERIES ? a->query_heads : a->key_heads;
}

static uint32_t width_of(const struct attention *a, uint32_t role) {
    return role == VALUES ? a->columns : a->depth;
}

static uint64_t bits_of(const struct attention *a, uint32_t role, struct place at) {
    uint32_t place;
    const uint32_t input = source(a, role, &place);
    const struct vkdml_tensor *tensor = &a->instance->inputs[input];
    const uint32_t stacked[] = {at.batch, at.row, at.head, place, at.element};
    const uint32_t alone[] = {at.batch, at.row, at.head * width_of(a, role) + at.element};
    const struct vkdml_coordinate coordinate = input >= QUERY_KEY ? last(tensor, 5, stacked) : last(tensor, 3, alone);
    return vkdml_element_read(tensor, a->memory->inputs[input], &coordinate);
}

static float bias_of(const struct attention *a, uint32_t role, struct place at) {
    const struct vkdml_tensor *tensor = &a->instance->inputs[BIAS];
    uint32_t element = at.head * width_of(a, role) + at.element;
    for (uint32_t before = QUERIES; before < role; before++) {
        element += heads_of(a, before) * width_of(a, before);
    }
    const struct vkdml_coordinate coordinate = last(tensor, 1, &element);
    return (float)vkdml_number_read(tensor, a->memory->inputs[BIAS], &coordinate);
}

/* With its bias, as an element. */
static uint64_t element_of(const struct attention *a, uint32_t role, struct place at) {
    const DML_TENSOR_DATA_TYPE type = a->instance->outputs[OUTPUT].data_type;
    const uint64_t bits = bits_of(a, role, at);
    if (!exists(a, BIAS)) {
        return bits;
    }
    const float sum = vkdml_element_to_float(type, bits) + bias_of(a, role, at);
    return vkdml_float_to_element(type, sum);
}

static struct vkdml_coordinate at_rows(const struct vkdml_tensor *tensor, struct place at) {
    return last(tensor, 4, (const uint32_t[]){at.batch, at.head, at.row, at.element});
}

/* Behind the past. */
static double number_at(const struct attention *a, uint32_t role, struct place at) {
    const DML_TENSOR_DATA_TYPE type = a->instance->outputs[OUTPUT].data_type;
    if (role != QUERIES && a->has_lengths) {
        const struct vkdml_tensor *present = &a->instance->outputs[PRESENT_KEY + role - KEYS];
        const struct vkdml_coordinate coordinate = at_rows(present, at);
        return vkdml_number_read(present, a->memory->outputs[PRESENT_KEY + role - KEYS], &coordinate);
    }
    if (role != QUERIES && at.row < a->past) {
        const uint32_t input = PAST_KEY + role - KEYS;
        const struct vkdml_coordinate coordinate = at_rows(&a->instance->inputs[input], at);
        return vkdml_number_read(&a->instance->inputs[input], a->memory->inputs[input], &coordinate);
    }
    at.row -= role != QUERIES ? a->past : 0;
    return (double)vkdml_element_to_float(type, element_of(a, role, at));
}

/* ---- what is present ---- */

static int32_t integer_at(const struct attention *a, uint32_t input, uint32_t count, const uint32_t *indices) {
    const struct vkdml_tensor *tensor = &a->instance->inputs[input];
    const struct vkdml_coordinate coordinate = last(tensor, count, indices);
    return (int32_t)(uint32_t)vkdml_element_read(tensor, a->memory->inputs[input], &coordinate);
}

/* Rows that a batch has before those that come now. */
static uint32_t past_of(const struct attention *a, uint32_t batch) {
    if (!a->has_lengths) {
        return a->past;
    }
    const int32_t length = integer_at(a, PAST_LENGTHS, 1, &batch);
    return length < 0 ? 0 : (uint32_t)length < a->total ? (uint32_t)length : a->total;
}

static void write_present(const struct attention *a, uint32_t role) {
    const uint32_t output = PRESENT_KEY + role - KEYS;
    const struct vkdml_tensor *present = &a->instance->outputs[output];
    struct vkdml_coordinate at = {{0}};
    if (present->dimension_count == 0) {
        return;
    }
    const uint32_t lead = present->dimension_count - 4;
    do {
        struct place place = {at.index[lead], at.index[lead + 1], at.index[lead + 2], at.index[lead + 3]};
        const uint32_t before = past_of(a, place.batch), row = place.row;
        place.row = row - before;
        if (row >= before && row - before < a->keys) {
            vkdml_element_write(present, a->memory->outputs[output], &at, element_of(a, role, place));
        } else if (row < before && !a->has_lengths) {
            const struct vkdml_tensor *past = &a->instance->inputs[PAST_KEY + role - KEYS];
            place.row = row;
            const struct vkdml_coordinate from = at_rows(past, place);
            vkdml_element_move(past, a->memory->inputs[PAST_KEY + role - KEYS], &from, present,
                               a->memory->outputs[output], &at);
        }
    } while (vkdml_coordinate_next(present, &at));
}

/* ---- scores ---- */

/* A key's number among those of its batch, all that is past included: whether it is one of those that count. */
static bool is_kept(const struct attention *a, uint32_t batch, uint32_t key) {
    const bool has_starts = a->mask_type == DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_END_START;
    const bool is_packed = a->mask_type == DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_QUERY_SEQUENCE_LENGTH_START_END;
    const uint32_t ends[] = {0, batch}, starts[] = {1, batch};
    const int64_t end = integer_at(a, MASK, is_packed ? 1 : 2, is_packed ? ends + 1 : ends);
    const int64_t start = has_starts ? integer_at(a, MASK, 2, starts) : 0;
    return key >= start && key < end;
}

/* The score of a key, as FLOAT32. */
static double score_at(const struct attention *a, const struct place *query, uint32_t key) {
    const uint32_t group = a->query_heads / a->key_heads;
    const uint32_t place[] = {query->batch, query->head, query->row, key};
    double product = 0;
    for (uint32_t d = 0; d < a->depth; d++) {
        product += number_at(a, QUERIES, (struct place){query->batch, query->head, query->row, d}) *
                   number_at(a, KEYS, (struct place){query->batch, query->head / group, key, d});
    }
    double score = (double)a->scale * product;
    if (exists(a, RELATIVE_BIAS)) {
        const struct vkdml_tensor *bias = &a->instance->inputs[RELATIVE_BIAS];
        const struct vkdml_coordinate at = last(bias, 4, place);
        score += vkdml_number_read(bias, a->memory->inputs[RELATIVE_BIAS], &at);
    }
    if (a->mask_type == DML_MULTIHEAD_ATTENTION_MASK_TYPE_BOOLEAN) {
        score += integer_at(a, MASK, 4, place) > 0 ? 0 : (double)a->filter;
    } else if (a->mask_type != DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE) {
        score = is_kept(a, query->batch, key) ? score : (double)a->filter;
    }
    return (double)(float)score;
}

/* The keys that a query sees, from the first on. */
static uint32_t seen(const struct attention *a, const struct place *query) {
    const uint64_t own = (uint64_t)past_of(a, query->batch) + query->row + 1;
    return a->has_lengths && own < a->total ? (uint32_t)own : a->total;
}

/* ---- results ---- */

/* Sums of values by weights beside the greatest score. Per column scores are found anew: memory is the caller's alone,
 * and a row has any number of keys. So columns go in bands. */
#define BAND 256

static double greatest_of(const struct attention *a, const struct place *query) {
    double greatest = -(double)INFINITY;
    const uint32_t end = seen(a, query);
    for (uint32_t key = 0; key < end; key++) {
        const double score = score_at(a, query, key);
        greatest = score > greatest || isnan(score) ? score : greatest; /* nothing is greater than NaN */
    }
    return greatest;
}

static void write_band(const struct attention *a, const struct place *query, double greatest, uint32_t first) {
    const struct vkdml_tensor *output = &a->instance->outputs[OUTPUT];
    const uint32_t group = a->query_heads / a->key_heads;
    const uint32_t count = a->columns - first < BAND ? a->columns - first : BAND;
    const uint32_t end = isinf(greatest) && greatest < 0 ? 0 : seen(a, query); /* of nothing but -infinity none */
    double sums[BAND] = {0}, weights = 0;
    for (uint32_t key = 0; key < end; key++) {
        const double weight = exp(score_at(a, query, key) - greatest);
        weights += weight;
        for (uint32_t c = 0; c < count; c++) {
            sums[c] += weight * number_at(a, VALUES, (struct place){query->batch, query->head / group, key, first + c});
        }
    }
    for (uint32_t c = 0; c < count; c++) {
        const uint32_t place[] = {query->batch, query->row, query->head * a->columns + first + c};
        const struct vkdml_coordinate at = last(output, 3, place);
        vkdml_number_write(output, a->memory->outputs[OUTPUT], &at, end == 0 ? 0 : sums[c] / weights);
    }
}

static void write_row(const struct attention *a, const struct place *query) {
    const double greatest = greatest_of(a, query);
    for (uint32_t first = 0; first < a->columns; first += BAND) {
        write_band(a, query, greatest, first);
    }
}

static void compute(struct attention *a) {
    uint32_t unused;
    const struct vkdml_tensor *q = &a->instance->inputs[source(a, QUERIES, &unused)];
    const struct vkdml_tensor *k = &a->instance->inputs[source(a, KEYS, &unused)];
    const bool is_stacked = q - a->instance->inputs >= QUERY_KEY, keys_are = k - a->instance->inputs >= QUERY_KEY;
    const struct vkdml_tensor *output = &a->instance->outputs[OUTPUT];
    a->batch = last_size(output, 3, 0);
    a->queries = last_size(output, 3, 1);
    a->columns = last_size(output, 3, 2) / a->query_heads;
    a->depth = is_stacked ? last_size(q, 1, 0) : last_size(q, 1, 0) / a->query_heads;
    a->keys = keys_are ? last_size(k, 5, 1) : last_size(k, 3, 1);
    a->past = exists(a, PAST_KEY) ? last_size(&a->instance->inputs[PAST_KEY], 4, 2) : 0;
    a->total = a->has_lengths ? last_size(&a->instance->outputs[PRESENT_KEY], 4, 2) : a->past + a->keys;
    write_present(a, KEYS);
    write_present(a, VALUES);
    for (uint32_t b = 0; b < a->batch; b++) {
        for (uint32_t n = 0; n < a->query_heads; n++) {
            for (uint32_t s = 0; s < a->queries; s++) {
                const struct place query = {b, n, s, 0};
                write_row(a, &query);
            }
        }
    }
}

void vkdml_reference_multihead_attention(const struct vkdml_instance *instance,
                                         const struct vkdml_reference_memory *memory) {
    const DML_MULTIHEAD_ATTENTION_OPERATOR_DESC *desc = instance->desc;
    struct attention a = {.instance = instance,
                          .memory = memory,
                          .scale = desc->Scale,
                          .filter = desc->MaskFilterValue,
                          .query_heads = desc->HeadCount,
                          .key_heads = desc->HeadCount,
                          .mask_type = desc->MaskType};
    compute(&a);
}

void vkdml_reference_multihead_attention1(const struct vkdml_instance *instance,
                                          const struct vkdml_reference_memory *memory) {
    const DML_MULTIHEAD_ATTENTION1_OPERATOR_DESC *desc = instance->desc;
    struct attention a = {.instance = instance,
                          .memory = memory,
                          .scale = desc->Scale,
                          .filter = desc->MaskFilterValue,
                          .query_heads = desc->QueryHeadCount,
                          .key_heads = desc->KeyValueHeadCount,
                          .mask_type = desc->MaskType};
    a.has_lengths = exists(&a, PAST_LENGTHS);
    compute(&a);
}
