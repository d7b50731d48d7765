/* BATCH_NORMALIZATION, MEAN_VARIANCE_NORMALIZATION and LP_NORMALIZATION. */
#include <math.h>

#include "reference/element.h"
#include "reference/mapping.h"
#include "reference/number.h"
#include "reference/reduction.h"

enum { INPUT, MEAN, VARIANCE, SCALE, BIAS };

/* An element at a coordinate, or where a tensor has one for several, that one. */
static float element(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory, uint32_t input,
                     const struct vkdml_coordinate *at) {
    const struct vkdml_tensor *tensor = &instance->inputs[input];
    struct vkdml_coordinate own = {{0}};
    for (uint32_t d = 0; d < tensor->dimension_count; d++) {
        own.index[d] = tensor->sizes[d] == 1 ? 0 : at->index[d];
    }
    return vkdml_element_to_float(tensor->data_type, vkdml_element_read(tensor, memory->inputs[input], &own));
}

/* An element of the output, after the fused activation. */
static void write(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                  const struct vkdml_coordinate *at, float y) {
    const struct vkdml_tensor *output = &instance->outputs[0];
    if (instance->activation_count != 0) {
        const struct vkdml_instance *activation = &instance->activations[0];
        const struct vkdml_map_context context = {.desc = activation->desc,
                                                  .type = output->data_type,
                                                  .is_half = output->data_type == DML_TENSOR_DATA_TYPE_FLOAT16};
        y = vkdml_reference_activation(activation->schema->type)(&y, &context);
    }
    vkdml_element_write(output, memory->outputs[0], at, vkdml_float_to_element(output->data_type, y));
}

void vkdml_reference_batch_normalization(const struct vkdml_instance *instance,
                                         const struct vkdml_reference_memory *memory) {
    const DML_BATCH_NORMALIZATION_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *output = &instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        /* A statement, a rounding. */
        const float difference = element(instance, memory, INPUT, &at) - element(instance, memory, MEAN, &at);
        const float variance = element(instance, memory, VARIANCE, &at) + desc->Epsilon;
        const float deviation = sqrtf(variance);
        const float quotient = difference / deviation;
        const float product = element(instance, memory, SCALE, &at) * quotient;
        const float y = product + element(instance, memory, BIAS, &at);
        write(instance, memory, &at, y);
    } while (vkdml_coordinate_next(output, &at));
}

/* ---- mean and variance ---- */

enum { SCALE_OF_MEAN = 1, BIAS_OF_MEAN = 2 };

struct normalization {
    uint32_t folded;
    bool uses_mean, uses_variance;
    float epsilon;
};

static bool has(const struct vkdml_instance *instance, uint32_t input) {
    return instance->inputs[input].dimension_count != 0;
}

/* In double, and twice over the elements. */
static void find_moments(struct vkdml_reduction *reduction, const struct normalization *n, double *mean,
                         double *variance) {
    const double count = vkdml_reduction_count(reduction);
    double sum = 0, squares = 0;
    do {
        sum += vkdml_reduction_float(reduction);
    } while (vkdml_reduction_next(reduction));
    *mean = n->uses_mean ? sum / count : 0;
    do {
        const double distance = vkdml_reduction_float(reduction) - *mean;
        squares += distance * distance;
    } while (vkdml_reduction_next(reduction));
    *variance = squares / count;
}

static void normalize(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                      const struct normalization *n) {
    struct vkdml_reduction reduction = {&instance->inputs[INPUT], memory->inputs[INPUT], n->folded, {{0}}};
    struct vkdml_coordinate first = {{0}};
    do {
        double mean, variance;
        reduction.at = first;
        find_moments(&reduction, n, &mean, &variance);
        const double divisor = n->uses_variance ? sqrt(variance + (double)n->epsilon) : 1;
        do {
            const struct vkdml_coordinate *at = &reduction.at;
            double y = (vkdml_reduction_float(&reduction) - mean) / divisor;
            if (has(instance, SCALE_OF_MEAN)) {
                y *= (double)element(instance, memory, SCALE_OF_MEAN, at);
            }
            if (has(instance, BIAS_OF_MEAN)) {
                y += (double)element(instance, memory, BIAS_OF_MEAN, at);
            }
            write(instance, memory, at, (float)y);
        } while (vkdml_reduction_next(&reduction));
    } while (vkdml_reduction_step(&reduction, &first));
}

static uint32_t named_dimensions(uint32_t count, const uint32_t *axes) {
    uint32_t dimensions = 0;
    for (uint32_t i = 0; i < count; i++) {
        dimensions |= 1u << axes[i];
    }
    return dimensions;
}

void vkdml_reference_mean_variance_normalization(const struct vkdml_instance *instance,
                                                 const struct vkdml_reference_memory *memory) {
    static const uint32_t axes[] = {2, 3, 1};
    const DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC *desc = instance->desc;
    const struct normalization n = {named_dimensions(desc->CrossChannel ? 3 : 2, axes), true,
                                    desc->NormalizeVariance != 0, desc->Epsilon};
    normalize(instance, memory, &n);
}

void vkdml_reference_mean_variance_normalization1(const struct vkdml_instance *instance,
                                                  const struct vkdml_reference_memory *memory) {
    const DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC *desc = instance->desc;
    const struct normalization n = {named_dimensions(desc->AxisCount, desc->Axes), true, desc->NormalizeVariance != 0,
                                    desc->Epsilon};
    normalize(instance, memory, &n);
}

void vkdml_reference_mean_variance_normalization2(const struct vkdml_instance *instance,
                                                  const struct vkdml_reference_memory *memory) {
    const DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC *desc = instance->desc;
    const struct normalization n = {named_dimensions(desc->AxisCount, desc->Axes), desc->UseMean != 0,
                                    desc->UseVariance != 0, desc->Epsilon};
    normalize(instance, memory, &n);
}

/* ---- norms ---- */

void vkdml_reference_lp_normalization(const struct vkdml_instance *instance,
                                      const struct vkdml_reference_memory *memory) {
    const DML_LP_NORMALIZATION_OPERATOR_DESC *desc = instance->desc;
    struct vkdml_reduction reduction = {&instance->inputs[INPUT], memory->inputs[INPUT], 1u << desc->Axis, {{0}}};
    struct vkdml_coordinate first = {{0}};
    do {
        double sum = 0;
        reduction.at = first;
        do {
            const double x = vkdml_reduction_float(&reduction);
            sum += desc->P == 1 ? fabs(x) : x * x;
        } while (vkdml_reduction_next(&reduction));
        const double norm = desc->P == 1 ? sum : sqrt(sum);
        const double divisor = norm < (double)desc->Epsilon ? (double)desc->Epsilon : norm;
        do {
            write(instance, memory, &reduction.at, (float)(vkdml_reduction_float(&reduction) / divisor));
        } while (vkdml_reduction_next(&reduction));
    } while (vkdml_reduction_step(&reduction, &first));
}
