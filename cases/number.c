#include "cases/number.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "vkdml/schema.h"

/* How a type's bits are laid out: mantissa and exponent widths, 0 for integers. */
static const struct layout {
    uint32_t bits;
    bool is_signed;
    uint32_t mantissa, exponent;
} layouts[] = {
    [DML_TENSOR_DATA_TYPE_FLOAT32] = {32, true, 23, 8},  [DML_TENSOR_DATA_TYPE_FLOAT16] = {16, true, 10, 5},
    [DML_TENSOR_DATA_TYPE_FLOAT64] = {64, true, 52, 11}, [DML_TENSOR_DATA_TYPE_UINT32] = {32, false, 0, 0},
    [DML_TENSOR_DATA_TYPE_UINT16] = {16, false, 0, 0},   [DML_TENSOR_DATA_TYPE_UINT8] = {8, false, 0, 0},
    [DML_TENSOR_DATA_TYPE_INT32] = {32, true, 0, 0},     [DML_TENSOR_DATA_TYPE_INT16] = {16, true, 0, 0},
    [DML_TENSOR_DATA_TYPE_INT8] = {8, true, 0, 0},       [DML_TENSOR_DATA_TYPE_UINT64] = {64, false, 0, 0},
    [DML_TENSOR_DATA_TYPE_INT64] = {64, true, 0, 0},     [DML_TENSOR_DATA_TYPE_UINT4] = {4, false, 0, 0},
    [DML_TENSOR_DATA_TYPE_INT4] = {4, true, 0, 0},
};

static uint64_t mask(uint32_t bits) {
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

uint32_t number_bits(DML_TENSOR_DATA_TYPE type) {
    return layouts[type].bits;
}

bool number_is_float(DML_TENSOR_DATA_TYPE type) {
    return layouts[type].mantissa != 0;
}

bool number_is_signed(DML_TENSOR_DATA_TYPE type) {
    return layouts[type].is_signed;
}

static uint64_t double_bits(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

static uint64_t float_bits(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

/* To nearest even by scaling to an integer of half precision's last place and letting rint() round. */
static uint64_t encode_half(double number) {
    uint64_t sign = signbit(number) ? 0x8000u : 0u;
    double magnitude = fabs(number);
    if (isnan(number)) {
        return 0x7e00u;
    }
    if (magnitude >= 65520.0) { /* halfway between the largest half and the next step */
        return sign | 0x7c00u;
    }
    if (magnitude < 0x1p-24) { /* below the smallest denormal: that, or 0, to which half of it is the tie */
        return sign | (magnitude > 0x1p-25 ? 1u : 0u);
    }
    int exponent = 0;
    frexp(magnitude, &exponent);
    exponent = exponent - 11 < -24 ? -24 : exponent - 11; /* of the last place; 2^-24: the smallest denormal */
    uint64_t places = (uint64_t)rint(ldexp(magnitude, -exponent));
    /* The biased exponent starts at the denormals' 0; a mantissa with its hidden bit adds 1 to it. */
    return sign | (((uint64_t)(exponent + 24) << 10) + places);
}

uint64_t number_encode_integer(DML_TENSOR_DATA_TYPE type, int64_t number) {
    return number_is_float(type) ? number_encode(type, (double)number) : (uint64_t)number & mask(layouts[type].bits);
}

uint64_t number_encode(DML_TENSOR_DATA_TYPE type, double number) {
    switch (type) {
    case DML_TENSOR_DATA_TYPE_FLOAT64:
        return double_bits(number);
    case DML_TENSOR_DATA_TYPE_FLOAT32:
        return float_bits((float)number);
    case DML_TENSOR_DATA_TYPE_FLOAT16:
        return encode_half(number);
    case DML_TENSOR_DATA_TYPE_UINT64:
        return (uint64_t)number;
    default:
        return number_encode_integer(type, (int64_t)number);
    }
}

static double decode_float(const struct layout *layout, uint64_t bits) {
    uint64_t mantissa = bits & mask(layout->mantissa);
    int exponent = (int)((bits >> layout->mantissa) & mask(layout->exponent));
    int bias = (1 << (layout->exponent - 1)) - 1;
    double magnitude;
    if (exponent == (1 << layout->exponent) - 1) {
        magnitude = mantissa != 0 ? (double)NAN : (double)INFINITY;
    } else if (exponent == 0) {
        magnitude = ldexp((double)mantissa, 1 - bias - (int)layout->mantissa);
    } else {
        magnitude =
            ldexp((double)(mantissa | (uint64_t)1 << layout->mantissa), exponent - bias - (int)layout->mantissa);
    }
    return (bits >> (layout->bits - 1)) != 0 ? -magnitude : magnitude;
}

double number_decode(DML_TENSOR_DATA_TYPE type, uint64_t bits) {
    const struct layout *layout = &layouts[type];
    if (layout->mantissa != 0) {
        return decode_float(layout, bits & mask(layout->bits));
    }
    if (layout->is_signed && (bits >> (layout->bits - 1) & 1) != 0) {
        return -(double)((~bits & mask(layout->bits)) + 1);
    }
    return (double)bits;
}

bool number_is_zero(DML_TENSOR_DATA_TYPE type, uint64_t bits) {
    uint64_t significant = mask(layouts[type].bits - (number_is_float(type) ? 1 : 0));
    return (bits & significant) == 0;
}

static uint64_t special_float(const struct layout *layout, struct random *random) {
    uint64_t sign = random_chance(random, 50) ? (uint64_t)1 << (layout->bits - 1) : 0;
    uint64_t infinity = mask(layout->exponent) << layout->mantissa;
    uint64_t one = mask(layout->exponent - 1) << layout->mantissa;
    const uint64_t magnitudes[] = {
        0, /* zero, and the denormals from smallest to largest */
        1,
        2,
        mask(layout->mantissa),
        mask(layout->mantissa) + 1, /* the smallest normal number */
        mask(layout->mantissa) + 2,
        one,
        one + 1,
        one - 1,
        infinity - 1,
        infinity,
        infinity | 1,                                     /* signalling NaN */
        infinity | (uint64_t)1 << (layout->mantissa - 1), /* quiet NaN */
        infinity | mask(layout->mantissa),
        random_next(random) & mask(layout->mantissa),             /* any denormal */
        one + (random_next(random) & mask(layout->mantissa + 3)), /* any number from 1 to 2^8 */
    };
    return sign | RANDOM_OF(random, magnitudes);
}

static uint64_t special_integer(const struct layout *layout, struct random *random) {
    uint64_t power = (uint64_t)1 << random_below(random, layout->bits);
    uint64_t highest = layout->is_signed ? mask(layout->bits - 1) : mask(layout->bits);
    const uint64_t choices[] = {0,         1,           2,           3,           mask(layout->bits),
                                highest,   highest - 1, highest + 1, highest + 2, power,
                                power - 1, power + 1,   ~power,      1 - power,   0 - power};
    return RANDOM_OF(random, choices) & mask(layout->bits);
}

uint64_t number_special(DML_TENSOR_DATA_TYPE type, struct random *random) {
    const struct layout *layout = &layouts[type];
    assert(layout->bits != 0);
    return layout->mantissa != 0 ? special_float(layout, random) : special_integer(layout, random);
}

/* Zeros, denormals, infinity and NaN are neighbours of some. */
static const double landmarks[] = {
    0,           0x1p-149,    0x1p-127, 0x1p-126, 0x1p-100, 0x1p-63,     0x1p-50, 0x1p-25,
    0x1p-24,     0x1p-15,     0x1p-14,  0x1p-12,  0.01,     0.125,       1.0 / 3, 0.5,
    0.785398163, 0.99,        1,        1.25,     1.5,      1.570796327, 2,       2.5,
    3,           3.141592654, 3.5,      4,        5.5,      6.283185307, 8,       9.011,
    10.6,        16.636,      38.6,     64,       87.337,   88.723,      89.416,  103.972,
    127,         128,         150,      255,      256,      1000,        32767,   32768,
    65504,       65519,       65536,    1e6,      0x1p21,   0x1p22,      0x1p23,  0x1p24,
    0x1p31,      0x1p32,      0x1p53,   0x1p63,   0x1p64,   0x1p100,     1e38,    (double)INFINITY,
    (double)NAN};

#define LANDMARK_COUNT (sizeof(landmarks) / sizeof(landmarks[0]))

/* A landmark of floats, a power of two of integers: with those before and behind it, in both signs. */
#define PER_LANDMARK 6

uint32_t number_listed_count(DML_TENSOR_DATA_TYPE type) {
    return PER_LANDMARK * (number_is_float(type) ? (uint32_t)LANDMARK_COUNT : number_bits(type));
}

uint64_t number_listed(DML_TENSOR_DATA_TYPE type, uint32_t index) {
    const uint32_t width = number_bits(type);
    const uint64_t sign = number_is_float(type) ? (uint64_t)1 << (width - 1) : 0;
    const uint32_t n = index / PER_LANDMARK;
    const uint64_t landmark = sign != 0 ? number_encode(type, landmarks[n]) : (uint64_t)1 << n;
    const uint64_t near = (landmark + index / 2 % 3 - 1) & (mask(width) - sign);
    if (index % 2 == 0) {
        return near;
    }
    return (sign != 0 ? near | sign : 0 - near) & mask(width);
}

float number_special_float(struct random *random) {
    static const float plain[] = {0.0f, 1.0f, -1.0f, 2.0f, 0.5f, -0.5f, 10.6f, -10.6f, 3.0f, 0.1f, 255.0f, 256.0f};
    static const DML_TENSOR_DATA_TYPE integers[] = {
        DML_TENSOR_DATA_TYPE_UINT8,  DML_TENSOR_DATA_TYPE_INT8,   DML_TENSOR_DATA_TYPE_UINT16,
        DML_TENSOR_DATA_TYPE_INT16,  DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_DATA_TYPE_INT32,
        DML_TENSOR_DATA_TYPE_UINT64, DML_TENSOR_DATA_TYPE_INT64,  DML_TENSOR_DATA_TYPE_FLOAT16};
    uint32_t bits;
    float number;
    switch (random_below(random, 5)) {
    case 0:
        return RANDOM_OF(random, plain);
    case 1: /* near another type's limits, with a fraction now and then */
    {
        DML_TENSOR_DATA_TYPE type = RANDOM_OF(random, integers);
        number = (float)number_decode(type, number_special(type, random));
        return random_chance(random, 50) ? number + (float)random_below(random, 8) / 4.0f - 1.0f : number;
    }
    case 2:
        bits = (uint32_t)random_next(random);
        break;
    case 3:
        return (float)((double)random_below(random, 2000001) - 1000000.0) / 1000.0f;
    default:
        bits = (uint32_t)number_special(DML_TENSOR_DATA_TYPE_FLOAT32, random);
        break;
    }
    memcpy(&number, &bits, sizeof(number));
    return number;
}
