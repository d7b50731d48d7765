#include "cases/accuracy.h"

#include <assert.h>
#include <math.h>

#include "cases/case_data.h"
#include "cases/number.h"

uint32_t accuracy_ulp(const VkdmlAccuracy *accuracy, DML_TENSOR_DATA_TYPE type) {
    assert(accuracy->kind != VKDML_ACCURACY_SUM);
    if (accuracy->kind == VKDML_ACCURACY_EXACT || !number_is_float(type)) {
        return 0;
    }
    return type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 1 : accuracy->ulp;
}

uint32_t accuracy_of_case(const struct operator_case *c, DML_TENSOR_DATA_TYPE type) {
    uint32_t ulp = accuracy_ulp(&c->schema->accuracy, type);
    for (uint32_t i = 0; i < CASE_MAX_FUSED && c->fused[i].schema != NULL; i++) {
        ulp += accuracy_ulp(&c->fused[i].schema->accuracy, type);
    }
    return ulp;
}

static double roundings(const VkdmlRoundings *of, double terms) {
    return (of->fixed + of->perTerm * terms) * 0x1p-24;
}

double accuracy_of_terms(const struct operator_case *c, double terms) {
    const VkdmlAccuracy *accuracy = &c->schema->accuracy;
    assert(accuracy->ofTermsCount > 0);
    double least = INFINITY;
    for (uint32_t i = 0; i < accuracy->ofTermsCount; i++) {
        least = fmin(least, roundings(&accuracy->ofTerms[i], terms));
    }
    return least;
}

double accuracy_of_result(const struct operator_case *c, double terms) {
    return roundings(&c->schema->accuracy.ofResult, terms);
}

double accuracy_of_one(const struct operator_case *c) {
    return c->schema->accuracy.absolute * 0x1p-24;
}

/* Digits behind the point of a normal number, and the exponents of the least and the greatest. */
static const struct precision {
    int digits, least, greatest;
} precisions[] = {
    [DML_TENSOR_DATA_TYPE_FLOAT32] = {23, -126, 127},
    [DML_TENSOR_DATA_TYPE_FLOAT16] = {10, -14, 15},
};

double accuracy_distance(DML_TENSOR_DATA_TYPE type, uint64_t bits, double exact) {
    const double value = number_decode(type, bits);
    assert(type == DML_TENSOR_DATA_TYPE_FLOAT32 || type == DML_TENSOR_DATA_TYPE_FLOAT16);
    const struct precision *precision = &precisions[type];
    if (isnan(exact) || isnan(value)) {
        return isnan(exact) && isnan(value) ? 0 : (double)INFINITY;
    }
    const double nearest = number_decode(type, number_encode(type, exact));
    if (value == exact || (isinf(value) && value == nearest)) {
        return 0;
    }
    int exponent = exact == 0 || isinf(exact) ? precision->least : ilogb(exact);
    exponent = exponent < precision->least ? precision->least : exponent;
    exponent = exponent > precision->greatest ? precision->greatest : exponent;
    return fabs(value - exact) / ldexp(1, exponent - precision->digits);
}

struct accuracy_bounds accuracy_widened(const struct accuracy_bounds *bounds, DML_TENSOR_DATA_TYPE type) {
    const struct precision *precision = &precisions[type];
    const double relative = ldexp(1, -precision->digits), denormal = ldexp(1, precision->least - precision->digits);
    return (struct accuracy_bounds){bounds->least - fabs(bounds->least) * relative - denormal,
                                    bounds->greatest + fabs(bounds->greatest) * relative + denormal,
                                    bounds->may_be_nan};
}

/* Of an integer, half of one beyond. */
static bool is_rounded(const struct accuracy_bounds *bounds, DML_TENSOR_DATA_TYPE type, uint64_t bits) {
    const double value = number_decode(type, bits);
    return value >= bounds->least - 0.5 && value <= bounds->greatest + 0.5;
}

bool accuracy_is_within(const struct accuracy_bounds *bounds, DML_TENSOR_DATA_TYPE type, uint64_t bits) {
    if (!number_is_float(type)) {
        return is_rounded(bounds, type, bits);
    }
    const struct precision *precision = &precisions[type];
    const double value = number_decode(type, bits);
    if (isnan(value)) {
        return bounds->may_be_nan;
    }
    const struct accuracy_bounds wide = accuracy_widened(bounds, type);
    const double largest = ldexp(2 - ldexp(1, -precision->digits), precision->greatest);
    if (isinf(value)) {
        return value > 0 ? wide.greatest >= largest : wide.least <= -largest;
    }
    return value >= wide.least && value <= wide.greatest;
}

const struct accuracy_bounds accuracy_anything = {-INFINITY, INFINITY, true};
const struct accuracy_bounds accuracy_is_exact = {NAN, NAN, false};
const struct accuracy_exact accuracy_no_exact = {(double)NAN, (double)NAN};

struct accuracy_bounds accuracy_around(double value, double distance) {
    return (struct accuracy_bounds){value - distance, value + distance, isnan(value)};
}

struct accuracy_exact accuracy_beside(double value, double magnitudes) {
    return (struct accuracy_exact){value, 0x1p-24 * magnitudes + 0x1p-126};
}

static _Thread_local uint64_t occasion;
static _Thread_local uint32_t slot;

uint32_t accuracy_slot(void) {
    return slot;
}

uint64_t accuracy_occasion(void) {
    return occasion;
}

void accuracy_renew(void) {
    occasion++;
}

void accuracy_accept(const struct operator_case *c, struct case_at output, accuracy_bounds_of *bounds_of,
                     const unsigned char *const *tensors, const unsigned char *got, unsigned char *want) {
    uint32_t strides[DML_TENSOR_DIMENSION_COUNT_MAX1], coordinates[DML_TENSOR_DIMENSION_COUNT_MAX1] = {0};
    occasion++;
    slot = output.slot;
    case_strides(output.tensor, strides);
    do {
        const uint64_t position = case_element_position(output.tensor, strides, coordinates);
        const uint64_t got_bits = case_read_element(output.tensor, got, position);
        const uint64_t want_bits = case_read_element(output.tensor, want, position);
        if (got_bits != want_bits) {
            const struct accuracy_bounds bounds = bounds_of(c, tensors, coordinates);
            if (accuracy_is_within(&bounds, output.tensor->type, got_bits) &&
                accuracy_is_within(&bounds, output.tensor->type, want_bits)) {
                case_write_element(output.tensor, got_bits, position, want);
            }
        }
    } while (case_next_coordinates(output.tensor, coordinates));
    slot = 0;
}
