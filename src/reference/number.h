/* Elements as numbers: between the bits of an element and the value they mean. */
#ifndef VKDML_REFERENCE_NUMBER_H
#define VKDML_REFERENCE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "reference/element.h"
#include "vkdml/dml_types.h"

/* What an integer type holds: -lowest .. highest. */
struct vkdml_integer_range {
    uint64_t lowest; /* magnitude of the most negative value; 0: unsigned */
    uint64_t highest;
};

/* The range of an integer type. */
struct vkdml_integer_range vkdml_integer_range(DML_TENSOR_DATA_TYPE type);

/* The bits of the integer nearest to +-magnitude that the type holds, extended by zeros. */
uint64_t vkdml_integer_saturate(DML_TENSOR_DATA_TYPE type, bool negative, uint64_t magnitude);

/* binary16 to binary32, exactly. NaN stays NaN. */
float vkdml_half_to_float(uint16_t half);

/* Bits as they are, NaN's too. */
static inline uint32_t vkdml_bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float vkdml_float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Bits of a type's element for a value: rounded to nearest, ties to even; any NaN becomes the type's positive quiet NaN
 * without payload. */
uint16_t vkdml_float_to_half(float value);
uint32_t vkdml_float_to_bits(float value);
uint64_t vkdml_double_to_bits(double value);

/* An integer's bits with its sign in all of 64. */
uint64_t vkdml_integer_extend(DML_TENSOR_DATA_TYPE type, uint64_t bits);

/* Whether integer a is greater than b, or less; bits beyond the type's do not matter. */
bool vkdml_integer_comes_before(DML_TENSOR_DATA_TYPE type, uint64_t a, uint64_t b, bool least);

/* Truncated toward zero and saturated; NaN is 0. */
uint64_t vkdml_float_to_integer(float value, DML_TENSOR_DATA_TYPE type);

/* An element of any type but FLOAT64 as FLOAT32, of integers the nearest; and a FLOAT32 as an element of a float type.
 */
float vkdml_element_to_float(DML_TENSOR_DATA_TYPE type, uint64_t bits);
uint64_t vkdml_float_to_element(DML_TENSOR_DATA_TYPE type, float value);

/* An element of a tensor of such a type in memory. */
double vkdml_number_read(const struct vkdml_tensor *tensor, const void *memory,
                         const struct vkdml_coordinate *coordinate);

/* Rounds a number to FLOAT32 and that to an element of a float type. */
void vkdml_number_write(const struct vkdml_tensor *tensor, void *memory, const struct vkdml_coordinate *coordinate,
                        double number);

/* Converts an attribute given as FLOAT to an element of any type. FLOAT32 keeps the bits, NaN payload and all, which is
 * why they are read from where the attribute lies; other floats as above; integers are truncated toward zero and
 * saturated, NaN is 0. */
uint64_t vkdml_convert_attribute(const float *attribute, DML_TENSOR_DATA_TYPE type);

#endif
