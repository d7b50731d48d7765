#include "graph/chains.h"

#include <string.h>

#include "base/memory.h"
#include "graph/program.h"
#include "operators/operators.h"

struct pass {
    const struct vkdml_fusion *fusion;
    struct vkdml_graph *graph; /* the fusion's */
    uint32_t joined;           /* programs made */
    uint32_t *places;          /* of nodes in the graph's order */
    uint32_t *operands;        /* of nodes that got a program: the values that it reads, VKDML_PROGRAM_OPERANDS each */
    uint32_t *sources;         /* scratch: as many as the graph's */
};

/* Nodes that may become one, in the graph's order: the last one's output is the program's. */
struct group {
    uint32_t count;
    uint32_t nodes[VKDML_PROGRAM_INSTRUCTIONS];
};

static bool is_member(const struct group *group, uint32_t node) {
    for (uint32_t i = 0; i < group->count; ++i) {
        if (group->nodes[i] == node) {
            return true;
        }
    }
    return false;
}

/* Whether nobody but a group's nodes reads what a node makes. */
static bool is_inner(const struct pass *pass, const struct group *group, uint32_t node) {
    const uint32_t v = pass->graph->nodes[node].first_value;
    uint32_t readers = 0;
    for (uint32_t i = 0; i < group->count; ++i) {
        const uint32_t reader = group->nodes[i];
        for (uint32_t input = 0; input < pass->graph->nodes[reader].input_count; ++input) {
            readers += vkdml_graph_source(pass->graph, reader, input) == v;
        }
    }
    return pass->graph->values[v].outputs == 0 && readers == pass->graph->values[v].readers;
}

/* The group with a node more, in its place. */
static struct group with_node(const struct pass *pass, const struct group *group, uint32_t node) {
    struct group more = *group;
    uint32_t at = more.count++;
    for (; at > 0 && pass->places[more.nodes[at - 1]] > pass->places[node]; --at) {
        more.nodes[at] = more.nodes[at - 1];
    }
    more.nodes[at] = node;
    return more;
}

/* By the only output. */
static bool is_fixed(const struct pass *pass, uint32_t node) {
    return pass->fusion->fixed[vkdml_graph_value_of(pass->graph, node, 0)];
}

/* Why a node that feeds a group stays apart, or NULL: then it is in it, and the program is theirs. */
static const char *join(const struct pass *pass, uint32_t node, struct group *group,
                        struct vkdml_graph_program *program) {
    const char *reason = NULL;
    if (is_fixed(pass, node) != is_fixed(pass, group->nodes[group->count - 1])) {
        return "it is computed once, when the graph is initialized";
    }
    if (!is_inner(pass, group, node)) {
        return "others need what it makes, too";
    }
    if (group->count == VKDML_PROGRAM_INSTRUCTIONS) {
        return "the program would have too many instructions";
    }
    const struct group more = with_node(pass, group, node);
    static const struct vkdml_graph_program none;
    struct vkdml_graph_program made = none;
    for (uint32_t i = 0; i < more.count && reason == NULL; ++i) {
        reason = vkdml_graph_program_add(&made, pass->graph, more.nodes[i], pass->fusion->limits);
    }
    if (reason == NULL) {
        *group = more;
        *program = made;
    }
    return reason;
}

/* The node that makes what input `input` of a node reads, if its operator may be in a program. */
static uint32_t feeder(const struct pass *pass, uint32_t node, uint32_t input) {
    const uint32_t v = vkdml_graph_source(pass->graph, node, input);
    const uint32_t before = v == VKDML_GRAPH_NONE ? v : pass->graph->values[v].node;
    return before != VKDML_GRAPH_NONE && vkdml_graph_program_takes(&pass->graph->nodes[before]) ? before
                                                                                                : VKDML_GRAPH_NONE;
}

/* One node more, of those that feed the group; false: there is none. */
static bool grow(const struct pass *pass, struct group *group, struct vkdml_graph_program *program) {
    for (uint32_t i = group->count; i > 0; --i) {
        const uint32_t node = group->nodes[i - 1];
        for (uint32_t input = 0; input < pass->graph->nodes[node].input_count; ++input) {
            const uint32_t before = feeder(pass, node, input);
            if (before != VKDML_GRAPH_NONE && !is_member(group, before) && join(pass, before, group, program) == NULL) {
                return true;
            }
        }
    }
    return false;
}

static void note_apart(const struct pass *pass, const struct group *group) {
    for (uint32_t i = 0; i < group->count; ++i) {
        const uint32_t node = group->nodes[i];
        for (uint32_t input = 0; input < pass->graph->nodes[node].input_count; ++input) {
            const uint32_t before = feeder(pass, node, input);
            struct group joined = *group;
            struct vkdml_graph_program unused;
            const char *reason =
                before != VKDML_GRAPH_NONE && !is_member(group, before) ? join(pass, before, &joined, &unused) : NULL;
            if (reason != NULL) {
                vkdml_fusion_refuse(pass->fusion, node, before, "%s", reason);
            }
        }
    }
}

/* Gives the last node the program, and takes the others away. What it reads becomes its sources in the end. */
static VkdmlResult commit(struct pass *pass, const struct group *group, const struct vkdml_graph_program *program) {
    struct vkdml_graph *graph = pass->graph;
    const uint32_t last = group->nodes[group->count - 1];
    struct vkdml_program *own = vkdml_allocate(graph->callbacks, sizeof *own);
    if (own == NULL) {
        return vkdml_report_out_of_memory(pass->fusion->report, sizeof *own, "a program");
    }
    *own = program->program;
    memcpy(pass->operands + (size_t)last * VKDML_PROGRAM_OPERANDS, program->values, sizeof program->values);
    for (uint32_t i = group->count; i > 0; --i) {
        const uint32_t node = group->nodes[i - 1];
        for (uint32_t input = 0; input < graph->nodes[node].input_count; ++input) {
            vkdml_graph_set_source(graph, node, input, VKDML_GRAPH_NONE);
        }
        if (node != last) {
            vkdml_fusion_tell(pass->fusion, last, node);
            vkdml_graph_drop(graph, node);
        }
    }
    for (uint32_t i = 0; i < own->operand_count; ++i) {
        ++graph->values[program->values[i]].readers;
    }
    graph->nodes[last].program = own;
    graph->nodes[last].instance = NULL;
    graph->nodes[last].input_count = 0;
    ++pass->joined;
    return VKDML_SUCCESS;
}

/* Whether a group computes: what only moves elements may need no dispatch at all. */
static bool computes(const struct pass *pass, const struct group *group) {
    for (uint32_t i = 0; i < group->count; ++i) {
        const struct vkdml_instance *instance = pass->graph->nodes[group->nodes[i]].instance;
        const struct vkdml_operator *op = vkdml_operator_of(instance->schema->type);
        struct vkdml_move move;
        if (op->moves == NULL || !op->moves(instance, 0, &move)) {
            return true;
        }
    }
    return false;
}

static VkdmlResult join_before(struct pass *pass, uint32_t last) {
    static const struct vkdml_graph_program none;
    struct group group = {1, {last}};
    struct vkdml_graph_program program = none;
    if (!vkdml_graph_program_takes(&pass->graph->nodes[last]) ||
        vkdml_graph_program_add(&program, pass->graph, last, pass->fusion->limits) != NULL) {
        return VKDML_SUCCESS;
    }
    while (grow(pass, &group, &program)) {
    }
    if (pass->fusion->report->notes != NULL) {
        note_apart(pass, &group);
    }
    return group.count > 1 && computes(pass, &group) ? commit(pass, &group, &program) : VKDML_SUCCESS;
}

/* A program reads no more than the nodes did that it is of, so that sources have room in an order of their own. */
static void number_sources(struct pass *pass) {
    struct vkdml_graph *graph = pass->graph;
    uint32_t count = 0;
    memcpy(pass->sources, graph->sources, graph->source_count * sizeof *graph->sources);
    memset(graph->sources, 0xFF, graph->source_count * sizeof *graph->sources);
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        struct vkdml_graph_node *node = &graph->nodes[n];
        const uint32_t first = node->first_source;
        node->first_source = count;
        for (uint32_t i = 0; node->program == NULL && i < node->input_count; ++i) {
            graph->sources[count + i] = pass->sources[first + i];
        }
        if (node->program != NULL) {
            node->input_count = node->program->operand_count;
            for (uint32_t i = 0; i < node->input_count; ++i) {
                graph->sources[count + i] = pass->operands[(size_t)n * VKDML_PROGRAM_OPERANDS + i];
            }
        }
        count += node->input_count;
    }
}

VkdmlResult vkdml_fusion_join_chains(struct vkdml_fusion *fusion) {
    struct vkdml_graph *graph = fusion->graph;
    const size_t nodes = graph->node_count;
    const size_t words = nodes * (1 + VKDML_PROGRAM_OPERANDS) + graph->source_count;
    uint32_t *memory = vkdml_allocate(graph->callbacks, words * sizeof *memory);
    if (memory == NULL) {
        return vkdml_report_out_of_memory(fusion->report, words * sizeof *memory, "a graph's chains");
    }
    struct pass pass = {.fusion = fusion, .graph = graph, .places = memory};
    pass.operands = pass.places + nodes;
    pass.sources = pass.operands + nodes * VKDML_PROGRAM_OPERANDS;
    for (uint32_t at = 0; at < graph->node_count; ++at) {
        pass.places[graph->order[at]] = at;
    }
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t at = graph->node_count; at > 0 && result == VKDML_SUCCESS; --at) {
        result = join_before(&pass, graph->order[at - 1]);
    }
    if (result == VKDML_SUCCESS && pass.joined > 0) {
        number_sources(&pass);
        result = vkdml_graph_order(graph, fusion->report);
    }
    vkdml_free(graph->callbacks, memory);
    return result;
}
