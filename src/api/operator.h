/* What a VkdmlOperator is, and its planning. */
#ifndef VKDML_API_OPERATOR_H
#define VKDML_API_OPERATOR_H

#include "base/report.h"
#include "plan/plan.h"
#include "schema/schema.h"
#include "vkdml/operator.h"
#include "vulkan/handles.h"

struct VkdmlOperator_T {
    struct vkdml_handle handle;
    struct vkdml_instance *instance;
};

/* How something is compiled. */
struct vkdml_compilation {
    struct vkdml_plan_limits limits;
    VkdmlCompileFlags flags;
    VkdmlWeightStore weight_store; /* the caller's, as the next two; checked */
    uint32_t weight_id_count;
    const uint64_t *weight_ids;
};

/* Reads the caller's flags, NULL for none. */
VkdmlResult vkdml_read_compile_info(VkdmlDevice device, const VkdmlCompileInfo *info, struct vkdml_report *report,
                                    struct vkdml_compilation *compilation);

/* Plans an operator for its device. info is the caller's, and may be NULL; plan was begun, and is to be ended whatever
 * comes of it. Reasons bear the operator's name. */
VkdmlResult vkdml_operator_plan(VkdmlOperator op, const VkdmlCompileInfo *info, struct vkdml_report *report,
                                struct vkdml_plan *plan);

#endif
