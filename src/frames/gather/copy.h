/* Copies: gathers that move every element unchanged, by transfer commands or by kernels, in one step or several. */
#ifndef VKDML_FRAMES_GATHER_COPY_H
#define VKDML_FRAMES_GATHER_COPY_H

#include "frames/gather/gather.h"
#include "plan/builder.h"

/* Adds what moves every element of a gather unchanged, which it collapses and widens: a copy where that suits the
 * device, else steps of the copy kernels; where more than VKDML_MAX_DIMENSIONS are left, some for each coordinate of
 * the smallest ones. No dimension is padded. shares_seams: short rows may take the kernel
 * of padding, which shares out what is around their ends. */
VkdmlResult vkdml_copy_plan(struct vkdml_gather *gather, bool shares_seams, struct vkdml_builder *builder);

/* Adds the copy of a tensor, all of it, to another of its sizes: by the device where that suits it, else by kernels. */
VkdmlResult vkdml_copy_plan_identity(const struct vkdml_view *output, const struct vkdml_view *input,
                                     struct vkdml_builder *builder);

/* Adds the copy of so many 32-bit words that lie side by side, from where one begins to where another does. */
VkdmlResult vkdml_copy_plan_words(const struct vkdml_origin *output, const struct vkdml_origin *input, uint32_t words,
                                  struct vkdml_builder *builder);

/* Adds a dimension to what is copied, but for one of a single coordinate; whether the strides fit. */
bool vkdml_copy_add(struct vkdml_gather *gather, uint32_t size, uint64_t output_stride, uint64_t input_stride);

/* Copies elements of a tensor into scratch memory, side by side in the order of the gather's dimensions, which have the
 * tensor's strides; their output strides then say how they lie there, and *tensor is there. */
VkdmlResult vkdml_copy_pack(struct vkdml_gather *gather, struct vkdml_origin *tensor, struct vkdml_builder *builder);

/* Adds to a general plan what a copy of elements of a type needs: an operator that computes for some sizes copies for
 * others. */
VkdmlResult vkdml_copy_add_spare(DML_TENSOR_DATA_TYPE type, struct vkdml_builder *builder);

#endif
