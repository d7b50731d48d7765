/* Integers that are computed from growing sizes: tensors of them, and the nodes that only select and combine them. The
 * elements stay linear in one size each, so the session computes them for each run, and ranges of values are ranges of
 * sizes. Other nodes read such a tensor as an input whose elements are not known. */
#include <string.h>

#include "onnx/plan_parts.h"

#define MOST_ELEMENTS 64

struct vector {
    uint32_t count;
    struct onnx_size_element elements[MOST_ELEMENTS];
};

struct onnx_size_element onnx_size_of(const struct onnx_tensor *tensor, uint32_t dimension) {
    if (tensor->growing != NULL && tensor->growing->dimension == dimension) {
        return (struct onnx_size_element){tensor->growing->input, 1, tensor->growing->added};
    }
    return (struct onnx_size_element){ONNX_NONE, 0, tensor->sizes[dimension]};
}

static struct onnx_tensor *make_constant(const struct onnx_call *call, enum onnx_type type, uint32_t rank,
                                         const uint32_t *sizes, uint32_t count,
                                         const struct onnx_size_element *elements) {
    int64_t values[MOST_ELEMENTS] = {0};
    for (uint32_t i = 0; i < count; ++i) {
        values[i] = elements[i].bias;
    }
    return onnx_cast(call, onnx_constant(call, ONNX_INT64, rank, sizes, values), type);
}

/* The number of a new vector in the plan; ONNX_NONE where memory is out. */
static uint32_t add_vector(struct onnx_plan *plan, enum onnx_type type, uint32_t count,
                           const struct onnx_size_element *elements) {
    struct onnx_size_element *own = onnx_allocate(&plan->arena, count, sizeof *own);
    if (own != NULL && plan->vector_count == plan->vector_room) {
        const uint32_t room = plan->vector_room * 2 + 8;
        struct onnx_size_vector *grown = onnx_allocate(&plan->arena, room, sizeof *grown);
        if (grown == NULL) {
            return ONNX_NONE;
        }
        if (plan->vector_count != 0) {
            memcpy(grown, plan->vectors, plan->vector_count * sizeof *grown);
        }
        plan->vectors = grown;
        plan->vector_room = room;
    }
    if (own == NULL) {
        return ONNX_NONE;
    }
    memcpy(own, elements, count * sizeof *own);
    plan->vectors[plan->vector_count] = (struct onnx_size_vector){type, count, own};
    return plan->vector_count++;
}

struct onnx_tensor *onnx_size_tensor(const struct onnx_call *call, enum onnx_type type, uint32_t rank,
                                     const uint32_t *sizes, const struct onnx_size_element *elements) {
    struct onnx_plan *plan = call->plan;
    const uint32_t count = (uint32_t)onnx_elements(rank, sizes);
    uint64_t inputs = 0;
    for (uint32_t i = 0; i < count; ++i) {
        inputs |= elements[i].input == ONNX_NONE ? 0 : onnx_bit_of(elements[i].input);
    }
    if (inputs == 0) {
        return make_constant(call, type, rank, sizes, count, elements);
    }
    const uint32_t number = add_vector(plan, type, count, elements);
    const uint32_t source = number == ONNX_NONE
                                ? ONNX_NONE
                                : onnx_add_source(plan, &(struct onnx_source){.kind = ONNX_SOURCE_SIZES,
                                                                              .number = number,
                                                                              .bytes = onnx_bytes_of(type, count),
                                                                              .of_sizes = inputs});
    struct onnx_tensor *tensor = source == ONNX_NONE ? NULL : onnx_add_tensor(plan, type, rank, sizes, source);
    return tensor != NULL || onnx_memory_is_out(call) ? tensor : NULL;
}

static const struct onnx_size_vector *vector_of(const struct onnx_plan *plan, const struct onnx_tensor *tensor) {
    if (tensor == NULL || tensor->is_strided || tensor->source == ONNX_NONE ||
        plan->sources[tensor->source].kind != ONNX_SOURCE_SIZES) {
        return NULL;
    }
    const struct onnx_size_vector *vector = &plan->vectors[plan->sources[tensor->source].number];
    return vector->count == onnx_count(tensor) && vector->type == tensor->type ? vector : NULL;
}

bool onnx_read_size(const struct onnx_plan *plan, const struct onnx_tensor *tensor, struct onnx_size_element *element) {
    const struct onnx_size_vector *vector = vector_of(plan, tensor);
    if (vector == NULL || vector->count != 1) {
        return false;
    }
    *element = vector->elements[0];
    return true;
}

bool onnx_is_of_sizes(const struct onnx_plan *plan, const struct onnx_tensor *tensor) {
    return vector_of(plan, tensor) != NULL;
}

/* Elements of an input of the node, computed from sizes or known. */
static bool read_vector(const struct onnx_call *call, uint32_t index, struct vector *v) {
    const struct onnx_tensor *tensor = onnx_input(call, index);
    const struct onnx_size_vector *sizes = vector_of(call->plan, tensor);
    if (tensor == NULL || onnx_count(tensor) > MOST_ELEMENTS || tensor->rank > 1) {
        return false;
    }
    v->count = (uint32_t)onnx_count(tensor);
    if (sizes != NULL) {
        memcpy(v->elements, sizes->elements, v->count * sizeof *v->elements);
        return true;
    }
    const unsigned char *data = tensor->data == NULL ? NULL : onnx_packed(call->plan, tensor);
    for (uint32_t i = 0; i < v->count; ++i) {
        v->elements[i] = (struct onnx_size_element){ONNX_NONE, 0, 0};
        if (data == NULL || !onnx_read_int(tensor->type, data, i, &v->elements[i].bias)) {
            return false;
        }
    }
    return true;
}

bool onnx_read_size_vector(const struct onnx_call *call, uint32_t index, uint32_t *count,
                           struct onnx_size_element *elements, uint32_t most) {
    struct vector v;
    if (!read_vector(call, index, &v) || v.count > most) {
        return false;
    }
    memcpy(elements, v.elements, v.count * sizeof *elements);
    *count = v.count;
    return true;
}

static bool is_constant(const struct onnx_size_element *element) {
    return element->input == ONNX_NONE;
}

/* ---- nodes ---- */

/* Sizes and constants are of 32 bits, so a few sums and products of them stay within 64. */
#define MOST_FACTOR ((int64_t)1 << 31)

static bool is_small(const struct onnx_size_element *e) {
    return e->scale > -MOST_FACTOR && e->scale < MOST_FACTOR && e->bias > -MOST_FACTOR && e->bias < MOST_FACTOR;
}

static bool combine(const char *op, const struct onnx_size_element *a, const struct onnx_size_element *b,
                    struct onnx_size_element *result) {
    const bool is_linear = is_constant(a) || is_constant(b);
    if (!is_small(a) || !is_small(b)) {
        return false;
    }
    if (strcmp(op, "Mul") == 0) {
        const struct onnx_size_element *of = is_constant(a) ? b : a;
        const int64_t factor = is_constant(a) ? a->bias : b->bias;
        *result = (struct onnx_size_element){of->input, of->scale * factor, of->bias * factor};
        return is_linear;
    }
    const int64_t sign = strcmp(op, "Sub") == 0 ? -1 : 1;
    *result = (struct onnx_size_element){is_constant(a) ? b->input : a->input, a->scale + sign * b->scale,
                                         a->bias + sign * b->bias};
    return is_linear || a->input == b->input;
}

static struct onnx_tensor *arithmetic(const struct onnx_call *call) {
    struct vector a, b, result;
    if (!read_vector(call, 0, &a) || !read_vector(call, 1, &b) || a.count == 0 || b.count == 0 ||
        (a.count != b.count && a.count != 1 && b.count != 1)) {
        return NULL;
    }
    result.count = a.count > b.count ? a.count : b.count;
    for (uint32_t i = 0; i < result.count; ++i) {
        if (!combine(call->node->op, &a.elements[a.count == 1 ? 0 : i], &b.elements[b.count == 1 ? 0 : i],
                     &result.elements[i])) {
            return NULL;
        }
    }
    const uint32_t rank = onnx_input(call, 0)->rank > onnx_input(call, 1)->rank ? onnx_input(call, 0)->rank
                                                                                : onnx_input(call, 1)->rank;
    return onnx_size_tensor(call, onnx_input(call, 0)->type, rank, &result.count, result.elements);
}

static struct onnx_tensor *gather(const struct onnx_call *call) {
    struct vector data, indices, result;
    if (!read_vector(call, 0, &data) || onnx_input(call, 0)->rank != 1 || !read_vector(call, 1, &indices)) {
        return NULL;
    }
    result.count = indices.count;
    for (uint32_t i = 0; i < indices.count; ++i) {
        const int64_t index = indices.elements[i].bias + (indices.elements[i].bias < 0 ? data.count : 0);
        if (!is_constant(&indices.elements[i]) || index < 0 || index >= data.count) {
            return NULL;
        }
        result.elements[i] = data.elements[index];
    }
    return onnx_size_tensor(call, onnx_input(call, 0)->type, onnx_input(call, 1)->rank, &result.count, result.elements);
}

/* One constant of an input; `otherwise` where it is absent. */
static bool read_constant(const struct onnx_call *call, uint32_t index, int64_t otherwise, int64_t *value) {
    struct vector v;
    *value = otherwise;
    if (onnx_input(call, index) == NULL) {
        return true;
    }
    if (!read_vector(call, index, &v) || v.count != 1 || !is_constant(&v.elements[0])) {
        return false;
    }
    *value = v.elements[0].bias;
    return true;
}

/* From version 10 on, by steps of 1. */
static struct onnx_tensor *slice(const struct onnx_call *call) {
    struct vector data;
    int64_t start, end, axis, step;
    if (call->node->version < 10 || !read_vector(call, 0, &data) || onnx_input(call, 0)->rank != 1 ||
        !read_constant(call, 1, 0, &start) || !read_constant(call, 2, 0, &end) || !read_constant(call, 3, 0, &axis) ||
        !read_constant(call, 4, 1, &step) || axis < -1 || axis > 0 || step != 1) {
        return NULL;
    }
    start += start < 0 ? data.count : 0;
    end += end < 0 ? data.count : 0;
    end = end > data.count ? data.count : end;
    if (start < 0 || start >= end) {
        return NULL;
    }
    return onnx_size_tensor(call, onnx_input(call, 0)->type, 1, (uint32_t[]){(uint32_t)(end - start)},
                            data.elements + start);
}

static struct onnx_tensor *concat(const struct onnx_call *call) {
    struct vector part, all = {0};
    for (uint32_t i = 0; i < call->input_count; ++i) {
        if (!read_vector(call, i, &part) || onnx_input(call, i)->rank != 1 || all.count + part.count > MOST_ELEMENTS) {
            return NULL;
        }
        memcpy(all.elements + all.count, part.elements, part.count * sizeof *part.elements);
        all.count += part.count;
    }
    return onnx_size_tensor(call, onnx_input(call, 0)->type, 1, &all.count, all.elements);
}

static struct onnx_tensor *cast(const struct onnx_call *call) {
    struct vector v;
    const int64_t type = onnx_int(call, "to", 0);
    if ((type != ONNX_INT32 && type != ONNX_INT64) || !read_vector(call, 0, &v)) {
        return NULL;
    }
    return onnx_size_tensor(call, (enum onnx_type)type, onnx_input(call, 0)->rank, onnx_input(call, 0)->sizes,
                            v.elements);
}

/* Whether a size is a number in each run for which the plan holds, or in none. */
static bool compare(const struct onnx_plan *plan, const struct onnx_size_element *a, const struct onnx_size_element *b,
                    bool *is_equal) {
    struct onnx_size_element difference;
    if (!combine("Sub", a, b, &difference)) {
        return false;
    }
    *is_equal = difference.bias == 0;
    if (is_constant(&difference) || difference.scale == 0) {
        return true;
    }
    const struct onnx_growing_size *growing = &plan->growing[difference.input];
    *is_equal = false;
    return (difference.scale == 1 && growing->least + difference.bias > 0) ||
           (difference.scale == -1 && difference.bias - growing->least < 0);
}

static struct onnx_tensor *equal(const struct onnx_call *call) {
    struct vector a, b;
    uint8_t values[MOST_ELEMENTS] = {0};
    if (!read_vector(call, 0, &a) || !read_vector(call, 1, &b) || a.count == 0 || b.count == 0 ||
        (a.count != b.count && a.count != 1 && b.count != 1)) {
        return NULL;
    }
    const uint32_t count = a.count > b.count ? a.count : b.count;
    for (uint32_t i = 0; i < count; ++i) {
        bool is_equal;
        if (!compare(call->plan, &a.elements[a.count == 1 ? 0 : i], &b.elements[b.count == 1 ? 0 : i], &is_equal)) {
            return NULL;
        }
        values[i] = is_equal;
    }
    const uint32_t rank = onnx_input(call, 0)->rank > onnx_input(call, 1)->rank ? onnx_input(call, 0)->rank
                                                                                : onnx_input(call, 1)->rank;
    return onnx_constant(call, ONNX_BOOL, rank, &count, values);
}

static struct onnx_tensor *choose(const struct onnx_call *call) {
    struct vector v[3], result = {0};
    uint32_t rank = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        if (!read_vector(call, i, &v[i]) || v[i].count == 0) {
            return NULL;
        }
        result.count = v[i].count > result.count ? v[i].count : result.count;
        rank = onnx_input(call, i)->rank > rank ? onnx_input(call, i)->rank : rank;
    }
    for (uint32_t i = 0; i < result.count; ++i) {
        const struct onnx_size_element *condition = &v[0].elements[v[0].count == 1 ? 0 : i];
        const struct vector *from = &v[is_constant(condition) && condition->bias != 0 ? 1 : 2];
        if (!is_constant(condition) || (from->count != 1 && from->count != result.count)) {
            return NULL;
        }
        result.elements[i] = from->elements[from->count == 1 ? 0 : i];
    }
    return onnx_size_tensor(call, onnx_input(call, 1)->type, rank, &result.count, result.elements);
}

bool onnx_compute_sizes(const struct onnx_call *call) {
    static const struct {
        const char *op;
        struct onnx_tensor *(*compute)(const struct onnx_call *call);
    } rows[] = {{"Add", arithmetic}, {"Sub", arithmetic}, {"Mul", arithmetic}, {"Cast", cast},
                {"Concat", concat},  {"Gather", gather},  {"Slice", slice},    {"Equal", equal},
                {"Where", choose}};
    bool reads_sizes = false;
    for (uint32_t i = 0; i < call->input_count; ++i) {
        reads_sizes = reads_sizes || vector_of(call->plan, onnx_input(call, i)) != NULL;
    }
    for (size_t r = 0; reads_sizes && call->node->domain[0] == 0 && r < sizeof rows / sizeof rows[0]; ++r) {
        if (strcmp(call->node->op, rows[r].op) == 0) {
            return onnx_output(call, 0, rows[r].compute(call));
        }
    }
    return false;
}
