/* What operators share that take input elements near an output element's place, or one of them. */
#ifndef VKDML_OPERATORS_NEIGHBOURHOOD_H
#define VKDML_OPERATORS_NEIGHBOURHOOD_H

#include "frames/gather/gather.h"
#include "frames/neighbours/neighbours.h"
#include "operators/operators.h"

/* Of input 0 and output 0, without dimensions. */
struct vkdml_neighbours vkdml_neighbours_begin(const struct vkdml_instance *instance);

VkdmlResult vkdml_refuse_stride(const struct vkdml_planning *planning);

/* Of a dimension: output coordinate o is input coordinate o / repeats * step + first. */
struct vkdml_copied {
    uint32_t repeats;
    uint32_t step;
    uint32_t first;
};

/* Plans a copy of input 0 to output 0 of which that is so in each dimension. */
VkdmlResult vkdml_plan_copied(const struct vkdml_copied *copied, const struct vkdml_planning *planning);

#endif
