/* As few dimensions as there can be. */
#ifndef VKDML_FRAMES_NEIGHBOURS_COLLAPSE_H
#define VKDML_FRAMES_NEIGHBOURS_COLLAPSE_H

#include "frames/neighbours/neighbours.h"

/* Orders dimensions as the target lies, outermost first; those that walk one run in every tensor become one, and walks
 * that lead nowhere else are none. Leaves at least one dimension. */
void vkdml_neighbours_collapse(struct vkdml_neighbours *n);

#endif
