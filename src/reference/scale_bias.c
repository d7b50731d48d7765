#include "reference/scale_bias.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "reference/number.h"

/* 16: as 0 for every type but _Float16. */
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16,
               "float and double must be computed in their own precision; on x87: -msse2 -mfpmath=sse");

/* ---- floats ---- */

/* Two statements, two roundings. */
float vkdml_scale_bias_float(float x, const DML_SCALE_BIAS *scale_bias) {
    const float product = x * scale_bias->Scale;
    return product + scale_bias->Bias;
}

static uint64_t scale_bias_float32(uint64_t bits, const DML_SCALE_BIAS *scale_bias) {
    const uint32_t bits32 = (uint32_t)bits;
    float x;
    memcpy(&x, &bits32, sizeof x);
    return vkdml_float_to_bits(vkdml_scale_bias_float(x, scale_bias));
}

static uint64_t scale_bias_float16(uint64_t bits, const DML_SCALE_BIAS *scale_bias) {
    return vkdml_float_to_half(vkdml_scale_bias_float(vkdml_half_to_float((uint16_t)bits), scale_bias));
}

static uint64_t scale_bias_float64(uint64_t bits, const DML_SCALE_BIAS *scale_bias) {
    double x;
    memcpy(&x, &bits, sizeof x);
    const double product = x * (double)scale_bias->Scale;
    return vkdml_double_to_bits(product + (double)scale_bias->Bias);
}

/* ---- integers: exact fixed point ---- */

/* The smallest digit of a float is 2^-149, the largest sum below 2^64 * 2^128 + 2^128 < 2^193: with limbs of 32 bits, 5
 * after the binary point and 7 before it hold every digit. */
#define FRACTION_LIMBS 5
#define INTEGER_LIMBS  7
#define LIMBS          (FRACTION_LIMBS + INTEGER_LIMBS)
#define LIMB_BITS      32
#define POINT          (FRACTION_LIMBS * LIMB_BITS)

/* A magnitude; limbs[0] is the lowest. */
struct fixed {
    uint32_t limbs[LIMBS];
};

/* A finite float as +-mantissa * 2^exponent. */
struct parts {
    bool negative;
    uint32_t mantissa; /* 24 bits */
    int exponent;
};

static struct parts take_apart(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t exponent = (bits >> 23) & 0xFF;
    const uint32_t fraction = bits & 0x7FFFFF;
    assert(exponent != 0xFF);
    const struct parts denormal = {bits >> 31 != 0, fraction, -149};
    const struct parts normal = {bits >> 31 != 0, fraction | 0x800000, (int)exponent - 150};
    return exponent == 0 ? denormal : normal;
}

static void add_limb(struct fixed *sum, int limb, uint32_t value) {
    for (uint64_t carry = value; carry != 0; limb++) {
        assert(limb < LIMBS);
        carry += sum->limbs[limb];
        sum->limbs[limb] = (uint32_t)carry;
        carry >>= LIMB_BITS;
    }
}

/* sum += value * 2^exponent */
static void add_scaled(struct fixed *sum, uint64_t value, int exponent) {
    const int position = POINT + exponent;
    assert(position >= 0);
    const int limb = position / LIMB_BITS, shift = position % LIMB_BITS;
    const uint64_t low = (value & UINT32_MAX) << shift;
    const uint64_t high = (value >> LIMB_BITS) << shift;
    add_limb(sum, limb, (uint32_t)low);
    add_limb(sum, limb + 1, (uint32_t)(low >> LIMB_BITS));
    add_limb(sum, limb + 1, (uint32_t)high);
    add_limb(sum, limb + 2, (uint32_t)(high >> LIMB_BITS));
}

static bool is_less(const struct fixed *a, const struct fixed *b) {
    for (int i = LIMBS - 1; i >= 0; i--) {
        if (a->limbs[i] != b->limbs[i]) {
            return a->limbs[i] < b->limbs[i];
        }
    }
    return false;
}

/* a >= b */
static struct fixed subtract(const struct fixed *a, const struct fixed *b) {
    struct fixed difference;
    uint64_t borrow = 0;
    for (int i = 0; i < LIMBS; i++) {
        const uint64_t digit = (uint64_t)a->limbs[i] - b->limbs[i] - borrow;
        difference.limbs[i] = (uint32_t)digit;
        borrow = digit >> 63;
    }
    assert(borrow == 0);
    return difference;
}

/* The digits before the binary point, or the largest number where they need more than 64 bits. */
static uint64_t whole_part(const struct fixed *value) {
    const uint32_t *whole = &value->limbs[FRACTION_LIMBS];
    for (int i = 2; i < INTEGER_LIMBS; i++) {
        if (whole[i] != 0) {
            return UINT64_MAX;
        }
    }
    return (uint64_t)whole[1] << LIMB_BITS | whole[0];
}

static uint64_t exact_scale_bias(DML_TENSOR_DATA_TYPE type, bool x_negative, uint64_t x_magnitude,
                                 const DML_SCALE_BIAS *scale_bias) {
    const struct parts scale = take_apart(scale_bias->Scale);
    const struct parts bias = take_apart(scale_bias->Bias);
    struct fixed product = {{0}}, sum = {{0}};
    add_scaled(&product, (x_magnitude & UINT32_MAX) * scale.mantissa, scale.exponent);
    add_scaled(&product, (x_magnitude >> 32) * scale.mantissa, scale.exponent + 32);
    add_scaled(&sum, bias.mantissa, bias.exponent);

    const bool product_negative = x_negative != scale.negative;
    bool negative = bias.negative;
    if (product_negative == bias.negative) {
        for (int i = 0; i < LIMBS; i++) {
            add_limb(&sum, i, product.limbs[i]);
        }
    } else if (is_less(&product, &sum)) {
        sum = subtract(&sum, &product);
    } else {
        sum = subtract(&product, &sum);
        negative = product_negative;
    }
    return vkdml_integer_saturate(type, negative, whole_part(&sum));
}

static uint64_t scale_bias_integer(DML_TENSOR_DATA_TYPE type, uint64_t bits, const DML_SCALE_BIAS *scale_bias) {
    const struct vkdml_integer_range range = vkdml_integer_range(type);
    const bool negative = range.lowest != 0 && bits > range.highest;
    const uint64_t magnitude = negative ? range.lowest + range.highest + 1 - bits : bits; /* 2^width - bits */

    /* A double holds every finite product and sum here, if roundedly: it is infinite or NaN only by an operand. */
    const double x = negative ? -(double)magnitude : (double)magnitude;
    const double rough = x * (double)scale_bias->Scale + (double)scale_bias->Bias;
    if (isnan(rough)) {
        return 0;
    }
    /* x is finite and an infinity decides alone; an infinite Scale times 0 is the NaN above. */
    if (isinf(rough)) {
        return vkdml_integer_saturate(type, rough < 0, UINT64_MAX);
    }
    return exact_scale_bias(type, negative, magnitude, scale_bias);
}

uint64_t vkdml_scale_bias(DML_TENSOR_DATA_TYPE type, uint64_t bits, const DML_SCALE_BIAS *scale_bias) {
    switch (type) {
    case DML_TENSOR_DATA_TYPE_FLOAT32:
        return scale_bias_float32(bits, scale_bias);
    case DML_TENSOR_DATA_TYPE_FLOAT16:
        return scale_bias_float16(bits, scale_bias);
    case DML_TENSOR_DATA_TYPE_FLOAT64:
        return scale_bias_float64(bits, scale_bias);
    default:
        return scale_bias_integer(type, bits, scale_bias);
    }
}
