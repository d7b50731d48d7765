#include "frames/random/random.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "kernels/blocks.h"
#include "plan/boxes.h"
#include "plan/dimensions.h"
#include "plan/step.h"

/* The strides of a dimension. */
enum { OUTPUT, NUMBER };

#define BLOCK 4 /* words that come of one counter */

/* A multiple of every subgroup size in use; items of an invocation, which share the keys of its rounds. */
#define LOCAL_SIZE 256
#define ITEMS      4

/* Of CPUs: an invocation per lane of lavapipe's vectors. An item takes a turn of a loop for each dimension, of which
 * lavapipe has 65,535 for an invocation. */
#define SERIAL_LOCAL_SIZE 8
#define SERIAL_ITEMS      1024
#define LEAST_SHARES      64

struct walk {
    const struct vkdml_random *random;
    struct vkdml_builder *builder;
    uint32_t rank;
    struct vkdml_dimension dimensions[VKDML_MAX_DIMENSIONS]; /* in the numbers' order, as few as there can be */
    bool is_first;                                           /* no step was added yet */
};

static void collapse(struct walk *walk) {
    const struct vkdml_view *output = &walk->random->output;
    uint32_t numbers[VKDML_MAX_DIMENSIONS];
    vkdml_packed_strides(output->rank, output->sizes, numbers);
    for (uint32_t d = 0; d < output->rank; ++d) {
        walk->dimensions[d] = (struct vkdml_dimension){output->sizes[d], {output->strides[d], numbers[d]}};
    }
    walk->rank = vkdml_dimensions_collapse(walk->dimensions, output->rank, NUMBER);
    if (walk->rank == 0) {
        walk->dimensions[0] = (struct vkdml_dimension){1, {1, 1}};
        walk->rank = 1;
    }
}

static struct vkdml_window window_of(const struct walk *walk, const struct vkdml_box *box) {
    struct vkdml_span span = {walk->random->output.at.first, 1};
    for (uint32_t d = 0; d < walk->rank; ++d) {
        const uint64_t stride = walk->dimensions[d].strides[OUTPUT];
        span.first += box->origin[d] * stride;
        span.count += (box->size[d] - 1) * stride;
    }
    return vkdml_window_of(span, 32);
}

static uint64_t bytes(void *context, uint32_t tensor, const struct vkdml_box *box, bool *fits) {
    const struct walk *walk = context;
    const struct vkdml_window window = window_of(walk, box);
    (void)tensor;
    *fits = vkdml_fits(walk->builder->limits, walk->random->output.at.offset + window.offset, window.size);
    return window.size;
}

static uint64_t reach(void *context, uint32_t tensor, const struct vkdml_box *box, uint32_t d) {
    const struct walk *walk = context;
    (void)tensor;
    return (uint64_t)(box->size[d] - 1) * walk->dimensions[d].strides[OUTPUT];
}

/* ---- one step ---- */

static uint32_t number_of(const struct walk *walk, const struct vkdml_box *box) {
    uint32_t number = 0;
    for (uint32_t d = 0; d < walk->rank; ++d) {
        number += box->origin[d] * walk->dimensions[d].strides[NUMBER];
    }
    return number;
}

static uint32_t innermost_stride(const struct vkdml_view *view) {
    return view->rank != 0 ? view->strides[view->rank - 1] : 0;
}

static void fill_parameters(const struct walk *walk, const struct vkdml_box *box, const struct vkdml_window *window,
                            struct vkdml_random_parameters *parameters, uint32_t *rank) {
    struct vkdml_dimension outer[VKDML_MAX_DIMENSIONS];
    const struct vkdml_dimension *row = &walk->dimensions[walk->rank - 1];
    uint32_t rows = 1;
    memset(parameters, 0, sizeof(*parameters));
    *rank = vkdml_dimensions_take(walk->dimensions, walk->rank - 1, box->size, outer);
    for (uint32_t d = 0; d < *rank; ++d) {
        const struct vkdml_divisor divisor = vkdml_divisor(outer[d].size);
        parameters->sizes[d][0] = outer[d].size;
        parameters->sizes[d][1] = divisor.multiplier;
        parameters->sizes[d][2] = divisor.shifts;
        parameters->sizes[d][3] = outer[d].strides[OUTPUT];
        parameters->numbers[d] = outer[d].strides[NUMBER];
        rows *= outer[d].size;
    }
    parameters->number_first = number_of(walk, box);
    parameters->row_length = box->size[walk->rank - 1];
    parameters->row_stride = row->strides[OUTPUT];
    /* Rows may begin up to three elements into a block; one row alone begins where it does. */
    const uint64_t lead = *rank == 0 ? parameters->number_first % BLOCK : BLOCK - 1;
    parameters->items_per_row = (uint32_t)vkdml_divide_up(parameters->row_length + lead, BLOCK);
    parameters->items_divisor = vkdml_divisor(parameters->items_per_row);
    parameters->item_count = rows * parameters->items_per_row; /* at most the elements */
    parameters->output_first = window->lead;
    parameters->state_stride = innermost_stride(&walk->random->state);
    parameters->next_stride = innermost_stride(&walk->random->next);
    parameters->block_count = (uint32_t)vkdml_divide_up(vkdml_view_elements(&walk->random->output), BLOCK);
}

/* Whether blocks are 16 aligned bytes of the output, wherever they are whole. */
static bool is_whole(const struct walk *walk, const struct vkdml_window *window, uint32_t rank,
                     const struct vkdml_random_parameters *parameters) {
    const struct vkdml_origin *at = &walk->random->output.at;
    const uint64_t lead = 4 * (uint64_t)window->lead;
    const uint32_t place = vkdml_place_modulo_16(walk->builder->limits, at->offset + window->offset, lead) / 4;
    bool whole = parameters->row_stride == 1 && place == parameters->number_first % BLOCK;
    for (uint32_t d = 0; d < rank; ++d) {
        whole = whole && parameters->sizes[d][3] % BLOCK == parameters->numbers[d] % BLOCK;
    }
    return whole;
}

static uint32_t share_of(uint32_t item_count) {
    const uint32_t share = item_count / LEAST_SHARES;
    return share == 0 ? 1 : share < SERIAL_ITEMS ? share : SERIAL_ITEMS;
}

static void bind(const struct walk *walk, const struct vkdml_window *window, bool has_next,
                 struct vkdml_plan_step *step) {
    const struct vkdml_random *random = walk->random;
    step->buffer_count = has_next ? 3 : 2;
    step->buffers[0] = vkdml_origin_buffer(&random->state.at, 0, vkdml_view_span(&random->state));
    step->buffers[1] = vkdml_origin_buffer(&random->output.at, window->offset, window->size);
    step->buffers[2] =
        has_next ? vkdml_origin_buffer(&random->next.at, 0, vkdml_view_span(&random->next)) : step->buffers[1];
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    struct walk *walk = context;
    const struct vkdml_plan_limits *limits = walk->builder->limits;
    const struct vkdml_window window = window_of(walk, box);
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint32_t local_size = vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    const bool has_next = walk->is_first && vkdml_view_exists(&walk->random->next);
    struct vkdml_random_parameters parameters;
    struct vkdml_plan_step *step;
    uint32_t rank;
    VkdmlResult result = vkdml_builder_add(walk->builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    fill_parameters(walk, box, &window, &parameters, &rank);
    parameters.share = serial ? share_of(parameters.item_count) : ITEMS;
    const uint64_t group_count = vkdml_divide_up(parameters.item_count, (uint64_t)local_size * parameters.share);
    parameters.group_count = (uint32_t)group_count;
    step->kernel = VKDML_KERNEL_RANDOM;
    vkdml_step_constant(step, VKDML_RANDOM_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_RANDOM_CONSTANT_RANK, rank);
    vkdml_step_constant(step, VKDML_RANDOM_CONSTANT_ITEMS, serial ? 0 : ITEMS);
    vkdml_step_constant(step, VKDML_RANDOM_CONSTANT_HAS_NEXT, has_next);
    vkdml_step_constant(step, VKDML_RANDOM_CONSTANT_IS_WHOLE, is_whole(walk, &window, rank, &parameters));
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    bind(walk, &window, has_next, step);
    vkdml_note_step(walk->builder->report, "blocks of four words, one counter each; %u for an invocation",
                    (unsigned)parameters.share);
    walk->is_first = false;
    return vkdml_grid(group_count, limits, walk->builder->report, step->groups);
}

VkdmlResult vkdml_random_plan(const struct vkdml_random *random, struct vkdml_builder *builder) {
    static const char *const names[VKDML_DIMENSION_STRIDES] = {"output strides", "numbers"};
    struct walk walk = {.random = random, .builder = builder, .is_first = true};
    collapse(&walk);
    vkdml_dimensions_note(walk.dimensions, walk.rank, "random, collapsed", names, builder->report);
    const struct vkdml_covering covering = {&walk, walk.rank, 1, builder, bytes, reach, add};
    const struct vkdml_box whole = vkdml_box_of(walk.rank, &walk.dimensions->size, sizeof(*walk.dimensions));
    return vkdml_cover(&covering, &whole);
}
