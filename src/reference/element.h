/* Elements of a tensor in memory, as bits: an element's bits stand in the low bits of a uint64_t, whatever its type.
 * Moving an element never takes its bits through a number. */
#ifndef VKDML_REFERENCE_ELEMENT_H
#define VKDML_REFERENCE_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "tensor/tensor.h"

/* One index per dimension. All zero is a tensor's first coordinate. */
struct vkdml_coordinate {
    uint32_t index[VKDML_MAX_DIMENSIONS];
};

/* Steps to the coordinate after this one in row-major order; false, and all zero again, after the last one. */
bool vkdml_coordinate_next(const struct vkdml_tensor *tensor, struct vkdml_coordinate *coordinate);

/* memory: the tensor's first byte, in both. The coordinate lies inside the tensor. */
uint64_t vkdml_element_read(const struct vkdml_tensor *tensor, const void *memory,
                            const struct vkdml_coordinate *coordinate);
void vkdml_element_write(const struct vkdml_tensor *tensor, void *memory, const struct vkdml_coordinate *coordinate,
                         uint64_t bits);

/* Moves an element of one tensor to a place in another of as large a type. */
void vkdml_element_move(const struct vkdml_tensor *input, const void *from_memory, const struct vkdml_coordinate *from,
                        const struct vkdml_tensor *output, void *to_memory, const struct vkdml_coordinate *to);

#endif
