/* Elements put where indices say. */
#include <string.h>

#include "onnx/operators/move.h"

/* Elements of the table of indices and places in a scatter that reduces; larger ones order their updates instead. */
enum { MOST_ELEMENTS = 1 << 22 };

/* What a reduction makes of elements: an operator of two, and a reduction of many. */
struct reduction {
    const char *name;
    DML_OPERATOR_TYPE binary;
    DML_REDUCE_FUNCTION function;
};

static bool find_reduction(const struct onnx_call *call, const struct reduction **found) {
    static const struct reduction reductions[] = {
        {"add", DML_OPERATOR_ELEMENT_WISE_ADD, DML_REDUCE_FUNCTION_SUM},
        {"mul", DML_OPERATOR_ELEMENT_WISE_MULTIPLY, DML_REDUCE_FUNCTION_MULTIPLY},
        {"max", DML_OPERATOR_ELEMENT_WISE_MAX, DML_REDUCE_FUNCTION_MAX},
        {"min", DML_OPERATOR_ELEMENT_WISE_MIN, DML_REDUCE_FUNCTION_MIN},
    };
    const char *name = onnx_text(call, "reduction", "none");
    *found = NULL;
    for (size_t i = 0; i < sizeof reductions / sizeof reductions[0]; ++i) {
        if (strcmp(name, reductions[i].name) == 0) {
            *found = &reductions[i];
        }
    }
    return *found != NULL || strcmp(name, "none") == 0 || onnx_refuse(call, "reduction %s", name);
}

/* ---- by order: updates of one place come one after another, are reduced, and the last of them is scattered ---- */

/* INT64 indices as UINT32, in order along axis 1, and where each came from. */
static bool order_indices(const struct onnx_call *call, struct onnx_tensor *indices, struct onnx_tensor *ordered[2]) {
    indices = onnx_cast(call, indices, ONNX_UINT32);
    if (indices == NULL) {
        return false;
    }
    DML_TOP_K1_OPERATOR_DESC desc = {
        .Axis = 1, .K = indices->sizes[1], .AxisDirection = DML_AXIS_DIRECTION_INCREASING};
    ordered[0] = onnx_declare(call, ONNX_UINT32, 3, indices->sizes);
    ordered[1] = onnx_declare(call, ONNX_UINT32, 3, indices->sizes);
    return ordered[0] != NULL && ordered[1] != NULL &&
           onnx_emit(call, DML_OPERATOR_TOP_K1, &desc, ONNX_TENSORS(indices), 2, ordered);
}

static struct onnx_tensor *take_elements(const struct onnx_call *call, struct onnx_tensor *tensor,
                                         struct onnx_tensor *places) {
    if (tensor == NULL || places == NULL) {
        return NULL;
    }
    struct onnx_tensor *all = onnx_broadcast(
        call, places, 3, (const uint32_t[]){tensor->sizes[0], places->sizes[1], tensor->sizes[2]});
    if (all == NULL) {
        return NULL;
    }
    DML_GATHER_ELEMENTS_OPERATOR_DESC desc = {.Axis = 1};
    return onnx_make(call, DML_OPERATOR_GATHER_ELEMENTS, &desc, ONNX_TENSORS(tensor, all));
}

/* Each update with those of the same place before it: after a step of n, with as many as 2n - 1 of them. */
static struct onnx_tensor *reduce_runs(const struct onnx_call *call, const struct reduction *reduction,
                                       struct onnx_tensor *places, struct onnx_tensor *updates) {
    const uint32_t count = places->sizes[1];
    for (uint32_t step = 1; updates != NULL && step < count; step *= 2) {
        struct onnx_tensor *before = onnx_slice_axis(call, updates, 1, 0, count - step, 1);
        struct onnx_tensor *after = onnx_slice_axis(call, updates, 1, step, count - step, 1);
        struct onnx_tensor *is_same = onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS,
                                                   onnx_slice_axis(call, places, 1, 0, count - step, 1),
                                                   onnx_slice_axis(call, places, 1, step, count - step, 1));
        struct onnx_tensor *both = onnx_binary(call, reduction->binary, before, after);
        if (is_same == NULL || both == NULL) {
            return NULL;
        }
        after = onnx_select(call, is_same, both, after);
        updates = onnx_join(
            call, 2, (struct onnx_tensor *[]){onnx_slice_axis(call, updates, 1, 0, step, 1), after}, 1);
        if (step > UINT32_MAX / 2) {
            break;
        }
    }
    return updates;
}

/* Where to scatter: the last of a place there, others behind the data. */
static struct onnx_tensor *last_places(const struct onnx_call *call, struct onnx_tensor *places, uint32_t size) {
    const uint32_t count = places->sizes[1];
    struct onnx_tensor *last = onnx_slice_axis(call, places, 1, count - 1, 1, 1);
    if (count == 1) {
        return last;
    }
    struct onnx_tensor *before = onnx_slice_axis(call, places, 1, 0, count - 1, 1);
    struct onnx_tensor *after = onnx_slice_axis(call, places, 1, 1, count - 1, 1);
    struct onnx_tensor *goes_on = onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, before, after);
    before = goes_on == NULL ? NULL : onnx_select(call, goes_on, onnx_number(call, ONNX_UINT32, (double)size), before);
    return onnx_join(call, 2, (struct onnx_tensor *[]){before, last}, 1);
}

static struct onnx_tensor *reduce_in_order(const struct onnx_call *call, const struct reduction *reduction,
                                           struct onnx_tensor *data, struct onnx_tensor *indices,
                                           struct onnx_tensor *updates) {
    const uint32_t none[3] = {0}, size = data->sizes[1];
    struct onnx_tensor *ordered[2];
    if (!order_indices(call, indices, ordered)) {
        return NULL;
    }
    updates = reduce_runs(call, reduction, ordered[0], take_elements(call, updates, ordered[1]));
    if (updates == NULL) {
        return NULL;
    }
    updates = onnx_binary(call, reduction->binary, take_elements(call, data, ordered[0]), updates);
    struct onnx_tensor *places = last_places(call, ordered[0], size);
    struct onnx_tensor *made = onnx_pad_zeros(call, data, none, (const uint32_t[]){0, 1, 0});
    if (updates == NULL || places == NULL || made == NULL) {
        return NULL;
    }
    places = onnx_broadcast(call, places, 3, updates->sizes);
    DML_SCATTER_OPERATOR_DESC desc = {.Axis = 1};
    made = places == NULL ? NULL : onnx_make(call, DML_OPERATOR_SCATTER, &desc, ONNX_TENSORS(made, places, updates));
    return onnx_slice(call, made, none, data->sizes, NULL);
}

/* ---- by a table ---- */

/* Data {outer, size, inner}, indices {outer or 1, count, inner or 1}, updates {outer, count, inner}: for each place
 * the updates whose index it is, all others what changes nothing, reduced together with the data. */
static struct onnx_tensor *reduce_three(const struct onnx_call *call, const struct reduction *reduction,
                                        struct onnx_tensor *data, struct onnx_tensor *indices,
                                        struct onnx_tensor *updates) {
    if (data == NULL || indices == NULL || updates == NULL) {
        return NULL;
    }
    const uint32_t outer = data->sizes[0], size = data->sizes[1], inner = data->sizes[2], count = updates->sizes[1];
    indices = onnx_from_start(call, indices, size);
    if (indices == NULL) {
        return NULL;
    }
    if ((double)outer * (double)size * (double)inner * (double)count > (double)MOST_ELEMENTS) {
        return reduce_in_order(call, reduction, data, indices, updates);
    }
    indices = onnx_reshape(call, indices, 4, (uint32_t[]){indices->sizes[0], 1, count, indices->sizes[2]});
    struct onnx_tensor *places = onnx_iota(call, ONNX_INT64, 4, 1, size);
    struct onnx_tensor *is_here = onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, indices, places);
    struct onnx_tensor *wide = onnx_reshape(call, updates, 4, (uint32_t[]){outer, 1, count, inner});
    struct onnx_tensor *before = onnx_reshape(call, data, 4, (uint32_t[]){outer, size, 1, inner});
    struct onnx_tensor *nothing = before;
    if (reduction->function == DML_REDUCE_FUNCTION_SUM || reduction->function == DML_REDUCE_FUNCTION_MULTIPLY) {
        nothing = onnx_number(call, data->type, reduction->function == DML_REDUCE_FUNCTION_SUM ? 0 : 1);
    }
    struct onnx_tensor *table = onnx_select(call, is_here, wide, nothing);
    const uint32_t axis = 2;
    return onnx_binary(call, reduction->binary, before, onnx_reduce(call, reduction->function, table, 1, &axis));
}

/* Types that REDUCE lacks go as wider ones; rounding to 16 bits is the last step. */
static enum onnx_type reduced_type(enum onnx_type type) {
    switch (type) {
    case ONNX_INT8:
    case ONNX_INT16:
        return ONNX_INT32;
    case ONNX_UINT8:
    case ONNX_UINT16:
        return ONNX_UINT32;
    case ONNX_FLOAT16:
        return ONNX_FLOAT;
    default:
        return type;
    }
}

static bool scatter_reduced(const struct onnx_call *call, const struct reduction *reduction, struct onnx_tensor *input,
                            struct onnx_tensor *data, struct onnx_tensor *indices, struct onnx_tensor *updates) {
    if (input->type == ONNX_BOOL) {
        return onnx_refuse(call, "reduction %s of BOOL", reduction->name);
    }
    const enum onnx_type type = reduced_type(input->type);
    struct onnx_tensor *reduced =
        reduce_three(call, reduction, onnx_cast(call, data, type), indices, onnx_cast(call, updates, type));
    reduced = onnx_cast(call, reduced, input->type);
    return onnx_output(call, 0, onnx_reshape(call, reduced, input->rank, input->sizes));
}

/* ---- ScatterElements ---- */

/* What was scattered into a corner of the data, and the rest of these. */
static struct onnx_tensor *put_back(const struct onnx_call *call, struct onnx_tensor *corner,
                                    struct onnx_tensor *data) {
    for (uint32_t d = 0; corner != NULL && d < data->rank; ++d) {
        if (corner->sizes[d] != data->sizes[d]) {
            uint32_t offsets[ONNX_MAX_RANK] = {0}, sizes[ONNX_MAX_RANK];
            memcpy(sizes, corner->sizes, sizeof sizes);
            offsets[d] = corner->sizes[d];
            sizes[d] = data->sizes[d] - corner->sizes[d];
            struct onnx_tensor *rest = onnx_slice(call, data, offsets, sizes, NULL);
            corner = onnx_join(call, 2, (struct onnx_tensor *[]){corner, rest}, d);
        }
    }
    return corner;
}

static bool reduce_elements(const struct onnx_call *call, const struct reduction *reduction, struct onnx_tensor *corner,
                            struct onnx_tensor *indices, struct onnx_tensor *updates, uint32_t axis,
                            struct onnx_tensor *data) {
    struct onnx_tensor *result = NULL;
    struct onnx_call inner = *call;
    inner.outputs = &result;
    inner.output_count = 1;
    return scatter_reduced(&inner, reduction, corner, onnx_as_three(call, corner, axis),
                           onnx_as_three(call, indices, axis), onnx_as_three(call, updates, axis)) &&
           onnx_output(call, 0, put_back(call, result, data));
}

static bool scatter_elements(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0), *indices = onnx_needed(call, 1), *updates = onnx_needed(call, 2);
    const struct reduction *reduction;
    static const uint32_t offsets[ONNX_MAX_RANK];
    uint32_t axis, sizes[ONNX_MAX_RANK];
    if (input == NULL || indices == NULL || updates == NULL || !find_reduction(call, &reduction) ||
        !onnx_axis(call, onnx_int(call, "axis", 0), input->rank, &axis)) {
        return false;
    }
    for (uint32_t d = 0; d < input->rank; ++d) {
        if (indices->rank != input->rank || updates->rank != input->rank || indices->sizes[d] != updates->sizes[d] ||
            (d != axis && indices->sizes[d] > input->sizes[d])) {
            return onnx_refuse(call, "indices and updates that do not fit the data");
        }
        sizes[d] = d == axis ? input->sizes[d] : indices->sizes[d];
    }
    if (onnx_is_empty(indices)) {
        return onnx_output(call, 0, input);
    }
    struct onnx_tensor *corner = onnx_slice(call, input, offsets, sizes, NULL);
    if (corner == NULL || reduction != NULL) {
        return corner != NULL && reduce_elements(call, reduction, corner, indices, updates, axis, input);
    }
    struct onnx_tensor *bits = onnx_as_bits(call, corner);
    updates = onnx_as_bits(call, updates);
    DML_SCATTER_OPERATOR_DESC desc = {.Axis = axis};
    struct onnx_tensor *made = onnx_make(call, DML_OPERATOR_SCATTER, &desc, ONNX_TENSORS(bits, indices, updates));
    return onnx_output(call, 0, put_back(call, onnx_reinterpret(call, made, input->type), input));
}

/* ---- ScatterND ---- */

/* Where the tuples' blocks begin, counted in blocks. */
static struct onnx_tensor *flatten_tuples(const struct onnx_call *call, struct onnx_tensor *indices,
                                          const struct onnx_tensor *input, uint32_t count, uint32_t tuple) {
    struct onnx_tensor *places = NULL;
    indices = onnx_reshape(call, indices, 2, (uint32_t[]){count, tuple});
    for (uint32_t t = 0; t < tuple; ++t) {
        struct onnx_tensor *part = onnx_from_start(call, onnx_slice_axis(call, indices, 1, t, 1, 1), input->sizes[t]);
        if (places != NULL) {
            places = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, places,
                                 onnx_number(call, ONNX_INT64, (double)input->sizes[t]));
            part = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, places, part);
        }
        places = part;
        if (places == NULL) {
            return NULL;
        }
    }
    return places;
}

static struct onnx_tensor *scatter_blocks(const struct onnx_call *call, struct onnx_tensor *input,
                                          struct onnx_tensor *indices, struct onnx_tensor *updates, uint32_t count,
                                          uint32_t tuple, uint32_t block) {
    /* Blocks as one dimension, tuples as one, and all of one rank. */
    const uint32_t rank = tuple + 1 < 2 ? 2 : tuple + 1;
    if (rank > ONNX_MAX_RANK) {
        onnx_refuse(call, "indices of 8 dimensions");
        return NULL;
    }
    uint32_t sizes[ONNX_MAX_RANK];
    memcpy(sizes, input->sizes, tuple * sizeof *sizes);
    sizes[tuple] = block;
    struct onnx_tensor *data = onnx_reshape(call, onnx_as_bits(call, input), rank, sizes);
    indices = onnx_pad_rank(call, onnx_reshape(call, indices, 2, (uint32_t[]){count, tuple}), rank);
    updates = onnx_pad_rank(call, onnx_reshape(call, onnx_as_bits(call, updates), 2, (uint32_t[]){count, block}), rank);
    DML_SCATTER_ND_OPERATOR_DESC desc = {.InputDimensionCount = rank, .IndicesDimensionCount = 2};
    struct onnx_tensor *made = onnx_make(call, DML_OPERATOR_SCATTER_ND, &desc, ONNX_TENSORS(data, indices, updates));
    return onnx_reinterpret(call, onnx_reshape(call, made, input->rank, input->sizes), input->type);
}

static bool scatter_nd(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0), *indices = onnx_needed(call, 1), *updates = onnx_needed(call, 2);
    const struct reduction *reduction;
    if (input == NULL || indices == NULL || updates == NULL || !find_reduction(call, &reduction)) {
        return false;
    }
    if (onnx_is_empty(indices) || onnx_is_empty(updates)) {
        return onnx_output(call, 0, input);
    }
    const uint32_t tuple = indices->rank == 0 ? 0 : indices->sizes[indices->rank - 1];
    if (tuple == 0 || tuple > input->rank) {
        return onnx_refuse(call, "indices that do not fit the data");
    }
    uint64_t blocks = 1, block = 1;
    for (uint32_t d = 0; d < input->rank; ++d) {
        *(d < tuple ? &blocks : &block) *= input->sizes[d];
    }
    const uint64_t count = onnx_count(indices) / tuple;
    if (blocks > UINT32_MAX || block > UINT32_MAX || count > UINT32_MAX || onnx_count(updates) != count * block) {
        return onnx_refuse(call, "updates that do not fit the data");
    }
    if (reduction == NULL) {
        return onnx_output(call, 0,
                           scatter_blocks(call, input, indices, updates, (uint32_t)count, tuple, (uint32_t)block));
    }
    const uint32_t width = (uint32_t)block, length = (uint32_t)count;
    struct onnx_tensor *places = flatten_tuples(call, indices, input, length, tuple);
    return scatter_reduced(call, reduction, input,
                           onnx_reshape(call, input, 3, (uint32_t[]){1, (uint32_t)blocks, width}),
                           onnx_reshape(call, places, 3, (uint32_t[]){1, length, 1}),
                           onnx_reshape(call, updates, 3, (uint32_t[]){1, length, width}));
}

/* ---- TensorScatter ---- */

/* Updates one behind another along an axis, from an index on that each batch has. */
static bool tensor_scatter(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0), *updates = onnx_needed(call, 1);
    uint32_t axis;
    if (input == NULL || updates == NULL || !onnx_axis(call, onnx_int(call, "axis", -2), input->rank, &axis)) {
        return false;
    }
    if (axis == 0 || updates->rank != input->rank || onnx_is_empty(updates)) {
        return onnx_refuse(call, "an update that does not fit");
    }
    const uint32_t size = input->sizes[axis], count = updates->sizes[axis], batches = input->sizes[0];
    for (uint32_t d = 0; d < input->rank; ++d) {
        if (d == axis ? count > size : updates->sizes[d] != input->sizes[d]) {
            return onnx_refuse(call, "an update that does not fit");
        }
    }
    struct onnx_tensor *places = onnx_iota(call, ONNX_INT64, 1, 0, count);
    if (onnx_input(call, 2) != NULL) {
        places = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, places,
                             onnx_reshape(call, onnx_input(call, 2), 2, (uint32_t[]){batches, 1}));
    }
    places = onnx_pad_rank(call, places, 2);
    if (places != NULL && strcmp(onnx_text(call, "mode", "linear"), "circular") == 0) {
        places = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MODULUS_FLOOR, places,
                             onnx_number(call, ONNX_INT64, (double)size));
    }
    uint32_t sizes[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < input->rank; ++d) {
        sizes[d] = d == 0 && places != NULL ? places->sizes[0] : d == axis ? count : 1;
    }
    places = onnx_reshape(call, places, input->rank, sizes);
    places = onnx_broadcast(call, places, updates->rank, updates->sizes);
    struct onnx_tensor *bits = onnx_as_bits(call, input);
    updates = onnx_as_bits(call, updates);
    DML_SCATTER_OPERATOR_DESC desc = {.Axis = axis};
    struct onnx_tensor *made = onnx_make(call, DML_OPERATOR_SCATTER, &desc, ONNX_TENSORS(bits, places, updates));
    return onnx_output(call, 0, onnx_reinterpret(call, made, input->type));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Scatter", 9, scatter_elements},
    {ONNX_ML, "ScatterElements", 11, scatter_elements},
    {ONNX_ML, "ScatterND", 11, scatter_nd},
    {ONNX_ML, "TensorScatter", 24, tensor_scatter},
};
ONNX_DEFINE_FAMILY(scatters, rows)
