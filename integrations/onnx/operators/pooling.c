/* Pooling: by windows, and over all of a channel. */
#include "onnx/operators/network.h"

static struct onnx_tensor *no_input(const struct onnx_call *call) {
    onnx_refuse(call, "no input");
    return NULL;
}

/* {N, C, output sizes}. */
static void output_sizes(const struct onnx_tensor *x, const struct onnx_window *w, uint32_t *sizes) {
    sizes[0] = x->sizes[0];
    sizes[1] = x->sizes[1];
    for (uint32_t d = 0; d < w->count; ++d) {
        sizes[2 + d] = w->output[d];
    }
}

/* ---- average ---- */

/* What ceil_mode adds never counts, and DirectML's padding all or not: then the other padding becomes elements. */
static struct onnx_tensor *make_padding(const struct onnx_call *call, struct onnx_tensor *x, struct onnx_window *w,
                                        bool *counts_padding) {
    bool has_more = false;
    for (uint32_t d = 0; d < w->count; ++d) {
        has_more = has_more || w->more[d] != 0;
    }
    if (!*counts_padding || !has_more) {
        return x;
    }
    uint32_t start[2 + ONNX_MOST_SPATIAL] = {0}, end[2 + ONNX_MOST_SPATIAL] = {0};
    for (uint32_t d = 0; d < w->count; ++d) {
        start[2 + d] = w->start[d];
        end[2 + d] = w->end[d] - w->more[d];
        w->start[d] = 0;
        w->end[d] = w->more[d];
    }
    *counts_padding = false;
    return onnx_pad_zeros(call, x, start, end);
}

static bool average_pool(const struct onnx_call *call) {
    struct onnx_tensor *x = onnx_input(call, 0);
    struct onnx_window w;
    if (x == NULL ? no_input(call) == NULL : !onnx_read_window(call, x, NULL, &w)) {
        return false;
    }
    uint32_t sizes[ONNX_MAX_RANK];
    const uint32_t rank = x->rank;
    output_sizes(x, &w, sizes);
    if (onnx_is_empty(x)) {
        return onnx_output(call, 0, onnx_declare(call, x->type, rank, sizes));
    }
    bool counts_padding = onnx_int(call, "count_include_pad", 0) != 0;
    x = make_padding(call, onnx_widen_window(call, x, &w), &w, &counts_padding);
    DML_AVERAGE_POOLING1_OPERATOR_DESC desc = {.DimensionCount = w.count,
                                               .Strides = w.strides,
                                               .WindowSize = w.kernel,
                                               .StartPadding = w.start,
                                               .EndPadding = w.end,
                                               .Dilations = w.dilations,
                                               .IncludePadding = counts_padding};
    return onnx_output(
        call, 0,
        onnx_reshape(call, onnx_make(call, DML_OPERATOR_AVERAGE_POOLING1, &desc, ONNX_TENSORS(x)), rank, sizes));
}

/* ---- norm ---- */

/* p was a float in version 1. */
static bool read_power(const struct onnx_call *call, uint32_t *power) {
    const float first = onnx_float(call, "p", 2);
    const int64_t p = onnx_int(call, "p", first >= 1 && first < 0x1p31F ? (int64_t)first : 0);
    if (p < 1 || p > INT32_MAX || (onnx_attribute(call, "p", ONNX_ATTRIBUTE_INT) == NULL && (float)p != first)) {
        return onnx_refuse(call, "p must be a whole number from 1 on");
    }
    *power = (uint32_t)p;
    return true;
}

static bool lp_pool(const struct onnx_call *call) {
    struct onnx_tensor *x = onnx_input(call, 0);
    struct onnx_window w;
    uint32_t power;
    if (x == NULL ? no_input(call) == NULL : !onnx_read_window(call, x, NULL, &w) || !read_power(call, &power)) {
        return false;
    }
    uint32_t sizes[ONNX_MAX_RANK];
    const uint32_t rank = x->rank;
    output_sizes(x, &w, sizes);
    if (onnx_is_empty(x)) {
        return onnx_output(call, 0, onnx_declare(call, x->type, rank, sizes));
    }
    x = onnx_widen_window(call, x, &w);
    DML_LP_POOLING1_OPERATOR_DESC desc = {.DimensionCount = w.count,
                                          .Strides = w.strides,
                                          .WindowSize = w.kernel,
                                          .StartPadding = w.start,
                                          .EndPadding = w.end,
                                          .Dilations = w.dilations,
                                          .P = power};
    return onnx_output(
        call, 0, onnx_reshape(call, onnx_make(call, DML_OPERATOR_LP_POOLING1, &desc, ONNX_TENSORS(x)), rank, sizes));
}

/* ---- maximum ---- */

/* Places in C order of {N, C, spatial sizes} as those with the first spatial dimension innermost. */
static struct onnx_tensor *to_columns(const struct onnx_call *call, struct onnx_tensor *places,
                                      const struct onnx_tensor *x) {
    struct onnx_tensor *rest = places, *sum = NULL;
    int64_t plane = 1, column = 1;
    for (uint32_t d = 2; d < x->rank; ++d) {
        plane *= x->sizes[d];
    }
    for (uint32_t d = 1; d < x->rank; ++d) {
        const int64_t below = plane, stride = d == 1 ? below : column;
        struct onnx_tensor *size = onnx_constant(call, ONNX_INT64, 0, NULL, &below);
        struct onnx_tensor *step = onnx_constant(call, ONNX_INT64, 0, NULL, &stride);
        struct onnx_tensor *place = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_DIVIDE, rest, size);
        rest = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MODULUS_FLOOR, rest, size);
        place = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, place, step);
        sum = sum == NULL ? place : onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, sum, place);
        column *= d == 1 ? 1 : x->sizes[d];
        plane /= d + 1 < x->rank ? x->sizes[d + 1] : 1;
    }
    return sum;
}

static bool max_pool(const struct onnx_call *call) {
    struct onnx_tensor *x = onnx_input(call, 0);
    struct onnx_window w;
    if (x == NULL ? no_input(call) == NULL : !onnx_read_window(call, x, NULL, &w)) {
        return false;
    }
    const struct onnx_tensor *const given = x;
    uint32_t sizes[ONNX_MAX_RANK], wide[ONNX_MAX_RANK];
    output_sizes(x, &w, sizes);
    const bool has_places = onnx_is_wanted(call, 1);
    if (onnx_is_empty(x)) {
        return onnx_output(call, 0, onnx_declare(call, x->type, x->rank, sizes)) &&
               (!has_places || onnx_output(call, 1, onnx_declare(call, ONNX_INT64, x->rank, sizes)));
    }
    x = onnx_widen_window(call, x, &w);
    if (x == NULL) {
        return false;
    }
    output_sizes(x, &w, wide);
    DML_MAX_POOLING2_OPERATOR_DESC desc = {.DimensionCount = w.count,
                                           .Strides = w.strides,
                                           .WindowSize = w.kernel,
                                           .StartPadding = w.start,
                                           .EndPadding = w.end,
                                           .Dilations = w.dilations};
    struct onnx_tensor *outputs[] = {NULL, has_places ? onnx_declare(call, ONNX_UINT64, x->rank, wide) : &onnx_absent};
    if (outputs[1] == NULL || !onnx_emit(call, DML_OPERATOR_MAX_POOLING2, &desc, ONNX_TENSORS(x), 2, outputs)) {
        return false;
    }
    if (has_places) {
        struct onnx_tensor *places = onnx_reinterpret(call, outputs[1], ONNX_INT64);
        places = onnx_int(call, "storage_order", 0) != 0 ? to_columns(call, places, given) : places;
        if (!onnx_output(call, 1, onnx_reshape(call, places, given->rank, sizes))) {
            return false;
        }
    }
    return onnx_output(call, 0, onnx_reshape(call, outputs[0], given->rank, sizes));
}

/* Places count in the sizes that the windows would have come from; output_shape pads these. */
static bool max_unpool(const struct onnx_call *call) {
    struct onnx_tensor *x = onnx_input(call, 0), *places = onnx_input(call, 1);
    struct onnx_window w;
    uint32_t pads[2 * ONNX_MOST_SPATIAL], sizes[ONNX_MAX_RANK], zeros[ONNX_MAX_RANK] = {0}, more[ONNX_MAX_RANK] = {0};
    if (x == NULL || places == NULL) {
        return onnx_refuse(call, "no input");
    }
    if (!onnx_read_kernel(call, x, NULL, &w) || !onnx_read_sizes(call, "pads", 2 * w.count, 0, 0, pads)) {
        return false;
    }
    if (places->type != ONNX_INT64) {
        return onnx_refuse_type(call, "places that are no INT64");
    }
    if (!onnx_is_float(x->type)) {
        return onnx_refuse_type(call, "of %s", onnx_type_name(x->type));
    }
    for (uint32_t d = 0; d < w.count; ++d) {
        const int64_t size = ((int64_t)x->sizes[2 + d] - 1) * w.strides[d] + w.kernel[d] - pads[d] - pads[w.count + d];
        if (size < 1 || size > UINT32_MAX) {
            return onnx_refuse(call, "a size of %lld", (long long)size);
        }
        w.output[d] = (uint32_t)size;
    }
    output_sizes(x, &w, sizes);
    if (onnx_input(call, 2) != NULL) {
        uint32_t count = 0;
        const int64_t *shape = onnx_host_ints(call, 2, &count);
        if (shape == NULL || count != x->rank) {
            return onnx_refuse(call, "output_shape of %u numbers", (unsigned)count);
        }
        for (uint32_t d = 0; d < x->rank; ++d) {
            if (shape[d] < sizes[d] || shape[d] > UINT32_MAX || (d < 2 && shape[d] != sizes[d])) {
                return onnx_refuse(call, "output_shape has %lld", (long long)shape[d]);
            }
            more[d] = (uint32_t)shape[d] - sizes[d];
        }
    }
    if (x->rank > 4) {
        return onnx_refuse(call, "%u dimensions", (unsigned)x->rank);
    }
    const uint32_t rank = x->rank;
    const uint32_t wide[] = {sizes[0], sizes[1], rank == 3 ? 1 : sizes[2], sizes[rank - 1]};
    const uint32_t narrow[] = {x->sizes[0], x->sizes[1], rank == 3 ? 1 : x->sizes[2], x->sizes[rank - 1]};
    struct onnx_tensor *inputs[] = {onnx_reshape(call, x, 4, narrow),
                                    onnx_reinterpret(call, onnx_reshape(call, places, 4, narrow), ONNX_UINT64)};
    struct onnx_tensor *y = onnx_declare(call, x->type, 4, wide);
    DML_MAX_UNPOOLING_OPERATOR_DESC desc = {0};
    if (inputs[0] == NULL || inputs[1] == NULL || y == NULL ||
        !onnx_emit(call, DML_OPERATOR_MAX_UNPOOLING, &desc, 2, inputs, 1, &y)) {
        return false;
    }
    return onnx_output(call, 0, onnx_pad_zeros(call, onnx_reshape(call, y, rank, sizes), zeros, more));
}

/* ---- over all of a channel ---- */

/* {N, C, elements}, and the sizes of the result. */
static struct onnx_tensor *flatten(const struct onnx_call *call, uint32_t *rank, uint32_t sizes[ONNX_MAX_RANK]) {
    struct onnx_tensor *x = onnx_input(call, 0);
    if (x == NULL || x->rank < 3) {
        onnx_refuse(call, "fewer than 3 dimensions");
        return NULL;
    }
    uint64_t elements = 1;
    for (uint32_t d = 0; d < x->rank; ++d) {
        sizes[d] = d < 2 ? x->sizes[d] : 1;
        elements *= d < 2 ? 1 : x->sizes[d];
    }
    *rank = x->rank;
    if (elements == 0 || elements > UINT32_MAX) {
        onnx_refuse(call, "channels of %llu elements", (unsigned long long)elements);
        return NULL;
    }
    return onnx_reshape(call, x, 3, (const uint32_t[]){sizes[0], sizes[1], (uint32_t)elements});
}

static bool reduce_all(const struct onnx_call *call, DML_REDUCE_FUNCTION function) {
    uint32_t rank, sizes[ONNX_MAX_RANK];
    struct onnx_tensor *x = flatten(call, &rank, sizes);
    if (x != NULL && onnx_is_empty(x)) {
        return onnx_output(call, 0, onnx_declare(call, x->type, rank, sizes));
    }
    static const uint32_t last = 2;
    return onnx_output(call, 0, onnx_reshape(call, onnx_reduce(call, function, x, 1, &last), rank, sizes));
}

static bool global_average_pool(const struct onnx_call *call) {
    return reduce_all(call, DML_REDUCE_FUNCTION_AVERAGE);
}

static bool global_max_pool(const struct onnx_call *call) {
    return reduce_all(call, DML_REDUCE_FUNCTION_MAX);
}

static bool global_lp_pool(const struct onnx_call *call) {
    uint32_t power, rank, sizes[ONNX_MAX_RANK];
    if (!read_power(call, &power)) {
        return false;
    }
    if (power <= 2) {
        return reduce_all(call, power == 1 ? DML_REDUCE_FUNCTION_L1 : DML_REDUCE_FUNCTION_L2);
    }
    struct onnx_tensor *x = flatten(call, &rank, sizes);
    if (x == NULL || onnx_is_empty(x)) {
        return x != NULL && onnx_output(call, 0, onnx_declare(call, x->type, rank, sizes));
    }
    const uint32_t ones[] = {1, 1}, zeros[] = {0, 0}, kernel[] = {1, x->sizes[2]};
    DML_LP_POOLING1_OPERATOR_DESC desc = {.DimensionCount = 2,
                                          .Strides = ones,
                                          .WindowSize = kernel,
                                          .StartPadding = zeros,
                                          .EndPadding = zeros,
                                          .Dilations = ones,
                                          .P = power};
    x = onnx_reshape(call, x, 4, (const uint32_t[]){x->sizes[0], x->sizes[1], 1, x->sizes[2]});
    return onnx_output(
        call, 0, onnx_reshape(call, onnx_make(call, DML_OPERATOR_LP_POOLING1, &desc, ONNX_TENSORS(x)), rank, sizes));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "AveragePool", 1, average_pool},
    {ONNX_ML, "GlobalAveragePool", 1, global_average_pool},
    {ONNX_ML, "GlobalLpPool", 1, global_lp_pool},
    {ONNX_ML, "GlobalMaxPool", 1, global_max_pool},
    {ONNX_ML, "LpPool", 1, lp_pool},
    {ONNX_ML, "MaxPool", 1, max_pool},
    {ONNX_ML, "MaxUnpool", 9, max_unpool},
};
ONNX_DEFINE_FAMILY(pooling, rows)
