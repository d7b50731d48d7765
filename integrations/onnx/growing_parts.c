/* What operators do to tensors with a growing dimension: which elements are in use, zeros in those that are not, and
 * new elements after those in use. The length of a run is data, so one plan serves all lengths of its range. */
#include "onnx/operators/move.h"
#include "onnx/plan_parts.h"

struct onnx_tensor *onnx_without_growing(const struct onnx_call *call, struct onnx_tensor *tensor) {
    if (tensor == NULL || tensor->growing == NULL) {
        return tensor;
    }
    struct onnx_tensor *view = onnx_reshape(call, tensor, tensor->rank, tensor->sizes);
    if (view != NULL) {
        view->growing = NULL;
    }
    return view;
}

struct onnx_tensor *onnx_with_growing(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t dimension,
                                      const struct onnx_size_element *size, bool is_zero) {
    struct onnx_tensor *view = tensor == NULL ? NULL : onnx_reshape(call, tensor, tensor->rank, tensor->sizes);
    struct onnx_growing_dimension *growing = onnx_allocate(&call->plan->arena, 1, sizeof *growing);
    if (view == NULL || growing == NULL) {
        onnx_memory_is_out(call);
        return NULL;
    }
    *growing = (struct onnx_growing_dimension){size->input, dimension, (int32_t)size->bias, is_zero};
    view->growing = growing;
    return view;
}

struct onnx_tensor *onnx_size_number(const struct onnx_call *call, const struct onnx_size_element *size) {
    if (size->input == ONNX_NONE) {
        return onnx_number(call, ONNX_INT32, (double)size->bias);
    }
    struct onnx_tensor **place = onnx_share(call, "size", NULL, NULL, size->input, (uint32_t)size->bias);
    if (place != NULL && *place == NULL) {
        *place = onnx_size_tensor(call, ONNX_INT32, 1, (uint32_t[]){1}, size);
    }
    return place == NULL ? NULL : *place;
}

uint32_t onnx_capacity(const struct onnx_call *call, const struct onnx_size_element *size) {
    return call->plan->growing[size->input].capacity;
}

bool onnx_has_room(const struct onnx_call *call, const struct onnx_size_element *size) {
    struct onnx_plan *plan = call->plan;
    if (onnx_narrow_size(call, size, INT32_MIN, onnx_capacity(call, size))) {
        return true;
    }
    if ((plan->stepped & onnx_bit_of(size->input)) == 0 || size->bias <= plan->room) {
        return onnx_fix_sizes(call, onnx_bit_of(size->input));
    }
    plan->needed_room = (uint32_t)size->bias;
    return onnx_refuse(call, "too little room for new rows");
}

/* 0, 1, 2, .. along a dimension, compared with a size: {.., count, 1, ..}. */
static struct onnx_tensor *compare_places(const struct onnx_call *call, DML_OPERATOR_TYPE type, const char *what,
                                          const struct onnx_size_element *size, uint32_t count) {
    struct onnx_tensor *number = onnx_size_number(call, size);
    struct onnx_tensor **place = onnx_share(call, what, number, NULL, count, 0);
    if (place != NULL && *place == NULL) {
        *place = onnx_compare(call, type, onnx_iota(call, ONNX_INT32, 1, 0, count), number);
    }
    return place == NULL ? NULL : *place;
}

/* One dimension as dimension `d` of a tensor of more. */
static struct onnx_tensor *along(const struct onnx_call *call, struct onnx_tensor *vector, uint32_t rank, uint32_t d) {
    uint32_t sizes[ONNX_MAX_RANK];
    for (uint32_t i = 0; i < rank; ++i) {
        sizes[i] = i == d && vector != NULL ? vector->sizes[0] : 1;
    }
    return onnx_reshape(call, vector, rank, sizes);
}

struct onnx_tensor *onnx_in_use(const struct onnx_call *call, const struct onnx_size_element *size, uint32_t count,
                                uint32_t rank, uint32_t dimension) {
    return along(call,
                 compare_places(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN, "is in use", size, count), rank,
                 dimension);
}

struct onnx_tensor *onnx_fill_unused(const struct onnx_call *call, struct onnx_tensor *tensor, double value) {
    const uint32_t d = tensor->growing->dimension;
    const struct onnx_size_element size = onnx_size_of(tensor, d);
    struct onnx_tensor *plain = onnx_without_growing(call, tensor);
    if (plain == NULL || (tensor->growing->is_zero && value == 0)) {
        return plain;
    }
    struct onnx_tensor *in_use = onnx_in_use(call, &size, tensor->sizes[d], tensor->rank, d);
    return onnx_select(call, in_use, plain, onnx_number(call, tensor->type, value));
}

/* New rows where they belong; others have no meaning. */
static struct onnx_tensor *place_rows(const struct onnx_call *call, const struct onnx_size_element *size,
                                      struct onnx_tensor *added, uint32_t d, uint32_t capacity) {
    const uint32_t count = added->sizes[d];
    struct onnx_tensor *number = onnx_size_number(call, size);
    struct onnx_tensor **place = onnx_share(call, "new row", number, NULL, count, capacity);
    if (count == 1) {
        return added;
    }
    if (place != NULL && *place == NULL) {
        struct onnx_tensor *row = onnx_subtract(call, onnx_iota(call, ONNX_INT32, 1, 0, capacity), number);
        row = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MIN, row, onnx_number(call, ONNX_INT32, count - 1));
        *place = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MAX, row, onnx_number(call, ONNX_INT32, 0));
    }
    return place == NULL ? NULL : onnx_gather(call, added, *place, d);
}

/* Which rows are new. */
static struct onnx_tensor *find_new(const struct onnx_call *call, const struct onnx_size_element *past,
                                    const struct onnx_size_element *all, uint32_t capacity) {
    if (all->bias - past->bias == 1) {
        return compare_places(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, "is new", past, capacity);
    }
    struct onnx_tensor *number = onnx_size_number(call, past);
    struct onnx_tensor **place =
        onnx_share(call, "are new", number, NULL, (uint32_t)(all->bias - past->bias), capacity);
    if (place != NULL && *place == NULL) {
        struct onnx_tensor *in_use = onnx_in_use(call, all, capacity, 1, 0);
        struct onnx_tensor *is_past = onnx_in_use(call, past, capacity, 1, 0);
        DML_ELEMENT_WISE_LOGICAL_XOR_OPERATOR_DESC desc = {0};
        *place = onnx_classify(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_XOR, &desc, ONNX_TENSORS(in_use, is_past));
    }
    return place == NULL ? NULL : *place;
}

struct onnx_tensor *onnx_append(const struct onnx_call *call, struct onnx_tensor *tensor, struct onnx_tensor *added) {
    const uint32_t d = tensor->growing->dimension, capacity = tensor->sizes[d];
    const struct onnx_size_element past = onnx_size_of(tensor, d);
    if (added == NULL || added->rank != tensor->rank || added->growing != NULL || added->sizes[d] == 0 ||
        added->type != tensor->type) {
        onnx_fix_growing(call, tensor);
        return NULL;
    }
    struct onnx_size_element all = past;
    all.bias += added->sizes[d];
    if (!onnx_has_room(call, &all)) {
        return NULL;
    }
    struct onnx_tensor *is_new = along(call, find_new(call, &past, &all, capacity), tensor->rank, d);
    struct onnx_tensor *rows = onnx_select(call, is_new, place_rows(call, &past, added, d, capacity),
                                           onnx_fill_unused(call, tensor, 0));
    return onnx_with_growing(call, rows, d, &all, true);
}
