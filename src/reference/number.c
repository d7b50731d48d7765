#include "reference/number.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define HALF_NAN       0x7E00u
#define HALF_INFINITY  0x7C00u
#define FLOAT_NAN      0x7FC00000u
#define DOUBLE_NAN     0x7FF8000000000000u
#define TWO_TO_THE_64  0x1p64
#define HALF_SIGN      0x8000u
#define HALF_MANTISSA  10  /* stored bits */
#define HALF_MIN_POWER -14 /* of two: the smallest normal value, 2^-14, and the scale of denormals */
#define HALF_MAX_POWER 15

struct vkdml_integer_range vkdml_integer_range(DML_TENSOR_DATA_TYPE type) {
    static const struct vkdml_integer_range ranges[] = {
        [DML_TENSOR_DATA_TYPE_UINT8] = {0, UINT8_MAX},
        [DML_TENSOR_DATA_TYPE_UINT16] = {0, UINT16_MAX},
        [DML_TENSOR_DATA_TYPE_UINT32] = {0, UINT32_MAX},
        [DML_TENSOR_DATA_TYPE_UINT64] = {0, UINT64_MAX},
        [DML_TENSOR_DATA_TYPE_INT8] = {(uint64_t)INT8_MAX + 1, INT8_MAX},
        [DML_TENSOR_DATA_TYPE_INT16] = {(uint64_t)INT16_MAX + 1, INT16_MAX},
        [DML_TENSOR_DATA_TYPE_INT32] = {(uint64_t)INT32_MAX + 1, INT32_MAX},
        [DML_TENSOR_DATA_TYPE_INT64] = {(uint64_t)INT64_MAX + 1, INT64_MAX},
        [DML_TENSOR_DATA_TYPE_UINT4] = {0, 15},
        [DML_TENSOR_DATA_TYPE_INT4] = {8, 7},
    };
    assert((size_t)type < sizeof ranges / sizeof ranges[0] && ranges[type].highest != 0);
    return ranges[type];
}

uint64_t vkdml_integer_saturate(DML_TENSOR_DATA_TYPE type, bool negative, uint64_t magnitude) {
    const struct vkdml_integer_range range = vkdml_integer_range(type);
    const uint64_t limit = negative ? range.lowest : range.highest;
    const uint64_t held = magnitude < limit ? magnitude : limit;
    const uint64_t all_bits = range.lowest + range.highest; /* 2^width - 1: both kinds of type have 2^width values */
    return (negative ? 0 - held : held) & all_bits;
}

float vkdml_half_to_float(uint16_t half) {
    const int exponent = (half >> HALF_MANTISSA) & 0x1F;
    const int mantissa = half & 0x3FF;
    const int implicit_one = 1 << HALF_MANTISSA;
    float magnitude;
    if (exponent == 0x1F) {
        magnitude = mantissa != 0 ? NAN : INFINITY;
    } else if (exponent == 0) {
        magnitude = ldexpf((float)mantissa, HALF_MIN_POWER - HALF_MANTISSA);
    } else {
        magnitude = ldexpf((float)(implicit_one + mantissa), exponent - 15 - HALF_MANTISSA);
    }
    return (half & HALF_SIGN) != 0 ? -magnitude : magnitude;
}

/* Counts the value in units of the last binary16 digit at its size, rounds that to an integer, and writes it. */
uint16_t vkdml_float_to_half(float value) {
    if (isnan(value)) {
        return HALF_NAN;
    }
    const uint32_t sign = signbit(value) ? HALF_SIGN : 0;
    if (value == 0 || isinf(value)) {
        return (uint16_t)(sign | (value == 0 ? 0 : HALF_INFINITY));
    }
    int power; /* 2^power <= |value| < 2^(power+1), or denormal in binary16 */
    frexpf(value, &power);
    power = power - 1 > HALF_MIN_POWER ? power - 1 : HALF_MIN_POWER;
    if (power > HALF_MAX_POWER) {
        return (uint16_t)(sign | HALF_INFINITY);
    }
    const double units = ldexp(fabs((double)value), HALF_MANTISSA - power); /* exact, below 2^11 */
    uint32_t whole = (uint32_t)units;
    const double rest = units - whole;
    if (rest > 0.5 || (rest == 0.5 && whole % 2 == 1)) {
        whole++;
    }
    /* Normal values have the implicit one, 2^10, in `whole`: it counts the exponent up by one from the row below. So
     * does a carry out of the mantissa, up to infinity. */
    const uint32_t row = (uint32_t)(power - HALF_MIN_POWER) << HALF_MANTISSA;
    return (uint16_t)(sign | (row + whole));
}

uint32_t vkdml_float_to_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? FLOAT_NAN : bits;
}

uint64_t vkdml_double_to_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? DOUBLE_NAN : bits;
}

uint64_t vkdml_float_to_integer(float value, DML_TENSOR_DATA_TYPE type) {
    if (isnan(value)) {
        return 0;
    }
    const double magnitude = fabs((double)value);
    const uint64_t whole = magnitude < TWO_TO_THE_64 ? (uint64_t)magnitude : UINT64_MAX;
    return vkdml_integer_saturate(type, value < 0, whole);
}

uint64_t vkdml_integer_extend(DML_TENSOR_DATA_TYPE type, uint64_t bits) {
    const struct vkdml_integer_range range = vkdml_integer_range(type);
    const bool negative = range.lowest != 0 && bits > range.highest;
    return negative ? bits - (range.lowest + range.highest + 1) : bits; /* 2^width less */
}

bool vkdml_integer_comes_before(DML_TENSOR_DATA_TYPE type, uint64_t a, uint64_t b, bool least) {
    if (vkdml_integer_range(type).lowest != 0) {
        const int64_t x = (int64_t)vkdml_integer_extend(type, a), y = (int64_t)vkdml_integer_extend(type, b);
        return least ? x < y : x > y;
    }
    return least ? a < b : a > b;
}

float vkdml_element_to_float(DML_TENSOR_DATA_TYPE type, uint64_t bits) {
    const uint32_t bits32 = (uint32_t)bits;
    float value;
    switch (type) {
    case DML_TENSOR_DATA_TYPE_FLOAT32:
        memcpy(&value, &bits32, sizeof value);
        return value;
    case DML_TENSOR_DATA_TYPE_FLOAT16:
        return vkdml_half_to_float((uint16_t)bits);
    default:
        return vkdml_integer_range(type).lowest != 0 ? (float)(int64_t)vkdml_integer_extend(type, bits) : (float)bits;
    }
}

uint64_t vkdml_float_to_element(DML_TENSOR_DATA_TYPE type, float value) {
    assert(type == DML_TENSOR_DATA_TYPE_FLOAT32 || type == DML_TENSOR_DATA_TYPE_FLOAT16);
    return type == DML_TENSOR_DATA_TYPE_FLOAT16 ? vkdml_float_to_half(value) : vkdml_float_to_bits(value);
}

double vkdml_number_read(const struct vkdml_tensor *tensor, const void *memory,
                         const struct vkdml_coordinate *coordinate) {
    return (double)vkdml_element_to_float(tensor->data_type, vkdml_element_read(tensor, memory, coordinate));
}

void vkdml_number_write(const struct vkdml_tensor *tensor, void *memory, const struct vkdml_coordinate *coordinate,
                        double number) {
    vkdml_element_write(tensor, memory, coordinate, vkdml_float_to_element(tensor->data_type, (float)number));
}

uint64_t vkdml_convert_attribute(const float *attribute, DML_TENSOR_DATA_TYPE type) {
    uint32_t bits;
    switch (type) {
    case DML_TENSOR_DATA_TYPE_FLOAT32:
        memcpy(&bits, attribute, sizeof bits);
        return bits;
    case DML_TENSOR_DATA_TYPE_FLOAT16:
        return vkdml_float_to_half(*attribute);
    case DML_TENSOR_DATA_TYPE_FLOAT64:
        return vkdml_double_to_bits(*attribute);
    default:
        return vkdml_float_to_integer(*attribute, type);
    }
}
