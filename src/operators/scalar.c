#include "operators/scalar.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "tensor/tensor.h"

uint32_t vkdml_float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

float vkdml_float_of_half(uint32_t half) {
    const int exponent = (int)(half >> 10 & 0x1F);
    const int fraction = (int)(half & 0x3FF);
    const float magnitude = exponent == 0x1F ? (fraction != 0 ? NAN : INFINITY)
                            : exponent == 0  ? ldexpf((float)fraction, -24)
                                             : ldexpf((float)(fraction + 0x400), exponent - 25);
    return half >> 15 & 1 ? -magnitude : magnitude;
}

/* Rounds to FLOAT16's grid in double, where halving and doubling are exact, and reads the fields off. */
static uint32_t float16_bits(float value) {
    uint32_t sign = signbit(value) ? 0x8000u : 0;
    if (isnan(value)) {
        return 0x7E00;
    }
    double magnitude = fabs((double)value);
    if (magnitude >= 65520.0) { /* halfway between the largest FLOAT16, 65504, and what would follow it */
        return sign | 0x7C00u;
    }
    if (magnitude == 0.0) {
        return sign;
    }
    int exponent = 0;
    frexp(magnitude, &exponent); /* magnitude in [2^(exponent-1), 2^exponent) */
    int least = (exponent - 1 > -14 ? exponent - 1 : -14) - 10;
    double scaled = ldexp(magnitude, -least); /* in units of the last place: below 2048 */
    double whole = floor(scaled);
    double rest = scaled - whole;
    uint32_t units = (uint32_t)whole;
    if (rest > 0.5 || (rest == 0.5 && (units & 1) != 0)) {
        ++units;
    }
    /* Units from 1024 on hold the implicit bit, which raises the exponent field by one. */
    return sign | (((uint32_t)(least + 24) << 10) + units);
}

static uint64_t integer_bits(float value, uint32_t width, bool is_signed) {
    double truncated = isnan(value) ? 0.0 : trunc((double)value);
    double upper = ldexp(1.0, (int)(is_signed ? width - 1 : width)); /* the first value too large */
    if (truncated < 0) {
        if (!is_signed) {
            return 0;
        }
        return truncated <= -upper ? UINT64_C(1) << (width - 1) : (uint64_t)(int64_t)truncated;
    }
    if (truncated >= upper) {
        return UINT64_MAX >> (is_signed ? 65 - width : 64 - width);
    }
    return (uint64_t)truncated;
}

struct integer_type {
    uint32_t width;
    bool is_signed;
};

void vkdml_scalar_from_float(float value, DML_TENSOR_DATA_TYPE type, uint32_t bits[2]) {
    static const struct integer_type integers[] = {
        [DML_TENSOR_DATA_TYPE_UINT8] = {8, false},   [DML_TENSOR_DATA_TYPE_UINT16] = {16, false},
        [DML_TENSOR_DATA_TYPE_UINT32] = {32, false}, [DML_TENSOR_DATA_TYPE_UINT64] = {64, false},
        [DML_TENSOR_DATA_TYPE_INT8] = {8, true},     [DML_TENSOR_DATA_TYPE_INT16] = {16, true},
        [DML_TENSOR_DATA_TYPE_INT32] = {32, true},   [DML_TENSOR_DATA_TYPE_INT64] = {64, true},
        [DML_TENSOR_DATA_TYPE_UINT4] = {4, false},   [DML_TENSOR_DATA_TYPE_INT4] = {4, true},
    };
    uint64_t wide = 0;
    if (type == DML_TENSOR_DATA_TYPE_FLOAT32) {
        wide = vkdml_float_bits(value);
    } else if (type == DML_TENSOR_DATA_TYPE_FLOAT16) {
        wide = float16_bits(value);
    } else if (type == DML_TENSOR_DATA_TYPE_FLOAT64) {
        double exact = value;
        memcpy(&wide, &exact, sizeof(wide));
        if (isnan(value)) {
            wide = UINT64_C(0x7FF8000000000000);
        }
    } else {
        assert((size_t)type < sizeof(integers) / sizeof(integers[0]) && integers[type].width != 0);
        uint64_t mask = UINT64_MAX >> (64 - integers[type].width);
        wide = integer_bits(value, integers[type].width, integers[type].is_signed) & mask;
    }
    bits[0] = (uint32_t)wide;
    bits[1] = (uint32_t)(wide >> 32);
}

void vkdml_scalar_from_union(const DML_SCALAR_UNION *value, DML_TENSOR_DATA_TYPE type, uint32_t bits[2]) {
    const uint32_t size = vkdml_data_type_size(type);
    const uint64_t wide = size == 1   ? value->UInt8
                          : size == 2 ? value->UInt16
                          : size == 4 ? value->UInt32
                                      : value->UInt64;
    bits[0] = (uint32_t)wide;
    bits[1] = (uint32_t)(wide >> 32);
}
