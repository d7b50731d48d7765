/* Plans: the nodes of a graph are translated in their order, and what comes of them becomes DirectML's graph. */
#include "onnx/plan_parts.h"

#include <stdlib.h>
#include <string.h>

#include "onnx/operators.h"
#include "onnx/widen.h"
#include "text/visible_text.h"

#define FOLD_LIMIT 65536
#define HOST_LIMIT ((uint64_t)1 << 30)
/* Bodies in bodies; a model may say any number. */
#define MOST_SCOPES 16

/* ---- nodes ---- */

static bool set_constants(struct onnx_plan *plan, const struct onnx_scope *scope, struct onnx_error *error) {
    for (uint32_t v = 0; v < scope->graph->value_count; ++v) {
        const struct onnx_value *value = &scope->graph->values[v];
        if (value->constant != NULL && scope->tensors[v] == NULL) {
            const struct onnx_data *data = value->constant;
            scope->tensors[v] = onnx_add_data(plan, data->type, data->rank, data->sizes, data->data, data->bytes, 0);
            if (scope->tensors[v] == NULL) {
                return onnx_fail_memory(error);
            }
            if (scope->tensors[v]->source != ONNX_NONE) {
                plan->sources[scope->tensors[v]->source].is_of_model = true;
            }
        }
        if (value->outer != ONNX_NONE && scope->outer != NULL) {
            scope->tensors[v] = scope->outer->tensors[value->outer];
        }
    }
    return true;
}

/* What a body reads of the graph around it. */
static void mark_outer(const struct onnx_graph *body, bool *wanted) {
    for (uint32_t v = 0; v < body->value_count; ++v) {
        if (body->values[v].outer != ONNX_NONE) {
            wanted[body->values[v].outer] = true;
        }
    }
}

bool onnx_is_needed(const struct onnx_node *node, const bool *wanted) {
    bool is_needed = false;
    for (uint32_t i = 0; i < node->output_count; ++i) {
        is_needed = is_needed || (node->outputs[i] != ONNX_NONE && wanted[node->outputs[i]]);
    }
    return is_needed;
}

bool *onnx_find_wanted(struct onnx_arena *arena, const struct onnx_graph *graph) {
    bool *wanted = onnx_allocate(arena, graph->value_count, sizeof *wanted);
    for (uint32_t i = 0; wanted != NULL && i < graph->output_count; ++i) {
        wanted[graph->outputs[i]] = true;
    }
    for (uint32_t n = wanted == NULL ? 0 : graph->node_count; n-- > 0;) {
        const struct onnx_node *node = &graph->nodes[n];
        const bool is_needed = onnx_is_needed(node, wanted);
        for (uint32_t i = 0; is_needed && i < node->input_count; ++i) {
            if (node->inputs[i] != ONNX_NONE) {
                wanted[node->inputs[i]] = true;
            }
        }
        for (uint32_t a = 0; is_needed && a < node->attribute_count; ++a) {
            if (node->attributes[a].kind == ONNX_ATTRIBUTE_GRAPH && node->attributes[a].graph != NULL) {
                mark_outer(node->attributes[a].graph, wanted);
            }
        }
    }
    return wanted;
}

/* Why there is no tensor of a value, where what is said of it does not tell how to make one. */
static const char *why_none(const struct onnx_value *value) {
    return value->kind != ONNX_KIND_TENSOR ? "is no tensor: maps, sequences and optional values are not supported"
           : value->type == ONNX_UNDEFINED ? "is no tensor, or of a type that is not said"
           : !value->has_shape           ? "has no sizes that are known before the model runs"
                                         : "is not made, or of sizes that are not known";
}

/* The call's arrays, in one piece. */
static bool gather(struct onnx_call *call, const bool *wanted, struct onnx_tensor ***memory, bool **own) {
    const struct onnx_node *node = call->node;
    struct onnx_arena *arena = &call->plan->arena;
    *memory = onnx_allocate(arena, (size_t)node->input_count + node->output_count, sizeof **memory);
    *own = onnx_allocate(arena, node->output_count, sizeof **own);
    if (*memory == NULL || *own == NULL) {
        return onnx_memory_is_out(call);
    }
    const bool is_widened = onnx_is_widened(call->scope, node);
    for (uint32_t i = 0; i < node->input_count; ++i) {
        const uint32_t value = node->inputs[i];
        (*memory)[i] = value == ONNX_NONE ? NULL : call->scope->tensors[value];
        if (value != ONNX_NONE && (*memory)[i] == NULL) {
            const struct onnx_value *said = &call->scope->graph->values[value];
            return onnx_refuse(call, "input '%s' %s", visible_text(said->name).text, why_none(said));
        }
        if (value != ONNX_NONE && is_widened) {
            (*memory)[i] = onnx_widen_input(call, value);
            if ((*memory)[i] == NULL) {
                return onnx_memory_is_out(call); /* where no reason has been told */
            }
        }
    }
    for (uint32_t i = 0; i < node->output_count; ++i) {
        (*own)[i] = node->outputs[i] != ONNX_NONE && wanted[node->outputs[i]];
    }
    call->input_count = node->input_count;
    call->output_count = node->output_count;
    call->inputs = *memory;
    call->outputs = *memory + node->input_count;
    call->wanted = *own;
    return true;
}

bool onnx_translate_node(struct onnx_plan *plan, const struct onnx_scope *scope, const struct onnx_node *node,
                         const bool *wanted, struct onnx_error *error) {
    struct onnx_call call = {.plan = plan, .scope = scope, .node = node, .error = error};
    const struct onnx_operator *row = onnx_find_operator(node->domain, node->op, node->version);
    if (row == NULL) {
        return onnx_refuse_with(&call, VKDML_ERROR_NOT_IMPLEMENTED, "there is no translation of %s%s%s %u",
                                visible_text(node->domain).text, node->domain[0] == 0 ? "" : ".",
                                visible_text(node->op).text, (unsigned)node->version);
    }
    struct onnx_tensor **tensors;
    bool *own;
    if (!gather(&call, wanted, &tensors, &own)) {
        return false;
    }
    const bool is_translated = onnx_compute_sizes(&call) ||
                               (error->text[0] == 0 && onnx_translate_growing(&call, row->translate));
    plan->allows_growing = false;
    /* A reason that has been told is one, whatever was made of what failed. */
    if (!is_translated || error->text[0] != 0) {
        return onnx_memory_is_out(&call); /* where no reason has been told */
    }
    for (uint32_t i = 0; i < node->output_count; ++i) {
        if (own[i] && call.outputs[i] == NULL) {
            return onnx_refuse(&call, "output %u is not translated", (unsigned)i);
        }
    }
    for (uint32_t i = 0; i < node->output_count; ++i) {
        const uint32_t value = node->outputs[i];
        if (value != ONNX_NONE && !onnx_is_widened(scope, node)) {
            scope->tensors[value] = call.outputs[i];
        } else if (value != ONNX_NONE && !onnx_narrow_output(&call, value, call.outputs[i])) {
            return false;
        }
    }
    return true;
}

bool onnx_translate(struct onnx_plan *plan, const struct onnx_scope *scope, struct onnx_error *error) {
    const bool *wanted = onnx_find_wanted(&plan->arena, scope->graph);
    bool done = wanted != NULL || onnx_fail_memory(error);
    for (uint32_t n = 0; done && n < scope->graph->node_count; ++n) {
        const struct onnx_node *node = &scope->graph->nodes[n];
        done = !onnx_is_needed(node, wanted) || onnx_translate_node(plan, scope, node, wanted, error);
    }
    return done;
}

/* Memory that a translation of a graph takes, in units of the budget. */
static uint64_t units_of(const struct onnx_graph *graph) {
    uint64_t units = (uint64_t)graph->value_count + graph->node_count + graph->input_count + graph->output_count + 1;
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        const struct onnx_node *node = &graph->nodes[n];
        units += ((uint64_t)node->input_count + node->output_count) / 4;
        for (uint32_t a = 0; a < node->attribute_count; ++a) {
            units += node->attributes[a].count / 16;
        }
    }
    return units;
}

bool onnx_charge_plan(const struct onnx_call *call, uint64_t units) {
    struct onnx_error error = {0};
    return onnx_expand(&call->plan->expansion, units, &error) || onnx_refuse(call, "%s", error.text);
}

bool onnx_translate_body(const struct onnx_call *call, const struct onnx_graph *body, uint32_t input_count,
                         struct onnx_tensor *const *inputs, struct onnx_tensor **outputs) {
    uint32_t depth = 0;
    for (const struct onnx_scope *scope = call->scope; scope != NULL; scope = scope->outer) {
        ++depth;
    }
    if (depth > MOST_SCOPES) {
        return onnx_refuse(call, "more than %d bodies in one another", MOST_SCOPES);
    }
    if (!onnx_charge_plan(call, units_of(body))) {
        return false;
    }
    struct onnx_scope scope = {.graph = body, .outer = call->scope};
    scope.tensors = onnx_allocate(&call->plan->arena, body->value_count, sizeof *scope.tensors);
    if (scope.tensors == NULL || !onnx_widen_scope(call->plan, &scope)) {
        return onnx_memory_is_out(call);
    }
    if (input_count != body->input_count) {
        return onnx_refuse(call, "a body of %u inputs, not %u", (unsigned)body->input_count, (unsigned)input_count);
    }
    for (uint32_t i = 0; i < input_count; ++i) {
        scope.tensors[body->inputs[i]] = inputs[i];
    }
    if (!set_constants(call->plan, &scope, call->error) || !onnx_translate(call->plan, &scope, call->error)) {
        return false;
    }
    for (uint32_t i = 0; i < body->output_count; ++i) {
        outputs[i] = scope.tensors[body->outputs[i]];
    }
    return true;
}

/* ---- inputs and outputs ---- */

static bool add_input(struct onnx_plan *plan, const struct onnx_graph *graph, const struct onnx_plan_input *input,
                      uint32_t index, struct onnx_tensor **tensor, struct onnx_error *error) {
    if (input->rank > ONNX_MAX_RANK || !onnx_is_countable(input->rank, input->sizes)) {
        return onnx_fail(error, "input %u has more than 8 dimensions or 2^32 - 1 elements", (unsigned)index);
    }
    uint32_t sizes[ONNX_MAX_RANK];
    const struct onnx_growing_dimension *dimension;
    if (!onnx_grow_input(plan, graph, index, sizes, &dimension)) {
        return false;
    }
    if (plan->needed_room != 0) {
        return onnx_fail(error, "input %u needs more room", (unsigned)index);
    }
    const size_t bytes = onnx_bytes_of(input->type, onnx_elements(input->rank, sizes));
    if (input->data != NULL && (plan->looked_at & onnx_bit_of(index)) != 0) {
        plan->looked_at_inputs[index] = true;
        *tensor = onnx_add_data(plan, input->type, input->rank, input->sizes, input->data, bytes, onnx_bit_of(index));
        return *tensor != NULL;
    }
    uint32_t source = ONNX_NONE;
    if (bytes != 0) {
        source = onnx_add_source(
            plan, &(struct onnx_source){
                      .kind = ONNX_SOURCE_INPUT, .number = index, .bytes = bytes, .depends = onnx_bit_of(index)});
        if (source == ONNX_NONE) {
            return false;
        }
    }
    *tensor = onnx_add_tensor(plan, input->type, input->rank, sizes, source);
    if (*tensor != NULL) {
        (*tensor)->growing = dimension;
    }
    return *tensor != NULL;
}

static bool is_whole(const struct onnx_plan *plan, const struct onnx_tensor *tensor) {
    const struct onnx_source *source = &plan->sources[tensor->source];
    return !tensor->is_strided && source->kind == ONNX_SOURCE_NODE && !source->is_output &&
           source->bytes == onnx_bytes_of(tensor->type, onnx_count(tensor));
}

/* An output of the model: data where it is known, else what a node makes. */
static bool add_output(struct onnx_plan *plan, struct onnx_tensor *tensor, uint32_t index, uint32_t *next,
                       struct onnx_error *error) {
    struct onnx_call call = {.plan = plan, .error = error};
    struct onnx_plan_output *output = &plan->outputs[index];
    output->type = tensor->type;
    output->rank = tensor->rank;
    memcpy(output->sizes, tensor->sizes, sizeof output->sizes);
    output->bytes = onnx_bytes_of(tensor->type, onnx_count(tensor));
    output->output = ONNX_NONE;
    output->growing = tensor->growing;
    /* A run copies parts of what the device makes, not of what is known. */
    if (tensor->growing != NULL && tensor->data != NULL) {
        return onnx_fix_growing(&call, tensor);
    }
    if (onnx_is_empty(tensor)) {
        return true;
    }
    if (tensor->source == ONNX_NONE) {
        return onnx_fail(error, "output %u is of type %s, which is not computed with", (unsigned)index,
                         onnx_type_name(tensor->type));
    }
    /* What few elements are repeated to, as a mask of Dropout, is written out where it is little. */
    if (tensor->data != NULL && (!tensor->is_strided || output->bytes <= FOLD_LIMIT)) {
        output->data = onnx_packed(plan, tensor);
        return output->data != NULL || onnx_fail_memory(error);
    }
    if (!is_whole(plan, tensor)) {
        DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {0};
        struct onnx_tensor *bits = onnx_as_bits(&call, tensor);
        tensor = bits == NULL ? NULL : onnx_make(&call, DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, ONNX_TENSORS(bits));
        if (tensor == NULL) {
            return false;
        }
    }
    struct onnx_source *source = &plan->sources[tensor->source];
    source->is_output = true;
    output->output = *next;
    source->graph_number = (*next)++;
    return true;
}

/* ---- what is live ---- */

static void mark_live(struct onnx_plan *plan) {
    for (uint32_t n = plan->node_count; n-- > 0;) {
        struct onnx_plan_node *node = &plan->nodes[n];
        for (uint32_t o = 0; o < node->output_count; ++o) {
            const struct onnx_source *source = node->outputs[o] == ONNX_NONE ? NULL : &plan->sources[node->outputs[o]];
            node->is_live = node->is_live || (source != NULL && (source->is_output || source->read_count != 0));
        }
        for (uint32_t i = 0; node->is_live && i < node->input_count; ++i) {
            if (node->inputs[i] != ONNX_NONE) {
                ++plan->sources[node->inputs[i]].read_count;
            }
        }
        plan->live_count += node->is_live;
    }
}

static bool is_graph_input(const struct onnx_source *source) {
    return source->read_count != 0 && (source->kind == ONNX_SOURCE_INPUT || source->kind == ONNX_SOURCE_SIZES ||
                                       (source->kind == ONNX_SOURCE_HOST && source->bytes > ONNX_CONSTANT_BYTES));
}

static bool needs_place(const struct onnx_plan_node *node, uint32_t output, const struct onnx_plan *plan) {
    const uint32_t source = node->outputs[output];
    return source != ONNX_NONE && !node->is_optional[output] && !plan->sources[source].is_output &&
           plan->sources[source].read_count == 0;
}

bool onnx_finish_plan(struct onnx_plan *plan) {
    mark_live(plan);
    uint32_t unread = 0;
    for (uint32_t s = 0; s < plan->source_count; ++s) {
        plan->graph_input_count += is_graph_input(&plan->sources[s]);
    }
    for (uint32_t n = 0; n < plan->node_count; ++n) {
        for (uint32_t o = 0; plan->nodes[n].is_live && o < plan->nodes[n].output_count; ++o) {
            unread += needs_place(&plan->nodes[n], o, plan);
        }
    }
    plan->graph_inputs = onnx_allocate(&plan->arena, plan->graph_input_count, sizeof *plan->graph_inputs);
    plan->unread = onnx_allocate(&plan->arena, unread, sizeof *plan->unread);
    plan->unread_bytes = onnx_allocate(&plan->arena, unread, sizeof *plan->unread_bytes);
    if (plan->graph_inputs == NULL || plan->unread == NULL || plan->unread_bytes == NULL) {
        return false;
    }
    uint32_t next = 0;
    for (uint32_t s = 0; s < plan->source_count; ++s) {
        struct onnx_source *source = &plan->sources[s];
        if (is_graph_input(source)) {
            const uint32_t input = source->kind == ONNX_SOURCE_INPUT   ? source->number
                                   : source->kind == ONNX_SOURCE_SIZES ? plan->input_count + source->number
                                                                       : ONNX_NONE;
            plan->graph_inputs[next] =
                (struct onnx_graph_input){input, source->data, source->bytes, source->is_of_model};
            source->graph_number = next++;
        }
    }
    for (uint32_t n = 0; n < plan->node_count; ++n) {
        const struct onnx_plan_node *node = &plan->nodes[n];
        for (uint32_t o = 0; node->is_live && o < node->output_count; ++o) {
            if (needs_place(node, o, plan)) {
                plan->unread_bytes[plan->unread_count] = plan->sources[node->outputs[o]].bytes;
                plan->unread[plan->unread_count++] = node->outputs[o];
            }
        }
    }
    return true;
}

/* ---- the whole ---- */

bool onnx_plan_scope(struct onnx_plan *plan, const struct onnx_graph *graph, const struct onnx_plan_input *inputs,
                     struct onnx_scope *scope, struct onnx_error *error) {
    *scope = (struct onnx_scope){.graph = graph};
    scope->tensors = onnx_allocate(&plan->arena, graph->value_count, sizeof *scope->tensors);
    plan->outputs = onnx_allocate(&plan->arena, graph->output_count, sizeof *plan->outputs);
    const size_t input_count = (size_t)graph->input_count + graph->optional_count;
    plan->looked_at_inputs = onnx_allocate(&plan->arena, input_count, sizeof *plan->looked_at_inputs);
    plan->inputs = inputs;
    plan->ranges = onnx_allocate(&plan->arena, input_count, sizeof *plan->ranges);
    plan->growing = onnx_allocate(&plan->arena, input_count, sizeof *plan->growing);
    if (scope->tensors == NULL || plan->outputs == NULL || plan->looked_at_inputs == NULL || plan->ranges == NULL ||
        plan->growing == NULL || !onnx_widen_scope(plan, scope) || !onnx_find_growing(plan, graph)) {
        return onnx_fail_memory(error);
    }
    for (uint32_t i = 0; inputs != NULL && i < plan->input_count; ++i) {
        const bool is_given = i < graph->input_count || inputs[i].type != ONNX_UNDEFINED;
        if (is_given && !add_input(plan, graph, &inputs[i], i, &scope->tensors[graph->inputs[i]], error)) {
            return onnx_fail_memory(error);
        }
    }
    return set_constants(plan, scope, error);
}

static bool make_plan(struct onnx_plan *plan, const struct onnx_graph *graph, const struct onnx_plan_input *inputs,
                      struct onnx_error *error) {
    struct onnx_scope scope;
    /* About as many as there will be: growing copies them. Without memory for them they grow. */
    plan->sources = onnx_allocate(&plan->arena, (size_t)graph->value_count + graph->node_count, sizeof *plan->sources);
    plan->source_room = plan->sources == NULL ? 0 : graph->value_count + graph->node_count;
    if (!onnx_plan_scope(plan, graph, inputs, &scope, error) || !onnx_translate(plan, &scope, error)) {
        return false;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < graph->output_count; ++i) {
        struct onnx_tensor *tensor = scope.tensors[graph->outputs[i]];
        if (tensor == NULL) {
            return onnx_fail(error, "output '%s' is no tensor",
                             visible_text(graph->values[graph->outputs[i]].name).text);
        }
        if (!add_output(plan, tensor, i, &next, error)) {
            return false;
        }
    }
    if (!onnx_finish_plan(plan)) {
        return onnx_fail_memory(error);
    }
    plan->graph_output_count = next + plan->unread_count;
    return true;
}

struct onnx_plan *onnx_plan_start(const struct onnx_model *model, const struct onnx_graph *graph,
                                  const struct onnx_plan_options *options) {
    struct onnx_plan *plan = calloc(1, sizeof *plan);
    if (plan != NULL) {
        plan->model = model;
        plan->expansion = model->expansion;
        plan->input_count = graph->input_count;
        plan->output_count = graph->output_count;
        plan->host_limit = options == NULL || options->host_limit == 0 ? HOST_LIMIT : options->host_limit;
        plan->fold_limit = options == NULL || options->fold_limit == 0 ? FOLD_LIMIT : options->fold_limit;
        plan->fixed = options != NULL && options->has_growing_sizes ? 0 : UINT64_MAX;
        plan->hints = options == NULL ? NULL : options->hints;
        plan->has_float32_intermediates = options != NULL && options->has_float32_intermediates;
    }
    return plan;
}

uint64_t onnx_plan_more(const struct onnx_plan *plan, uint32_t input_count, const struct onnx_plan_input *inputs) {
    const uint64_t more = plan->unknown & ~plan->looked_at;
    bool is_given = false;
    for (uint32_t i = 0; i < input_count; ++i) {
        is_given = is_given || ((more & onnx_bit_of(i)) != 0 && inputs[i].data != NULL);
    }
    return is_given ? more : 0;
}

bool onnx_check_input_count(const struct onnx_graph *graph, uint32_t count, struct onnx_error *error) {
    if (count >= graph->input_count && count - graph->input_count <= graph->optional_count) {
        return true;
    }
    const char *optional = graph->optional_count == 0 ? "" : ", and some that have initializers";
    return onnx_fail(error, "%u inputs for a graph of %u%s", (unsigned)count, (unsigned)graph->input_count, optional);
}

/* What planning is tried with. */
struct attempt {
    uint64_t looked_at, fixed; /* inputs, as in onnx_plan */
    uint32_t room;             /* likewise */
};

/* Once more, with fixed sizes where something needs them, or with what some shape depends on, where it is given. */
static bool try_again(const struct onnx_plan *plan, uint32_t input_count, const struct onnx_plan_input *inputs,
                      struct attempt *attempt) {
    const uint64_t more = onnx_plan_more(plan, input_count, inputs);
    if (plan->needed_room != 0) {
        attempt->room = plan->needed_room;
    } else if (plan->to_fix != 0) {
        attempt->fixed |= plan->to_fix | ((plan->to_fix & plan->stepped) == 0 ? 0 : plan->stepped);
    } else if (more != 0) {
        attempt->looked_at |= more;
    } else {
        attempt->fixed |= plan->grown;
    }
    return plan->needed_room != 0 || plan->to_fix != 0 || more != 0 || plan->grown != 0;
}

bool onnx_plan_create(const struct onnx_model *model, const struct onnx_graph *graph, uint32_t input_count,
                      const struct onnx_plan_input *inputs, const struct onnx_plan_options *options,
                      struct onnx_plan **made, struct onnx_error *error) {
    *made = NULL;
    if (!onnx_check_input_count(graph, input_count, error)) {
        return false;
    }
    struct attempt attempt = {.room = 1};
    for (;;) {
        struct onnx_plan *plan = onnx_plan_start(model, graph, options);
        if (plan == NULL) {
            return onnx_fail_memory(error);
        }
        struct onnx_error reason = {0};
        plan->looked_at = attempt.looked_at;
        plan->fixed |= attempt.fixed;
        plan->room = attempt.room;
        plan->input_count = input_count;
        if (make_plan(plan, graph, inputs, &reason)) {
            *made = plan;
            return true;
        }
        const bool goes_on =
            reason.result != VKDML_ERROR_OUT_OF_HOST_MEMORY && try_again(plan, input_count, inputs, &attempt);
        onnx_plan_free(plan);
        if (!goes_on) {
            return onnx_fail_with(error, reason.result, "%s", reason.text);
        }
    }
}

void onnx_plan_free(struct onnx_plan *plan) {
    if (plan != NULL) {
        onnx_arena_free(&plan->arena);
        free(plan);
    }
}

uint32_t onnx_plan_input_count(const struct onnx_plan *plan) {
    return plan->graph_input_count;
}

const struct onnx_graph_input *onnx_plan_inputs(const struct onnx_plan *plan) {
    return plan->graph_inputs;
}

uint32_t onnx_plan_output_count(const struct onnx_plan *plan) {
    return plan->output_count;
}

const struct onnx_plan_output *onnx_plan_outputs(const struct onnx_plan *plan) {
    return plan->outputs;
}

uint32_t onnx_plan_node_count(const struct onnx_plan *plan) {
    return plan->live_count;
}

uint32_t onnx_plan_graph_output_count(const struct onnx_plan *plan) {
    return plan->graph_output_count;
}

uint32_t onnx_plan_unread_count(const struct onnx_plan *plan) {
    return plan->unread_count;
}

const uint64_t *onnx_plan_unread_bytes(const struct onnx_plan *plan) {
    return plan->unread_bytes;
}

size_t onnx_plan_bytes(const struct onnx_plan *plan) {
    return onnx_arena_bytes(&plan->arena);
}

const bool *onnx_plan_looked_at(const struct onnx_plan *plan) {
    return plan->looked_at_inputs;
}

const struct onnx_growing_size *onnx_plan_growing_sizes(const struct onnx_plan *plan) {
    return plan->growing;
}

uint32_t onnx_plan_size_vector_count(const struct onnx_plan *plan) {
    return plan->vector_count;
}

const struct onnx_size_vector *onnx_plan_size_vectors(const struct onnx_plan *plan) {
    return plan->vectors;
}
