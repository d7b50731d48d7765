#include "plan/append.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "plan/step.h"

/* Where the memory of an appended plan begins. */
struct places {
    const struct vkdml_origin *inputs;
    const struct vkdml_renaming *renaming;
    uint64_t temporary_offset;
    uint64_t persistent_offset;
};

static void rename_buffer(const struct places *places, struct vkdml_plan_buffer *buffer) {
    const struct vkdml_origin *origin = NULL;
    switch (buffer->resource) {
    case VKDML_PLAN_INPUT:
        assert(buffer->index < places->renaming->input_count && places->inputs != NULL);
        origin = &places->inputs[buffer->index];
        break;
    case VKDML_PLAN_OUTPUT:
        assert(buffer->index < places->renaming->output_count);
        origin = &places->renaming->outputs[buffer->index];
        break;
    case VKDML_PLAN_TEMPORARY:
        buffer->offset += places->temporary_offset;
        return;
    case VKDML_PLAN_PERSISTENT:
        buffer->offset += places->persistent_offset;
        return;
    case VKDML_PLAN_PAGE:
        return; /* in no planner's plan */
    }
    assert(origin->offset % DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT == 0);
    *buffer = vkdml_origin_buffer(origin, buffer->offset, buffer->size);
}

static uint32_t count_words(const struct vkdml_plan_steps *steps) {
    uint32_t count = 0;
    for (uint32_t s = 0; s < steps->count; ++s) {
        count += steps->items[s].parameter_count;
    }
    return count;
}

/* There is room, in the arena that all of both lists' words go to. */
static void append_steps(struct vkdml_plan_steps *steps, const struct vkdml_plan_steps *others,
                         struct vkdml_plan_words *words, const struct places *places) {
    if (others->count == 0) {
        return;
    }
    const uint32_t phase = steps->phase + 1;
    for (uint32_t s = 0; s < others->count; ++s) {
        struct vkdml_plan_step *step = &steps->items[steps->count++];
        *step = others->items[s];
        step->words = words;
        vkdml_step_parameters(step, vkdml_plan_step_parameters(&others->items[s]),
                              step->parameter_count * sizeof(*words->items));
        step->phase += phase;
        step->node = places->renaming->node;
        for (uint32_t b = 0; b < step->buffer_count; ++b) {
            rename_buffer(places, &step->buffers[b]);
        }
    }
    steps->phase = phase + others->phase + 1;
}

static uint64_t make_room(uint64_t wanted, uint64_t bytes, uint64_t *total) {
    const uint64_t offset = wanted == VKDML_NEW_REGION ? *total : wanted;
    assert(offset % VKDML_PLAN_REGION_ALIGNMENT == 0);
    *total = offset + bytes > *total ? offset + bytes : *total;
    return offset;
}

VkdmlResult vkdml_plan_append(struct vkdml_plan *plan, const struct vkdml_plan *other,
                              const struct vkdml_renaming *renaming, struct vkdml_report *report) {
    const uint32_t words = count_words(&other->steps) + count_words(&other->init_steps);
    VkdmlResult result = vkdml_plan_reserve(plan, &plan->steps, other->steps.count, words, report);
    if (result == VKDML_SUCCESS) {
        result = vkdml_plan_reserve(plan, &plan->init_steps, other->init_steps.count, words, report);
    }
    if (result == VKDML_SUCCESS && other->spare_steps.count != 0) {
        result = vkdml_plan_add_spares(plan, other->spare_steps.items, other->spare_steps.count, report);
    }
    if (result != VKDML_SUCCESS) {
        return result;
    }
    const uint32_t first_step = plan->steps.count, first_init_step = plan->init_steps.count;
    struct places places = {.inputs = renaming->inputs, .renaming = renaming};
    places.persistent_offset = make_room(VKDML_NEW_REGION, other->persistent_bytes, &plan->persistent_bytes);
    places.temporary_offset =
        make_room(renaming->temporary_offset, other->steps.temporary_bytes, &plan->steps.temporary_bytes);
    append_steps(&plan->steps, &other->steps, plan->words, &places);
    places.inputs = renaming->init_inputs;
    places.temporary_offset =
        make_room(VKDML_NEW_REGION, other->init_steps.temporary_bytes, &plan->init_steps.temporary_bytes);
    append_steps(&plan->init_steps, &other->init_steps, plan->words, &places);
    plan->keeps_input = false;
    if (!renaming->is_part) {
        vkdml_plan_synchronize(plan, first_step, first_init_step);
    }
    return VKDML_SUCCESS;
}

static bool is_ascending(const struct vkdml_plan_steps *steps, uint32_t first) {
    for (uint32_t s = first + 1; s < steps->count; ++s) {
        if (steps->items[s].phase < steps->items[s - 1].phase) {
            return false;
        }
    }
    return true;
}

VkdmlResult vkdml_plan_sort_phases(struct vkdml_plan *plan, struct vkdml_plan_steps *steps, uint32_t first,
                                   struct vkdml_report *report) {
    const uint32_t count = steps->count - first;
    const size_t bytes = count * sizeof(*steps->items);
    if (is_ascending(steps, first)) {
        return VKDML_SUCCESS;
    }
    struct vkdml_plan_step *before = vkdml_allocate(plan->callbacks, bytes);
    if (before == NULL) {
        return vkdml_report_out_of_memory(report, bytes, "steps in order");
    }
    memcpy(before, steps->items + first, bytes);
    uint32_t phase = UINT32_MAX, to = first;
    for (uint32_t s = 0; s < count; ++s) {
        phase = before[s].phase < phase ? before[s].phase : phase;
    }
    while (to < steps->count) { /* phases are few and side by side */
        for (uint32_t s = 0; s < count; ++s) {
            if (before[s].phase == phase) {
                steps->items[to++] = before[s];
            }
        }
        ++phase;
    }
    vkdml_free(plan->callbacks, before);
    return VKDML_SUCCESS;
}

static bool is_input(const struct vkdml_plan_buffer *buffer, uint32_t index) {
    return buffer->resource == VKDML_PLAN_INPUT && buffer->index == index;
}

bool vkdml_plan_reads_input(const struct vkdml_plan *plan, uint32_t index) {
    for (uint32_t s = 0; s < plan->steps.count; ++s) {
        const struct vkdml_plan_step *step = &plan->steps.items[s];
        for (uint32_t b = 0; b < step->buffer_count; ++b) {
            if (is_input(&step->buffers[b], index)) {
                return true;
            }
        }
    }
    return false;
}

void vkdml_plan_move_input(struct vkdml_plan *plan, uint32_t index, const struct vkdml_origin *to) {
    for (uint32_t s = 0; s < plan->steps.count; ++s) {
        struct vkdml_plan_step *step = &plan->steps.items[s];
        for (uint32_t b = 0; b < step->buffer_count; ++b) {
            struct vkdml_plan_buffer *buffer = &step->buffers[b];
            if (is_input(buffer, index)) {
                *buffer = vkdml_origin_buffer(to, buffer->offset, buffer->size);
            }
        }
    }
}
