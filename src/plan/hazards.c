/* Which steps of a plan must wait for others. */
#include "plan/plan.h"

uint32_t vkdml_plan_step_written(const struct vkdml_plan_step *step) {
    switch (step->kind) {
    case VKDML_PLAN_COPY:
        return 1u << 1;
    case VKDML_PLAN_FILL:
        return UINT32_MAX;
    case VKDML_PLAN_DISPATCH:
        break;
    }
    return vkdml_kernel_info(step->kernel)->written;
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

/* A step that others are held to, thousands of them to thousands: what it writes, and from where to where its buffers
 * reach, of whatever resource. */
struct candidate {
    const struct vkdml_plan_step *step;
    uint32_t written;
    uint64_t first, end;
};

static struct candidate candidate_of(const struct vkdml_plan_step *step) {
    struct candidate candidate = {step, vkdml_plan_step_written(step), UINT64_MAX, 0};
    for (uint32_t i = 0; i < step->buffer_count; ++i) {
        const uint64_t first = first_bound(&step->buffers[i]), end = step->buffers[i].offset + step->buffers[i].size;
        candidate.first = first < candidate.first ? first : candidate.first;
        candidate.end = end > candidate.end ? end : candidate.end;
    }
    return candidate;
}

/* Whether one of two steps writes what the other reads or writes, bound as the plan's aliases allow. */
static bool meet(const struct vkdml_plan *plan, const struct vkdml_plan_step *earlier, const struct candidate *later) {
    for (uint32_t a = 0; a < earlier->buffer_count; ++a) {
        const struct vkdml_plan_buffer *buffer = &earlier->buffers[a];
        if (buffer->offset + buffer->size <= later->first || first_bound(buffer) >= later->end) {
            continue;
        }
        const uint32_t written = vkdml_plan_step_written(earlier) >> a & 1 ? UINT32_MAX : later->written;
        for (uint32_t b = 0; b < later->step->buffer_count; ++b) {
            if ((written >> b & 1) != 0 && overlap(plan, buffer, &later->step->buffers[b])) {
                return true;
            }
        }
    }
    return false;
}

/* A step is held to so many of earlier phases at most, and waits unasked where there are more: beside hundreds of steps
 * a barrier takes no time, and two phases of 2048 steps, each held to all others, took 0.06 seconds of planning. */
#define MOST_EARLIER 512

/* Steps of a kind are of a pipeline stage, which a barrier before one of them is for. */
enum { DISPATCHES, TRANSFERS, STAGES };

static uint32_t stage_of(const struct vkdml_plan_step *step) {
    return step->kind == VKDML_PLAN_DISPATCH ? DISPATCHES : TRANSFERS;
}

/* The last step before one that a barrier for a stage comes before, or the first one. */
static uint32_t last_barrier(const struct vkdml_plan_steps *steps, uint32_t before, uint32_t stage) {
    while (before > 0) {
        const struct vkdml_plan_step *step = &steps->items[--before];
        if (step->barrier_before && stage_of(step) == stage) {
            return before;
        }
    }
    return 0;
}

/* Whether a step meets one of the steps from `first` to before `end`, since the last barrier for its stage. The phase
 * of the step begins at `begin`. Steps of one phase write different elements, but a transfer and a dispatch may write
 * different bytes of one word, where the kernel reads the whole word and writes it back. */
static bool must_wait(const struct vkdml_plan *plan, const struct vkdml_plan_steps *steps, uint32_t first,
                      uint32_t begin, uint32_t end, const struct vkdml_plan_step *step) {
    const struct candidate candidate = candidate_of(step);
    for (uint32_t e = first; e < end; ++e) {
        const struct vkdml_plan_step *earlier = &steps->items[e];
        if ((e < begin || stage_of(earlier) != stage_of(step)) && meet(plan, earlier, &candidate)) {
            return true;
        }
    }
    return false;
}

static void synchronize(const struct vkdml_plan *plan, struct vkdml_plan_steps *steps, uint32_t from) {
    /* of the steps that no barrier for a stage has come after yet */
    uint32_t firsts[STAGES] = {last_barrier(steps, from, DISPATCHES), last_barrier(steps, from, TRANSFERS)};
    uint32_t begin = from; /* of a step's phase */
    uint32_t in_phase = 0; /* a bit for each stage of the phase's steps so far */
    while (begin > 0 && from < steps->count && steps->items[begin - 1].phase == steps->items[from].phase) {
        in_phase |= UINT32_C(1) << stage_of(&steps->items[--begin]);
    }
    for (uint32_t s = from; s < steps->count; ++s) {
        struct vkdml_plan_step *step = &steps->items[s];
        const uint32_t stage_bit = UINT32_C(1) << stage_of(step);
        uint32_t *first = &firsts[stage_of(step)];
        if (s > 0 && steps->items[s - 1].phase != step->phase) {
            begin = s;
            in_phase = 0;
        }
        const bool are_many = begin > *first && begin - *first > MOST_EARLIER;
        const uint32_t end = (in_phase & ~stage_bit) != 0 ? s : begin;
        step->barrier_before = are_many || must_wait(plan, steps, *first, begin, end, step);
        in_phase |= stage_bit;
        *first = step->barrier_before ? s : *first;
    }
}

void vkdml_plan_synchronize(struct vkdml_plan *plan, uint32_t first_step, uint32_t first_init_step) {
    synchronize(plan, &plan->steps, first_step);
    synchronize(plan, &plan->init_steps, first_init_step);
}
