/* Values that lie among the bytes of others: nodes that only move elements need not, where these lie side by side as
 * they are to lie, and maps may write over what they read. */
#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "graph/planning.h"
#include "operators/operators.h"

/* A value's first byte in another is bound as any tensor's is: its steps were planned for all multiples of 16. */
#define VIEW_ALIGNMENT DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT

uint32_t vkdml_graph_whole(const struct vkdml_graph_planning *planning, uint32_t value, uint64_t *at) {
    *at = 0;
    while (planning->values[value].whole != value) {
        *at += planning->values[value].at;
        value = planning->values[value].whole;
    }
    return value;
}

/* ---- what nodes move ---- */

/* Whether what is moved lies in both tensors alike, but for where it begins. */
static bool lies_alike(const struct vkdml_tensor *input, const struct vkdml_tensor *output) {
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        if (input->sizes[d] > 1 && output->sizes[d] > 1 && input->strides[d] != output->strides[d]) {
            return false;
        }
    }
    return true;
}

/* Whether all of a tensor is moved. */
static bool is_moved(const struct vkdml_tensor *tensor, const struct vkdml_tensor *other) {
    for (uint32_t d = 0; d < tensor->dimension_count; ++d) {
        if (tensor->sizes[d] > other->sizes[d]) {
            return false;
        }
    }
    return true;
}

/* Whether its elements take up all of a tensor's bytes. */
static bool is_dense(const struct vkdml_tensor *tensor) {
    const uint64_t bits = (uint64_t)vkdml_tensor_elements(tensor) * tensor->element_bits;
    return ((bits + 7) / 8 + 3) / 4 * 4 == tensor->total_bytes;
}

/* In bytes, where that is a place for a value. */
static bool place_of(uint64_t elements, const struct vkdml_tensor *tensor, uint64_t *bytes) {
    const uint64_t bits = elements * tensor->element_bits; /* modulo 2^64 */
    *bytes = vkdml_whole_bytes_of(elements, tensor->element_bits);
    return bits % (UINT64_C(8) * VIEW_ALIGNMENT) == 0;
}

/* ---- values within values ---- */

/* What a node takes out of a value lies there already. */
static bool take_out(struct vkdml_graph_planning *planning, uint32_t from, uint32_t to, uint64_t at) {
    const struct vkdml_graph_value *values = planning->graph->values;
    struct vkdml_value_plan *taken = &planning->values[to];
    if (values[to].outputs > 0 || taken->whole != to || planning->values[from].is_fixed ||
        at + values[to].bytes > values[from].bytes) {
        return false;
    }
    taken->whole = from;
    taken->at = at;
    return true;
}

/* What a node puts into a value is written there in the first place. */
static bool put_in(struct vkdml_graph_planning *planning, uint32_t from, uint32_t to, uint64_t at) {
    const struct vkdml_graph_value *values = planning->graph->values;
    uint64_t within;
    const uint32_t whole = vkdml_graph_whole(planning, from, &within);
    if (within != 0 || values[whole].bytes != values[from].bytes || values[whole].node == VKDML_GRAPH_NONE ||
        values[whole].outputs > 0 || planning->values[whole].is_fixed || whole == to ||
        at + values[from].bytes > values[to].bytes) {
        return false;
    }
    planning->values[whole].whole = to;
    planning->values[whole].at = at;
    return true;
}

/* ---- what that costs ---- */

/* The level that writes what a node reads, of those that read it in place. */
static uint32_t level_of(const struct vkdml_graph_planning *planning, uint32_t v) {
    uint64_t at;
    const uint32_t node = planning->graph->values[vkdml_graph_whole(planning, v, &at)].node;
    return node == VKDML_GRAPH_NONE ? 0 : planning->graph->levels[node];
}

/* Inputs of a node beyond which their number is not gone through again and again. */
#define MOST_WEIGHED 64

/* What is joined takes all its memory as soon as its first part is there. That is no loss where parts come one after
 * the other and would live as long anyway, as in dense blocks and in U-Nets; but of a small part that comes early, and
 * a large one late, the first is better copied. Returns the first level whose parts are put in at once. */
static uint32_t put_since(const struct vkdml_graph_planning *planning, uint32_t n) {
    const struct vkdml_graph_node *node = &planning->graph->nodes[n];
    const uint32_t *sources = planning->graph->sources + node->first_source;
    if (node->input_count > MOST_WEIGHED) {
        return 0;
    }
    for (uint32_t since = 0;;) {
        uint64_t lives = 0, waits = 0; /* bytes times levels: of parts that are there, and of places without them */
        uint32_t first = UINT32_MAX;
        for (uint32_t i = 0; i < node->input_count; ++i) {
            const uint32_t level = level_of(planning, sources[i]);
            first = level >= since && level < first ? level : first;
        }
        for (uint32_t i = 0; i < node->input_count; ++i) {
            const uint64_t bytes = planning->graph->values[sources[i]].bytes;
            const uint32_t level = level_of(planning, sources[i]);
            lives += level >= since ? bytes * (planning->graph->levels[n] - level) : 0;
            waits += level >= since ? bytes * (level - first) : bytes * (planning->graph->levels[n] - first);
        }
        if (first == UINT32_MAX || waits <= 2 * lives) {
            return since;
        }
        since = first + 1; /* the sums have parts of levels before it as copied */
    }
}

/* Whether a node reads a value, or what lies among its bytes, by one input alone: what is put in its place must not be
 * copied from there too, by a step that waits for nothing. */
static bool is_read_once(const struct vkdml_graph_planning *planning, uint32_t n, uint32_t v) {
    const struct vkdml_graph_node *node = &planning->graph->nodes[n];
    uint64_t at;
    const uint32_t whole = vkdml_graph_whole(planning, v, &at);
    uint32_t count = 0;
    if (whole == v && planning->graph->values[v].readers == 1) {
        return true;
    }
    for (uint32_t i = 0; i < node->input_count && node->input_count <= MOST_WEIGHED; ++i) {
        count += vkdml_graph_whole(planning, planning->graph->sources[node->first_source + i], &at) == whole;
    }
    return count == 1;
}

/* Whether what lies behind a part, if there is any, begins at another 16 bytes: descriptors do not overlap then. */
static bool ends_apart(const struct vkdml_graph_planning *planning, uint32_t from, uint32_t to, uint64_t at) {
    const uint64_t end = at + planning->graph->values[from].bytes;
    return end % VIEW_ALIGNMENT == 0 || end == planning->graph->values[to].bytes;
}

static bool make_view(struct vkdml_graph_planning *planning, uint32_t n, uint32_t since,
                      const struct vkdml_move *move) {
    const struct vkdml_graph *graph = planning->graph;
    const struct vkdml_tensor *input = &graph->nodes[n].instance->inputs[move->input];
    const struct vkdml_tensor *output = &graph->nodes[n].instance->outputs[move->output];
    const uint32_t from = vkdml_graph_source(graph, n, move->input);
    const uint32_t to = vkdml_graph_value_of(graph, n, move->output);
    uint64_t from_byte, to_byte;
    if (!lies_alike(input, output) || !place_of(move->from, input, &from_byte) ||
        !place_of(move->to, output, &to_byte)) {
        return false;
    }
    if (move->to == 0 && is_moved(output, input) && take_out(planning, from, to, from_byte)) {
        return true;
    }
    return move->from == 0 && is_moved(input, output) && is_dense(input) && level_of(planning, from) >= since &&
           is_read_once(planning, n, from) && ends_apart(planning, from, to, to_byte) &&
           put_in(planning, from, to, to_byte);
}

/* ---- nodes ---- */

static bool is_move(const struct vkdml_plan_step *step, uint32_t input, uint32_t output) {
    bool reads = false, writes = false;
    for (uint32_t b = 0; b < step->buffer_count; ++b) {
        reads = reads || (step->buffers[b].resource == VKDML_PLAN_INPUT && step->buffers[b].index == input);
        writes = writes || (step->buffers[b].resource == VKDML_PLAN_OUTPUT && step->buffers[b].index == output);
    }
    return reads && writes && step->buffer_count == 2;
}

/* Whether each step moves from one input to one output: not by scratch memory. */
static bool moves_alone(const struct vkdml_plan *plan) {
    for (uint32_t s = 0; s < plan->steps.count; ++s) {
        const struct vkdml_plan_step *step = &plan->steps.items[s];
        if (step->buffer_count != 2 || step->buffers[0].resource == step->buffers[1].resource ||
            step->buffers[0].resource == VKDML_PLAN_TEMPORARY || step->buffers[1].resource == VKDML_PLAN_TEMPORARY) {
            return false;
        }
    }
    return plan->steps.temporary_bytes == 0;
}

static void drop_moves(struct vkdml_plan *plan, const struct vkdml_move *move) {
    uint32_t kept = 0;
    for (uint32_t s = 0; s < plan->steps.count; ++s) {
        if (!is_move(&plan->steps.items[s], move->input, move->output)) {
            if (kept != s) {
                plan->steps.items[kept] = plan->steps.items[s];
            }
            ++kept;
        }
    }
    plan->steps.count = kept;
}

static void find_views_of(struct vkdml_graph_planning *planning, uint32_t n) {
    struct vkdml_node_plan *planned = &planning->nodes[n];
    const struct vkdml_instance *instance = planning->graph->nodes[n].instance;
    struct vkdml_move move;
    uint32_t moves = 0, views = 0;
    const struct vkdml_operator *op = vkdml_operator_of(instance->schema->type);
    if (op->moves == NULL || !moves_alone(&planned->plan)) {
        return;
    }
    const uint32_t since = put_since(planning, n);
    for (; op->moves(instance, moves, &move); ++moves) {
        if (make_view(planning, n, since, &move)) {
            drop_moves(&planned->plan, &move);
            ++views;
        }
    }
    if (views > 0) {
        planned->is_view = planned->plan.steps.count == 0;
        const struct vkdml_graph_text text = vkdml_graph_node_text(n, planning->graph->nodes[n].name);
        vkdml_note(planning->report, "%s (%s): a view, %s: %u of %u tensors lie where they are needed", text.text,
                   instance->schema->name, planned->is_view ? "without a dispatch" : "but in part", (unsigned)views,
                   (unsigned)moves);
    }
}

void vkdml_graph_find_views(struct vkdml_graph_planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    for (uint32_t at = 0; at < graph->node_count; ++at) {
        const uint32_t n = graph->order[at];
        if (graph->nodes[n].instance != NULL && vkdml_node_executes(planning, n)) {
            find_views_of(planning, n);
        }
    }
}

/* ---- in place ---- */

/* Whether the bytes of a value, and all that lie among them, are temporary memory that one input alone reads last. */
static bool is_last_read(const struct vkdml_graph_planning *planning, uint32_t whole, uint32_t level) {
    const struct vkdml_graph_value *value = &planning->graph->values[whole];
    const struct vkdml_value_plan *planned = &planning->values[whole];
    return value->node != VKDML_GRAPH_NONE && value->outputs == 0 && !planned->is_fixed && planned->last == level &&
           planned->readers == 1;
}

static void overwrite(struct vkdml_graph_planning *planning, uint32_t n, const struct vkdml_plan_alias *alias) {
    const struct vkdml_graph *graph = planning->graph;
    const uint32_t from = vkdml_graph_source(graph, n, alias->input);
    const uint32_t to = vkdml_graph_value_of(graph, n, alias->output);
    struct vkdml_value_plan *over = &planning->values[to];
    uint64_t at;
    if (from == VKDML_GRAPH_NONE || over->whole != to || graph->values[to].outputs > 0 ||
        graph->values[to].bytes > graph->values[from].bytes || over->last <= planning->nodes[n].level) {
        return;
    }
    const uint32_t whole = vkdml_graph_whole(planning, from, &at);
    if (!is_last_read(planning, whole, planning->nodes[n].level)) {
        return;
    }
    over->whole = whole;
    over->at = at;
    planning->values[whole].last = over->last;
    planning->values[whole].readers = over->readers;
}

void vkdml_graph_find_overwritten(struct vkdml_graph_planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    for (uint32_t at = 0; at < graph->node_count; ++at) {
        const uint32_t n = planning->order[at];
        const struct vkdml_plan *plan = &planning->nodes[n].plan;
        for (uint32_t a = 0; vkdml_node_executes(planning, n) && a < plan->alias_count; ++a) {
            overwrite(planning, n, &plan->aliases[a]);
        }
    }
}
