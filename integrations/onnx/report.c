#include "onnx/report.h"

#include <string.h>

#include "onnx/plan_parts.h"

#define MOST_LOOKED_AT 65536 /* bytes, as session.c lets plans look at */

struct walking {
    const struct onnx_walk *walk;
    struct onnx_plan *plan;
    struct onnx_scope scope;
    bool *is_assumed; /* of each value */
    const bool *wanted;
};

/* ---- what values are that no node made ---- */

/* A size of a value: as the model says it, or what the input has that names it alike. */
static bool find_size(const struct walking *w, const struct onnx_value *value, uint32_t d, uint32_t *size) {
    const struct onnx_graph *graph = w->scope.graph;
    if (value->sizes[d] >= 0 && value->sizes[d] <= UINT32_MAX) {
        *size = (uint32_t)value->sizes[d];
        return true;
    }
    for (uint32_t i = 0; w->walk->inputs != NULL && value->symbols[d] != NULL && i < graph->input_count; ++i) {
        const struct onnx_value *input = &graph->values[graph->inputs[i]];
        const struct onnx_plan_input *given = &w->walk->inputs[i];
        for (uint32_t j = 0; input->has_shape && j < input->rank && j < given->rank; ++j) {
            if (input->symbols[j] != NULL && strcmp(input->symbols[j], value->symbols[d]) == 0) {
                *size = given->sizes[j];
                return true;
            }
        }
    }
    return false;
}

/* A value as the model describes it; none where it does not. False where memory is out. */
static bool stand_in(struct walking *w, uint32_t v) {
    const struct onnx_value *value = &w->scope.graph->values[v];
    const uint32_t assumed = w->walk->assumed_size;
    uint32_t sizes[ONNX_MAX_RANK];
    w->scope.tensors[v] = NULL;
    if (value->type == ONNX_UNDEFINED || !value->has_shape || value->rank > ONNX_MAX_RANK) {
        return true;
    }
    for (uint32_t d = 0; d < value->rank; ++d) {
        if (!find_size(w, value, d, &sizes[d])) {
            if (assumed == 0) {
                return true;
            }
            sizes[d] = assumed;
            w->is_assumed[v] = true;
        }
    }
    if (!onnx_is_countable(value->rank, sizes)) {
        return true;
    }
    struct onnx_source source = {.kind = ONNX_SOURCE_INPUT, .number = ONNX_NONE};
    source.bytes = onnx_bytes_of(value->type, onnx_elements(value->rank, sizes));
    /* Where sizes are assumed, elements that are asked for are there when it runs. */
    source.depends = assumed == 0 || source.bytes > MOST_LOOKED_AT ? 0 : (uint64_t)1 << (v < 63 ? v : 63);
    const uint32_t number = source.bytes == 0 ? ONNX_NONE : onnx_add_source(w->plan, &source);
    if (source.bytes == 0 || number != ONNX_NONE) {
        w->scope.tensors[v] = onnx_add_tensor(w->plan, value->type, value->rank, sizes, number);
    }
    return w->scope.tensors[v] != NULL;
}

/* ---- nodes ---- */

static bool reads_nothing(const struct onnx_scope *scope, const struct onnx_node *node) {
    for (uint32_t i = 0; i < node->input_count; ++i) {
        if (node->inputs[i] != ONNX_NONE && scope->tensors[node->inputs[i]] == NULL) {
            return true;
        }
    }
    return false;
}

/* Zeros in place of elements that are asked for and are not known; the tensor itself where that is not so. False where
 * memory is out. */
static bool fill_in(struct onnx_plan *plan, struct onnx_tensor **tensor) {
    struct onnx_tensor *t = *tensor;
    if (t == NULL || t->data != NULL || t->source == ONNX_NONE ||
        (plan->sources[t->source].depends & plan->unknown) == 0) {
        return true;
    }
    const size_t bytes = onnx_bytes_of(t->type, onnx_count(t));
    if (bytes > MOST_LOOKED_AT) {
        return true;
    }
    void *zeros = onnx_allocate(&plan->arena, bytes + 4, 1);
    struct onnx_tensor *filled =
        zeros == NULL ? NULL : onnx_add_data(plan, t->type, t->rank, t->sizes, zeros, bytes, 0);
    *tensor = filled == NULL ? t : filled;
    return filled != NULL;
}

/* Whether a node that asks for elements of its inputs would be translated, as far as zeros in their place tell: other
 * elements may fit where these do not, but what no element changes are types. */
static bool try_zeros(const struct walking *w, const struct onnx_node *node, struct onnx_error *error) {
    struct onnx_tensor **tensors = w->scope.tensors;
    struct onnx_tensor **kept = onnx_allocate(&w->plan->arena, node->input_count, sizeof(*kept));
    if (kept == NULL) {
        return onnx_fail_memory(error);
    }
    bool is_filled = true;
    for (uint32_t i = 0; i < node->input_count; ++i) {
        if (node->inputs[i] != ONNX_NONE) {
            kept[i] = tensors[node->inputs[i]];
            is_filled = fill_in(w->plan, &tensors[node->inputs[i]]) && is_filled;
        }
    }
    const bool done = is_filled ? onnx_translate_node(w->plan, &w->scope, node, w->wanted, error) ||
                                      (error->causes & VKDML_ERROR_CAUSE_DATA_TYPE) == 0
                                : onnx_fail_memory(error);
    for (uint32_t i = node->input_count; i-- > 0;) {
        if (node->inputs[i] != ONNX_NONE) {
            tensors[node->inputs[i]] = kept[i];
        }
    }
    return done;
}

/* Outputs of a node: what it made, or what the model says of them. */
static bool set_outputs(struct walking *w, const struct onnx_node *node, bool is_made, bool is_assumed) {
    bool done = true;
    for (uint32_t i = 0; done && i < node->output_count; ++i) {
        if (node->outputs[i] != ONNX_NONE) {
            w->is_assumed[node->outputs[i]] = is_assumed;
            done = is_made || stand_in(w, node->outputs[i]);
        }
    }
    return done;
}

static bool is_memory(const struct onnx_error *error) {
    return error->result == VKDML_ERROR_OUT_OF_HOST_MEMORY;
}

/* False where memory is out. */
static bool visit(struct walking *w, const struct onnx_node *node) {
    struct onnx_plan *plan = w->plan;
    const bool is_needed = w->walk->inputs == NULL || onnx_is_needed(node, w->wanted);
    struct onnx_node_report report = {.node = node, .outcome = is_needed ? ONNX_TRANSLATED : ONNX_UNNEEDED};
    struct onnx_error error = {0}, other = {0};
    const uint32_t first = plan->node_count;
    const uint64_t unknown = plan->unknown;
    plan->unknown = 0;
    report.reason = error.text;
    for (uint32_t i = 0; i < node->input_count; ++i) {
        report.is_assumed = report.is_assumed || (node->inputs[i] != ONNX_NONE && w->is_assumed[node->inputs[i]]);
    }
    const bool is_made = !is_needed || onnx_translate_node(plan, &w->scope, node, w->wanted, &error);
    if (is_memory(&error)) {
        return false;
    }
    report.operator_count = is_made ? plan->node_count - first : 0;
    if (!is_made && w->walk->assumed_size != 0 && plan->unknown != 0) {
        const bool is_likely = try_zeros(w, node, &other);
        if (is_memory(&other)) {
            return false;
        }
        report.outcome = is_likely ? ONNX_TRANSLATED : ONNX_REFUSED;
        report.is_assumed = report.is_assumed || is_likely;
        report.reason = is_likely ? "" : other.text;
    } else if (!is_made) {
        report.outcome = reads_nothing(&w->scope, node) ? ONNX_UNREACHED : ONNX_REFUSED;
    }
    plan->unknown |= unknown;
    DML_OPERATOR_TYPE *types = onnx_allocate(&plan->arena, report.operator_count, sizeof *types);
    if (types == NULL || !set_outputs(w, node, is_made, report.is_assumed)) {
        return false;
    }
    for (uint32_t n = 0; n < report.operator_count; ++n) {
        types[n] = plan->nodes[first + n].desc.Type;
    }
    report.operators = types;
    if (w->walk->tell != NULL) {
        w->walk->tell(w->walk->data, &report);
    }
    return true;
}

bool onnx_walk(struct onnx_plan *plan, const struct onnx_graph *graph, const struct onnx_walk *walk,
               struct onnx_error *error) {
    struct walking w = {.walk = walk, .plan = plan};
    bool done = onnx_plan_scope(plan, graph, walk->inputs, &w.scope, error);
    bool *wanted = onnx_find_wanted(plan, graph);
    w.wanted = wanted;
    w.is_assumed = onnx_allocate(&plan->arena, graph->value_count, sizeof *w.is_assumed);
    done = done && wanted != NULL && w.is_assumed != NULL;
    for (uint32_t v = 0; walk->inputs == NULL && done && v < graph->value_count; ++v) {
        wanted[v] = true;
        done = w.scope.tensors[v] != NULL || stand_in(&w, v);
    }
    for (uint32_t n = 0; done && n < graph->node_count; ++n) {
        done = visit(&w, &graph->nodes[n]);
    }
    return done || onnx_fail_memory(error); /* where no reason has been told */
}

bool onnx_report(const struct onnx_model *model, const struct onnx_graph *graph, uint32_t input_count,
                 const struct onnx_plan_input *inputs, void (*tell)(void *data, const struct onnx_node_report *report),
                 void *data, struct onnx_error *error) {
    if (input_count != graph->input_count) {
        return onnx_fail(error, "%u inputs for a graph of %u", (unsigned)input_count, (unsigned)graph->input_count);
    }
    static const struct onnx_plan_input none;
    uint64_t looked_at = 0;
    /* Until all is known that shapes depend on; then once more, telling. */
    for (bool tells = false;;) {
        const struct onnx_walk walk = {
            .inputs = inputs == NULL ? &none : inputs, .tell = tells ? tell : NULL, .data = data};
        struct onnx_plan *plan = onnx_plan_start(model, graph, NULL);
        if (plan == NULL) {
            return onnx_fail_memory(error);
        }
        plan->looked_at = looked_at;
        const bool done = onnx_walk(plan, graph, &walk, error);
        const uint64_t more = onnx_plan_more(plan, input_count, inputs);
        onnx_plan_free(plan);
        if (!done || tells) {
            return done;
        }
        tells = more == 0;
        looked_at |= more;
    }
}
