/* Products of com.microsoft with quantized matrices. */
#include "onnx/operators.h"
#include "onnx/operators/matrices.h"
#include "onnx/operators/quantize.h"

static bool is_number(const struct onnx_call *call, const struct onnx_tensor *tensor) {
    return tensor == NULL || onnx_count(tensor) == 1 || onnx_refuse(call, "a scale or zero point of a that is not one");
}

static bool multiply_to_float(const struct onnx_call *call) {
    const struct onnx_quantized a = {onnx_input(call, 0), onnx_input(call, 2), onnx_input(call, 4)},
                                b = {onnx_input(call, 1), onnx_input(call, 3), onnx_input(call, 5)};
    if (!is_number(call, a.scale) || !is_number(call, a.zero)) {
        return false;
    }
    return onnx_output(call, 0, onnx_product_to_float(call, &a, &b, onnx_input(call, 6)));
}

static bool quantize_and_multiply(const struct onnx_call *call) {
    struct onnx_tensor *x = onnx_input(call, 0), *made[3];
    if (x == NULL || onnx_is_empty(x) || !onnx_dynamic_quantize(call, x, ONNX_UINT8, made)) {
        return onnx_refuse(call, "no input");
    }
    const struct onnx_quantized a = {onnx_reshape(call, made[0], x->rank, x->sizes), made[1], made[2]},
                                b = {onnx_input(call, 1), onnx_input(call, 2), onnx_input(call, 3)};
    return onnx_output(call, 0, onnx_product_to_float(call, &a, &b, onnx_input(call, 4)));
}

/* ---- blocks of 4 or 8 bits ---- */

struct blocks {
    uint32_t columns, inner, block, count; /* N, K, and blocks of K */
    enum onnx_type type;
};

static bool read_blocks(const struct onnx_call *call, struct blocks *b) {
    const int64_t inner = onnx_int(call, "K", 0), columns = onnx_int(call, "N", 0),
                  block = onnx_int(call, "block_size", 0), bits = onnx_int(call, "bits", 4);
    if (inner < 1 || inner > INT32_MAX || columns < 1 || columns > INT32_MAX || block < 16 || block > INT32_MAX / 2 ||
        (block & (block - 1)) != 0) {
        return onnx_refuse(call, "sizes that have no meaning");
    }
    if (bits != 4 && bits != 8) {
        return onnx_refuse(call, "%lld bits", (long long)bits);
    }
    if (onnx_int(call, "weight_prepacked", 0) != 0 || onnx_input(call, 4) != NULL) {
        return onnx_refuse(call, "weights in an order of their own");
    }
    *b = (struct blocks){.columns = (uint32_t)columns, .inner = (uint32_t)inner, .block = (uint32_t)block};
    b->count = (b->inner + b->block - 1) / b->block;
    b->type = bits == 4 ? ONNX_UINT4 : ONNX_UINT8;
    return true;
}

/* Bytes as {columns, count} of the blocks' type: rows of whole bytes. */
static struct onnx_tensor *unpack(const struct onnx_call *call, const struct blocks *b, struct onnx_tensor *bytes,
                                  uint32_t count) {
    const uint32_t a_byte = b->type == ONNX_UINT4 ? 2 : 1, row = (count + a_byte - 1) / a_byte;
    if (bytes == NULL || bytes->type != ONNX_UINT8 || onnx_count(bytes) != (uint64_t)b->columns * row ||
        onnx_count(bytes) > UINT32_MAX / 2) {
        onnx_refuse(call, "weights or zero points whose sizes do not fit");
        return NULL;
    }
    /* A view of bytes one behind another is one of twice as many halves; what rounds a row up is left out. */
    struct onnx_tensor *packed = onnx_copy(call, bytes);
    struct onnx_tensor *elements = onnx_reshape(call, packed, 1, (const uint32_t[]){b->columns * row});
    if (elements == NULL || elements->is_strided) {
        return NULL;
    }
    elements->type = b->type;
    elements->sizes[0] *= a_byte;
    elements = onnx_reshape(call, elements, 2, (const uint32_t[]){b->columns, row * a_byte});
    if (elements != NULL && count != row * a_byte) {
        elements->sizes[1] = count;
        elements->is_strided = true;
        elements->strides[0] = row * a_byte;
        elements->strides[1] = 1;
    }
    return elements;
}

/* {N, K}, rounded up to whole blocks, of the scales' type. */
static struct onnx_tensor *weights_of(const struct onnx_call *call, const struct blocks *b) {
    const uint32_t sizes[] = {b->columns, b->count};
    struct onnx_tensor *scale = onnx_input(call, 2), *zero = onnx_input(call, 3);
    struct onnx_tensor *weights = unpack(call, b, onnx_input(call, 1), b->count * b->block);
    if (weights == NULL || scale == NULL) {
        onnx_refuse(call, "no scales");
        return NULL;
    }
    scale = onnx_reshape(call, scale, 2, sizes);
    if (zero == NULL) {
        const uint8_t middle = b->type == ONNX_UINT4 ? 8 : 128;
        zero = onnx_broadcast(call, onnx_constant(call, b->type, 0, NULL, &middle), 2, sizes);
        return onnx_dequantize(call, weights, scale, zero);
    }
    if (zero->type == ONNX_UINT8) {
        return onnx_dequantize(call, weights, scale, unpack(call, b, zero, b->count));
    }
    /* Zero points that are no whole numbers: (q - zero) scale, block by block. */
    const uint32_t blocks[] = {b->columns, b->count, b->block}, one[] = {b->columns, b->count, 1};
    struct onnx_tensor *whole = onnx_pad_rank(call, onnx_number(call, zero->type, 1), 2);
    weights = onnx_reshape(call, onnx_dequantize(call, weights, whole, NULL), 3, blocks);
    weights = onnx_subtract(call, weights, onnx_reshape(call, zero, 3, one));
    weights = onnx_multiply(call, weights, onnx_reshape(call, scale, 3, one));
    return onnx_reshape(call, weights, 2, (const uint32_t[]){b->columns, b->count * b->block});
}

static bool multiply_blocks(const struct onnx_call *call) {
    struct blocks b;
    struct onnx_tensor *a = onnx_input(call, 0), *bias = onnx_input(call, 5);
    if (!read_blocks(call, &b)) {
        return false;
    }
    if (a == NULL || a->rank == 0 || onnx_is_empty(a) || a->sizes[a->rank - 1] != b.inner) {
        return onnx_refuse(call, "an input whose sizes do not fit");
    }
    uint32_t sizes[ONNX_MAX_RANK];
    for (uint32_t d = 0; d + 1 < a->rank; ++d) {
        sizes[d] = a->sizes[d];
    }
    sizes[a->rank - 1] = b.columns;
    const uint32_t rows = (uint32_t)(onnx_count(a) / b.inner);
    struct onnx_tensor *weights = onnx_slice_axis(call, weights_of(call, &b), 1, 0, b.inner, 1);
    struct onnx_tensor *flat = onnx_reshape(call, a, 2, (const uint32_t[]){rows, b.inner});
    if (bias != NULL) {
        bias = onnx_reshape(call, bias, 2, (const uint32_t[]){1, b.columns});
        if (bias == NULL) {
            return false;
        }
    }
    struct onnx_tensor *product = onnx_gemm(call, flat, weights, true, 1.0F, bias);
    return onnx_output(call, 0, onnx_reshape(call, product, a->rank, sizes));
}

static const struct onnx_operator rows[] = {
    {ONNX_MICROSOFT, "MatMulIntegerToFloat", 1, multiply_to_float},
    {ONNX_MICROSOFT, "DynamicQuantizeMatMul", 1, quantize_and_multiply},
    {ONNX_MICROSOFT, "MatMulNBits", 1, multiply_blocks},
};
ONNX_DEFINE_FAMILY(microsoft_products, rows)
