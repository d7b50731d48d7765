#include "plan/plan.h"

#include <string.h>

#include "base/memory.h"

#define FIRST_CAPACITY 1 /* most plans have one step */

void vkdml_plan_begin(struct vkdml_plan *plan, const VkAllocationCallbacks *callbacks) {
    *plan = (struct vkdml_plan){.callbacks = callbacks};
}

void vkdml_plan_end(struct vkdml_plan *plan) {
    while (plan->words != NULL) {
        struct vkdml_plan_words *before = plan->words->before;
        vkdml_free(plan->callbacks, plan->words);
        plan->words = before;
    }
    vkdml_free(plan->callbacks, plan->steps.items);
    vkdml_free(plan->callbacks, plan->init_steps.items);
    vkdml_free(plan->callbacks, plan->spare_steps.items);
    vkdml_plan_begin(plan, plan->callbacks);
}

static VkdmlResult reserve_steps(struct vkdml_plan *plan, struct vkdml_plan_steps *steps, uint32_t more,
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

/* An arena is twice as large as the one before. */
static VkdmlResult reserve_words(struct vkdml_plan *plan, uint32_t more, struct vkdml_report *report) {
    const struct vkdml_plan_words *last = plan->words;
    if (last != NULL && more <= last->capacity - last->count) {
        return VKDML_SUCCESS;
    }
    uint64_t capacity = last != NULL ? 2 * (uint64_t)last->capacity : VKDML_PLAN_MAX_PARAMETERS;
    capacity = capacity > more ? capacity : more;
    const uint64_t bytes = sizeof(*last) + capacity * sizeof(*last->items);
    struct vkdml_plan_words *words =
        capacity <= UINT32_MAX && bytes <= SIZE_MAX ? vkdml_allocate_unset(plan->callbacks, (size_t)bytes) : NULL;
    if (words == NULL) {
        return vkdml_report_out_of_memory(report, bytes <= SIZE_MAX ? (size_t)bytes : SIZE_MAX, "a plan");
    }
    *words = (struct vkdml_plan_words){.before = plan->words, .capacity = (uint32_t)capacity};
    plan->words = words;
    return VKDML_SUCCESS;
}

VkdmlResult vkdml_plan_reserve(struct vkdml_plan *plan, struct vkdml_plan_steps *steps, uint32_t more, uint32_t words,
                               struct vkdml_report *report) {
    const VkdmlResult result = reserve_steps(plan, steps, more, report);
    return result == VKDML_SUCCESS ? reserve_words(plan, words, report) : result;
}

static bool has_spare(const struct vkdml_plan *plan, const struct vkdml_plan_step *step) {
    bool has = false;
    for (uint32_t s = 0; s < plan->spare_steps.count && !has; ++s) {
        const struct vkdml_plan_step *spare = &plan->spare_steps.items[s];
        has = spare->kernel == step->kernel && spare->buffer_count == step->buffer_count &&
              spare->constants_given == step->constants_given && spare->float_controls == step->float_controls &&
              spare->is_general == step->is_general &&
              memcmp(spare->constants, step->constants, sizeof(step->constants)) == 0;
    }
    return has;
}

VkdmlResult vkdml_plan_add_spares(struct vkdml_plan *plan, const struct vkdml_plan_step *steps, uint32_t count,
                                  struct vkdml_report *report) {
    VkdmlResult result = reserve_steps(plan, &plan->spare_steps, count, report);
    for (uint32_t i = 0; i < count && result == VKDML_SUCCESS; ++i) {
        if (steps[i].kind == VKDML_PLAN_DISPATCH && !has_spare(plan, &steps[i])) {
            struct vkdml_plan_step *spare = &plan->spare_steps.items[plan->spare_steps.count++];
            *spare = steps[i];
            spare->words = NULL;
            spare->parameter_count = 0;
        }
    }
    return result;
}

const uint32_t *vkdml_plan_step_parameters(const struct vkdml_plan_step *step) {
    return step->words->items + step->first_parameter;
}
