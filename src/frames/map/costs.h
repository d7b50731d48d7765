/* What operations and functions take, as glsl/common/operation_list.inc says. */
#ifndef VKDML_FRAMES_MAP_COSTS_H
#define VKDML_FRAMES_MAP_COSTS_H

#include <stdbool.h>

#include "plan/epilogue.h"

/* Turns of loops for one element, at most; and whether it computes longer than finding the element's place takes. */
struct vkdml_map_cost {
    uint32_t turns;
    bool is_much;
};

/* Of both. */
struct vkdml_map_cost vkdml_map_cost(enum vkdml_map_operation operation, enum vkdml_map_function function);

#endif
