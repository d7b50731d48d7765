/* Which steps of a plan must wait for others. */
#include "plan/plan.h"

bool vkdml_plan_step_writes(const struct vkdml_plan_step *step, uint32_t index) {
    switch (step->kind) {
    case VKDML_PLAN_COPY:
        return index == 1;
    case VKDML_PLAN_FILL:
        return true;
    case VKDML_PLAN_DISPATCH:
        break;
    }
    return (vkdml_kernel_info(step->kernel)->written >> index & 1) != 0;
}

/* Whether two buffers may be in one place, but for their ranges. */
static bool may_coincide(const struct vkdml_plan *plan, const struct vkdml_plan_buffer *a,
                         const struct vkdml_plan_buffer *b) {
    if (a->resource == b->resource) {
        return a->index == b->index;
    }
    const struct vkdml_plan_buffer *output = a->resource == VKDML_PLAN_OUTPUT ? a : b;
    const struct vkdml_plan_buffer *input = a->resource == VKDML_PLAN_OUTPUT ? b : a;
    if (output->resource != VKDML_PLAN_OUTPUT || input->resource != VKDML_PLAN_INPUT) {
        return false;
    }
    for (uint32_t i = 0; i < plan->alias_count; ++i) {
        if (plan->aliases[i].output == output->index && plan->aliases[i].input == input->index) {
            return true;
        }
    }
    return false;
}

/* Descriptors begin at multiples of an alignment, before what is bound: of 16 bytes at least, as tensors do. A kernel
 * that touches nothing there still binds what another one writes. */
static uint64_t first_bound(const struct vkdml_plan_buffer *buffer) {
    return buffer->offset / DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT * DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT;
}

static bool overlap(const struct vkdml_plan *plan, const struct vkdml_plan_buffer *a,
                    const struct vkdml_plan_buffer *b) {
    return first_bound(a) < b->offset + b->size && first_bound(b) < a->offset + a->size && may_coincide(plan, a, b);
}

bool vkdml_plan_steps_meet(const struct vkdml_plan *plan, const struct vkdml_plan_step *earlier,
                           const struct vkdml_plan_step *later) {
    for (uint32_t a = 0; a < earlier->buffer_count; ++a) {
        const bool is_written = vkdml_plan_step_writes(earlier, a);
        for (uint32_t b = 0; b < later->buffer_count; ++b) {
            if ((is_written || vkdml_plan_step_writes(later, b)) &&
                overlap(plan, &earlier->buffers[a], &later->buffers[b])) {
                return true;
            }
        }
    }
    return false;
}

static void synchronize(const struct vkdml_plan *plan, struct vkdml_plan_steps *steps, uint32_t from) {
    uint32_t first = from; /* of the steps that no barrier has come after yet */
    while (first > 0 && (first == from || !steps->items[first].barrier_before)) {
        --first;
    }
    for (uint32_t s = from; s < steps->count; ++s) {
        struct vkdml_plan_step *step = &steps->items[s];
        step->barrier_before = false;
        for (uint32_t e = first; e < s && steps->items[e].phase < step->phase && !step->barrier_before; ++e) {
            step->barrier_before = vkdml_plan_steps_meet(plan, &steps->items[e], step);
        }
        first = step->barrier_before ? s : first;
    }
}

void vkdml_plan_synchronize(struct vkdml_plan *plan, uint32_t first_step, uint32_t first_init_step) {
    synchronize(plan, &plan->steps, first_step);
    synchronize(plan, &plan->init_steps, first_init_step);
}
