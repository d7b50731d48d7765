/* Softmax and its kin, and the losses that are made of it. */
#include <string.h>

#include "onnx/operators/network.h"

/* From version 13 on along one axis, before over it and all behind it. */
static bool along_axis(const struct onnx_call *call, DML_OPERATOR_TYPE type) {
    struct onnx_tensor *x = onnx_input(call, 0);
    if (x == NULL) {
        return onnx_refuse(call, "no input");
    }
    const uint32_t rank = x->rank;
    const bool is_old = call->node->version < 13;
    struct onnx_tensor *vector = onnx_pad_rank(call, x, 1);
    uint32_t axis, axes[ONNX_MAX_RANK], count = 0;
    if (vector == NULL ||
        !onnx_axis(call, onnx_int(call, "axis", is_old && vector->rank > 1 ? 1 : -1), vector->rank, &axis)) {
        return false;
    }
    for (uint32_t d = axis; d < (is_old ? vector->rank : axis + 1); ++d) {
        axes[count++] = d;
    }
    if (onnx_is_empty(x)) {
        return onnx_output(call, 0, x);
    }
    return onnx_output(call, 0, onnx_reshape(call, onnx_softmax(call, type, vector, count, axes), rank, x->sizes));
}

static bool softmax(const struct onnx_call *call) {
    return along_axis(call, DML_OPERATOR_ACTIVATION_SOFTMAX1);
}

static bool log_softmax(const struct onnx_call *call) {
    return along_axis(call, DML_OPERATOR_ACTIVATION_LOG_SOFTMAX1);
}

static bool hardmax(const struct onnx_call *call) {
    return along_axis(call, DML_OPERATOR_ACTIVATION_HARDMAX1);
}

/* ---- losses ---- */

struct loss {
    struct onnx_tensor *scores;  /* logarithms of probabilities: {N, C, ..} */
    struct onnx_tensor *classes; /* {N, 1, ..} */
    struct onnx_tensor *weights; /* of classes, or NULL */
};

/* Of each sample the weight that its class has; NULL, without a reason, where all are 1. */
static bool weigh(const struct onnx_call *call, struct loss *loss, struct onnx_tensor **weights) {
    const struct onnx_attribute *ignored = onnx_attribute(call, "ignore_index", ONNX_ATTRIBUTE_INT);
    struct onnx_tensor *is_ignored = NULL;
    *weights = NULL;
    if (ignored != NULL) {
        struct onnx_tensor *index =
            onnx_cast(call, onnx_constant(call, ONNX_INT64, 0, NULL, ignored->ints), loss->classes->type);
        is_ignored = onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, loss->classes, index);
        loss->classes = onnx_select(call, is_ignored, onnx_number(call, loss->classes->type, 0), loss->classes);
        if (loss->classes == NULL) {
            return false;
        }
    }
    if (loss->weights != NULL) {
        /* The weights as a row for each sample, from which one is taken. */
        uint32_t sizes[ONNX_MAX_RANK];
        memcpy(sizes, loss->scores->sizes, sizeof sizes);
        struct onnx_tensor *rows =
            onnx_broadcast(call, onnx_along(call, loss->weights, 1, loss->scores->rank), loss->scores->rank, sizes);
        DML_GATHER_ELEMENTS_OPERATOR_DESC desc = {.Axis = 1};
        *weights = onnx_make(call, DML_OPERATOR_GATHER_ELEMENTS, &desc, ONNX_TENSORS(rows, loss->classes));
        if (*weights == NULL) {
            return false;
        }
    }
    if (is_ignored != NULL) {
        *weights = onnx_select(call, is_ignored, onnx_number(call, loss->scores->type, 0),
                               *weights != NULL ? *weights : onnx_number(call, loss->scores->type, 1));
    }
    return is_ignored == NULL || *weights != NULL;
}

static struct onnx_tensor *sum_all(const struct onnx_call *call, struct onnx_tensor *x) {
    static const uint32_t all[] = {0, 1, 2, 3, 4, 5, 6, 7};
    return x == NULL ? NULL : onnx_reshape(call, onnx_reduce(call, DML_REDUCE_FUNCTION_SUM, x, x->rank, all), 0, NULL);
}

static struct onnx_tensor *find_loss(const struct onnx_call *call, struct loss *loss) {
    struct onnx_tensor *weights;
    uint32_t sizes[ONNX_MAX_RANK], rank = 0;
    if (!weigh(call, loss, &weights)) {
        return NULL;
    }
    DML_GATHER_ELEMENTS_OPERATOR_DESC desc = {.Axis = 1};
    struct onnx_tensor *losses =
        onnx_make(call, DML_OPERATOR_GATHER_ELEMENTS, &desc, ONNX_TENSORS(loss->scores, loss->classes));
    losses = onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_NEGATE, losses);
    if (losses == NULL) {
        return NULL;
    }
    if (weights != NULL) {
        losses = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, losses, weights);
    }
    const char *reduction = onnx_text(call, "reduction", "mean");
    if (strcmp(reduction, "none") == 0) {
        for (uint32_t d = 0; d < loss->scores->rank; ++d) {
            if (d != 1) {
                sizes[rank++] = loss->scores->sizes[d];
            }
        }
        return onnx_reshape(call, losses, rank, sizes);
    }
    const double count = (double)onnx_count(loss->scores) / loss->scores->sizes[1];
    struct onnx_tensor *sum = sum_all(call, losses);
    if (strcmp(reduction, "mean") != 0) {
        return sum;
    }
    return onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_DIVIDE, sum,
                       weights != NULL ? sum_all(call, weights) : onnx_number(call, loss->scores->type, count));
}

/* The inputs, of which `classes` gets a dimension of 1 beside the scores'. */
static bool read_loss(const struct onnx_call *call, struct loss *loss) {
    uint32_t sizes[ONNX_MAX_RANK];
    *loss = (struct loss){onnx_input(call, 0), onnx_input(call, 1), onnx_input(call, 2)};
    if (loss->scores == NULL || loss->classes == NULL || loss->scores->rank < 2 ||
        loss->classes->rank + 1 != loss->scores->rank || onnx_is_empty(loss->scores)) {
        return onnx_refuse(call, "inputs of these sizes");
    }
    if (loss->classes->type != ONNX_INT32 && loss->classes->type != ONNX_INT64) {
        return onnx_refuse_type(call, "classes of %s", onnx_type_name(loss->classes->type));
    }
    if (loss->weights != NULL && (loss->weights->type != loss->scores->type || loss->weights->rank != 1 ||
                                  loss->weights->sizes[0] != loss->scores->sizes[1])) {
        return onnx_refuse_type(call, "weights of another type or size");
    }
    for (uint32_t d = 0; d < loss->scores->rank; ++d) {
        sizes[d] = d == 1 ? 1 : loss->scores->sizes[d];
        if (d != 1 && loss->classes->sizes[d == 0 ? 0 : d - 1] != sizes[d]) {
            return onnx_refuse(call, "classes of other sizes than the scores");
        }
    }
    loss->classes = onnx_reshape(call, loss->classes, loss->scores->rank, sizes);
    return loss->classes != NULL;
}

static bool negative_log_likelihood(const struct onnx_call *call) {
    struct loss loss;
    return read_loss(call, &loss) && onnx_output(call, 0, find_loss(call, &loss));
}

static bool softmax_cross_entropy(const struct onnx_call *call) {
    static const uint32_t axis = 1;
    struct loss loss;
    if (!read_loss(call, &loss)) {
        return false;
    }
    loss.scores = onnx_softmax(call, DML_OPERATOR_ACTIVATION_LOG_SOFTMAX1, loss.scores, 1, &axis);
    return loss.scores != NULL && (call->output_count < 2 || onnx_output(call, 1, loss.scores)) &&
           onnx_output(call, 0, find_loss(call, &loss));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Hardmax", 1, hardmax},
    {ONNX_ML, "LogSoftmax", 1, log_softmax},
    {ONNX_ML, "NegativeLogLikelihoodLoss", 12, negative_log_likelihood},
    {ONNX_ML, "Softmax", 1, softmax},
    {ONNX_ML, "SoftmaxCrossEntropyLoss", 12, softmax_cross_entropy},
};
ONNX_DEFINE_FAMILY(softmax, rows)
