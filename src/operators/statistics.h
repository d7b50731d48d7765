/* What is known of all elements that differ in some dimensions alone: numbers in the temporary resource, which maps
 * then take as operands. */
#ifndef VKDML_OPERATORS_STATISTICS_H
#define VKDML_OPERATORS_STATISTICS_H

#include "frames/reduce/reduce.h"
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

#endif
