/* As few dimensions as there can be. */
#ifndef VKDML_FRAMES_NEIGHBOURS_COLLAPSE_H
#define VKDML_FRAMES_NEIGHBOURS_COLLAPSE_H

#include <stdbool.h>

#include "frames/neighbours/neighbours.h"
#include "plan/boxes.h"

/* Orders dimensions as the target lies, outermost first; those that walk one run in every tensor become one, and walks
 * that lead nowhere else are none. Leaves at least one dimension. */
void vkdml_neighbours_collapse(struct vkdml_neighbours *n);

/* For general plans: adds dimensions of size 1 up to VKDML_MAX_DIMENSIONS to collapsed ones, and moves those that are
 * walked behind the others, but for the last where it stays. So kernels do not depend on how many remain after
 * collapsing. `box` is a part's: coordinates of the dimensions, then steps of the walks. */
void vkdml_neighbours_make_general(struct vkdml_neighbours *n, struct vkdml_box *box, bool keeps_last);

#endif
