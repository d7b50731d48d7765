/* Plans of the recurrent kernels (glsl/recurrent/recurrent.glsl): states of recurrent networks, step after step. What
 * the input gives to each gate is there already. Weights, states and what goes with them are laid out as the kernels
 * read them. */
#ifndef VKDML_FRAMES_RECURRENT_RECURRENT_H
#define VKDML_FRAMES_RECURRENT_RECURRENT_H

#include "base/report.h"
#include "kernels/blocks.h"
#include "plan/builder.h"
#include "plan/epilogue.h"

#define VKDML_RECURRENT_DIRECTIONS 2

/* Functions of a direction. */
enum { VKDML_RECURRENT_F, VKDML_RECURRENT_G, VKDML_RECURRENT_H, VKDML_RECURRENT_FUNCTIONS };

struct vkdml_recurrent_function {
    enum vkdml_map_function function;
    uint32_t arguments[VKDML_FUNCTION_ARGUMENTS];
};

/* Which units and sequences a workgroup makes, and how. */
struct vkdml_recurrent_tile {
    bool loops; /* one that makes all units goes through all steps of a chunk alone */
    uint32_t units;
    uint32_t columns;
    uint32_t each;
    uint32_t shares;
    uint32_t held; /* of a share, of each gate, in registers */
};

/* Where parts of the states' region begin, in words, and all of them. */
struct vkdml_recurrent_areas {
    uint32_t hidden[2];
    uint32_t cell;
    uint32_t last;
    uint32_t lengths;
    uint32_t bias;
    uint32_t peephole;
    uint64_t words;
};

struct vkdml_recurrent {
    enum vkdml_recurrent_cell cell;
    uint32_t shape; /* VKDML_RECURRENT_ bits but for HAS_SEQUENCE */
    uint32_t directions, steps, batch, hidden;
    uint32_t backward; /* a bit for each direction */
    uint32_t clip;     /* FLOAT32's bits */
    struct vkdml_recurrent_function functions[VKDML_RECURRENT_DIRECTIONS][VKDML_RECURRENT_FUNCTIONS];
    struct vkdml_recurrent_tile tile;
    struct vkdml_recurrent_areas areas;
    struct vkdml_origin weights; /* packed */
    struct vkdml_origin states;  /* .. */
};

/* A part of the steps. */
struct vkdml_recurrent_chunk {
    uint32_t first, count;
    struct vkdml_origin given;   /* FLOAT32 {directions, count, batch, gates, hidden}, times ascending */
    struct vkdml_view sequence;  /* none, or FLOAT32 {count, directions, batch, hidden}, which can be bound whole */
    uint64_t sequence_firsts[2]; /* of these elements the first of each direction */
};

static inline uint32_t vkdml_recurrent_gates(enum vkdml_recurrent_cell cell) {
    return cell == VKDML_RECURRENT_LSTM ? 4 : cell == VKDML_RECURRENT_GRU ? 3 : 1;
}

/* Fours along k of a state. */
static inline uint32_t vkdml_recurrent_fours(const struct vkdml_recurrent *recurrent) {
    return recurrent->hidden / 4 + (recurrent->hidden % 4 != 0);
}

/* Chooses the tile, by the weights' type too, and the areas. */
void vkdml_recurrent_lay_out(struct vkdml_recurrent *recurrent, const struct vkdml_plan_limits *limits);

/* The tile alone, and the most steps that a chunk then has. */
void vkdml_recurrent_choose_tile(struct vkdml_recurrent *recurrent, const struct vkdml_plan_limits *limits);
uint32_t vkdml_recurrent_most_steps(const struct vkdml_recurrent *recurrent);

/* The bytes that weights of a type take, packed. */
uint64_t vkdml_recurrent_weight_bytes(const struct vkdml_recurrent *recurrent, DML_TENSOR_DATA_TYPE type);

/* Adds the step that packs the recurrence's weights, {1, directions, gates * hidden, hidden}, of which all can be
 * bound.
 */
VkdmlResult vkdml_recurrent_pack_weights(const struct vkdml_recurrent *recurrent, const struct vkdml_view *weights,
                                         struct vkdml_builder *builder);

/* The same of the first hidden state, {1, directions, batch, hidden}; zeros where there is none. */
VkdmlResult vkdml_recurrent_pack_hidden(const struct vkdml_recurrent *recurrent, const struct vkdml_view *hidden,
                                        struct vkdml_builder *builder);

/* Adds the steps of a chunk, each behind a barrier. */
VkdmlResult vkdml_recurrent_plan(const struct vkdml_recurrent *recurrent, const struct vkdml_recurrent_chunk *chunk,
                                 struct vkdml_builder *builder);

#endif
