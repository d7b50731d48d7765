/* BATCH_NORMALIZATION_TRAINING, and the gradients of it and of BATCH_NORMALIZATION: in double. */
#include <math.h>

#include "reference/element.h"
#include "reference/mapping.h"
#include "reference/number.h"
#include "reference/reference.h"

/* The coordinate of the element that serves one of the input's. */
static struct vkdml_coordinate serving(const struct vkdml_tensor *tensor, const struct vkdml_coordinate *at) {
    struct vkdml_coordinate own = {{0}};
    for (uint32_t d = 0; d < tensor->dimension_count; d++) {
        own.index[d] = tensor->sizes[d] == 1 ? 0 : at->index[d];
    }
    return own;
}

static double read(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory, uint32_t input,
                   const struct vkdml_coordinate *at) {
    const struct vkdml_tensor *tensor = &instance->inputs[input];
    const struct vkdml_coordinate own = serving(tensor, at);
    return vkdml_number_read(tensor, memory->inputs[input], &own);
}

/* The elements of the input that one of a smaller tensor serves: steps `at` to the next; false after the last. */
static int next_served(const struct vkdml_tensor *input, const struct vkdml_tensor *small,
                       struct vkdml_coordinate *at) {
    for (uint32_t d = input->dimension_count; d-- > 0;) {
        if (small->sizes[d] == 1) {
            if (++at->index[d] < input->sizes[d]) {
                return 1;
            }
            at->index[d] = 0;
        }
    }
    return 0;
}

/* ---- BATCH_NORMALIZATION_TRAINING ---- */

enum { INPUT, SCALE, BIAS, FUSED_ADD };
enum { OUTPUT, MEAN, VARIANCE };

static float activated(const struct vkdml_instance *instance, float y) {
    const struct vkdml_tensor *output = &instance->outputs[OUTPUT];
    if (instance->activation_count != 0) {
        const struct vkdml_instance *activation = &instance->activations[0];
        const struct vkdml_map_context context = {.desc = activation->desc,
                                                  .type = output->data_type,
                                                  .is_half = output->data_type == DML_TENSOR_DATA_TYPE_FLOAT16};
        y = vkdml_reference_activation(activation->schema->type)(&y, &context);
    }
    return y;
}

static void train(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                  const struct vkdml_coordinate *small) {
    const DML_BATCH_NORMALIZATION_TRAINING_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[INPUT], *scale = &instance->inputs[SCALE];
    struct vkdml_coordinate at = *small;
    double count = 0, sum = 0, squares = 0;
    do {
        sum += read(instance, memory, INPUT, &at);
        count++;
    } while (next_served(input, scale, &at));
    const double mean = sum / count;
    do {
        const double distance = read(instance, memory, INPUT, &at) - mean;
        squares += distance * distance;
    } while (next_served(input, scale, &at));
    const double variance = squares / count, deviation = sqrt(variance + (double)desc->Epsilon);
    vkdml_number_write(&instance->outputs[MEAN], memory->outputs[MEAN], small, mean);
    vkdml_number_write(&instance->outputs[VARIANCE], memory->outputs[VARIANCE], small, variance);
    do {
        double y = read(instance, memory, SCALE, &at) * ((read(instance, memory, INPUT, &at) - mean) / deviation) +
                   read(instance, memory, BIAS, &at);
        if (instance->inputs[FUSED_ADD].dimension_count != 0) {
            y += read(instance, memory, FUSED_ADD, &at);
        }
        vkdml_element_write(&instance->outputs[OUTPUT], memory->outputs[OUTPUT], &at,
                            vkdml_float_to_element(instance->outputs[OUTPUT].data_type, activated(instance, (float)y)));
    } while (next_served(input, scale, &at));
}

void vkdml_reference_batch_normalization_training(const struct vkdml_instance *instance,
                                                  const struct vkdml_reference_memory *memory) {
    struct vkdml_coordinate small = {{0}};
    do {
        train(instance, memory, &small);
    } while (vkdml_coordinate_next(&instance->inputs[SCALE], &small));
}

/* ---- gradients ---- */

enum { GRADIENT = 1, GIVEN_MEAN, GIVEN_VARIANCE, GIVEN_SCALE };
enum { OUTPUT_GRADIENT, SCALE_GRADIENT, BIAS_GRADIENT };

/* With statistics that are constants, or those of the input itself. */
static void differentiate(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                          const struct vkdml_coordinate *small, float epsilon, int is_training) {
    const struct vkdml_tensor *input = &instance->inputs[INPUT], *scale = &instance->inputs[GIVEN_SCALE];
    const double mean = read(instance, memory, GIVEN_MEAN, small);
    const double variance = read(instance, memory, GIVEN_VARIANCE, small) + (double)epsilon;
    const double factor = read(instance, memory, GIVEN_SCALE, small) / sqrt(variance);
    struct vkdml_coordinate at = *small;
    double count = 0, sum = 0, along = 0;
    do {
        const double gradient = read(instance, memory, GRADIENT, &at);
        sum += gradient;
        along += gradient * (read(instance, memory, INPUT, &at) - mean);
        count++;
    } while (next_served(input, scale, &at));
    vkdml_number_write(&instance->outputs[SCALE_GRADIENT], memory->outputs[SCALE_GRADIENT], small,
                       along / sqrt(variance));
    vkdml_number_write(&instance->outputs[BIAS_GRADIENT], memory->outputs[BIAS_GRADIENT], small, sum);
    do {
        double gradient = read(instance, memory, GRADIENT, &at);
        if (is_training) {
            const double distance = read(instance, memory, INPUT, &at) - mean;
            gradient = gradient - sum / count - distance * (along / count / variance);
        }
        vkdml_number_write(&instance->outputs[OUTPUT_GRADIENT], memory->outputs[OUTPUT_GRADIENT], &at,
                           factor * gradient);
    } while (next_served(input, scale, &at));
}

void vkdml_reference_batch_normalization_grad(const struct vkdml_instance *instance,
                                              const struct vkdml_reference_memory *memory) {
    const DML_BATCH_NORMALIZATION_GRAD_OPERATOR_DESC *desc = instance->desc;
    struct vkdml_coordinate small = {{0}};
    do {
        differentiate(instance, memory, &small, desc->Epsilon, 0);
    } while (vkdml_coordinate_next(&instance->inputs[GIVEN_SCALE], &small));
}

void vkdml_reference_batch_normalization_training_grad(const struct vkdml_instance *instance,
                                                       const struct vkdml_reference_memory *memory) {
    const DML_BATCH_NORMALIZATION_TRAINING_GRAD_OPERATOR_DESC *desc = instance->desc;
    struct vkdml_coordinate small = {{0}};
    do {
        differentiate(instance, memory, &small, desc->Epsilon, 1);
    } while (vkdml_coordinate_next(&instance->inputs[GIVEN_SCALE], &small));
}
