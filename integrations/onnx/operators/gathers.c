/* Elements that indices say. */
#include <string.h>

#include "onnx/operators/move.h"

/* One index that is known is a part, which may be of what lies anyhow; -1 where there are more, or none is known. */
static int64_t only_index(const struct onnx_call *call, const struct onnx_tensor *indices, uint32_t size) {
    uint32_t count;
    if (indices->data == NULL || onnx_count(indices) != 1) {
        return -1;
    }
    const int64_t *known = onnx_host_ints(call, 1, &count);
    const int64_t index = known == NULL ? -1 : known[0] < 0 ? known[0] + size : known[0];
    return index < size ? index : -1;
}

static bool gather(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0), *indices = onnx_needed(call, 1);
    uint32_t axis, sizes[2 * ONNX_MAX_RANK], rank = 0;
    if (input == NULL || indices == NULL || !onnx_axis(call, onnx_int(call, "axis", 0), input->rank, &axis)) {
        return false;
    }
    const int64_t index = only_index(call, indices, input->sizes[axis]);
    if (index < 0) {
        return onnx_output(call, 0, onnx_gather(call, input, indices, axis));
    }
    const uint32_t place = (uint32_t)index;
    struct onnx_tensor *part = onnx_take(call, input, axis, 1, &place);
    for (uint32_t d = 0; d < input->rank; ++d) {
        for (uint32_t i = 0; d == axis && i < indices->rank; ++i) {
            sizes[rank++] = 1;
        }
        if (d != axis) {
            sizes[rank++] = input->sizes[d];
        }
    }
    return onnx_output(call, 0, onnx_reshape(call, part, rank, sizes));
}

/* The indices may be fewer along other axes than the data. */
static bool gather_elements(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0), *indices = onnx_needed(call, 1);
    uint32_t axis, sizes[ONNX_MAX_RANK];
    static const uint32_t offsets[ONNX_MAX_RANK];
    if (input == NULL || indices == NULL || !onnx_axis(call, onnx_int(call, "axis", 0), input->rank, &axis)) {
        return false;
    }
    if (indices->rank != input->rank) {
        return onnx_refuse(call, "indices of another rank");
    }
    for (uint32_t d = 0; d < input->rank; ++d) {
        sizes[d] = d == axis ? input->sizes[d] : indices->sizes[d];
        if (sizes[d] > input->sizes[d]) {
            return onnx_refuse(call, "more indices than elements along axis %u", (unsigned)d);
        }
    }
    if (onnx_is_empty(indices)) {
        return onnx_output(call, 0, onnx_declare(call, input->type, indices->rank, indices->sizes));
    }
    struct onnx_tensor *part = onnx_as_bits(call, onnx_slice(call, input, offsets, sizes, NULL));
    DML_GATHER_ELEMENTS_OPERATOR_DESC desc = {.Axis = axis};
    struct onnx_tensor *made = onnx_make(call, DML_OPERATOR_GATHER_ELEMENTS, &desc, ONNX_TENSORS(part, indices));
    return onnx_output(call, 0, onnx_reinterpret(call, made, input->type));
}

/* ---- GatherND ---- */

static uint64_t product(const struct onnx_tensor *tensor, uint32_t from, uint32_t to) {
    uint64_t count = 1;
    for (uint32_t d = from; d < to; ++d) {
        count *= tensor->sizes[d];
    }
    return count;
}

/* Batches as one dimension of both, and tuples as another: DirectML wants tensors of one rank. */
static struct onnx_tensor *gather_tuples(const struct onnx_call *call, struct onnx_tensor *input,
                                         struct onnx_tensor *indices, uint32_t batch, uint32_t rank,
                                         const uint32_t *sizes) {
    const uint32_t tuple = indices->sizes[indices->rank - 1];
    const uint64_t batches = product(input, 0, batch), tuples = product(indices, batch, indices->rank - 1);
    const uint64_t block = product(input, batch + tuple, input->rank);
    uint32_t data_sizes[ONNX_MAX_RANK], index_sizes[ONNX_MAX_RANK];
    const uint32_t data_rank = tuple + 2, index_rank = 3, most = data_rank < 3 ? 3 : data_rank;
    if (most > ONNX_MAX_RANK || batches > UINT32_MAX || tuples > UINT32_MAX || block > UINT32_MAX) {
        onnx_refuse(call, "more than 8 dimensions");
        return NULL;
    }
    data_sizes[0] = (uint32_t)batches;
    memcpy(data_sizes + 1, input->sizes + batch, tuple * sizeof *data_sizes);
    data_sizes[tuple + 1] = (uint32_t)block;
    for (uint32_t d = 0; d < most; ++d) {
        index_sizes[d] = 1;
    }
    index_sizes[most - 3] = (uint32_t)batches;
    index_sizes[most - 2] = (uint32_t)tuples;
    index_sizes[most - 1] = tuple;
    struct onnx_tensor *data = onnx_reshape(call, onnx_as_bits(call, input), data_rank, data_sizes);
    indices = onnx_reshape(call, indices, most, index_sizes);
    DML_GATHER_ND1_OPERATOR_DESC desc = {
        .InputDimensionCount = data_rank, .IndicesDimensionCount = index_rank, .BatchDimensionCount = 1};
    struct onnx_tensor *made = onnx_make(call, DML_OPERATOR_GATHER_ND1, &desc, ONNX_TENSORS(data, indices));
    return onnx_reinterpret(call, onnx_reshape(call, made, rank, sizes), input->type);
}

static bool gather_nd(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0), *indices = onnx_needed(call, 1);
    const int64_t batch = onnx_int(call, "batch_dims", 0);
    if (input == NULL || indices == NULL) {
        return false;
    }
    const uint32_t tuple = indices->rank == 0 ? 0 : indices->sizes[indices->rank - 1];
    if (indices->rank == 0 || batch < 0 || batch >= indices->rank || tuple == 0 ||
        (uint64_t)batch + tuple > input->rank) {
        return onnx_refuse(call, "indices that do not fit the data");
    }
    uint32_t sizes[2 * ONNX_MAX_RANK], rank = 0;
    for (uint32_t d = 0; d + 1 < indices->rank; ++d) {
        if (d < batch && indices->sizes[d] != input->sizes[d]) {
            return onnx_refuse(call, "batches of different sizes");
        }
        sizes[rank++] = indices->sizes[d];
    }
    for (uint32_t d = (uint32_t)batch + tuple; d < input->rank; ++d) {
        sizes[rank++] = input->sizes[d];
    }
    if (rank > ONNX_MAX_RANK) {
        return onnx_refuse(call, "more than 8 dimensions");
    }
    struct onnx_tensor *result = onnx_declare(call, input->type, rank, sizes);
    if (result != NULL && !onnx_is_empty(result)) {
        result = gather_tuples(call, input, indices, (uint32_t)batch, rank, sizes);
    }
    return onnx_output(call, 0, result);
}

/* ---- as many as the data say: where these are known ---- */

static bool compress(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    uint32_t count = 0, axis = 0, found = 0;
    const int64_t *condition = input == NULL ? NULL : onnx_host_ints(call, 1, &count);
    uint32_t *indices = onnx_scratch(call, count, sizeof *indices);
    if (condition == NULL || indices == NULL) {
        return false;
    }
    if (onnx_attribute(call, "axis", ONNX_ATTRIBUTE_INT) == NULL) {
        const uint64_t all = onnx_count(input);
        input = onnx_reshape(call, input, 1, (uint32_t[]){(uint32_t)all});
    } else if (!onnx_axis(call, onnx_int(call, "axis", 0), input->rank, &axis)) {
        return false;
    }
    if (input == NULL || count > input->sizes[axis]) {
        return onnx_refuse(call, "a longer condition than the axis");
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (condition[i] != 0) {
            indices[found++] = i;
        }
    }
    return onnx_output(call, 0, onnx_take(call, input, axis, found, indices));
}

/* Coordinates of what is not 0: a row for each dimension. */
static bool nonzero(const struct onnx_call *call) {
    const struct onnx_tensor *input = onnx_needed(call, 0);
    uint32_t count = 0, found = 0;
    const double *elements = input == NULL ? NULL : onnx_host_floats(call, 0, &count);
    if (elements == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        found += elements[i] != 0;
    }
    int64_t *places = onnx_scratch(call, (size_t)found * input->rank, sizeof *places);
    if (places == NULL) {
        return false;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t rest = i;
        for (uint32_t d = input->rank; elements[i] != 0 && d-- > 0;) {
            places[(size_t)d * found + next] = rest % input->sizes[d];
            rest /= input->sizes[d];
        }
        next += elements[i] != 0;
    }
    return onnx_output(call, 0, onnx_constant(call, ONNX_INT64, 2, (uint32_t[]){input->rank, found}, places));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Gather", 1, gather},       {ONNX_ML, "GatherElements", 11, gather_elements},
    {ONNX_ML, "GatherND", 11, gather_nd}, {ONNX_ML, "Compress", 9, compress},
    {ONNX_ML, "NonZero", 9, nonzero},
};
ONNX_DEFINE_FAMILY(gathers, rows)
