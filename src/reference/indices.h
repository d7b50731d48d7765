/* Coordinates that tensors of indices name. */
#ifndef VKDML_REFERENCE_INDICES_H
#define VKDML_REFERENCE_INDICES_H

#include "reference/element.h"
#include "reference/reference.h"

/* Not a coordinate. */
#define VKDML_NO_COORDINATE (-1)

/* The coordinate that an index names in a dimension of `size`: a negative one counts from the end. */
int64_t vkdml_indices_named(const struct vkdml_tensor *indices, uint64_t bits, uint32_t size);

/* The coordinate that the index at `at` of input 1 names in dimension `d` of input 0. */
int64_t vkdml_indices_read(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                           const struct vkdml_coordinate *at, uint32_t d);

/* The coordinate of what a tensor has one of for each sequence along `axis`. */
struct vkdml_coordinate vkdml_indices_sequence(const struct vkdml_coordinate *coordinate, uint32_t axis);

#endif
