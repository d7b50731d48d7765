/* Copies whose readers would find the same bytes in what is copied.
 *
 * Bits are kept: IDENTITY without ScaleBias, and CAST of one type, move them. Two in turn, as transposes there and
 * back, may be no copy together, and so may two casts where the type between holds all numbers: FLOAT16 by way of
 * FLOAT32, never FLOAT32 by way of FLOAT16. Casts of floats make one NaN of all, which is erased only behind what makes
 * that NaN alone. */
#include <stddef.h>

#include "base/notes.h"
#include "graph/pattern.h"
#include "operators/operators.h"

static const DML_OPERATOR_TYPE movers[] = {DML_OPERATOR_ELEMENT_WISE_IDENTITY, DML_OPERATOR_ACTIVATION_IDENTITY,
                                           DML_OPERATOR_CAST};

static bool matches(const struct vkdml_instance *last) {
    bool found = false;
    for (size_t i = 0; i < sizeof movers / sizeof movers[0]; ++i) {
        found = found || movers[i] == last->schema->type;
    }
    return found && vkdml_instance_scale_bias(last) == NULL;
}

/* Lets readers of a node's output read another value, if they may; the node goes. *erased: whether they may. */
static bool erase(struct vkdml_fusion *fusion, uint32_t node, uint32_t to) {
    struct vkdml_graph *graph = fusion->graph;
    const uint32_t from = vkdml_graph_value_of(graph, node, 0);
    struct vkdml_graph_value *replaced = &graph->values[from], *value = &graph->values[to];
    const char *reason = NULL;
    const bool is_bound = value->node == VKDML_GRAPH_NONE || value->outputs > 0 || replaced->outputs > 0;
    if (replaced->outputs > 0 && value->node == VKDML_GRAPH_NONE) {
        reason = "an output of the graph would be an input";
    } else if (replaced->outputs > 0 && fusion->fixed[to] && graph->nodes[value->node].instance != NULL) {
        reason = "what it copies is computed once, when the graph is initialized, and outputs are not";
    } else if (replaced->outputs > 0 && value->outputs > 0) {
        reason = "one output of the graph would be copied to another";
    } else if (replaced->bytes != value->bytes) {
        reason = "other readers of the constant that it copies have more bytes";
    } else if (is_bound && replaced->alignment != value->alignment) {
        reason = "readers of an input or output of the graph differ in GuaranteedBaseOffsetAlignment";
    }
    const struct vkdml_graph_text text = vkdml_graph_node_text(node, graph->nodes[node].name);
    if (reason != NULL) {
        vkdml_note(fusion->report, "%s is not erased: %s", text.text, reason);
        return false;
    }
    vkdml_note(fusion->report, "%s is erased: its readers find the same bytes elsewhere", text.text);
    value->alignment = replaced->alignment > value->alignment ? replaced->alignment : value->alignment;
    vkdml_graph_redirect(graph, from, to);
    vkdml_graph_drop(graph, node);
    return true;
}

static VkdmlResult apply(struct vkdml_fusion *fusion, uint32_t last) {
    const struct vkdml_instance *instance = fusion->graph->nodes[last].instance;
    if (vkdml_same_layout(&instance->inputs[0], &instance->outputs[0]) &&
        instance->inputs[0].total_bytes == instance->outputs[0].total_bytes) {
        erase(fusion, last, vkdml_graph_source(fusion->graph, last, 0));
    }
    return VKDML_SUCCESS;
}

/* ---- two in turn ---- */

/* Numbers of a type: digits of base 2, and whether there are negative ones. */
struct numbers {
    uint32_t digits;
    bool is_float;
    bool is_signed;
};

static const struct numbers numbers_of[] = {
    [DML_TENSOR_DATA_TYPE_FLOAT32] = {24, true, true},  [DML_TENSOR_DATA_TYPE_FLOAT16] = {11, true, true},
    [DML_TENSOR_DATA_TYPE_UINT32] = {32, false, false}, [DML_TENSOR_DATA_TYPE_UINT16] = {16, false, false},
    [DML_TENSOR_DATA_TYPE_UINT8] = {8, false, false},   [DML_TENSOR_DATA_TYPE_INT32] = {31, false, true},
    [DML_TENSOR_DATA_TYPE_INT16] = {15, false, true},   [DML_TENSOR_DATA_TYPE_INT8] = {7, false, true},
    [DML_TENSOR_DATA_TYPE_FLOAT64] = {53, true, true},  [DML_TENSOR_DATA_TYPE_UINT64] = {64, false, false},
    [DML_TENSOR_DATA_TYPE_INT64] = {63, false, true},
};

/* Whether a type has all numbers of another. */
static bool holds(DML_TENSOR_DATA_TYPE type, DML_TENSOR_DATA_TYPE other) {
    if (type == other) {
        return true;
    }
    if ((size_t)type >= sizeof numbers_of / sizeof numbers_of[0] ||
        (size_t)other >= sizeof numbers_of / sizeof numbers_of[0]) {
        return false;
    }
    const struct numbers *to = &numbers_of[type], *from = &numbers_of[other];
    return from->digits != 0 && to->digits >= from->digits && (to->is_signed || !from->is_signed) &&
           (to->is_float || !from->is_float);
}

/* Whether what an operator makes has no NaN but the one that CAST makes of all. */
static bool makes_one_nan(const struct vkdml_instance *instance) {
    const struct vkdml_mapping *mapping = &vkdml_operator_of(instance->schema->type)->mapping;
    const bool maps = mapping->operation != VKDML_MAP_FIRST || mapping->function != VKDML_FUNCTION_NONE;
    return instance->schema->accuracy.kind != VKDML_ACCURACY_EXACT || (maps && !mapping->moves_bits);
}

/* Whether elements that go from one layout to another, and on from the same places, end where they began. */
static bool come_back(const struct vkdml_instance *first, const struct vkdml_instance *second) {
    const struct vkdml_tensor *from = &first->inputs[0], *there = &first->outputs[0];
    const struct vkdml_tensor *back = &second->inputs[0], *to = &second->outputs[0];
    uint32_t dimensions = 0, found = 0;
    for (uint32_t d = 0; d < from->dimension_count; ++d) {
        dimensions += from->sizes[d] > 1 ? 1 : 0;
    }
    for (uint32_t d = 0; d < back->dimension_count; ++d) {
        for (uint32_t e = 0; e < from->dimension_count && back->sizes[d] > 1; ++e) {
            /* No two dimensions of an output have one stride. */
            found += from->sizes[e] == back->sizes[d] && there->strides[e] == back->strides[d] &&
                             from->strides[e] == to->strides[d]
                         ? 1
                         : 0;
        }
        if (back->sizes[d] > 1 && found == 0) {
            return false;
        }
    }
    return found == dimensions && vkdml_tensor_elements(from) == vkdml_tensor_elements(back);
}

static bool loses_nothing(const struct vkdml_fusion *fusion, uint32_t first) {
    const struct vkdml_instance *instance = fusion->graph->nodes[first].instance;
    const DML_TENSOR_DATA_TYPE type = instance->inputs[0].data_type, between = instance->outputs[0].data_type;
    if (type == between) {
        return true;
    }
    if (!holds(between, type)) {
        return false;
    }
    uint32_t before;
    const struct vkdml_instance *made_by = vkdml_fusion_producer(fusion, first, 0, &before);
    return !vkdml_data_type_is_float(type) || (made_by != NULL && makes_one_nan(made_by));
}

static VkdmlResult apply_twice(struct vkdml_fusion *fusion, uint32_t last) {
    struct vkdml_graph *graph = fusion->graph;
    uint32_t first;
    const struct vkdml_instance *second = graph->nodes[last].instance;
    const struct vkdml_instance *instance = vkdml_fusion_producer(fusion, last, 0, &first);
    if (instance == NULL || !matches(instance) || instance->inputs[0].data_type != second->outputs[0].data_type ||
        instance->outputs[0].data_type != second->inputs[0].data_type ||
        instance->inputs[0].total_bytes != second->outputs[0].total_bytes || !come_back(instance, second)) {
        return VKDML_SUCCESS;
    }
    if (!loses_nothing(fusion, first)) {
        vkdml_fusion_refuse(fusion, first, last, "casts there and back may change elements");
        return VKDML_SUCCESS;
    }
    const struct vkdml_graph_value *between = &graph->values[vkdml_graph_value_of(graph, first, 0)];
    if (erase(fusion, last, vkdml_graph_source(graph, first, 0)) && between->readers == 0 && between->outputs == 0) {
        vkdml_graph_drop(graph, first);
    }
    return VKDML_SUCCESS;
}

const struct vkdml_pattern vkdml_pattern_identity = {"identity", matches, apply};
const struct vkdml_pattern vkdml_pattern_round_trip = {"round trip", matches, apply_twice};
