/* Where a graph's values lie. */
#include "graph/outline.h"
#include "graph/planning.h"

static uint64_t round_up(uint64_t bytes) {
    return (bytes + VKDML_PLAN_REGION_ALIGNMENT - 1) / VKDML_PLAN_REGION_ALIGNMENT * VKDML_PLAN_REGION_ALIGNMENT;
}

static void place_input(struct vkdml_graph_planning *planning, uint32_t v) {
    const struct vkdml_graph_value *value = &planning->graph->values[v];
    struct vkdml_value_plan *planned = &planning->values[v];
    const struct vkdml_origin at = {.resource = VKDML_PLAN_INPUT, .index = v, .type = DML_TENSOR_DATA_TYPE_UINT32};
    planned->early = planned->late = at;
    if (planned->is_kept) {
        planned->late = vkdml_builder_kept(&planning->builder, "an input that is OWNED_BY_DML", value->bytes, at.type);
    }
}

static void place_fixed(struct vkdml_graph_planning *planning, uint32_t v) {
    const uint64_t bytes = planning->graph->values[v].bytes;
    struct vkdml_value_plan *planned = &planning->values[v];
    if (planned->is_kept) {
        planned->early = vkdml_builder_kept(&planning->builder, "what is known at initialization", bytes,
                                            DML_TENSOR_DATA_TYPE_UINT32);
        planned->late = planned->early;
    } else {
        planned->early = vkdml_builder_region(&planning->initialization, "what only the initializer needs", bytes,
                                              DML_TENSOR_DATA_TYPE_UINT32);
    }
}

/* The first of the graph's outputs that a value is. */
static uint32_t output_of(const struct vkdml_graph *graph, uint32_t v) {
    uint32_t output = 0;
    while (graph->outputs[output] != v) {
        ++output;
    }
    return output;
}

/* A value's block in the temporary memory, empty where it lies elsewhere, or nobody writes it. */
static struct vkdml_block block_of(const struct vkdml_graph_planning *planning, uint32_t v) {
    const struct vkdml_graph_value *value = &planning->graph->values[v];
    const struct vkdml_value_plan *planned = &planning->values[v];
    struct vkdml_block block = {.bytes = 0};
    if (planned->whole == v && value->node != VKDML_GRAPH_NONE && !planned->is_fixed && value->outputs == 0 &&
        planned->first <= planned->last) {
        block.bytes = round_up(value->bytes);
        block.first = planned->first;
        block.last = planned->last;
    }
    return block;
}

/* Of one that has bytes of its own. */
static void place_whole(struct vkdml_graph_planning *planning, uint32_t v) {
    const struct vkdml_graph *graph = planning->graph;
    const struct vkdml_graph_value *value = &graph->values[v];
    if (value->node == VKDML_GRAPH_NONE) {
        place_input(planning, v);
    } else if (planning->values[v].is_fixed) {
        place_fixed(planning, v);
    } else if (value->outputs > 0) {
        planning->values[v].late = (struct vkdml_origin){
            .resource = VKDML_PLAN_OUTPUT, .index = output_of(graph, v), .type = DML_TENSOR_DATA_TYPE_UINT32};
    } else {
        planning->values[v].late = (struct vkdml_origin){.resource = VKDML_PLAN_TEMPORARY,
                                                         .offset = planning->blocks[v].offset,
                                                         .type = DML_TENSOR_DATA_TYPE_UINT32};
    }
}

VkdmlResult vkdml_graph_place_values(struct vkdml_graph_planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    for (uint32_t v = 0; v < graph->value_count; ++v) {
        planning->blocks[v] = block_of(planning, v);
    }
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        const struct vkdml_node_plan *planned = &planning->nodes[n];
        planning->blocks[graph->value_count + n] =
            (struct vkdml_block){.bytes = planned->is_fixed ? 0 : planned->plan.steps.temporary_bytes,
                                 .first = planned->level,
                                 .last = planned->level};
    }
    const VkdmlResult result = vkdml_place(planning->blocks, graph->value_count + graph->node_count, graph->callbacks,
                                           planning->report, &planning->plan->steps.temporary_bytes);
    vkdml_outline_memory(graph->outline, planning->blocks, graph->value_count + graph->node_count);
    for (uint32_t v = 0; v < graph->value_count && result == VKDML_SUCCESS; ++v) {
        if (planning->values[v].whole == v) {
            place_whole(planning, v);
        }
    }
    for (uint32_t v = 0; v < graph->value_count && result == VKDML_SUCCESS; ++v) {
        uint64_t at;
        const uint32_t whole = vkdml_graph_whole(planning, v, &at);
        if (whole != v) {
            planning->values[v].late = planning->values[whole].late;
            planning->values[v].late.offset += at;
        }
    }
    return result;
}
