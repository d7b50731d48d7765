/* What holds of every plan, by arithmetic. */
#ifndef FUZZ_PLAN_CHECK_H
#define FUZZ_PLAN_CHECK_H

#include "plan/plan.h"

/* Whether a step's buffer lies within the resource, of so many bytes rounded up to 4, each time that it is repeated. */
bool plan_buffer_lies_within(const struct vkdml_plan_buffer *buffer, uint32_t repeat_count, uint32_t repeat_stride,
                             uint64_t resource_bytes);

/* Where what ended there ends along a dimension more, of a size and a stride; UINT64_MAX where that is beyond 2^64. */
uint64_t plan_end_moved(uint64_t end, uint32_t size, uint64_t stride);

/* Whether all runs of a copy lie within its two buffers. */
bool plan_copy_lies_within(const struct vkdml_plan_copy *copy, const struct vkdml_plan_buffer buffers[2]);

/* Whether all elements that a step of the map frame, of the gather frame's copies, of a reduction, but what gradients
 * and epilogues read beside it, of the rows or the scan frame reads and writes lie within its buffers; true of other
 * steps. */
bool plan_map_lies_within(const struct vkdml_plan_step *step);
bool plan_gather_lies_within(const struct vkdml_plan_step *step);
bool plan_reduce_lies_within(const struct vkdml_plan_step *step);
bool plan_rows_lies_within(const struct vkdml_plan_step *step);
bool plan_scan_lies_within(const struct vkdml_plan_step *step);

#endif
