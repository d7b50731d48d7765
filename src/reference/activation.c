#include "reference/activation.h"

#include <assert.h>
#include <math.h>

#include "math/math.h"
#include "reference/number.h"

static float expm1_of(float x, const struct vkdml_map_context *context) {
    const uint32_t bits = vkdml_bits_of_float(x);
    return vkdml_float_of_bits(context->is_half ? vkdml_math_half_expm1(bits) : vkdml_math_expm1(bits));
}

static float exp_of(float x) {
    return vkdml_float_of_bits(vkdml_math_exp(vkdml_bits_of_float(x)));
}

static float softplus_of(float x, const struct vkdml_map_context *context) {
    const uint32_t bits = vkdml_bits_of_float(x);
    return vkdml_float_of_bits(context->is_half ? vkdml_math_half_softplus(bits) : vkdml_math_softplus(bits));
}

static float tanh_of(float x) {
    return vkdml_float_of_bits(vkdml_math_tanh(vkdml_bits_of_float(x)));
}

static float sigmoid_of(float x, const struct vkdml_map_context *context) {
    const uint32_t bits = vkdml_bits_of_float(x);
    return vkdml_float_of_bits(context->is_half ? vkdml_math_half_sigmoid(bits) : vkdml_math_sigmoid(bits));
}

/* NaN wins; of zeros the positive one is larger. */
static float larger(float a, float b) {
    return isnan(a) || isnan(b) ? NAN : a > b || (a == b && !signbit(a)) ? a : b;
}

static float smaller(float a, float b) {
    return isnan(a) || isnan(b) ? NAN : a < b || (a == b && signbit(a)) ? a : b;
}

#define FLOATS(name, NAME)                                                                                             \
    static float name##_expression(const float *x, const DML_ACTIVATION_##NAME##_OPERATOR_DESC *desc);                 \
    static float name##_floats(const float *x, const struct vkdml_map_context *context) {                              \
        return name##_expression(x, context->desc);                                                                    \
    }                                                                                                                  \
    static float name##_expression(const float *x, const DML_ACTIVATION_##NAME##_OPERATOR_DESC *desc)

/* Of those that are made of functions. */
#define GRADED(name, NAME)                                                                                             \
    static float name##_graded(const float *x, const DML_ACTIVATION_##NAME##_OPERATOR_DESC *desc,                      \
                               const struct vkdml_map_context *context);                                               \
    static float name##_floats(const float *x, const struct vkdml_map_context *context) {                              \
        return name##_graded(x, context->desc, context);                                                               \
    }                                                                                                                  \
    static float name##_graded(const float *x, const DML_ACTIVATION_##NAME##_OPERATOR_DESC *desc,                      \
                               const struct vkdml_map_context *context)

/* What a formula with several roundings gives stands in a variable each, so that each is one to FLOAT32. */

/* Near -88 sigmoid and softplus become denormal, of few digits, while what they are multiplied to may be a normal
 * number. They are exp() there but for what no FLOAT32 holds, and below this it comes as two factors, each of all its
 * digits. */
#define MANY_DIGITS (-80)

/* With Alpha below 0 the exponential of a large quotient counts, for which FLOAT16's grade has infinity. */
GRADED(celu, CELU) {
    const float quotient = x[0] / desc->Alpha;
    const float rest = desc->Alpha > 0 ? expm1_of(quotient, context)
                                       : vkdml_float_of_bits(vkdml_math_expm1(vkdml_bits_of_float(quotient)));
    const float product = desc->Alpha * rest;
    return larger(0, x[0]) + smaller(0, product);
}

GRADED(elu, ELU) {
    return x[0] >= 0 ? x[0] : desc->Alpha * expm1_of(x[0], context);
}

GRADED(gelu, GELU) {
    (void)desc;
    const uint32_t bits = vkdml_bits_of_float(x[0]);
    return vkdml_float_of_bits(context->is_half ? vkdml_math_half_gelu(bits) : vkdml_math_gelu(bits));
}

FLOATS(hard_sigmoid, HARD_SIGMOID) {
    const float product = desc->Alpha * x[0];
    return larger(0, smaller(product + desc->Beta, 1));
}

FLOATS(hard_swish, HARD_SWISH) {
    const float product = desc->Alpha * x[0];
    return x[0] * larger(0, smaller(product + desc->Beta, 1));
}

FLOATS(identity, IDENTITY) {
    (void)desc;
    return x[0];
}

FLOATS(leaky_relu, LEAKY_RELU) {
    return x[0] >= 0 ? x[0] : desc->Alpha * x[0];
}

FLOATS(linear, LINEAR) {
    const float product = desc->Alpha * x[0];
    return product + desc->Beta;
}

GRADED(parametric_softplus, PARAMETRIC_SOFTPLUS) {
    const float inner = desc->Beta * x[0];
    if (inner < MANY_DIGITS) {
        const float root = exp_of(inner * 0.5f);
        const float product = desc->Alpha * root;
        return product * root;
    }
    return desc->Alpha * softplus_of(inner, context);
}

FLOATS(relu, RELU) {
    (void)desc;
    return larger(0, x[0]);
}

GRADED(scaled_elu, SCALED_ELU) {
    const float below = desc->Alpha * expm1_of(x[0], context);
    return desc->Gamma * (x[0] > 0 ? x[0] : below);
}

FLOATS(scaled_tanh, SCALED_TANH) {
    return desc->Alpha * tanh_of(desc->Beta * x[0]);
}

FLOATS(shrink, SHRINK) {
    return x[0] > desc->Threshold ? x[0] - desc->Bias : x[0] < -desc->Threshold ? x[0] + desc->Bias : 0;
}

GRADED(sigmoid, SIGMOID) {
    (void)desc;
    return sigmoid_of(x[0], context);
}

GRADED(softplus, SOFTPLUS) {
    const float inner = desc->Steepness * x[0];
    if (inner < MANY_DIGITS) {
        const float root = exp_of(inner * 0.5f);
        const float quotient = root / desc->Steepness;
        return quotient * root;
    }
    return softplus_of(inner, context) / desc->Steepness;
}

FLOATS(softsign, SOFTSIGN) {
    (void)desc;
    const float divisor = 1 + fabsf(x[0]);
    return x[0] / divisor;
}

GRADED(swish, SWISH) {
    const float inner = desc->SigmoidInputScale * x[0];
    if (inner < MANY_DIGITS) {
        const float root = exp_of(inner * 0.5f);
        const float product = x[0] * root;
        return product * root;
    }
    return x[0] * sigmoid_of(inner, context);
}

GRADED(tanh, TANH) {
    (void)desc;
    return context->is_half ? vkdml_float_of_bits(vkdml_math_half_tanh(vkdml_bits_of_float(x[0]))) : tanh_of(x[0]);
}

FLOATS(thresholded_relu, THRESHOLDED_RELU) {
    return x[0] > desc->Alpha ? x[0] : 0;
}

vkdml_float_function *vkdml_reference_activation(DML_OPERATOR_TYPE type) {
    static vkdml_float_function *const functions[] = {
        [DML_OPERATOR_ACTIVATION_CELU] = celu_floats,
        [DML_OPERATOR_ACTIVATION_ELU] = elu_floats,
        [DML_OPERATOR_ACTIVATION_GELU] = gelu_floats,
        [DML_OPERATOR_ACTIVATION_HARD_SIGMOID] = hard_sigmoid_floats,
        [DML_OPERATOR_ACTIVATION_HARD_SWISH] = hard_swish_floats,
        [DML_OPERATOR_ACTIVATION_IDENTITY] = identity_floats,
        [DML_OPERATOR_ACTIVATION_LEAKY_RELU] = leaky_relu_floats,
        [DML_OPERATOR_ACTIVATION_LINEAR] = linear_floats,
        [DML_OPERATOR_ACTIVATION_PARAMETRIC_SOFTPLUS] = parametric_softplus_floats,
        [DML_OPERATOR_ACTIVATION_RELU] = relu_floats,
        [DML_OPERATOR_ACTIVATION_SCALED_ELU] = scaled_elu_floats,
        [DML_OPERATOR_ACTIVATION_SCALED_TANH] = scaled_tanh_floats,
        [DML_OPERATOR_ACTIVATION_SHRINK] = shrink_floats,
        [DML_OPERATOR_ACTIVATION_SIGMOID] = sigmoid_floats,
        [DML_OPERATOR_ACTIVATION_SOFTPLUS] = softplus_floats,
        [DML_OPERATOR_ACTIVATION_SOFTSIGN] = softsign_floats,
        [DML_OPERATOR_ACTIVATION_SWISH] = swish_floats,
        [DML_OPERATOR_ACTIVATION_TANH] = tanh_floats,
        [DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU] = thresholded_relu_floats,
    };
    assert((size_t)type < sizeof functions / sizeof functions[0] && functions[type] != NULL);
    return functions[type];
}
