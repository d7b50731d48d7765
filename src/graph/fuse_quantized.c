/* Products between DEQUANTIZE_LINEAR and QUANTIZE_LINEAR, as quantized networks write them, that become products of
 * integers: a CONVOLUTION QUANTIZED_LINEAR_CONVOLUTION, a GEMM QUANTIZED_LINEAR_MATRIX_MULTIPLY, or
 * MATRIX_MULTIPLY_INTEGER_TO_FLOAT where nothing quantizes its result. DEQUANTIZE and QUANTIZE are as good where they
 * have one scale.
 *
 * Their sums are exact, and rounded four times on the way to what is quantized. FLOAT32's are within (4 + n) 2^-24 of
 * the magnitudes of n products, so that both ways are; what lies nearer than that to a tie may be quantized to either
 * side of it by both. A bias of INT32 stays one, in units that are the product of both scales: which constants tell. */
#include <math.h>
#include <string.h>

#include "graph/pattern.h"

enum { A, B, C }; /* of a GEMM; a CONVOLUTION's input, filter and bias */
enum { MOST_INPUTS = 9, MOST_EDITS = 10 };

/* Channels of a group that integer products take four at once of; depthwise convolutions have kernels for floats. */
#define LEAST_CHANNELS 4

/* DEQUANTIZE_LINEAR, QUANTIZE_LINEAR and the like: their scale, and their zero point or NULL. */
struct quantization {
    uint32_t node;
    const struct vkdml_instance *instance;
    const struct vkdml_tensor *scale, *zero_point;
};

/* A product that becomes another operator. */
struct joining {
    struct vkdml_fusion *fusion;
    uint32_t product, last; /* nodes; the same where nothing quantizes the result */
    const struct vkdml_instance *instance;
    struct quantization operands[2], bias, result; /* without an instance: there is none */
    struct vkdml_tensor tensors[MOST_EDITS];
    struct vkdml_edit edits[MOST_EDITS];
    size_t edit_count;
    uint32_t sources[MOST_INPUTS];
    uint32_t source_count;
};

/* ---- quantizations ---- */

static bool is_one_of(const struct vkdml_instance *instance, DML_OPERATOR_TYPE a, DML_OPERATOR_TYPE b) {
    return instance != NULL && (instance->schema->type == a || instance->schema->type == b);
}

static bool quantizes(const struct vkdml_instance *instance) {
    return is_one_of(instance, DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR, DML_OPERATOR_QUANTIZE);
}

static struct quantization quantization_of(uint32_t node, const struct vkdml_instance *instance) {
    const bool has_zero_point = instance->input_count > 2 && instance->inputs[2].dimension_count != 0;
    return (struct quantization){node, instance, &instance->inputs[1], has_zero_point ? &instance->inputs[2] : NULL};
}

/* Where an input of the product is dequantized, element for element. */
static bool find_dequantized(const struct joining *joining, uint32_t input, struct quantization *found) {
    uint32_t node;
    const struct vkdml_instance *made_by = vkdml_fusion_producer(joining->fusion, joining->product, input, &node);
    if (!is_one_of(made_by, DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR, DML_OPERATOR_DEQUANTIZE) ||
        !vkdml_same_layout(&made_by->outputs[0], &joining->instance->inputs[input])) {
        return false;
    }
    *found = quantization_of(node, made_by);
    return true;
}

/* Whether a tensor has a number for all, or one for each element of one dimension of so many. */
static bool varies_along(const struct vkdml_tensor *tensor, uint32_t dimension, uint32_t size) {
    for (uint32_t d = 0; d < tensor->dimension_count; ++d) {
        const bool is_spread = d == dimension && tensor->sizes[d] == size;
        if (tensor->sizes[d] > 1 && tensor->strides[d] != 0 && !is_spread) {
            return false;
        }
    }
    return true;
}

static bool is_along(const struct quantization *q, uint32_t dimension) {
    const uint32_t size = dimension != VKDML_GRAPH_NONE ? q->instance->inputs[0].sizes[dimension] : 0;
    return varies_along(q->scale, dimension, size) &&
           (q->zero_point == NULL || varies_along(q->zero_point, dimension, size));
}

/* The numbers of a dimension as those of dimension `to`, or one number. */
static struct vkdml_tensor numbers_of(const struct vkdml_tensor *tensor, uint32_t dimension, uint32_t to) {
    struct vkdml_tensor view = *tensor;
    const bool varies =
        dimension != VKDML_GRAPH_NONE && tensor->sizes[dimension] > 1 && tensor->strides[dimension] != 0;
    for (uint32_t d = 0; d < view.dimension_count; ++d) {
        view.sizes[d] = varies && d == to ? tensor->sizes[dimension] : 1;
        view.strides[d] = varies && d == to ? tensor->strides[dimension] : 0;
    }
    view.has_strides = true;
    return view;
}

/* ---- what is known ---- */

static const struct vkdml_graph_node *constant_of(const struct joining *joining, const struct quantization *q,
                                                  uint32_t input) {
    const struct vkdml_graph *graph = joining->fusion->graph;
    const uint32_t value = vkdml_graph_source(graph, q->node, input);
    const uint32_t node = value != VKDML_GRAPH_NONE ? graph->values[value].node : VKDML_GRAPH_NONE;
    return node != VKDML_GRAPH_NONE && graph->nodes[node].data != NULL ? &graph->nodes[node] : NULL;
}

static bool is_float32(const struct quantization *q) {
    return q->scale->data_type == DML_TENSOR_DATA_TYPE_FLOAT32;
}

/* Number n of a scale of FLOAT32 along a dimension. */
static float scale_at(const struct vkdml_graph_node *constant, const struct quantization *q, uint32_t dimension,
                      uint32_t n) {
    const struct vkdml_tensor *tensor = q->scale;
    const uint64_t at = tensor->sizes[dimension] > 1 ? (uint64_t)n * tensor->strides[dimension] : 0;
    float number;
    memcpy(&number, (const char *)constant->data + at * sizeof number, sizeof number);
    return number;
}

/* Whether the bias is counted in products of both scales, to the precision of a FLOAT32. */
static bool has_units(const struct joining *joining, uint32_t channels) {
    const struct quantization *bias = &joining->bias, *input = &joining->operands[A], *filter = &joining->operands[B];
    const struct vkdml_graph_node *units = constant_of(joining, bias, 1), *input_scale = constant_of(joining, input, 1),
                                  *filter_scale = constant_of(joining, filter, 1);
    bool same = units != NULL && input_scale != NULL && filter_scale != NULL && bias->zero_point == NULL &&
                is_float32(bias) && is_float32(input) && is_float32(filter);
    for (uint32_t c = 0; c < channels && same; ++c) {
        const double wanted = (double)scale_at(input_scale, input, 0, 0) * (double)scale_at(filter_scale, filter, 0, c);
        same = fabs((double)scale_at(units, bias, 1, c) - wanted) <= 0x1p-22 * fabs(wanted);
    }
    return same;
}

/* Whether the least number that the result can be is the zero point, to which RELU then brings what is less. */
static bool begins_at_zero(const struct joining *joining) {
    const struct quantization *result = &joining->result;
    const DML_TENSOR_DATA_TYPE type = result->instance->outputs[0].data_type;
    if (result->zero_point == NULL) {
        return type == DML_TENSOR_DATA_TYPE_UINT8;
    }
    const struct vkdml_graph_node *constant = constant_of(joining, result, 2);
    int8_t signed_zero = 0;
    if (constant != NULL) {
        memcpy(&signed_zero, constant->data, 1);
    }
    return constant != NULL && signed_zero == (type == DML_TENSOR_DATA_TYPE_INT8 ? INT8_MIN : 0);
}

/* ---- what suits ---- */

static bool has_kind_activation(const struct joining *joining) {
    return joining->instance->activation_count == 0 ||
           (joining->result.instance != NULL && begins_at_zero(joining) &&
            joining->instance->activations[0].schema->type == DML_OPERATOR_ACTIVATION_RELU);
}

static bool refuse(const struct joining *joining, const char *reason) {
    vkdml_fusion_refuse(joining->fusion, joining->product, joining->last, "%s", reason);
    return false;
}

static bool result_suits(const struct joining *joining) {
    const struct vkdml_instance *last = joining->result.instance;
    if (!has_kind_activation(joining)) {
        return refuse(joining, "that has an activation which a zero point does not stand for");
    }
    if (last == NULL) {
        return true;
    }
    if (!is_along(&joining->result, VKDML_GRAPH_NONE)) {
        return refuse(joining, "it has more than one scale or zero point");
    }
    if (!vkdml_same_layout(&joining->instance->outputs[0], &last->inputs[0])) {
        return refuse(joining, "types, sizes or strides differ");
    }
    return vkdml_fusion_is_private(joining->fusion, joining->product, joining->last);
}

/* ---- what is made ---- */

static void add_source(struct joining *joining, uint32_t value) {
    joining->sources[joining->source_count++] = value;
}

static void add_tensor(struct joining *joining, const char *field, const struct vkdml_tensor *tensor) {
    struct vkdml_tensor *own = &joining->tensors[joining->edit_count];
    *own = *tensor;
    joining->edits[joining->edit_count++] = (struct vkdml_edit){.field = field, .tensor = own};
}

/* An input, or the output, and its scale and zero point; names: of these three fields. */
static void add_numbers(struct joining *joining, const struct quantization *q, uint32_t dimension, uint32_t to,
                        const char *scale, const char *zero_point) {
    const struct vkdml_graph *graph = joining->fusion->graph;
    const struct vkdml_tensor scales = numbers_of(q->scale, dimension, to);
    add_tensor(joining, scale, &scales);
    add_source(joining, vkdml_graph_source(graph, q->node, 1));
    if (q->zero_point != NULL) {
        const struct vkdml_tensor zero_points = numbers_of(q->zero_point, dimension, to);
        add_tensor(joining, zero_point, &zero_points);
    }
    add_source(joining, q->zero_point != NULL ? vkdml_graph_source(graph, q->node, 2) : VKDML_GRAPH_NONE);
}

static void add_operand(struct joining *joining, const struct quantization *q, const struct vkdml_tensor *tensor,
                        const char *field) {
    add_tensor(joining, field, tensor);
    add_source(joining, vkdml_graph_source(joining->fusion->graph, q->node, 0));
}

/* Nodes whose work nobody needs any more. */
static void drop_dequantized(const struct joining *joining) {
    const uint32_t nodes[] = {joining->operands[A].node, joining->operands[B].node, joining->bias.node};
    struct vkdml_graph *graph = joining->fusion->graph;
    for (uint32_t i = 0; i < (joining->bias.instance != NULL ? 3 : 2); ++i) {
        const struct vkdml_graph_value *value = &graph->values[vkdml_graph_value_of(graph, nodes[i], 0)];
        if (graph->nodes[nodes[i]].instance != NULL && value->readers == 0 && value->outputs == 0) {
            vkdml_graph_drop(graph, nodes[i]);
        }
    }
}

static VkdmlResult finish(struct joining *joining, DML_OPERATOR_TYPE type) {
    struct vkdml_graph *graph = joining->fusion->graph;
    struct vkdml_instance *made;
    uint32_t value;
    VkdmlResult result = vkdml_fusion_rewrite(joining->fusion, joining->product, joining->last, type, joining->edits,
                                              joining->edit_count, &made);
    if (result != VKDML_SUCCESS || made == NULL) {
        return result;
    }
    result = vkdml_fusion_add_node(joining->fusion, made, joining->sources, joining->product, "of integers", &value);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    const uint32_t after = vkdml_graph_value_of(graph, joining->last, 0), node = graph->values[value].node;
    graph->values[value].alignment = graph->values[after].alignment;
    vkdml_graph_redirect(graph, after, value);
    vkdml_fusion_tell(joining->fusion, node, joining->last);
    vkdml_graph_drop(graph, joining->last);
    if (joining->product != joining->last) {
        vkdml_fusion_tell(joining->fusion, node, joining->product);
        vkdml_graph_drop(graph, joining->product);
    }
    drop_dequantized(joining);
    return VKDML_SUCCESS;
}

/* ---- convolutions ---- */

static bool convolution_suits(struct joining *joining) {
    const struct vkdml_instance *convolution = joining->instance;
    const DML_CONVOLUTION_OPERATOR_DESC *desc = convolution->desc;
    const bool has_bias = convolution->inputs[C].dimension_count != 0;
    if (has_bias && !find_dequantized(joining, C, &joining->bias)) {
        return refuse(joining, "that one's bias is not dequantized");
    }
    if (desc->Mode != DML_CONVOLUTION_MODE_CROSS_CORRELATION || desc->Direction != DML_CONVOLUTION_DIRECTION_FORWARD) {
        return refuse(joining, "that is none of FORWARD and CROSS_CORRELATION");
    }
    if (desc->GroupCount > 1 && convolution->inputs[B].sizes[1] < LEAST_CHANNELS) {
        return refuse(joining, "that one's groups have too few channels to be faster of integers");
    }
    if (!is_along(&joining->operands[A], VKDML_GRAPH_NONE) || !is_along(&joining->operands[B], 0)) {
        return refuse(joining,
                      "that one's input has more than one scale, or its filter more than one for each channel");
    }
    if (has_bias && (!is_along(&joining->bias, 1) || !has_units(joining, convolution->outputs[0].sizes[1]))) {
        return refuse(joining, "that one's bias is not known to be of the product of both scales");
    }
    return true;
}

static VkdmlResult join_convolution(struct joining *joining) {
    const struct quantization *input = &joining->operands[A], *filter = &joining->operands[B], *bias = &joining->bias;
    if (!convolution_suits(joining) || !result_suits(joining)) {
        return VKDML_SUCCESS;
    }
    add_operand(joining, input, &input->instance->inputs[0], "InputTensor");
    add_numbers(joining, input, VKDML_GRAPH_NONE, 0, "InputScaleTensor", "InputZeroPointTensor");
    add_operand(joining, filter, &filter->instance->inputs[0], "FilterTensor");
    add_numbers(joining, filter, 0, 1, "FilterScaleTensor", "FilterZeroPointTensor");
    if (bias->instance != NULL) {
        add_operand(joining, bias, &bias->instance->inputs[0], "BiasTensor");
    } else {
        add_source(joining, VKDML_GRAPH_NONE);
    }
    add_numbers(joining, &joining->result, VKDML_GRAPH_NONE, 0, "OutputScaleTensor", "OutputZeroPointTensor");
    add_tensor(joining, "OutputTensor", &joining->result.instance->outputs[0]);
    return finish(joining, DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION);
}

/* ---- matrices ---- */

/* Rows and columns of a matrix in each other's place. */
static struct vkdml_tensor turned(const struct vkdml_tensor *tensor) {
    struct vkdml_tensor result = *tensor;
    const uint32_t row = tensor->dimension_count - 2, column = row + 1;
    result.sizes[row] = tensor->sizes[column];
    result.sizes[column] = tensor->sizes[row];
    result.strides[row] = tensor->strides[column];
    result.strides[column] = tensor->strides[row];
    result.has_strides = true;
    return result;
}

static bool matrices_suit(const struct joining *joining, uint32_t columns) {
    const struct vkdml_instance *gemm = joining->instance;
    const DML_GEMM_OPERATOR_DESC *desc = gemm->desc;
    const bool has_addend = gemm->inputs[C].dimension_count != 0;
    if (desc->Alpha != 1 || (has_addend && desc->Beta != 1)) {
        return refuse(joining, "that has an Alpha or a Beta");
    }
    if (has_addend && joining->result.instance != NULL) {
        return refuse(joining, "that has a CTensor");
    }
    if (!is_along(&joining->operands[A], VKDML_GRAPH_NONE) || !is_along(&joining->operands[B], columns)) {
        return refuse(joining, "A has more than one scale, or B more than one for each column");
    }
    return true;
}

static VkdmlResult join_matrices(struct joining *joining) {
    const struct quantization *a = &joining->operands[A], *b = &joining->operands[B], *result = &joining->result;
    const DML_GEMM_OPERATOR_DESC *desc = joining->instance->desc;
    const uint32_t last = joining->instance->inputs[B].dimension_count - 1;
    const uint32_t columns = desc->TransB == DML_MATRIX_TRANSFORM_TRANSPOSE ? last - 1 : last;
    if (!matrices_suit(joining, columns) || !result_suits(joining)) {
        return VKDML_SUCCESS;
    }
    const struct vkdml_tensor *left = &a->instance->inputs[0], *right = &b->instance->inputs[0];
    const struct vkdml_tensor left_turned = turned(left), right_turned = turned(right);
    add_operand(joining, a, desc->TransA == DML_MATRIX_TRANSFORM_TRANSPOSE ? &left_turned : left, "ATensor");
    add_numbers(joining, a, VKDML_GRAPH_NONE, 0, "AScaleTensor", "AZeroPointTensor");
    add_operand(joining, b, columns != last ? &right_turned : right, "BTensor");
    add_numbers(joining, b, columns, last, "BScaleTensor", "BZeroPointTensor");
    if (result->instance != NULL) {
        add_numbers(joining, result, VKDML_GRAPH_NONE, 0, "OutputScaleTensor", "OutputZeroPointTensor");
        add_tensor(joining, "OutputTensor", &result->instance->outputs[0]);
        return finish(joining, DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY);
    }
    if (joining->instance->inputs[C].dimension_count != 0) {
        add_tensor(joining, "BiasTensor", &joining->instance->inputs[C]);
    }
    add_source(joining, vkdml_graph_source(joining->fusion->graph, joining->product, C));
    return finish(joining, DML_OPERATOR_MATRIX_MULTIPLY_INTEGER_TO_FLOAT);
}

/* ---- both ---- */

static VkdmlResult join(struct joining *joining) {
    if (!find_dequantized(joining, A, &joining->operands[A]) || !find_dequantized(joining, B, &joining->operands[B])) {
        return VKDML_SUCCESS;
    }
    return joining->instance->schema->type == DML_OPERATOR_GEMM ? join_matrices(joining) : join_convolution(joining);
}

static VkdmlResult apply_quantized(struct vkdml_fusion *fusion, uint32_t last) {
    struct joining joining = {.fusion = fusion, .last = last};
    joining.instance = vkdml_fusion_producer(fusion, last, 0, &joining.product);
    if (!is_one_of(joining.instance, DML_OPERATOR_CONVOLUTION, DML_OPERATOR_GEMM)) {
        return VKDML_SUCCESS;
    }
    joining.result = quantization_of(last, fusion->graph->nodes[last].instance);
    return join(&joining);
}

static bool multiplies(const struct vkdml_instance *last) {
    return last->schema->type == DML_OPERATOR_GEMM;
}

static VkdmlResult apply_dequantized(struct vkdml_fusion *fusion, uint32_t last) {
    struct joining joining = {.fusion = fusion, .product = last, .last = last};
    joining.instance = fusion->graph->nodes[last].instance;
    return join(&joining);
}

const struct vkdml_pattern vkdml_pattern_quantized = {"quantized product", quantizes, apply_quantized};
const struct vkdml_pattern vkdml_pattern_dequantized = {"dequantized product", multiplies, apply_dequantized};
