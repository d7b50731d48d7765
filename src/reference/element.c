#include "reference/element.h"

#include <assert.h>
#include <string.h>

bool vkdml_coordinate_next(const struct vkdml_tensor *tensor, struct vkdml_coordinate *coordinate) {
    for (uint32_t i = tensor->dimension_count; i-- > 0;) {
        if (++coordinate->index[i] < tensor->sizes[i]) {
            return true;
        }
        coordinate->index[i] = 0;
    }
    return false;
}

/* In elements from the tensor's first. */
static uint64_t position(const struct vkdml_tensor *tensor, const struct vkdml_coordinate *coordinate) {
    uint64_t element = 0;
    for (uint32_t i = 0; i < tensor->dimension_count; i++) {
        assert(coordinate->index[i] < tensor->sizes[i]);
        element += (uint64_t)coordinate->index[i] * tensor->strides[i];
    }
    return element;
}

/* Of two elements of 4 bits in a byte the first is the low half. */
static uint32_t half_shift(uint64_t element) {
    return (uint32_t)(element % 2) * 4;
}

/* Through an integer of the element's width, so that a big-endian host finds the bits in the low ones too. */
uint64_t vkdml_element_read(const struct vkdml_tensor *tensor, const void *memory,
                            const struct vkdml_coordinate *coordinate) {
    const uint64_t element = position(tensor, coordinate);
    if (tensor->element_bits == 4) {
        return ((const unsigned char *)memory)[element / 2] >> half_shift(element) & 0xF;
    }
    const unsigned char *source = (const unsigned char *)memory + element * tensor->element_size;
    uint64_t bits64;
    uint32_t bits32;
    uint16_t bits16;
    switch (tensor->element_size) {
    case sizeof bits64:
        memcpy(&bits64, source, sizeof bits64);
        return bits64;
    case sizeof bits32:
        memcpy(&bits32, source, sizeof bits32);
        return bits32;
    case sizeof bits16:
        memcpy(&bits16, source, sizeof bits16);
        return bits16;
    default:
        assert(tensor->element_size == 1);
        return *source;
    }
}

void vkdml_element_write(const struct vkdml_tensor *tensor, void *memory, const struct vkdml_coordinate *coordinate,
                         uint64_t bits) {
    const uint64_t element = position(tensor, coordinate);
    if (tensor->element_bits == 4) {
        unsigned char *byte = (unsigned char *)memory + element / 2;
        *byte = (unsigned char)((*byte & ~(0xF << half_shift(element))) | (bits & 0xF) << half_shift(element));
        return;
    }
    unsigned char *target = (unsigned char *)memory + element * tensor->element_size;
    const uint32_t bits32 = (uint32_t)bits;
    const uint16_t bits16 = (uint16_t)bits;
    switch (tensor->element_size) {
    case sizeof bits:
        memcpy(target, &bits, sizeof bits);
        break;
    case sizeof bits32:
        memcpy(target, &bits32, sizeof bits32);
        break;
    case sizeof bits16:
        memcpy(target, &bits16, sizeof bits16);
        break;
    default:
        assert(tensor->element_size == 1);
        *target = (unsigned char)bits;
        break;
    }
}

void vkdml_element_move(const struct vkdml_tensor *input, const void *from_memory, const struct vkdml_coordinate *from,
                        const struct vkdml_tensor *output, void *to_memory, const struct vkdml_coordinate *to) {
    vkdml_element_write(output, to_memory, to, vkdml_element_read(input, from_memory, from));
}
