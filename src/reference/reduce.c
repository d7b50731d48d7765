/* REDUCE, ARGMIN and ARGMAX. Floats are folded in double, and rounded to FLOAT32 and to the output's type at the end.
 */
#include <math.h>

#include "reference/number.h"
#include "reference/reduction.h"
#include "reference/reference.h"

/* ---- floats ---- */

static double sum(struct vkdml_reduction *walk, DML_REDUCE_FUNCTION function) {
    double total = 0;
    do {
        const double x = vkdml_reduction_float(walk);
        total += function == DML_REDUCE_FUNCTION_L1                                                 ? fabs(x)
                 : function == DML_REDUCE_FUNCTION_L2 || function == DML_REDUCE_FUNCTION_SUM_SQUARE ? x * x
                                                                                                    : x;
    } while (vkdml_reduction_next(walk));
    return total;
}

/* As a significand and an exponent, so that nothing on the way leaves double. */
static double product(struct vkdml_reduction *walk) {
    double significand = 1;
    int64_t exponent = 0;
    do {
        int power;
        significand = frexp(significand * vkdml_reduction_float(walk), &power);
        exponent += isfinite(significand) && significand != 0 ? power : 0;
    } while (vkdml_reduction_next(walk));
    return ldexp(significand, exponent > 2000 ? 2000 : exponent < -2000 ? -2000 : (int)exponent);
}

static double log_sum_exp(struct vkdml_reduction *walk) {
    const double most = vkdml_reduction_extreme(walk, false);
    if (!isfinite(most)) {
        return most;
    }
    double total = 0;
    do {
        total += exp(vkdml_reduction_float(walk) - most);
    } while (vkdml_reduction_next(walk));
    return most + log(total);
}

static double reduce_floats(struct vkdml_reduction *walk, DML_REDUCE_FUNCTION function) {
    switch (function) {
    case DML_REDUCE_FUNCTION_MIN:
    case DML_REDUCE_FUNCTION_MAX:
        return vkdml_reduction_extreme(walk, function == DML_REDUCE_FUNCTION_MIN);
    case DML_REDUCE_FUNCTION_MULTIPLY:
        return product(walk);
    case DML_REDUCE_FUNCTION_LOG_SUM_EXP:
        return log_sum_exp(walk);
    case DML_REDUCE_FUNCTION_AVERAGE:
        return sum(walk, function) / vkdml_reduction_count(walk);
    case DML_REDUCE_FUNCTION_L2:
        return sqrt(sum(walk, function));
    case DML_REDUCE_FUNCTION_LOG_SUM:
        return log(sum(walk, function));
    default:
        return sum(walk, function);
    }
}

/* ---- integers, modulo 2^64 ---- */

static uint64_t reduce_integers(struct vkdml_reduction *walk, DML_REDUCE_FUNCTION function) {
    const DML_TENSOR_DATA_TYPE type = walk->input->data_type;
    const bool is_order = function == DML_REDUCE_FUNCTION_MIN || function == DML_REDUCE_FUNCTION_MAX;
    uint64_t total = is_order ? vkdml_reduction_element(walk) : function == DML_REDUCE_FUNCTION_MULTIPLY;
    do {
        const uint64_t bits = vkdml_reduction_element(walk);
        const uint64_t x = vkdml_integer_extend(type, bits);
        switch (function) {
        case DML_REDUCE_FUNCTION_MIN:
        case DML_REDUCE_FUNCTION_MAX:
            total = vkdml_integer_comes_before(type, bits, total, function == DML_REDUCE_FUNCTION_MIN) ? bits : total;
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
    } while (vkdml_reduction_next(walk));
    return total;
}

/* ---- operators ---- */

struct fold {
    DML_REDUCE_FUNCTION function;
    uint32_t axis_count;
    const uint32_t *axes;
    bool takes_last;
};

static uint64_t reduce_one(struct vkdml_reduction *walk, const struct fold *fold) {
    const DML_TENSOR_DATA_TYPE type = walk->input->data_type;
    if (fold->function == DML_REDUCE_FUNCTION_ARGMIN || fold->function == DML_REDUCE_FUNCTION_ARGMAX) {
        return vkdml_reduction_place(walk, fold->function == DML_REDUCE_FUNCTION_ARGMIN, fold->takes_last);
    }
    if (vkdml_data_type_is_float(type)) {
        return vkdml_float_to_element(type, (float)reduce_floats(walk, fold->function));
    }
    return reduce_integers(walk, fold->function);
}

static void reduce(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                   const struct fold *fold) {
    const struct vkdml_tensor *output = &instance->outputs[0];
    struct vkdml_reduction walk = {.input = &instance->inputs[0], .memory = memory->inputs[0]};
    for (uint32_t i = 0; i < fold->axis_count; i++) {
        walk.folded |= 1u << fold->axes[i];
    }
    struct vkdml_coordinate at = {{0}};
    do {
        walk.at = at; /* 0 in the dimensions that are folded */
        vkdml_element_write(output, memory->outputs[0], &at, reduce_one(&walk, fold));
    } while (vkdml_coordinate_next(output, &at));
}

void vkdml_reference_reduce(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_REDUCE_OPERATOR_DESC *desc = instance->desc;
    const struct fold fold = {desc->Function, desc->AxisCount, desc->Axes, false};
    reduce(instance, memory, &fold);
}

void vkdml_reference_argmin(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_ARGMIN_OPERATOR_DESC *desc = instance->desc;
    const struct fold fold = {DML_REDUCE_FUNCTION_ARGMIN, desc->AxisCount, desc->Axes,
                              desc->AxisDirection == DML_AXIS_DIRECTION_DECREASING};
    reduce(instance, memory, &fold);
}

void vkdml_reference_argmax(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_ARGMAX_OPERATOR_DESC *desc = instance->desc;
    const struct fold fold = {DML_REDUCE_FUNCTION_ARGMAX, desc->AxisCount, desc->Axes,
                              desc->AxisDirection == DML_AXIS_DIRECTION_DECREASING};
    reduce(instance, memory, &fold);
}
