#include "plan/builder.h"

#include <assert.h>
#include <inttypes.h>

#include "base/notes.h"

struct vkdml_builder vkdml_builder_begin(struct vkdml_plan *plan, const struct vkdml_plan_limits *limits,
                                         struct vkdml_report *report) {
    return (struct vkdml_builder){limits, report, plan, &plan->steps, plan->steps.count, plan->init_steps.count};
}

struct vkdml_builder vkdml_builder_at_initialization(const struct vkdml_builder *builder) {
    struct vkdml_builder initialization = *builder;
    initialization.steps = &builder->plan->init_steps;
    initialization.first = builder->first_init;
    if (builder->limits->initialization) {
        initialization.limits = builder->limits->initialization;
    }
    return initialization;
}

void vkdml_builder_phase(struct vkdml_builder *builder) {
    ++builder->steps->phase;
}

VkdmlResult vkdml_builder_expect(const struct vkdml_builder *builder, uint64_t steps) {
    if (steps <= VKDML_PLAN_MAX_STEPS - (builder->steps->count - builder->first)) {
        return VKDML_SUCCESS;
    }
    return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                            "needs more than %d dispatches to bind its tensors within maxStorageBufferRange (%" PRIu64
                            ")",
                            VKDML_PLAN_MAX_STEPS, builder->limits->max_storage_buffer_range);
}

VkdmlResult vkdml_builder_add(struct vkdml_builder *builder, struct vkdml_plan_step **step) {
    struct vkdml_plan_steps *steps = builder->steps;
    VkdmlResult result = vkdml_builder_expect(builder, 1);
    if (result == VKDML_SUCCESS) {
        result = vkdml_plan_reserve(builder->plan, steps, 1, VKDML_PLAN_MAX_PARAMETERS, builder->report);
    }
    if (result == VKDML_SUCCESS) {
        *step = &steps->items[steps->count++];
        **step = (struct vkdml_plan_step){.kernel = VKDML_KERNEL_COPY,
                                          .phase = builder->steps->phase,
                                          .is_general = builder->limits->general,
                                          .node = VKDML_PLAN_NO_NODE,
                                          .noted = vkdml_note_begin_step(builder->report),
                                          .words = builder->plan->words};
    }
    return result;
}

bool vkdml_builder_wants_spares(const struct vkdml_builder *builder) {
    const struct vkdml_plan_pipelines *pipelines = builder->limits->pipelines;
    return builder->limits->general && (!pipelines || pipelines->is_first);
}

VkdmlResult vkdml_builder_add_spare(struct vkdml_builder *builder, const struct vkdml_plan_step *step) {
    return vkdml_builder_wants_spares(builder) ? vkdml_plan_add_spares(builder->plan, step, 1, builder->report)
                                               : VKDML_SUCCESS;
}

/* All regions begin where resources may be bound: at multiples of every device's alignment. */
static uint64_t take(uint64_t *total, uint64_t bytes) {
    const uint64_t offset = *total;
    if (offset >= VKDML_PLAN_ENDLESS_BYTES) {
        return offset; /* no sum of more wraps */
    }
    _Static_assert(DML_TEMPORARY_BUFFER_ALIGNMENT == VKDML_PLAN_REGION_ALIGNMENT &&
                       DML_PERSISTENT_BUFFER_ALIGNMENT == VKDML_PLAN_REGION_ALIGNMENT,
                   "one rule for both resources");
    assert(offset % VKDML_PLAN_REGION_ALIGNMENT == 0);
    *total += (bytes + VKDML_PLAN_REGION_ALIGNMENT - 1) / VKDML_PLAN_REGION_ALIGNMENT * VKDML_PLAN_REGION_ALIGNMENT;
    return offset;
}

/* A region of a resource that has so many bytes yet. */
static struct vkdml_origin reserve(const struct vkdml_builder *builder, enum vkdml_plan_resource resource,
                                   uint64_t *taken, const char *name, uint64_t bytes, DML_TENSOR_DATA_TYPE type) {
    const uint64_t offset = take(taken, bytes);
    vkdml_note(builder->report, "%s resource, from byte %" PRIu64 " on: %" PRIu64 " bytes of %s",
               resource == VKDML_PLAN_TEMPORARY ? "temporary" : "persistent", offset, bytes, name);
    return (struct vkdml_origin){.resource = resource, .offset = offset, .type = type};
}

struct vkdml_origin vkdml_builder_region(struct vkdml_builder *builder, const char *name, uint64_t bytes,
                                         DML_TENSOR_DATA_TYPE type) {
    return reserve(builder, VKDML_PLAN_TEMPORARY, &builder->steps->temporary_bytes, name, bytes, type);
}

struct vkdml_origin vkdml_builder_kept(struct vkdml_builder *builder, const char *name, uint64_t bytes,
                                       DML_TENSOR_DATA_TYPE type) {
    return reserve(builder, VKDML_PLAN_PERSISTENT, &builder->plan->persistent_bytes, name, bytes, type);
}

void vkdml_builder_place(struct vkdml_builder *builder, const char *name, struct vkdml_view *view) {
    uint64_t elements;
    const bool fits = vkdml_element_count(view->rank, view->sizes, &elements) && elements <= UINT32_MAX;
    view->at.first = 0;
    view->at =
        vkdml_builder_region(builder, name, fits ? vkdml_view_span(view) : VKDML_PLAN_ENDLESS_BYTES, view->at.type);
}

struct vkdml_view vkdml_builder_scratch(struct vkdml_builder *builder, const char *name, const struct vkdml_view *like,
                                        DML_TENSOR_DATA_TYPE type) {
    struct vkdml_view view = *like;
    view.at.type = type;
    vkdml_view_pack(&view);
    vkdml_builder_place(builder, name, &view);
    return view;
}

struct vkdml_builder_mark vkdml_builder_mark(const struct vkdml_builder *builder) {
    const struct vkdml_plan_steps *steps = builder->steps;
    return (struct vkdml_builder_mark){steps->count, steps->phase, steps->temporary_bytes};
}

const struct vkdml_plan_step *vkdml_builder_first_since(const struct vkdml_builder *builder,
                                                        const struct vkdml_builder_mark *mark) {
    const struct vkdml_plan_steps *steps = builder->steps;
    return mark->steps < steps->count ? &steps->items[mark->steps] : NULL;
}

const struct vkdml_plan_step *vkdml_builder_last_before(const struct vkdml_builder *builder,
                                                        const struct vkdml_builder_mark *mark) {
    return mark->steps > builder->first ? &builder->steps->items[mark->steps - 1] : NULL;
}

void vkdml_builder_undo(struct vkdml_builder *builder, const struct vkdml_builder_mark *mark) {
    builder->steps->count = mark->steps; /* their words stay where they are */
    builder->steps->phase = mark->phase;
    builder->steps->temporary_bytes = mark->temporary_bytes;
}

VkdmlResult vkdml_builder_spare_since(struct vkdml_builder *builder, const struct vkdml_builder_mark *mark) {
    const struct vkdml_plan_steps *steps = builder->steps;
    const VkdmlResult result =
        steps->count == mark->steps
            ? VKDML_SUCCESS
            : vkdml_plan_add_spares(builder->plan, &steps->items[mark->steps], steps->count - mark->steps,
                                    builder->report);
    vkdml_builder_undo(builder, mark);
    return result;
}

void vkdml_builder_phase_since(struct vkdml_builder *builder, const struct vkdml_builder_mark *mark) {
    struct vkdml_plan_steps *steps = builder->steps;
    for (uint32_t s = mark->steps; s < steps->count; ++s) {
        ++steps->items[s].phase;
    }
    ++steps->phase;
}
