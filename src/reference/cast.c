/* CAST */
#include <math.h>
#include <string.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

static bool is_float(DML_TENSOR_DATA_TYPE type) {
    return vkdml_data_type_is_float(type);
}

/* Every element of a float type is a double. */
static double double_of(DML_TENSOR_DATA_TYPE type, uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return type == DML_TENSOR_DATA_TYPE_FLOAT64 ? value : (double)vkdml_element_to_float(type, bits);
}

static uint64_t integer_of(DML_TENSOR_DATA_TYPE type, double value) {
    if (isnan(value)) {
        return 0;
    }
    const double magnitude = fabs(value);
    return vkdml_integer_saturate(type, value < 0, magnitude < 0x1p64 ? (uint64_t)magnitude : UINT64_MAX);
}

/* Rounded once: a double of 53 bits, rounded to FLOAT32's 24 so that the last one is odd where anything was lost, keeps
 * for FLOAT16's 11 whether it was above, below or at a half. */
static uint64_t half_of_double(double value) {
    float rounded = (float)value;
    uint32_t bits;
    if ((double)rounded == value || isnan(value) || isinf(rounded)) {
        return vkdml_float_to_half(rounded);
    }
    memcpy(&bits, &rounded, sizeof bits);
    if (fabs((double)rounded) > fabs(value)) {
        bits--;
    }
    bits |= 1;
    memcpy(&rounded, &bits, sizeof rounded);
    return vkdml_float_to_half(rounded);
}

static uint64_t float_of_double(DML_TENSOR_DATA_TYPE type, double value) {
    return type == DML_TENSOR_DATA_TYPE_FLOAT64   ? vkdml_double_to_bits(value)
           : type == DML_TENSOR_DATA_TYPE_FLOAT32 ? vkdml_float_to_bits((float)value)
                                                  : half_of_double(value);
}

/* The processor rounds integers of 64 bits to each type at once; beyond FLOAT16 they are infinite, and a double holds
 * all that are not. */
static uint64_t float_of_integer(DML_TENSOR_DATA_TYPE type, DML_TENSOR_DATA_TYPE from, uint64_t bits) {
    const bool is_signed = vkdml_integer_range(from).lowest != 0;
    const int64_t number = (int64_t)vkdml_integer_extend(from, bits);
    if (type == DML_TENSOR_DATA_TYPE_FLOAT32) {
        return vkdml_float_to_bits(is_signed ? (float)number : (float)bits);
    }
    return float_of_double(type, is_signed ? (double)number : (double)bits);
}

static uint64_t convert(DML_TENSOR_DATA_TYPE to, DML_TENSOR_DATA_TYPE from, uint64_t bits) {
    if (to == from) {
        return bits;
    }
    if (is_float(from)) {
        const double value = double_of(from, bits);
        return is_float(to) ? float_of_double(to, value) : integer_of(to, value);
    }
    return is_float(to) ? float_of_integer(to, from, bits) : vkdml_integer_extend(from, bits);
}

void vkdml_reference_cast(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        const uint64_t bits = vkdml_element_read(input, memory->inputs[0], &at);
        vkdml_element_write(output, memory->outputs[0], &at, convert(output->data_type, input->data_type, bits));
    } while (vkdml_coordinate_next(output, &at));
}
