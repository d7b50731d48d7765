/* What is known of all elements that differ in some dimensions alone: numbers in the temporary resource, which maps
 * then take as operands. */
#ifndef VKDML_OPERATORS_STATISTICS_H
#define VKDML_OPERATORS_STATISTICS_H

#include "frames/reduce/reduce.h"
#include "operators/operators.h"

/* One or two numbers of each reduction. */
struct vkdml_statistics {
    struct vkdml_tensor tensor; /* of size 1 in the dimensions that were folded */
    uint64_t offsets[2];        /* of the first and the second, in the temporary resource */
};

/* Plans a reduce of input 0: `reduce` says the dimensions, the function, the option and the argument. */
VkdmlResult vkdml_statistics_plan(const struct vkdml_reduce *reduce, const struct vkdml_planning *planning,
                                  struct vkdml_statistics *statistics);

/* The same of the tensor that `reduce` says too. */
VkdmlResult vkdml_statistics_plan_of(const struct vkdml_reduce *reduce, const struct vkdml_planning *planning,
                                     struct vkdml_statistics *statistics);

/* Makes the first (0) or the second (1) an operand of a map, which is to be planned after. */
void vkdml_statistics_use(const struct vkdml_statistics *statistics, uint32_t which, uint32_t operand,
                          struct vkdml_map *map);

#endif
