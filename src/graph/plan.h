/* From a graph to a plan. */
#ifndef VKDML_GRAPH_PLAN_H
#define VKDML_GRAPH_PLAN_H

#include "graph/graph.h"
#include "plan/plan.h"
#include "vkdml/operator.h"

/* Plans a graph for a device: its inputs and outputs are the plan's. plan was begun, and is to be ended whatever comes
 * of it. Reasons bear the node. Barriers are to be found by vkdml_plan_synchronize(): weights that are stored already
 * leave fewer init steps. */
VkdmlResult vkdml_graph_plan(const struct vkdml_graph *graph, const struct vkdml_plan_limits *limits,
                             VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan);

#endif
