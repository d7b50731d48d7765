/* Activations, and Dropout as it is once a model is trained. */
#include <string.h>

#include "onnx/operators.h"
#include "onnx/operators/element_wise.h"

/* Two tensors and up to two floats, in the order of DirectML's struct. */
struct activation {
    const char *op;
    DML_OPERATOR_TYPE type;
    struct {
        const char *name; /* NULL: ONNX has no such attribute */
        float otherwise;
    } attributes[2];
};

static const struct activation activations[] = {
    {"LeakyRelu", DML_OPERATOR_ACTIVATION_LEAKY_RELU, {{"alpha", 0.01F}}},
    {"Elu", DML_OPERATOR_ACTIVATION_ELU, {{"alpha", 1}}},
    {"Selu",
     DML_OPERATOR_ACTIVATION_SCALED_ELU,
     {{"alpha", 1.67326319217681884765625F}, {"gamma", 1.05070102214813232421875F}}},
    {"Celu", DML_OPERATOR_ACTIVATION_CELU, {{"alpha", 1}}},
    {"Sigmoid", DML_OPERATOR_ACTIVATION_SIGMOID, {{0}}},
    {"HardSigmoid", DML_OPERATOR_ACTIVATION_HARD_SIGMOID, {{"alpha", 0.2F}, {"beta", 0.5F}}},
    {"HardSwish", DML_OPERATOR_ACTIVATION_HARD_SWISH, {{NULL, 1.0F / 6}, {NULL, 0.5F}}},
    {"Swish", DML_OPERATOR_ACTIVATION_SWISH, {{"alpha", 1}}},
    {"Softplus", DML_OPERATOR_ACTIVATION_SOFTPLUS, {{NULL, 1}}},
    {"Softsign", DML_OPERATOR_ACTIVATION_SOFTSIGN, {{0}}},
    {"ThresholdedRelu", DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU, {{"alpha", 1}}},
    {"Shrink", DML_OPERATOR_ACTIVATION_SHRINK, {{"bias", 0}, {"lambd", 0.5F}}},
    {"Tanh", DML_OPERATOR_ACTIVATION_TANH, {{0}}},
    {"ScaledTanh", DML_OPERATOR_ACTIVATION_SCALED_TANH, {{"alpha", 1}, {"beta", 1}}},
    {"ParametricSoftplus", DML_OPERATOR_ACTIVATION_PARAMETRIC_SOFTPLUS, {{"alpha", 1}, {"beta", 1}}},
    {"Affine", DML_OPERATOR_ACTIVATION_LINEAR, {{"alpha", 1}, {"beta", 0}}},
    {"QuickGelu", DML_OPERATOR_ACTIVATION_SWISH, {{"alpha", 1.702F}}},
};

static bool activate(const struct onnx_call *call) {
    for (size_t i = 0; i < sizeof activations / sizeof activations[0]; ++i) {
        const struct activation *a = &activations[i];
        if (strcmp(a->op, call->node->op) != 0) {
            continue;
        }
        float values[2];
        for (int k = 0; k < 2; ++k) {
            const char *name = a->attributes[k].name;
            values[k] = name == NULL ? a->attributes[k].otherwise : onnx_float(call, name, a->attributes[k].otherwise);
        }
        DML_ACTIVATION_LINEAR_OPERATOR_DESC desc = {.Alpha = values[0], .Beta = values[1]};
        return onnx_output(call, 0, onnx_apply(call, a->type, &desc, onnx_input(call, 0)));
    }
    return onnx_refuse(call, "no such activation");
}

/* Constants of version 1 were rounded. */
static bool early_selu(const struct onnx_call *call) {
    DML_ACTIVATION_SCALED_ELU_OPERATOR_DESC desc = {.Alpha = onnx_float(call, "alpha", 1.6732F),
                                                    .Gamma = onnx_float(call, "gamma", 1.0507F)};
    return onnx_output(call, 0, onnx_apply(call, DML_OPERATOR_ACTIVATION_SCALED_ELU, &desc, onnx_input(call, 0)));
}

static bool relu(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0);
    if (input != NULL && (input->type == ONNX_INT64 || input->type == ONNX_DOUBLE)) {
        struct onnx_tensor *zero = onnx_number(call, input->type, 0);
        return onnx_output(call, 0, onnx_bound(call, DML_OPERATOR_ELEMENT_WISE_MAX, input, zero));
    }
    return onnx_output(call, 0, onnx_unary(call, DML_OPERATOR_ACTIVATION_RELU, input));
}

/* DirectML converts the numbers to an integer tensor's type, which is right for whole biases and positive bounds. */
static bool shrink(const struct onnx_call *call) {
    const struct onnx_tensor *input = onnx_input(call, 0);
    const float bias = onnx_float(call, "bias", 0), bound = onnx_float(call, "lambd", 0.5F);
    if (input != NULL && onnx_is_integer(input->type)) {
        const float least = onnx_is_unsigned(input->type) ? 0 : -128;
        if (!(bias >= least && bias <= 127) || bias != (float)(int)bias || !(bound >= 0)) {
            return onnx_refuse(call, "a bias that is no small integer, or a bound below 0, of integers");
        }
    }
    return activate(call);
}

/* x * tanh(softplus(x)) */
static bool mish(const struct onnx_call *call) {
    const struct onnx_tensor *input = onnx_input(call, 0);
    struct onnx_tensor *x = onnx_widen_half(call, onnx_input(call, 0));
    DML_ACTIVATION_SOFTPLUS_OPERATOR_DESC desc = {.Steepness = 1};
    struct onnx_tensor *softplus = onnx_apply(call, DML_OPERATOR_ACTIVATION_SOFTPLUS, &desc, x);
    struct onnx_tensor *factor = onnx_unary(call, DML_OPERATOR_ACTIVATION_TANH, softplus);
    struct onnx_tensor *product = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, x, factor);
    return product != NULL && onnx_output(call, 0, onnx_cast(call, product, input->type));
}

/* x * scale + bias of the channel */
static bool scale_image(const struct onnx_call *call) {
    const struct onnx_tensor *input = onnx_input(call, 0);
    const struct onnx_attribute *bias = onnx_attribute(call, "bias", ONNX_ATTRIBUTE_FLOATS);
    if (input == NULL || input->rank != 4 || bias == NULL || bias->count != input->sizes[1]) {
        return onnx_refuse(call, "no image, or no bias for each of its channels");
    }
    struct onnx_tensor *x =
        onnx_linear(call, onnx_widen_half(call, onnx_input(call, 0)), onnx_float(call, "scale", 1), 0);
    const uint32_t sizes[] = {input->sizes[1], 1, 1};
    struct onnx_tensor *biases = onnx_constant(call, ONNX_FLOAT, 3, sizes, bias->floats);
    x = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, x, biases);
    return onnx_output(call, 0, onnx_cast(call, x, input->type));
}

/* ---- dropout ---- */

/* What is trained passes everything; so does training that drops nothing. */
static bool drops(const struct onnx_call *call, bool *drops_some) {
    uint32_t count;
    *drops_some = false;
    if (call->node->version < 7) {
        *drops_some = onnx_int(call, "is_test", 0) == 0;
    }
    if (call->node->version < 12 || onnx_input(call, 2) == NULL) {
        return true;
    }
    const int64_t *is_training = onnx_host_ints(call, 2, &count);
    if (is_training == NULL || count != 1) {
        return is_training == NULL ? false : onnx_refuse(call, "a training mode that is not one bool");
    }
    if (is_training[0] == 0) {
        return true;
    }
    *drops_some = true;
    if (onnx_input(call, 1) != NULL) {
        const double *ratio = onnx_host_floats(call, 1, &count);
        if (ratio == NULL) {
            return false;
        }
        *drops_some = count != 1 || ratio[0] != 0;
    }
    return true;
}

static bool dropout(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0);
    bool drops_some;
    if (input == NULL) {
        return onnx_refuse(call, "no input");
    }
    if (!drops(call, &drops_some)) {
        return false;
    }
    if (drops_some) {
        return onnx_refuse_with(call, VKDML_ERROR_NOT_IMPLEMENTED, "training drops elements at random");
    }
    const enum onnx_type mask = call->node->version < 10 ? input->type : ONNX_BOOL;
    return onnx_output(call, 0, input) && (call->output_count < 2 || !call->wanted[1] ||
                                           onnx_output(call, 1, onnx_fill(call, mask, input->rank, input->sizes, 1)));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Relu", 1, relu},           {ONNX_ML, "LeakyRelu", 1, activate},
    {ONNX_ML, "Elu", 1, activate},        {ONNX_ML, "Selu", 1, early_selu},
    {ONNX_ML, "Selu", 6, activate},       {ONNX_ML, "Celu", 12, activate},
    {ONNX_ML, "Sigmoid", 1, activate},    {ONNX_ML, "HardSigmoid", 1, activate},
    {ONNX_ML, "HardSwish", 14, activate}, {ONNX_ML, "Swish", 24, activate},
    {ONNX_ML, "Mish", 18, mish},          {ONNX_ML, "Softplus", 1, activate},
    {ONNX_ML, "Softsign", 1, activate},   {ONNX_ML, "ThresholdedRelu", 1, activate},
    {ONNX_ML, "Shrink", 9, shrink},       {ONNX_ML, "Tanh", 1, activate},
    {ONNX_ML, "ScaledTanh", 1, activate}, {ONNX_ML, "ParametricSoftplus", 1, activate},
    {ONNX_ML, "Affine", 1, activate},     {ONNX_ML, "ImageScaler", 1, scale_image},
    {ONNX_ML, "Dropout", 1, dropout},     {ONNX_MICROSOFT, "QuickGelu", 1, activate},
};
ONNX_DEFINE_FAMILY(activations, rows)
