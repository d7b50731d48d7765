/* Chains of maps as programs. */
#ifndef VKDML_GRAPH_CHAINS_H
#define VKDML_GRAPH_CHAINS_H

#include "graph/pattern.h"

/* Makes one node of operators that map elements and whose results only they read: the last of them gets a program for
 * its operator, the others are gone. Behind all patterns, which look at operators; the order of nodes is to stand, and
 * is found again. Notes say which nodes, and of those that stay apart why. */
VkdmlResult vkdml_fusion_join_chains(struct vkdml_fusion *fusion);

#endif
