/* Products and convolutions of quantized tensors: MatMulInteger, QLinearMatMul, ConvInteger, QLinearConv. */
#include <string.h>

#include "onnx/operators.h"
#include "onnx/operators/matrices.h"
#include "onnx/operators/network.h"
#include "onnx/operators/quantize.h"

/* ---- matrices ---- */

/* Rows of b, and columns of a, that a product takes at once. */
#define MOST_INNER (1U << 17)

/* Sums of parts of the inner dimension: zero points are subtracted in each. */
static struct onnx_tensor *multiply_parts(const struct onnx_call *call, const struct onnx_matrices *m,
                                          struct onnx_tensor *a_zero, struct onnx_tensor *b_zero,
                                          const uint32_t *sizes) {
    const uint32_t inner = m->b->sizes[m->rank - 2];
    struct onnx_tensor *sum = NULL;
    for (uint32_t at = 0; at < inner; at += MOST_INNER) {
        const uint32_t size = inner - at < MOST_INNER ? inner - at : MOST_INNER;
        struct onnx_tensor *a = onnx_slice_axis(call, m->a, m->rank - 1, at, size, 1);
        struct onnx_tensor *b = onnx_slice_axis(call, m->b, m->rank - 2, at, size, 1);
        struct onnx_tensor *part = onnx_declare(call, ONNX_INT32, m->rank, sizes);
        DML_MATRIX_MULTIPLY_INTEGER_OPERATOR_DESC desc = {0};
        if (a == NULL || b == NULL || part == NULL ||
            !onnx_emit(call, DML_OPERATOR_MATRIX_MULTIPLY_INTEGER, &desc, ONNX_TENSORS(a, a_zero, b, b_zero), 1,
                       &part)) {
            return NULL;
        }
        sum = sum == NULL ? part : onnx_add(call, sum, part);
    }
    return sum;
}

static bool multiply_integers(const struct onnx_call *call) {
    struct onnx_matrices m;
    struct onnx_tensor *a_zero = onnx_input(call, 2), *b_zero = onnx_input(call, 3);
    if (!onnx_line_up(call, onnx_input(call, 0), onnx_input(call, 1), &m) || !onnx_for_rows(call, &m, &a_zero) ||
        !onnx_for_columns(call, &m, &b_zero)) {
        return false;
    }
    uint32_t sizes[ONNX_MAX_RANK];
    onnx_product_sizes(&m, sizes);
    struct onnx_tensor *result = onnx_declare(call, ONNX_INT32, m.rank, sizes);
    if (result != NULL && !onnx_is_empty(result)) {
        result = multiply_parts(call, &m, a_zero, b_zero, sizes);
    }
    return onnx_output(call, 0, onnx_product_result(call, &m, result));
}

/* Scales of FLOAT16 are taken as FLOAT: the multiplier is rounded as FLOAT's. */
static bool multiply_quantized(const struct onnx_call *call) {
    struct onnx_matrices m;
    struct onnx_quantized a = {onnx_input(call, 0), onnx_input(call, 1), onnx_input(call, 2)},
                          b = {onnx_input(call, 3), onnx_input(call, 4), onnx_input(call, 5)},
                          y = {NULL, onnx_input(call, 6), onnx_input(call, 7)};
    if (a.scale == NULL || b.scale == NULL || y.scale == NULL || y.zero == NULL) {
        return onnx_refuse(call, "no scale or zero point");
    }
    a.scale = onnx_cast(call, a.scale, ONNX_FLOAT);
    b.scale = onnx_cast(call, b.scale, ONNX_FLOAT);
    y.scale = onnx_cast(call, y.scale, ONNX_FLOAT);
    if (a.scale == NULL || b.scale == NULL || y.scale == NULL || !onnx_line_up(call, a.tensor, b.tensor, &m) ||
        !onnx_for_rows(call, &m, &a.scale) || !onnx_for_rows(call, &m, &a.zero) ||
        !onnx_for_columns(call, &m, &b.scale) || !onnx_for_columns(call, &m, &b.zero) ||
        !onnx_for_rows(call, &m, &y.scale) || !onnx_for_rows(call, &m, &y.zero)) {
        return false;
    }
    uint32_t sizes[ONNX_MAX_RANK];
    onnx_product_sizes(&m, sizes);
    struct onnx_tensor *result = onnx_declare(call, y.zero->type, m.rank, sizes);
    DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_OPERATOR_DESC desc = {0};
    if (result == NULL ||
        (!onnx_is_empty(result) &&
         !onnx_emit(call, DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY, &desc,
                    ONNX_TENSORS(m.a, a.scale, a.zero, m.b, b.scale, b.zero, y.scale, y.zero), 1, &result))) {
        return false;
    }
    return onnx_output(call, 0, onnx_product_result(call, &m, result));
}

/* ---- windows ---- */

/* {C} or one number, as {1, C, 1..} or {1, ..}. */
static bool for_channels(const struct onnx_call *call, uint32_t rank, uint32_t channels, struct onnx_tensor **tensor) {
    uint32_t sizes[ONNX_MAX_RANK];
    if (*tensor == NULL) {
        return true;
    }
    for (uint32_t d = 0; d < rank; ++d) {
        sizes[d] = 1;
    }
    const uint64_t count = onnx_count(*tensor);
    if (count != 1 && count != channels) {
        return onnx_refuse(call, "scales, zero points or a bias that are not one for each channel");
    }
    sizes[1] = (uint32_t)count;
    *tensor = onnx_reshape(call, *tensor, rank, sizes);
    return *tensor != NULL;
}

struct convolution {
    struct onnx_quantized x, w, y;
    struct onnx_tensor *bias, *result;
    struct onnx_window window;
    uint32_t groups;
};

/* Sizes, and the result; all but tensors is read before. */
static bool prepare(const struct onnx_call *call, enum onnx_type type, struct convolution *c) {
    const struct onnx_tensor *x = c->x.tensor, *w = c->w.tensor;
    if (x == NULL || w == NULL || x->rank < 3 || x->rank > 4 || w->rank != x->rank) {
        return onnx_refuse(call, "a convolution of other than one or two dimensions");
    }
    const int64_t groups = onnx_int(call, "group", 1);
    const uint32_t rank = x->rank, channels = w->sizes[0];
    if (groups < 1 || groups > channels || channels % (uint32_t)groups != 0 ||
        x->sizes[1] != (uint64_t)w->sizes[1] * (uint64_t)groups) {
        return onnx_refuse(call, "channels that groups do not divide");
    }
    c->groups = (uint32_t)groups;
    uint32_t sizes[ONNX_MAX_RANK] = {x->sizes[0], channels};
    if (!onnx_read_window(call, x, w, &c->window)) {
        return false;
    }
    memcpy(sizes + 2, c->window.output, (rank - 2) * sizeof *sizes);
    c->result = onnx_declare(call, type, rank, sizes);
    return c->result != NULL && onnx_single(call, &c->x.scale, rank) && onnx_single(call, &c->x.zero, rank) &&
           onnx_single(call, &c->y.scale, rank) && onnx_single(call, &c->y.zero, rank) &&
           for_channels(call, rank, channels, &c->w.scale) && for_channels(call, rank, channels, &c->w.zero) &&
           for_channels(call, rank, channels, &c->bias);
}

static bool convolve_integers(const struct onnx_call *call) {
    struct convolution c = {.x = {onnx_input(call, 0), NULL, onnx_input(call, 2)},
                            .w = {onnx_input(call, 1), NULL, onnx_input(call, 3)}};
    if (!prepare(call, ONNX_INT32, &c)) {
        return false;
    }
    DML_CONVOLUTION_INTEGER_OPERATOR_DESC desc = {.DimensionCount = c.window.count,
                                                  .Strides = c.window.strides,
                                                  .Dilations = c.window.dilations,
                                                  .StartPadding = c.window.start,
                                                  .EndPadding = c.window.end,
                                                  .GroupCount = c.groups};
    return (onnx_is_empty(c.result) ||
            onnx_emit(call, DML_OPERATOR_CONVOLUTION_INTEGER, &desc,
                      ONNX_TENSORS(c.x.tensor, c.x.zero, c.w.tensor, c.w.zero), 1, &c.result)) &&
           onnx_output(call, 0, c.result);
}

static bool convolve_quantized(const struct onnx_call *call) {
    struct convolution c = {.x = {onnx_input(call, 0), onnx_input(call, 1), onnx_input(call, 2)},
                            .w = {onnx_input(call, 3), onnx_input(call, 4), onnx_input(call, 5)},
                            .y = {NULL, onnx_input(call, 6), onnx_input(call, 7)},
                            .bias = onnx_input(call, 8)};
    if (c.y.zero == NULL || c.x.scale == NULL || c.w.scale == NULL || c.y.scale == NULL) {
        return onnx_refuse(call, "no scale or zero point");
    }
    if (!prepare(call, c.y.zero->type, &c)) {
        return false;
    }
    if (c.bias != NULL && onnx_count(c.bias) != c.w.tensor->sizes[0]) {
        return onnx_refuse(call, "a bias that is not one for each channel");
    }
    DML_QUANTIZED_LINEAR_CONVOLUTION_OPERATOR_DESC desc = {.DimensionCount = c.window.count,
                                                           .Strides = c.window.strides,
                                                           .Dilations = c.window.dilations,
                                                           .StartPadding = c.window.start,
                                                           .EndPadding = c.window.end,
                                                           .GroupCount = c.groups};
    return (onnx_is_empty(c.result) || onnx_emit(call, DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION, &desc,
                                                 ONNX_TENSORS(c.x.tensor, c.x.scale, c.x.zero, c.w.tensor, c.w.scale,
                                                              c.w.zero, c.bias, c.y.scale, c.y.zero),
                                                 1, &c.result)) &&
           onnx_output(call, 0, c.result);
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "MatMulInteger", 10, multiply_integers},
    {ONNX_ML, "QLinearMatMul", 10, multiply_quantized},
    {ONNX_ML, "ConvInteger", 10, convolve_integers},
    {ONNX_ML, "QLinearConv", 10, convolve_quantized},
};
ONNX_DEFINE_FAMILY(integer_products, rows)
