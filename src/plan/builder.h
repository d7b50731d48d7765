/* What planners write a plan with: steps in phases, and regions of memory. Barriers follow from these. */
#ifndef VKDML_PLAN_BUILDER_H
#define VKDML_PLAN_BUILDER_H

#include "plan/view.h"

/* Borrows all it points to; plain data, to be copied at will. */
struct vkdml_builder {
    const struct vkdml_plan_limits *limits;
    struct vkdml_report *report;
    struct vkdml_plan *plan;
    struct vkdml_plan_steps *steps; /* of the plan: execution's or initialization's */
    uint32_t first;                 /* of these, those before the operator's own */
    uint32_t first_init;            /* the same of initialization's */
};

/* A builder of what executes an operator, behind what the plan has. */
struct vkdml_builder vkdml_builder_begin(struct vkdml_plan *plan, const struct vkdml_plan_limits *limits,
                                         struct vkdml_report *report);

/* The same of what its initializer does, which may read inputs that are OWNED_BY_DML and write the persistent resource.
 */
struct vkdml_builder vkdml_builder_at_initialization(const struct vkdml_builder *builder);

/* Steps from here on may read and change what those before wrote. Steps of one phase do not: no barrier comes between
 * them, though their ranges may overlap, as those of elements that lie among one another do. Only a transfer and a
 * dispatch whose ranges overlap get a barrier between them. */
void vkdml_builder_phase(struct vkdml_builder *builder);

/* VKDML_ERROR_LIMIT_EXCEEDED where so many more steps are beyond VKDML_PLAN_MAX_STEPS: what knows how many it will add
 * asks before it looks at each, so that planning ends soon whatever a descriptor says. */
VkdmlResult vkdml_builder_expect(const struct vkdml_builder *builder, uint64_t steps);

/* Adds an empty step, with room for its parameter block. VKDML_ERROR_OUT_OF_HOST_MEMORY, or VKDML_ERROR_LIMIT_EXCEEDED
 * beyond VKDML_PLAN_MAX_STEPS. *step stays valid until the next step is added, and is to be filled in by then. */
VkdmlResult vkdml_builder_add(struct vkdml_builder *builder, struct vkdml_plan_step **step);

/* Whether spare steps are of use: in general plans, the first time that a graph is compiled. */
bool vkdml_builder_wants_spares(const struct vkdml_builder *builder);

/* Adds a copy of a step to the plan's spare ones, of which only the pipeline matters, where they are of use. */
VkdmlResult vkdml_builder_add_spare(struct vkdml_builder *builder, const struct vkdml_plan_step *step);

/* Scratch memory of `bytes` bytes in the temporary resource, at a multiple of 256, for as long as the plan runs.
 * `name`, static, is what explanations call it. */
struct vkdml_origin vkdml_builder_region(struct vkdml_builder *builder, const char *name, uint64_t bytes,
                                         DML_TENSOR_DATA_TYPE type);

/* The same in the persistent resource, for what an initializer leaves. */
struct vkdml_origin vkdml_builder_kept(struct vkdml_builder *builder, const char *name, uint64_t bytes,
                                       DML_TENSOR_DATA_TYPE type);

/* A temporary resource of so many bytes and more holds a tensor whose elements 32 bits do not count: no plan. A planner
 * that only tries something may come by one. */
#define VKDML_PLAN_ENDLESS_BYTES (UINT64_C(1) << 62)

/* A region for a tensor that has its type, sizes and strides, as long as these reach; of more than 2^32-1 elements
 * VKDML_PLAN_ENDLESS_BYTES. */
void vkdml_builder_place(struct vkdml_builder *builder, const char *name, struct vkdml_view *view);

/* A region for a packed tensor of a view's sizes, elements in the order in which the view's lie. */
struct vkdml_view vkdml_builder_scratch(struct vkdml_builder *builder, const char *name, const struct vkdml_view *like,
                                        DML_TENSOR_DATA_TYPE type);

/* How far a builder has come, for a planner that tries something and takes it back, or that learns from its steps
 * whether they had to be a phase of their own. */
struct vkdml_builder_mark {
    uint32_t steps;
    uint32_t phase;
    uint64_t temporary_bytes;
};

struct vkdml_builder_mark vkdml_builder_mark(const struct vkdml_builder *builder);

/* The first step since, NULL where there is none; until the next step is added. And the last one before. */
const struct vkdml_plan_step *vkdml_builder_first_since(const struct vkdml_builder *builder,
                                                        const struct vkdml_builder_mark *mark);
const struct vkdml_plan_step *vkdml_builder_last_before(const struct vkdml_builder *builder,
                                                        const struct vkdml_builder_mark *mark);

/* Takes back what was added since. */
void vkdml_builder_undo(struct vkdml_builder *builder, const struct vkdml_builder_mark *mark);

/* Makes spare steps of what was added since. */
VkdmlResult vkdml_builder_spare_since(struct vkdml_builder *builder, const struct vkdml_builder_mark *mark);

/* Begins a phase before what was added since. */
void vkdml_builder_phase_since(struct vkdml_builder *builder, const struct vkdml_builder_mark *mark);

#endif
