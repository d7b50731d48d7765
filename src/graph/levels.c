/* When nodes execute: those of one level at once. */
#include <string.h>

#include "graph/planning.h"

/* Whether a value's bytes are temporary memory of the graph's. */
static bool is_temporary(const struct vkdml_graph_planning *planning, uint32_t whole) {
    const struct vkdml_graph_value *value = &planning->graph->values[whole];
    return value->node != VKDML_GRAPH_NONE && value->outputs == 0 && !planning->values[whole].is_fixed;
}

/* ---- as early as possible ---- */

static void find_earliest(struct vkdml_graph_planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    for (uint32_t at = 0; at < graph->node_count; ++at) {
        const uint32_t n = graph->order[at];
        struct vkdml_node_plan *planned = &planning->nodes[n];
        for (uint32_t i = 0; !planned->is_fixed && i < graph->nodes[n].input_count; ++i) {
            const uint32_t v = vkdml_graph_source(graph, n, i);
            const uint32_t before = v == VKDML_GRAPH_NONE ? v : graph->values[v].node;
            if (before != VKDML_GRAPH_NONE && planning->nodes[before].ready > planned->level) {
                planned->level = planning->nodes[before].ready;
            }
        }
        planned->ready = planned->is_fixed ? 0 : planned->level + (planned->is_view ? 0 : 1);
    }
}

/* ---- lifetimes ---- */

static void prolong(struct vkdml_value_plan *whole, uint32_t level) {
    if (level > whole->last) {
        whole->last = level;
        whole->readers = 0;
    }
}

/* That a level writes a value. */
static void add_writer(struct vkdml_graph_planning *planning, uint32_t v, uint32_t level) {
    uint64_t at;
    struct vkdml_value_plan *whole = &planning->values[vkdml_graph_whole(planning, v, &at)];
    whole->first = level < whole->first ? level : whole->first;
    prolong(whole, level);
}

/* That a level reads a value, by an input more. */
static void add_reader(struct vkdml_graph_planning *planning, uint32_t v, uint32_t level) {
    uint64_t at;
    struct vkdml_value_plan *whole = &planning->values[vkdml_graph_whole(planning, v, &at)];
    prolong(whole, level);
    whole->readers += level == whole->last;
}

static void find_lifetimes(struct vkdml_graph_planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    for (uint32_t v = 0; v < graph->value_count; ++v) {
        planning->values[v].first = UINT32_MAX;
        planning->values[v].last = 0;
        planning->values[v].readers = 0;
    }
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        const struct vkdml_graph_node *node = &graph->nodes[n];
        if (!vkdml_node_executes(planning, n)) {
            continue;
        }
        for (uint32_t i = 0; i < node->output_count; ++i) {
            add_writer(planning, node->first_value + i, planning->nodes[n].level);
        }
        for (uint32_t i = 0; i < node->input_count; ++i) {
            const uint32_t v = vkdml_graph_source(graph, n, i);
            if (v != VKDML_GRAPH_NONE) {
                add_reader(planning, v, planning->nodes[n].level);
            }
        }
    }
}

/* ---- later ---- */

/* Bytes that live less long, by each level that a node comes later: those whose life begins with it. */
static uint64_t begun_bytes(const struct vkdml_graph_planning *planning, uint32_t n) {
    const struct vkdml_graph_node *node = &planning->graph->nodes[n];
    uint64_t sum = 0, at;
    for (uint32_t i = 0; i < node->output_count; ++i) {
        const uint32_t whole = vkdml_graph_whole(planning, node->first_value + i, &at);
        if (is_temporary(planning, whole) && planning->values[whole].first == planning->nodes[n].level) {
            sum += planning->graph->values[whole].bytes;
        }
    }
    return sum;
}

/* Bytes times levels that live longer if a node comes at `level`: what would have been read for the last time by then.
 */
static uint64_t prolonged(const struct vkdml_graph_planning *planning, uint32_t n, uint32_t level) {
    const struct vkdml_graph *graph = planning->graph;
    uint64_t sum = 0, at;
    for (uint32_t i = 0; i < graph->nodes[n].input_count; ++i) {
        const uint32_t v = vkdml_graph_source(graph, n, i);
        const uint32_t whole = v != VKDML_GRAPH_NONE ? vkdml_graph_whole(planning, v, &at) : v;
        if (whole != VKDML_GRAPH_NONE && is_temporary(planning, whole) && planning->values[whole].last < level) {
            sum += graph->values[whole].bytes * (level - planning->values[whole].last);
        }
    }
    return sum;
}

/* The level of a node that needs the least memory over time, up to `latest`: gains and losses change at the ends of
 * inputs' lives alone. */
static uint32_t choose_level(const struct vkdml_graph_planning *planning, uint32_t n, uint32_t latest) {
    const struct vkdml_graph *graph = planning->graph;
    const uint32_t level = planning->nodes[n].level;
    const uint64_t gain = begun_bytes(planning, n);
    uint32_t best = level;
    int64_t most = 0;
    for (uint32_t i = 0; i <= graph->nodes[n].input_count && gain > 0; ++i) {
        uint32_t tried = latest;
        if (i < graph->nodes[n].input_count) {
            uint64_t at;
            const uint32_t v = vkdml_graph_source(graph, n, i);
            tried = v != VKDML_GRAPH_NONE ? planning->values[vkdml_graph_whole(planning, v, &at)].last : level;
        }
        if (tried > level && tried <= latest) {
            const int64_t gained = (int64_t)(gain * (tried - level)) - (int64_t)prolonged(planning, n, tried);
            best = gained > most ? tried : best;
            most = gained > most ? gained : most;
        }
    }
    return best;
}

/* From the last nodes on. bounds: by value, the first level that reads it. */
static void delay(struct vkdml_graph_planning *planning, uint32_t *bounds) {
    const struct vkdml_graph *graph = planning->graph;
    memset(bounds, 0xFF, graph->value_count * sizeof *bounds);
    for (uint32_t at = graph->node_count; at-- > 0;) {
        const uint32_t n = graph->order[at];
        struct vkdml_node_plan *planned = &planning->nodes[n];
        uint32_t bound = UINT32_MAX;
        if (planned->is_fixed) {
            continue;
        }
        for (uint32_t i = 0; i < graph->nodes[n].output_count; ++i) {
            const uint32_t of_output = bounds[graph->nodes[n].first_value + i];
            bound = of_output < bound ? of_output : bound;
        }
        if (!planned->is_view) {
            if (bound != UINT32_MAX && bound > planned->level + 1) {
                planned->level = choose_level(planning, n, bound - 1);
            }
            bound = planned->level;
        }
        for (uint32_t i = 0; i < graph->nodes[n].input_count; ++i) {
            const uint32_t v = vkdml_graph_source(graph, n, i);
            if (v != VKDML_GRAPH_NONE) {
                bounds[v] = bound < bounds[v] ? bound : bounds[v];
                if (!planned->is_view) {
                    add_reader(planning, v, planned->level);
                }
            }
        }
    }
}

/* ---- in order ---- */

/* By level, in the graph's order; those that do not execute come last. */
static void sort_by_level(struct vkdml_graph_planning *planning, uint32_t level_count) {
    const struct vkdml_graph *graph = planning->graph;
    uint32_t sum = 0;
    memset(planning->starts, 0, ((size_t)level_count + 1) * sizeof *planning->starts);
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        ++planning->starts[vkdml_node_executes(planning, n) ? planning->nodes[n].level : level_count];
    }
    for (uint32_t l = 0; l <= level_count; ++l) {
        const uint32_t count = planning->starts[l];
        planning->starts[l] = sum;
        sum += count;
    }
    for (uint32_t at = 0; at < graph->node_count; ++at) {
        const uint32_t n = graph->order[at];
        planning->order[planning->starts[vkdml_node_executes(planning, n) ? planning->nodes[n].level : level_count]++] =
            n;
    }
}

void vkdml_graph_find_levels(struct vkdml_graph_planning *planning) {
    uint32_t count = 0;
    find_earliest(planning);
    find_lifetimes(planning);
    if ((planning->flags & VKDML_COMPILE_FLAG_NODE_BY_NODE) == 0) {
        delay(planning, planning->starts);
        find_lifetimes(planning);
    }
    for (uint32_t n = 0; n < planning->graph->node_count; ++n) {
        if (vkdml_node_executes(planning, n) && planning->nodes[n].level >= count) {
            count = planning->nodes[n].level + 1;
        }
    }
    sort_by_level(planning, count);
}
