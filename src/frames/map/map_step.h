/* One dispatch of a map: a part of it, small enough to bind. */
#ifndef VKDML_FRAMES_MAP_MAP_STEP_H
#define VKDML_FRAMES_MAP_MAP_STEP_H

#include "frames/map/map.h"
#include "plan/boxes.h"
#include "plan/step.h"

struct vkdml_map_part {
    struct vkdml_box box;
    struct vkdml_window windows[VKDML_MAP_OPERANDS + 1]; /* as the map's tensors; of those that are bound */
};

/* map: collapsed. */
VkdmlResult vkdml_map_fill_step(const struct vkdml_map *map, const struct vkdml_map_part *part,
                                const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                struct vkdml_plan_step *step);

#endif
