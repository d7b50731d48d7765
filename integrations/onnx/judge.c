#include "onnx/judge.h"

#include <string.h>

#include "onnx/candidates.h"
#include "onnx/data_node.h"
#include "onnx/operators.h"
#include "onnx/plan_parts.h"
#include "onnx/single.h"
#include "onnx/split.h"

/* Sizes of images. */
static const struct onnx_first_sizes usual = {.batch = 224, .others = 224};

/* Translations of nodes that a search takes: about 5 us each. One node takes at most a part of those that are left. */
#define BASE_TRANSLATIONS     UINT64_C(20000)
#define TRANSLATIONS_PER_NODE 20
#define PART_PER_NODE         4

/* Bytes of host memory that tried sizes may take beyond those of the first walk: large masks take time to write. */
#define MORE_HOST_BYTES ((uint64_t)16 << 20)

struct judging {
    const struct onnx_model *model;
    const struct onnx_graph *graph;
    const struct onnx_first_sizes *first;
    struct onnx_arena *arena;
    struct onnx_verdict *verdicts;
    struct onnx_open_sizes open;
    uint32_t *assumed, *tried; /* of each open size */
    uint32_t rank;
    bool *is_good;      /* of each node: it is translated for the assumed sizes */
    bool *is_refused;   /* it was looked at, and is not translated */
    bool *is_doubtful;  /* it is refused with the code for types, which sizes may not change */
    bool *is_searched;  /* sizes were searched for */
    uint64_t *depends;  /* on which open sizes */
    bool *chosen, *read;
    struct onnx_candidates candidates;
    uint64_t host_limit; /* of tried sizes; 0: the usual one */
    uint64_t left;       /* translations */
    bool is_out;         /* of memory */
};

/* ---- walks ---- */

static uint32_t number_of(const struct judging *j, const struct onnx_node *node) {
    return (uint32_t)(node - j->graph->nodes);
}

/* False if memory is out. */
static bool walk(struct judging *j, uint64_t host_limit, struct onnx_walk *walk) {
    struct onnx_error error = {0};
    const struct onnx_plan_options options = {.host_limit = host_limit};
    struct onnx_plan *plan = onnx_plan_start(j->model, j->graph, &options);
    walk->open = &j->open;
    walk->assumed_rank = j->rank;
    j->is_out = plan == NULL || !onnx_walk(plan, j->graph, walk, &error) || j->is_out;
    if (!j->is_out && j->host_limit == 0) {
        j->host_limit = plan->host_bytes + MORE_HOST_BYTES;
    }
    const uint64_t written = j->is_out ? 0 : plan->host_bytes / ONNX_BYTES_PER_TRANSLATION;
    j->left -= written < j->left ? written : j->left;
    onnx_plan_free(plan);
    return !j->is_out;
}

/* A walk whose verdicts count. */
struct recording {
    struct judging *judging;
    bool is_first, is_joint;
};

static void record(void *data, const struct onnx_node_report *report) {
    const struct recording *recording = data;
    struct judging *j = recording->judging;
    const uint32_t n = number_of(j, report->node);
    struct onnx_verdict *verdict = &j->verdicts[n];
    const bool is_translated = report->outcome == ONNX_TRANSLATED;
    if (recording->is_joint) {
        j->is_good[n] = is_translated;
        j->depends[n] = report->open;
        j->is_refused[n] = report->outcome == ONNX_REFUSED;
        j->is_doubtful[n] = report->result == VKDML_ERROR_NOT_IMPLEMENTED;
    }
    if (is_translated && !verdict->is_translated) {
        verdict->is_translated = true;
        verdict->is_assumed = report->open != 0;
        verdict->reason = NULL;
    } else if (recording->is_first && !is_translated) {
        verdict->is_assumed = report->open != 0;
        verdict->reason = onnx_copy_text(j->arena, report->reason, strlen(report->reason));
        j->is_out = j->is_out || verdict->reason == NULL;
    }
}

static bool record_all(struct judging *j, const uint32_t *sizes, bool is_first, bool is_joint) {
    struct recording recording = {j, is_first, is_joint};
    return walk(j, 0, &(struct onnx_walk){.assumed = sizes, .tell = record, .data = &recording});
}

/* A walk that finds out whether a node is translated for other sizes, with the nodes before it that were. */
struct trial {
    struct judging *judging;
    uint32_t node;
    bool is_good, ends;
    struct onnx_node_numbers *numbers; /* of the node; or NULL */
};

static void look(void *data, const struct onnx_node_report *report) {
    struct trial *trial = data;
    const struct judging *j = trial->judging;
    const uint32_t n = number_of(j, report->node);
    const bool is_translated = report->outcome == ONNX_TRANSLATED;
    trial->is_good = n == trial->node && is_translated;
    trial->ends = n == trial->node || (j->is_good[n] && !is_translated);
    if (n == trial->node && trial->numbers != NULL) {
        onnx_read_numbers(report, trial->numbers);
    }
}

static bool try_sizes(struct judging *j, uint32_t node, const uint32_t *sizes, const bool *chosen,
                      struct onnx_node_numbers *numbers) {
    struct trial trial = {.judging = j, .node = node, .numbers = numbers};
    uint64_t count = chosen == NULL ? node + 1 : 0;
    for (uint32_t n = 0; chosen != NULL && n <= node; ++n) {
        count += chosen[n];
    }
    if (count > j->left || j->is_out) {
        j->left = 0;
        return false;
    }
    j->left -= count;
    struct onnx_walk trying = {
        .assumed = sizes, .chosen = chosen, .ends = &trial.ends, .tell = look, .data = &trial};
    return walk(j, j->host_limit, &trying) && trial.is_good;
}

/* ---- the search ---- */

static void read_value(struct judging *j, uint32_t value) {
    if (value != ONNX_NONE) {
        j->read[value] = true;
    }
}

/* Chooses a node and all that it depends on. */
static void choose(struct judging *j, uint32_t node) {
    const struct onnx_graph *graph = j->graph;
    memset(j->chosen, 0, graph->node_count * sizeof *j->chosen);
    memset(j->read, 0, graph->value_count * sizeof *j->read);
    for (uint32_t n = node + 1; n-- > 0;) {
        const struct onnx_node *at = &graph->nodes[n];
        j->chosen[n] = n == node || onnx_is_needed(at, j->read);
        for (uint32_t i = 0; j->chosen[n] && i < at->input_count; ++i) {
            read_value(j, at->inputs[i]);
        }
        for (uint32_t a = 0; j->chosen[n] && a < at->attribute_count; ++a) {
            const struct onnx_graph *body = at->attributes[a].graph;
            for (uint32_t v = 0; body != NULL && v < body->value_count; ++v) {
                read_value(j, body->values[v].outer);
            }
        }
    }
}

/* Searches for sizes for which a node is translated. True if they also fit the nodes before it: they are assumed from
 * then on. If they do not, the node alone is claimed. */
static bool find_sizes(struct judging *j, uint32_t node) {
    struct onnx_node_numbers numbers = {.size_count = 0};
    const uint64_t mask = j->depends[node] & ~ONNX_OPEN_ELEMENTS;
    uint64_t used = 0;
    for (uint32_t n = 0; n < node; ++n) {
        used |= j->is_good[n] ? j->depends[n] : 0;
    }
    const uint64_t end = j->left - j->left / PART_PER_NODE;
    choose(j, node);
    try_sizes(j, node, j->assumed, j->chosen, &numbers);
    j->is_out = j->is_out || !onnx_find_candidates(&numbers, &j->open, mask, mask & ~used, j->assumed, j->arena,
                                                   &j->candidates);
    for (uint32_t c = 0; j->left > end && !j->is_out && c < j->candidates.count; ++c) {
        onnx_apply_candidate(&j->candidates.all[c], &j->open, mask, j->assumed, j->tried);
        if (!try_sizes(j, node, j->tried, j->chosen, NULL)) {
            continue;
        }
        j->verdicts[node].is_translated = j->verdicts[node].is_assumed = true;
        j->verdicts[node].reason = NULL;
        if (try_sizes(j, node, j->tried, NULL, NULL)) {
            memcpy(j->assumed, j->tried, j->open.count * sizeof *j->assumed);
            return true;
        }
    }
    return false;
}

static bool may_fit(const struct judging *j, uint32_t n) {
    const struct onnx_node *node = &j->graph->nodes[n];
    return !j->is_good[n] && j->is_refused[n] && !j->is_searched[n] && (j->depends[n] & ~ONNX_OPEN_ELEMENTS) != 0 &&
           onnx_find_operator(node->domain, node->op, node->version) != NULL;
}

/* Searches for refused nodes in their order. */
static bool search_all(struct judging *j, bool are_doubtful) {
    bool done = true;
    for (uint32_t n = 0; done && n < j->graph->node_count; ++n) {
        if (may_fit(j, n) && (are_doubtful || !j->is_doubtful[n])) {
            j->is_searched[n] = true;
            done = !find_sizes(j, n) || record_all(j, j->assumed, false, true);
        }
        done = done && !j->is_out;
    }
    return done;
}

/* The sizes to begin with. */
static void set_first(struct judging *j) {
    const struct onnx_graph *graph = j->graph;
    for (uint32_t s = 0; s < j->open.count; ++s) {
        j->assumed[s] = j->first->others;
    }
    for (uint32_t i = 0; i < graph->input_count; ++i) {
        const struct onnx_value *value = &graph->values[graph->inputs[i]];
        const uint32_t number = value->has_shape && value->rank > 1
                                    ? onnx_open_size_of(&j->open, graph, graph->inputs[i], 0)
                                    : ONNX_NONE;
        if (number != ONNX_NONE) {
            j->assumed[number] = j->first->batch;
        }
    }
}

/* The sizes to begin with, and less where inputs would have too many elements. */
static void assume_first(struct judging *j) {
    const struct onnx_graph *graph = j->graph;
    set_first(j);
    for (uint32_t i = 0; i < graph->input_count; ++i) {
        const struct onnx_value *value = &graph->values[graph->inputs[i]];
        for (bool halves = value->has_shape && value->rank <= ONNX_MAX_RANK; halves;) {
            uint32_t sizes[ONNX_MAX_RANK], numbers[ONNX_MAX_RANK];
            halves = false;
            for (uint32_t d = 0; d < value->rank; ++d) {
                numbers[d] = onnx_open_size_of(&j->open, graph, graph->inputs[i], d);
                sizes[d] = numbers[d] == ONNX_NONE ? (uint32_t)value->sizes[d] : j->assumed[numbers[d]];
                halves = halves || (numbers[d] != ONNX_NONE && sizes[d] > 1);
            }
            halves = halves && !onnx_is_countable(value->rank, sizes);
            for (uint32_t d = 0; halves && d < value->rank; ++d) {
                if (numbers[d] != ONNX_NONE && sizes[d] > 1) {
                    j->assumed[numbers[d]] = sizes[d] / 2;
                }
            }
        }
    }
}

/* Judges with the sizes that the search finds, which replace the assumed ones. */
static bool search(struct judging *j, bool is_first) {
    assume_first(j);
    memset(j->is_searched, 0, j->graph->node_count * sizeof *j->is_searched);
    return record_all(j, j->assumed, is_first, true) && search_all(j, false) && search_all(j, true);
}

/* ---- judging ---- */

static bool allocate(struct judging *j) {
    const uint32_t nodes = j->graph->node_count, values = j->graph->value_count;
    if (!onnx_find_open_sizes(j->graph, j->arena, &j->open)) {
        return false;
    }
    j->verdicts = onnx_allocate(j->arena, nodes, sizeof *j->verdicts);
    j->assumed = onnx_allocate(j->arena, j->open.count, sizeof *j->assumed);
    j->tried = onnx_allocate(j->arena, j->open.count, sizeof *j->tried);
    j->is_good = onnx_allocate(j->arena, nodes, sizeof *j->is_good);
    j->is_refused = onnx_allocate(j->arena, nodes, sizeof *j->is_refused);
    j->is_doubtful = onnx_allocate(j->arena, nodes, sizeof *j->is_doubtful);
    j->is_searched = onnx_allocate(j->arena, nodes, sizeof *j->is_searched);
    j->depends = onnx_allocate(j->arena, nodes, sizeof *j->depends);
    j->chosen = onnx_allocate(j->arena, nodes, sizeof *j->chosen);
    j->read = onnx_allocate(j->arena, values, sizeof *j->read);
    return j->verdicts != NULL && j->assumed != NULL && j->tried != NULL && j->is_good != NULL &&
           j->is_refused != NULL && j->is_doubtful != NULL && j->is_searched != NULL && j->depends != NULL &&
           j->chosen != NULL && j->read != NULL;
}

/* Whether something has a shape of which not even the rank is said. */
static bool lacks_ranks(const struct onnx_graph *graph) {
    bool lacks = false;
    for (uint32_t v = 0; v < graph->value_count; ++v) {
        lacks = lacks || (graph->values[v].type != ONNX_UNDEFINED && !graph->values[v].has_shape);
    }
    return lacks;
}

static bool refuses(const struct judging *j) {
    bool refuses = false;
    for (uint32_t n = 0; n < j->graph->node_count; ++n) {
        refuses = refuses || !j->verdicts[n].is_translated;
    }
    return refuses;
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
            verdicts[i].is_translated = verdicts[i].is_consistent = false;
            verdicts[i].reason = "the host computes it, and no node next to it runs on the device";
        }
    }
    return true;
}

bool onnx_judge_open(const struct onnx_model *model, const struct onnx_graph *graph, struct onnx_arena *arena,
                     struct onnx_judgement *judgement) {
    return onnx_find_sizes(model, graph, &usual, arena, judgement);
}

bool onnx_find_sizes(const struct onnx_model *model, const struct onnx_graph *graph,
                     const struct onnx_first_sizes *first, struct onnx_arena *arena,
                     struct onnx_judgement *judgement) {
    struct judging j = {.model = model, .graph = graph, .first = first, .arena = arena, .rank = ONNX_ASSUMED_RANK};
    j.left = BASE_TRANSLATIONS + (uint64_t)graph->node_count * TRANSLATIONS_PER_NODE;
    if (!allocate(&j) || !search(&j, true)) {
        return false;
    }
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        j.verdicts[n].is_consistent = j.is_good[n];
    }
    *judgement = (struct onnx_judgement){j.verdicts, j.open, j.assumed, j.host_limit};
    const bool has_ranks = !lacks_ranks(graph);
    j.assumed = onnx_allocate(arena, j.open.count, sizeof *j.assumed);
    for (bool done = j.assumed != NULL; !has_ranks && refuses(&j) && --j.rank != 0;) {
        if (!done || !search(&j, false)) {
            return false;
        }
    }
    return j.assumed != NULL && leave_lonely(graph, arena, j.verdicts);
}

const struct onnx_verdict *onnx_judge(const struct onnx_model *model, const struct onnx_graph *graph,
                                      struct onnx_arena *arena) {
    struct onnx_judgement judgement;
    return onnx_judge_open(model, graph, arena, &judgement) ? judgement.verdicts : NULL;
}
