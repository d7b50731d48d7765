/* ScaleBias: how kernels are to scale the first operand of a map. */
#ifndef VKDML_OPERATORS_SCALE_BIAS_H
#define VKDML_OPERATORS_SCALE_BIAS_H

#include "frames/map/map.h"

/* Sets the map's scale and its arguments, for a first operand of a type. */
void vkdml_scale_bias_set(struct vkdml_map *map, DML_TENSOR_DATA_TYPE type, const DML_SCALE_BIAS *scale_bias,
                          const struct vkdml_plan_limits *limits);

#endif
