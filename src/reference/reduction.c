#include "reference/reduction.h"

#include <math.h>

#include "reference/number.h"

uint64_t vkdml_reduction_element(const struct vkdml_reduction *reduction) {
    return vkdml_element_read(reduction->input, reduction->memory, &reduction->at);
}

double vkdml_reduction_float(const struct vkdml_reduction *reduction) {
    return (double)vkdml_element_to_float(reduction->input->data_type, vkdml_reduction_element(reduction));
}

/* Steps in the dimensions of a set. */
static bool step(const struct vkdml_tensor *tensor, uint32_t dimensions, struct vkdml_coordinate *at) {
    for (uint32_t d = tensor->dimension_count; d-- > 0;) {
        if ((dimensions >> d & 1) == 0) {
            continue;
        }
        if (++at->index[d] < tensor->sizes[d]) {
            return true;
        }
        at->index[d] = 0;
    }
    return false;
}

bool vkdml_reduction_next(struct vkdml_reduction *reduction) {
    return step(reduction->input, reduction->folded, &reduction->at);
}

bool vkdml_reduction_step(const struct vkdml_reduction *reduction, struct vkdml_coordinate *at) {
    return step(reduction->input, ~reduction->folded, at);
}

double vkdml_reduction_count(const struct vkdml_reduction *reduction) {
    double elements = 1;
    for (uint32_t d = 0; d < reduction->input->dimension_count; d++) {
        elements *= (reduction->folded >> d & 1) != 0 ? reduction->input->sizes[d] : 1;
    }
    return elements;
}

double vkdml_reduction_extreme(struct vkdml_reduction *reduction, bool least) {
    double best = vkdml_reduction_float(reduction);
    while (vkdml_reduction_next(reduction)) {
        const double x = vkdml_reduction_float(reduction);
        const bool zeros = x == 0 && best == 0;
        const bool replaces = least ? x < best || (zeros && signbit(x)) : x > best || (zeros && !signbit(x));
        best = isnan(x) || (replaces && !isnan(best)) ? x : best;
    }
    return best;
}

/* Whether element a comes before b; neither before the other: they are equal. NaN comes first. */
static bool comes_before(DML_TENSOR_DATA_TYPE type, uint64_t a, uint64_t b, bool least) {
    if (vkdml_data_type_is_float(type)) {
        const float x = vkdml_element_to_float(type, a), y = vkdml_element_to_float(type, b);
        return isnan(x) || isnan(y) ? isnan(x) && !isnan(y) : least ? x < y : x > y;
    }
    return vkdml_integer_comes_before(type, a, b, least);
}

uint64_t vkdml_reduction_place(struct vkdml_reduction *reduction, bool least, bool last) {
    const DML_TENSOR_DATA_TYPE type = reduction->input->data_type;
    uint64_t index = 0, found = 0, best = vkdml_reduction_element(reduction);
    while (vkdml_reduction_next(reduction)) {
        const uint64_t bits = vkdml_reduction_element(reduction);
        ++index;
        if (comes_before(type, bits, best, least) || (last && !comes_before(type, best, bits, least))) {
            best = bits;
            found = index;
        }
    }
    return found;
}
