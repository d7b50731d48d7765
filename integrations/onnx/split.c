#include "onnx/split.h"

#include <string.h>

#include "onnx/data_node.h"
#include "onnx/plan_parts.h"
#include "onnx/single.h"
#include "onnx/size_operands.h"

/* ---- which values are known ---- */

static bool has_body(const struct onnx_node *node) {
    bool found = false;
    for (uint32_t a = 0; a < node->attribute_count; ++a) {
        found = found || node->attributes[a].kind == ONNX_ATTRIBUTE_GRAPH;
    }
    return found;
}

static bool is_random(const struct onnx_node *node) {
    return strncmp(node->op, "Random", 6) == 0 || strcmp(node->op, "Bernoulli") == 0 ||
           strcmp(node->op, "Multinomial") == 0;
}

static bool makes_known(const struct onnx_node *node, const bool *known) {
    if (node->domain[0] == 0 && (strcmp(node->op, "Shape") == 0 || strcmp(node->op, "Size") == 0)) {
        return true;
    }
    bool is_known = !has_body(node) && !is_random(node);
    for (uint32_t i = 0; i < node->input_count; ++i) {
        is_known = is_known && (node->inputs[i] == ONNX_NONE || known[node->inputs[i]]);
    }
    return is_known;
}

/* Initializers that an input may replace are not. */
static bool is_constant(const struct onnx_value *value) {
    return value->constant != NULL && !value->is_input;
}

bool *onnx_find_known(const struct onnx_graph *graph, struct onnx_arena *arena) {
    bool *known = onnx_allocate(arena, graph->value_count, sizeof *known);
    for (uint32_t v = 0; known != NULL && v < graph->value_count; ++v) {
        known[v] = is_constant(&graph->values[v]);
    }
    for (uint32_t n = 0; known != NULL && n < graph->node_count; ++n) {
        const struct onnx_node *node = &graph->nodes[n];
        const bool is_known = makes_known(node, known);
        for (uint32_t o = 0; o < node->output_count; ++o) {
            if (node->outputs[o] != ONNX_NONE) {
                known[node->outputs[o]] = is_known;
            }
        }
    }
    return known;
}

/* ---- levels: a node of the host begins the next one, and so does one whose sizes the device computes ---- */

struct splitting {
    const struct onnx_graph *graph;
    struct onnx_split *split;
    bool *wanted, *known;
    uint32_t *levels;  /* of values */
    uint32_t *readers; /* of values: the last level that reads it; outputs of the graph the last of all */
    bool *is_made;     /* by a node */
    bool *is_of_host;  /* by one that the host computes */
    bool *is_computed; /* its elements are the device's */
    bool *is_host;     /* nodes */
    uint32_t *of_nodes;
    uint32_t last, host_count;
};

struct reading {
    struct splitting *s;
    uint32_t level;
};

static void raise_level(void *data, uint32_t value) {
    struct reading *reading = data;
    if (reading->s->levels[value] > reading->level) {
        reading->level = reading->s->levels[value];
    }
}

static void mark_read(void *data, uint32_t value) {
    const struct reading *reading = data;
    if (reading->s->readers[value] < reading->level) {
        reading->s->readers[value] = reading->level;
    }
}

/* A size that the device computes is read back behind the level that computes it. */
static void wait_for_sizes(const struct splitting *s, const struct onnx_node *node, uint32_t *level) {
    const uint32_t operands = onnx_size_operands(node);
    for (uint32_t i = 0; i < node->input_count && i < 32; ++i) {
        const uint32_t value = node->inputs[i];
        if ((operands >> i & 1) != 0 && value != ONNX_NONE && s->is_made[value] && s->is_computed[value] &&
            s->levels[value] == *level) {
            ++*level;
        }
    }
}

static void find_levels(struct splitting *s) {
    for (uint32_t n = 0; n < s->graph->node_count; ++n) {
        const struct onnx_node *node = &s->graph->nodes[n];
        if (!onnx_is_needed(node, s->wanted)) {
            s->of_nodes[n] = ONNX_NONE;
            continue;
        }
        struct reading reading = {s, 0};
        onnx_for_each_read(node, raise_level, &reading);
        wait_for_sizes(s, node, &reading.level);
        s->of_nodes[n] = reading.level;
        const uint32_t level = reading.level + s->is_host[n];
        s->host_count += s->is_host[n];
        s->last = level > s->last ? level : s->last;
        for (uint32_t o = 0; o < node->output_count; ++o) {
            if (node->outputs[o] != ONNX_NONE) {
                s->levels[node->outputs[o]] = level;
                s->is_made[node->outputs[o]] = true;
                s->is_of_host[node->outputs[o]] = s->is_host[n];
            }
        }
        /* What the host reads leaves the level that makes it. */
        reading.level += s->is_host[n];
        onnx_for_each_read(node, mark_read, &reading);
    }
    for (uint32_t o = 0; o < s->graph->output_count; ++o) {
        const uint32_t value = s->graph->outputs[o];
        s->readers[value] = s->last;
    }
}

/* ---- stages ---- */

struct listing {
    const struct splitting *s;
    bool *is_listed; /* values */
    uint32_t level;
    uint32_t *values;
    uint32_t count;
    bool lists_optional;
};

static bool is_own_value(const struct splitting *s, uint32_t value, uint32_t level) {
    return s->is_made[value] && !s->is_of_host[value] && s->levels[value] == level;
}

/* A value that a level reads and does not make. Constants are everywhere. */
static void list_input(void *data, uint32_t value) {
    struct listing *l = data;
    const struct onnx_value *said = &l->s->graph->values[value];
    const bool is_own = is_own_value(l->s, value, l->level), is_early = l->s->is_made[value] && !is_own;
    const bool is_optional = !l->s->is_made[value] && said->constant != NULL;
    if (!is_own && !l->is_listed[value] && (is_early || !is_constant(said)) && is_optional == l->lists_optional) {
        l->is_listed[value] = true;
        l->values[l->count++] = value;
    }
}

static bool is_of_level(const struct splitting *s, uint32_t n, uint32_t level) {
    return s->of_nodes[n] == level && !s->is_host[n];
}

static void list_inputs(struct listing *l, const struct onnx_graph *stage) {
    for (uint32_t n = 0; n < stage->node_count; ++n) {
        onnx_for_each_read(&stage->nodes[n], list_input, l);
    }
    for (uint32_t o = 0; o < stage->output_count; ++o) {
        list_input(l, stage->outputs[o]);
    }
}

/* What later levels read, and of the last one outputs of the whole graph. */
static bool list_outputs(const struct splitting *s, uint32_t level, struct onnx_graph *stage) {
    const uint32_t room = level == s->last ? s->graph->output_count : s->graph->value_count;
    uint32_t *outputs = onnx_allocate(&s->split->arena, room, sizeof *outputs), count = 0;
    if (outputs == NULL) {
        return false;
    }
    for (uint32_t o = 0; level == s->last && o < s->graph->output_count; ++o) {
        const uint32_t value = s->graph->outputs[o];
        if (!s->is_made[value] || is_own_value(s, value, level)) {
            outputs[count++] = value;
        }
    }
    for (uint32_t n = 0; level != s->last && n < stage->node_count; ++n) {
        for (uint32_t o = 0; o < stage->nodes[n].output_count; ++o) {
            const uint32_t value = stage->nodes[n].outputs[o];
            if (value != ONNX_NONE && s->readers[value] > level) {
                outputs[count++] = value;
            }
        }
    }
    stage->outputs = outputs;
    stage->output_count = count;
    return true;
}

static bool add_level(const struct splitting *s, uint32_t level) {
    struct onnx_arena *arena = &s->split->arena;
    struct onnx_stage *stage = &s->split->stages[s->split->count];
    struct onnx_node *nodes = onnx_allocate(arena, s->graph->node_count, sizeof *nodes);
    uint32_t *inputs = onnx_allocate(arena, s->graph->value_count, sizeof *inputs);
    bool *is_listed = onnx_allocate(arena, s->graph->value_count, sizeof *is_listed);
    if (nodes == NULL || inputs == NULL || is_listed == NULL) {
        return false;
    }
    struct onnx_graph *graph = &stage->graph;
    *graph = (struct onnx_graph){.name = s->graph->name,
                                 .value_count = s->graph->value_count,
                                 .values = s->graph->values,
                                 .nodes = nodes,
                                 .inputs = inputs};
    for (uint32_t n = 0; n < s->graph->node_count; ++n) {
        if (is_of_level(s, n, level)) {
            nodes[graph->node_count++] = s->graph->nodes[n];
        }
    }
    if (graph->node_count == 0 && level != s->last) {
        return true;
    }
    if (!list_outputs(s, level, graph)) {
        return false;
    }
    struct listing listing = {.s = s, .is_listed = is_listed, .level = level, .values = inputs};
    list_inputs(&listing, graph);
    graph->input_count = listing.count;
    listing.lists_optional = true;
    list_inputs(&listing, graph);
    graph->optional_count = listing.count - graph->input_count;
    stage->inputs = graph->inputs;
    stage->outputs = graph->outputs;
    ++s->split->count;
    return true;
}

static bool add_host_nodes(const struct splitting *s, uint32_t level, uint32_t *numbers, const bool *is_given) {
    for (uint32_t n = 0; n < s->graph->node_count; ++n) {
        const struct onnx_node *node = &s->graph->nodes[n];
        struct onnx_single single;
        if (s->of_nodes[n] != level || !s->is_host[n]) {
            continue;
        }
        if (!onnx_single_make(s->graph, node, is_given, s->wanted, numbers, &s->split->arena, &single)) {
            return false;
        }
        s->split->stages[s->split->count++] =
            (struct onnx_stage){single.graph, true, single.inputs, single.outputs};
    }
    return true;
}

static bool add_stages(struct splitting *s) {
    struct onnx_arena *arena = &s->split->arena;
    uint32_t *numbers = onnx_allocate(arena, s->graph->value_count, sizeof *numbers);
    bool *is_given = onnx_allocate(arena, s->graph->value_count, sizeof *is_given);
    s->split->stages =
        onnx_allocate(arena, (size_t)s->last + 1 + s->host_count, sizeof *s->split->stages);
    bool done = numbers != NULL && is_given != NULL && s->split->stages != NULL;
    for (uint32_t v = 0; done && v < s->graph->value_count; ++v) {
        is_given[v] = !is_constant(&s->graph->values[v]);
    }
    for (uint32_t level = 0; done && level <= s->last; ++level) {
        done = add_level(s, level) && add_host_nodes(s, level, numbers, is_given);
    }
    return done;
}

/* Which values and nodes are what. */
static bool classify(struct splitting *s, struct onnx_arena *arena) {
    const struct onnx_graph *graph = s->graph;
    s->known = onnx_find_known(graph, arena);
    s->is_host = onnx_allocate(arena, graph->node_count, sizeof *s->is_host);
    for (uint32_t n = 0; s->known != NULL && s->is_host != NULL && n < graph->node_count; ++n) {
        s->is_host[n] = onnx_is_data_node(&graph->nodes[n], s->known);
    }
    s->is_computed = s->known == NULL ? NULL : onnx_find_computed(graph, s->known, arena);
    return s->is_host != NULL && s->is_computed != NULL;
}

bool onnx_split(const struct onnx_graph *graph, struct onnx_split *split, struct onnx_error *error) {
    *split = (struct onnx_split){0};
    struct onnx_arena *arena = &split->arena;
    struct splitting s = {.graph = graph, .split = split};
    bool done = classify(&s, arena);
    s.wanted = onnx_find_wanted(arena, graph);
    s.levels = onnx_allocate(arena, graph->value_count, sizeof *s.levels);
    s.readers = onnx_allocate(arena, graph->value_count, sizeof *s.readers);
    s.is_made = onnx_allocate(arena, graph->value_count, sizeof *s.is_made);
    s.is_of_host = onnx_allocate(arena, graph->value_count, sizeof *s.is_of_host);
    s.of_nodes = onnx_allocate(arena, graph->node_count, sizeof *s.of_nodes);
    done = done && s.wanted != NULL && s.levels != NULL && s.readers != NULL && s.is_made != NULL &&
           s.is_of_host != NULL && s.of_nodes != NULL;
    if (done) {
        find_levels(&s);
        done = add_stages(&s);
    }
    if (!done) {
        onnx_split_free(split);
        return onnx_fail_memory(error);
    }
    return true;
}

void onnx_split_free(struct onnx_split *split) {
    onnx_arena_free(&split->arena);
    *split = (struct onnx_split){0};
}
