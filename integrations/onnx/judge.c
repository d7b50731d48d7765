#include "onnx/judge.h"

#include <string.h>

#include "onnx/data_node.h"
#include "onnx/plan_parts.h"
#include "onnx/report.h"
#include "onnx/single.h"
#include "onnx/split.h"

#define LARGE_SIZE 224

/* What is assumed of shapes that the model does not say, in turn: images, then what broadcasts, then other ranks. */
static const struct guess {
    uint32_t size, rank;
} guesses[] = {{LARGE_SIZE, 4}, {1, 3}, {LARGE_SIZE, 3}, {LARGE_SIZE, 2}, {LARGE_SIZE, 1}};

struct judging {
    struct onnx_verdict *next;
    struct onnx_arena *arena;
    bool refuses; /* some node */
    bool is_out;  /* memory */
};

static void judge_node(void *data, const struct onnx_node_report *report) {
    struct judging *j = data;
    struct onnx_verdict *verdict = j->next++;
    verdict->is_translated = report->outcome == ONNX_TRANSLATED;
    verdict->is_assumed = report->is_assumed;
    if (!verdict->is_translated) {
        const char *kept = onnx_copy_text(j->arena, report->reason, strlen(report->reason));
        verdict->reason = kept;
        j->refuses = true;
        j->is_out = j->is_out || kept == NULL;
    }
}

static struct onnx_verdict *judge_for(const struct onnx_model *model, const struct onnx_graph *graph,
                                      struct onnx_arena *arena, const struct guess *guess, bool *refuses) {
    struct onnx_verdict *verdicts = onnx_allocate(arena, graph->node_count, sizeof *verdicts);
    struct judging judging = {.next = verdicts, .arena = arena};
    const struct onnx_walk walk = {.assumed_size = guess->size,
                                   .assumed_rank = guess->rank,
                                   .tell = judge_node,
                                   .data = &judging};
    struct onnx_error error = {0};
    struct onnx_plan *plan = verdicts == NULL ? NULL : onnx_plan_start(model, graph, NULL);
    const bool done = plan != NULL && onnx_walk(plan, graph, &walk, &error);
    *refuses = judging.refuses;
    onnx_plan_free(plan);
    return done && !judging.is_out ? verdicts : NULL;
}

/* Whether something has a shape of which not even the rank is said. */
static bool lacks_ranks(const struct onnx_graph *graph) {
    bool lacks = false;
    for (uint32_t v = 0; v < graph->value_count; ++v) {
        lacks = lacks || (graph->values[v].type != ONNX_UNDEFINED && !graph->values[v].has_shape);
    }
    return lacks;
}

/* ---- nodes that the host computes between plans ---- */

struct neighbours {
    const uint32_t *makers; /* of values: the node that makes each, or ONNX_NONE */
    const bool *is_host;    /* of nodes */
    bool *has_any, *has_device; /* of nodes that the host computes: whether another node is next to it, and is ours */
    const struct onnx_verdict *verdicts;
    uint32_t node;
};

static void meet(void *data, uint32_t value) {
    struct neighbours *n = data;
    const uint32_t maker = n->makers[value];
    if (maker == ONNX_NONE || (n->is_host[maker] && n->is_host[n->node])) {
        return;
    }
    const uint32_t host = n->is_host[n->node] ? n->node : maker, other = host == maker ? n->node : maker;
    n->has_any[host] = true;
    n->has_device[host] = n->has_device[host] || n->verdicts[other].is_translated;
}

/* Such a node is ours where a node next to it is: between nodes of others it would only cost copies. */
static bool leave_lonely(const struct onnx_graph *graph, struct onnx_arena *arena, struct onnx_verdict *verdicts) {
    const bool *known = onnx_find_known(graph, arena);
    uint32_t *makers = onnx_allocate(arena, graph->value_count, sizeof *makers);
    bool *flags = onnx_allocate(arena, graph->node_count, 3 * sizeof *flags);
    if (known == NULL || makers == NULL || flags == NULL) {
        return false;
    }
    bool *is_host = flags;
    struct neighbours n = {makers, is_host, flags + graph->node_count, flags + 2 * (size_t)graph->node_count,
                           verdicts, 0};
    for (uint32_t v = 0; v < graph->value_count; ++v) {
        makers[v] = ONNX_NONE;
    }
    for (uint32_t i = 0; i < graph->node_count; ++i) {
        is_host[i] = onnx_is_data_node(&graph->nodes[i], known);
        for (uint32_t o = 0; o < graph->nodes[i].output_count; ++o) {
            if (graph->nodes[i].outputs[o] != ONNX_NONE) {
                makers[graph->nodes[i].outputs[o]] = i;
            }
        }
    }
    for (n.node = 0; n.node < graph->node_count; ++n.node) {
        onnx_for_each_read(&graph->nodes[n.node], meet, &n);
    }
    for (uint32_t i = 0; i < graph->node_count; ++i) {
        if (is_host[i] && n.has_any[i] && !n.has_device[i] && verdicts[i].is_translated) {
            verdicts[i].is_translated = false;
            verdicts[i].reason = "the host computes it, and no node next to it runs on the device";
        }
    }
    return true;
}

const struct onnx_verdict *onnx_judge(const struct onnx_model *model, const struct onnx_graph *graph,
                                      struct onnx_arena *arena) {
    const uint32_t count = lacks_ranks(graph) ? sizeof guesses / sizeof guesses[0] : 2;
    bool refuses;
    struct onnx_verdict *verdicts = judge_for(model, graph, arena, &guesses[0], &refuses);
    for (uint32_t g = 1; verdicts != NULL && refuses && g < count; ++g) {
        bool others_refuse;
        const struct onnx_verdict *others = judge_for(model, graph, arena, &guesses[g], &others_refuse);
        if (others == NULL) {
            return NULL;
        }
        refuses = false;
        for (uint32_t n = 0; n < graph->node_count; ++n) {
            if (!verdicts[n].is_translated && others[n].is_translated) {
                verdicts[n] = others[n];
            }
            refuses = refuses || !verdicts[n].is_translated;
        }
    }
    return verdicts != NULL && leave_lonely(graph, arena, verdicts) ? verdicts : NULL;
}
