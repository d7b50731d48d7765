/* Graphs: random ones of nodes that are good, of which a few fields are others, compiled for an invented device. What
 * compiles has a plan within limits and ranges; what does not tells why. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "graph/built.h"
#include "invented.h"
#include "plan_check.h"
#include "require.h"
#include "vulkan/dispatchable.h"

static struct random_graph made;
static struct graph graph;
static VkdmlOperator operators[GRAPH_MOST]; /* the graph's: its descriptor is changed */
static uint32_t node_count;

/* An index: of what there is mostly, or one behind, or any. */
static uint32_t take_index(struct bytes *bytes, uint32_t count) {
    const uint32_t choice = take(bytes, 1);
    return choice < 200 && count != 0 ? choice % count
           : choice < 230             ? count
           : choice < 240             ? UINT32_MAX
                                      : take(bytes, 4);
}

static void change_input_edge(struct bytes *bytes) {
    if (graph.desc.InputEdgeCount == 0)
        return;
    DML_INPUT_GRAPH_EDGE_DESC *edge = &graph.input_edges[take(bytes, 1) % graph.desc.InputEdgeCount];
    switch (take(bytes, 1) % 3) {
    case 0:
        edge->GraphInputIndex = take_index(bytes, graph.desc.InputCount);
        break;
    case 1:
        edge->ToNodeIndex = take_index(bytes, graph.desc.NodeCount);
        break;
    default:
        edge->ToNodeInputIndex = take_index(bytes, 3);
        break;
    }
}

static void change_intermediate_edge(struct bytes *bytes) {
    if (graph.desc.IntermediateEdgeCount == 0)
        return;
    DML_INTERMEDIATE_GRAPH_EDGE_DESC *edge =
        &graph.intermediate_edges[take(bytes, 1) % graph.desc.IntermediateEdgeCount];
    switch (take(bytes, 1) % 4) {
    case 0:
        edge->FromNodeIndex = take_index(bytes, graph.desc.NodeCount);
        break;
    case 1:
        edge->FromNodeOutputIndex = take_index(bytes, 2);
        break;
    case 2:
        edge->ToNodeIndex = take_index(bytes, graph.desc.NodeCount);
        break;
    default:
        edge->ToNodeInputIndex = take_index(bytes, 3);
        break;
    }
}

static void change_output_edge(struct bytes *bytes) {
    if (graph.desc.OutputEdgeCount == 0)
        return;
    DML_OUTPUT_GRAPH_EDGE_DESC *edge = &graph.output_edges[take(bytes, 1) % graph.desc.OutputEdgeCount];
    switch (take(bytes, 1) % 3) {
    case 0:
        edge->FromNodeIndex = take_index(bytes, graph.desc.NodeCount);
        break;
    case 1:
        edge->FromNodeOutputIndex = take_index(bytes, 2);
        break;
    default:
        edge->GraphOutputIndex = take_index(bytes, graph.desc.OutputCount);
        break;
    }
}

/* Lists have as many items as they have: counts get less, and those of inputs and outputs any. */
static void change_count(struct bytes *bytes) {
    UINT *const lists[] = {&graph.desc.NodeCount, &graph.desc.InputEdgeCount, &graph.desc.OutputEdgeCount,
                           &graph.desc.IntermediateEdgeCount};
    const uint32_t choice = take(bytes, 1) % 6;
    if (choice < 4)
        *lists[choice] -= *lists[choice] != 0 ? take(bytes, 1) % 3 % (*lists[choice] + 1) : 0;
    else if (choice == 4)
        graph.desc.InputCount = take_index(bytes, graph.desc.InputCount + 2);
    else
        graph.desc.OutputCount = take_index(bytes, graph.desc.OutputCount + 2);
}

static void change_node(struct bytes *bytes) {
    if (graph.desc.NodeCount == 0)
        return;
    const uint32_t n = take(bytes, 1) % graph.desc.NodeCount, other = take(bytes, 1) % graph.desc.NodeCount;
    const bool is_constant = graph.nodes[n].Type == DML_GRAPH_NODE_TYPE_CONSTANT;
    switch (take(bytes, 1) % 6) {
    case 0: /* another's work */
        graph.nodes[n] = graph.nodes[other];
        break;
    case 1:
        graph.nodes[n].Desc = NULL;
        break;
    case 2: /* neither of those that there are, whose structs are read as what they are not */
        graph.nodes[n].Type = (DML_GRAPH_NODE_TYPE)(take(bytes, 1) + DML_GRAPH_NODE_TYPE_CONSTANT + 1);
        break;
    case 3:
        if (is_constant)
            graph.constants[n].DataSize =
                take_index(bytes, (uint32_t)graph.constants[n].DataSize + 1) % (graph.constants[n].DataSize + 1);
        break;
    case 4:
        if (is_constant)
            graph.constants[n].Data = NULL;
        else
            graph.operators[n].Operator = NULL;
        break;
    default:
        if (is_constant)
            graph.constants[n].Name = "a constant";
        else
            graph.operators[n].Name = "";
        break;
    }
}

static void change_edge_list(struct bytes *bytes) {
    const uint32_t list = take(bytes, 1) % 3;
    UINT *const counts[] = {&graph.desc.InputEdgeCount, &graph.desc.OutputEdgeCount, &graph.desc.IntermediateEdgeCount};
    const uint32_t count = *counts[list];
    if (count == 0)
        return;
    DML_GRAPH_EDGE_DESC *edge = &graph.edges[list][take(bytes, 1) % count];
    switch (take(bytes, 1) % 5) {
    case 0:
        edge->Desc = NULL;
        break;
    case 1:
        edge->Type = (DML_GRAPH_EDGE_TYPE)take(bytes, 1);
        break;
    case 2: /* twice */
        if (count < 2 * GRAPH_MOST)
            graph.edges[list][(*counts[list])++] = *edge;
        break;
    case 3: /* goes */
        *edge = graph.edges[list][--*counts[list]];
        break;
    default: {
        DML_GRAPH_EDGE_DESC *other = &graph.edges[list][take(bytes, 1) % count];
        const DML_GRAPH_EDGE_DESC kept = *edge;
        *edge = *other;
        *other = kept;
        break;
    }
    }
}

static void change_list(struct bytes *bytes) {
    switch (take(bytes, 1) % 4) {
    case 0:
        graph.desc.Nodes = NULL;
        break;
    case 1:
        graph.desc.InputEdges = NULL;
        break;
    case 2:
        graph.desc.OutputEdges = NULL;
        break;
    default:
        graph.desc.IntermediateEdges = NULL;
        break;
    }
}

static void change(struct bytes *bytes) {
    const uint32_t choice = take(bytes, 1) % 32;
    if (choice < 8)
        change_intermediate_edge(bytes);
    else if (choice < 13)
        change_input_edge(bytes);
    else if (choice < 18)
        change_output_edge(bytes);
    else if (choice < 22)
        change_count(bytes);
    else if (choice < 26)
        change_node(bytes);
    else if (choice < 31)
        change_edge_list(bytes);
    else
        change_list(bytes);
}

/* What was compiled binds nothing beyond what is bound to it. */
static void require_ranges(VkdmlDispatchable compiled) {
    for (uint32_t s = 0; s < compiled->step_count + compiled->init_step_count; s++) {
        const bool at_initialization = s >= compiled->step_count;
        const struct vkdml_step *step =
            at_initialization ? &compiled->init_steps[s - compiled->step_count] : &compiled->steps[s];
        for (uint32_t b = 0; b < step->buffer_count; b++) {
            const struct vkdml_plan_buffer *buffer = &step->buffers[b];
            const uint64_t bytes =
                at_initialization && buffer->resource == VKDML_PLAN_TEMPORARY
                    ? compiled->init_temporary_bytes
                    : compiled->points[vkdml_dispatchable_point(compiled, buffer->resource, buffer->index)].bytes;
            REQUIRE(buffer->resource != VKDML_PLAN_INPUT || buffer->index < compiled->input_count);
            REQUIRE(buffer->resource != VKDML_PLAN_OUTPUT || buffer->index < compiled->output_count);
            REQUIRE(plan_buffer_lies_within(buffer, step->repeat_count, step->repeat_strides[b], bytes));
        }
        REQUIRE(step->kind != VKDML_PLAN_COPY || plan_copy_lies_within(&step->copy, step->buffers));
    }
}

static void compile(VkdmlDevice device, VkdmlCompileFlags flags) {
    VkdmlDispatchable compiled = NULL;
    const VkdmlCompileInfo info = {.structSize = sizeof(info), .flags = flags};
    const VkdmlResult result = vkdmlCompileGraph(device, &graph.desc, &info, &compiled);
    REQUIRE((result == VKDML_SUCCESS) == (compiled != NULL));
    REQUIRE(result == VKDML_SUCCESS || result == VKDML_ERROR_INVALID_ARGUMENT || result == VKDML_ERROR_LIMIT_EXCEEDED);
    REQUIRE(result == VKDML_SUCCESS || vkdmlGetErrorMessage()[0] != '\0');
    if (compiled != NULL)
        require_ranges(compiled);
    vkdmlDestroyDispatchable(compiled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes bytes = {data, size};
    VkdmlDevice device = invented_device();
    random_graph_make(&made, take(&bytes, 3));
    const bool is_built = build_graph(device, &made, &graph);
    REQUIRE(is_built);
    node_count = graph.desc.NodeCount;
    for (uint32_t n = 0; n < node_count; n++)
        operators[n] = graph.nodes[n].Type == DML_GRAPH_NODE_TYPE_OPERATOR
                           ? (VkdmlOperator)(void *)graph.operators[n].Operator
                           : NULL;
    for (uint32_t changes = take(&bytes, 1) % 4; changes > 0; changes--)
        change(&bytes);
    compile(device, 0);
    compile(device, VKDML_COMPILE_FLAG_NODE_BY_NODE | VKDML_COMPILE_FLAG_ZERO_UNDEFINED);
    for (uint32_t n = 0; n < node_count; n++)
        vkdmlDestroyOperator(operators[n]);
    random_graph_free(&made);
    return 0;
}
