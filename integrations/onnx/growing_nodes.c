/* Nodes that read tensors with a growing dimension, or shapes that are computed from growing sizes. A rule of the
 * tables runs the operator's own translation on tensors of the capacity, and states which dimension of the results
 * grows. Elements that are not in use have no meaning unless is_zero says so; rules of operators that combine elements
 * along the growing dimension replace them first. A node without a rule, or whose rule does not cover it, makes the
 * plan fix the sizes. */
#include <string.h>

#include "onnx/growing_rules.h"
#include "onnx/operators/move.h"

/* ---- what rules share ---- */

const struct onnx_growing_dimension *onnx_growing_of(const struct onnx_growing_node *node, uint32_t input) {
    const struct onnx_tensor *tensor = onnx_input(node->call, input);
    return tensor == NULL ? NULL : tensor->growing;
}

struct onnx_size_element onnx_growing_size(const struct onnx_growing_dimension *growing) {
    return (struct onnx_size_element){growing->input, 1, growing->added};
}

bool onnx_size_grows(const struct onnx_size_element *size) {
    return size->input != ONNX_NONE;
}

/* Inputs whose growing sizes the node reads. */
static uint64_t onnx_growing_inputs(const struct onnx_call *call) {
    uint64_t inputs = 0;
    for (uint32_t i = 0; i < call->input_count; ++i) {
        const struct onnx_tensor *input = onnx_input(call, i);
        inputs |= input == NULL || input->growing == NULL ? 0 : onnx_bit_of(input->growing->input);
        inputs |= input == NULL || input->source == ONNX_NONE ? 0 : call->plan->sources[input->source].of_sizes;
    }
    return inputs;
}

/* Makes the plan fix what the node reads. */
bool onnx_fix_inputs(const struct onnx_call *call) {
    const uint64_t inputs = onnx_growing_inputs(call);
    return inputs == 0 ? onnx_refuse(call, "sizes that the plan does not fix") : onnx_fix_sizes(call, inputs);
}

bool onnx_run_at_capacity(const struct onnx_growing_node *node) {
    struct onnx_call plain = *node->call;
    plain.inputs = node->plain;
    return node->translate(&plain);
}

bool onnx_mark_growing(const struct onnx_growing_node *node, uint32_t output, uint32_t dimension,
                       const struct onnx_size_element *size, bool is_zero) {
    struct onnx_tensor **made = &node->call->outputs[output];
    if (*made == NULL) {
        return true;
    }
    if (dimension >= (*made)->rank || (*made)->sizes[dimension] != onnx_capacity(node->call, size)) {
        return onnx_fix_inputs(node->call);
    }
    if (!onnx_has_room(node->call, size)) {
        return false;
    }
    *made = onnx_with_growing(node->call, *made, dimension, size, is_zero);
    return *made != NULL;
}

/* No input but those in `inputs` grows. */
bool onnx_grows_only(const struct onnx_growing_node *node, uint32_t inputs) {
    bool is_so = true;
    for (uint32_t i = 0; i < node->call->input_count; ++i) {
        is_so = is_so && (onnx_growing_of(node, i) == NULL || (i < 32 && (inputs >> i & 1) != 0));
    }
    return is_so;
}

bool onnx_keep_dimension(const struct onnx_growing_node *node, bool is_zero) {
    const struct onnx_growing_dimension *growing = onnx_growing_of(node, 0);
    if (growing == NULL || !onnx_grows_only(node, 1)) {
        return onnx_fix_inputs(node->call);
    }
    const struct onnx_size_element size = onnx_growing_size(growing);
    bool done = onnx_run_at_capacity(node);
    for (uint32_t o = 0; done && o < node->call->output_count; ++o) {
        done = onnx_mark_growing(node, o, growing->dimension, &size, is_zero && growing->is_zero);
    }
    return done;
}

/* An attribute that is an axis of input 0; ONNX_NONE: none. */
uint32_t onnx_growing_axis(const struct onnx_growing_node *node, int64_t otherwise) {
    const int64_t rank = node->plain[0]->rank;
    int64_t axis = onnx_int(node->call, "axis", otherwise);
    axis += axis < 0 ? rank : 0;
    return axis < 0 || axis >= rank ? ONNX_NONE : (uint32_t)axis;
}

bool onnx_read_growing_sizes(const struct onnx_growing_node *node, uint32_t input, struct onnx_sizes *sizes) {
    return onnx_growing_of(node, input) == NULL &&
           onnx_read_size_vector(node->call, input, &sizes->count, sizes->elements, ONNX_MOST_SIZES);
}

/* ---- the tables ---- */

/* The translation reads growing dimensions itself. */
static bool translate_itself(const struct onnx_growing_node *node) {
    node->call->plan->allows_growing = true;
    const bool done = node->translate(node->call);
    node->call->plan->allows_growing = false;
    return done;
}

/* Attention and Shape. */
static const struct onnx_growing_row own_rows[] = {
    {"", "Attention", 1U << 1 | 1U << 2 | 1U << 3 | 1U << 4 | 1U << 5, 0, translate_itself},
    {"", "Shape", 1, 0, translate_itself},
    {ONNX_MICROSOFT, "Attention", 1U << 3 | 1U << 4 | 1U << 5, 0, translate_itself},
    {ONNX_MICROSOFT, "GroupQueryAttention", 1U << 3 | 1U << 4 | 1U << 10, 0, translate_itself},
    {ONNX_MICROSOFT, "MultiHeadAttention", 1U << 1 | 1U << 2 | 1U << 4 | 1U << 5 | 1U << 6 | 1U << 7, 0,
     translate_itself},
    {0},
};

static const struct onnx_growing_row *find_row(const struct onnx_node *node) {
    static const struct onnx_growing_row *const tables[] = {onnx_growing_elements, onnx_growing_shapes, own_rows};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; ++t) {
        for (const struct onnx_growing_row *row = tables[t]; row->op != NULL; ++row) {
            if (strcmp(node->op, row->op) == 0 && strcmp(node->domain, row->domain) == 0) {
                return row;
            }
        }
    }
    return NULL;
}

static bool has_bit(uint32_t bits, uint32_t i) {
    return bits == ONNX_ALL_INPUTS || (i < 32 && (bits >> i & 1) != 0);
}

bool onnx_takes_growing(const struct onnx_node *node, uint32_t input) {
    const struct onnx_growing_row *row = find_row(node);
    return row != NULL && has_bit(row->inputs, input);
}

/* Results whose bits may depend on the capacity are for sizes that all sizes of the plan agree in: see stepped. */
static bool check_types(const struct onnx_call *call) {
    uint64_t open = 0;
    bool is_exact = true;
    for (uint32_t i = 0; i < call->input_count + call->output_count; ++i) {
        const struct onnx_tensor *tensor =
            i < call->input_count ? onnx_input(call, i) : call->outputs[i - call->input_count];
        open |= tensor == NULL || tensor->growing == NULL ? 0 : onnx_bit_of(tensor->growing->input);
        is_exact = is_exact && (tensor == NULL || onnx_is_exact_type(tensor->type));
    }
    open &= ~call->plan->stepped;
    return open == 0 || is_exact || onnx_never_grow(call, open);
}

static struct onnx_tensor **copy_inputs(const struct onnx_call *call) {
    struct onnx_tensor **plain = onnx_scratch(call, (size_t)call->input_count + 1, sizeof(struct onnx_tensor *));
    for (uint32_t i = 0; plain != NULL && i < call->input_count; ++i) {
        plain[i] = onnx_without_growing(call, onnx_input(call, i));
        if (plain[i] == NULL && onnx_input(call, i) != NULL) {
            return NULL;
        }
    }
    return plain;
}

bool onnx_translate_growing(const struct onnx_call *call, onnx_translation translate) {
    if (call->plan->grown == 0) {
        return translate(call);
    }
    const struct onnx_growing_row *row = NULL;
    bool reads_growing = false, reads_sizes = false, is_taken = true;
    for (uint32_t i = 0; i < call->input_count; ++i) {
        const struct onnx_tensor *input = onnx_input(call, i);
        const bool grows = input != NULL && input->growing != NULL;
        const bool is_of_sizes = input != NULL && onnx_is_of_sizes(call->plan, input);
        row = row == NULL && (grows || is_of_sizes) ? find_row(call->node) : row;
        reads_growing = reads_growing || grows;
        reads_sizes = reads_sizes || (is_of_sizes && row != NULL && has_bit(row->shapes, i));
        is_taken = is_taken && (!grows || (row != NULL && has_bit(row->inputs, i)));
    }
    if (!is_taken) {
        return onnx_never_grow(call, onnx_growing_inputs(call));
    }
    if (!reads_growing && !reads_sizes) {
        return translate(call);
    }
    const struct onnx_growing_node node = {call, translate, copy_inputs(call)};
    return node.plain != NULL && row->rule(&node) && check_types(call);
}
