#include "graph/tails.h"

#include <string.h>

#include "base/memory.h"
#include "graph/program.h"
#include "operators/mapping.h"

/* A map that may be a step of a tail. */
struct candidate {
    uint32_t node;
    uint32_t producer; /* whose output it reads, by input `input` */
    uint32_t input;
    uint32_t other; /* input that is the operand; VKDML_GRAPH_NONE: there is none */
    struct vkdml_epilogue_step step;
};

/* Of a map of two operands, one of which is what the producer makes. */
static bool set_operation(const struct vkdml_map *map, struct candidate *candidate) {
    const uint32_t first = map->tensors[0].index;
    candidate->other = first == candidate->input ? map->tensors[1].index : first;
    candidate->step.operation = map->operation;
    candidate->step.factor = 1;
    if (map->operation == VKDML_MAP_SUBTRACT && first == candidate->input) {
        candidate->step.operation = VKDML_MAP_ADD;
        candidate->step.factor = -1;
    }
    return candidate->step.operation == VKDML_MAP_ADD || candidate->step.operation == VKDML_MAP_MULTIPLY;
}

/* What a map computes, but for where the operand lies; false: no step does. */
static bool set_step(const struct vkdml_fusion *fusion, struct candidate *candidate) {
    const struct vkdml_instance *instance = fusion->graph->nodes[candidate->node].instance;
    struct vkdml_builder builder = {.limits = fusion->limits};
    const struct vkdml_planning planning = {.instance = instance, .builder = &builder};
    struct vkdml_map map;
    vkdml_mapping_begin(vkdml_operator_of(instance->schema->type), &planning, &map);
    for (uint32_t i = 0; i < instance->input_count; ++i) {
        if (instance->inputs[i].data_type != instance->outputs[0].data_type) {
            return false;
        }
    }
    candidate->other = VKDML_GRAPH_NONE;
    candidate->step = (struct vkdml_epilogue_step){.operation = VKDML_MAP_FIRST, .function = map.function};
    memcpy(candidate->step.arguments, map.arguments + VKDML_MAP_FUNCTION_ARGUMENTS, sizeof candidate->step.arguments);
    if (map.scale != VKDML_MAP_NO_SCALE) {
        candidate->step.function = VKDML_FUNCTION_LINEAR;
        memcpy(candidate->step.arguments, map.arguments, 2 * sizeof *map.arguments);
        return map.operation == VKDML_MAP_FIRST && map.function == VKDML_FUNCTION_NONE;
    }
    return instance->input_count == 1 ? map.operation == VKDML_MAP_FIRST && map.function != VKDML_FUNCTION_NONE
                                      : instance->input_count == 2 && set_operation(&map, candidate);
}

/* Finds the operand's place, by coordinates of the producer's output: false where it has none. */
static bool set_operand(const struct vkdml_fusion *fusion, struct candidate *candidate, uint32_t index) {
    const struct vkdml_instance *instance = fusion->graph->nodes[candidate->node].instance;
    const struct vkdml_tensor *output = &fusion->graph->nodes[candidate->producer].instance->outputs[0];
    const struct vkdml_tensor *other = &instance->inputs[candidate->other];
    candidate->step.operand = vkdml_view_input(other, index);
    if (vkdml_same_layout(output, &instance->inputs[candidate->input])) {
        return true;
    }
    candidate->step.operand = vkdml_view_input(output, index);
    return vkdml_fusion_lies_alike(output, other);
}

/* Whether the producer takes the step, behind those that it has; `tail` is all of them then. */
static bool suits(const struct vkdml_fusion *fusion, struct candidate *candidate, struct vkdml_epilogue *tail) {
    const struct vkdml_graph_node *node = &fusion->graph->nodes[candidate->producer];
    const struct vkdml_instance *made_by = node->instance;
    const struct vkdml_tensor *between = &made_by->outputs[0];
    const struct vkdml_instance *map = fusion->graph->nodes[candidate->node].instance;
    const struct vkdml_tensor *input = &map->inputs[candidate->input];
    struct vkdml_builder builder = {.limits = fusion->limits};
    const struct vkdml_planning planning = {.instance = made_by, .builder = &builder, .tail = tail};
    if (!set_step(fusion, candidate)) {
        vkdml_fusion_refuse(fusion, candidate->producer, candidate->node,
                            "it is no sum, product or function of one "
                            "type");
    } else if (node->output_count != 1) {
        vkdml_fusion_refuse(fusion, candidate->producer, candidate->node, "that has several outputs");
    } else if (!vkdml_fusion_lies_alike(between, input) || !vkdml_same_layout(input, &map->outputs[0]) ||
               between->total_bytes != map->outputs[0].total_bytes ||
               (candidate->other != VKDML_GRAPH_NONE && !set_operand(fusion, candidate, node->input_count))) {
        vkdml_fusion_refuse(fusion, candidate->producer, candidate->node, "types, sizes or strides differ");
    } else if (vkdml_fusion_is_private(fusion, candidate->producer, candidate->node)) {
        *vkdml_epilogue_add(tail) = candidate->step;
        const bool is_taken = vkdml_operator_of(made_by->schema->type)->takes(&planning);
        if (!is_taken) {
            vkdml_fusion_refuse(fusion, candidate->producer, candidate->node, "its kernels take no such epilogue");
        }
        return is_taken;
    }
    return false;
}

/* Gives the producer the tail, and what it reads more, and takes the map away. */
static VkdmlResult join(struct vkdml_fusion *fusion, const struct candidate *candidate,
                        const struct vkdml_epilogue *tail) {
    struct vkdml_graph *graph = fusion->graph;
    struct vkdml_graph_node *producer = &graph->nodes[candidate->producer];
    if (producer->tail == NULL) {
        producer->tail = vkdml_allocate(graph->callbacks, sizeof *producer->tail);
        if (producer->tail == NULL) {
            return vkdml_report_out_of_memory(fusion->report, sizeof *producer->tail, "an epilogue");
        }
    }
    *producer->tail = *tail;
    if (candidate->other != VKDML_GRAPH_NONE) {
        const uint32_t value = vkdml_graph_source(graph, candidate->node, candidate->other);
        const VkdmlResult result = vkdml_graph_add_input(graph, candidate->producer, value, fusion->report);
        if (result != VKDML_SUCCESS) {
            return result;
        }
    }
    vkdml_fusion_absorb(fusion, candidate->producer, candidate->node);
    return VKDML_SUCCESS;
}

/* The operator that makes what an input reads, if it may take a tail; else VKDML_GRAPH_NONE. */
static uint32_t taker(const struct vkdml_fusion *fusion, uint32_t node, uint32_t input) {
    uint32_t producer;
    const struct vkdml_instance *made_by = vkdml_fusion_producer(fusion, node, input, &producer);
    return made_by != NULL && vkdml_operator_of(made_by->schema->type)->takes != NULL ? producer : VKDML_GRAPH_NONE;
}

/* Of two that a sum is of the one that is done last comes first: it waits for no more than it did. */
static bool is_later(const struct vkdml_graph *graph, uint32_t a, uint32_t b) {
    return a != VKDML_GRAPH_NONE && b != VKDML_GRAPH_NONE && graph->levels[a] > graph->levels[b];
}

static VkdmlResult join_before(struct vkdml_fusion *fusion, uint32_t node, bool *joined) {
    const struct vkdml_graph_node *map = &fusion->graph->nodes[node];
    if (!vkdml_graph_program_takes(map) || map->input_count == 0 || map->input_count > 2) {
        return VKDML_SUCCESS;
    }
    const uint32_t count = map->input_count;
    const uint32_t takers[] = {taker(fusion, node, 0), taker(fusion, node, count - 1)};
    const uint32_t first = count > 1 && is_later(fusion->graph, takers[1], takers[0]) ? 1 : 0;
    for (uint32_t i = 0; i < count; ++i) {
        struct candidate candidate = {.node = node, .input = i ^ first, .producer = takers[i ^ first]};
        struct vkdml_epilogue tail = {.count = 0};
        if (candidate.producer == VKDML_GRAPH_NONE) {
            continue;
        }
        if (fusion->graph->nodes[candidate.producer].tail != NULL) {
            tail = *fusion->graph->nodes[candidate.producer].tail;
        }
        if (tail.count < VKDML_EPILOGUE_STEPS && suits(fusion, &candidate, &tail)) {
            *joined = true;
            return join(fusion, &candidate, &tail);
        }
    }
    return VKDML_SUCCESS;
}

VkdmlResult vkdml_fusion_join_tails(struct vkdml_fusion *fusion) {
    struct vkdml_graph *graph = fusion->graph;
    VkdmlResult result = VKDML_SUCCESS;
    bool joined = false;
    for (uint32_t at = 0; at < graph->node_count && result == VKDML_SUCCESS; ++at) {
        result = join_before(fusion, graph->order[at], &joined);
    }
    return result == VKDML_SUCCESS && joined ? vkdml_graph_order(graph, fusion->report) : result;
}
