/* What operators share that find elements by a tensor of indices. */
#ifndef VKDML_OPERATORS_INDICES_H
#define VKDML_OPERATORS_INDICES_H

#include "frames/index/index.h"
#include "operators/operators.h"

/* Whether tensors have as many dimensions as input 0, which the table asks for. */
bool vkdml_indices_have_one_rank(const struct vkdml_instance *instance);

/* Reports an axis that input 0 has not; false then. */
bool vkdml_indices_check_axis(const struct vkdml_instance *instance, uint32_t axis, struct vkdml_report *report);

/* A tensor's sizes must be input 0's, but along Axis. */
void vkdml_indices_check_sizes(const struct vkdml_instance *instance, uint32_t input, uint32_t axis,
                               struct vkdml_report *report);

/* A tensor's sizes must be those of another, but 1 along Axis. */
void vkdml_indices_check_sequences(const struct vkdml_tensor *tensor, const char *name, struct vkdml_tensor *other,
                                   const char *other_name, uint32_t axis, struct vkdml_report *report);

/* Begins an index of one input by another onto the output. */
void vkdml_indices_begin(const struct vkdml_instance *instance, uint32_t input, uint32_t indices,
                         struct vkdml_index *index);

/* Adds a dimension that indices walk. */
void vkdml_indices_add_column(struct vkdml_index *index, const struct vkdml_tensor *tensor, uint32_t d);

/* Adds the dimension that comes outside those there are: merged with the outermost of them where they are one run, so
 * that mostly one remains and nothing is divided. */
void vkdml_indices_add_outer_column(struct vkdml_index *index, uint32_t size, uint32_t stride);

/* Strides of a tensor with an index for each sequence along Axis, and the coordinate along it. */
void vkdml_indices_set_sequences(struct vkdml_index *index, const struct vkdml_tensor *indices, uint32_t axis);

#endif
