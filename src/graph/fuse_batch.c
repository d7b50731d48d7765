/* A BATCH_NORMALIZATION behind a CONVOLUTION, whose filter and bias take its numbers in when the graph is initialized.
 *
 * Two nodes are added, which are BATCH_NORMALIZATIONs themselves: of the filter, with a mean and a bias of 0, and of
 * the bias, or of 0 where there is none. So the numbers of a channel are rounded as they would be behind the sum:
 *
 *   (sum(w x) + b - mean) / deviation scale + bias = sum(w / deviation scale x) + ((b - mean) / deviation scale + bias)
 *
 * Each weight is rounded twice and the bias four times, where the node rounds its result four times: both ways stay
 * within (12 + n) 2^-24 of the magnitudes of all terms. FLOAT16 weights are rounded to 11 bits, and so the node stays
 * unless half precision is allowed. */
#include <stddef.h>
#include <string.h>

#include "graph/pattern.h"

/* Inputs of a BATCH_NORMALIZATION and of a CONVOLUTION. */
enum { MEAN = 1, VARIANCE, SCALE, BIAS, NORMALIZATION_INPUTS };
enum { FILTER = 1, FILTER_BIAS };

/* What is folded. */
struct folding {
    uint32_t convolution; /* nodes */
    uint32_t normalization;
    uint32_t channel; /* the dimension of the filter whose elements make one channel of the output */
};

/* What replaces it; all are NULL at first. */
struct folded {
    struct vkdml_instance *filter;
    struct vkdml_instance *bias;
    struct vkdml_instance *convolution;
};

static bool matches(const struct vkdml_instance *last) {
    return last->schema->type == DML_OPERATOR_BATCH_NORMALIZATION;
}

/* ---- tensors ---- */

/* Whether a tensor has a number for each channel alone. */
static bool is_by_channel(const struct vkdml_tensor *tensor) {
    for (uint32_t d = 0; d < tensor->dimension_count; ++d) {
        if (d != 1 && tensor->sizes[d] > 1 && tensor->strides[d] != 0) {
            return false;
        }
    }
    return true;
}

/* The numbers of channels as those of dimension `channel` of another tensor of as many dimensions. */
static struct vkdml_tensor by_channel(const struct vkdml_tensor *tensor, uint32_t channel) {
    struct vkdml_tensor view = *tensor;
    for (uint32_t d = 0; d < view.dimension_count; ++d) {
        view.sizes[d] = d == channel ? tensor->sizes[1] : 1;
        view.strides[d] = d == channel ? tensor->strides[1] : 0;
    }
    view.has_strides = true;
    return view;
}

/* An element 0 that stands for all of a tensor. */
static struct vkdml_tensor zeros(const struct vkdml_tensor *of) {
    struct vkdml_tensor tensor = *of;
    tensor.flags = DML_TENSOR_FLAG_NONE;
    for (uint32_t d = 0; d < tensor.dimension_count; ++d) {
        tensor.strides[d] = 0;
    }
    tensor.has_strides = true;
    tensor.total_bytes = 4;
    tensor.base_alignment = 0;
    return tensor;
}

/* Made between nodes. */
static struct vkdml_tensor packed(const struct vkdml_tensor *of) {
    struct vkdml_tensor tensor = *of;
    tensor.flags = DML_TENSOR_FLAG_NONE;
    vkdml_packed_strides(tensor.dimension_count, tensor.sizes, tensor.strides);
    tensor.has_strides = false;
    vkdml_minimum_bytes(tensor.element_bits, tensor.dimension_count, tensor.sizes, NULL, &tensor.total_bytes);
    tensor.base_alignment = 0;
    return tensor;
}

/* A bias, of sizes 1 but for channels. */
static struct vkdml_tensor bias_of(const struct vkdml_instance *convolution) {
    struct vkdml_tensor tensor = convolution->outputs[0];
    for (uint32_t d = 0; d < tensor.dimension_count; ++d) {
        tensor.sizes[d] = d == 1 ? tensor.sizes[d] : 1;
    }
    return packed(&tensor);
}

/* ---- what suits ---- */

static bool is_fixed(const struct vkdml_fusion *fusion, uint32_t node, uint32_t input) {
    const uint32_t value = vkdml_graph_source(fusion->graph, node, input);
    return value == VKDML_GRAPH_NONE || fusion->fixed[value];
}

/* Whether all that is folded is known in time, a number for each channel. */
static bool has_numbers(const struct vkdml_fusion *fusion, const struct folding *folding) {
    const struct vkdml_instance *normalization = fusion->graph->nodes[folding->normalization].instance;
    for (uint32_t i = MEAN; i < NORMALIZATION_INPUTS; ++i) {
        const char *name = vkdml_input_name(normalization, i);
        if (!is_by_channel(&normalization->inputs[i])) {
            vkdml_fusion_refuse(fusion, folding->convolution, folding->normalization,
                                "%s is not one number for each channel", name);
            return false;
        }
        if (!is_fixed(fusion, folding->normalization, i)) {
            vkdml_fusion_refuse(fusion, folding->convolution, folding->normalization,
                                "%s is not known at initialization", name);
            return false;
        }
    }
    for (uint32_t i = FILTER; i <= FILTER_BIAS; ++i) {
        if (!is_fixed(fusion, folding->convolution, i)) {
            vkdml_fusion_refuse(fusion, folding->convolution, folding->normalization,
                                "that one's %s is not known at initialization", i == FILTER ? "filter" : "bias");
            return false;
        }
    }
    return true;
}

static bool suits(const struct vkdml_fusion *fusion, struct folding *folding) {
    const uint32_t producer = folding->convolution, node = folding->normalization;
    const struct vkdml_instance *convolution = fusion->graph->nodes[producer].instance;
    const struct vkdml_instance *normalization = fusion->graph->nodes[node].instance;
    const DML_CONVOLUTION_OPERATOR_DESC *desc = convolution->desc;
    const struct vkdml_tensor *between = &convolution->outputs[0], *output = &normalization->outputs[0];
    folding->channel = desc->Direction == DML_CONVOLUTION_DIRECTION_FORWARD ? 0 : 1;
    if (convolution->activation_count != 0) {
        vkdml_fusion_refuse(fusion, producer, node, "that has an activation already");
    } else if (folding->channel == 1 && desc->GroupCount > 1) {
        vkdml_fusion_refuse(fusion, producer, node, "its filter's channels are those of each group");
    } else if (!vkdml_same_layout(between, &normalization->inputs[0]) || !vkdml_same_layout(between, output) ||
               between->total_bytes != output->total_bytes) {
        vkdml_fusion_refuse(fusion, producer, node, "types, sizes or strides differ");
    } else if (!vkdml_fusion_is_unrounded(fusion, output->data_type)) {
        vkdml_fusion_refuse(fusion, producer, node, "its FLOAT16 weights would be rounded again");
    } else if (fusion->fixed[vkdml_graph_value_of(fusion->graph, producer, 0)]) {
        vkdml_fusion_refuse(fusion, producer, node, "that is computed once, when the graph is initialized");
    } else {
        return has_numbers(fusion, folding) && vkdml_fusion_is_private(fusion, producer, node);
    }
    return false;
}

/* ---- what is made ---- */

/* NULL, and a note, where the rules refuse it. */
static VkdmlResult rewrite(const struct vkdml_fusion *fusion, const struct folding *folding,
                           const struct vkdml_instance *from, const struct vkdml_edit *edits, size_t count,
                           struct vkdml_instance **made) {
    struct vkdml_report refusal;
    const VkdmlResult result = vkdml_rewrite(from, from->schema->type, edits, count, fusion->level,
                                             fusion->graph->callbacks, fusion->report, &refusal, made);
    if (result == VKDML_SUCCESS && *made == NULL) {
        vkdml_fusion_refuse(fusion, folding->convolution, folding->normalization, "%.*s",
                            (int)strcspn(refusal.text, "\n"), refusal.text);
    }
    return result;
}

/* The normalization of another tensor by the numbers of channels, which are that one's dimension `channel`. */
static VkdmlResult normalize(const struct vkdml_fusion *fusion, const struct folding *folding,
                             const struct vkdml_tensor *input, const struct vkdml_tensor *output, uint32_t channel,
                             bool is_moved, struct vkdml_instance **made) {
    const struct vkdml_instance *normalization = fusion->graph->nodes[folding->normalization].instance;
    struct vkdml_tensor numbers[NORMALIZATION_INPUTS];
    for (uint32_t i = MEAN; i < NORMALIZATION_INPUTS; ++i) {
        const bool is_zero = !is_moved && (i == MEAN || i == BIAS);
        numbers[i] = is_zero ? zeros(output) : by_channel(&normalization->inputs[i], channel);
    }
    const struct vkdml_edit edits[] = {{.field = "InputTensor", .tensor = input},
                                       {.field = "MeanTensor", .tensor = &numbers[MEAN]},
                                       {.field = "VarianceTensor", .tensor = &numbers[VARIANCE]},
                                       {.field = "ScaleTensor", .tensor = &numbers[SCALE]},
                                       {.field = "BiasTensor", .tensor = &numbers[BIAS]},
                                       {.field = "OutputTensor", .tensor = output},
                                       {.field = "Spatial", .bits = 1},
                                       {.field = "FusedActivation"}};
    return rewrite(fusion, folding, normalization, edits, sizeof edits / sizeof edits[0], made);
}

static VkdmlResult make(const struct vkdml_fusion *fusion, const struct folding *folding, struct folded *made) {
    const struct vkdml_instance *convolution = fusion->graph->nodes[folding->convolution].instance;
    const struct vkdml_instance *normalization = fusion->graph->nodes[folding->normalization].instance;
    const struct vkdml_tensor *filter = &convolution->inputs[FILTER], *bias = &convolution->inputs[FILTER_BIAS];
    const struct vkdml_tensor output = vkdml_fusion_output(fusion, folding->convolution, folding->normalization);
    const struct vkdml_tensor new_filter = packed(filter), new_bias = bias_of(convolution), none = zeros(&new_bias);
    struct vkdml_edit edits[4] = {{.field = "OutputTensor", .tensor = &output},
                                  {.field = "FilterTensor", .tensor = &new_filter},
                                  {.field = "BiasTensor", .tensor = &new_bias}};
    size_t count = 3;
    if (normalization->activation_count != 0) {
        edits[count++] = (struct vkdml_edit){.field = "FusedActivation", .activation = &normalization->activations[0]};
    }
    VkdmlResult result = rewrite(fusion, folding, convolution, edits, count, &made->convolution);
    if (result == VKDML_SUCCESS && made->convolution != NULL) {
        result = normalize(fusion, folding, filter, &new_filter, folding->channel, false, &made->filter);
    }
    if (result == VKDML_SUCCESS && made->filter != NULL) {
        result = normalize(fusion, folding, bias->dimension_count != 0 ? bias : &none, &new_bias, 1, true, &made->bias);
    }
    return result;
}

static VkdmlResult add(struct vkdml_fusion *fusion, const struct folding *folding, struct folded *made) {
    struct vkdml_graph *graph = fusion->graph;
    const uint32_t convolution = folding->convolution, normalization = folding->normalization;
    uint32_t numbers[NORMALIZATION_INPUTS], zero, filter, bias;
    VkdmlResult result = vkdml_fusion_zero(fusion, &zero);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    for (uint32_t i = MEAN; i < NORMALIZATION_INPUTS; ++i) {
        numbers[i] = vkdml_graph_source(graph, normalization, i);
    }
    const uint32_t old_bias = vkdml_graph_source(graph, convolution, FILTER_BIAS);
    const uint32_t of_filter[] = {vkdml_graph_source(graph, convolution, FILTER), zero, numbers[VARIANCE],
                                  numbers[SCALE], zero};
    const uint32_t of_bias[] = {old_bias != VKDML_GRAPH_NONE ? old_bias : zero, numbers[MEAN], numbers[VARIANCE],
                                numbers[SCALE], numbers[BIAS]};
    result = vkdml_fusion_add_node(fusion, made->filter, of_filter, convolution, "filter", &filter);
    made->filter = NULL; /* the graph's, or gone */
    if (result == VKDML_SUCCESS) {
        result = vkdml_fusion_add_node(fusion, made->bias, of_bias, convolution, "bias", &bias);
        made->bias = NULL;
    }
    if (result == VKDML_SUCCESS) {
        vkdml_graph_set_source(graph, convolution, FILTER, filter);
        vkdml_graph_set_source(graph, convolution, FILTER_BIAS, bias);
        vkdml_fusion_join(fusion, convolution, normalization, made->convolution);
        made->convolution = NULL;
    }
    return result;
}

static VkdmlResult apply(struct vkdml_fusion *fusion, uint32_t last) {
    struct folding folding = {.normalization = last};
    struct folded made = {.filter = NULL};
    const struct vkdml_instance *made_by = vkdml_fusion_producer(fusion, last, 0, &folding.convolution);
    if (made_by == NULL || made_by->schema->type != DML_OPERATOR_CONVOLUTION || !suits(fusion, &folding)) {
        return VKDML_SUCCESS;
    }
    VkdmlResult result = make(fusion, &folding, &made);
    if (result == VKDML_SUCCESS && made.bias != NULL) {
        result = add(fusion, &folding, &made);
    }
    vkdml_instance_destroy(made.filter, fusion->graph->callbacks);
    vkdml_instance_destroy(made.bias, fusion->graph->callbacks);
    vkdml_instance_destroy(made.convolution, fusion->graph->callbacks);
    return result;
}

const struct vkdml_pattern vkdml_pattern_batch = {"batch normalization", matches, apply};
