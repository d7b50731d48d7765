#include "model/element.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char type_prefix[] = "DML_TENSOR_DATA_TYPE_";

enum kind { KIND_FLOAT, KIND_SIGNED, KIND_UNSIGNED };

static const struct row {
    DML_TENSOR_DATA_TYPE type;
    enum kind kind;
    unsigned size;   /* bytes */
    const char *npy; /* little-endian; one byte has no order; NULL: NumPy has no such type */
    unsigned bits;   /* where fewer than the bytes have */
} rows[] = {
    {DML_TENSOR_DATA_TYPE_FLOAT32, KIND_FLOAT, 4, "<f4", 0},
    {DML_TENSOR_DATA_TYPE_FLOAT16, KIND_FLOAT, 2, "<f2", 0},
    {DML_TENSOR_DATA_TYPE_FLOAT64, KIND_FLOAT, 8, "<f8", 0},
    {DML_TENSOR_DATA_TYPE_INT32, KIND_SIGNED, 4, "<i4", 0},
    {DML_TENSOR_DATA_TYPE_INT8, KIND_SIGNED, 1, "|i1", 0},
    {DML_TENSOR_DATA_TYPE_INT16, KIND_SIGNED, 2, "<i2", 0},
    {DML_TENSOR_DATA_TYPE_INT64, KIND_SIGNED, 8, "<i8", 0},
    {DML_TENSOR_DATA_TYPE_UINT32, KIND_UNSIGNED, 4, "<u4", 0},
    {DML_TENSOR_DATA_TYPE_UINT8, KIND_UNSIGNED, 1, "|u1", 0},
    {DML_TENSOR_DATA_TYPE_UINT16, KIND_UNSIGNED, 2, "<u2", 0},
    {DML_TENSOR_DATA_TYPE_UINT64, KIND_UNSIGNED, 8, "<u8", 0},
    {DML_TENSOR_DATA_TYPE_INT4, KIND_SIGNED, 1, NULL, 4},
    {DML_TENSOR_DATA_TYPE_UINT4, KIND_UNSIGNED, 1, NULL, 4},
};

/* NumPy's bool: a byte that is 0 or 1. Written as UINT8's. */
static const char npy_bool[] = "|b1";

static unsigned bits_of(const struct row *row) {
    return row->bits ? row->bits : 8 * row->size;
}

static const size_t row_count = sizeof(rows) / sizeof(rows[0]);

static const struct row *find_row(DML_TENSOR_DATA_TYPE type) {
    for (size_t i = 0; i < row_count; i++) {
        if (rows[i].type == type) {
            return &rows[i];
        }
    }
    return NULL;
}

bool element_type_from_name(const char *name, DML_TENSOR_DATA_TYPE *type) {
    for (int i = DML_TENSOR_DATA_TYPE_UNKNOWN; i <= DML_TENSOR_DATA_TYPE_INT4; i++) {
        const char *full = vkdmlGetDataTypeName((DML_TENSOR_DATA_TYPE)i);
        if (full && (strcmp(name, full) == 0 || strcmp(name, full + strlen(type_prefix)) == 0)) {
            *type = (DML_TENSOR_DATA_TYPE)i;
            return true;
        }
    }
    return false;
}

const char *element_type_hint(const char *name, char hint[SUGGEST_SIZE]) {
    struct suggest suggest = suggest_begin(name);
    const bool in_full = strncmp(name, "DML_", 4) == 0;
    for (size_t i = 0; i < row_count; i++) {
        const char *full = vkdmlGetDataTypeName(rows[i].type);
        suggest_consider(&suggest, in_full ? full : full + strlen(type_prefix));
    }
    return suggest_hint(&suggest, hint);
}

const char *element_type_name(DML_TENSOR_DATA_TYPE type) {
    const char *full = vkdmlGetDataTypeName(type);
    return full ? full + strlen(type_prefix) : "UNKNOWN";
}

const char *element_npy_name(DML_TENSOR_DATA_TYPE type) {
    const struct row *row = find_row(type);
    return row ? row->npy : NULL;
}

bool element_type_from_npy_name(const char *name, DML_TENSOR_DATA_TYPE *type) {
    if (strcmp(name, npy_bool) == 0) {
        *type = DML_TENSOR_DATA_TYPE_UINT8;
        return true;
    }
    for (size_t i = 0; i < row_count; i++) {
        /* A single byte is also found written with an order. */
        if (!rows[i].npy) {
            continue;
        }
        bool match = strcmp(name, rows[i].npy) == 0 ||
                     (rows[i].size == 1 && strlen(name) == 3 && strcmp(name + 1, rows[i].npy + 1) == 0);
        if (match) {
            *type = rows[i].type;
            return true;
        }
    }
    return false;
}

/* To nearest, ties to even. */
static uint16_t half_from_double(double value) {
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double magnitude = fabs(value);
    if (isnan(value)) {
        return 0x7E00;
    }
    if (magnitude == 0) {
        return sign;
    }
    if (isinf(magnitude)) {
        return sign | 0x7C00;
    }
    /* 10 bits after the point; -14: the smallest exponent of normal numbers. */
    int exponent = ilogb(magnitude) < -14 ? -14 : ilogb(magnitude);
    if (exponent > 15) {
        return sign | 0x7C00;
    }
    unsigned significand = (unsigned)nearbyint(scalbn(magnitude, 10 - exponent));
    /* Carrying into the exponent is what rounding up a full significand means, up to infinity. */
    return (uint16_t)(sign | (((unsigned)(exponent + 14) << 10) + significand));
}

static double half_to_double(uint16_t bits) {
    int exponent = bits >> 10 & 31;
    double significand = bits & 1023;
    double magnitude = exponent == 31  ? (significand != 0 ? NAN : INFINITY)
                       : exponent == 0 ? scalbn(significand, -24)
                                       : scalbn(significand + 1024, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static void store_float(const struct row *row, double value, void *element) {
    float single = (float)value;
    uint16_t half = half_from_double(value);
    const void *bytes = row->size == 8 ? (const void *)&value : row->size == 4 ? (const void *)&single : &half;
    memcpy(element, bytes, row->size);
}

static double load_float(const struct row *row, const void *element) {
    double value = 0;
    float single;
    uint16_t half;
    switch (row->size) {
    case 2:
        memcpy(&half, element, sizeof(half));
        return half_to_double(half);
    case 4:
        memcpy(&single, element, sizeof(single));
        return (double)single;
    default:
        memcpy(&value, element, sizeof(value));
        return value;
    }
}

/* The bits, zeros above them. The files are little-endian, and so is every machine this runs on. */
static uint64_t load_bits(const struct row *row, const void *element) {
    uint64_t bits = 0;
    memcpy(&bits, element, row->size);
    return bits;
}

static int64_t sign_extend(const struct row *row, uint64_t bits) {
    uint64_t sign = (uint64_t)1 << (bits_of(row) - 1);
    return (int64_t)((bits ^ sign) - sign);
}

static const char *parse_float(struct json_object *value, const struct row *row, void *element) {
    static const double largest[] = {65504.0, (double)FLT_MAX, DBL_MAX};
    double number;
    if (json_object_is_type(value, json_type_string)) {
        const char *text = json_object_get_string(value);
        bool minus = text[0] == '-';
        if (strcasecmp(text, "nan") == 0) {
            number = (double)NAN;
        } else if (strcasecmp(text + minus, "inf") == 0) {
            number = minus ? -HUGE_VAL : HUGE_VAL;
        } else {
            return "must be a number, \"nan\", \"inf\" or \"-inf\"";
        }
        store_float(row, number, element);
        return NULL;
    }
    if (json_object_is_type(value, json_type_int) && json_object_get_int64(value) >= 0) {
        number = (double)json_object_get_uint64(value);
    } else if (json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double)) {
        number = json_object_get_double(value);
    } else {
        return "must be a number, \"nan\", \"inf\" or \"-inf\"";
    }
    store_float(row, number, element);
    /* JSON's literals NaN and Infinity, where json-c accepts them, are meant as they are. */
    if (isfinite(number) && fabs(number) > largest[row->size / 4] && isinf(load_float(row, element))) {
        return "must fit the data type";
    }
    return NULL;
}

static const char *parse_whole(struct json_object *value, const struct row *row, void *element) {
    uint64_t bits;
    bool negative = false;
    if (json_object_is_type(value, json_type_int)) {
        negative = json_object_get_int64(value) < 0;
        bits = negative ? (uint64_t)json_object_get_int64(value) : json_object_get_uint64(value);
    } else if (json_object_is_type(value, json_type_double)) {
        double number = json_object_get_double(value);
        /* 2^63: what fits int64_t whatever the sign; larger values are to be written without point or exponent. */
        if (!(fabs(number) < 9223372036854775808.0) || number != trunc(number)) {
            return "must be a whole number";
        }
        negative = number < 0;
        bits = (uint64_t)(int64_t)number;
    } else {
        return "must be a whole number";
    }
    unsigned width = bits_of(row) - (row->kind == KIND_SIGNED);
    uint64_t limit = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
    if (negative ? row->kind == KIND_UNSIGNED || ~bits > limit : bits > limit) {
        return "must fit the data type";
    }
    bits &= row->bits ? ((uint64_t)1 << row->bits) - 1 : UINT64_MAX;
    memcpy(element, &bits, row->size);
    return NULL;
}

const char *element_parse(struct json_object *value, DML_TENSOR_DATA_TYPE type, void *element) {
    const struct row *row = find_row(type);
    if (!row) {
        return "must be of a data type";
    }
    return row->kind == KIND_FLOAT ? parse_float(value, row, element) : parse_whole(value, row, element);
}

uint64_t element_bytes(DML_TENSOR_DATA_TYPE type, uint64_t count) {
    const struct row *row = find_row(type);
    return !row ? 0 : row->bits ? count / 2 + count % 2 : count * row->size;
}

/* Of two elements in a byte the first is the low half. */
void element_store(DML_TENSOR_DATA_TYPE type, const void *element, uint64_t index, unsigned char *elements) {
    const struct row *row = find_row(type);
    if (row->bits) {
        const unsigned shift = index % 2 * 4;
        unsigned char *byte = elements + index / 2;
        *byte = (unsigned char)((*byte & (0xF0 >> shift)) | *(const unsigned char *)element << shift);
    } else {
        memcpy(elements + index * row->size, element, row->size);
    }
}

void element_load(DML_TENSOR_DATA_TYPE type, const unsigned char *elements, uint64_t index, void *element) {
    const struct row *row = find_row(type);
    if (row->bits) {
        *(unsigned char *)element = elements[index / 2] >> (index % 2 * 4) & 0xF;
    } else {
        memcpy(element, elements + index * row->size, row->size);
    }
}

static uint64_t load_sign_extended(const struct row *row, const void *element) {
    const uint64_t bits = load_bits(row, element);
    return row->kind == KIND_SIGNED ? (uint64_t)sign_extend(row, bits) : bits;
}

double element_number(DML_TENSOR_DATA_TYPE type, const void *element) {
    const struct row *row = find_row(type);
    if (!row || row->kind == KIND_FLOAT) {
        return row ? load_float(row, element) : (double)NAN;
    }
    const uint64_t bits = load_sign_extended(row, element);
    return row->kind == KIND_SIGNED ? (double)(int64_t)bits : (double)bits;
}

bool element_is_float(DML_TENSOR_DATA_TYPE type) {
    const struct row *row = find_row(type);
    return row && row->kind == KIND_FLOAT;
}

void element_integer_range(DML_TENSOR_DATA_TYPE type, uint64_t *least, uint64_t *greatest) {
    const struct row *row = find_row(type);
    const bool is_signed = row && row->kind == KIND_SIGNED;
    const unsigned width = row ? bits_of(row) - is_signed : 1;
    *greatest = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
    *least = is_signed ? ~*greatest : 0;
}

void element_from_bits(DML_TENSOR_DATA_TYPE type, uint64_t bits, void *element) {
    const struct row *row = find_row(type);
    if (row) {
        bits &= row->bits ? ((uint64_t)1 << row->bits) - 1 : UINT64_MAX;
        memcpy(element, &bits, row->size);
    }
}

uint64_t element_bits(DML_TENSOR_DATA_TYPE type, const void *element) {
    const struct row *row = find_row(type);
    return row ? load_sign_extended(row, element) : 0;
}

void element_from_number(DML_TENSOR_DATA_TYPE type, double number, void *element) {
    const struct row *row = find_row(type);
    uint64_t least, greatest;
    if (!row || row->kind == KIND_FLOAT) {
        if (row) {
            store_float(row, number, element);
        }
        return;
    }
    element_integer_range(type, &least, &greatest);
    const double rounded = isnan(number) ? 0 : nearbyint(number);
    const double lowest = row->kind == KIND_SIGNED ? (double)(int64_t)least : 0;
    uint64_t bits;
    if (rounded <= lowest) {
        bits = least;
    } else if (rounded >= (double)greatest) {
        bits = greatest;
    } else {
        bits = rounded < 0 ? (uint64_t)(int64_t)rounded : (uint64_t)rounded;
    }
    element_from_bits(type, bits, element);
}

double element_distance(DML_TENSOR_DATA_TYPE type, const void *a, const void *b) {
    const struct row *row = find_row(type);
    const double left = element_number(type, a);
    const double right = element_number(type, b);
    if (!row || row->kind == KIND_FLOAT) {
        const bool same = left == right || (isnan(left) && isnan(right));
        const double distance = fabs(left - right);
        return same ? 0 : isnan(distance) ? (double)INFINITY : distance;
    }
    /* Between any two integers of up to 64 bits, which a double does not tell apart. */
    const uint64_t x = load_sign_extended(row, a);
    const uint64_t y = load_sign_extended(row, b);
    const bool less = row->kind == KIND_SIGNED ? (int64_t)x < (int64_t)y : x < y;
    return (double)(less ? y - x : x - y);
}

double element_unit(DML_TENSOR_DATA_TYPE type, const void *element) {
    /* Digits behind the point and the least exponent of normal numbers, by size in bytes. */
    static const struct { int digits, least; } precisions[] = {[2] = {10, -14}, [4] = {23, -126}, [8] = {52, -1022}};
    const struct row *row = find_row(type);
    if (!row || row->kind != KIND_FLOAT) {
        return 1;
    }
    const double number = load_float(row, element);
    const int least = precisions[row->size].least;
    const int exponent = number == 0 || !isfinite(number) ? least : ilogb(number);
    return scalbn(1, (exponent < least ? least : exponent) - precisions[row->size].digits);
}

void element_add(DML_TENSOR_DATA_TYPE type, void *element, const void *delta) {
    const struct row *row = find_row(type);
    if (!row) {
        return;
    }
    if (row->kind == KIND_FLOAT) {
        /* Exact enough to round once: the sum of two floats in double, of two halves even exactly. */
        store_float(row, load_float(row, element) + load_float(row, delta), element);
        return;
    }
    uint64_t sum = load_bits(row, element) + load_bits(row, delta);
    sum &= row->bits ? ((uint64_t)1 << row->bits) - 1 : UINT64_MAX;
    memcpy(element, &sum, row->size);
}

static void format_float(const struct row *row, const void *element, char *text, size_t size) {
    double value = load_float(row, element);
    if (isnan(value) || isinf(value)) {
        snprintf(text, size, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    /* 17 digits always suffice for a double. */
    for (int digits = 1; digits <= 17; digits++) {
        unsigned char again[8];
        snprintf(text, size, "%.*g", digits, value);
        store_float(row, strtod(text, NULL), again);
        if (memcmp(again, element, row->size) == 0) {
            break;
        }
    }
    /* %g turns to exponents at the number of digits: 100 in one digit is 1e+02. */
    if (strchr(text, 'e') && fabs(value) >= 1 && fabs(value) < 1e9 && value == trunc(value)) {
        snprintf(text, size, "%.0f", value);
    }
}

void element_format(DML_TENSOR_DATA_TYPE type, const void *element, bool verbose, char text[ELEMENT_TEXT_SIZE]) {
    const struct row *row = find_row(type);
    if (!row) {
        snprintf(text, ELEMENT_TEXT_SIZE, "?");
        return;
    }
    uint64_t bits = load_bits(row, element);
    if (row->kind == KIND_FLOAT) {
        format_float(row, element, text, ELEMENT_TEXT_SIZE);
    } else if (row->kind == KIND_SIGNED) {
        snprintf(text, ELEMENT_TEXT_SIZE, "%" PRId64, sign_extend(row, bits));
    } else {
        snprintf(text, ELEMENT_TEXT_SIZE, "%" PRIu64, bits);
    }
    if (verbose) {
        size_t length = strlen(text);
        snprintf(text + length, ELEMENT_TEXT_SIZE - length, " (0x%0*" PRIX64 ")", (int)(bits_of(row) / 4), bits);
    }
}
