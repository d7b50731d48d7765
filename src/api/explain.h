/* What explanations of operators and of graphs share. */
#ifndef VKDML_API_EXPLAIN_H
#define VKDML_API_EXPLAIN_H

#include "base/notes.h"
#include "plan/plan.h"
#include "schema/schema.h"
#include "vkdml/explain.h"

/* Of what a plan is. All of it is borrowed. */
struct vkdml_subject {
    const char *name;
    const struct vkdml_instance *instance; /* NULL: a graph */
    uint32_t input_count;
    uint32_t output_count;
    uint64_t input_bytes;
    uint64_t output_bytes;
    /* Of a graph: */
    uint32_t node_count;
    uint32_t level_count;
    const VkdmlExplainedNode *nodes;
    const uint64_t *level_bytes;
    uint64_t least_bytes;
};

/* Copies a plan and what was noted of it into an explanation. */
VkdmlResult vkdml_explain_plan(VkdmlDevice device, const struct vkdml_subject *subject, const struct vkdml_plan *plan,
                               const struct vkdml_notes *notes, struct vkdml_report *report,
                               const VkdmlExplanation **explanation);

#endif
