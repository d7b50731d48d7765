/* TOP_K and TOP_K1: the outputs hold what is first so far. */
#include <math.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

struct entry {
    uint64_t bits;
    uint32_t place;
};

/* Whether a comes before b, and not only because of its place. NaN is the greatest; zeros are equal. */
static bool comes_before(DML_TENSOR_DATA_TYPE type, uint64_t a, uint64_t b, bool least) {
    if (vkdml_data_type_is_float(type)) {
        const float x = vkdml_element_to_float(type, a), y = vkdml_element_to_float(type, b);
        if (isnan(x) || isnan(y)) {
            return least ? !isnan(x) : !isnan(y);
        }
        return least ? x < y : x > y;
    }
    if (vkdml_integer_range(type).lowest != 0) {
        const int64_t x = (int64_t)vkdml_integer_extend(type, a), y = (int64_t)vkdml_integer_extend(type, b);
        return least ? x < y : x > y;
    }
    return least ? a < b : a > b;
}

/* A row, whose first entries are a heap in the outputs, the last of them on top. */
struct row {
    const struct vkdml_tensor *input, *values, *indices;
    const void *from;
    void *value_memory, *index_memory;
    struct vkdml_coordinate at;
    uint32_t axis;
    bool least;
};

static struct entry element(struct row *row, uint32_t place) {
    row->at.index[row->axis] = place;
    return (struct entry){vkdml_element_read(row->input, row->from, &row->at), place};
}

static struct entry get(struct row *row, uint32_t rank) {
    row->at.index[row->axis] = rank;
    return (struct entry){vkdml_element_read(row->values, row->value_memory, &row->at),
                          (uint32_t)vkdml_element_read(row->indices, row->index_memory, &row->at)};
}

static void put(struct row *row, uint32_t rank, struct entry entry) {
    const DML_TENSOR_DATA_TYPE type = row->input->data_type;
    if (vkdml_data_type_is_float(type) && isnan(vkdml_element_to_float(type, entry.bits))) {
        entry.bits = vkdml_float_to_element(type, NAN);
    }
    row->at.index[row->axis] = rank;
    vkdml_element_write(row->values, row->value_memory, &row->at, entry.bits);
    vkdml_element_write(row->indices, row->index_memory, &row->at, entry.place);
}

static bool is_before(const struct row *row, struct entry a, struct entry b) {
    const DML_TENSOR_DATA_TYPE type = row->input->data_type;
    return comes_before(type, a.bits, b.bits, row->least) ||
           (!comes_before(type, b.bits, a.bits, row->least) && a.place < b.place);
}

/* Puts an entry where it belongs from a place of a heap on downward. */
static void sift(struct row *row, uint64_t at, uint32_t size, struct entry entry) {
    for (uint64_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
        if (child + 1 < size && is_before(row, get(row, (uint32_t)child), get(row, (uint32_t)child + 1))) {
            child++;
        }
        if (!is_before(row, entry, get(row, (uint32_t)child))) {
            break;
        }
        put(row, (uint32_t)at, get(row, (uint32_t)child));
        at = child;
    }
    put(row, (uint32_t)at, entry);
}

static void sort_row(struct row *row) {
    const uint32_t count = row->input->sizes[row->axis], kept = row->values->sizes[row->axis];
    for (uint32_t i = 0; i < kept; i++) {
        put(row, i, element(row, i));
    }
    for (uint32_t i = kept / 2; i > 0; i--) {
        sift(row, i - 1, kept, get(row, i - 1));
    }
    for (uint32_t i = kept; i < count; i++) {
        const struct entry entry = element(row, i);
        if (is_before(row, entry, get(row, 0))) {
            sift(row, 0, kept, entry);
        }
    }
    for (uint32_t left = kept; left > 1; left--) {
        const struct entry last = get(row, 0);
        sift(row, 0, left - 1, get(row, left - 1));
        put(row, left - 1, last);
    }
}

static void top_k(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory, uint32_t axis,
                  bool least) {
    struct row row = {.input = &instance->inputs[0],
                      .values = &instance->outputs[0],
                      .indices = &instance->outputs[1],
                      .from = memory->inputs[0],
                      .value_memory = memory->outputs[0],
                      .index_memory = memory->outputs[1],
                      .axis = axis,
                      .least = least};
    struct vkdml_coordinate at = {{0}};
    do {
        if (at.index[axis] == 0) {
            row.at = at;
            sort_row(&row);
        }
    } while (vkdml_coordinate_next(row.values, &at));
}

void vkdml_reference_top_k(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_TOP_K_OPERATOR_DESC *desc = instance->desc;
    top_k(instance, memory, desc->Axis, false);
}

void vkdml_reference_top_k1(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_TOP_K1_OPERATOR_DESC *desc = instance->desc;
    top_k(instance, memory, desc->Axis, desc->AxisDirection == DML_AXIS_DIRECTION_INCREASING);
}
