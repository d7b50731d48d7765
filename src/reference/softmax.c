/* The softmax family, in double but for what is rounded at the end. */
#include <math.h>

#include "reference/number.h"
#include "reference/reduction.h"
#include "reference/reference.h"

/* What a reduction has in common, and what becomes of an element of it. */
struct softmax {
    struct vkdml_reduction reduction;
    double greatest;
    double sum; /* of exp(x - greatest) */
    uint64_t place, greatest_place;
};

typedef double softmax_function(const struct softmax *softmax, double x);

static double softmax_of(const struct softmax *softmax, double x) {
    return exp(x - softmax->greatest) / softmax->sum;
}

static double log_softmax_of(const struct softmax *softmax, double x) {
    return x - softmax->greatest - log(softmax->sum);
}

static double hardmax_of(const struct softmax *softmax, double x) {
    (void)x;
    return softmax->place == softmax->greatest_place;
}

static void find_sum(struct softmax *softmax) {
    struct vkdml_reduction *reduction = &softmax->reduction;
    softmax->greatest = vkdml_reduction_extreme(reduction, false);
    softmax->sum = 0;
    do {
        const double x = vkdml_reduction_float(reduction);
        softmax->sum += isinf(softmax->greatest) ? x == softmax->greatest : exp(x - softmax->greatest);
    } while (vkdml_reduction_next(reduction));
    softmax->greatest_place = vkdml_reduction_place(reduction, false, false);
    softmax->place = 0;
}

static void compute(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory, uint32_t folded,
                    softmax_function *function) {
    const struct vkdml_tensor *output = &instance->outputs[0];
    struct softmax softmax = {.reduction = {&instance->inputs[0], memory->inputs[0], folded, {{0}}}};
    struct vkdml_coordinate first = {{0}};
    do {
        softmax.reduction.at = first;
        find_sum(&softmax);
        do {
            const double y = function(&softmax, vkdml_reduction_float(&softmax.reduction));
            vkdml_element_write(output, memory->outputs[0], &softmax.reduction.at,
                                vkdml_float_to_element(output->data_type, (float)y));
            softmax.place++;
        } while (vkdml_reduction_next(&softmax.reduction));
    } while (vkdml_reduction_step(&softmax.reduction, &first));
}

static uint32_t last_dimension(const struct vkdml_instance *instance) {
    return 1u << (instance->inputs[0].dimension_count - 1);
}

/* The newer descriptors of the family are one struct under several names. */
static uint32_t named_dimensions(const struct vkdml_instance *instance) {
    const DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC *desc = instance->desc;
    uint32_t dimensions = 0;
    for (uint32_t i = 0; i < desc->AxisCount; i++) {
        dimensions |= 1u << desc->Axes[i];
    }
    return dimensions;
}

#define SOFTMAX(name, DIMENSIONS, FUNCTION)                                                                            \
    void vkdml_reference_activation_##name(const struct vkdml_instance *instance,                                      \
                                           const struct vkdml_reference_memory *memory) {                              \
        compute(instance, memory, DIMENSIONS(instance), FUNCTION);                                                     \
    }

SOFTMAX(softmax, last_dimension, softmax_of)
SOFTMAX(softmax1, named_dimensions, softmax_of)
SOFTMAX(log_softmax, last_dimension, log_softmax_of)
SOFTMAX(log_softmax1, named_dimensions, log_softmax_of)
SOFTMAX(hardmax, last_dimension, hardmax_of)
SOFTMAX(hardmax1, named_dimensions, hardmax_of)
