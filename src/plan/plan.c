#include "plan/plan.h"

#include <string.h>

#include "base/memory.h"

/* Enough for every operator whose tensors can be bound whole. */
#define FIRST_CAPACITY 1 /* most have one; a step takes 1.5 KiB */

void vkdml_plan_begin(struct vkdml_plan *plan, const VkAllocationCallbacks *callbacks) {
    *plan = (struct vkdml_plan){.callbacks = callbacks};
}

void vkdml_plan_end(struct vkdml_plan *plan) {
    vkdml_free(plan->callbacks, plan->steps.items);
    vkdml_free(plan->callbacks, plan->init_steps.items);
    vkdml_plan_begin(plan, plan->callbacks);
}

VkdmlResult vkdml_plan_reserve(struct vkdml_plan *plan, struct vkdml_plan_steps *steps, uint32_t more,
                               struct vkdml_report *report) {
    if (more <= steps->capacity - steps->count) {
        return VKDML_SUCCESS;
    }
    const uint64_t wanted = (uint64_t)steps->count + more;
    uint64_t capacity = steps->capacity != 0 ? steps->capacity : FIRST_CAPACITY;
    while (capacity < wanted) {
        capacity *= 2;
    }
    const uint64_t bytes = capacity * sizeof(*steps->items);
    struct vkdml_plan_step *items =
        capacity <= UINT32_MAX && bytes <= SIZE_MAX ? vkdml_allocate(plan->callbacks, (size_t)bytes) : NULL;
    if (items == NULL) {
        return vkdml_report_out_of_memory(report, bytes <= SIZE_MAX ? (size_t)bytes : SIZE_MAX, "a plan");
    }
    if (steps->count != 0) {
        memcpy(items, steps->items, steps->count * sizeof(*items));
    }
    vkdml_free(plan->callbacks, steps->items);
    steps->items = items;
    steps->capacity = (uint32_t)capacity;
    return VKDML_SUCCESS;
}
