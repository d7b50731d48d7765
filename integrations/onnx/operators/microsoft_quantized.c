/* Operators of com.microsoft on quantized tensors, of one scale each: by DirectML's where it has one, else dequantized,
 * computed in FLOAT and quantized. ONNX Runtime's own kernels round some of these otherwise near halves. */
#include "onnx/operators.h"
#include "onnx/operators/matrices.h"
#include "onnx/operators/network.h"
#include "onnx/operators/quantize.h"

/* A tensor, its scale and its zero point, which are inputs from `index` on, of one element each and x's rank. */
static bool read(const struct onnx_call *call, uint32_t index, struct onnx_quantized *q) {
    *q = (struct onnx_quantized){onnx_input(call, index), onnx_input(call, index + 1), onnx_input(call, index + 2)};
    if (q->tensor == NULL || q->scale == NULL) {
        return onnx_refuse(call, "no input, or no scale");
    }
    q->tensor = onnx_pad_rank(call, q->tensor, 1);
    return q->tensor != NULL && onnx_single(call, &q->scale, q->tensor->rank) &&
           onnx_single(call, &q->zero, q->tensor->rank);
}

/* Those of a result: its scale and zero point are inputs from `index` on. */
static bool read_result(const struct onnx_call *call, uint32_t index, uint32_t rank, enum onnx_type type,
                        struct onnx_quantized *q) {
    *q = (struct onnx_quantized){NULL, onnx_input(call, index), onnx_input(call, index + 1)};
    if (q->scale == NULL) {
        return onnx_refuse(call, "no scale");
    }
    if (q->zero != NULL && q->zero->type != type) {
        return onnx_refuse_type(call, "a zero point of another type");
    }
    return onnx_single(call, &q->scale, rank) && onnx_single(call, &q->zero, rank);
}

static struct onnx_tensor *to_float(const struct onnx_call *call, const struct onnx_quantized *q) {
    return onnx_dequantize(call, q->tensor, q->scale, q->zero);
}

/* ---- two operands ---- */

static bool read_operands(const struct onnx_call *call, struct onnx_quantized *a, struct onnx_quantized *b,
                          struct onnx_quantized *y, uint32_t *rank, uint32_t sizes[ONNX_MAX_RANK]) {
    if (!read(call, 0, a) || !read(call, 3, b) ||
        !onnx_broadcast_sizes(call, 2, (struct onnx_tensor *[]){a->tensor, b->tensor}, rank, sizes)) {
        return false;
    }
    a->tensor = onnx_broadcast(call, a->tensor, *rank, sizes);
    b->tensor = onnx_broadcast(call, b->tensor, *rank, sizes);
    return a->tensor != NULL && b->tensor != NULL && onnx_single(call, &a->scale, *rank) &&
           onnx_single(call, &a->zero, *rank) && onnx_single(call, &b->scale, *rank) &&
           onnx_single(call, &b->zero, *rank) && read_result(call, 6, *rank, a->tensor->type, y);
}

static bool finish_operands(const struct onnx_call *call, struct onnx_tensor *made) {
    const struct onnx_tensor *a = onnx_input(call, 0), *b = onnx_input(call, 3);
    const bool is_scalar = a->rank == 0 && b->rank == 0;
    return onnx_output(call, 0, is_scalar ? onnx_reshape(call, made, 0, NULL) : made);
}

static bool add(const struct onnx_call *call) {
    struct onnx_quantized a, b, y;
    uint32_t rank, sizes[ONNX_MAX_RANK];
    if (!read_operands(call, &a, &b, &y, &rank, sizes)) {
        return false;
    }
    struct onnx_tensor *made = onnx_declare(call, a.tensor->type, rank, sizes);
    DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_OPERATOR_DESC desc = {0};
    return made != NULL &&
           (onnx_is_empty(made) ||
            onnx_emit(call, DML_OPERATOR_ELEMENT_WISE_QUANTIZED_LINEAR_ADD, &desc,
                      ONNX_TENSORS(a.tensor, a.scale, a.zero, b.tensor, b.scale, b.zero, y.scale, y.zero), 1, &made)) &&
           finish_operands(call, made);
}

static bool multiply(const struct onnx_call *call) {
    struct onnx_quantized a, b, y;
    uint32_t rank, sizes[ONNX_MAX_RANK];
    if (!read_operands(call, &a, &b, &y, &rank, sizes)) {
        return false;
    }
    struct onnx_tensor *product = onnx_multiply(call, to_float(call, &a), to_float(call, &b));
    return finish_operands(call, onnx_quantize(call, product, y.scale, y.zero, a.tensor->type));
}

/* ---- one operand ---- */

static bool finish(const struct onnx_call *call, const struct onnx_quantized *x, const struct onnx_quantized *y,
                   struct onnx_tensor *result) {
    const struct onnx_tensor *input = onnx_input(call, 0);
    struct onnx_tensor *made = onnx_quantize(call, result, y->scale, y->zero, x->tensor->type);
    return onnx_output(call, 0, onnx_reshape(call, made, input->rank, input->sizes));
}

static bool read_pair(const struct onnx_call *call, struct onnx_quantized *x, struct onnx_quantized *y) {
    return read(call, 0, x) && read_result(call, 3, x->tensor->rank, x->tensor->type, y) &&
           (!onnx_is_empty(x->tensor) || onnx_refuse(call, "no elements"));
}

static bool sigmoid(const struct onnx_call *call) {
    struct onnx_quantized x, y;
    if (!read_pair(call, &x, &y)) {
        return false;
    }
    DML_ACTIVATION_SIGMOID_OPERATOR_DESC desc = {0};
    return finish(call, &x, &y,
                  onnx_make(call, DML_OPERATOR_ACTIVATION_SIGMOID, &desc, ONNX_TENSORS(to_float(call, &x))));
}

static bool leaky_relu(const struct onnx_call *call) {
    struct onnx_quantized x, y;
    if (!read_pair(call, &x, &y)) {
        return false;
    }
    DML_ACTIVATION_LEAKY_RELU_OPERATOR_DESC desc = {.Alpha = onnx_float(call, "alpha", 0.01F)};
    return finish(call, &x, &y,
                  onnx_make(call, DML_OPERATOR_ACTIVATION_LEAKY_RELU, &desc, ONNX_TENSORS(to_float(call, &x))));
}

/* As Softmax before version 13, along all dimensions from the axis on, or as that version, along the axis. */
static bool softmax(const struct onnx_call *call) {
    struct onnx_quantized x, y;
    uint32_t axis, axes[ONNX_MAX_RANK];
    const int64_t opset = onnx_int(call, "opset", 0);
    if (!read_pair(call, &x, &y) || !onnx_axis(call, onnx_int(call, "axis", -1), x.tensor->rank, &axis)) {
        return false;
    }
    for (uint32_t d = axis; d < x.tensor->rank; ++d) {
        axes[d - axis] = d;
    }
    return finish(call, &x, &y,
                  onnx_softmax(call, DML_OPERATOR_ACTIVATION_SOFTMAX1, to_float(call, &x),
                               opset < 13 ? x.tensor->rank - axis : 1, axes));
}

/* ---- pooling ---- */

/* Channels in front, behind the batch; or back where they were. */
static struct onnx_tensor *move_channels(const struct onnx_call *call, struct onnx_tensor *x, bool back) {
    uint32_t order[ONNX_MAX_RANK];
    if (x == NULL) {
        return NULL;
    }
    const uint32_t last = x->rank - 1;
    for (uint32_t d = 0; d <= last; ++d) {
        order[d] = d == 0 ? 0 : back ? (d == last ? 1 : d + 1) : d == 1 ? last : d - 1;
    }
    return onnx_transpose(call, x, order);
}

struct pooling {
    struct onnx_quantized x; /* its channels behind the batch */
    bool has_channels_last;
};

static bool read_pooling(const struct onnx_call *call, struct pooling *p) {
    if (!read(call, 0, &p->x)) {
        return false;
    }
    struct onnx_tensor *x = p->x.tensor;
    if (x->rank < 3 || x->rank > 5 || onnx_is_empty(x)) {
        return onnx_refuse(call, "other than one to three spatial dimensions");
    }
    p->has_channels_last = onnx_int(call, "channels_last", 0) != 0;
    p->x.tensor = p->has_channels_last ? move_channels(call, x, false) : x;
    return p->x.tensor != NULL;
}

static bool emit_pooling(const struct onnx_call *call, struct pooling *p, struct onnx_window *w, bool counts_padding) {
    uint32_t sizes[ONNX_MAX_RANK];
    const uint32_t rank = p->x.tensor->rank;
    struct onnx_tensor *x = onnx_widen_window(call, p->x.tensor, w);
    struct onnx_quantized y;
    if (x == NULL || !onnx_single(call, &p->x.scale, x->rank) || !onnx_single(call, &p->x.zero, x->rank) ||
        !read_result(call, 3, x->rank, x->type, &y)) {
        return false;
    }
    sizes[0] = x->sizes[0];
    sizes[1] = x->sizes[1];
    for (uint32_t d = 0; d < w->count; ++d) {
        sizes[d + 2] = w->output[d];
        if (w->more[d] != 0 && counts_padding) {
            return onnx_refuse(call, "padding that counts, where sizes are rounded up");
        }
    }
    struct onnx_tensor *made = onnx_declare(call, x->type, x->rank, sizes);
    DML_QUANTIZED_LINEAR_AVERAGE_POOLING_OPERATOR_DESC desc = {.DimensionCount = w->count,
                                                               .Strides = w->strides,
                                                               .WindowSize = w->kernel,
                                                               .StartPadding = w->start,
                                                               .EndPadding = w->end,
                                                               .Dilations = w->dilations,
                                                               .IncludePadding = counts_padding};
    if (made == NULL || !onnx_emit(call, DML_OPERATOR_QUANTIZED_LINEAR_AVERAGE_POOLING, &desc,
                                   ONNX_TENSORS(x, p->x.scale, p->x.zero, y.scale, y.zero), 1, &made)) {
        return false;
    }
    if (rank == 3) {
        made = onnx_reshape(call, made, 3, (const uint32_t[]){sizes[0], sizes[1], sizes[3]});
    }
    return onnx_output(call, 0, p->has_channels_last ? move_channels(call, made, true) : made);
}

static bool average(const struct onnx_call *call) {
    struct pooling p;
    struct onnx_window w;
    return read_pooling(call, &p) && onnx_read_window(call, p.x.tensor, NULL, &w) &&
           emit_pooling(call, &p, &w, onnx_int(call, "count_include_pad", 0) != 0);
}

/* DirectML's operator averages at most this many elements. */
#define MOST_AVERAGED (1 << 20)

/* By a sum of INT64. */
static bool average_many(const struct onnx_call *call, const struct pooling *p, uint64_t count) {
    static const uint32_t axes[] = {2, 3, 4};
    struct onnx_quantized x = p->x, y;
    const uint32_t rank = x.tensor->rank;
    if (!read_result(call, 3, rank, x.tensor->type, &y)) {
        return false;
    }
    struct onnx_tensor *sum = onnx_cast(call, x.tensor, ONNX_INT64);
    sum = onnx_cast(call, onnx_reduce(call, DML_REDUCE_FUNCTION_SUM, sum, rank - 2, axes), ONNX_FLOAT);
    struct onnx_tensor *mean = onnx_linear(call, sum, (float)(1.0 / (double)count), 0);
    if (x.zero != NULL) {
        mean = onnx_subtract(call, mean, onnx_cast(call, x.zero, ONNX_FLOAT));
    }
    mean = onnx_multiply(call, mean, x.scale);
    struct onnx_tensor *made = onnx_quantize(call, mean, y.scale, y.zero, x.tensor->type);
    return onnx_output(call, 0, p->has_channels_last ? move_channels(call, made, true) : made);
}

static bool average_all(const struct onnx_call *call) {
    struct pooling p;
    if (!read_pooling(call, &p)) {
        return false;
    }
    const uint64_t count = onnx_count(p.x.tensor) / p.x.tensor->sizes[0] / p.x.tensor->sizes[1];
    if (count > MOST_AVERAGED) {
        return onnx_single(call, &p.x.scale, p.x.tensor->rank) && onnx_single(call, &p.x.zero, p.x.tensor->rank) &&
               average_many(call, &p, count);
    }
    struct onnx_window w = {.count = p.x.tensor->rank - 2};
    for (uint32_t d = 0; d < w.count; ++d) {
        w.kernel[d] = p.x.tensor->sizes[d + 2];
        w.strides[d] = w.dilations[d] = w.output[d] = 1;
    }
    return emit_pooling(call, &p, &w, false);
}

/* ---- join ---- */

static bool concatenate(const struct onnx_call *call) {
    struct onnx_tensor *parts[64];
    const struct onnx_tensor *first = onnx_input(call, 2), *zero = onnx_input(call, 1);
    const uint32_t count = call->input_count < 3 ? 0 : (call->input_count - 2) / 3;
    uint32_t axis;
    if (first == NULL || zero == NULL || count == 0 || count > sizeof parts / sizeof parts[0] ||
        call->input_count != 2 + 3 * count) {
        return onnx_refuse(call, "no inputs, or too many");
    }
    if (!onnx_axis(call, onnx_int(call, "axis", 0), first->rank, &axis)) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        struct onnx_quantized x, y;
        if (!read(call, 2 + 3 * i, &x) || !read_result(call, 0, x.tensor->rank, zero->type, &y)) {
            return false;
        }
        parts[i] = onnx_quantize(call, to_float(call, &x), y.scale, y.zero, zero->type);
        if (parts[i] == NULL) {
            return false;
        }
    }
    return onnx_output(call, 0, onnx_join(call, count, parts, axis));
}

static const struct onnx_operator rows[] = {
    {ONNX_MICROSOFT, "QLinearAdd", 1, add},
    {ONNX_MICROSOFT, "QLinearMul", 1, multiply},
    {ONNX_MICROSOFT, "QLinearSigmoid", 1, sigmoid},
    {ONNX_MICROSOFT, "QLinearLeakyRelu", 1, leaky_relu},
    {ONNX_MICROSOFT, "QLinearSoftmax", 1, softmax},
    {ONNX_MICROSOFT, "QLinearAveragePool", 1, average},
    {ONNX_MICROSOFT, "QLinearGlobalAveragePool", 1, average_all},
    {ONNX_MICROSOFT, "QLinearConcat", 1, concatenate},
};
ONNX_DEFINE_FAMILY(microsoft_quantized, rows)
