/* Transfer commands instead of kernels: planned where the device's caller allows them and they are faster. */
#ifndef VKDML_FRAMES_GATHER_TRANSFER_H
#define VKDML_FRAMES_GATHER_TRANSFER_H

#include "frames/gather/gather.h"
#include "plan/builder.h"

/* The most runs that a copy is worth: 96 KiB of regions in every binding table. */
#define VKDML_TRANSFER_MAX_RUNS 4096

/* The least bytes of each, where there is more than one. On lavapipe a region costs 0.3 us, in which a kernel copies
 * about so much. */
#define VKDML_TRANSFER_MIN_RUN_BYTES 1024

/* Whether a collapsed gather that moves every element unchanged is planned as a copy. */
bool vkdml_transfer_suits_copy(const struct vkdml_gather *gather, const struct vkdml_plan_limits *limits);

/* Adds the copy: one step, however large the tensors are. */
VkdmlResult vkdml_transfer_plan_copy(const struct vkdml_gather *gather, struct vkdml_builder *builder);

/* Whether an output is planned as a fill with a value (low word first): its elements lie side by side in whole words,
 * and the value repeats in each. Then *word is what to fill with. */
bool vkdml_transfer_suits_fill(const struct vkdml_view *output, const uint32_t value[2],
                               const struct vkdml_plan_limits *limits, uint32_t *word);

/* Adds the fill of all of an output. */
VkdmlResult vkdml_transfer_plan_fill(const struct vkdml_view *output, uint32_t word, struct vkdml_builder *builder);

#endif
