/* GEMMs of one matrix by several that are known at initialization, as query, key and value of attention are made: they
 * become one of as many batches, which reads that matrix with a stride of 0.
 *
 * Two or three nodes are added: JOINs, which stack what they are multiplied by, and what is added, when the graph is
 * initialized; and a SPLIT, whose parts lie side by side in what is made: a view. A sum has the same products as
 * before, but maybe in other shares: it stays within SUM's bound. */
#include <string.h>

#include "frames/product/product.h"
#include "graph/pattern.h"
#include "operators/softmax.h"
#include "schema/fields.h"

#define MOST_JOINED 16

/* Others are looked for among so many nodes before and behind one. */
#define MOST_AWAY 64

/* All tensors as if they had so many dimensions: two of batches. */
#define RANK 4

/* Inputs of a GEMM. */
enum { A, B, C };

struct group {
    uint32_t nodes[MOST_JOINED]; /* in the order of the descriptor */
    uint32_t count;
    uint32_t batch; /* the dimension that counts them */
};

/* What replaces them; all are NULL at first. */
struct joined {
    struct vkdml_instance *operands[2]; /* of B and of C */
    struct vkdml_instance *product;
    struct vkdml_instance *parts;
};

static bool matches(const struct vkdml_instance *last) {
    return last->schema->type == DML_OPERATOR_GEMM;
}

static const struct vkdml_instance *gemm_of(const struct vkdml_fusion *fusion, uint32_t node) {
    return fusion->graph->nodes[node].instance;
}

/* ---- tensors ---- */

/* With leading dimensions of 1. */
static struct vkdml_tensor lift(const struct vkdml_tensor *tensor) {
    struct vkdml_tensor lifted = *tensor;
    const uint32_t more = RANK - tensor->dimension_count;
    for (uint32_t d = 0; d < RANK; ++d) {
        lifted.sizes[d] = d < more ? 1 : tensor->sizes[d - more];
        lifted.strides[d] = d < more ? 0 : tensor->strides[d - more];
    }
    lifted.dimension_count = RANK;
    lifted.has_strides = true;
    return lifted;
}

/* Without what is the same by strides of 0. */
static struct vkdml_tensor part_of(const struct vkdml_tensor *operand) {
    struct vkdml_tensor part = lift(operand);
    for (uint32_t d = 0; d < RANK; ++d) {
        part.sizes[d] = part.strides[d] == 0 ? 1 : part.sizes[d];
    }
    return part;
}

/* Parts of so many nodes, packed. */
static struct vkdml_tensor stack_of(const struct vkdml_tensor *operand, const struct group *group) {
    struct vkdml_tensor stack = part_of(operand);
    stack.flags = DML_TENSOR_FLAG_NONE;
    stack.sizes[group->batch] = group->count;
    vkdml_packed_strides(RANK, stack.sizes, stack.strides);
    vkdml_minimum_bytes(stack.element_bits, RANK, stack.sizes, NULL, &stack.total_bytes);
    stack.base_alignment = 0;
    return stack;
}

/* .. as the product reads it. */
static struct vkdml_tensor operand_of(const struct vkdml_tensor *operand, const struct group *group) {
    const struct vkdml_tensor lifted = lift(operand);
    struct vkdml_tensor stack = stack_of(operand, group);
    for (uint32_t d = 0; d < RANK; ++d) {
        if (d != group->batch && stack.sizes[d] != lifted.sizes[d]) {
            stack.sizes[d] = lifted.sizes[d];
            stack.strides[d] = 0;
        }
    }
    return stack;
}

/* Outputs one behind the other, each from where a tensor may begin. */
static struct vkdml_tensor output_of(const struct vkdml_tensor *output, const struct group *group) {
    struct vkdml_tensor outputs = lift(output);
    const uint64_t granularity = DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT;
    const uint64_t pitch = (output->total_bytes + granularity - 1) / granularity * granularity;
    outputs.sizes[group->batch] = group->count;
    outputs.strides[group->batch] = (uint32_t)(pitch * 8 / output->element_bits);
    outputs.total_bytes = pitch * (group->count - 1) + output->total_bytes;
    outputs.base_alignment = 0;
    return outputs;
}

/* ---- which are joined ---- */

static bool is_known(const struct vkdml_fusion *fusion, uint32_t node, uint32_t input) {
    const uint32_t value = vkdml_graph_source(fusion->graph, node, input);
    return value == VKDML_GRAPH_NONE || fusion->fixed[value];
}

static bool is_packed(const struct vkdml_tensor *tensor) {
    struct vkdml_tensor packed = *tensor;
    return vkdml_packed_strides(tensor->dimension_count, tensor->sizes, packed.strides) &&
           vkdml_same_layout(tensor, &packed);
}

/* Whether a product alone leaves processors idle. Where sizes are open one row decides, so that what is known at
 * initialization is stacked for all sizes or for none: other rows are multiplied by the same stack. */
static bool is_small(const struct vkdml_fusion *fusion, const struct vkdml_instance *gemm) {
    const struct vkdml_tensor a = lift(&gemm->inputs[A]), output = lift(&gemm->outputs[0]);
    const bool is_turned = ((const DML_GEMM_OPERATOR_DESC *)gemm->desc)->TransA == DML_MATRIX_TRANSFORM_TRANSPOSE;
    const uint32_t sizes[VKDML_PRODUCT_RANK] = {output.sizes[0], output.sizes[1], output.sizes[2], output.sizes[3],
                                                a.sizes[is_turned ? 2 : 3]};
    const uint32_t row[VKDML_PRODUCT_RANK] = {1, 1, 1, output.sizes[3], a.sizes[is_turned ? 2 : 3]};
    return vkdml_product_is_small(fusion->limits->open_sizes ? row : sizes, a.data_type, fusion->limits);
}

/* NULL: nothing that a node has of its own is in the way. */
static const char *find_obstacle(const struct vkdml_fusion *fusion, uint32_t node) {
    const struct vkdml_instance *gemm = gemm_of(fusion, node);
    const struct vkdml_tensor output = lift(&gemm->outputs[0]);
    if (!is_known(fusion, node, B) || !is_known(fusion, node, C)) {
        return "what it multiplies by or adds is not known at initialization";
    }
    if (fusion->graph->values[vkdml_graph_value_of(fusion->graph, node, 0)].outputs > 0) {
        return "its output is an output of the graph";
    }
    if (output.sizes[0] > 1 && output.sizes[1] > 1) {
        return "it has two dimensions of batches";
    }
    if (!is_packed(&output)) {
        return "its output is not packed";
    }
    if (gemm->activation_count != 0 && vkdml_is_softmax(&gemm->activations[0])) {
        return "that has a softmax";
    }
    return is_small(fusion, gemm) ? NULL : "it is large enough to keep a device busy";
}

static bool are_activations_alike(const struct vkdml_instance *a, const struct vkdml_instance *b) {
    if (a->activation_count != b->activation_count) {
        return false;
    }
    bool alike = a->activation_count == 0 || a->activations[0].schema == b->activations[0].schema;
    for (uint32_t i = 0; alike && a->activation_count != 0 && i < a->activations[0].schema->fieldCount; ++i) {
        const VkdmlFieldSchema *field = &a->activations[0].schema->fields[i];
        alike = field->kind != VKDML_FIELD_KIND_ATTRIBUTE ||
                vkdml_field_uint(a->activations[0].desc, field) == vkdml_field_uint(b->activations[0].desc, field);
    }
    return alike;
}

/* Whether stacks of two operands may be one. */
static bool are_operands_alike(const struct vkdml_tensor *a, const struct vkdml_tensor *b) {
    if (a->dimension_count != b->dimension_count || a->data_type != b->data_type) {
        return false;
    }
    bool alike = true;
    for (uint32_t d = 0; d < a->dimension_count; ++d) {
        alike =
            alike && a->sizes[d] == b->sizes[d] && (a->sizes[d] == 1 || (a->strides[d] == 0) == (b->strides[d] == 0));
    }
    return alike;
}

static bool are_alike(const struct vkdml_instance *a, const struct vkdml_instance *b) {
    const DML_GEMM_OPERATOR_DESC *one = a->desc, *other = b->desc;
    return one->TransA == other->TransA && one->TransB == other->TransB && one->Alpha == other->Alpha &&
           one->Beta == other->Beta && vkdml_same_layout(&a->inputs[A], &b->inputs[A]) &&
           are_operands_alike(&a->inputs[B], &b->inputs[B]) && are_operands_alike(&a->inputs[C], &b->inputs[C]) &&
           vkdml_same_layout(&a->outputs[0], &b->outputs[0]) &&
           a->outputs[0].total_bytes == b->outputs[0].total_bytes && are_activations_alike(a, b);
}

/* What is stacked is read as a whole. */
static bool fits(const struct vkdml_fusion *fusion, const struct vkdml_instance *gemm, uint32_t count) {
    const struct vkdml_tensor b = part_of(&gemm->inputs[B]), output = lift(&gemm->outputs[0]);
    const uint64_t room = fusion->limits->max_storage_buffer_range / count;
    return (uint64_t)vkdml_tensor_elements(&b) * b.element_bits / 8 <= room && output.total_bytes + 16 <= room;
}

/* Nodes near one that multiply the same matrix. Returns the first other, or the node itself where there is none. */
static uint32_t find_group(const struct vkdml_fusion *fusion, uint32_t node, struct group *group) {
    const struct vkdml_graph *graph = fusion->graph;
    const uint32_t value = vkdml_graph_source(graph, node, A);
    const uint32_t end = graph->node_count - node > MOST_AWAY ? node + MOST_AWAY : graph->node_count;
    uint32_t other = node;
    group->count = 0;
    for (uint32_t n = node > MOST_AWAY ? node - MOST_AWAY : 0; n < end && group->count < MOST_JOINED; ++n) {
        const struct vkdml_instance *gemm = gemm_of(fusion, n);
        if (gemm == NULL || !matches(gemm) || vkdml_graph_source(graph, n, A) != value) {
            continue;
        }
        other = other == node ? n : other;
        if (n == node || (are_alike(gemm_of(fusion, node), gemm) && find_obstacle(fusion, n) == NULL &&
                          fits(fusion, gemm, group->count + 1))) {
            group->nodes[group->count++] = n;
        }
    }
    return other;
}

/* ---- what is made ---- */

static VkdmlResult make_operand(const struct vkdml_fusion *fusion, const struct group *group, uint32_t input,
                                struct vkdml_instance **made) {
    const struct vkdml_tensor whole = stack_of(&gemm_of(fusion, group->nodes[0])->inputs[input], group);
    struct vkdml_tensor parts[MOST_JOINED];
    for (uint32_t i = 0; i < group->count; ++i) {
        parts[i] = part_of(&gemm_of(fusion, group->nodes[i])->inputs[input]);
    }
    const struct vkdml_edit edits[] = {{.field = "InputCount", .bits = group->count},
                                       {.field = "InputTensors", .tensor = parts, .tensor_count = group->count},
                                       {.field = "OutputTensor", .tensor = &whole},
                                       {.field = "Axis", .bits = group->batch}};
    return vkdml_fusion_rewrite(fusion, group->nodes[0], group->nodes[1], DML_OPERATOR_JOIN, edits, 4, made);
}

static VkdmlResult make_product(const struct vkdml_fusion *fusion, const struct group *group,
                                struct vkdml_instance **made) {
    const struct vkdml_instance *gemm = gemm_of(fusion, group->nodes[0]);
    const struct vkdml_tensor output = output_of(&gemm->outputs[0], group);
    const bool has_c = gemm->inputs[C].dimension_count != 0;
    const struct vkdml_tensor b = operand_of(&gemm->inputs[B], group);
    struct vkdml_tensor a = lift(&gemm->inputs[A]), c;
    a.sizes[group->batch] = group->count;
    a.strides[group->batch] = 0;
    if (has_c) {
        c = operand_of(&gemm->inputs[C], group);
    }
    const struct vkdml_edit edits[] = {{.field = "ATensor", .tensor = &a},
                                       {.field = "BTensor", .tensor = &b},
                                       {.field = "OutputTensor", .tensor = &output},
                                       {.field = "CTensor", .tensor = &c}};
    return vkdml_fusion_rewrite(fusion, group->nodes[0], group->nodes[1], DML_OPERATOR_GEMM, edits, has_c ? 4 : 3,
                                made);
}

static VkdmlResult make_parts(const struct vkdml_fusion *fusion, const struct group *group,
                              struct vkdml_instance **made) {
    const struct vkdml_tensor *output = &gemm_of(fusion, group->nodes[0])->outputs[0];
    const struct vkdml_tensor whole = output_of(output, group);
    struct vkdml_tensor parts[MOST_JOINED];
    for (uint32_t i = 0; i < group->count; ++i) {
        parts[i] = lift(output);
    }
    const struct vkdml_edit edits[] = {{.field = "InputTensor", .tensor = &whole},
                                       {.field = "OutputCount", .bits = group->count},
                                       {.field = "OutputTensors", .tensor = parts, .tensor_count = group->count},
                                       {.field = "Axis", .bits = group->batch}};
    return vkdml_fusion_rewrite(fusion, group->nodes[0], group->nodes[1], DML_OPERATOR_SPLIT, edits, 4, made);
}

/* made->parts stays NULL where the rules refuse anything, which a note then says. */
static VkdmlResult make(const struct vkdml_fusion *fusion, const struct group *group, struct joined *made) {
    const bool has_c = gemm_of(fusion, group->nodes[0])->inputs[C].dimension_count != 0;
    VkdmlResult result = make_operand(fusion, group, B, &made->operands[0]);
    if (result == VKDML_SUCCESS && made->operands[0] != NULL && has_c) {
        result = make_operand(fusion, group, C, &made->operands[1]);
    }
    if (result == VKDML_SUCCESS && made->operands[has_c ? 1 : 0] != NULL) {
        result = make_product(fusion, group, &made->product);
    }
    if (result == VKDML_SUCCESS && made->product != NULL) {
        result = make_parts(fusion, group, &made->parts);
    }
    return result;
}

/* The graph's from then on, or gone. */
static VkdmlResult add_node(struct vkdml_fusion *fusion, struct vkdml_instance **own, const uint32_t *sources,
                            uint32_t beside, const char *what, uint32_t *value) {
    struct vkdml_instance *added = *own;
    *own = NULL;
    return vkdml_fusion_add_node(fusion, added, sources, beside, what, value);
}

static VkdmlResult add_operand(struct vkdml_fusion *fusion, const struct group *group, uint32_t input,
                               struct vkdml_instance **own, uint32_t *value) {
    uint32_t sources[MOST_JOINED];
    *value = VKDML_GRAPH_NONE;
    if (*own == NULL) {
        return VKDML_SUCCESS;
    }
    for (uint32_t i = 0; i < group->count; ++i) {
        sources[i] = vkdml_graph_source(fusion->graph, group->nodes[i], input);
    }
    return add_node(fusion, own, sources, group->nodes[0], input == B ? "matrices" : "addends", value);
}

/* Whoever read what a node of the group made reads a part. */
static void replace(const struct vkdml_fusion *fusion, const struct group *group, uint32_t product, uint32_t parts) {
    struct vkdml_graph *graph = fusion->graph;
    for (uint32_t i = 0; i < group->count; ++i) {
        vkdml_graph_redirect(graph, vkdml_graph_value_of(graph, group->nodes[i], 0), parts + i);
        vkdml_fusion_tell(fusion, graph->values[product].node, group->nodes[i]);
        vkdml_graph_drop(graph, group->nodes[i]);
    }
}

static VkdmlResult add(struct vkdml_fusion *fusion, const struct group *group, struct joined *made) {
    uint32_t sources[] = {vkdml_graph_source(fusion->graph, group->nodes[0], A), 0, 0}, product, parts;
    VkdmlResult result = add_operand(fusion, group, B, &made->operands[0], &sources[B]);
    if (result == VKDML_SUCCESS) {
        result = add_operand(fusion, group, C, &made->operands[1], &sources[C]);
    }
    if (result == VKDML_SUCCESS) {
        result = add_node(fusion, &made->product, sources, group->nodes[0], "and others", &product);
    }
    if (result == VKDML_SUCCESS) {
        result = add_node(fusion, &made->parts, &product, group->nodes[0], "parts", &parts);
    }
    if (result == VKDML_SUCCESS) {
        replace(fusion, group, product, parts);
    }
    return result;
}

static VkdmlResult join(struct vkdml_fusion *fusion, const struct group *group) {
    struct joined made = {.product = NULL};
    VkdmlResult result = make(fusion, group, &made);
    if (result == VKDML_SUCCESS && made.parts != NULL) {
        result = add(fusion, group, &made);
    }
    vkdml_instance_destroy(made.operands[0], fusion->graph->callbacks);
    vkdml_instance_destroy(made.operands[1], fusion->graph->callbacks);
    vkdml_instance_destroy(made.product, fusion->graph->callbacks);
    vkdml_instance_destroy(made.parts, fusion->graph->callbacks);
    return result;
}

static VkdmlResult apply(struct vkdml_fusion *fusion, uint32_t last) {
    const uint32_t value = vkdml_graph_source(fusion->graph, last, A);
    struct group group;
    if (fusion->graph->values[value].readers < 2 || fusion->fixed[value]) {
        return VKDML_SUCCESS;
    }
    const uint32_t other = find_group(fusion, last, &group);
    const char *obstacle = other != last ? find_obstacle(fusion, last) : NULL;
    if (obstacle != NULL) {
        vkdml_fusion_refuse(fusion, other, last, "%s", obstacle);
    } else if (group.count >= 2) {
        group.batch = lift(&gemm_of(fusion, last)->outputs[0]).sizes[0] == 1 ? 0 : 1;
        return join(fusion, &group);
    } else if (other != last) {
        vkdml_fusion_refuse(fusion, other, last, "both multiply one matrix, but not alike");
    }
    return VKDML_SUCCESS;
}

const struct vkdml_pattern vkdml_pattern_projections = {"projections", matches, apply};
