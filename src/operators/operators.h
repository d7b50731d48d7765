/* The operators: rules that the table cannot say, and planners. One pair of functions per row of the table. */
#ifndef VKDML_OPERATORS_OPERATORS_H
#define VKDML_OPERATORS_OPERATORS_H

#include "base/report.h"
#include "kernels/plan.h"
#include "schema/schema.h"
#include "vkdml/operator.h"

/* Copies and validates a descriptor: readability, the table's rules, the operator's own. *instance is NULL on failure.
 */
VkdmlResult vkdml_validate(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level,
                           const VkAllocationCallbacks *callbacks, struct vkdml_report *report,
                           struct vkdml_instance **instance);

/* Plans a valid instance for a device. plan was begun, and is to be ended whatever comes of it. */
VkdmlResult vkdml_plan(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                       VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan);

/* One operator's rules and planner; see schema/operator_table.inc for the list. An operator that may be fused into
 * others is held to its rules there too: they look at attributes only, because it has no tensors then. */
#define VKDML_OPERATOR(NAME, name, ...)                                                                                \
    void vkdml_rules_##name(const struct vkdml_instance *instance, struct vkdml_report *report);                       \
    VkdmlResult vkdml_plan_##name(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,       \
                                  VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan);
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR

#endif
