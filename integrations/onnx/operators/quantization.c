/* QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear: one scale, one for each place of a dimension, or one for
 * each block of a dimension. */
#include "onnx/operators.h"
#include "onnx/operators/quantize.h"

static bool is_of_bytes(enum onnx_type type) { /* or less */
    return type == ONNX_INT8 || type == ONNX_UINT8 || type == ONNX_INT4 || type == ONNX_UINT4;
}

static bool is_short(enum onnx_type type) {
    return type == ONNX_INT16 || type == ONNX_UINT16;
}

/* ---- scales ---- */

bool onnx_single(const struct onnx_call *call, struct onnx_tensor **tensor, uint32_t rank) {
    uint32_t ones[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < rank; ++d) {
        ones[d] = 1;
    }
    if (*tensor == NULL) {
        return true;
    }
    if (onnx_count(*tensor) != 1) {
        return onnx_refuse(call, "a scale or zero point that must be one number has %llu",
                           (unsigned long long)onnx_count(*tensor));
    }
    *tensor = onnx_reshape(call, *tensor, rank, ones);
    return *tensor != NULL;
}

/* {.., Si, ..}, one for each block: each element `block` times along the dimension, and no more than x has. */
static struct onnx_tensor *repeat(const struct onnx_call *call, const struct onnx_tensor *x, struct onnx_tensor *scales,
                                  uint32_t axis, uint32_t block) {
    uint32_t sizes[ONNX_MAX_RANK + 1];
    if (x->rank == ONNX_MAX_RANK) {
        onnx_refuse(call, "blocks that do not divide a tensor of 8 dimensions");
        return NULL;
    }
    for (uint32_t d = 0; d < scales->rank; ++d) {
        sizes[d + (d > axis)] = scales->sizes[d];
    }
    sizes[axis + 1] = 1;
    struct onnx_tensor *repeated = onnx_reshape(call, scales, scales->rank + 1, sizes);
    sizes[axis + 1] = block;
    repeated = onnx_broadcast(call, repeated, scales->rank + 1, sizes);
    for (uint32_t d = 0; d < scales->rank; ++d) {
        sizes[d] = scales->sizes[d] * (d == axis ? block : 1);
    }
    return onnx_slice_axis(call, onnx_reshape(call, repeated, scales->rank, sizes), axis, 0, x->sizes[axis], 1);
}

static struct onnx_tensor *spread_blocks(const struct onnx_call *call, const struct onnx_tensor *x,
                                         struct onnx_tensor *scales, uint32_t axis, int64_t block) {
    const uint32_t size = x->sizes[axis];
    bool fits = scales->rank == x->rank && block > 0 && block <= UINT32_MAX / 2 &&
                scales->sizes[axis] == (size + (uint64_t)block - 1) / (uint64_t)block;
    for (uint32_t d = 0; d < x->rank && fits; ++d) {
        fits = d == axis || scales->sizes[d] == x->sizes[d];
    }
    if (!fits) {
        onnx_refuse(call, "scales whose sizes are not those of blocks");
        return NULL;
    }
    return size % (uint64_t)block == 0 ? scales : repeat(call, x, scales, axis, (uint32_t)block);
}

struct onnx_tensor *onnx_spread(const struct onnx_call *call, const struct onnx_tensor *x, struct onnx_tensor *scales,
                                int64_t axis, int64_t block) {
    uint32_t sizes[ONNX_MAX_RANK], at;
    if (scales == NULL || x == NULL) {
        return NULL;
    }
    for (uint32_t d = 0; d < x->rank; ++d) {
        sizes[d] = 1;
    }
    if (onnx_count(scales) == 1 && (scales->rank <= 1 || block == 0)) {
        return onnx_reshape(call, scales, x->rank, sizes);
    }
    if (!onnx_axis(call, axis, x->rank, &at)) {
        return NULL;
    }
    if (block != 0) {
        return spread_blocks(call, x, scales, at, block);
    }
    if (scales->rank != 1 || scales->sizes[0] != x->sizes[at]) {
        onnx_refuse(call, "scales that are neither one nor one for each place of the axis");
        return NULL;
    }
    sizes[at] = scales->sizes[0];
    return onnx_reshape(call, scales, x->rank, sizes);
}

/* To all of x's sizes, which those of `scales` divide. */
static struct onnx_tensor *fill_out(const struct onnx_call *call, const struct onnx_tensor *x,
                                    struct onnx_tensor *scales) {
    if (x == NULL) {
        return NULL;
    }
    for (uint32_t d = 0; scales != NULL && d < x->rank; ++d) {
        if (scales->sizes[d] != 1 && scales->sizes[d] != x->sizes[d]) {
            scales = repeat(call, x, scales, d, x->sizes[d] / scales->sizes[d]);
        }
    }
    return scales == NULL ? NULL : onnx_broadcast(call, scales, x->rank, x->sizes);
}

/* ---- quantization ---- */

/* 16 bits: quotients are rounded, the sum with a zero point is exact below 2^24. */
static struct onnx_tensor *quantize_shorts(const struct onnx_call *call, struct onnx_tensor *x,
                                           struct onnx_tensor *scale, struct onnx_tensor *zero, enum onnx_type type) {
    x = onnx_cast(call, x, ONNX_FLOAT);
    scale = fill_out(call, x, onnx_cast(call, scale, ONNX_FLOAT));
    x = onnx_round(call, onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_DIVIDE, x, scale));
    x = onnx_clip(call, x, -0x1p20F, 0x1p20F);
    if (zero != NULL) {
        x = onnx_add(call, x, fill_out(call, x, onnx_cast(call, zero, ONNX_FLOAT)));
    }
    x = type == ONNX_INT16 ? onnx_clip(call, x, -32768.0F, 32767.0F) : onnx_clip(call, x, 0.0F, 65535.0F);
    return onnx_cast(call, x, type);
}

struct onnx_tensor *onnx_quantize(const struct onnx_call *call, struct onnx_tensor *x, struct onnx_tensor *scale,
                                  struct onnx_tensor *zero, enum onnx_type type) {
    if (x == NULL || scale == NULL || call->error->text[0] != 0) { /* a zero point may have failed, too */
        return NULL;
    }
    if (!is_of_bytes(type) && !is_short(type)) {
        onnx_refuse_type(call, "quantized to %s", onnx_type_name(type));
        return NULL;
    }
    if (onnx_is_empty(x)) {
        return onnx_declare(call, type, x->rank, x->sizes);
    }
    if (is_short(type)) {
        return quantize_shorts(call, x, scale, zero, type);
    }
    struct onnx_tensor *y = onnx_declare(call, type, x->rank, x->sizes);
    bool is_made;
    if (x->type == ONNX_INT32) {
        scale = fill_out(call, x, scale);
        zero = zero == NULL ? NULL : fill_out(call, x, zero);
        DML_ELEMENT_WISE_QUANTIZE_LINEAR_OPERATOR_DESC desc = {0};
        is_made =
            y != NULL && scale != NULL &&
            onnx_emit(call, DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR, &desc, ONNX_TENSORS(x, scale, zero), 1, &y);
    } else {
        DML_QUANTIZE_OPERATOR_DESC desc = {.QuantizationType = zero == NULL ? DML_QUANTIZATION_TYPE_SCALE
                                                                            : DML_QUANTIZATION_TYPE_SCALE_ZERO_POINT,
                                           .QuantizationTensorCount = zero == NULL ? 1 : 2};
        struct onnx_tensor *const inputs[] = {x, scale, zero};
        is_made = y != NULL && onnx_emit(call, DML_OPERATOR_QUANTIZE, &desc, zero == NULL ? 2 : 3, inputs, 1, &y);
    }
    return is_made ? onnx_reshape(call, y, x->rank, x->sizes) : NULL;
}

/* A bias as convolutions take it, {C} as {1, C, 1, 1}: patterns of the graph know it by that. */
static struct onnx_tensor *as_bias(const struct onnx_call *call, struct onnx_tensor *tensor) {
    const uint32_t sizes[] = {1, tensor == NULL ? 1 : (uint32_t)onnx_count(tensor), 1, 1};
    return onnx_reshape(call, tensor, 4, sizes);
}

struct onnx_tensor *onnx_dequantize(const struct onnx_call *call, struct onnx_tensor *x, struct onnx_tensor *scale,
                                    struct onnx_tensor *zero) {
    if (x == NULL || scale == NULL || call->error->text[0] != 0) { /* a zero point may have failed, too */
        return NULL;
    }
    struct onnx_tensor *y = onnx_declare(call, scale->type, x->rank, x->sizes);
    if (y == NULL || onnx_is_empty(x)) {
        return y;
    }
    bool is_made;
    const struct onnx_tensor *asked = x;
    if (x->type == ONNX_INT32 && x->rank == 1) {
        x = as_bias(call, x);
        scale = as_bias(call, scale);
        zero = as_bias(call, zero);
        y = x == NULL || scale == NULL ? NULL : onnx_declare(call, scale->type, 4, x->sizes);
        if (y == NULL) {
            return NULL;
        }
    }
    if (is_of_bytes(x->type)) {
        DML_DEQUANTIZE_OPERATOR_DESC desc = {.QuantizationType = zero == NULL ? DML_QUANTIZATION_TYPE_SCALE
                                                                              : DML_QUANTIZATION_TYPE_SCALE_ZERO_POINT,
                                             .QuantizationTensorCount = zero == NULL ? 1 : 2};
        struct onnx_tensor *const inputs[] = {x, scale, zero};
        is_made = onnx_emit(call, DML_OPERATOR_DEQUANTIZE, &desc, zero == NULL ? 2 : 3, inputs, 1, &y);
    } else {
        scale = fill_out(call, x, scale);
        zero = zero == NULL ? NULL : fill_out(call, x, zero);
        DML_ELEMENT_WISE_DEQUANTIZE_LINEAR_OPERATOR_DESC desc = {0};
        is_made = scale != NULL && onnx_emit(call, DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR, &desc,
                                             ONNX_TENSORS(x, scale, zero), 1, &y);
    }
    return is_made ? onnx_reshape(call, y, asked->rank, asked->sizes) : NULL;
}

bool onnx_dynamic_quantize(const struct onnx_call *call, struct onnx_tensor *x, enum onnx_type type,
                           struct onnx_tensor *outputs[3]) {
    uint32_t ones[ONNX_MAX_RANK];
    const uint32_t rank = x->rank == 0 ? 1 : x->rank;
    for (uint32_t d = 0; d < rank; ++d) {
        ones[d] = 1;
    }
    outputs[0] = onnx_declare(call, type, x->rank, x->sizes);
    outputs[1] = onnx_declare(call, ONNX_FLOAT, rank, ones);
    outputs[2] = onnx_declare(call, type, rank, ones);
    DML_DYNAMIC_QUANTIZE_LINEAR_OPERATOR_DESC desc = {0};
    return outputs[0] != NULL && outputs[1] != NULL && outputs[2] != NULL &&
           onnx_emit(call, DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR, &desc, ONNX_TENSORS(x), 3, outputs);
}

/* ---- nodes ---- */

struct quantization {
    struct onnx_tensor *x, *scale, *zero;
};

static bool read(const struct onnx_call *call, struct quantization *q) {
    q->x = onnx_input(call, 0);
    q->scale = onnx_input(call, 1);
    q->zero = onnx_input(call, 2);
    if (q->x == NULL || q->scale == NULL) {
        return onnx_refuse(call, "no input");
    }
    const bool has_zero = q->zero != NULL;
    const int64_t axis = onnx_int(call, "axis", 1), block = onnx_int(call, "block_size", 0);
    if (onnx_is_empty(q->x)) {
        return true;
    }
    q->scale = onnx_spread(call, q->x, q->scale, axis, block);
    q->zero = has_zero ? onnx_spread(call, q->x, q->zero, axis, block) : NULL;
    return q->scale != NULL && (q->zero != NULL || !has_zero);
}

/* The quotient is of the scale's type, or of `precision`: FLOAT16's is rounded to that first. com.microsoft's, as ONNX
 * Runtime computes it, is of FLOAT. */
static bool quantize(const struct onnx_call *call) {
    struct quantization q;
    if (!read(call, &q)) {
        return false;
    }
    const bool is_onnx = call->node->domain[0] == 0;
    int64_t precision = onnx_int(call, "precision", 0);
    enum onnx_type type = (enum onnx_type)onnx_int(call, "output_dtype", 0);
    if (q.zero != NULL && type != ONNX_UNDEFINED && type != q.zero->type) {
        return onnx_refuse(call, "output_dtype is not the zero point's type");
    }
    type = q.zero != NULL ? q.zero->type : type != ONNX_UNDEFINED ? type : ONNX_UINT8;
    if (precision == 0 && q.x->type != q.scale->type && !(q.x->type == ONNX_INT32 && q.scale->type == ONNX_FLOAT)) {
        return onnx_refuse_type(call, "%s by a scale of %s", onnx_type_name(q.x->type), onnx_type_name(q.scale->type));
    }
    precision = precision == 0 ? (int64_t)q.scale->type : precision;
    if (!onnx_is_float(q.scale->type) || !onnx_is_float((enum onnx_type)precision)) {
        return onnx_refuse_type(call, "a scale or precision of %s", onnx_type_name(q.scale->type));
    }
    if (q.x->type != ONNX_INT32 || precision != ONNX_FLOAT) {
        q.x = onnx_cast(call, q.x, (enum onnx_type)precision);
    }
    q.scale = onnx_cast(call, q.scale, (enum onnx_type)precision);
    if (is_onnx && precision == ONNX_FLOAT16 && !onnx_is_empty(q.x)) {
        q.scale = fill_out(call, q.x, q.scale);
        q.x = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_DIVIDE, q.x, q.scale);
        q.scale = onnx_number(call, ONNX_FLOAT16, 1);
        q.scale = q.x == NULL ? NULL : onnx_pad_rank(call, q.scale, q.x->rank);
    }
    return onnx_output(call, 0, onnx_quantize(call, q.x, q.scale, q.zero, type));
}

/* The product is of the result's type. */
static bool dequantize(const struct onnx_call *call) {
    struct quantization q;
    if (!read(call, &q)) {
        return false;
    }
    const enum onnx_type asked = (enum onnx_type)onnx_int(call, "output_dtype", 0);
    const enum onnx_type type = asked == ONNX_UNDEFINED ? q.scale->type : asked;
    if (!onnx_is_float(q.scale->type) || !onnx_is_float(type)) {
        return onnx_refuse_type(call, "from scales of %s to %s", onnx_type_name(q.scale->type), onnx_type_name(type));
    }
    if (q.zero != NULL && q.zero->type != q.x->type) {
        return onnx_refuse_type(call, "a zero point of another type");
    }
    /* From scales of FLOAT to FLOAT16: what is rounded, and when, is left open; the product once here. */
    const bool is_narrowed = type == ONNX_FLOAT16 && q.scale->type == ONNX_FLOAT;
    struct onnx_tensor *y = onnx_dequantize(call, q.x, is_narrowed ? q.scale : onnx_cast(call, q.scale, type), q.zero);
    return onnx_output(call, 0, onnx_cast(call, y, type));
}

static bool dynamic_quantize(const struct onnx_call *call) {
    struct onnx_tensor *x = onnx_input(call, 0);
    if (x == NULL || onnx_is_empty(x)) {
        return onnx_refuse(call, "no input");
    }
    struct onnx_tensor *outputs[3];
    if (!onnx_dynamic_quantize(call, x, ONNX_UINT8, outputs)) {
        return false;
    }
    return onnx_output(call, 0, onnx_reshape(call, outputs[0], x->rank, x->sizes)) &&
           onnx_output(call, 1, onnx_reshape(call, outputs[1], 0, NULL)) &&
           onnx_output(call, 2, onnx_reshape(call, outputs[2], 0, NULL));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "QuantizeLinear", 10, quantize},
    {ONNX_ML, "DequantizeLinear", 10, dequantize},
    {ONNX_ML, "DynamicQuantizeLinear", 11, dynamic_quantize},
    {ONNX_MICROSOFT, "QuantizeLinear", 1, quantize},
    {ONNX_MICROSOFT, "DequantizeLinear", 1, dequantize},
};
ONNX_DEFINE_FAMILY(quantization, rows)
