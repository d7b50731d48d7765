/* Attention as networks write it, softmax(Alpha * q k^T + mask) v of two GEMMs and a softmax along the last dimension,
 * that becomes MULTIHEAD_ATTENTION: what is added is its RelativePositionBias. Scores are then nowhere in memory.
 *
 * The operator has {batch, row, heads * elements}. Where heads lie so the product's do too; else each head is a batch
 * of its own, which strides can say where batches and heads lie behind one another alike. Results are within the bounds
 * of sums, and not the bits that the parts give. */
#include <string.h>

#include "graph/pattern.h"

enum { A, B, C };
enum { QUERY, KEY, VALUE, RELATIVE_BIAS = 8, INPUTS = 11 };

/* Matrices of some batches of heads. */
struct matrices {
    const struct vkdml_tensor *tensor;
    uint32_t batches, heads, rows, columns;
    uint32_t batch_stride, head_stride, row_stride, column_stride;
};

struct parts {
    uint32_t scores, softmax; /* the nodes before the last */
    struct matrices q, k, v, out, bias;
    bool has_bias;
};

static struct matrices matrices_of(const struct vkdml_tensor *tensor, bool turned) {
    const uint32_t rank = tensor->dimension_count, row = turned ? rank - 1 : rank - 2,
                   column = turned ? rank - 2 : rank - 1;
    struct matrices m = {tensor, 1, 1, tensor->sizes[row], tensor->sizes[column], 0, 0, 0, 0};
    m.row_stride = m.rows > 1 ? tensor->strides[row] : 0;
    m.column_stride = tensor->strides[column];
    if (rank > 2) {
        m.heads = tensor->sizes[rank - 3];
        m.head_stride = tensor->strides[rank - 3];
    }
    if (rank > 3) {
        m.batches = tensor->sizes[rank - 4];
        m.batch_stride = tensor->strides[rank - 4];
    }
    return m;
}

/* Whether the heads of a row lie behind one another. */
static bool has_rows_of_heads(const struct matrices *m) {
    return m->heads == 1 || m->head_stride == (uint64_t)m->columns * m->column_stride;
}

/* Whether batches and heads are one dimension. */
static bool has_one_batch(const struct matrices *m) {
    return m->heads == 1 || m->batches == 1 || m->batch_stride == (uint64_t)m->heads * m->head_stride;
}

static struct vkdml_tensor tensor_of(const struct matrices *m, bool is_one_batch) {
    struct vkdml_tensor tensor = *m->tensor;
    tensor.dimension_count = 3;
    tensor.has_strides = true;
    tensor.sizes[0] = is_one_batch ? m->batches * m->heads : m->batches;
    tensor.sizes[1] = m->rows;
    tensor.sizes[2] = is_one_batch ? m->columns : m->columns * m->heads;
    tensor.strides[0] = is_one_batch && m->heads > 1 ? m->head_stride : m->batch_stride;
    tensor.strides[1] = m->row_stride;
    tensor.strides[2] = m->column_stride;
    return tensor;
}

static struct vkdml_tensor bias_of(const struct matrices *m, bool is_one_batch) {
    struct vkdml_tensor tensor = tensor_of(m, true);
    tensor.dimension_count = 4;
    tensor.sizes[0] = is_one_batch ? m->batches * m->heads : m->batches;
    tensor.sizes[1] = is_one_batch ? 1 : m->heads;
    tensor.sizes[2] = m->rows;
    tensor.sizes[3] = m->columns;
    tensor.strides[0] = is_one_batch && m->heads > 1 ? m->head_stride : m->batch_stride;
    tensor.strides[1] = m->head_stride;
    tensor.strides[2] = m->row_stride;
    tensor.strides[3] = m->column_stride;
    return tensor;
}

/* ---- what is found ---- */

static const struct vkdml_instance *instance_of(const struct vkdml_fusion *fusion, uint32_t node) {
    return fusion->graph->nodes[node].instance;
}

static bool is_along_rows(const struct vkdml_instance *softmax) {
    const DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC *desc = softmax->desc;
    return softmax->schema->type == DML_OPERATOR_ACTIVATION_SOFTMAX ||
           (softmax->schema->type == DML_OPERATOR_ACTIVATION_SOFTMAX1 && desc->AxisCount == 1 &&
            desc->Axes[0] + 1 == softmax->inputs[0].dimension_count);
}

static bool is_plain(const struct vkdml_instance *gemm) {
    const DML_GEMM_OPERATOR_DESC *desc = gemm->desc;
    return gemm->activation_count == 0 && (gemm->inputs[C].dimension_count == 0 || desc->Beta == 1);
}

static bool matches(const struct vkdml_instance *last) {
    const DML_GEMM_OPERATOR_DESC *desc = last->desc;
    return last->schema->type == DML_OPERATOR_GEMM && desc->Alpha == 1 && desc->TransA == DML_MATRIX_TRANSFORM_NONE &&
           last->inputs[C].dimension_count == 0 && last->activation_count == 0;
}

static bool find_parts(const struct vkdml_fusion *fusion, uint32_t last, struct parts *parts) {
    const struct vkdml_instance *weighted = instance_of(fusion, last);
    const struct vkdml_instance *softmax = vkdml_fusion_producer(fusion, last, A, &parts->softmax);
    if (softmax == NULL || !is_along_rows(softmax) || !vkdml_same_layout(&softmax->outputs[0], &weighted->inputs[A])) {
        return false;
    }
    const struct vkdml_instance *gemm = vkdml_fusion_producer(fusion, parts->softmax, 0, &parts->scores);
    if (gemm == NULL || gemm->schema->type != DML_OPERATOR_GEMM || !is_plain(gemm) ||
        !vkdml_same_layout(&gemm->outputs[0], &softmax->inputs[0])) {
        return false;
    }
    const DML_GEMM_OPERATOR_DESC *first = gemm->desc, *second = weighted->desc;
    parts->q = matrices_of(&gemm->inputs[A], first->TransA == DML_MATRIX_TRANSFORM_TRANSPOSE);
    parts->k = matrices_of(&gemm->inputs[B], first->TransB == DML_MATRIX_TRANSFORM_NONE);
    parts->v = matrices_of(&weighted->inputs[B], second->TransB == DML_MATRIX_TRANSFORM_TRANSPOSE);
    parts->out = matrices_of(&weighted->outputs[0], false);
    parts->has_bias = gemm->inputs[C].dimension_count != 0;
    if (parts->has_bias) {
        parts->bias = matrices_of(&gemm->inputs[C], false);
    }
    return true;
}

/* Whether the operator can say how all of them lie; *is_one_batch: by a batch for each head. */
static bool lies_well(const struct parts *parts, bool *is_one_batch) {
    const struct matrices *const all[] = {&parts->q, &parts->k, &parts->v, &parts->out};
    bool has_heads = true;
    *is_one_batch = !parts->has_bias || has_one_batch(&parts->bias);
    for (uint32_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        has_heads = has_heads && has_rows_of_heads(all[i]);
        *is_one_batch = *is_one_batch && has_one_batch(all[i]);
    }
    return has_heads || *is_one_batch;
}

/* Whether the operator is known to be faster than its parts. On processors it is slower; of FLOAT32, and on GPUs
 * without matrix cores, it is not known. */
static bool pays(const struct vkdml_fusion *fusion, const struct parts *parts) {
    return fusion->limits->variant != VKDML_KERNEL_VARIANT_SERIAL && fusion->limits->matrix_cores.subgroup_size != 0 &&
           parts->q.tensor->data_type == DML_TENSOR_DATA_TYPE_FLOAT16;
}

static bool suits(const struct vkdml_fusion *fusion, uint32_t last, const struct parts *parts, bool *is_one_batch) {
    if (!pays(fusion, parts)) {
        vkdml_fusion_refuse(fusion, parts->scores, last,
                            "attention in parts, known to be faster as one of FLOAT16 on matrix cores alone");
    } else if (!lies_well(parts, is_one_batch)) {
        vkdml_fusion_refuse(fusion, parts->scores, last, "attention in parts, whose heads lie as no strides say");
    } else if (!vkdml_fusion_is_unrounded(fusion, parts->q.tensor->data_type)) {
        vkdml_fusion_refuse(fusion, parts->scores, last, "FLOAT16 between its parts would not be rounded");
    } else {
        return vkdml_fusion_is_private(fusion, parts->scores, parts->softmax) &&
               vkdml_fusion_is_private(fusion, parts->softmax, last);
    }
    return false;
}

/* ---- what is made ---- */

/* Lets a node that was added do what the parts did. */
static void take_place(const struct vkdml_fusion *fusion, const struct parts *parts, uint32_t last, uint32_t value) {
    struct vkdml_graph *graph = fusion->graph;
    const uint32_t made = graph->values[value].node, after = vkdml_graph_value_of(graph, last, 0);
    const uint32_t nodes[] = {last, parts->softmax, parts->scores};
    graph->values[value].alignment = graph->values[after].alignment;
    vkdml_graph_redirect(graph, after, value);
    for (uint32_t i = 0; i < sizeof nodes / sizeof nodes[0]; ++i) {
        vkdml_fusion_tell(fusion, made, nodes[i]);
        vkdml_graph_drop(graph, nodes[i]);
    }
}

static VkdmlResult make(const struct vkdml_fusion *fusion, uint32_t last, const struct parts *parts, bool is_one_batch,
                        struct vkdml_instance **made) {
    const DML_GEMM_OPERATOR_DESC *scores = instance_of(fusion, parts->scores)->desc;
    const struct vkdml_tensor q = tensor_of(&parts->q, is_one_batch), k = tensor_of(&parts->k, is_one_batch);
    const struct vkdml_tensor v = tensor_of(&parts->v, is_one_batch), out = tensor_of(&parts->out, is_one_batch);
    struct vkdml_tensor bias;
    struct vkdml_edit edits[] = {{.field = "QueryTensor", .tensor = &q},
                                 {.field = "KeyTensor", .tensor = &k},
                                 {.field = "ValueTensor", .tensor = &v},
                                 {.field = "OutputTensor", .tensor = &out},
                                 {.field = "Scale"},
                                 {.field = "HeadCount", .bits = is_one_batch ? 1 : parts->q.heads},
                                 {.field = "RelativePositionBiasTensor", .tensor = &bias}};
    memcpy(&edits[4].bits, &scores->Alpha, sizeof scores->Alpha);
    if (parts->has_bias) {
        bias = bias_of(&parts->bias, is_one_batch);
    }
    return vkdml_fusion_rewrite(fusion, last, last, DML_OPERATOR_MULTIHEAD_ATTENTION, edits, parts->has_bias ? 7 : 6,
                                made);
}

static VkdmlResult apply(struct vkdml_fusion *fusion, uint32_t last) {
    struct parts parts;
    bool is_one_batch;
    if (!find_parts(fusion, last, &parts) || !suits(fusion, last, &parts, &is_one_batch)) {
        return VKDML_SUCCESS;
    }
    struct vkdml_instance *made;
    VkdmlResult result = make(fusion, last, &parts, is_one_batch, &made);
    if (result != VKDML_SUCCESS || made == NULL) {
        return result;
    }
    uint32_t sources[INPUTS], value;
    for (uint32_t i = 0; i < INPUTS; ++i) {
        sources[i] = VKDML_GRAPH_NONE;
    }
    sources[QUERY] = vkdml_graph_source(fusion->graph, parts.scores, A);
    sources[KEY] = vkdml_graph_source(fusion->graph, parts.scores, B);
    sources[VALUE] = vkdml_graph_source(fusion->graph, last, B);
    sources[RELATIVE_BIAS] =
        parts.has_bias ? vkdml_graph_source(fusion->graph, parts.scores, C) : (uint32_t)VKDML_GRAPH_NONE;
    result = vkdml_fusion_add_node(fusion, made, sources, last, "attention", &value);
    if (result == VKDML_SUCCESS) {
        take_place(fusion, &parts, last, value);
    }
    return result;
}

const struct vkdml_pattern vkdml_pattern_attention = {"attention", matches, apply};
