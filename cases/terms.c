#include "cases/terms.h"

#include <float.h>
#include <math.h>

#include "cases/case_data.h"
#include "cases/number.h"

static bool is_denormal(const struct operator_case *c, uint32_t slot, double x) {
    return c->tensors[slot].type == DML_TENSOR_DATA_TYPE_FLOAT32 && fabs(x) < 0x1p-126;
}

/* Whether FLOAT32 operands may be rounded to FLOAT16. */
static bool allows_half(const struct operator_case *c, uint32_t slot) {
    return (c->execution & DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION) != 0 &&
           c->tensors[slot].type == DML_TENSOR_DATA_TYPE_FLOAT32;
}

/* What a product of rounded operands may be off: half a unit in the last place of each, or half of the least denormal.
 * From 65520 on they are infinite. */
static double rounding_of(double a, double b) {
    const double greatest = fmax(fabs(a), fabs(b));
    return greatest >= 65520 ? (double)INFINITY : fabs(a * b) * (0x1p-10 + 0x1p-22) + (fabs(a) + fabs(b) + 1) * 0x1p-24;
}

void terms_add_product(const struct operator_case *c, struct terms *t, const uint32_t slots[2],
                       const double factors[2]) {
    const double product = factors[0] * factors[1];
    t->value += product;
    t->magnitudes += fabs(product);
    if (is_denormal(c, slots[0], factors[0]) || is_denormal(c, slots[1], factors[1])) {
        t->lost += fabs(product);
    }
    if (allows_half(c, slots[0])) {
        const double rounding = rounding_of(factors[0], factors[1]);
        t->lost += rounding;
        t->magnitudes += isnan(rounding) ? 0 : rounding;
    }
}

void terms_add(const struct operator_case *c, struct terms *t, uint32_t slot, double x, double factor) {
    t->value += factor * x;
    t->magnitudes += fabs(factor * x);
    t->lost += is_denormal(c, slot, x) ? fabs(factor * x) : 0;
}

static const DML_OPERATOR_TYPE rising[] = {DML_OPERATOR_ACTIVATION_RELU, DML_OPERATOR_ACTIVATION_TANH,
                                           DML_OPERATOR_ACTIVATION_SIGMOID};

static bool is_rising(DML_OPERATOR_TYPE type) {
    for (size_t i = 0; i < CASE_COUNT(rising); i++) {
        if (rising[i] == type) {
            return true;
        }
    }
    return false;
}

static double rise(DML_OPERATOR_TYPE type, double x) {
    switch ((int)type) {
    case DML_OPERATOR_ACTIVATION_RELU:
        return x > 0 ? x : 0;
    case DML_OPERATOR_ACTIVATION_TANH:
        return tanh(x);
    default:
        return 1 / (1 + exp(-x));
    }
}

void terms_fuse(struct random *random, struct operator_case *c) {
    case_fuse(c, "FusedActivation", 0, RANDOM_OF(random, rising));
}

struct accuracy_bounds terms_rise(const struct operator_case *c, struct accuracy_bounds bounds, double relative) {
    const VkdmlOperatorSchema *fused = c->fused[0].schema;
    if (fused != NULL) {
        bounds.least = rise(fused->type, bounds.least);
        bounds.greatest = rise(fused->type, bounds.greatest);
        bounds.least -= fabs(bounds.least) * relative;
        bounds.greatest += fabs(bounds.greatest) * relative;
    }
    return bounds;
}

struct accuracy_bounds terms_bounds(const struct operator_case *c, const struct terms *t, double distance) {
    /* What is beyond FLOAT32 on the way is infinite, or NaN where two such meet. */
    if (t->is_open ||
        (!isnan(t->value) && (!isfinite(t->magnitudes) || t->magnitudes > FLT_MAX || t->largest > FLT_MAX))) {
        return accuracy_anything;
    }
    if (isnan(t->value)) {
        return (struct accuracy_bounds){t->value, t->value, true};
    }
    const double off = distance + t->lost;
    struct accuracy_bounds bounds = {t->value - off, t->value + off, false};
    const VkdmlOperatorSchema *fused = c->fused[0].schema;
    if (fused != NULL && !is_rising(fused->type)) {
        return (struct accuracy_bounds){INFINITY, -INFINITY, false};
    }
    return terms_rise(c, bounds, 0x1p-21);
}

struct accuracy_exact terms_exact(const struct operator_case *c, const struct terms *t) {
    if (c->fused[0].schema != NULL || t->is_open || !isfinite(t->magnitudes) || t->magnitudes > 0x1p120 ||
        t->largest > 0x1p120) {
        return accuracy_no_exact;
    }
    return (struct accuracy_exact){t->value, 0x1p-24 * t->magnitudes + 0x1p-126};
}
