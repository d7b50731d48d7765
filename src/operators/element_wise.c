/* ELEMENT_WISE_IDENTITY: a copy between two layouts, with ScaleBias an arithmetic one. */
#include "frames/gather.h"
#include "frames/transfer.h"
#include "operators/operators.h"
#include "operators/scalar.h"

void vkdml_rules_element_wise_identity(const struct vkdml_instance *instance, struct vkdml_report *report) {
    /* The table says it all: equal types and sizes. */
    (void)instance;
    (void)report;
}

/* (-1)^negative * mantissa * 2^exponent, the mantissa odd or 0. */
struct parts {
    bool negative;
    uint32_t mantissa;
    int32_t exponent;
};

/* False where the float is no number. */
static bool take_apart(uint32_t bits, struct parts *parts) {
    const uint32_t exponent = bits >> 23 & 0xFF;
    parts->negative = bits >> 31 != 0;
    parts->mantissa = (bits & 0x7FFFFF) | (exponent != 0 ? 0x800000 : 0);
    parts->exponent = (int32_t)(exponent != 0 ? exponent : 1) - 150; /* of the last bit: 127 and 23 bits below */
    while (parts->mantissa != 0 && parts->mantissa % 2 == 0) {
        parts->mantissa /= 2;
        parts->exponent++;
    }
    return exponent != 0xFF;
}

/* A number times 2^shift as an integer; false where its magnitude needs more than `bits` bits. */
static bool to_fixed(const struct parts *parts, int32_t shift, int32_t bits, int64_t *fixed) {
    const int32_t left = parts->exponent + shift;
    *fixed = 0;
    if (parts->mantissa == 0) {
        return true;
    }
    if (left >= bits || parts->mantissa >> (bits - left < 32 ? bits - left : 31) != 0) {
        return false;
    }
    *fixed = (int64_t)((uint64_t)parts->mantissa << left) * (parts->negative ? -1 : 1);
    return true;
}

/* How scale_bias.comp computes: FIXED_POINT. */
enum fixed_point {
    FIXED_NONE,
    FIXED_WIDE,
    FIXED_NARROW,
    TAME,  /* of FLOAT16 */
    TABLE, /* of integers of a byte */
};

/* Integers need no exact reals where scale and bias are near enough to 1: arguments become what scale_bias_fixed() in
 * scale_bias.comp reads, in 32 bits more than the element's, or in 32 where they suffice. */
static enum fixed_point choose_fixed_point(uint32_t element_bytes, uint32_t arguments[4]) {
    struct parts scale, bias;
    int64_t scale_fixed, bias_fixed;
    if (!take_apart(arguments[0], &scale) || !take_apart(arguments[1], &bias)) {
        return FIXED_NONE;
    }
    int32_t shift = 0;
    shift = scale.mantissa != 0 && -scale.exponent > shift ? -scale.exponent : shift;
    shift = bias.mantissa != 0 && -bias.exponent > shift ? -bias.exponent : shift;
    const int32_t narrow = 30 - 8 * (int32_t)element_bytes; /* product and bias below 2^30 */
    enum fixed_point kind = FIXED_NONE;
    if (narrow > 0 && shift < 32 && to_fixed(&scale, shift, narrow, &scale_fixed) &&
        to_fixed(&bias, shift, 30, &bias_fixed)) {
        kind = FIXED_NARROW;
    } else if (shift < 64 && to_fixed(&scale, shift, 30, &scale_fixed) && to_fixed(&bias, shift, 61, &bias_fixed)) {
        kind = FIXED_WIDE;
    } else {
        return FIXED_NONE;
    }
    arguments[0] = (uint32_t)scale_fixed;
    arguments[1] = (uint32_t)bias_fixed;
    arguments[2] = (uint32_t)((uint64_t)bias_fixed >> 32);
    arguments[3] = (uint32_t)shift;
    return kind;
}

/* Whether no product or sum of a FLOAT16 is a denormal FLOAT32, or none. */
static bool is_tame(uint32_t scale, uint32_t bias) {
    const uint32_t least = 127 - 50, most = 127 + 50; /* biased exponents */
    const uint32_t scale_exponent = scale >> 23 & 0xFF, bias_exponent = bias >> 23 & 0xFF;
    return scale_exponent >= least && scale_exponent <= most &&
           (bias << 1 == 0 || (bias_exponent >= least && bias_exponent <= most));
}

static bool is_float(DML_TENSOR_DATA_TYPE type) {
    return type == DML_TENSOR_DATA_TYPE_FLOAT16 || type == DML_TENSOR_DATA_TYPE_FLOAT32 ||
           type == DML_TENSOR_DATA_TYPE_FLOAT64;
}

/* Of a table that each workgroup makes: with 1, 2 and 8 chunks an NVIDIA H200 reaches 0.53, 0.80 and 0.85 of the copy
 * peak, with 4 0.90. */
#define TABLE_CHUNKS 4

/* Of long arithmetic: 0.50 of the peak with 2, 0.48 with 1. */
#define FLOAT64_CHUNKS 2

/* A table takes less time than fixed point on GPUs, and more on lavapipe. */
static enum fixed_point choose(const struct vkdml_gather *gather, DML_TENSOR_DATA_TYPE type,
                               const struct vkdml_plan_limits *limits, uint32_t arguments[4]) {
    if (type == DML_TENSOR_DATA_TYPE_FLOAT16 && is_tame(arguments[0], arguments[1])) {
        return TAME;
    }
    if (is_float(type)) {
        return FIXED_NONE;
    }
    const bool dense = gather->dimensions[gather->count - 1].output_stride == 1;
    const bool can_look_up = gather->element_bytes == 1 && dense;
    if (can_look_up && limits->variant != VKDML_KERNEL_VARIANT_SERIAL) {
        return TABLE;
    }
    const enum fixed_point kind = choose_fixed_point(gather->element_bytes, arguments);
    return kind == FIXED_NONE && can_look_up ? TABLE : kind;
}

static void use_scale_bias(const struct vkdml_gather *gather, DML_TENSOR_DATA_TYPE type,
                           const DML_SCALE_BIAS *scale_bias, const struct vkdml_plan_limits *limits,
                           struct vkdml_gather_use *use) {
    use->kernel = VKDML_KERNEL_SCALE_BIAS;
    use->runs_kernel = VKDML_KERNEL_COPY; /* none */
    use->arguments[0] = vkdml_float_bits(scale_bias->Scale);
    use->arguments[1] = vkdml_float_bits(scale_bias->Bias);
    const enum fixed_point kind = choose(gather, type, limits, use->arguments);
    const bool narrow = !is_float(type) && gather->element_bytes <= 2;
    if (type == DML_TENSOR_DATA_TYPE_FLOAT64 || kind == TABLE || (narrow && kind == FIXED_NONE)) {
        vkdml_scalar_from_float(scale_bias->Scale, DML_TENSOR_DATA_TYPE_FLOAT64, &use->arguments[0]);
        vkdml_scalar_from_float(scale_bias->Bias, DML_TENSOR_DATA_TYPE_FLOAT64, &use->arguments[2]);
    }
    use->chunks = kind == TABLE ? TABLE_CHUNKS : type == DML_TENSOR_DATA_TYPE_FLOAT64 ? FLOAT64_CHUNKS : 0;
    use->specialization_count = 2;
    use->specializations[0] = type;
    use->specializations[1] = kind;
}

VkdmlResult vkdml_plan_element_wise_identity(const struct vkdml_instance *instance,
                                             const struct vkdml_plan_limits *limits, VkdmlCompileFlags flags,
                                             struct vkdml_report *report, struct vkdml_plan *plan) {
    (void)flags;
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC *desc = instance->desc;
    if (desc->ScaleBias == NULL) {
        plan->keeps_input = true;
        return vkdml_transfer_plan_identity(&instance->outputs[0], &instance->inputs[0], limits, report, plan);
    }
    struct vkdml_gather gather;
    vkdml_gather_init(&gather, &instance->outputs[0], &instance->inputs[0]);
    vkdml_gather_collapse(&gather, 0, gather.count);
    struct vkdml_gather_use use = {.has_input = true, .input = VKDML_PLAN_INPUT, .output = VKDML_PLAN_OUTPUT};
    use_scale_bias(&gather, instance->outputs[0].data_type, desc->ScaleBias, limits, &use);
    return vkdml_gather_plan(&gather, &use, limits, report, plan, &plan->steps);
}
