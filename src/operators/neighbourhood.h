/* What operators share that take input elements near an output element's place, or one of them. */
#ifndef VKDML_OPERATORS_NEIGHBOURHOOD_H
#define VKDML_OPERATORS_NEIGHBOURHOOD_H

#include "frames/gather/gather.h"
#include "frames/neighbours/neighbours.h"
#include "operators/operators.h"

struct vkdml_neighbours_tensor vkdml_neighbours_tensor_of(enum vkdml_plan_resource resource,
                                                          const struct vkdml_tensor *tensor);

/* Of input 0 and output 0, without dimensions. */
struct vkdml_neighbours vkdml_neighbours_begin(const struct vkdml_instance *instance);

VkdmlResult vkdml_plan_neighbours(const struct vkdml_neighbours *neighbours, const struct vkdml_planning *planning);

VkdmlResult vkdml_refuse_stride(const struct vkdml_planning *planning);

/* Copies what a gather names, of element size, places and dimensions. */
VkdmlResult vkdml_plan_copied(struct vkdml_gather *gather, const struct vkdml_planning *planning);

#endif
