#include "onnx/widen.h"

#include <string.h>

/* Nodes that are followed from the end of a pattern to its start. */
#define MOST_STEPS 10
/* Inputs of a node that is followed: Where has three. */
#define MOST_INPUTS 3

struct finding {
    const struct onnx_graph *graph;
    uint32_t *producers; /* of each value: a node, or ONNX_NONE */
    bool *widened;       /* of each node */
};

/* ---- nodes ---- */

static bool is_any(const char *op, const char *const *names) {
    while (*names != NULL && strcmp(op, *names) != 0) {
        ++names;
    }
    return *names != NULL;
}

static bool is_op(const struct onnx_node *node, const char *name) {
    return node != NULL && node->domain[0] == 0 && strcmp(node->op, name) == 0;
}

static uint32_t input_of(const struct onnx_node *node, uint32_t index) {
    return index < node->input_count ? node->inputs[index] : ONNX_NONE;
}

/* The node of ai.onnx that makes a value as its only output, or NULL: an input or a constant. */
static const struct onnx_node *producer_of(const struct finding *f, uint32_t value) {
    const uint32_t n = value == ONNX_NONE ? ONNX_NONE : f->producers[value];
    const struct onnx_node *node = n == ONNX_NONE ? NULL : &f->graph->nodes[n];
    return node == NULL || node->domain[0] != 0 || node->output_count != 1 || strcmp(node->op, "Constant") == 0 ? NULL
                                                                                                                : node;
}

static void mark(struct finding *f, const struct onnx_node *node) {
    f->widened[node - f->graph->nodes] = true;
}

/* Views, which have the elements of their first input. */
static bool is_view(const struct onnx_node *node) {
    static const char *const names[] = {"Identity",  "Reshape", "Unsqueeze", "Squeeze", "Flatten",
                                        "Transpose", "Expand",  NULL};
    return is_any(node->op, names);
}

/* ---- normalizations ---- */

/* m = mean(x), also through views; all are marked. */
static bool mark_mean(struct finding *f, uint32_t value, uint32_t steps) {
    const struct onnx_node *node = producer_of(f, value);
    if (node == NULL || steps == MOST_STEPS) {
        return false;
    }
    const bool is_mean = strcmp(node->op, "ReduceMean") == 0 || strcmp(node->op, "GlobalAveragePool") == 0;
    if (is_mean || (is_view(node) && mark_mean(f, input_of(node, 0), steps + 1))) {
        mark(f, node);
        return true;
    }
    return false;
}

/* x - mean(x), which is marked where it is one. */
static void mark_difference(struct finding *f, uint32_t value) {
    const struct onnx_node *node = producer_of(f, value);
    if (is_op(node, "Sub") && mark_mean(f, input_of(node, 1), 0)) {
        mark(f, node);
    }
}

/* x * x or pow(x, 2). */
static bool mark_square(struct finding *f, uint32_t value) {
    const struct onnx_node *node = producer_of(f, value);
    if (!is_op(node, "Pow") && !(is_op(node, "Mul") && input_of(node, 0) == input_of(node, 1))) {
        return false;
    }
    mark(f, node);
    mark_difference(f, input_of(node, 0));
    return true;
}

/* A sum or mean of squares: the step that overflows. */
static bool mark_sum_of_squares(struct finding *f, const struct onnx_node *node) {
    if (strcmp(node->op, "ReduceMean") == 0 || strcmp(node->op, "ReduceSum") == 0) {
        return mark_square(f, input_of(node, 0));
    }
    if (strcmp(node->op, "ReduceSumSquare") != 0 && strcmp(node->op, "ReduceL2") != 0) {
        return false;
    }
    mark_difference(f, input_of(node, 0));
    return true;
}

/* The one input that a node computes from, others of which are constants or inputs of the graph; ONNX_NONE: two or none
 * are computed. */
static uint32_t find_computed(const struct finding *f, const struct onnx_node *node) {
    uint32_t found = ONNX_NONE;
    for (uint32_t i = 0; i < node->input_count && i < MOST_INPUTS; ++i) {
        if (producer_of(f, node->inputs[i]) != NULL) {
            if (found != ONNX_NONE && found != node->inputs[i]) {
                return ONNX_NONE;
            }
            found = node->inputs[i];
        }
    }
    return found;
}

/* What may be between a sum of squares and the quotient: a root, epsilon, a reciprocal, a scale. */
static bool is_root_step(const struct onnx_node *node) {
    static const char *const names[] = {"Sqrt", "Pow", "Reciprocal", "Add", "Mul", "Div", "Max", "Clip", NULL};
    return is_any(node->op, names);
}

static bool mark_root(struct finding *f, uint32_t value, uint32_t steps) {
    const struct onnx_node *node = producer_of(f, value);
    if (node == NULL || steps == MOST_STEPS) {
        return false;
    }
    const uint32_t from = is_view(node)        ? input_of(node, 0)
                          : is_root_step(node) ? find_computed(f, node)
                                               : ONNX_NONE;
    if (mark_sum_of_squares(f, node) || mark_root(f, from, steps + 1)) {
        mark(f, node);
        return true;
    }
    return false;
}

/* x / root or x * (1 / root), x being a difference from a mean, or not. */
static void find_normalization(struct finding *f, const struct onnx_node *node) {
    for (uint32_t i = 0; i < 2 && node->input_count == 2; ++i) {
        if ((i == 1 || is_op(node, "Mul")) && mark_root(f, node->inputs[i], 0)) {
            mark(f, node);
            mark_difference(f, node->inputs[1 - i]);
        }
    }
}

/* ---- softmax, attention ---- */

/* What may be between the product of queries and keys and softmax: a scale, a mask, a cap. */
static bool is_score_step(const struct onnx_node *node) {
    static const char *const names[] = {"Mul", "Div", "Add", "Sub", "Where", "Max", "Min", "Clip", "Tanh", NULL};
    return is_any(node->op, names);
}

/* Scores: each input may be what leads to the product. `steps` is few enough for all ways together. */
static bool mark_scores(struct finding *f, uint32_t value, uint32_t steps) {
    const struct onnx_node *node = producer_of(f, value);
    if (node == NULL || steps == MOST_STEPS) {
        return false;
    }
    bool is_found = strcmp(node->op, "MatMul") == 0 || strcmp(node->op, "Einsum") == 0;
    if (is_view(node)) {
        is_found = mark_scores(f, input_of(node, 0), steps + 1);
    } else if (is_score_step(node)) {
        const uint32_t from = find_computed(f, node);
        for (uint32_t i = 0; from == ONNX_NONE && i < node->input_count && i < MOST_INPUTS && !is_found; ++i) {
            is_found = mark_scores(f, node->inputs[i], steps + 2);
        }
        is_found = is_found || (from != ONNX_NONE && mark_scores(f, from, steps + 1));
    }
    if (is_found) {
        mark(f, node);
    }
    return is_found;
}

/* The sum of exp(x), and exp(x) itself, of which the sum is; through views, an epsilon and a reciprocal. */
static bool mark_sum_of_powers(struct finding *f, uint32_t value, const struct onnx_node *power, uint32_t steps) {
    static const char *const names[] = {"Add", "Max", "Clip", "Reciprocal", NULL};
    const struct onnx_node *node = producer_of(f, value);
    if (node == NULL || steps == MOST_STEPS) {
        return false;
    }
    const bool is_sum = strcmp(node->op, "ReduceSum") == 0 && producer_of(f, input_of(node, 0)) == power;
    const uint32_t from = is_view(node)              ? input_of(node, 0)
                          : is_any(node->op, names) ? find_computed(f, node)
                                                    : ONNX_NONE;
    if (is_sum || mark_sum_of_powers(f, from, power, steps + 1)) {
        mark(f, node);
        return true;
    }
    return false;
}

/* exp(x - max(x)) / sum, where that is so; then x is looked through for scores. */
static void find_softmax(struct finding *f, const struct onnx_node *node) {
    for (uint32_t i = 0; i < 2 && node->input_count == 2; ++i) {
        const struct onnx_node *power = producer_of(f, node->inputs[i]);
        if ((i == 1 && !is_op(node, "Mul")) || !is_op(power, "Exp") ||
            !mark_sum_of_powers(f, node->inputs[1 - i], power, 0)) {
            continue;
        }
        mark(f, node);
        mark(f, power);
        const struct onnx_node *difference = producer_of(f, input_of(power, 0));
        if (is_op(difference, "Sub")) {
            mark(f, difference);
            mark_scores(f, input_of(difference, 0), 0);
        } else {
            mark_scores(f, input_of(power, 0), 0);
        }
    }
}

static void find_patterns(struct finding *f) {
    for (uint32_t n = 0; n < f->graph->node_count; ++n) {
        const struct onnx_node *node = &f->graph->nodes[n];
        if (is_op(node, "Div") || is_op(node, "Mul")) {
            find_normalization(f, node);
            find_softmax(f, node);
        } else if (is_op(node, "Softmax") && mark_scores(f, input_of(node, 0), 0)) {
            mark(f, node);
        }
    }
}

bool onnx_widen_scope(struct onnx_plan *plan, struct onnx_scope *scope) {
    const struct onnx_graph *graph = scope->graph;
    if (!plan->has_float32_intermediates) {
        return true;
    }
    struct finding f = {.graph = graph};
    f.producers = onnx_allocate(&plan->arena, graph->value_count, sizeof *f.producers);
    f.widened = onnx_allocate(&plan->arena, graph->node_count, sizeof *f.widened);
    scope->wide = onnx_allocate(&plan->arena, graph->value_count, sizeof *scope->wide);
    if (f.producers == NULL || f.widened == NULL || scope->wide == NULL) {
        return false;
    }
    for (uint32_t v = 0; v < graph->value_count; ++v) {
        f.producers[v] = ONNX_NONE;
    }
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        for (uint32_t i = 0; i < graph->nodes[n].output_count; ++i) {
            if (graph->nodes[n].outputs[i] != ONNX_NONE) {
                f.producers[graph->nodes[n].outputs[i]] = n;
            }
        }
    }
    find_patterns(&f);
    scope->widened = f.widened;
    return true;
}

/* ---- translation ---- */

bool onnx_is_widened(const struct onnx_scope *scope, const struct onnx_node *node) {
    return scope->widened != NULL && scope->widened[node - scope->graph->nodes];
}

/* A growing dimension stays. */
static struct onnx_tensor *convert(const struct onnx_call *call, struct onnx_tensor *tensor, enum onnx_type type) {
    const struct onnx_growing_dimension *growing = tensor->growing;
    struct onnx_tensor *made = onnx_cast(call, onnx_without_growing(call, tensor), type);
    if (growing == NULL || made == NULL) {
        return made;
    }
    const struct onnx_size_element size = onnx_size_of(tensor, growing->dimension);
    return onnx_with_growing(call, made, growing->dimension, &size, growing->is_zero);
}

struct onnx_tensor *onnx_widen_input(const struct onnx_call *call, uint32_t value) {
    struct onnx_tensor *tensor = call->scope->tensors[value];
    if (tensor == NULL || tensor->type != ONNX_FLOAT16) {
        return tensor;
    }
    struct onnx_tensor **wide = &call->scope->wide[value];
    if (*wide == NULL) {
        *wide = convert(call, tensor, ONNX_FLOAT);
    }
    return *wide;
}

/* The type of the node's first input of floats, in the model. */
static enum onnx_type stated_type(const struct onnx_call *call) {
    for (uint32_t i = 0; i < call->input_count; ++i) {
        const uint32_t value = call->node->inputs[i];
        const struct onnx_tensor *tensor = value == ONNX_NONE ? NULL : call->scope->tensors[value];
        if (tensor != NULL && (tensor->type == ONNX_FLOAT || tensor->type == ONNX_FLOAT16)) {
            return tensor->type;
        }
    }
    return ONNX_UNDEFINED;
}

bool onnx_narrow_output(const struct onnx_call *call, uint32_t value, struct onnx_tensor *made) {
    const bool is_wide = made != NULL && made->type == ONNX_FLOAT && stated_type(call) == ONNX_FLOAT16;
    struct onnx_tensor *narrow = is_wide ? convert(call, made, ONNX_FLOAT16) : made;
    if (is_wide && narrow == NULL) {
        return onnx_memory_is_out(call); /* where no reason has been told */
    }
    call->scope->wide[value] = is_wide ? made : NULL;
    call->scope->tensors[value] = narrow;
    return true;
}
