#include "onnx/comparison.h"

#include <math.h>
#include <string.h>

#include "onnx/elements.h"
#include "onnx/plan_parts.h"

double onnx_distance(double a, double b) {
    if (isnan(a) || isnan(b)) {
        return isnan(a) && isnan(b) ? 0 : (double)INFINITY;
    }
    return a == b ? 0 : fabs(a - b);
}

static void set_bound(struct onnx_comparison *c, bool half) {
    const bool is_half = c->type == ONNX_FLOAT16 || c->type == ONNX_BFLOAT16 || half;
    c->relative = !onnx_is_real(c->type)      ? 0
                  : c->type == ONNX_BFLOAT16 ? 0x1p-7
                  : is_half                  ? 0x1p-9
                                             : 0x1p-13;
    c->of_largest = !onnx_is_real(c->type) ? 0 : is_half ? 0x1p-12 : 0x1p-16;
}

/* Elements of no type of real numbers are equal, or at least 1 apart. */
static double distance_of_others(const struct onnx_comparison *c, uint64_t i) {
    int64_t a, b;
    if (onnx_read_int(c->type, c->got, i, &a) && onnx_read_int(c->type, c->expected, i, &b)) {
        return a == b ? 0 : fmax(1, fabs((double)a - (double)b));
    }
    const size_t width = onnx_bytes_of(c->type, 1);
    const unsigned char *got = c->got, *expected = c->expected;
    return memcmp(got + i * width, expected + i * width, width) != 0;
}

void onnx_compare_elements(struct onnx_comparison *c, enum onnx_type type, uint64_t count, const void *got,
                           const void *expected, bool half, const double *slack) {
    *c = (struct onnx_comparison){.type = type, .count = count, .got = got, .expected = expected};
    set_bound(c, half);
    const bool is_real = onnx_is_real(type);
    const struct onnx_extent extent = onnx_measure(type, count, expected);
    const double largest = fmax(fabs(extent.least), fabs(extent.most));
    double farthest = 0, worst = 0;
    for (uint64_t i = 0; i < count; ++i) {
        double distance, a = 0, b = 0;
        if (is_real) {
            onnx_read_float(type, got, i, &a);
            onnx_read_float(type, expected, i, &b);
            distance = onnx_distance(a, b);
        } else {
            distance = distance_of_others(c, i);
        }
        const double magnitude = is_real && isfinite(b) ? fabs(b) : 0;
        const double allowed = c->relative * magnitude + (is_real ? c->of_largest * largest : 0);
        farthest = fmax(farthest, distance);
        if (distance > allowed && slack != NULL && distance <= allowed + slack[i]) {
            ++c->excused;
        } else if (distance > allowed) {
            if (c->wrong < ONNX_WRONG_KEPT) {
                c->first[c->wrong] = i;
            }
            if (c->wrong++ == 0 || distance > worst) {
                c->worst = i;
                worst = distance;
            }
        }
    }
    c->farthest = farthest == 0 ? 0 : largest > 0 ? farthest / largest : (double)INFINITY;
}
