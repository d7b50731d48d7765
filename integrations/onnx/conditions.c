#include "onnx/conditions.h"

#include <string.h>

#include "onnx/probing.h"

#define MOST_STEP  256   /* a size must be a multiple of at most this */
#define LARGE_SIZE 16384 /* greater bounds are not looked for: counts of elements have some for any model */

/* Translations of nodes that probing takes. */
#define BASE_TRANSLATIONS     UINT64_C(20000)
#define TRANSLATIONS_PER_NODE 60

static struct onnx_condition *add(struct onnx_probing *p, uint32_t number, enum onnx_condition_kind kind, int64_t bound,
                                  uint32_t node) {
    p->found[p->found_count] =
        (struct onnx_condition){.number = number, .node = node, .kind = kind, .bound = bound};
    return &p->found[p->found_count++];
}

static bool has_relation(const struct onnx_probing *p, uint32_t of, uint32_t to) {
    bool found = false;
    for (uint32_t i = 0; i < p->found_count; ++i) {
        for (uint32_t t = 0; p->found[i].number == of && t < p->found[i].term_count; ++t) {
            found = found || p->found[i].terms[t] == to;
        }
    }
    return found;
}

/* Whether sizes fit again that are one step beyond a bound, if two others change as well. */
static bool fits_with_two(struct onnx_probing *p, int64_t beyond, int64_t step) {
    for (uint32_t t = 0; t < p->count; ++t) {
        for (uint32_t u = 0; u < t; ++u) {
            if (p->moves[t] || p->moves[u] || p->base[t] + step < 1 || p->base[u] + step < 1) {
                continue;
            }
            onnx_move_sizes(p, beyond);
            p->sizes[t] = (uint32_t)(p->base[t] + step);
            p->sizes[u] = (uint32_t)(p->base[u] + step);
            if (onnx_probe(p)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether sizes fit again that are one step beyond a bound, if another size changes as well. */
static bool fits_beyond(struct onnx_probing *p, int64_t beyond, uint32_t other, int64_t difference) {
    if (p->base[other] + difference < 1) {
        return false;
    }
    onnx_move_sizes(p, beyond);
    p->sizes[other] = (uint32_t)(p->base[other] + difference);
    return onnx_probe(p);
}

/* A bound that was found, `good` steps from the base. It may depend on sums of others; if it depends on others in
 * another way, nothing is stated. */
static void add_bound(struct onnx_probing *p, uint32_t s, int64_t step, uint32_t good, uint32_t node) {
    const int64_t difference = step * good, beyond = difference + step;
    const enum onnx_condition_kind kind = step < 0 ? ONNX_AT_LEAST : ONNX_AT_MOST;
    struct onnx_condition condition = {.number = s, .node = node, .kind = kind, .bound = p->base[s] + difference};
    for (uint32_t t = 0; t < p->count; ++t) {
        if (p->moves[t]) {
            continue;
        }
        if (fits_beyond(p, beyond, t, step)) {
            if (condition.term_count == ONNX_MOST_TERMS || has_relation(p, t, s)) {
                return;
            }
            condition.terms[condition.term_count++] = t;
            condition.bound -= p->base[t];
        } else if (fits_beyond(p, beyond, t, -step) || fits_beyond(p, beyond, t, 1 - (int64_t)p->base[t])) {
            return;
        }
    }
    if ((condition.term_count != 0 || !fits_with_two(p, beyond, step)) && p->left != 0) {
        p->found[p->found_count++] = condition;
    }
}

/* Two sizes that follow a size: one node may refuse until both do. */
static bool find_two_followers(struct onnx_probing *p, uint32_t s) {
    for (uint32_t t = 0; t < p->count; ++t) {
        for (uint32_t u = 0; u < t; ++u) {
            memset(p->moves, 0, sizeof p->moves);
            p->moves[s] = p->moves[t] = p->moves[u] = true;
            if (t != s && u != s && p->stays[t] && p->stays[u] && onnx_probe_moved(p, 1)) {
                return true;
            }
        }
    }
    return false;
}

/* Sizes that follow a size: each lets a node fit that refuses without it. True if all nodes fit in the end. */
static bool find_followers(struct onnx_probing *p, uint32_t s) {
    uint32_t farthest = p->refusing;
    for (uint32_t follower_count = 0; follower_count < ONNX_MOST_TERMS; ++follower_count) {
        uint32_t best = ONNX_NONE;
        for (uint32_t t = 0; t < p->count; ++t) {
            if (p->moves[t] || !p->stays[t] || p->sums[t].term_count == ONNX_MOST_TERMS) {
                continue;
            }
            p->moves[t] = true;
            if (onnx_probe_moved(p, 1)) {
                return true;
            }
            if (p->refusing != ONNX_NONE && p->refusing > farthest) {
                best = t;
                farthest = p->refusing;
            }
            p->moves[t] = false;
        }
        if (best == ONNX_NONE) {
            break;
        }
        p->moves[best] = true;
    }
    if (find_two_followers(p, s)) {
        return true;
    }
    memset(p->moves, 0, sizeof p->moves);
    p->moves[s] = true;
    return false;
}

static void follow(struct onnx_probing *p, uint32_t s, uint32_t node) {
    for (uint32_t t = 0; t < p->count; ++t) {
        if (p->moves[t] && t != s) {
            struct onnx_condition *sum = &p->sums[t];
            *sum = sum->term_count != 0
                       ? *sum
                       : (struct onnx_condition){.number = t, .node = node, .kind = ONNX_EQUAL, .bound = p->base[t]};
            sum->terms[sum->term_count++] = s;
            sum->bound -= p->base[s];
        }
    }
}

/* A size that can shrink and not grow is at its bound, unless it can grow by more than 1. */
static uint32_t find_end(struct onnx_probing *p, uint32_t s, uint32_t node) {
    bool grows = false;
    for (uint32_t step = 2; !grows && step <= MOST_STEP; step *= 2) {
        grows = onnx_probe_moved(p, step) || onnx_probe_moved(p, step - 1);
    }
    if (grows || p->left == 0) {
        return 0;
    }
    add_bound(p, s, 1, 0, node);
    return 1;
}

/* The step by which a size, and those that follow it, may change; 0: by none. */
static uint32_t find_step(struct onnx_probing *p, uint32_t s) {
    memset(p->moves, 0, sizeof p->moves);
    p->moves[s] = true;
    if (!p->stays[s] || onnx_probe_moved(p, 1) || p->refusing == ONNX_NONE) {
        return !p->stays[s];
    }
    const uint32_t node = p->refusing;
    if (p->base[s] > 1 && onnx_probe_moved(p, -1)) {
        return find_end(p, s, node);
    }
    onnx_probe_moved(p, 1);
    if (find_followers(p, s)) {
        follow(p, s, node);
        return 1;
    }
    for (uint32_t step = 2; step <= MOST_STEP && p->left != 0; ++step) {
        if (onnx_probe_moved(p, step)) {
            add(p, s, ONNX_MULTIPLE, step, node)->rest = p->base[s] % step;
            return step;
        }
    }
    if (p->left != 0) {
        add(p, s, ONNX_EQUAL, p->base[s], node);
    }
    return 0;
}

/* Steps from the base in a direction up to `most` of them: how many fit. */
static uint32_t count_steps(struct onnx_probing *p, int64_t step, uint32_t most, uint32_t *node) {
    uint32_t good = 0, bad = most;
    if (most == 0 || onnx_probe_moved(p, step * most)) {
        return most;
    }
    *node = p->refusing;
    while (bad - good > 1 && p->left != 0) {
        const uint32_t middle = good + (bad - good) / 2;
        if (onnx_probe_moved(p, step * middle)) {
            good = middle;
        } else {
            bad = middle;
            *node = p->refusing;
        }
    }
    return good;
}

static void find_least(struct onnx_probing *p, uint32_t s, uint32_t step, uint32_t *least) {
    uint32_t smallest = p->base[s], node = ONNX_NONE;
    for (uint32_t t = 0; t < p->count; ++t) {
        smallest = p->moves[t] && p->base[t] < smallest ? p->base[t] : smallest;
    }
    const uint32_t most = (smallest - 1) / step, good = count_steps(p, -(int64_t)step, most, &node);
    *least = p->base[s] - good * step;
    if (good != most && p->left != 0 && node != ONNX_NONE) {
        add_bound(p, s, -(int64_t)step, good, node);
    }
}

static void find_most(struct onnx_probing *p, uint32_t s, uint32_t step) {
    uint32_t node = ONNX_NONE;
    bool is_known = p->base[s] >= LARGE_SIZE;
    for (uint32_t i = 0; i < p->found_count; ++i) {
        is_known = is_known || (p->found[i].number == s && p->found[i].kind == ONNX_AT_MOST);
    }
    if (is_known) {
        return;
    }
    const uint32_t most = (LARGE_SIZE - p->base[s]) / step, good = count_steps(p, step, most, &node);
    if (good != most && p->left != 0 && node != ONNX_NONE) {
        add_bound(p, s, step, good, node);
    }
}

/* Least sizes where they fit together: greater ones then exceed no count of elements so soon. */
static bool take_least(struct onnx_probing *p, const uint32_t *least, uint32_t *small) {
    memcpy(small, p->base, p->judgement->open.count * sizeof *small);
    memcpy(small, least, p->count * sizeof *small);
    for (uint32_t t = 0; t < p->count; ++t) {
        int64_t sum = p->sums[t].bound;
        for (uint32_t i = 0; i < p->sums[t].term_count; ++i) {
            sum += least[p->sums[t].terms[i]];
        }
        if (p->sums[t].term_count != 0 && sum < 1) {
            return false;
        }
        small[t] = p->sums[t].term_count == 0 ? small[t] : (uint32_t)sum;
    }
    memcpy(p->sizes, small, p->judgement->open.count * sizeof *small);
    return onnx_probe(p);
}

/* With how many others a size can change, if it cannot change alone. A sum can with each of its terms. */
static uint32_t count_partners(struct onnx_probing *p, uint32_t s) {
    uint32_t count = 0;
    memset(p->moves, 0, sizeof p->moves);
    p->moves[s] = true;
    p->stays[s] = !onnx_probe_moved(p, 1);
    for (uint32_t t = 0; p->stays[s] && t < p->count; ++t) {
        if (t != s) {
            p->moves[t] = true;
            count += onnx_probe_moved(p, 1);
            p->moves[t] = false;
        }
    }
    return count;
}

/* Terms before sums. */
static void sort(struct onnx_probing *p, uint32_t *order) {
    uint32_t partners[ONNX_MOST_PROBED];
    for (uint32_t s = 0; s < p->count; ++s) {
        uint32_t at = s;
        partners[s] = count_partners(p, s);
        for (; at != 0 && partners[order[at - 1]] > partners[s]; --at) {
            order[at] = order[at - 1];
        }
        order[at] = s;
    }
}

static bool is_number(const struct onnx_condition *condition) {
    return condition->kind == ONNX_EQUAL && condition->term_count == 0;
}

/* Whether sizes that are one number, each while the others are, can change together: two of them, or all, for which
 * `second` is ONNX_NONE. */
static bool are_related(struct onnx_probing *p, uint32_t first, uint32_t second) {
    const struct onnx_condition *a = &p->found[first], *b = second == ONNX_NONE ? NULL : &p->found[second];
    bool related = false;
    for (uint32_t change = 0; !related && change < 3; ++change) {
        onnx_copy_base(p);
        for (uint32_t i = 0; i < p->found_count; ++i) {
            const uint32_t s = p->found[i].number;
            if (is_number(&p->found[i]) && (b == NULL || i == first || i == second)) {
                p->sizes[s] = change == 0 ? 2 * p->base[s] : p->base[s] + 1;
            }
        }
        if (change == 2 && b != NULL && p->base[b->number] > 1) {
            p->sizes[b->number] = p->base[b->number] - 1;
        }
        related = p->sizes[a->number] != p->base[a->number] && onnx_probe(p);
    }
    return related;
}

/* A size whose value follows from others that cannot change alone either is not one number. Sizes with the same number
 * may have to be equal, in groups of any size: then nothing is stated. */
static void drop_related(struct onnx_probing *p) {
    bool drops[ONNX_CONDITIONS_PER_SIZE * ONNX_MOST_PROBED] = {false};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->found_count; ++i) {
        drops[i] = is_number(&p->found[i]) && (p->left == 0 || are_related(p, i, ONNX_NONE));
        for (uint32_t k = 0; is_number(&p->found[i]) && !drops[i] && k < p->found_count; ++k) {
            drops[i] = k != i && is_number(&p->found[k]) &&
                       (p->found[i].bound == p->found[k].bound || are_related(p, i, k));
        }
    }
    for (uint32_t i = 0; i < p->found_count; ++i) {
        if (!drops[i]) {
            p->found[kept++] = p->found[i];
        }
    }
    p->found_count = kept;
}

static void probe(struct onnx_probing *p, uint32_t *small) {
    uint32_t steps[ONNX_MOST_PROBED] = {0}, least[ONNX_MOST_PROBED], order[ONNX_MOST_PROBED];
    bool moves[ONNX_MOST_PROBED][ONNX_MOST_PROBED];
    sort(p, order);
    for (uint32_t i = 0; i < p->count; ++i) {
        const uint32_t s = order[i];
        least[s] = p->base[s];
        if (p->sums[s].term_count == 0) {
            steps[s] = find_step(p, s);
        }
        if (steps[s] != 0) {
            find_least(p, s, steps[s], &least[s]);
        }
        memcpy(moves[s], p->moves, sizeof moves[s]);
    }
    drop_related(p);
    if (!p->is_out && take_least(p, least, small)) {
        p->base = small;
    }
    for (uint32_t s = 0; s < p->count; ++s) {
        memcpy(p->moves, moves[s], sizeof moves[s]);
        if (steps[s] != 0 && p->left != 0) {
            find_most(p, s, steps[s]);
        }
        if (p->sums[s].term_count != 0) {
            p->found[p->found_count++] = p->sums[s];
        }
    }
}

bool onnx_find_conditions(const struct onnx_model *model, const struct onnx_graph *graph, struct onnx_arena *arena,
                          const struct onnx_judgement *judgement, const struct onnx_condition **conditions,
                          uint32_t *count) {
    const struct onnx_open_sizes *open = &judgement->open;
    struct onnx_probing p = {.model = model,
                        .graph = graph,
                        .judgement = judgement,
                        .count = open->input_count < ONNX_MOST_PROBED ? open->input_count : ONNX_MOST_PROBED,
                        .base = judgement->assumed};
    p.left = BASE_TRANSLATIONS + (uint64_t)graph->node_count * TRANSLATIONS_PER_NODE;
    p.sizes = onnx_allocate(arena, open->count, sizeof *p.sizes);
    uint32_t *small = onnx_allocate(arena, open->count, sizeof *small);
    p.found = onnx_allocate(arena, (size_t)p.count * ONNX_CONDITIONS_PER_SIZE, sizeof *p.found);
    if (p.sizes == NULL || small == NULL || p.found == NULL) {
        return false;
    }
    const uint64_t half = p.left / 2;
    p.left = half;
    probe(&p, small);
    p.left = half;
    p.base = judgement->assumed;
    onnx_try_counterexamples(&p);
    if (p.left == 0) {
        p.found_count = 0; /* what is found may not hold */
    }
    *conditions = p.found;
    *count = p.found_count;
    return !p.is_out;
}
