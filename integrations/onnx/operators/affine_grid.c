/* AffineGrid: where the places of a grid come to lie, each axis by itself. */
#include "onnx/operators/move.h"

/* Places of an axis from -1 to 1, along dimension `axis` of so many. */
static struct onnx_tensor *find_places(const struct onnx_call *call, bool aligns_corners, uint32_t size, uint32_t axis,
                                       uint32_t rank) {
    uint32_t sizes[ONNX_MAX_RANK];
    float *places = onnx_table(call, size, sizeof *places);
    if (places == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < size; ++i) {
        places[i] = (float)(aligns_corners ? 2.0 * i / (size - 1.0) - 1 : (2.0 * i + 1) / size - 1);
    }
    for (uint32_t d = 0; d < rank; ++d) {
        sizes[d] = d == axis ? size : 1;
    }
    return onnx_constant(call, ONNX_FLOAT, rank, sizes, places);
}

/* Columns of theta, {N, 1, .., count}. */
static struct onnx_tensor *take_column(const struct onnx_call *call, struct onnx_tensor *theta, uint32_t column,
                                       uint32_t count) {
    uint32_t sizes[ONNX_MAX_RANK] = {theta->sizes[0], 1, 1, 1};
    sizes[count + 1] = count;
    return onnx_reshape(call, onnx_slice_axis(call, theta, 2, column, 1, 1), count + 2, sizes);
}

static bool affine_grid(const struct onnx_call *call) {
    uint32_t rank = 0;
    struct onnx_tensor *theta = onnx_needed(call, 0);
    const int64_t *size = onnx_host_ints(call, 1, &rank);
    const bool aligns_corners = onnx_int(call, "align_corners", 0) != 0;
    if (theta == NULL || size == NULL) {
        return false;
    }
    if (!onnx_is_float(theta->type)) {
        return onnx_refuse_type(call, "theta of %s", onnx_type_name(theta->type));
    }
    const uint32_t count = rank - 2;
    if ((rank != 4 && rank != 5) || theta->rank != 3 || theta->sizes[0] != size[0] || theta->sizes[1] != count ||
        theta->sizes[2] != count + 1) {
        return onnx_refuse(call, "a size of %u numbers, or a theta that is not for it", (unsigned)rank);
    }
    const enum onnx_type type = theta->type;
    theta = onnx_cast(call, theta, ONNX_FLOAT);
    struct onnx_tensor *grid = theta == NULL ? NULL : take_column(call, theta, count, count);
    for (uint32_t d = count; grid != NULL && d-- > 0;) {
        const int64_t places = size[2 + d];
        /* Where one place is at both corners implementations differ. */
        if (places < (aligns_corners ? 2 : 1) || places > UINT32_MAX) {
            return onnx_refuse(call, "a size of %lld", (long long)places);
        }
        /* The first column is for the last axis. */
        struct onnx_tensor *along = find_places(call, aligns_corners, (uint32_t)places, 1 + d, count + 2);
        struct onnx_tensor *column = take_column(call, theta, count - 1 - d, count);
        grid = onnx_add(call, onnx_multiply(call, along, column), grid);
    }
    return onnx_output(call, 0, onnx_cast(call, grid, type));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "AffineGrid", 20, affine_grid},
};
ONNX_DEFINE_FAMILY(affine_grid, rows)
