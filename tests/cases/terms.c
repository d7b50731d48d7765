#include "cases/terms.h"

#include <float.h>
#include <math.h>

#include "harness/case_data.h"
#include "harness/number.h"

#define MAX_RANK        DML_TENSOR_DIMENSION_COUNT_MAX1
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

double terms_number(const struct operator_case *c, const unsigned char *const *tensors, uint32_t slot,
                    const uint32_t *at) {
    const struct case_tensor *tensor = &c->tensors[slot];
    uint32_t strides[MAX_RANK];
    case_strides(tensor, strides);
    return number_decode(tensor->type,
                         case_read_element(tensor, tensors[slot], case_element_position(tensor, strides, at)));
}

static const DML_OPERATOR_TYPE rising[] = {DML_OPERATOR_ACTIVATION_RELU, DML_OPERATOR_ACTIVATION_TANH,
                                           DML_OPERATOR_ACTIVATION_SIGMOID};

static bool is_rising(DML_OPERATOR_TYPE type) {
    for (size_t i = 0; i < COUNT_OF(rising); i++) {
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

struct accuracy_bounds terms_bounds(const struct operator_case *c, const struct terms *t, double distance) {
    /* What is beyond FLOAT32 on the way is infinite, or NaN where two such meet. */
    if (t->is_open ||
        (!isnan(t->value) && (!isfinite(t->magnitudes) || t->magnitudes > FLT_MAX || t->largest > FLT_MAX))) {
        return (struct accuracy_bounds){-INFINITY, INFINITY, true};
    }
    if (isnan(t->value)) {
        return (struct accuracy_bounds){t->value, t->value, true};
    }
    struct accuracy_bounds bounds = {t->value - distance, t->value + distance, false};
    const VkdmlOperatorSchema *fused = c->fused[0].schema;
    if (fused != NULL && !is_rising(fused->type)) {
        return (struct accuracy_bounds){INFINITY, -INFINITY, false};
    }
    if (fused != NULL) {
        bounds.least = rise(fused->type, bounds.least);
        bounds.greatest = rise(fused->type, bounds.greatest);
        bounds.least -= fabs(bounds.least) * 0x1p-21;
        bounds.greatest += fabs(bounds.greatest) * 0x1p-21;
    }
    return bounds;
}

struct accuracy_exact terms_exact(const struct operator_case *c, const struct terms *t) {
    if (c->fused[0].schema != NULL || t->is_open || !isfinite(t->magnitudes) || t->magnitudes > 0x1p120 ||
        t->largest > 0x1p120) {
        return (struct accuracy_exact){(double)NAN, (double)NAN};
    }
    return (struct accuracy_exact){t->value, 0x1p-24 * t->magnitudes + 0x1p-126};
}
