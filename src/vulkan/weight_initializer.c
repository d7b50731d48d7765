/* Initializers of some of a compiled graph's regions in a weight store. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "vulkan/device.h"
#include "vulkan/dispatchable.h"
#include "vulkan/weights.h"

/* Bytes of the compiled graph's temporary memory that chosen steps use, and where they are in the initializer's. */
struct span {
    uint64_t begin, end;
    uint64_t to;
};

/* What is chosen so far; all arrays are in one piece of memory. */
struct choice {
    VkdmlDispatchable compiled;
    const struct vkdml_weights *weights;
    uint64_t max_input_bytes;
    bool *wanted; /* by region */
    bool *trial;  /* the same with one more */
    bool *marked; /* by init step */
    bool *read;   /* by input */
    bool is_blocked; /* by a region that another initializer claims, or that only another graph can make */
    struct span *spans;
    uint32_t span_count;
};

static void *take(unsigned char **memory, size_t count, size_t size) {
    void *part = *memory;
    *memory += (count * size + 15) / 16 * 16;
    return part;
}

static void *begin(struct choice *choice, VkdmlDispatchable compiled, uint64_t max_input_bytes,
                   struct vkdml_report *report) {
    const struct vkdml_weights *weights = compiled->weights;
    const size_t regions = weights->region_count, steps = weights->flow.step_count, inputs = compiled->input_count;
    const size_t spans = steps * VKDML_PLAN_MAX_BUFFERS;
    const size_t bytes = 2 * regions + steps + inputs + spans * sizeof(struct span) + UINT64_C(16) * 5;
    unsigned char *memory = vkdml_allocate(compiled->handle.device->callbacks, bytes);
    void *all = memory;
    if (memory == NULL) {
        vkdml_report_out_of_memory(report, bytes, "a choice of weights");
        return NULL;
    }
    *choice = (struct choice){.compiled = compiled,
                              .weights = weights,
                              .max_input_bytes = max_input_bytes == 0 ? UINT64_MAX : max_input_bytes};
    choice->spans = take(&memory, spans, sizeof *choice->spans);
    choice->wanted = take(&memory, regions, sizeof *choice->wanted);
    choice->trial = take(&memory, regions, sizeof *choice->trial);
    choice->marked = take(&memory, steps, sizeof *choice->marked);
    choice->read = take(&memory, inputs, sizeof *choice->read);
    return all;
}

/* ---- which regions ---- */

/* Whether a region is missing that was ready when the graph was compiled, which thus has no steps that make it. */
static bool is_of_others(const struct choice *choice, uint32_t region) {
    return atomic_load(&choice->weights->regions[region]->state) == VKDML_WEIGHT_MISSING &&
           !choice->weights->makes[region];
}

/* A region that only other graphs make is left to them, as one that another initializer claims. */
static unsigned state_of(const struct choice *choice, uint32_t region) {
    const unsigned state = atomic_load(&choice->weights->regions[region]->state);
    return is_of_others(choice, region) ? VKDML_WEIGHT_CLAIMED : state;
}

/* Marks the steps of the trial, and adds the regions that these read to it until there are no more. False if another
 * initializer is to make one of those first. */
static bool complete(struct choice *choice) {
    const struct vkdml_regions *flow = &choice->weights->flow;
    for (bool grows = true; grows;) {
        grows = false;
        vkdml_regions_mark(flow, choice->trial, choice->marked);
        for (uint32_t s = 0; s < flow->step_count; ++s) {
            for (uint32_t i = 0; choice->marked[s] && i < flow->steps[s].reads.count; ++i) {
                const uint32_t read = flow->indices[flow->steps[s].reads.first + i];
                const uint32_t region = vkdml_weights_first(choice->weights, read);
                if (state_of(choice, region) == VKDML_WEIGHT_CLAIMED) {
                    return false;
                }
                grows = grows || (state_of(choice, region) == VKDML_WEIGHT_MISSING && !choice->trial[region]);
                choice->trial[region] =
                    choice->trial[region] || state_of(choice, region) == VKDML_WEIGHT_MISSING;
            }
        }
    }
    return true;
}

/* Finds the inputs that marked steps read; their bytes. */
static uint64_t find_inputs(struct choice *choice) {
    uint64_t bytes = 0;
    memset(choice->read, 0, choice->compiled->input_count * sizeof *choice->read);
    for (uint32_t s = 0; s < choice->compiled->init_step_count; ++s) {
        const struct vkdml_step *step = &choice->compiled->init_steps[s];
        for (uint32_t b = 0; choice->marked[s] && b < step->buffer_count; ++b) {
            if (step->buffers[b].resource == VKDML_PLAN_INPUT && !choice->read[step->buffers[b].index]) {
                choice->read[step->buffers[b].index] = true;
                bytes += choice->compiled->inputs[step->buffers[b].index].bytes;
            }
        }
    }
    return bytes;
}

/* Chooses missing regions in their order, as long as their inputs are not too large together. Returns whether any was
 * chosen; marks and inputs are then theirs. */
static bool choose(struct choice *choice) {
    const uint32_t count = choice->weights->region_count;
    bool any = false, is_full = false;
    for (uint32_t r = 0; r < count && !is_full; ++r) {
        choice->is_blocked = choice->is_blocked || is_of_others(choice, r);
        if (state_of(choice, r) != VKDML_WEIGHT_MISSING || choice->wanted[r] ||
            vkdml_weights_first(choice->weights, r) != r) {
            continue;
        }
        memcpy(choice->trial, choice->wanted, count * sizeof *choice->trial);
        choice->trial[r] = true;
        const bool is_complete = complete(choice);
        choice->is_blocked = choice->is_blocked || !is_complete;
        is_full = is_complete && any && find_inputs(choice) > choice->max_input_bytes;
        if (is_complete && !is_full) {
            memcpy(choice->wanted, choice->trial, count * sizeof *choice->wanted);
            any = true;
        }
    }
    if (any) {
        vkdml_regions_mark(&choice->weights->flow, choice->wanted, choice->marked);
        find_inputs(choice);
    }
    return any;
}

/* ---- their steps ---- */

static int by_begin(const void *a, const void *b) {
    const struct span *left = a, *right = b;
    return left->begin < right->begin ? -1 : left->begin > right->begin;
}

/* Moves the temporary memory of marked steps together. Returns how much there is. */
static uint64_t compact(struct choice *choice) {
    const uint64_t block = VKDML_PLAN_REGION_ALIGNMENT;
    uint32_t count = 0;
    for (uint32_t s = 0; s < choice->compiled->init_step_count; ++s) {
        const struct vkdml_step *step = &choice->compiled->init_steps[s];
        for (uint32_t b = 0; choice->marked[s] && b < step->buffer_count; ++b) {
            const struct vkdml_plan_buffer *buffer = &step->buffers[b];
            if (buffer->resource == VKDML_PLAN_TEMPORARY) {
                choice->spans[count++] =
                    (struct span){.begin = buffer->offset / block * block,
                                  .end = (buffer->offset + buffer->size + block - 1) / block * block};
            }
        }
    }
    if (count > 0) {
        qsort(choice->spans, count, sizeof *choice->spans, by_begin);
    }
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; ++i) {
        struct span *last = choice->span_count == 0 ? NULL : &choice->spans[choice->span_count - 1];
        if (last != NULL && choice->spans[i].begin < last->end) {
            bytes += choice->spans[i].end > last->end ? choice->spans[i].end - last->end : 0;
            last->end = choice->spans[i].end > last->end ? choice->spans[i].end : last->end;
        } else {
            choice->spans[choice->span_count++] = (struct span){choice->spans[i].begin, choice->spans[i].end, bytes};
            bytes += choice->spans[i].end - choice->spans[i].begin;
        }
    }
    return bytes;
}

static uint64_t compacted(const struct choice *choice, uint64_t offset) {
    uint32_t low = 0, high = choice->span_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (choice->spans[middle].begin <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return choice->spans[low].to + (offset - choice->spans[low].begin);
}

/* Copies the marked steps. A barrier before a step that is left out comes before the next one of its stage. */
static void copy_steps(const struct choice *choice, VkdmlDispatchable initializer) {
    struct vkdml_step *to = initializer->steps;
    VkPipelineStageFlags dispatches = 0, transfers = 0;
    for (uint32_t s = 0; s < choice->compiled->init_step_count; ++s) {
        const struct vkdml_step *step = &choice->compiled->init_steps[s];
        VkPipelineStageFlags *waits = step->kind == VKDML_PLAN_DISPATCH ? &dispatches : &transfers;
        *waits |= step->waits_for;
        if (!choice->marked[s]) {
            continue;
        }
        *to = *step;
        to->waits_for = *waits;
        *waits = 0;
        for (uint32_t b = 0; b < to->buffer_count; ++b) {
            if (to->buffers[b].resource == VKDML_PLAN_TEMPORARY) {
                to->buffers[b].offset = compacted(choice, to->buffers[b].offset);
            }
        }
        ++to;
    }
}

static uint32_t count_true(const bool *flags, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sum += flags[i];
    }
    return sum;
}

/* ---- the whole ---- */

/* With the store's lock held. */
static struct vkdml_weights *claim(const struct choice *choice, struct vkdml_report *report) {
    const VkAllocationCallbacks *callbacks = choice->compiled->handle.device->callbacks;
    const struct vkdml_weights *used = choice->weights;
    const uint32_t count = count_true(choice->wanted, used->region_count);
    const size_t bytes = (count + (size_t)1) * sizeof *used->regions + used->page_count * sizeof *used->pages;
    struct vkdml_weights *claimed = vkdml_allocate(callbacks, sizeof *claimed);
    struct vkdml_weight_region **regions = vkdml_allocate(callbacks, bytes);
    if (claimed == NULL || regions == NULL) {
        vkdml_free(callbacks, claimed);
        vkdml_free(callbacks, regions);
        vkdml_report_out_of_memory(report, bytes + sizeof *claimed, "weights to initialize");
        return NULL;
    }
    *claimed = (struct vkdml_weights){.store = used->store, .is_claim = true, .regions = regions};
    claimed->page_count = used->page_count;
    claimed->pages = (const struct vkdml_weight_page **)(void *)(regions + count + 1);
    for (uint32_t p = 0; p < used->page_count; ++p) {
        claimed->pages[p] = used->pages[p];
    }
    for (uint32_t r = 0; r < used->region_count; ++r) {
        if (choice->wanted[r]) {
            regions[claimed->region_count++] = used->regions[r];
            ++used->regions[r]->users;
            atomic_store(&used->regions[r]->state, VKDML_WEIGHT_CLAIMED);
        }
    }
    ++used->store->references;
    return claimed;
}

static VkdmlResult create(struct choice *choice, struct vkdml_report *report, VkdmlDispatchable *initializer) {
    VkdmlDispatchable compiled = choice->compiled;
    struct vkdml_dispatchable_info info = {.kind = VKDML_OPERATOR_INITIALIZER,
                                           .context = "weight initializer",
                                           .input_count = compiled->input_count,
                                           .page_count = compiled->page_count,
                                           .step_count = count_true(choice->marked, compiled->init_step_count),
                                           .temporary_bytes = compact(choice)};
    VkdmlDispatchable made;
    VkdmlResult result = vkdml_dispatchable_create(compiled->handle.device, &info, report, &made);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    struct vkdml_weights *claimed = claim(choice, report);
    if (claimed == NULL) {
        vkdml_dispatchable_destroy(made);
        return report->result;
    }
    vkdml_dispatchable_take_weights(made, claimed);
    copy_steps(choice, made);
    for (uint32_t i = 0; i < made->input_count; ++i) {
        made->inputs[i] = vkdml_initializer_input(&compiled->inputs[i], VKDML_NO_INDEX);
        if (made->inputs[i].unbound == NULL && !choice->read[i]) {
            made->inputs[i].unbound = "this initializer does not read it";
        }
    }
    if (made->label != NULL) {
        snprintf(made->label, VKDML_LABEL_CAPACITY, "initializer of %u regions of weights", claimed->region_count);
    }
    *initializer = made;
    return VKDML_SUCCESS;
}

VkdmlResult vkdml_weight_initializer_create(VkdmlDispatchable compiled, uint64_t max_input_bytes,
                                            struct vkdml_report *report, VkdmlDispatchable *initializer) {
    struct choice choice;
    void *memory = begin(&choice, compiled, max_input_bytes, report);
    if (memory == NULL) {
        return report->result;
    }
    VkdmlWeightStore store = compiled->weights->store;
    VkdmlResult result = VKDML_SUCCESS;
    pthread_mutex_lock(&store->lock);
    if (choose(&choice)) {
        result = create(&choice, report, initializer);
    } else if (choice.is_blocked) {
        result = vkdml_report_invalid(report, "weights are missing that the initializer of another graph makes, which "
                                              "must be recorded first");
    }
    pthread_mutex_unlock(&store->lock);
    vkdml_free(compiled->handle.device->callbacks, memory);
    return result;
}
