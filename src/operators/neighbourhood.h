/* What operators share that take input elements near an output element's place, or one of them. */
#ifndef VKDML_OPERATORS_NEIGHBOURHOOD_H
#define VKDML_OPERATORS_NEIGHBOURHOOD_H

#include "frames/gather/gather.h"
#include "frames/neighbours/neighbours.h"
#include "operators/operators.h"

/* Of input 0 and output 0, without dimensions. */
struct vkdml_neighbours vkdml_neighbours_begin(const struct vkdml_instance *instance);

VkdmlResult vkdml_refuse_stride(const struct vkdml_planning *planning);

/* Begins a copy of input 0 to output 0, without dimensions. */
struct vkdml_gather vkdml_begin_copied(const struct vkdml_instance *instance);

#endif
