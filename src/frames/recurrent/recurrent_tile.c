/* Which units and sequences a workgroup makes. */
#include <string.h>

#include "base/checked.h"
#include "frames/recurrent/recurrent.h"
#include "plan/step.h"

#define FOUR 4

/* Of a workgroup: few units, so that there are as many workgroups as a large GPU has processors, and many sequences,
 * which share the weights. */
#define UNITS        4
#define COLUMNS      8
#define EACH         4
#define LOCAL_SIZE   512
#define SERIAL_UNITS 8

/* Of one that makes all units: as many invocations as there may be, and what its processor's nearest cache and
 * registers hold of weights; for few sequences, since all of the weights are read for each workgroup. A processor each,
 * of those of a large GPU. */
#define LOOP_LOCAL_SIZE    1024
#define LOOP_LEAST_UNITS   16
#define LOOP_MOST_WEIGHTS  (256u << 10)
#define LOOP_WORKGROUPS    132
#define LOOP_MOST_EACH     4
#define LOOP_HELD_WORDS    32
#define LOOP_SHARED_STATES 2
#define LOOP_MOST_CHUNKS   256

/* lavapipe ends an invocation's loops after 65,535 turns in total, silently. */
#define MOST_TURNS 60000

/* The least power of two that holds so many, at most `most`, one itself. */
static uint32_t power_for(uint64_t count, uint32_t most) {
    uint32_t power = 1;
    while (power < count && power < most) {
        power *= 2;
    }
    return power;
}

/* Invocations share k as far as they and the shared memory, of which some bytes are taken, go. */
static uint32_t shares_of(const struct vkdml_recurrent *recurrent, const struct vkdml_recurrent_tile *tile,
                          uint32_t local_size, uint32_t taken, const struct vkdml_plan_limits *limits) {
    const uint32_t cells = tile->units * tile->columns;
    const uint32_t sums = 4 * cells * tile->each * vkdml_recurrent_gates(recurrent->cell);
    const uint32_t most = vkdml_local_size(limits, local_size) / cells;
    uint32_t shares = 1;
    while (2 * shares <= most && 2 * shares <= vkdml_recurrent_fours(recurrent) &&
           (uint64_t)2 * shares * sums + taken <= limits->max_shared_memory_bytes) {
        shares *= 2;
    }
    return shares;
}

/* Bytes of shared memory that states take. */
static uint32_t state_bytes(const struct vkdml_recurrent_tile *tile) {
    return LOOP_SHARED_STATES * 4 * tile->units * tile->each;
}

/* Whether a workgroup may make all units of some sequences, for all steps. */
static bool find_loop(const struct vkdml_recurrent *recurrent, const struct vkdml_plan_limits *limits,
                      struct vkdml_recurrent_tile *tile) {
    const uint32_t gates = vkdml_recurrent_gates(recurrent->cell);
    const uint32_t size = vkdml_data_type_size(recurrent->weights.type);
    const uint64_t sequences = (uint64_t)recurrent->directions * recurrent->batch;
    const uint64_t each = vkdml_divide_up(sequences, LOOP_WORKGROUPS);
    const uint32_t local_size = vkdml_local_size(limits, LOOP_LOCAL_SIZE);
    *tile = (struct vkdml_recurrent_tile){.loops = true, .columns = 1, .each = power_for(each, LOOP_MOST_EACH)};
    tile->units = power_for(recurrent->hidden, LOOP_LOCAL_SIZE);
    tile->units = tile->units < LOOP_LEAST_UNITS ? LOOP_LEAST_UNITS : tile->units;
    if (limits->variant == VKDML_KERNEL_VARIANT_SERIAL || each > LOOP_MOST_EACH || recurrent->hidden > local_size ||
        tile->units > local_size ||
        (uint64_t)recurrent->hidden * recurrent->hidden * gates * size > LOOP_MOST_WEIGHTS) {
        return false;
    }
    tile->shares = shares_of(recurrent, tile, LOOP_LOCAL_SIZE, state_bytes(tile), limits);
    const uint32_t words_of_a_four = FOUR * size / 4 * gates;
    const uint32_t whole = vkdml_recurrent_fours(recurrent) / tile->shares;
    tile->held = LOOP_HELD_WORDS / words_of_a_four < whole ? LOOP_HELD_WORDS / words_of_a_four : whole;
    const uint64_t sums = (uint64_t)4 * tile->shares * tile->units * tile->each * gates;
    return tile->shares >= tile->each && sums + state_bytes(tile) <= limits->max_shared_memory_bytes;
}

/* Turns of loops of a function, with what is around it. */
static uint32_t turns_of(const struct vkdml_recurrent_function *function) {
    const struct vkdml_epilogue epilogue = {.count = 1, .steps = {{.function = function->function}}};
    return vkdml_epilogue_turns(&epilogue);
}

uint32_t vkdml_recurrent_most_steps(const struct vkdml_recurrent *recurrent) {
    const struct vkdml_recurrent_tile *tile = &recurrent->tile;
    const uint32_t gates = vkdml_recurrent_gates(recurrent->cell);
    if (!tile->loops) {
        return UINT32_MAX / 2; /* turns are counted in 32 bits */
    }
    /* Sums, whose loops may stay loops, sums of shares, and functions. */
    const uint32_t of_a_sum = (vkdml_recurrent_fours(recurrent) / tile->shares + 1) * (1 + gates * (1 + tile->each));
    uint32_t turns = 8 + of_a_sum + 2 * gates * tile->each + gates * (1 + tile->shares);
    for (uint32_t i = 0; i < VKDML_RECURRENT_FUNCTIONS; ++i) {
        const uint32_t first = turns_of(&recurrent->functions[0][i]), second = turns_of(&recurrent->functions[1][i]);
        turns += (i == VKDML_RECURRENT_F ? 3 : 1) * (first > second ? first : second);
    }
    return MOST_TURNS / (2 * turns);
}

void vkdml_recurrent_choose_tile(struct vkdml_recurrent *recurrent, const struct vkdml_plan_limits *limits) {
    struct vkdml_recurrent_tile *tile = &recurrent->tile;
    if (find_loop(recurrent, limits, tile) &&
        recurrent->steps / LOOP_MOST_CHUNKS < vkdml_recurrent_most_steps(recurrent)) {
        return;
    }
    memset(tile, 0, sizeof(*tile));
    if (limits->variant == VKDML_KERNEL_VARIANT_SERIAL) {
        tile->units = SERIAL_UNITS;
        tile->columns = tile->shares = 1;
        tile->each = power_for(recurrent->batch, EACH);
        return;
    }
    tile->units = UNITS;
    tile->each = recurrent->batch > COLUMNS ? EACH : recurrent->batch > COLUMNS / 2 ? EACH / 2 : 1;
    tile->columns = power_for(vkdml_divide_up(recurrent->batch, tile->each), COLUMNS);
    tile->shares = shares_of(recurrent, tile, LOCAL_SIZE, 0, limits);
    tile->shares = tile->shares < tile->each ? 1 : tile->shares;
}
