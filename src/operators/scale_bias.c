#include "operators/scale_bias.h"

#include <stdbool.h>

#include "operators/scalar.h"

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

/* Integers need no exact reals where scale and bias are near enough to 1: arguments become what
 * glsl/map/scale_bias.glsl reads, in 32 bits more than the element's, or in 32 where they suffice. NO_SCALE where they
 * are not. */
static enum vkdml_map_scale choose_fixed_point(uint32_t element_bytes, uint32_t arguments[4]) {
    struct parts scale, bias;
    int64_t scale_fixed, bias_fixed;
    if (!take_apart(arguments[0], &scale) || !take_apart(arguments[1], &bias)) {
        return VKDML_MAP_NO_SCALE;
    }
    int32_t shift = 0;
    shift = scale.mantissa != 0 && -scale.exponent > shift ? -scale.exponent : shift;
    shift = bias.mantissa != 0 && -bias.exponent > shift ? -bias.exponent : shift;
    const int32_t narrow = 30 - 8 * (int32_t)element_bytes; /* product and bias below 2^30 */
    enum vkdml_map_scale kind = VKDML_MAP_WIDE_SCALE;
    if (narrow > 0 && shift < 32 && to_fixed(&scale, shift, narrow, &scale_fixed) &&
        to_fixed(&bias, shift, 30, &bias_fixed)) {
        kind = VKDML_MAP_NARROW_SCALE;
    } else if (shift >= 64 || !to_fixed(&scale, shift, 30, &scale_fixed) || !to_fixed(&bias, shift, 61, &bias_fixed)) {
        return VKDML_MAP_NO_SCALE;
    }
    arguments[0] = (uint32_t)scale_fixed;
    arguments[1] = (uint32_t)bias_fixed;
    arguments[2] = (uint32_t)((uint64_t)bias_fixed >> 32);
    arguments[3] = (uint32_t)shift;
    return kind;
}

static void use_doubles(const DML_SCALE_BIAS *scale_bias, uint32_t arguments[4]) {
    vkdml_scalar_from_float(scale_bias->Scale, DML_TENSOR_DATA_TYPE_FLOAT64, arguments);
    vkdml_scalar_from_float(scale_bias->Bias, DML_TENSOR_DATA_TYPE_FLOAT64, arguments + 2);
}

/* A table of all integers of 8 bits takes less time than fixed point on GPUs, and more on lavapipe. */
static enum vkdml_map_scale choose(DML_TENSOR_DATA_TYPE type, const DML_SCALE_BIAS *scale_bias,
                                   const struct vkdml_plan_limits *limits, uint32_t arguments[4]) {
    arguments[0] = vkdml_float_bits(scale_bias->Scale);
    arguments[1] = vkdml_float_bits(scale_bias->Bias);
    if (type == DML_TENSOR_DATA_TYPE_FLOAT64) {
        use_doubles(scale_bias, arguments);
        return VKDML_MAP_DOUBLE_SCALE;
    }
    if (vkdml_data_type_is_float(type)) {
        return VKDML_MAP_FLOAT_SCALE;
    }
    const uint32_t bytes = vkdml_data_type_size(type);
    const enum vkdml_map_scale kind = choose_fixed_point(bytes, arguments);
    if (bytes == 1 && (kind == VKDML_MAP_NO_SCALE || limits->variant != VKDML_KERNEL_VARIANT_SERIAL)) {
        use_doubles(scale_bias, arguments);
        return VKDML_MAP_TABLE_SCALE;
    }
    if (kind == VKDML_MAP_NO_SCALE && bytes == 2) {
        use_doubles(scale_bias, arguments);
        return VKDML_MAP_DOUBLE_SCALE;
    }
    return kind == VKDML_MAP_NO_SCALE ? VKDML_MAP_FLOAT_SCALE : kind;
}

void vkdml_scale_bias_set(struct vkdml_map *map, DML_TENSOR_DATA_TYPE type, const DML_SCALE_BIAS *scale_bias,
                          const struct vkdml_plan_limits *limits) {
    map->scale = choose(type, scale_bias, limits, map->arguments);
}
