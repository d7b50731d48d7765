/* Plans of plans: one behind another, on buffers of the whole. */
#ifndef VKDML_PLAN_APPEND_H
#define VKDML_PLAN_APPEND_H

#include "plan/view.h"

/* Where the tensors of an appended plan lie in the whole. Counts may exceed what the plan uses. */
struct vkdml_renaming {
    uint32_t input_count;
    const struct vkdml_origin *inputs; /* by index; only resource, index and offset count, the latter a multiple of 16:
                                          what tensors are bound at, so that planners count on no more */
    const struct vkdml_origin *init_inputs; /* the same at initialization, of inputs that are OWNED_BY_DML; may be NULL
                                               where the plan has no such */
    uint32_t output_count;
    const struct vkdml_origin *outputs;
    uint64_t temporary_offset; /* of the temporary memory of its steps in that of the whole's: a multiple of 256, or
                                  VKDML_NEW_REGION: behind all that there is */
    uint32_t node;             /* whose steps these are, for labels */
    bool is_part;              /* barriers are to be found once all is appended: vkdml_plan_synchronize() */
};

#define VKDML_NEW_REGION UINT64_MAX

/* Appends a plan's steps and its initializer's, as phases of their own; its temporary and persistent memory become
 * regions. Barriers are found anew for all: steps that do not meet have none between them. `plan` has the aliases of
 * the whole; what `other` says of itself, aliases and that it keeps its input, is not taken over. Other borrows nothing
 * afterwards. VKDML_ERROR_OUT_OF_HOST_MEMORY leaves `plan` as it was. */
VkdmlResult vkdml_plan_append(struct vkdml_plan *plan, const struct vkdml_plan *other,
                              const struct vkdml_renaming *renaming, struct vkdml_report *report);

/* Puts a list's steps in the order of their phases, from one on; of plans that were appended with equal phases, because
 * none has to wait for another. VKDML_ERROR_OUT_OF_HOST_MEMORY. */
VkdmlResult vkdml_plan_sort_phases(struct vkdml_plan *plan, struct vkdml_plan_steps *steps, uint32_t first,
                                   struct vkdml_report *report);

/* Whether a step of the plan reads or writes input `index`. */
bool vkdml_plan_reads_input(const struct vkdml_plan *plan, uint32_t index);

/* Lets the plan's steps, not its initializer's, find input `index` elsewhere. */
void vkdml_plan_move_input(struct vkdml_plan *plan, uint32_t index, const struct vkdml_origin *to);

#endif
