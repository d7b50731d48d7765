/* QUANTIZE, DEQUANTIZE and their older forms. */
#include <math.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/quantized.h"
#include "reference/reduction.h"
#include "reference/reference.h"

static uint64_t quantize(DML_TENSOR_DATA_TYPE type, float x, float scale, int64_t zero_point) {
    return vkdml_reference_quantized(type, x / scale, zero_point);
}

/* (x - zero_point) * scale: an exact difference, rounded to FLOAT32. */
static float dequantize(int64_t x, int64_t zero_point, float scale) {
    const float difference = (float)(x - zero_point);
    return difference * scale;
}

static struct vkdml_coordinate block_of(const struct vkdml_tensor *parameter, const struct vkdml_tensor *elements,
                                        const struct vkdml_coordinate *at) {
    struct vkdml_coordinate block = {{0}};
    for (uint32_t d = 0; d < elements->dimension_count; d++) {
        block.index[d] = at->index[d] / (elements->sizes[d] / parameter->sizes[d]);
    }
    return block;
}

/* A walk over elements, with their scales and zero points, inputs 1 and 2. */
struct walk {
    const struct vkdml_instance *instance;
    const struct vkdml_reference_memory *memory;
    struct vkdml_coordinate at;
};

static uint64_t parameter(const struct walk *walk, uint32_t input) {
    const struct vkdml_tensor *tensor = &walk->instance->inputs[input];
    const struct vkdml_coordinate block = block_of(tensor, &walk->instance->outputs[0], &walk->at);
    return vkdml_element_read(tensor, walk->memory->inputs[input], &block);
}

static float scale_at(const struct walk *walk) {
    return vkdml_element_to_float(walk->instance->inputs[1].data_type, parameter(walk, 1));
}

static int64_t zero_point_at(const struct walk *walk) {
    const struct vkdml_instance *instance = walk->instance;
    if (instance->input_count < 3 || instance->inputs[2].dimension_count == 0) {
        return 0;
    }
    return (int64_t)vkdml_integer_extend(instance->inputs[2].data_type, parameter(walk, 2));
}

static void quantize_all(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct walk walk = {.instance = instance, .memory = memory};
    do {
        const float x =
            vkdml_element_to_float(input->data_type, vkdml_element_read(input, memory->inputs[0], &walk.at));
        vkdml_element_write(output, memory->outputs[0], &walk.at,
                            quantize(output->data_type, x, scale_at(&walk), zero_point_at(&walk)));
    } while (vkdml_coordinate_next(output, &walk.at));
}

static void dequantize_all(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct walk walk = {.instance = instance, .memory = memory};
    do {
        const uint64_t bits = vkdml_element_read(input, memory->inputs[0], &walk.at);
        const int64_t x = (int64_t)vkdml_integer_extend(input->data_type, bits);
        vkdml_element_write(
            output, memory->outputs[0], &walk.at,
            vkdml_float_to_element(output->data_type, dequantize(x, zero_point_at(&walk), scale_at(&walk))));
    } while (vkdml_coordinate_next(output, &walk.at));
}

void vkdml_reference_quantize(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    quantize_all(instance, memory);
}

void vkdml_reference_dequantize(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    dequantize_all(instance, memory);
}

void vkdml_reference_element_wise_quantize_linear(const struct vkdml_instance *instance,
                                                  const struct vkdml_reference_memory *memory) {
    quantize_all(instance, memory);
}

void vkdml_reference_element_wise_dequantize_linear(const struct vkdml_instance *instance,
                                                    const struct vkdml_reference_memory *memory) {
    dequantize_all(instance, memory);
}

/* A scalar among the inputs; absent ones are 0. */
static uint64_t first_element(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                              uint32_t input) {
    const struct vkdml_coordinate first = {{0}};
    const struct vkdml_tensor *tensor = &instance->inputs[input];
    return tensor->dimension_count != 0 ? vkdml_element_read(tensor, memory->inputs[input], &first) : 0;
}

/* The value of a quantized operand whose scale and zero point are the inputs behind it. */
static float operand(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory, uint32_t input,
                     const struct vkdml_coordinate *at) {
    const struct vkdml_tensor *tensor = &instance->inputs[input];
    const DML_TENSOR_DATA_TYPE type = tensor->data_type;
    const uint64_t bits = vkdml_element_read(tensor, memory->inputs[input], at);
    const float scale =
        vkdml_element_to_float(DML_TENSOR_DATA_TYPE_FLOAT32, first_element(instance, memory, input + 1));
    return dequantize((int64_t)vkdml_integer_extend(type, bits),
                      (int64_t)vkdml_integer_extend(type, first_element(instance, memory, input + 2)), scale);
}

void vkdml_reference_element_wise_quantized_linear_add(const struct vkdml_instance *instance,
                                                       const struct vkdml_reference_memory *memory) {
    enum { A = 0, B = 3, OUTPUT_SCALE = 6, OUTPUT_ZERO_POINT = 7 };
    const struct vkdml_tensor *output = &instance->outputs[0];
    const float scale =
        vkdml_element_to_float(DML_TENSOR_DATA_TYPE_FLOAT32, first_element(instance, memory, OUTPUT_SCALE));
    const int64_t zero_point =
        (int64_t)vkdml_integer_extend(output->data_type, first_element(instance, memory, OUTPUT_ZERO_POINT));
    struct vkdml_coordinate at = {{0}};
    do {
        const float sum = operand(instance, memory, A, &at) + operand(instance, memory, B, &at);
        vkdml_element_write(output, memory->outputs[0], &at, quantize(output->data_type, sum, scale, zero_point));
    } while (vkdml_coordinate_next(output, &at));
}

/* So that 0 is among what is quantized, and something can be divided by. */
static void find_range(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory, float *scale,
                       int64_t *zero_point) {
    const float first = instance->outputs[0].data_type == DML_TENSOR_DATA_TYPE_INT8 ? -128 : 0;
    struct vkdml_reduction all = {&instance->inputs[0], memory->inputs[0], UINT32_MAX, {{0}}};
    const float greatest = (float)vkdml_reduction_extreme(&all, false);
    const float least = (float)vkdml_reduction_extreme(&all, true);
    *scale = NAN;
    *zero_point = (int64_t)first;
    if (isnan(greatest)) {
        return;
    }
    const float high = greatest > 0 ? greatest : 0, low = least < 0 ? least : 0;
    const float range = high - low;
    *scale = range / 255;
    *scale = *scale == 0 ? 1 : *scale;
    const float quotient = low / *scale;
    const float exact = rintf(first - quotient);
    const float most = first + 255;
    *zero_point = (int64_t)(isnan(exact) ? first : exact < first ? first : exact > most ? most : exact);
}

void vkdml_reference_dynamic_quantize_linear(const struct vkdml_instance *instance,
                                             const struct vkdml_reference_memory *memory) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    float scale;
    int64_t zero_point;
    find_range(instance, memory, &scale, &zero_point);
    vkdml_element_write(&instance->outputs[1], memory->outputs[1], &at,
                        vkdml_float_to_element(DML_TENSOR_DATA_TYPE_FLOAT32, scale));
    vkdml_element_write(&instance->outputs[2], memory->outputs[2], &at, (uint64_t)zero_point);
    do {
        const float x = vkdml_element_to_float(input->data_type, vkdml_element_read(input, memory->inputs[0], &at));
        vkdml_element_write(output, memory->outputs[0], &at, quantize(output->data_type, x, scale, zero_point));
    } while (vkdml_coordinate_next(output, &at));
}
