/* One dispatch of an index: a part of it, small enough to bind. */
#ifndef VKDML_FRAMES_INDEX_INDEX_STEP_H
#define VKDML_FRAMES_INDEX_INDEX_STEP_H

#include "frames/index/index.h"
#include "plan/boxes.h"
#include "plan/step.h"

struct vkdml_index_part {
    struct vkdml_box box;
    struct vkdml_window output;
    struct vkdml_window indices;
    struct vkdml_window input;
    struct vkdml_window rest; /* of SCATTER */
    bool has_windows;         /* the input is bound in part */
    bool is_first_window;     /* .. and this is its first part */
};

/* Whether it goes by lines in shared memory (index_lines.comp). */
bool vkdml_index_has_lines(const struct vkdml_index *index, const struct vkdml_index_part *part,
                           const struct vkdml_plan_limits *limits);

/* index: collapsed. */
VkdmlResult vkdml_index_fill_step(const struct vkdml_index *index, const struct vkdml_index_part *part,
                                  const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                  struct vkdml_plan_step *step);

#endif
