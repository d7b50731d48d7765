/* The steps of a top-k that merge sorted blocks of records, by turns of a bitonic network. */
#ifndef VKDML_FRAMES_TOP_K_TOP_K_MERGE_H
#define VKDML_FRAMES_TOP_K_TOP_K_MERGE_H

#include "frames/top_k/top_k_step.h"

/* Turns two sorted halves of every `size` records, a power of two, into bitonic blocks of `least` records, the first
 * items in the first block; `least` 1: sorted ones. */
VkdmlResult vkdml_top_k_merge(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows, uint32_t size,
                              uint32_t least);

/* Of sorted blocks of `size` records that begin `stride` apart keeps of every two the first items, in the first of both
 * and as bitonic blocks of `least` records. Rows can be bound whole. */
VkdmlResult vkdml_top_k_halve(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows, uint32_t size,
                              uint32_t stride, uint32_t least);

/* Adds to a general plan all kinds of steps that merge. */
VkdmlResult vkdml_top_k_add_merge_spares(const struct vkdml_top_k_use *use);

#endif
