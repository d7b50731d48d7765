#include "plan/plan.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/notes.h"

/* Enough for every operator whose tensors can be bound whole. */
#define FIRST_CAPACITY 4

void vkdml_plan_begin(struct vkdml_plan *plan, const VkAllocationCallbacks *callbacks) {
    *plan = (struct vkdml_plan){.callbacks = callbacks};
}

void vkdml_plan_end(struct vkdml_plan *plan) {
    vkdml_free(plan->callbacks, plan->steps.items);
    vkdml_free(plan->callbacks, plan->init_steps.items);
    vkdml_plan_begin(plan, plan->callbacks);
}

static VkdmlResult grow(struct vkdml_plan *plan, struct vkdml_plan_steps *steps, struct vkdml_report *report) {
    const uint32_t capacity = steps->capacity != 0 ? 2 * steps->capacity : FIRST_CAPACITY;
    const size_t bytes = capacity * sizeof(*steps->items);
    struct vkdml_plan_step *items = vkdml_allocate(plan->callbacks, bytes);
    if (items == NULL) {
        return vkdml_report_out_of_memory(report, bytes, "a plan");
    }
    if (steps->count != 0) {
        memcpy(items, steps->items, steps->count * sizeof(*items));
    }
    vkdml_free(plan->callbacks, steps->items);
    steps->items = items;
    steps->capacity = capacity;
    return VKDML_SUCCESS;
}

VkdmlResult vkdml_plan_add(struct vkdml_plan *plan, struct vkdml_plan_steps *steps,
                           const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                           struct vkdml_plan_step **step) {
    if (steps->count == VKDML_PLAN_MAX_STEPS) {
        return vkdml_report_add(
            report, VKDML_ERROR_LIMIT_EXCEEDED,
            "needs more than %d dispatches to bind its tensors within maxStorageBufferRange (%" PRIu64 ")",
            VKDML_PLAN_MAX_STEPS, limits->max_storage_buffer_range);
    }
    VkdmlResult result = steps->count == steps->capacity ? grow(plan, steps, report) : VKDML_SUCCESS;
    if (result == VKDML_SUCCESS) {
        *step = &steps->items[steps->count++];
        **step = (struct vkdml_plan_step){.kernel = VKDML_KERNEL_COPY, .noted = vkdml_note_begin_step(report)};
    }
    return result;
}
