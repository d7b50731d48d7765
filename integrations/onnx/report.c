#include "onnx/report.h"

#include <string.h>

#include "onnx/data_node.h"
#include "onnx/names.h"
#include "onnx/plan_parts.h"
#include "onnx/size_operands.h"
#include "onnx/split.h"

#define MOST_LOOKED_AT 65536 /* bytes, as session.c lets plans look at */

struct walking {
    const struct onnx_walk *walk;
    struct onnx_plan *plan;
    struct onnx_scope scope;
    struct onnx_names sizes; /* of named dimensions */
    uint64_t *open;          /* the open sizes that each value depends on, as in reports */
    const bool *wanted;
    const bool *known;       /* likewise, whether its elements follow from constants and shapes */
    const bool *computed;    /* likewise, whether the device computes its elements */
};

/* ---- what values are that no node made ---- */

/* The sizes that inputs give the names of open ones: the first input that has a name decides. */
static bool name_sizes(struct walking *w) {
    const struct onnx_graph *graph = w->scope.graph;
    w->sizes.arena = &w->plan->arena;
    for (uint32_t i = 0; w->walk->inputs != NULL && i < w->plan->input_count; ++i) {
        const struct onnx_value *input = &graph->values[graph->inputs[i]];
        const struct onnx_plan_input *given = &w->walk->inputs[i];
        for (uint32_t d = 0; input->has_shape && d < input->rank && d < given->rank; ++d) {
            const char *symbol = input->symbols[d];
            const struct onnx_text name = {symbol, symbol == NULL ? 0 : strlen(symbol)};
            if (symbol != NULL && onnx_names_find(&w->sizes, name) == NULL &&
                !onnx_names_add(&w->sizes, name, given->sizes[d])) {
                return false;
            }
        }
    }
    return true;
}

/* A size of a value: as the model states it, as the inputs have the name, or as it is assumed. */
static bool find_size(const struct walking *w, uint32_t v, uint32_t d, uint32_t *size, uint64_t *open) {
    const struct onnx_value *value = &w->scope.graph->values[v];
    if (value->has_shape && value->sizes[d] >= 0 && value->sizes[d] <= UINT32_MAX) {
        *size = (uint32_t)value->sizes[d];
        return true;
    }
    if (w->walk->open != NULL) {
        const uint32_t number = onnx_open_size_of(w->walk->open, w->scope.graph, v, d);
        *size = w->walk->assumed[number];
        *open |= onnx_open_bit(number);
        return true;
    }
    const char *symbol = value->has_shape ? value->symbols[d] : NULL;
    const struct onnx_name *known =
        symbol == NULL ? NULL : onnx_names_find(&w->sizes, (struct onnx_text){symbol, strlen(symbol)});
    if (known != NULL) {
        *size = known->number;
    }
    return known != NULL;
}

/* A value of no data. False where memory is out. */
static bool set_tensor(struct walking *w, uint32_t v, enum onnx_type type, uint32_t rank, const uint32_t *sizes) {
    struct onnx_source source = {.kind = ONNX_SOURCE_INPUT, .number = ONNX_NONE};
    source.bytes = onnx_bytes_of(type, onnx_elements(rank, sizes));
    /* Where sizes are assumed, elements that are asked for are there when it runs. */
    source.depends =
        w->walk->open == NULL || source.bytes > MOST_LOOKED_AT ? 0 : (uint64_t)1 << (v < 63 ? v : 63);
    const uint32_t number = source.bytes == 0 ? ONNX_NONE : onnx_add_source(w->plan, &source);
    if (source.bytes == 0 || number != ONNX_NONE) {
        w->scope.tensors[v] = onnx_add_tensor(w->plan, type, rank, sizes, number);
    }
    return w->scope.tensors[v] != NULL;
}

/* A value as the model describes it, or of `rank` dimensions; none where it does not and that is 0. False where memory
 * is out. */
static bool stand_in(struct walking *w, uint32_t v, uint32_t rank) {
    const struct onnx_value *value = &w->scope.graph->values[v];
    uint32_t sizes[ONNX_MAX_RANK];
    w->scope.tensors[v] = NULL;
    w->open[v] = 0;
    if (value->type == ONNX_UNDEFINED || (!value->has_shape && rank == 0) || value->rank > ONNX_MAX_RANK) {
        return true;
    }
    rank = value->has_shape ? value->rank : rank;
    for (uint32_t d = 0; d < rank; ++d) {
        if (!find_size(w, v, d, &sizes[d], &w->open[v])) {
            return true;
        }
    }
    if (!onnx_is_countable(rank, sizes)) {
        return true;
    }
    return set_tensor(w, v, value->type, rank, sizes);
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

/* Elements that stand in for those that are not known: 0, or 1, and 0.5 of floats. */
static void write_elements(enum onnx_type type, bool are_zero, uint64_t count, unsigned char *to) {
    static const uint64_t half = 0x3FE0000000000000, integer = 1;
    static const uint32_t single = 0x3F000000;
    static const uint16_t short_half = 0x3800, upper_half = 0x3F00;
    const size_t size = count == 0 ? 0 : onnx_bytes_of(type, 2) / 2;
    const void *element = type == ONNX_FLOAT      ? (const void *)&single
                          : type == ONNX_DOUBLE   ? (const void *)&half
                          : type == ONNX_FLOAT16  ? (const void *)&short_half
                          : type == ONNX_BFLOAT16 ? (const void *)&upper_half
                                                  : (const void *)&integer;
    for (uint64_t i = 0; !are_zero && size <= sizeof integer && i < count; ++i) {
        memcpy(to + i * size, element, size);
    }
}

/* Such elements in place of those that are asked for and are not known; the tensor itself where that is not so. False
 * where memory is out. */
static bool fill_in(struct onnx_plan *plan, bool are_zero, struct onnx_tensor **tensor) {
    struct onnx_tensor *t = *tensor;
    if (t == NULL || t->data != NULL || t->source == ONNX_NONE ||
        (plan->sources[t->source].depends & plan->unknown) == 0) {
        return true;
    }
    const size_t bytes = onnx_bytes_of(t->type, onnx_count(t));
    if (bytes > MOST_LOOKED_AT) {
        return true;
    }
    void *elements = onnx_allocate(&plan->arena, bytes + 4, 1);
    if (elements == NULL) {
        return false;
    }
    write_elements(t->type, are_zero, onnx_count(t), elements);
    struct onnx_tensor *filled = onnx_add_data(plan, t->type, t->rank, t->sizes, elements, bytes, 0);
    *tensor = filled == NULL ? t : filled;
    return filled != NULL;
}

/* Translates a node with such elements in place of all that it asks for, one after another. */
static bool translate_with(const struct walking *w, const struct onnx_node *node, bool are_zero,
                           struct onnx_error *error) {
    for (uint64_t before;;) {
        before = w->plan->unknown;
        for (uint32_t i = 0; i < node->input_count; ++i) {
            if (node->inputs[i] != ONNX_NONE && !fill_in(w->plan, are_zero, &w->scope.tensors[node->inputs[i]])) {
                return onnx_fail_memory(error);
            }
        }
        *error = (struct onnx_error){0};
        if (onnx_translate_node(w->plan, &w->scope, node, w->wanted, error) || w->plan->unknown == before) {
            return error->text[0] == 0;
        }
    }
}

/* Whether a node that asks for elements of its inputs may be translated with some in their place: others may fit where
 * these do not, but no elements change what onnx_refuse_type() refuses. */
static bool try_elements(const struct walking *w, const struct onnx_node *node, bool are_zero,
                         struct onnx_error *error) {
    struct onnx_tensor **tensors = w->scope.tensors;
    struct onnx_tensor **kept = onnx_allocate(&w->plan->arena, node->input_count, sizeof(*kept));
    if (kept == NULL) {
        return onnx_fail_memory(error);
    }
    const uint64_t unknown = w->plan->unknown;
    for (uint32_t i = 0; i < node->input_count; ++i) {
        kept[i] = node->inputs[i] == ONNX_NONE ? NULL : tensors[node->inputs[i]];
    }
    const bool is_likely = translate_with(w, node, are_zero, error) || error->result != VKDML_ERROR_NOT_IMPLEMENTED;
    w->plan->unknown = unknown;
    for (uint32_t i = 0; i < node->input_count; ++i) {
        if (node->inputs[i] != ONNX_NONE) {
            tensors[node->inputs[i]] = kept[i];
        }
    }
    return is_likely;
}

static bool has_body(const struct onnx_node *node) {
    bool found = false;
    for (uint32_t a = 0; a < node->attribute_count; ++a) {
        found = found || node->attributes[a].kind == ONNX_ATTRIBUTE_GRAPH;
    }
    return found;
}

/* ---- nodes that end a plan ---- */

/* Whether the host computes a node between plans. */
static bool ends_plan(const struct walking *w, const struct onnx_node *node) {
    if (!onnx_is_data_node(node, w->known) || reads_nothing(&w->scope, node)) {
        return false;
    }
    enum onnx_type types[8] = {ONNX_UNDEFINED};
    for (uint32_t i = 0; i < node->input_count && i < 8; ++i) {
        const struct onnx_tensor *tensor = node->inputs[i] == ONNX_NONE ? NULL : w->scope.tensors[node->inputs[i]];
        types[i] = tensor == NULL ? ONNX_UNDEFINED : tensor->type;
    }
    return onnx_data_node_takes(node, node->input_count, types);
}

/* Its outputs, as large as they can be. False where its inputs do not tell. */
static bool set_most(struct walking *w, const struct onnx_node *node) {
    struct onnx_tensor *inputs[8] = {NULL};
    bool is_set = true;
    for (uint32_t i = 0; i < node->input_count && i < 8; ++i) {
        inputs[i] = node->inputs[i] == ONNX_NONE ? NULL : w->scope.tensors[node->inputs[i]];
    }
    for (uint32_t o = 0; is_set && o < node->output_count; ++o) {
        enum onnx_type type;
        uint32_t rank, sizes[ONNX_MAX_RANK];
        is_set = onnx_data_node_most(node, o, node->input_count, inputs, &type, &rank, sizes) &&
                 onnx_is_countable(rank, sizes);
        if (is_set && node->outputs[o] != ONNX_NONE) {
            is_set = set_tensor(w, node->outputs[o], type, rank, sizes);
        }
    }
    return is_set;
}

/* Outputs of a node: what it made, or what the model says of them. Of what nodes with bodies make it often says
 * nothing, as branches may differ in their shapes: then a rank is assumed. */
static bool set_outputs(struct walking *w, const struct onnx_node *node, bool is_made, uint64_t open) {
    const uint32_t rank = has_body(node) ? w->walk->assumed_rank : 0;
    bool done = true;
    for (uint32_t i = 0; done && i < node->output_count; ++i) {
        const uint32_t v = node->outputs[i];
        if (v != ONNX_NONE) {
            done = is_made || stand_in(w, v, rank);
            w->open[v] = is_made ? open : w->open[v] | (open & ONNX_OPEN_ELEMENTS);
        }
    }
    return done;
}

/* The open sizes that a node's inputs depend on, with what its bodies read. */
static uint64_t find_open(const struct walking *w, const struct onnx_node *node) {
    uint64_t open = 0;
    for (uint32_t i = 0; i < node->input_count; ++i) {
        open |= node->inputs[i] == ONNX_NONE ? 0 : w->open[node->inputs[i]];
    }
    for (uint32_t a = 0; a < node->attribute_count; ++a) {
        const struct onnx_graph *body = node->attributes[a].graph;
        for (uint32_t v = 0; body != NULL && v < body->value_count; ++v) {
            open |= body->values[v].outer == ONNX_NONE ? 0 : w->open[body->values[v].outer];
        }
    }
    return open;
}

static bool is_memory(const struct onnx_error *error) {
    return error->result == VKDML_ERROR_OUT_OF_HOST_MEMORY;
}

/* False where memory is out. */
static bool visit(struct walking *w, const struct onnx_node *node) {
    struct onnx_plan *plan = w->plan;
    const bool is_needed = !w->walk->skips_unneeded || onnx_is_needed(node, w->wanted);
    struct onnx_node_report report = {.node = node,
                                      .outcome = is_needed ? ONNX_TRANSLATED : ONNX_UNNEEDED,
                                      .open = find_open(w, node),
                                      .scope = &w->scope};
    struct onnx_error error = {0}, other = {0}, others = {0}; /* the report's reason is the text of one of them */
    const uint32_t first = plan->node_count;
    const uint64_t unknown = plan->unknown;
    plan->unknown = 0;
    report.reason = error.text;
    const bool is_ended = is_needed && ends_plan(w, node), is_most = is_ended && set_most(w, node);
    const bool is_made = !is_needed || (!is_ended && onnx_translate_node(plan, &w->scope, node, w->wanted, &error));
    if (is_memory(&error)) {
        return false;
    }
    report.operator_count = is_made ? plan->node_count - first : 0;
    if (is_ended) {
        report.open |= ONNX_OPEN_ELEMENTS;
    } else if (!is_made && ((w->walk->open != NULL && plan->unknown != 0) || onnx_waits_for_sizes(node, w->computed))) {
        const bool is_likely = try_elements(w, node, true, &other) && !is_memory(&other) &&
                               try_elements(w, node, false, &others);
        if (is_memory(&other) || is_memory(&others)) {
            return false;
        }
        report.outcome = is_likely ? ONNX_TRANSLATED : ONNX_REFUSED;
        report.open |= is_likely ? ONNX_OPEN_ELEMENTS : 0;
        report.result = others.text[0] != 0 ? others.result : other.result;
        report.reason = is_likely ? "" : others.text[0] != 0 ? others.text : other.text;
    } else if (!is_made) {
        report.outcome = reads_nothing(&w->scope, node) ? ONNX_UNREACHED : ONNX_REFUSED;
        report.result = error.result;
    }
    plan->unknown |= unknown;
    DML_OPERATOR_TYPE *types = onnx_allocate(&plan->arena, report.operator_count, sizeof *types);
    if (types == NULL || !set_outputs(w, node, is_made || is_most, report.open)) {
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

/* Values that the model describes and that no node makes before they are read. */
static bool stand_in_all(struct walking *w, bool *wanted) {
    const struct onnx_graph *graph = w->scope.graph;
    bool *made = onnx_allocate(&w->plan->arena, graph->value_count, sizeof *made);
    bool done = made != NULL;
    for (uint32_t n = 0; done && n < graph->node_count; ++n) {
        for (uint32_t i = 0; i < graph->nodes[n].output_count; ++i) {
            if (graph->nodes[n].outputs[i] != ONNX_NONE) {
                made[graph->nodes[n].outputs[i]] = true;
            }
        }
    }
    for (uint32_t v = 0; done && v < graph->value_count; ++v) {
        wanted[v] = wanted[v] || !w->walk->skips_unneeded;
        done = made[v] || w->scope.tensors[v] != NULL || stand_in(w, v, 0);
    }
    return done;
}

bool onnx_walk(struct onnx_plan *plan, const struct onnx_graph *graph, const struct onnx_walk *walk,
               struct onnx_error *error) {
    struct walking w = {.walk = walk, .plan = plan};
    bool done = onnx_plan_scope(plan, graph, walk->inputs, &w.scope, error);
    bool *wanted = onnx_find_wanted(&plan->arena, graph);
    w.wanted = wanted;
    w.open = onnx_allocate(&plan->arena, graph->value_count, sizeof *w.open);
    w.known = onnx_find_known(graph, &plan->arena);
    w.computed = w.known == NULL ? NULL : onnx_find_computed(graph, w.known, &plan->arena);
    done = done && wanted != NULL && w.open != NULL && w.computed != NULL && name_sizes(&w);
    done = done && (walk->inputs != NULL || stand_in_all(&w, wanted));
    for (uint32_t n = 0; done && n < graph->node_count && !(walk->ends != NULL && *walk->ends); ++n) {
        done = (walk->chosen != NULL && !walk->chosen[n]) || visit(&w, &graph->nodes[n]);
    }
    return done || onnx_fail_memory(error); /* where no reason has been told */
}

bool onnx_report(const struct onnx_model *model, const struct onnx_graph *graph, uint32_t input_count,
                 const struct onnx_plan_input *inputs, void (*tell)(void *data, const struct onnx_node_report *report),
                 void *data, struct onnx_error *error) {
    if (!onnx_check_input_count(graph, input_count, error)) {
        return false;
    }
    static const struct onnx_plan_input none;
    uint64_t looked_at = 0;
    /* Until all is known that shapes depend on; then once more, telling. */
    for (bool tells = false;;) {
        const struct onnx_walk walk = {.inputs = inputs == NULL ? &none : inputs,
                                       .skips_unneeded = true,
                                       .tell = tells ? tell : NULL,
                                       .data = data};
        struct onnx_plan *plan = onnx_plan_start(model, graph, NULL);
        if (plan == NULL) {
            return onnx_fail_memory(error);
        }
        plan->looked_at = looked_at;
        plan->input_count = input_count;
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

bool onnx_report_open(const struct onnx_model *model, const struct onnx_graph *graph,
                      const struct onnx_open_sizes *open, const uint32_t *assumed,
                      void (*tell)(void *data, const struct onnx_node_report *report), void *data,
                      struct onnx_error *error) {
    const struct onnx_walk walk = {
        .skips_unneeded = true, .open = open, .assumed = assumed, .tell = tell, .data = data};
    struct onnx_plan *plan = onnx_plan_start(model, graph, NULL);
    if (plan == NULL) {
        return onnx_fail_memory(error);
    }
    const bool done = onnx_walk(plan, graph, &walk, error);
    onnx_plan_free(plan);
    return done;
}
