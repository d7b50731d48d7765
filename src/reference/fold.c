/* REDUCE, ARGMIN and ARGMAX. Floats are folded in double, and rounded to FLOAT32 and to the output's type at the end.
 */
#include <math.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

/* The elements of a reduction, one after another in row-major order. */
struct walk {
    const struct vkdml_tensor *input;
    const void *memory;
    uint32_t folded; /* dimensions, a bit each */
    struct vkdml_coordinate at;
};

static uint64_t element(const struct walk *walk) {
    return vkdml_element_read(walk->input, walk->memory, &walk->at);
}

/* Steps to the next; false, and at the first again, after the last. */
static bool next(struct walk *walk) {
    for (uint32_t d = walk->input->dimension_count; d-- > 0;) {
        if ((walk->folded >> d & 1) == 0) {
            continue;
        }
        if (++walk->at.index[d] < walk->input->sizes[d]) {
            return true;
        }
        walk->at.index[d] = 0;
    }
    return false;
}

static double float_element(const struct walk *walk) {
    return (double)vkdml_element_to_float(walk->input->data_type, element(walk));
}

/* ---- places ---- */

/* Whether element a comes before b; neither before the other: they are equal. NaN comes first. */
static bool comes_before(DML_TENSOR_DATA_TYPE type, uint64_t a, uint64_t b, bool least) {
    if (vkdml_data_type_is_float(type)) {
        const float x = vkdml_element_to_float(type, a), y = vkdml_element_to_float(type, b);
        return isnan(x) || isnan(y) ? isnan(x) && !isnan(y) : least ? x < y : x > y;
    }
    if (vkdml_integer_range(type).lowest != 0) {
        const int64_t x = (int64_t)vkdml_integer_extend(type, a), y = (int64_t)vkdml_integer_extend(type, b);
        return least ? x < y : x > y;
    }
    return least ? a < b : a > b;
}

static uint64_t place(struct walk *walk, bool least, bool last) {
    const DML_TENSOR_DATA_TYPE type = walk->input->data_type;
    uint64_t index = 0, found = 0, best = element(walk);
    while (next(walk)) {
        const uint64_t bits = element(walk);
        ++index;
        if (comes_before(type, bits, best, least) || (last && !comes_before(type, best, bits, least))) {
            best = bits;
            found = index;
        }
    }
    return found;
}

/* ---- floats ---- */

static double greatest(struct walk *walk, bool least) {
    double best = float_element(walk);
    while (next(walk)) {
        const double x = float_element(walk);
        const bool zeros = x == 0 && best == 0;
        const bool replaces = least ? x < best || (zeros && signbit(x)) : x > best || (zeros && !signbit(x));
        best = isnan(x) || (replaces && !isnan(best)) ? x : best;
    }
    return best;
}

static double sum(struct walk *walk, DML_REDUCE_FUNCTION function) {
    double total = 0;
    do {
        const double x = float_element(walk);
        total += function == DML_REDUCE_FUNCTION_L1                                                 ? fabs(x)
                 : function == DML_REDUCE_FUNCTION_L2 || function == DML_REDUCE_FUNCTION_SUM_SQUARE ? x * x
                                                                                                    : x;
    } while (next(walk));
    return total;
}

/* As a significand and an exponent, so that nothing on the way leaves double. */
static double product(struct walk *walk) {
    double significand = 1;
    int64_t exponent = 0;
    do {
        int power;
        significand = frexp(significand * float_element(walk), &power);
        exponent += isfinite(significand) && significand != 0 ? power : 0;
    } while (next(walk));
    return ldexp(significand, exponent > 2000 ? 2000 : exponent < -2000 ? -2000 : (int)exponent);
}

static double log_sum_exp(struct walk *walk) {
    const double most = greatest(walk, false);
    if (!isfinite(most)) {
        return most;
    }
    double total = 0;
    do {
        total += exp(float_element(walk) - most);
    } while (next(walk));
    return most + log(total);
}

static double reduce_floats(struct walk *walk, DML_REDUCE_FUNCTION function) {
    double elements = 1;
    for (uint32_t d = 0; d < walk->input->dimension_count; d++) {
        elements *= (walk->folded >> d & 1) != 0 ? walk->input->sizes[d] : 1;
    }
    switch (function) {
    case DML_REDUCE_FUNCTION_MIN:
    case DML_REDUCE_FUNCTION_MAX:
        return greatest(walk, function == DML_REDUCE_FUNCTION_MIN);
    case DML_REDUCE_FUNCTION_MULTIPLY:
        return product(walk);
    case DML_REDUCE_FUNCTION_LOG_SUM_EXP:
        return log_sum_exp(walk);
    case DML_REDUCE_FUNCTION_AVERAGE:
        return sum(walk, function) / elements;
    case DML_REDUCE_FUNCTION_L2:
        return sqrt(sum(walk, function));
    case DML_REDUCE_FUNCTION_LOG_SUM:
        return log(sum(walk, function));
    default:
        return sum(walk, function);
    }
}

/* ---- integers, modulo 2^64 ---- */

static uint64_t reduce_integers(struct walk *walk, DML_REDUCE_FUNCTION function) {
    const DML_TENSOR_DATA_TYPE type = walk->input->data_type;
    const bool is_order = function == DML_REDUCE_FUNCTION_MIN || function == DML_REDUCE_FUNCTION_MAX;
    uint64_t total = is_order ? element(walk) : function == DML_REDUCE_FUNCTION_MULTIPLY;
    do {
        const uint64_t bits = element(walk);
        const uint64_t x = vkdml_integer_extend(type, bits);
        switch (function) {
        case DML_REDUCE_FUNCTION_MIN:
        case DML_REDUCE_FUNCTION_MAX:
            total = comes_before(type, bits, total, function == DML_REDUCE_FUNCTION_MIN) ? bits : total;
            break;
        case DML_REDUCE_FUNCTION_MULTIPLY:
            total *= x;
            break;
        case DML_REDUCE_FUNCTION_SUM_SQUARE:
            total += x * x;
            break;
        case DML_REDUCE_FUNCTION_L1:
            total += vkdml_integer_range(type).lowest != 0 && (int64_t)x < 0 ? 0 - x : x;
            break;
        default:
            total += x;
            break;
        }
    } while (next(walk));
    return total;
}

/* ---- operators ---- */

struct reduction {
    DML_REDUCE_FUNCTION function;
    uint32_t axis_count;
    const uint32_t *axes;
    bool takes_last;
};

static uint64_t reduce_one(struct walk *walk, const struct reduction *reduction) {
    const DML_TENSOR_DATA_TYPE type = walk->input->data_type;
    if (reduction->function == DML_REDUCE_FUNCTION_ARGMIN || reduction->function == DML_REDUCE_FUNCTION_ARGMAX) {
        return place(walk, reduction->function == DML_REDUCE_FUNCTION_ARGMIN, reduction->takes_last);
    }
    if (vkdml_data_type_is_float(type)) {
        return vkdml_float_to_element(type, (float)reduce_floats(walk, reduction->function));
    }
    return reduce_integers(walk, reduction->function);
}

static void reduce(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                   const struct reduction *reduction) {
    const struct vkdml_tensor *output = &instance->outputs[0];
    struct walk walk = {.input = &instance->inputs[0], .memory = memory->inputs[0]};
    for (uint32_t i = 0; i < reduction->axis_count; i++) {
        walk.folded |= 1u << reduction->axes[i];
    }
    struct vkdml_coordinate at = {{0}};
    do {
        walk.at = at; /* 0 in the dimensions that are folded */
        vkdml_element_write(output, memory->outputs[0], &at, reduce_one(&walk, reduction));
    } while (vkdml_coordinate_next(output, &at));
}

void vkdml_reference_reduce(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_REDUCE_OPERATOR_DESC *desc = instance->desc;
    const struct reduction reduction = {desc->Function, desc->AxisCount, desc->Axes, false};
    reduce(instance, memory, &reduction);
}

void vkdml_reference_argmin(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_ARGMIN_OPERATOR_DESC *desc = instance->desc;
    const struct reduction reduction = {DML_REDUCE_FUNCTION_ARGMIN, desc->AxisCount, desc->Axes,
                                        desc->AxisDirection == DML_AXIS_DIRECTION_DECREASING};
    reduce(instance, memory, &reduction);
}

void vkdml_reference_argmax(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_ARGMAX_OPERATOR_DESC *desc = instance->desc;
    const struct reduction reduction = {DML_REDUCE_FUNCTION_ARGMAX, desc->AxisCount, desc->Axes,
                                        desc->AxisDirection == DML_AXIS_DIRECTION_DECREASING};
    reduce(instance, memory, &reduction);
}
