/* Normalizations that are written in parts, as exporters write them where they have no operator for the whole:
 *
 *   difference = x - mean(x)      y = difference / sqrt(mean(difference * difference) + epsilon)      y * scale + bias
 *
 * become MEAN_VARIANCE_NORMALIZATION1, the scale and the bias in a second step. It computes the same, within the bound
 * that it states and not bit for bit: its parts are rounded elsewhere. So FLOAT16 stays unless half precision is
 * allowed. Nodes that are looked through are private to the pattern: what others read of them is still to be made. */
#include <stddef.h>
#include <string.h>

#include "graph/pattern.h"

/* Inputs of MEAN_VARIANCE_NORMALIZATION1. */
enum { INPUT, SCALE, BIAS, INPUTS };

/* The nodes of a normalization, from the last to the first; VKDML_GRAPH_NONE where one is not needed. */
enum { QUOTIENT, ROOT, SHIFT, VARIANCE, SQUARE, DIFFERENCE, MEAN, PARTS };

struct parts {
    uint32_t nodes[PARTS];
    float epsilon;
};

/* The node of a type that makes input `index` of another. */
static bool find_producer(const struct vkdml_fusion *fusion, uint32_t node, uint32_t index, DML_OPERATOR_TYPE type,
                          uint32_t *producer) {
    const struct vkdml_instance *instance = vkdml_fusion_producer(fusion, node, index, producer);
    return instance != NULL && instance->schema->type == type;
}

static const struct vkdml_instance *instance_of(const struct vkdml_fusion *fusion, uint32_t node) {
    return fusion->graph->nodes[node].instance;
}

/* Whether a node reads with input `index` what another made, as that made it. */
static bool reads_alike(const struct vkdml_fusion *fusion, uint32_t node, uint32_t index, uint32_t producer) {
    return vkdml_fusion_lies_alike(&instance_of(fusion, node)->inputs[index],
                                   &instance_of(fusion, producer)->outputs[0]);
}

/* The same of one that made a number for each row: it is read once for each element of the row. */
static bool reads_rows(const struct vkdml_fusion *fusion, uint32_t node, uint32_t index, uint32_t producer,
                       const DML_REDUCE_OPERATOR_DESC *reduce) {
    const struct vkdml_tensor *read = &instance_of(fusion, node)->inputs[index];
    const struct vkdml_tensor *made = &instance_of(fusion, producer)->outputs[0];
    if (read->dimension_count != made->dimension_count || read->data_type != made->data_type) {
        return false;
    }
    uint32_t folded = 0;
    for (uint32_t i = 0; i < reduce->AxisCount; ++i) {
        folded |= 1u << reduce->Axes[i];
    }
    for (uint32_t d = 0; d < read->dimension_count; ++d) {
        const bool is_folded = (folded >> d & 1) != 0;
        if (read->sizes[d] > 1 && read->strides[d] != (is_folded ? 0 : made->strides[d])) {
            return false;
        }
        if (!is_folded && read->sizes[d] != made->sizes[d]) {
            return false;
        }
    }
    return true;
}

/* Whether nobody reads a node's output but `readers` inputs, and it is made in executions. */
static bool is_read_by(const struct vkdml_fusion *fusion, uint32_t node, uint32_t readers) {
    const uint32_t value = vkdml_graph_value_of(fusion->graph, node, 0);
    return fusion->graph->values[value].readers == readers && fusion->graph->values[value].outputs == 0 &&
           !fusion->fixed[value];
}

/* ---- the parts ---- */

/* sqrt(variance + epsilon): ScaleBias of the root, or a node of its own. */
static bool find_root(const struct vkdml_fusion *fusion, struct parts *parts) {
    uint32_t *nodes = parts->nodes;
    if (!find_producer(fusion, nodes[QUOTIENT], 1, DML_OPERATOR_ELEMENT_WISE_SQRT, &nodes[ROOT])) {
        return false;
    }
    const DML_SCALE_BIAS *bias = vkdml_instance_scale_bias(instance_of(fusion, nodes[ROOT]));
    nodes[SHIFT] = VKDML_GRAPH_NONE;
    if (bias == NULL) {
        uint32_t added = 0;
        if (find_producer(fusion, nodes[ROOT], 0, DML_OPERATOR_ELEMENT_WISE_IDENTITY, &nodes[SHIFT])) {
            bias = vkdml_instance_scale_bias(instance_of(fusion, nodes[SHIFT]));
        } else if (find_producer(fusion, nodes[ROOT], 0, DML_OPERATOR_ELEMENT_WISE_ADD, &nodes[SHIFT])) {
            added = vkdml_fusion_constant(fusion, nodes[SHIFT], 0, &parts->epsilon) ? 1 : 0;
            if (added == 0 && !vkdml_fusion_constant(fusion, nodes[SHIFT], 1, &parts->epsilon)) {
                return false;
            }
            return find_producer(fusion, nodes[SHIFT], added, DML_OPERATOR_REDUCE, &nodes[VARIANCE]) &&
                   reads_alike(fusion, nodes[SHIFT], added, nodes[VARIANCE]) &&
                   reads_alike(fusion, nodes[ROOT], 0, nodes[SHIFT]);
        }
    }
    const uint32_t from = nodes[SHIFT] != VKDML_GRAPH_NONE ? nodes[SHIFT] : nodes[ROOT];
    if (bias == NULL || bias->Scale != 1 || !find_producer(fusion, from, 0, DML_OPERATOR_REDUCE, &nodes[VARIANCE])) {
        return false;
    }
    parts->epsilon = bias->Bias;
    return reads_alike(fusion, from, 0, nodes[VARIANCE]) &&
           (from == nodes[ROOT] || reads_alike(fusion, nodes[ROOT], 0, from));
}

/* The exponent of a power of its first input, by whatever operator; 0 of what is none. */
static float exponent_of(const struct vkdml_fusion *fusion, uint32_t node) {
    const struct vkdml_instance *power = instance_of(fusion, node);
    const DML_OPERATOR_TYPE type = power->schema->type;
    float exponent = 0;
    if (vkdml_instance_scale_bias(power) != NULL) {
        return 0;
    }
    if (type == DML_OPERATOR_ELEMENT_WISE_CONSTANT_POW) {
        exponent = ((const DML_ELEMENT_WISE_CONSTANT_POW_OPERATOR_DESC *)power->desc)->Exponent;
    } else if (type == DML_OPERATOR_ELEMENT_WISE_POW) {
        exponent = vkdml_fusion_constant(fusion, node, 1, &exponent) ? exponent : 0;
    } else if (type == DML_OPERATOR_ELEMENT_WISE_MULTIPLY) {
        const bool is_square =
            vkdml_graph_source(fusion->graph, node, 0) == vkdml_graph_source(fusion->graph, node, 1) &&
            vkdml_same_layout(&power->inputs[0], &power->inputs[1]);
        exponent = is_square ? 2 : 0;
    }
    return exponent;
}

/* Whether the variance is that of the difference, which nobody else reads but the quotient. */
static bool is_square(const struct vkdml_fusion *fusion, const struct parts *parts) {
    const uint32_t node = parts->nodes[SQUARE], difference = parts->nodes[DIFFERENCE];
    const uint32_t own = instance_of(fusion, node)->schema->type == DML_OPERATOR_ELEMENT_WISE_MULTIPLY ? 2 : 1;
    return exponent_of(fusion, node) == 2 && reads_alike(fusion, node, 0, difference) &&
           is_read_by(fusion, difference, own + 1);
}

/* Whether two nodes average over the same dimensions. */
static bool average_alike(const struct vkdml_fusion *fusion, uint32_t a, uint32_t b) {
    const DML_REDUCE_OPERATOR_DESC *first = instance_of(fusion, a)->desc, *second = instance_of(fusion, b)->desc;
    return first->Function == DML_REDUCE_FUNCTION_AVERAGE && second->Function == DML_REDUCE_FUNCTION_AVERAGE &&
           first->AxisCount == second->AxisCount &&
           memcmp(first->Axes, second->Axes, first->AxisCount * sizeof *first->Axes) == 0;
}

/* Follows the inputs of a quotient to what is normalized. */
static bool find_parts(const struct vkdml_fusion *fusion, uint32_t quotient, struct parts *parts) {
    const struct vkdml_graph *graph = fusion->graph;
    uint32_t *nodes = parts->nodes;
    uint32_t difference;
    nodes[QUOTIENT] = quotient;
    if (!find_root(fusion, parts) || vkdml_fusion_producer(fusion, nodes[VARIANCE], 0, &nodes[SQUARE]) == NULL ||
        !find_producer(fusion, quotient, 0, DML_OPERATOR_ELEMENT_WISE_SUBTRACT, &nodes[DIFFERENCE]) ||
        vkdml_fusion_producer(fusion, nodes[SQUARE], 0, &difference) == NULL || difference != nodes[DIFFERENCE] ||
        !find_producer(fusion, nodes[DIFFERENCE], 1, DML_OPERATOR_REDUCE, &nodes[MEAN])) {
        return false;
    }
    const struct vkdml_instance *subtraction = instance_of(fusion, nodes[DIFFERENCE]);
    const struct vkdml_instance *mean = instance_of(fusion, nodes[MEAN]);
    return vkdml_graph_source(graph, nodes[DIFFERENCE], 0) == vkdml_graph_source(graph, nodes[MEAN], 0) &&
           average_alike(fusion, nodes[MEAN], nodes[VARIANCE]) && is_square(fusion, parts) &&
           vkdml_same_layout(&subtraction->inputs[0], &mean->inputs[0]) &&
           vkdml_same_layout(&subtraction->outputs[0], &instance_of(fusion, quotient)->inputs[0]) &&
           reads_alike(fusion, nodes[VARIANCE], 0, nodes[SQUARE]) &&
           reads_rows(fusion, nodes[DIFFERENCE], 1, nodes[MEAN], mean->desc) &&
           reads_rows(fusion, quotient, 1, nodes[ROOT], instance_of(fusion, nodes[VARIANCE])->desc);
}

/* Whether all but the quotient are read within the pattern alone; the difference is known to be. */
static bool is_private(const struct vkdml_fusion *fusion, const struct parts *parts) {
    for (uint32_t i = ROOT; i < PARTS; ++i) {
        if (i != DIFFERENCE && parts->nodes[i] != VKDML_GRAPH_NONE && !is_read_by(fusion, parts->nodes[i], 1)) {
            vkdml_fusion_refuse(fusion, parts->nodes[i], parts->nodes[QUOTIENT],
                                "a normalization in parts, one of which is read elsewhere");
            return false;
        }
    }
    return true;
}

static bool divides(const struct vkdml_instance *last) {
    return last->schema->type == DML_OPERATOR_ELEMENT_WISE_DIVIDE;
}

/* Lets a node that was added do what the parts did. */
static void take_place(const struct vkdml_fusion *fusion, const struct parts *parts, uint32_t value) {
    struct vkdml_graph *graph = fusion->graph;
    const uint32_t made = graph->values[value].node;
    const uint32_t after = vkdml_graph_value_of(graph, parts->nodes[QUOTIENT], 0);
    graph->values[value].alignment = graph->values[after].alignment;
    vkdml_graph_redirect(graph, after, value);
    for (uint32_t i = 0; i < PARTS; ++i) {
        if (parts->nodes[i] != VKDML_GRAPH_NONE) {
            vkdml_fusion_tell(fusion, made, parts->nodes[i]);
            vkdml_graph_drop(graph, parts->nodes[i]);
        }
    }
}

static VkdmlResult join_parts(struct vkdml_fusion *fusion, uint32_t last) {
    struct parts parts;
    if (!find_parts(fusion, last, &parts) || !is_private(fusion, &parts)) {
        return VKDML_SUCCESS;
    }
    const struct vkdml_instance *mean = instance_of(fusion, parts.nodes[MEAN]);
    const DML_REDUCE_OPERATOR_DESC *reduce = mean->desc;
    const struct vkdml_tensor *input = &instance_of(fusion, parts.nodes[DIFFERENCE])->inputs[0];
    if (!vkdml_fusion_is_unrounded(fusion, input->data_type)) {
        vkdml_fusion_refuse(fusion, parts.nodes[MEAN], last, "FLOAT16 between its parts would not be rounded");
        return VKDML_SUCCESS;
    }
    struct vkdml_edit edits[] = {{.field = "InputTensor", .tensor = input},
                                 {.field = "AxisCount", .bits = reduce->AxisCount},
                                 {.field = "Axes", .numbers = reduce->Axes},
                                 {.field = "NormalizeVariance", .bits = 1},
                                 {.field = "Epsilon"}};
    memcpy(&edits[4].bits, &parts.epsilon, sizeof parts.epsilon);
    struct vkdml_instance *made;
    VkdmlResult result = vkdml_fusion_rewrite(fusion, last, last, DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, edits,
                                              sizeof edits / sizeof edits[0], &made);
    if (result != VKDML_SUCCESS || made == NULL) {
        return result;
    }
    uint32_t sources[INPUTS] = {[SCALE] = VKDML_GRAPH_NONE, [BIAS] = VKDML_GRAPH_NONE};
    uint32_t value;
    sources[INPUT] = vkdml_graph_source(fusion->graph, parts.nodes[MEAN], 0);
    result = vkdml_fusion_add_node(fusion, made, sources, last, "normalization", &value);
    if (result == VKDML_SUCCESS) {
        take_place(fusion, &parts, value);
    }
    return result;
}

const struct vkdml_pattern vkdml_pattern_normalization = {"normalization", divides, join_parts};

/* ---- the scale and the bias ---- */

static bool adds(const struct vkdml_instance *last) {
    return last->schema->type == DML_OPERATOR_ELEMENT_WISE_ADD;
}

/* The input of a node that a node of a type makes for it alone, and as it reads it, by other sizes maybe. */
static bool find_factor(const struct vkdml_fusion *fusion, uint32_t node, DML_OPERATOR_TYPE type, uint32_t *index,
                        uint32_t *producer) {
    for (*index = 0; *index < 2; ++*index) {
        if (find_producer(fusion, node, *index, type, producer) && is_read_by(fusion, *producer, 1) &&
            reads_alike(fusion, node, *index, *producer)) {
            return true;
        }
    }
    return false;
}

static bool find_normalization(const struct vkdml_fusion *fusion, uint32_t product, uint32_t *scaled,
                               uint32_t *normalization) {
    return find_factor(fusion, product, DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, scaled, normalization) ||
           find_factor(fusion, product, DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION, scaled, normalization);
}

static bool has_neither(const struct vkdml_instance *normalization) {
    return normalization->inputs[SCALE].dimension_count == 0 && normalization->inputs[BIAS].dimension_count == 0 &&
           normalization->activation_count == 0;
}

static VkdmlResult join_scale(struct vkdml_fusion *fusion, uint32_t last) {
    struct vkdml_graph *graph = fusion->graph;
    uint32_t product, scaled, added, normalization;
    if (!find_factor(fusion, last, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, &added, &product) ||
        !find_normalization(fusion, product, &scaled, &normalization) ||
        !has_neither(instance_of(fusion, normalization))) {
        return VKDML_SUCCESS;
    }
    const struct vkdml_tensor *made_before = &instance_of(fusion, normalization)->outputs[0];
    const struct vkdml_tensor *made_last = &instance_of(fusion, last)->outputs[0];
    struct vkdml_tensor scale, bias;
    if (!vkdml_fusion_lies_alike(made_last, made_before) || made_last->total_bytes != made_before->total_bytes ||
        !vkdml_fusion_reshape(&instance_of(fusion, product)->inputs[1 - scaled], made_before, &scale) ||
        !vkdml_fusion_reshape(&instance_of(fusion, last)->inputs[1 - added], made_before, &bias)) {
        vkdml_fusion_refuse(fusion, normalization, last, "sizes or strides differ");
        return VKDML_SUCCESS;
    }
    const struct vkdml_tensor output = vkdml_fusion_output(fusion, normalization, last);
    if (!vkdml_fusion_is_unrounded(fusion, output.data_type)) {
        vkdml_fusion_refuse(fusion, normalization, last, "its FLOAT16 input would not be rounded");
        return VKDML_SUCCESS;
    }
    const struct vkdml_edit edits[] = {{.field = "ScaleTensor", .tensor = &scale},
                                       {.field = "BiasTensor", .tensor = &bias},
                                       {.field = "OutputTensor", .tensor = &output}};
    struct vkdml_instance *made;
    const VkdmlResult result = vkdml_fusion_rewrite(fusion, normalization, last,
                                                    instance_of(fusion, normalization)->schema->type, edits, 3, &made);
    if (result == VKDML_SUCCESS && made != NULL) {
        vkdml_graph_set_source(graph, normalization, SCALE, vkdml_graph_source(graph, product, 1 - scaled));
        vkdml_graph_set_source(graph, normalization, BIAS, vkdml_graph_source(graph, last, 1 - added));
        vkdml_graph_redirect(graph, vkdml_graph_value_of(graph, product, 0),
                             vkdml_graph_value_of(graph, normalization, 0));
        vkdml_fusion_tell(fusion, normalization, product);
        vkdml_graph_drop(graph, product);
        vkdml_fusion_join(fusion, normalization, last, made);
    }
    return result;
}

const struct vkdml_pattern vkdml_pattern_normalization_scale = {"normalization's scale", adds, join_scale};
