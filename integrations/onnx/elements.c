#include "onnx/elements.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "onnx/plan_parts.h"

bool onnx_is_real(enum onnx_type type) {
    return type == ONNX_FLOAT || type == ONNX_FLOAT16 || type == ONNX_BFLOAT16 || type == ONNX_DOUBLE;
}

struct onnx_extent onnx_measure(enum onnx_type type, uint64_t count, const void *data) {
    struct onnx_extent extent = {.count = count};
    bool is_first = true;
    double number;
    for (uint64_t i = 0; i < count && onnx_read_float(type, data, i, &number); ++i) {
        extent.zeros += number == 0;
        if (isnan(number)) {
            ++extent.nans;
        } else if (isinf(number)) {
            ++extent.infinities;
        } else {
            extent.least = is_first || number < extent.least ? number : extent.least;
            extent.most = is_first || number > extent.most ? number : extent.most;
            is_first = false;
        }
    }
    return extent;
}

double onnx_largest(enum onnx_type type) {
    return type == ONNX_FLOAT16 ? 65504 : type == ONNX_BFLOAT16 ? 0x1.FEp127 : type == ONNX_DOUBLE ? DBL_MAX : FLT_MAX;
}

/* xorshift64 */
static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

void onnx_perturb(enum onnx_type type, uint64_t count, void *data, uint64_t *seed) {
    const size_t width = onnx_is_real(type) ? onnx_bytes_of(type, 1) : 0;
    const unsigned fraction = type == ONNX_DOUBLE ? 52 : type == ONNX_FLOAT ? 23 : type == ONNX_FLOAT16 ? 10 : 7;
    const uint64_t magnitude_bits = width == 0 ? 0 : UINT64_MAX >> (65 - 8 * width);
    const uint64_t infinity = magnitude_bits >> fraction << fraction;
    unsigned char *at = data;
    for (uint64_t i = 0; width != 0 && i < count; ++i, at += width) {
        uint64_t bits = 0;
        memcpy(&bits, at, width);
        const uint64_t magnitude = bits & magnitude_bits;
        if (magnitude != 0 && magnitude < infinity) {
            const bool is_up = next_random(seed) >> 63 != 0 && magnitude + 1 < infinity;
            bits = is_up ? bits + 1 : bits - 1;
            memcpy(at, &bits, width);
        }
    }
}
