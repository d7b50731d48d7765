/* Maps as epilogues of the operators before them. */
#ifndef VKDML_GRAPH_TAILS_H
#define VKDML_GRAPH_TAILS_H

#include "graph/pattern.h"

/* Lets operators that take a tail do the maps behind them: sums and products with another tensor, and functions, that
 * no field of a descriptor says. Other tensors become further inputs. Behind all patterns, which look at operators, and
 * before chains of maps are joined, so that programs have what is left; the order of nodes is to stand, and is found
 * again. Notes say which nodes, and of those that stay apart why. */
VkdmlResult vkdml_fusion_join_tails(struct vkdml_fusion *fusion);

#endif
