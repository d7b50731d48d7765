/* Normalization of the last dimensions, alone and together with what transformers do before it. */
#include "onnx/operators/normalize.h"

/* ---- statistics ---- */

/* Mean and 1 / deviation in FLOAT, with sizes of 1 for the axes; *mean stays NULL where there is none. */
static bool find_statistics(const struct onnx_call *call, const struct onnx_normalization *n, struct onnx_tensor **mean,
                            struct onnx_tensor **inverse) {
    struct onnx_tensor *x = onnx_cast(call, n->x, ONNX_FLOAT), *centered = x;
    *mean = NULL;
    if (x != NULL && !n->has_no_mean) {
        *mean = onnx_reduce(call, DML_REDUCE_FUNCTION_AVERAGE, x, n->axis_count, n->axes);
        centered = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_SUBTRACT, x, *mean);
    }
    struct onnx_tensor *squares = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, centered, centered);
    struct onnx_tensor *variance = onnx_reduce(call, DML_REDUCE_FUNCTION_AVERAGE, squares, n->axis_count, n->axes);
    struct onnx_tensor *root =
        onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_SQRT, onnx_linear(call, variance, 1, n->epsilon));
    *inverse = onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_RECIP, root);
    return *inverse != NULL;
}

/* Outputs `mean` and `inverse`; ONNX_NONE: the operator has no such output. */
static bool give_statistics(const struct onnx_call *call, const struct onnx_normalization *n, uint32_t mean,
                            uint32_t inverse) {
    struct onnx_tensor *tensors[2];
    if (!onnx_is_wanted(call, mean) && !onnx_is_wanted(call, inverse)) {
        return true;
    }
    if (onnx_is_empty(n->x)) {
        return onnx_refuse(call, "statistics of no elements");
    }
    return find_statistics(call, n, &tensors[0], &tensors[1]) &&
           (!onnx_is_wanted(call, mean) || (tensors[0] != NULL && onnx_output(call, mean, tensors[0])) ||
            onnx_refuse(call, "there is no mean")) &&
           (!onnx_is_wanted(call, inverse) || onnx_output(call, inverse, tensors[1]));
}

/* ---- LayerNormalization, RMSNormalization ---- */

static bool start(const struct onnx_call *call, struct onnx_normalization *n) {
    uint32_t axis;
    n->x = onnx_input(call, 0);
    if (n->x == NULL || onnx_input(call, 1) == NULL) {
        return onnx_refuse(call, "no input");
    }
    if (!onnx_axis(call, onnx_int(call, "axis", -1), n->x->rank, &axis)) {
        return false;
    }
    for (uint32_t d = axis; d < n->x->rank; ++d) {
        n->axes[n->axis_count++] = d;
    }
    n->epsilon = onnx_float(call, "epsilon", 1e-5F);
    struct onnx_tensor *const numbers[] = {onnx_input(call, 1), n->has_no_mean ? NULL : onnx_input(call, 2)};
    n->type = n->x->type;
    for (uint32_t i = 0; i < 2; ++i) {
        if (numbers[i] != NULL) {
            n->type = numbers[i]->type == n->type ? n->type : ONNX_FLOAT;
            struct onnx_tensor *shaped = onnx_pad_rank(call, numbers[i], n->x->rank);
            if (shaped == NULL || shaped->rank != n->x->rank) {
                return onnx_refuse(call, "a scale of more dimensions");
            }
            *(i == 0 ? &n->scale : &n->bias) = shaped;
        }
    }
    return true;
}

static bool layer_normalization(const struct onnx_call *call) {
    struct onnx_normalization n = {0};
    return start(call, &n) && onnx_output(call, 0, onnx_normalize(call, &n)) && give_statistics(call, &n, 1, 2);
}

/* The result has the scale's type. */
static bool rms_normalization(const struct onnx_call *call) {
    struct onnx_normalization n = {.has_no_mean = true};
    if (!start(call, &n)) {
        return false;
    }
    n.result = onnx_input(call, 1)->type;
    return onnx_output(call, 0, onnx_normalize(call, &n)) && give_statistics(call, &n, ONNX_NONE, 1);
}

/* ---- with a sum before it ---- */

/* The last dimension is normalized, by gamma and beta of its size; the result is of that type. */
static bool normalize_last(const struct onnx_call *call, struct onnx_tensor *x, enum onnx_type type,
                           struct onnx_tensor *gamma, struct onnx_tensor *beta, struct onnx_normalization *n) {
    if (x == NULL) {
        return false;
    }
    if (gamma == NULL || x->rank == 0 || gamma->rank != 1 || (beta != NULL && beta->rank != 1)) {
        return onnx_refuse(call, "inputs of these sizes");
    }
    n->x = x;
    n->type = x->type;
    n->axes[n->axis_count++] = x->rank - 1;
    n->scale = onnx_pad_rank(call, gamma, x->rank);
    n->bias = onnx_pad_rank(call, beta, x->rank);
    return n->scale != NULL && (beta == NULL || n->bias != NULL) &&
           onnx_output(call, 0, onnx_cast(call, onnx_normalize(call, n), type));
}

/* input, skip, gamma, [beta,] bias; the sum is normalized, and an output. */
static bool skip_normalization(const struct onnx_call *call, bool has_no_mean) {
    struct onnx_tensor *x = onnx_input(call, 0), *bias = onnx_input(call, has_no_mean ? 3 : 4);
    struct onnx_normalization n = {.has_no_mean = has_no_mean, .epsilon = onnx_float(call, "epsilon", 1e-12F)};
    if (x == NULL || onnx_input(call, 1) == NULL) {
        return onnx_refuse(call, "no input");
    }
    /* What is normalized is not rounded to FLOAT16 before. */
    struct onnx_tensor *sum = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, onnx_cast(call, x, ONNX_FLOAT),
                                          onnx_cast(call, onnx_input(call, 1), ONNX_FLOAT));
    if (bias != NULL && sum != NULL) {
        sum = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, sum, onnx_cast(call, bias, ONNX_FLOAT));
    }
    return normalize_last(call, sum, x->type, onnx_input(call, 2), has_no_mean ? NULL : onnx_input(call, 3), &n) &&
           (!onnx_is_wanted(call, 3) || onnx_output(call, 3, onnx_cast(call, sum, x->type))) &&
           give_statistics(call, &n, 1, 2);
}

static bool skip_layer_normalization(const struct onnx_call *call) {
    return skip_normalization(call, false);
}

static bool skip_simplified_normalization(const struct onnx_call *call) {
    return skip_normalization(call, true);
}

/* ---- EmbedLayerNormalization ---- */

/* Rows of a table by indices {B, S} or {1, S}: {.., hidden}. */
static struct onnx_tensor *look_up(const struct onnx_call *call, struct onnx_tensor *table,
                                   struct onnx_tensor *indices) {
    if (table == NULL || indices == NULL || table->rank != 2 || indices->rank != 2 || onnx_is_empty(table) ||
        onnx_is_empty(indices)) {
        onnx_refuse(call, "a table or indices of these sizes");
        return NULL;
    }
    const uint32_t sizes[] = {indices->sizes[0], indices->sizes[1], table->sizes[1]};
    DML_GATHER_OPERATOR_DESC desc = {.Axis = 1, .IndexDimensions = 2};
    struct onnx_tensor *inputs[] = {onnx_pad_rank(call, table, 3), onnx_pad_rank(call, indices, 3)};
    struct onnx_tensor *rows = onnx_declare(call, table->type, 3, sizes);
    return inputs[0] != NULL && inputs[1] != NULL && rows != NULL &&
                   onnx_emit(call, DML_OPERATOR_GATHER, &desc, 2, inputs, 1, &rows)
               ? rows
               : NULL;
}

/* Of each sample the number of ones in its mask; 0 without one. */
static bool count_mask(const struct onnx_call *call, struct onnx_tensor *mask, uint32_t batch) {
    if (mask == NULL) {
        return onnx_output(call, 1, onnx_fill(call, ONNX_INT32, 1, &batch, 0));
    }
    static const uint32_t axis = 1;
    struct onnx_tensor *ones =
        onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, mask, onnx_number(call, mask->type, 1));
    return mask->rank == 2 ? onnx_output(call, 1,
                                         onnx_reshape(call,
                                                      onnx_reduce(call, DML_REDUCE_FUNCTION_SUM,
                                                                  onnx_cast(call, ones, ONNX_INT32), 1, &axis),
                                                      1, &batch))
                           : onnx_refuse(call, "a mask of %u dimensions", (unsigned)mask->rank);
}

/* input_ids, segment_ids, word, position, segment embeddings, gamma, beta, mask, position_ids. */
static bool embed_layer_normalization(const struct onnx_call *call) {
    struct onnx_tensor *ids = onnx_input(call, 0), *segments = onnx_input(call, 1), *positions = onnx_input(call, 8);
    struct onnx_normalization n = {.epsilon = onnx_float(call, "epsilon", 1e-12F)};
    if (ids == NULL || ids->rank != 2 || onnx_input(call, 3) == NULL || onnx_input(call, 3)->rank != 2 ||
        (segments != NULL) != (onnx_input(call, 4) != NULL)) {
        return onnx_refuse(call, "inputs of these sizes");
    }
    struct onnx_tensor *sum = look_up(call, onnx_input(call, 2), ids), *place;
    if (positions != NULL) {
        place = look_up(call, onnx_input(call, 3), positions);
    } else {
        /* Row s for position s. */
        struct onnx_tensor *table = onnx_input(call, 3);
        const uint32_t count = ids->sizes[1];
        if (count > table->sizes[0] || count == 0) {
            return onnx_refuse(call, "more positions than the table has");
        }
        place = onnx_slice_axis(call, table, 0, 0, count, 1);
    }
    sum = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, sum, place);
    if (segments != NULL && sum != NULL) {
        sum = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, sum, look_up(call, onnx_input(call, 4), segments));
    }
    if (sum == NULL || (onnx_is_wanted(call, 1) && !count_mask(call, onnx_input(call, 7), ids->sizes[0]))) {
        return false;
    }
    return normalize_last(call, sum, sum->type, onnx_input(call, 5), onnx_input(call, 6), &n) &&
           onnx_output(call, call->output_count > 2 ? 2 : ONNX_NONE, sum);
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "LayerNormalization", 1, layer_normalization},
    {ONNX_ML, "RMSNormalization", 23, rms_normalization},
    {ONNX_ML, "SimplifiedLayerNormalization", 1, rms_normalization},
    {ONNX_MICROSOFT, "SimplifiedLayerNormalization", 1, rms_normalization},
    {ONNX_MICROSOFT, "SkipLayerNormalization", 1, skip_layer_normalization},
    {ONNX_MICROSOFT, "SkipSimplifiedLayerNormalization", 1, skip_simplified_normalization},
    {ONNX_MICROSOFT, "EmbedLayerNormalization", 1, embed_layer_normalization},
};
ONNX_DEFINE_FAMILY(layers, rows)
