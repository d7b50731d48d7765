/* FlexAttention of ai.onnx.preview: attention whose scores and weights bodies change. */
#include <math.h>

#include "onnx/operators.h"
#include "onnx/operators/parts.h"

/* What a body makes of a tensor, of the same sizes; the tensor where there is none. */
static struct onnx_tensor *modify(const struct onnx_call *call, const char *name, struct onnx_tensor *tensor) {
    const struct onnx_graph *body;
    struct onnx_tensor *made = NULL;
    if (!onnx_find_body(call, name, &body)) {
        return NULL;
    }
    if (tensor == NULL || body == NULL) {
        return tensor;
    }
    if (body->output_count != 1) {
        onnx_refuse(call, "a %s of %u outputs", name, (unsigned)body->output_count);
        return NULL;
    }
    if (!onnx_translate_body(call, body, 1, &tensor, &made)) {
        return NULL;
    }
    bool fits = made != NULL && made->type == tensor->type && made->rank == tensor->rank;
    for (uint32_t d = 0; fits && d < tensor->rank; ++d) {
        fits = made->sizes[d] == tensor->sizes[d];
    }
    if (!fits) {
        onnx_refuse(call, "a %s that makes another type or other sizes", name);
    }
    return fits ? made : NULL;
}

static bool check(const struct onnx_call *call, const struct onnx_tensor *q, const struct onnx_tensor *k,
                  const struct onnx_tensor *v) {
    if (q == NULL || k == NULL || v == NULL || q->rank != 4 || k->rank != 4 || v->rank != 4 || onnx_is_empty(q) ||
        onnx_is_empty(k) || onnx_is_empty(v)) {
        return onnx_refuse(call, "queries, keys or values of other than 4 dimensions, or of no elements");
    }
    if (!onnx_is_float(q->type) || k->type != q->type || v->type != q->type) {
        return onnx_refuse_type(call, "queries, keys and values of %s, %s and %s", onnx_type_name(q->type),
                           onnx_type_name(k->type), onnx_type_name(v->type));
    }
    if (k->sizes[0] != q->sizes[0] || v->sizes[0] != q->sizes[0] || v->sizes[1] != k->sizes[1] ||
        q->sizes[1] % k->sizes[1] != 0 || v->sizes[2] != k->sizes[2] || k->sizes[3] != q->sizes[3]) {
        return onnx_refuse(call, "queries, keys and values whose sizes do not fit");
    }
    return true;
}

/* Products are of FLOAT. Heads of queries that share one of keys lie behind each other, as rows. */
static bool flex_attention(const struct onnx_call *call) {
    struct onnx_tensor *q = onnx_input(call, 0), *k = onnx_input(call, 1), *v = onnx_input(call, 2);
    const int64_t precision = onnx_int(call, "softmax_precision", ONNX_FLOAT);
    if (!check(call, q, k, v)) {
        return false;
    }
    if (precision != ONNX_FLOAT && precision != ONNX_FLOAT16) {
        return onnx_refuse_type(call, "a softmax_precision of %s", onnx_type_name((enum onnx_type)precision));
    }
    const enum onnx_type type = q->type;
    const uint32_t *of_q = q->sizes, batch = of_q[0], heads = k->sizes[1], rows = of_q[1] / heads * of_q[2];
    const float scale = onnx_float(call, "scale", 1.0F / sqrtf((float)of_q[3]));
    const uint32_t all[] = {batch, of_q[1], of_q[2], k->sizes[2]}, merged[] = {batch, heads, rows, k->sizes[2]};
    const uint32_t result[] = {batch, of_q[1], of_q[2], v->sizes[3]}, last = 3;
    q = onnx_reshape(call, onnx_cast(call, q, ONNX_FLOAT), 4, (const uint32_t[]){batch, heads, rows, of_q[3]});
    struct onnx_tensor *scores = onnx_gemm(call, q, onnx_cast(call, k, ONNX_FLOAT), true, scale, NULL);
    scores = onnx_cast(call, onnx_reshape(call, scores, 4, all), (enum onnx_type)precision);
    scores = modify(call, "score_mod", scores);
    struct onnx_tensor *weights =
        scores == NULL ? NULL : onnx_softmax(call, DML_OPERATOR_ACTIVATION_SOFTMAX1, scores, 1, &last);
    weights = onnx_cast(call, modify(call, "prob_mod", weights), ONNX_FLOAT);
    weights = onnx_reshape(call, weights, 4, merged);
    struct onnx_tensor *y = onnx_gemm(call, weights, onnx_cast(call, v, ONNX_FLOAT), false, 1.0F, NULL);
    return onnx_output(call, 0, onnx_cast(call, onnx_reshape(call, y, 4, result), type));
}

static const struct onnx_operator rows[] = {
    {ONNX_PREVIEW, "FlexAttention", 1, flex_attention},
};
ONNX_DEFINE_FAMILY(flex_attention, rows)
