/* Plans of recurrent networks: what the input gives to each gate is a product for many steps at once; the recurrent
 * frame goes through these; and what is left of states is copied to the outputs. */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "frames/product/product.h"
#include "operators/fill_value.h"
#include "operators/mapping.h"
#include "operators/recurrent.h"
#include "plan/step.h"

/* What the input gives in a chunk of steps takes at most so many bytes, if a step takes no more; and if chunks are not
 * so many that they take more. */
#define CHUNK_BYTES (UINT64_C(64) << 20)
#define MOST_CHUNKS 256

struct network {
    const struct vkdml_planning *planning;
    const struct vkdml_instance *instance;
    const struct vkdml_recurrent_kind *kind;
    struct vkdml_recurrent recurrent;
    struct vkdml_view sequence; /* of OutputSequenceTensor, or none */
    bool stores_sequence;       /* where it is bound, not in the temporary resource */
};

static struct vkdml_view input_of(const struct network *network, uint32_t index) {
    return index == VKDML_RECURRENT_NONE ? (struct vkdml_view){.rank = 0} : vkdml_input_view(network->instance, index);
}

static struct vkdml_view output_of(const struct network *network, uint32_t index) {
    return index == VKDML_RECURRENT_NONE ? (struct vkdml_view){.rank = 0} : vkdml_output_view(network->instance, index);
}

/* ---- what the descriptor says ---- */

static void read_function(const struct vkdml_instance *activation, struct vkdml_recurrent_function *function) {
    struct vkdml_epilogue_step step;
    vkdml_mapping_function(activation, DML_TENSOR_DATA_TYPE_FLOAT32, &step);
    function->function = step.function;
    memcpy(function->arguments, step.arguments, sizeof(function->arguments));
    if (step.function == VKDML_FUNCTION_SOFTPLUS && step.arguments[0] << 1 == 0) { /* 0 stands for 1 */
        function->arguments[0] = function->arguments[1] = vkdml_float_bits(1);
    }
}

static uint32_t shape_of(const struct network *network) {
    const struct vkdml_instance *instance = network->instance;
    const struct vkdml_view bias = input_of(network, VKDML_RECURRENT_BIAS);
    const struct vkdml_view lengths = input_of(network, network->kind->lengths);
    const struct vkdml_view peephole = input_of(network, network->kind->peephole);
    uint32_t shape = vkdml_view_exists(&bias) ? VKDML_RECURRENT_HAS_BIAS : 0;
    shape |= vkdml_view_exists(&lengths) ? VKDML_RECURRENT_HAS_LENGTHS : 0;
    shape |= vkdml_view_exists(&peephole) ? VKDML_RECURRENT_HAS_PEEPHOLE : 0;
    if (network->kind->cell == VKDML_RECURRENT_LSTM) {
        const DML_LSTM_OPERATOR_DESC *desc = instance->desc;
        shape |= desc->UseClipThreshold ? VKDML_RECURRENT_CLIPS : 0;
        shape |= desc->CoupleInputForget ? VKDML_RECURRENT_COUPLES : 0;
    } else if (network->kind->cell == VKDML_RECURRENT_GRU) {
        const DML_GRU_OPERATOR_DESC *desc = instance->desc;
        shape |= desc->LinearBeforeReset ? 0 : VKDML_RECURRENT_RESETS_FIRST;
    }
    return shape;
}

static void read_network(const struct vkdml_planning *planning, struct network *network) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_RECURRENT_NETWORK_DIRECTION direction = vkdml_recurrent_direction(instance);
    struct vkdml_recurrent *recurrent = &network->recurrent;
    network->planning = planning;
    network->instance = instance;
    network->kind = vkdml_recurrent_kind_of(instance);
    network->sequence = output_of(network, VKDML_RECURRENT_SEQUENCE);
    network->stores_sequence =
        network->sequence.at.type == DML_TENSOR_DATA_TYPE_FLOAT32 && network->sequence.at.first <= UINT32_MAX &&
        vkdml_fits(planning->builder->limits, network->sequence.at.offset, vkdml_view_span(&network->sequence));
    recurrent->cell = network->kind->cell;
    recurrent->shape = shape_of(network);
    recurrent->directions = vkdml_recurrent_direction_count(direction);
    recurrent->steps = instance->inputs[VKDML_RECURRENT_INPUT].sizes[1];
    recurrent->batch = instance->inputs[VKDML_RECURRENT_INPUT].sizes[2];
    recurrent->hidden = instance->inputs[VKDML_RECURRENT_RECURRENCE].sizes[3];
    recurrent->backward = (direction == DML_RECURRENT_NETWORK_DIRECTION_BACKWARD ? 1u : 0u) | 2u;
    if (recurrent->cell == VKDML_RECURRENT_LSTM) {
        recurrent->clip = vkdml_float_bits(((const DML_LSTM_OPERATOR_DESC *)instance->desc)->ClipThreshold);
    }
    for (uint32_t i = 0; i < instance->activation_count; ++i) {
        read_function(&instance->activations[i],
                      &recurrent->functions[i / network->kind->functions][i % network->kind->functions]);
    }
    recurrent->weights.type = instance->inputs[VKDML_RECURRENT_RECURRENCE].data_type;
    vkdml_recurrent_lay_out(recurrent, planning->builder->limits);
}

/* ---- what steps begin with ---- */

static VkdmlResult check_region(const char *what, uint64_t bytes, struct vkdml_builder *builder) {
    if (vkdml_fits(builder->limits, 0, bytes)) {
        return VKDML_SUCCESS;
    }
    return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                            "needs to bind %s, %" PRIu64 " bytes, which is more than maxStorageBufferRange allows",
                            what, bytes);
}

/* A packed tensor at some words of the states. */
static struct vkdml_view area_view(const struct network *network, uint32_t area, const struct vkdml_view *like,
                                   DML_TENSOR_DATA_TYPE type) {
    struct vkdml_view view = *like;
    view.at = network->recurrent.states;
    view.at.offset += (uint64_t)4 * area;
    view.at.type = type;
    vkdml_packed_strides(view.rank, view.sizes, view.strides);
    return view;
}

static VkdmlResult copy(const struct vkdml_view *output, const struct vkdml_view *input,
                        struct vkdml_builder *builder) {
    struct vkdml_map map;
    vkdml_map_begin(&map, *output);
    vkdml_map_set_operand(&map, 0, *input);
    map.operation = output->at.type == input->at.type ? VKDML_MAP_FIRST : VKDML_MAP_CAST;
    if (output->at.type == input->at.type) {
        vkdml_mapping_use_bits(&map);
    }
    return vkdml_map_plan(&map, builder);
}

/* Copies a tensor, if there is one, to an area. */
static VkdmlResult fill_area(const struct network *network, uint32_t area, const struct vkdml_view *tensor,
                             DML_TENSOR_DATA_TYPE type) {
    if (!vkdml_view_exists(tensor)) {
        return VKDML_SUCCESS;
    }
    const struct vkdml_view target = area_view(network, area, tensor, type);
    return copy(&target, tensor, network->planning->builder);
}

static VkdmlResult fill_cell(const struct network *network) {
    const struct vkdml_recurrent *recurrent = &network->recurrent;
    struct vkdml_view tensor = input_of(network, network->kind->cell_init);
    if (recurrent->cell != VKDML_RECURRENT_LSTM || vkdml_view_exists(&tensor)) {
        return fill_area(network, recurrent->areas.cell, &tensor, DML_TENSOR_DATA_TYPE_FLOAT32);
    }
    tensor = (struct vkdml_view){.rank = 4, .sizes = {1, recurrent->directions, recurrent->batch, recurrent->hidden}};
    const struct vkdml_view target = area_view(network, recurrent->areas.cell, &tensor, DML_TENSOR_DATA_TYPE_FLOAT32);
    return vkdml_clear_plan(&target, network->planning->builder);
}

static VkdmlResult fill_states(const struct network *network) {
    const struct vkdml_recurrent_areas *areas = &network->recurrent.areas;
    const struct vkdml_view hidden = input_of(network, VKDML_RECURRENT_HIDDEN_INIT);
    const struct vkdml_view bias = input_of(network, VKDML_RECURRENT_BIAS);
    const struct vkdml_view lengths = input_of(network, network->kind->lengths);
    const struct vkdml_view peephole = input_of(network, network->kind->peephole);
    VkdmlResult result = vkdml_recurrent_pack_hidden(&network->recurrent, &hidden, network->planning->builder);
    if (result == VKDML_SUCCESS) {
        result = fill_cell(network);
    }
    if (result == VKDML_SUCCESS) {
        result = fill_area(network, areas->bias, &bias, DML_TENSOR_DATA_TYPE_FLOAT32);
    }
    if (result == VKDML_SUCCESS) {
        result = fill_area(network, areas->lengths, &lengths, DML_TENSOR_DATA_TYPE_UINT32);
    }
    if (result == VKDML_SUCCESS) {
        result = fill_area(network, areas->peephole, &peephole, DML_TENSOR_DATA_TYPE_FLOAT32);
    }
    return result;
}

static VkdmlResult begin_network(struct network *network) {
    struct vkdml_builder *builder = network->planning->builder;
    struct vkdml_recurrent *recurrent = &network->recurrent;
    const struct vkdml_view weights = input_of(network, VKDML_RECURRENT_RECURRENCE);
    const uint64_t weight_bytes = vkdml_recurrent_weight_bytes(recurrent, weights.at.type);
    const uint64_t state_bytes = 4 * recurrent->areas.words;
    VkdmlResult result = check_region("the recurrence's weights", weight_bytes, builder);
    if (result == VKDML_SUCCESS) {
        result = check_region("states and biases", state_bytes, builder);
    }
    if (result != VKDML_SUCCESS) {
        return result;
    }
    recurrent->weights = vkdml_builder_region(builder, "weights of the recurrence", weight_bytes, weights.at.type);
    recurrent->states = vkdml_builder_region(builder, "states", state_bytes, DML_TENSOR_DATA_TYPE_FLOAT32);
    result = vkdml_recurrent_pack_weights(recurrent, &weights, builder);
    return result == VKDML_SUCCESS ? fill_states(network) : result;
}

/* ---- chunks of steps ---- */

static uint64_t given_of_a_step(const struct network *network) {
    const struct vkdml_recurrent *recurrent = &network->recurrent;
    return (uint64_t)4 * recurrent->directions * recurrent->batch * vkdml_recurrent_gates(recurrent->cell) *
           recurrent->hidden;
}

static uint32_t steps_of_a_chunk(const struct network *network) {
    const uint64_t range = network->planning->builder->limits->max_storage_buffer_range;
    const uint64_t few = vkdml_divide_up(network->recurrent.steps, MOST_CHUNKS); /* of a chunk, then */
    uint64_t most = CHUNK_BYTES / given_of_a_step(network);
    most = most < few ? few : most;
    most = most < range / given_of_a_step(network) ? most : range / given_of_a_step(network);
    while (most > 1 && !vkdml_fits(network->planning->builder->limits, 0, most * given_of_a_step(network))) {
        --most;
    }
    const uint32_t steps = network->recurrent.steps, allowed = vkdml_recurrent_most_steps(&network->recurrent);
    most = most == 0 ? 1 : most < allowed ? most : allowed;
    return most < steps ? (uint32_t)most : steps;
}

/* The first time of a direction's part of a chunk. */
static uint32_t first_time(const struct network *network, const struct vkdml_recurrent_chunk *chunk, uint32_t d) {
    return (network->recurrent.backward >> d & 1) != 0 ? network->recurrent.steps - chunk->first - chunk->count
                                                       : chunk->first;
}

/* What the input gives to all gates of a direction: {count, batch, input} x {input, gates * hidden}. */
static VkdmlResult multiply_input(const struct network *network, const struct vkdml_recurrent_chunk *chunk, uint32_t d,
                                  struct vkdml_builder *builder) {
    enum { A = VKDML_PRODUCT_A, B, C, OUT, INNER = VKDML_PRODUCT_INNER, M, N, K };
    static const struct vkdml_epilogue none = {.count = 0};
    const struct vkdml_recurrent *recurrent = &network->recurrent;
    const struct vkdml_view input = input_of(network, VKDML_RECURRENT_INPUT);
    const struct vkdml_view weights = input_of(network, VKDML_RECURRENT_WEIGHTS);
    const uint32_t rows = vkdml_recurrent_gates(recurrent->cell) * recurrent->hidden;
    struct vkdml_product product = {
        .sizes = {1, chunk->count, recurrent->batch, rows, input.sizes[3]},
        .open_dimension = VKDML_PRODUCT_M,
        .alpha = 1,
        .epilogue = &none};
    product.tensors[A].at = input.at;
    product.tensors[A].at.first += (uint64_t)input.strides[1] * first_time(network, chunk, d);
    product.tensors[A].strides[INNER] = input.strides[1];
    product.tensors[A].strides[M] = input.strides[2];
    product.tensors[A].strides[K] = input.strides[3];
    product.tensors[B].at = weights.at;
    product.tensors[B].at.first += (uint64_t)weights.strides[1] * d;
    product.tensors[B].strides[N] = weights.strides[2];
    product.tensors[B].strides[K] = weights.strides[3];
    product.tensors[OUT].at = chunk->given;
    product.tensors[OUT].at.first = (uint64_t)d * chunk->count * recurrent->batch * rows;
    product.tensors[OUT].strides[INNER] = recurrent->batch * rows;
    product.tensors[OUT].strides[M] = rows;
    product.tensors[OUT].strides[N] = 1;
    return vkdml_product_plan(&product, builder);
}

/* Where the kernel writes states of a chunk: the output, or what is copied there. */
static void place_sequence(const struct network *network, struct vkdml_recurrent_chunk *chunk,
                           const struct vkdml_origin *scratch) {
    const struct vkdml_recurrent *recurrent = &network->recurrent;
    chunk->sequence = network->sequence;
    if (!vkdml_view_exists(&network->sequence)) {
        return;
    }
    if (network->stores_sequence) {
        for (uint32_t d = 0; d < recurrent->directions; ++d) {
            chunk->sequence_firsts[d] = network->sequence.at.first + (uint64_t)network->sequence.strides[1] * d +
                                        (uint64_t)network->sequence.strides[0] * first_time(network, chunk, d);
        }
        return;
    }
    chunk->sequence.at = *scratch;
    chunk->sequence.sizes[0] = chunk->count;
    vkdml_packed_strides(4, chunk->sequence.sizes, chunk->sequence.strides);
    chunk->sequence_firsts[0] = 0;
    chunk->sequence_firsts[1] = chunk->sequence.strides[1];
}

static VkdmlResult copy_sequence(const struct network *network, const struct vkdml_recurrent_chunk *chunk,
                                 struct vkdml_builder *builder) {
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t d = 0; d < network->recurrent.directions && result == VKDML_SUCCESS; ++d) {
        struct vkdml_view from = chunk->sequence;
        struct vkdml_view to = network->sequence;
        from.at.first += (uint64_t)from.strides[1] * d;
        to.at.first += (uint64_t)to.strides[1] * d + (uint64_t)to.strides[0] * first_time(network, chunk, d);
        to.sizes[0] = chunk->count;
        from.sizes[1] = to.sizes[1] = 1;
        result = copy(&to, &from, builder);
    }
    return result;
}

static VkdmlResult plan_chunk(const struct network *network, struct vkdml_recurrent_chunk *chunk,
                              const struct vkdml_origin *scratch, struct vkdml_builder *builder) {
    VkdmlResult result = VKDML_SUCCESS;
    place_sequence(network, chunk, scratch);
    for (uint32_t d = 0; d < network->recurrent.directions && result == VKDML_SUCCESS; ++d) {
        result = multiply_input(network, chunk, d, builder);
    }
    if (result == VKDML_SUCCESS) {
        vkdml_builder_phase(builder);
        result = vkdml_recurrent_plan(&network->recurrent, chunk, builder);
    }
    vkdml_builder_phase(builder);
    if (result == VKDML_SUCCESS && vkdml_view_exists(&network->sequence) && !network->stores_sequence) {
        result = copy_sequence(network, chunk, builder);
    }
    return result;
}

static VkdmlResult plan_chunks(const struct network *network, struct vkdml_builder *builder) {
    const struct vkdml_recurrent *recurrent = &network->recurrent;
    const uint32_t count = steps_of_a_chunk(network);
    const uint64_t given = count * given_of_a_step(network);
    VkdmlResult result = check_region("what the input gives in a step", given, builder);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    struct vkdml_recurrent_chunk chunk = {
        .given = vkdml_builder_region(builder, "products of the input", given, DML_TENSOR_DATA_TYPE_FLOAT32)};
    struct vkdml_origin scratch = chunk.given;
    if (vkdml_view_exists(&network->sequence) && !network->stores_sequence) {
        scratch = vkdml_builder_region(builder, "states of all steps", given / vkdml_recurrent_gates(recurrent->cell),
                                       DML_TENSOR_DATA_TYPE_FLOAT32);
    }
    for (; chunk.first < recurrent->steps && result == VKDML_SUCCESS; chunk.first += chunk.count) {
        const uint32_t left = recurrent->steps - chunk.first;
        chunk.count = left < count ? left : count;
        result = plan_chunk(network, &chunk, &scratch, builder);
    }
    return result;
}

/* ---- what is left of them ---- */

static VkdmlResult store_last(const struct network *network, uint32_t output, uint32_t area) {
    const struct vkdml_view tensor = output_of(network, output);
    if (!vkdml_view_exists(&tensor)) {
        return VKDML_SUCCESS;
    }
    const struct vkdml_view from = area_view(network, area, &tensor, DML_TENSOR_DATA_TYPE_FLOAT32);
    return copy(&tensor, &from, network->planning->builder);
}

/* Sums are FLOAT32's, also where the input's could have less. */
static struct vkdml_builder exact_builder(const struct vkdml_builder *builder, struct vkdml_plan_limits *limits) {
    struct vkdml_builder exact = *builder;
    *limits = *builder->limits;
    limits->half_allowed = false;
    exact.limits = limits;
    return exact;
}

VkdmlResult vkdml_recurrent_plan_network(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    struct network network = {.planning = NULL};
    struct vkdml_plan_limits limits;
    struct vkdml_builder exact = exact_builder(planning->builder, &limits);
    struct vkdml_planning exactly = *planning;
    (void)op;
    exactly.builder = &exact;
    read_network(&exactly, &network);
    VkdmlResult result = begin_network(&network);
    if (result == VKDML_SUCCESS) {
        result = plan_chunks(&network, &exact);
    }
    if (result == VKDML_SUCCESS) {
        result = store_last(&network, VKDML_RECURRENT_SINGLE, network.recurrent.areas.last);
    }
    if (result == VKDML_SUCCESS) {
        result = store_last(&network, network.kind->cell_single, network.recurrent.areas.cell);
    }
    return result;
}
