/* Casts around attention, as ONNX Runtime writes models of FLOAT16: to FLOAT32 before each of its floats, and back
 * behind each of its results. The operator of FLOAT16 computes in FLOAT32 and rounds its result once, as the casts do.
 *
 * It rounds more where it adds a bias first, or multiplies probabilities by matrix cores: casts then stay, unless half
 * precision is allowed. With PastSequenceLengths they never do: what is present is changed in place, which a cast would
 * not see. */
#include <string.h>

#include "graph/pattern.h"
#include "operators/attention_parts.h"

enum { MOST_TENSORS = 16 };

/* What reads, or makes, an attention's tensors in its place. */
struct casts {
    uint32_t attention;
    const struct vkdml_instance *instance;
    uint32_t count;
    struct vkdml_edit edits[MOST_TENSORS];
    struct vkdml_tensor tensors[MOST_TENSORS];
    uint32_t nodes[MOST_TENSORS]; /* the casts, of inputs and then of outputs; VKDML_GRAPH_NONE: there is none */
};

static bool matches(const struct vkdml_instance *last) {
    return (last->schema->type == DML_OPERATOR_MULTIHEAD_ATTENTION ||
            last->schema->type == DML_OPERATOR_MULTIHEAD_ATTENTION1) &&
           last->outputs[0].data_type == DML_TENSOR_DATA_TYPE_FLOAT32;
}

static bool is_cast(const struct vkdml_instance *instance, DML_TENSOR_DATA_TYPE from, DML_TENSOR_DATA_TYPE to) {
    return instance != NULL && instance->schema->type == DML_OPERATOR_CAST && instance->inputs[0].data_type == from &&
           instance->outputs[0].data_type == to;
}

static void add(struct casts *casts, const char *field, const struct vkdml_tensor *tensor) {
    struct vkdml_tensor *own = &casts->tensors[casts->count];
    *own = *tensor;
    casts->edits[casts->count++] = (struct vkdml_edit){.field = field, .tensor = own};
}

static bool find_before(const struct vkdml_fusion *fusion, struct casts *casts) {
    const struct vkdml_instance *attention = casts->instance;
    for (uint32_t i = 0; i < attention->input_count; ++i) {
        const struct vkdml_tensor *input = &attention->inputs[i];
        casts->nodes[i] = VKDML_GRAPH_NONE;
        if (input->dimension_count == 0 || input->data_type != DML_TENSOR_DATA_TYPE_FLOAT32) {
            continue;
        }
        const struct vkdml_instance *made_by = vkdml_fusion_producer(fusion, casts->attention, i, &casts->nodes[i]);
        if (!is_cast(made_by, DML_TENSOR_DATA_TYPE_FLOAT16, DML_TENSOR_DATA_TYPE_FLOAT32) ||
            !vkdml_same_layout(&made_by->outputs[0], input)) {
            return false;
        }
        add(casts, vkdml_input_name(attention, i), &made_by->inputs[0]);
    }
    return true;
}

/* The only node that reads a value. */
static uint32_t reader_of(const struct vkdml_graph *graph, uint32_t value) {
    for (uint32_t n = 0; n < graph->node_count && graph->values[value].readers == 1; ++n) {
        for (uint32_t i = 0; i < graph->nodes[n].input_count; ++i) {
            if (vkdml_graph_source(graph, n, i) == value) {
                return n;
            }
        }
    }
    return VKDML_GRAPH_NONE;
}

static bool find_behind(const struct vkdml_fusion *fusion, struct casts *casts) {
    const struct vkdml_graph *graph = fusion->graph;
    const struct vkdml_instance *attention = casts->instance;
    for (uint32_t o = 0; o < attention->output_count; ++o) {
        const uint32_t value = vkdml_graph_value_of(graph, casts->attention, o);
        uint32_t *node = &casts->nodes[attention->input_count + o];
        *node = VKDML_GRAPH_NONE;
        if (attention->outputs[o].dimension_count == 0) {
            continue;
        }
        *node = reader_of(graph, value);
        const struct vkdml_instance *read_by = *node != VKDML_GRAPH_NONE ? graph->nodes[*node].instance : NULL;
        if (graph->values[value].outputs > 0 ||
            !is_cast(read_by, DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_FLOAT16) ||
            !vkdml_same_layout(&attention->outputs[o], &read_by->inputs[0]) ||
            fusion->fixed[value] != fusion->fixed[vkdml_graph_value_of(graph, *node, 0)]) {
            return false;
        }
        add(casts, vkdml_output_name(attention, o), &read_by->outputs[0]);
    }
    return true;
}

static bool rounds_once(const struct vkdml_fusion *fusion, const struct casts *casts) {
    const uint32_t behind = casts->nodes[casts->instance->input_count];
    if (vkdml_attention_has_lengths(casts->instance) || fusion->limits->half_allowed) {
        return true;
    }
    if (casts->instance->inputs[VKDML_ATTENTION_BIAS_TENSOR].dimension_count != 0) {
        vkdml_fusion_refuse(fusion, casts->attention, behind, "a bias of FLOAT16 would be rounded once more");
    } else if (fusion->limits->matrix_cores.subgroup_size != 0) {
        vkdml_fusion_refuse(fusion, casts->attention, behind, "probabilities would be rounded to FLOAT16");
    } else {
        return true;
    }
    return false;
}

/* A cast whose last reader the attention was; it may have been both its keys and its values. */
static void drop_unread(const struct vkdml_fusion *fusion, uint32_t attention, uint32_t node) {
    struct vkdml_graph *graph = fusion->graph;
    if (node == VKDML_GRAPH_NONE || graph->nodes[node].instance == NULL) {
        return;
    }
    const struct vkdml_graph_value *value = &graph->values[vkdml_graph_value_of(graph, node, 0)];
    if (value->readers == 0 && value->outputs == 0) {
        vkdml_fusion_tell(fusion, attention, node);
        vkdml_graph_drop(graph, node);
    }
}

/* Lets the attention read what the casts read, and be read where they are. */
static void take_place(const struct vkdml_fusion *fusion, const struct casts *casts) {
    struct vkdml_graph *graph = fusion->graph;
    const struct vkdml_instance *attention = graph->nodes[casts->attention].instance;
    for (uint32_t i = 0; i < attention->input_count; ++i) {
        if (casts->nodes[i] != VKDML_GRAPH_NONE) {
            vkdml_graph_set_source(graph, casts->attention, i, vkdml_graph_source(graph, casts->nodes[i], 0));
        }
    }
    for (uint32_t i = 0; i < attention->input_count; ++i) {
        drop_unread(fusion, casts->attention, casts->nodes[i]);
    }
    for (uint32_t o = 0; o < attention->output_count; ++o) {
        const uint32_t node = casts->nodes[attention->input_count + o];
        if (node == VKDML_GRAPH_NONE) {
            continue;
        }
        const uint32_t value = vkdml_graph_value_of(graph, casts->attention, o);
        const uint32_t after = vkdml_graph_value_of(graph, node, 0);
        vkdml_fusion_tell(fusion, casts->attention, node);
        graph->values[value].bytes = graph->values[after].bytes;
        graph->values[value].alignment = graph->values[after].alignment;
        vkdml_graph_redirect(graph, after, value);
        vkdml_graph_drop(graph, node);
    }
}

static VkdmlResult apply(struct vkdml_fusion *fusion, uint32_t last) {
    struct casts casts = {.attention = last, .instance = fusion->graph->nodes[last].instance};
    struct vkdml_instance *made;
    if (!find_before(fusion, &casts) || !find_behind(fusion, &casts) || !rounds_once(fusion, &casts)) {
        return VKDML_SUCCESS;
    }
    const VkdmlResult result =
        vkdml_fusion_rewrite(fusion, last, last, casts.instance->schema->type, casts.edits, casts.count, &made);
    if (result == VKDML_SUCCESS && made != NULL) {
        vkdml_graph_replace(fusion->graph, last, made);
        take_place(fusion, &casts);
    }
    return result;
}

const struct vkdml_pattern vkdml_pattern_attention_casts = {"casts around attention", matches, apply};
