/* ADAM_OPTIMIZER */
#include <math.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

enum { PARAMETERS, FIRST_MOMENT, SECOND_MOMENT, GRADIENT, TRAINING_STEP };

/* The high half of a product. */
static uint64_t multiply_fractions(uint64_t a, uint64_t b) {
    const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), left = (a >> 32) * (b & UINT32_MAX);
    const uint64_t right = (a & UINT32_MAX) * (b >> 32), high = (a >> 32) * (b >> 32);
    const uint64_t middle = (low >> 32) + (left & UINT32_MAX) + (right & UINT32_MAX);
    return high + (left >> 32) + (right >> 32) + (middle >> 32);
}

/* 1 - beta^t, of t above 0: by squares of fractions in units of 2^-64, each cut off, and rounded to FLOAT32 once. */
static float lack_of_power(float beta, uint32_t t) {
    if (beta == 1) {
        return 0;
    }
    uint64_t base = (uint64_t)ldexp((double)beta, 64), power = 0;
    int is_begun = 0;
    for (; t != 0; t >>= 1) {
        if ((t & 1) != 0) {
            power = is_begun ? multiply_fractions(power, base) : base;
            is_begun = 1;
        }
        base = multiply_fractions(base, base);
    }
    return power == 0 ? 1 : ldexpf((float)(0 - power), -64);
}

static float element(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory, uint32_t input,
                     const struct vkdml_coordinate *at) {
    const struct vkdml_tensor *tensor = &instance->inputs[input];
    return vkdml_element_to_float(tensor->data_type, vkdml_element_read(tensor, memory->inputs[input], at));
}

static float rate_of(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_ADAM_OPTIMIZER_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_coordinate first = {{0}};
    const uint32_t t =
        (uint32_t)vkdml_element_read(&instance->inputs[TRAINING_STEP], memory->inputs[TRAINING_STEP], &first);
    if (t == 0) {
        return desc->LearningRate;
    }
    const float root = sqrtf(lack_of_power(desc->Beta2, t));
    const float alpha = root / lack_of_power(desc->Beta1, t);
    return desc->LearningRate * alpha;
}

void vkdml_reference_adam_optimizer(const struct vkdml_instance *instance,
                                    const struct vkdml_reference_memory *memory) {
    const DML_ADAM_OPTIMIZER_OPERATOR_DESC *desc = instance->desc;
    const float rate = rate_of(instance, memory);
    const float rest1 = 1 - desc->Beta1, rest2 = 1 - desc->Beta2;
    struct vkdml_coordinate at = {{0}};
    do {
        /* A statement, a rounding. All are read before any is written: an output may lie where an input does. */
        const float x = element(instance, memory, PARAMETERS, &at), g = element(instance, memory, GRADIENT, &at);
        const float m = element(instance, memory, FIRST_MOMENT, &at), v = element(instance, memory, SECOND_MOMENT, &at);
        const float kept1 = desc->Beta1 * m;
        const float added1 = rest1 * g;
        const float first = kept1 + added1;
        const float kept2 = desc->Beta2 * v;
        const float added = rest2 * g;
        const float added2 = added * g;
        const float second = kept2 + added2;
        const float step = rate * first;
        const float root = sqrtf(second);
        const float divisor = root + desc->Epsilon;
        const float quotient = step / divisor;
        const float results[] = {x - quotient, first, second};
        for (uint32_t i = 0; i < 3; i++) {
            const struct vkdml_tensor *output = &instance->outputs[i];
            vkdml_element_write(output, memory->outputs[i], &at, vkdml_float_to_element(output->data_type, results[i]));
        }
    } while (vkdml_coordinate_next(&instance->inputs[PARAMETERS], &at));
}
