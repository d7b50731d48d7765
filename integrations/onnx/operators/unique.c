/* Unique, of what is known before the model runs. */
#include <stdlib.h>

#include "onnx/operators/move.h"

/* Subtensors along an axis: element e of subtensor i at outer * size * inner + i * inner + rest. */
struct table {
    const double *floats;
    const int64_t *ints; /* of integers, else NULL */
    uint32_t size, outer, inner;
};

/* NaN is the greatest, and equals itself. */
static int compare_elements(const struct table *table, size_t a, size_t b) {
    if (table->ints != NULL) {
        return table->ints[a] < table->ints[b] ? -1 : table->ints[a] > table->ints[b];
    }
    const double x = table->floats[a], y = table->floats[b];
    if (x != x || y != y) {
        return (x != x) - (y != y);
    }
    return x < y ? -1 : x > y;
}

static int compare(const struct table *table, uint32_t a, uint32_t b) {
    for (uint32_t o = 0; o < table->outer; ++o) {
        for (uint32_t i = 0; i < table->inner; ++i) {
            const size_t at = ((size_t)o * table->size + a) * table->inner + i;
            const size_t other = ((size_t)o * table->size + b) * table->inner + i;
            const int order = compare_elements(table, at, other);
            if (order != 0) {
                return order;
            }
        }
    }
    return 0;
}

/* Merge sort by value, then by place. */
static void sort(const struct table *table, uint32_t *order, uint32_t *other, uint32_t count) {
    for (uint64_t width = 1; width < count; width *= 2) {
        for (uint64_t start = 0; start < count; start += 2 * width) {
            const uint64_t middle = start + width < count ? start + width : count;
            const uint64_t end = middle + width < count ? middle + width : count;
            uint64_t a = start, b = middle;
            for (uint64_t to = start; to < end; ++to) {
                const bool is_first = a < middle && (b >= end || compare(table, order[a], order[b]) <= 0);
                other[to] = is_first ? order[a++] : order[b++];
            }
        }
        for (uint32_t i = 0; i < count; ++i) {
            order[i] = other[i];
        }
    }
}

struct groups {
    uint32_t count;
    uint32_t *firsts;
    int64_t *places, *inverse, *counts;
};

/* Groups of equal subtensors, sorted, or by their first places. */
static bool find_groups(const struct onnx_call *call, const struct table *table, bool is_sorted,
                        struct groups *groups) {
    const uint32_t size = table->size;
    uint32_t *order = onnx_scratch(call, size, sizeof *order), *other = onnx_scratch(call, size, sizeof *other);
    groups->firsts = onnx_scratch(call, size, sizeof *groups->firsts);
    groups->places = onnx_scratch(call, size, sizeof *groups->places);
    groups->inverse = onnx_scratch(call, size, sizeof *groups->inverse);
    groups->counts = onnx_scratch(call, size, sizeof *groups->counts);
    if (order == NULL || other == NULL || groups->firsts == NULL || groups->places == NULL || groups->inverse == NULL ||
        groups->counts == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < size; ++i) {
        order[i] = i;
    }
    sort(table, order, other, size);
    /* other: of each subtensor the first that equals it. */
    for (uint32_t i = 0; i < size; ++i) {
        other[order[i]] = i != 0 && compare(table, order[i - 1], order[i]) == 0 ? other[order[i - 1]] : order[i];
    }
    for (uint32_t i = 0; i < size; ++i) {
        const uint32_t place = is_sorted ? order[i] : i;
        if (other[place] == place) {
            groups->inverse[place] = groups->count;
            groups->firsts[groups->count] = place;
            groups->places[groups->count++] = place;
        }
    }
    for (uint32_t i = 0; i < size; ++i) {
        groups->inverse[i] = groups->inverse[other[i]];
        ++groups->counts[groups->inverse[i]];
    }
    return true;
}

static bool unique(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    uint32_t axis = 0, count = 0;
    if (input == NULL) {
        return false;
    }
    struct table table = {0};
    table.floats = onnx_host_floats(call, 0, &count);
    const bool is_float = input->type == ONNX_FLOAT || input->type == ONNX_DOUBLE || input->type == ONNX_FLOAT16 ||
                          input->type == ONNX_BFLOAT16;
    table.ints = is_float || table.floats == NULL ? NULL : onnx_host_ints(call, 0, &count);
    if (table.floats == NULL || (!is_float && table.ints == NULL)) {
        return false;
    }
    if (input->type == ONNX_UINT64) {
        return onnx_refuse_type(call, "UINT64");
    }
    if (onnx_attribute(call, "axis", ONNX_ATTRIBUTE_INT) == NULL) {
        input = onnx_reshape(call, input, 1, &count);
    } else if (!onnx_axis(call, onnx_int(call, "axis", 0), input->rank, &axis)) {
        return false;
    }
    struct onnx_tensor *three = onnx_as_three(call, input, axis);
    if (three == NULL) {
        return false;
    }
    table.outer = three->sizes[0];
    table.size = three->sizes[1];
    table.inner = three->sizes[2];
    struct groups groups = {0};
    if (!find_groups(call, &table, onnx_int(call, "sorted", 1) != 0, &groups)) {
        return false;
    }
    return onnx_output(call, 0, onnx_take(call, input, axis, groups.count, groups.firsts)) &&
           onnx_output(call, 1, onnx_constant(call, ONNX_INT64, 1, &groups.count, groups.places)) &&
           onnx_output(call, 2, onnx_constant(call, ONNX_INT64, 1, &table.size, groups.inverse)) &&
           onnx_output(call, 3, onnx_constant(call, ONNX_INT64, 1, &groups.count, groups.counts));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Unique", 11, unique},
};
ONNX_DEFINE_FAMILY(unique, rows)
