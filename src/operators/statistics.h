/* What is known of all elements that differ in some dimensions alone: numbers in the temporary resource, which maps
 * then take as operands. */
#ifndef VKDML_OPERATORS_STATISTICS_H
#define VKDML_OPERATORS_STATISTICS_H

#include "frames/reduce/reduce.h"
#include "frames/rows/rows.h"
#include "operators/operators.h"

/* One or two numbers of each reduction: packed, of size 1 in the dimensions that were folded. */
struct vkdml_statistics {
    struct vkdml_view numbers[2];
};

/* Plans a reduce of input 0: `reduce` says the dimensions, the function, the option and the argument. */
VkdmlResult vkdml_statistics_plan(const struct vkdml_reduce *reduce, const struct vkdml_planning *planning,
                                  struct vkdml_statistics *statistics);

/* The same of the tensor that `reduce` says too. */
VkdmlResult vkdml_statistics_plan_of(const struct vkdml_reduce *reduce, const struct vkdml_planning *planning,
                                     struct vkdml_statistics *statistics);

/* Plans what a map, or two, make of the numbers of a reduction. */
typedef VkdmlResult (*vkdml_statistics_use)(const struct vkdml_planning *planning,
                                            const struct vkdml_statistics *statistics, const void *context);

/* Plans rows at once where that suits them; else the reduce of input 0, and what uses it. In general plans the kernels
 * of the way that is not taken become spare steps. */
VkdmlResult vkdml_statistics_plan_rows(const struct vkdml_rows *rows, const struct vkdml_reduce *reduce,
                                       const struct vkdml_planning *planning, vkdml_statistics_use use,
                                       const void *context);

/* Plans what an operation makes of each element of a tensor and of the first numbers of its reduction: output 0. */
VkdmlResult vkdml_statistics_plan_map(const struct vkdml_planning *planning, enum vkdml_map_operation operation,
                                      const struct vkdml_view *tensor, const struct vkdml_statistics *statistics,
                                      uint32_t count);

#endif
