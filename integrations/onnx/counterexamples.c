#include "onnx/probing.h"

/* Sizes that fit and do not meet a condition prove that it is none, or that a size is broadcast where it is 1. */
static void weaken(struct onnx_probing *p) {
    uint32_t kept = 0;
    bool meets = true;
    for (uint32_t i = 0; i < p->found_count; ++i) {
        meets = meets && onnx_condition_holds(&p->found[i], p->sizes);
    }
    const bool is_counterexample = !meets && onnx_probe(p);
    for (uint32_t i = 0; is_counterexample && i < p->found_count; ++i) {
        struct onnx_condition *condition = &p->found[i];
        if (!onnx_condition_holds(condition, p->sizes) && condition->kind == ONNX_EQUAL && condition->term_count != 0) {
            condition->may_be_one = condition->may_be_one || p->sizes[condition->number] == 1;
            condition->term_may_be_one =
                condition->term_may_be_one || (condition->term_count == 1 && p->sizes[condition->terms[0]] == 1);
        }
        if (onnx_condition_holds(condition, p->sizes)) {
            p->found[kept++] = *condition;
        }
    }
    p->found_count = is_counterexample ? kept : p->found_count;
}

static void try_equal_sizes(struct onnx_probing *p) {
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 30};
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        onnx_copy_base(p);
        for (uint32_t s = 0; s < p->count; ++s) {
            p->sizes[s] = sizes[i];
        }
        weaken(p);
    }
    for (uint32_t factor = 2; factor <= 3; ++factor) {
        onnx_copy_base(p);
        for (uint32_t s = 0; s < p->count; ++s) {
            p->sizes[s] *= factor;
        }
        weaken(p);
    }
}

/* Different sizes along different dimensions, counted from the first or from the last. One size may be 1. */
static void try_dimensions(struct onnx_probing *p, bool from_last, uint32_t one) {
    static const uint32_t primes[ONNX_MAX_RANK] = {2, 3, 5, 7, 11, 13, 17, 19};
    onnx_copy_base(p);
    for (uint32_t s = 0; s < p->count; ++s) {
        const struct onnx_open_size *size = &p->judgement->open.sizes[s];
        const uint32_t rank = p->graph->values[size->value].rank;
        const uint32_t d = from_last ? rank - 1 - size->dimension : size->dimension;
        p->sizes[s] = s == one ? 1 : primes[d % ONNX_MAX_RANK];
    }
    weaken(p);
}

/* One or two of the sizes that fit become others. */
static void try_pairs(struct onnx_probing *p) {
    static const uint32_t sizes[] = {1, 3};
    for (uint32_t i = 0; i < 2; ++i) {
        for (uint32_t s = 0; s < p->count; ++s) {
            for (uint32_t t = 0; t <= s; ++t) {
                onnx_copy_base(p);
                p->sizes[s] = p->sizes[t] = sizes[i];
                weaken(p);
            }
        }
    }
}

void onnx_try_counterexamples(struct onnx_probing *p) {
    onnx_copy_base(p);
    weaken(p);
    try_equal_sizes(p);
    for (uint32_t from_last = 0; from_last < 2; ++from_last) {
        try_dimensions(p, from_last != 0, ONNX_NONE);
        for (uint32_t s = 0; s < p->count; ++s) {
            try_dimensions(p, from_last != 0, s);
        }
    }
    try_pairs(p);
}
