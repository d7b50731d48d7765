#include "frames/recurrent/recurrent.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "plan/step.h"

#define FOUR 4

enum { WEIGHTS, GIVEN, STATES, SEQUENCE };

/* Begins an area behind the others, at a multiple of 16 bytes. */
static uint32_t area(struct vkdml_recurrent_areas *areas, uint64_t words) {
    const uint64_t first = areas->words;
    areas->words += (words + FOUR - 1) / FOUR * FOUR;
    return (uint32_t)first; /* what does not fit is not bound */
}

void vkdml_recurrent_lay_out(struct vkdml_recurrent *recurrent, const struct vkdml_plan_limits *limits) {
    const uint64_t states = (uint64_t)recurrent->directions * recurrent->batch * recurrent->hidden;
    const uint64_t padded =
        (uint64_t)recurrent->directions * recurrent->batch * vkdml_recurrent_fours(recurrent) * FOUR;
    const uint64_t of_units = (uint64_t)recurrent->directions * recurrent->hidden;
    struct vkdml_recurrent_areas *areas = &recurrent->areas;
    memset(areas, 0, sizeof(*areas));
    vkdml_recurrent_choose_tile(recurrent, limits);
    areas->hidden[0] = area(areas, padded);
    areas->hidden[1] = area(areas, padded);
    areas->cell = area(areas, recurrent->cell == VKDML_RECURRENT_RNN ? 0 : states);
    areas->last = area(areas, states);
    areas->lengths = area(areas, recurrent->batch);
    areas->bias = area(areas, 2 * of_units * vkdml_recurrent_gates(recurrent->cell));
    areas->peephole = area(areas, 3 * of_units);
}

uint64_t vkdml_recurrent_weight_bytes(const struct vkdml_recurrent *recurrent, DML_TENSOR_DATA_TYPE type) {
    const uint64_t rows = vkdml_divide_up(recurrent->hidden, recurrent->tile.units) * recurrent->tile.units;
    return rows * vkdml_recurrent_fours(recurrent) * FOUR * recurrent->directions *
           vkdml_recurrent_gates(recurrent->cell) * vkdml_data_type_size(type);
}

/* Directions whose functions differ by arguments alone are made at once. */
static bool have_the_same_functions(const struct vkdml_recurrent *recurrent) {
    bool same = true;
    for (uint32_t i = 0; i < VKDML_RECURRENT_FUNCTIONS; ++i) {
        same = same && recurrent->functions[0][i].function == recurrent->functions[1][i].function;
    }
    return same;
}

static void fill_parameters(const struct vkdml_recurrent *recurrent, const struct vkdml_recurrent_chunk *chunk,
                            struct vkdml_recurrent_parameters *parameters) {
    const struct vkdml_recurrent_tile *tile = &recurrent->tile;
    const struct vkdml_recurrent_areas *areas = &recurrent->areas;
    *parameters = (struct vkdml_recurrent_parameters){
        .hidden = recurrent->hidden,
        .batch = recurrent->batch,
        .steps = recurrent->steps,
        .tiles = (uint32_t)vkdml_divide_up(recurrent->hidden, tile->units),
        .batch_tiles = (uint32_t)vkdml_divide_up(recurrent->batch, tile->columns * tile->each),
        .fours = vkdml_recurrent_fours(recurrent),
        .backward = recurrent->backward,
        .first_step = chunk->first,
        .chunk_steps = chunk->count,
        .clip = recurrent->clip,
        .hidden_areas = {areas->hidden[0], areas->hidden[1]},
        .cell_area = areas->cell,
        .last_area = areas->last,
        .lengths_area = areas->lengths,
        .bias_area = areas->bias,
        .peephole_area = areas->peephole,
    };
    if (vkdml_view_exists(&chunk->sequence)) {
        parameters->sequence_step = chunk->sequence.strides[0];
        parameters->sequence_row = chunk->sequence.strides[2];
        parameters->sequence_unit = chunk->sequence.strides[3];
        parameters->sequence_firsts[0] = (uint32_t)chunk->sequence_firsts[0];
        parameters->sequence_firsts[1] = (uint32_t)chunk->sequence_firsts[1];
    }
    for (uint32_t i = 0; i < VKDML_RECURRENT_FUNCTIONS; ++i) {
        for (uint32_t d = 0; d < recurrent->directions; ++d) {
            memcpy(parameters->arguments[2 * i + d], recurrent->functions[d][i].arguments,
                   sizeof(parameters->arguments[0]));
        }
    }
}

static void bind(const struct vkdml_recurrent *recurrent, const struct vkdml_recurrent_chunk *chunk,
                 struct vkdml_plan_step *step) {
    const uint64_t given = (uint64_t)4 * recurrent->directions * chunk->count * recurrent->batch *
                           vkdml_recurrent_gates(recurrent->cell) * recurrent->hidden;
    step->buffers[WEIGHTS] =
        vkdml_origin_buffer(&recurrent->weights, 0, vkdml_recurrent_weight_bytes(recurrent, recurrent->weights.type));
    step->buffers[GIVEN] = vkdml_origin_buffer(&chunk->given, 0, given);
    step->buffers[STATES] = vkdml_origin_buffer(&recurrent->states, 0, 4 * recurrent->areas.words);
    step->buffer_count = SEQUENCE;
    if (vkdml_view_exists(&chunk->sequence)) {
        step->buffers[SEQUENCE] = vkdml_origin_buffer(&chunk->sequence.at, 0, vkdml_view_span(&chunk->sequence));
        step->buffer_count = SEQUENCE + 1;
    }
}

static void set_constants(const struct vkdml_recurrent *recurrent, const struct vkdml_recurrent_chunk *chunk,
                          const struct vkdml_recurrent_function *functions, uint32_t float_controls,
                          struct vkdml_plan_step *step) {
    const struct vkdml_recurrent_tile *tile = &recurrent->tile;
    const uint32_t bits = vkdml_view_exists(&chunk->sequence) ? VKDML_RECURRENT_HAS_SEQUENCE : 0;
    const uint32_t shape = (uint32_t)recurrent->cell | recurrent->shape | bits;
    vkdml_step_constant(step, VKDML_RECURRENT_CONSTANT_LOCAL_SIZE, tile->units * tile->columns * tile->shares);
    vkdml_step_constant(step, VKDML_RECURRENT_CONSTANT_TYPE, (uint32_t)recurrent->weights.type);
    vkdml_step_constant(step, VKDML_RECURRENT_CONSTANT_SHAPE, shape);
    vkdml_step_constant(step, VKDML_RECURRENT_CONSTANT_UNITS, tile->units);
    vkdml_step_constant(step, VKDML_RECURRENT_CONSTANT_COLUMNS, tile->columns);
    vkdml_step_constant(step, VKDML_RECURRENT_CONSTANT_EACH, tile->each);
    vkdml_step_constant(step, VKDML_RECURRENT_CONSTANT_FUNCTION_F, (uint32_t)functions[VKDML_RECURRENT_F].function);
    vkdml_step_constant(step, VKDML_RECURRENT_CONSTANT_FUNCTION_G, (uint32_t)functions[VKDML_RECURRENT_G].function);
    vkdml_step_constant(step, VKDML_RECURRENT_CONSTANT_FUNCTION_H, (uint32_t)functions[VKDML_RECURRENT_H].function);
    vkdml_step_constant(step, VKDML_RECURRENT_CONSTANT_FLOAT_CONTROLS, float_controls);
    if (tile->loops) {
        vkdml_step_constant(step, VKDML_RECURRENT_CONSTANT_HELD, tile->held);
    }
}

static void note_step(const struct vkdml_recurrent *recurrent, const struct vkdml_recurrent_chunk *chunk,
                      struct vkdml_report *report) {
    const struct vkdml_recurrent_tile *tile = &recurrent->tile;
    if (tile->loops) {
        vkdml_note_step(report,
                        "%" PRIu32
                        " steps of a recurrent network by one dispatch: a workgroup makes all units of %" PRIu32
                        " sequences, sums by %" PRIu32 " invocations each",
                        chunk->count, tile->each, tile->shares);
    } else {
        vkdml_note_step(report,
                        "%" PRIu32 " steps of a recurrent network, a dispatch for each%s: workgroups make %" PRIu32
                        " units of %" PRIu32 " sequences, sums by %" PRIu32 " invocations each",
                        chunk->count, (recurrent->shape & VKDML_RECURRENT_RESETS_FIRST) != 0 ? " of two turns" : "",
                        tile->units, tile->columns * tile->each, tile->shares);
    }
}

/* Adds what other batches need, whose sequences workgroups share in other ways. */
static VkdmlResult add_spares(const struct vkdml_recurrent *recurrent, const struct vkdml_recurrent_chunk *chunk,
                              uint32_t direction, const struct vkdml_plan_step *step, struct vkdml_builder *builder) {
    static const uint32_t batches[] = {1, 2, 3, 5, 9, 17, 200, 400};
    const struct vkdml_plan_step kernel = {.kind = VKDML_PLAN_DISPATCH,
                                           .is_general = true,
                                           .buffer_count = step->buffer_count,
                                           .float_controls = step->float_controls};
    VkdmlResult result = VKDML_SUCCESS;
    for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]) && result == VKDML_SUCCESS; ++i) {
        struct vkdml_recurrent other = *recurrent;
        struct vkdml_plan_step spare = kernel;
        other.batch = batches[i];
        vkdml_recurrent_choose_tile(&other, builder->limits);
        spare.kernel = other.tile.loops ? VKDML_KERNEL_RECURRENT_LOOP : VKDML_KERNEL_RECURRENT;
        set_constants(&other, chunk, recurrent->functions[direction], kernel.float_controls, &spare);
        result = vkdml_builder_add_spare(builder, &spare);
    }
    return result;
}

/* The steps of some directions of a chunk. */
static VkdmlResult add_turns(const struct vkdml_recurrent *recurrent, const struct vkdml_recurrent_chunk *chunk,
                             uint32_t first_direction, uint32_t directions, struct vkdml_builder *builder) {
    const uint32_t turns = (recurrent->shape & VKDML_RECURRENT_RESETS_FIRST) != 0 ? 2 : 1;
    struct vkdml_recurrent_parameters parameters;
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    fill_parameters(recurrent, chunk, &parameters);
    const uint64_t groups = (uint64_t)parameters.tiles * parameters.batch_tiles * directions;
    parameters.group_count = (uint32_t)groups;
    parameters.first_direction = first_direction;
    step->kernel = recurrent->tile.loops ? VKDML_KERNEL_RECURRENT_LOOP : VKDML_KERNEL_RECURRENT;
    step->float_controls = builder->limits->float_controls;
    step->repeat_count = recurrent->tile.loops ? 0 : turns * chunk->count;
    set_constants(recurrent, chunk, recurrent->functions[first_direction], step->float_controls, step);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    bind(recurrent, chunk, step);
    note_step(recurrent, chunk, builder->report);
    result = vkdml_grid(groups, builder->limits, builder->report, step->groups);
    return result == VKDML_SUCCESS && vkdml_builder_wants_spares(builder)
               ? add_spares(recurrent, chunk, first_direction, step, builder)
               : result;
}

VkdmlResult vkdml_recurrent_plan(const struct vkdml_recurrent *recurrent, const struct vkdml_recurrent_chunk *chunk,
                                 struct vkdml_builder *builder) {
    if (recurrent->directions == 1 || have_the_same_functions(recurrent)) {
        return add_turns(recurrent, chunk, 0, recurrent->directions, builder);
    }
    const VkdmlResult result = add_turns(recurrent, chunk, 0, 1, builder);
    vkdml_builder_phase(builder); /* both bind all states, and a sequence whose directions may be interleaved */
    return result == VKDML_SUCCESS ? add_turns(recurrent, chunk, 1, 1, builder) : result;
}
