/* A graph for Graphviz. */
#ifndef DOT_H
#define DOT_H

#include <vkdml/vkdml.h>

#include "model/model.h"

/* Prints it on stdout: nodes with operators and sizes, those that became one in a box, and in colour what is done at
 * initialization. */
void dot_print(const struct graph *graph, const VkdmlExplanation *explanation);

#endif
