/* Conditions on the open sizes of a graph: found by probing the rules around the sizes that a judgement assumes. Each
 * condition is on one open size of an input, and holds while the others fit. A condition that depends on other sizes in
 * another way than by their sum is not found. */
#ifndef ONNX_CONDITIONS_H
#define ONNX_CONDITIONS_H

#include "onnx/judge.h"
#include "onnx/plan.h"

#define ONNX_MOST_TERMS 4

struct onnx_condition {
    uint32_t number; /* of the open size */
    uint32_t node;   /* that refuses other sizes */
    enum onnx_condition_kind {
        ONNX_AT_LEAST,
        ONNX_AT_MOST,
        ONNX_EQUAL,
        ONNX_MULTIPLE, /* size % bound = rest */
    } kind;
    int64_t bound; /* of the size, minus the open sizes in `terms` */
    uint32_t rest;
    uint32_t term_count, terms[ONNX_MOST_TERMS];
    bool may_be_one, term_may_be_one; /* else of an equality: the size, or its only term, may be 1, and is broadcast */
};

/* The conditions, in the order of the open sizes. They are the arena's. The number of translations is bounded as that
 * of onnx_judge() is; conditions that are not found by then are missing. False: out of memory. */
bool onnx_find_conditions(const struct onnx_model *model, const struct onnx_graph *graph, struct onnx_arena *arena,
                          const struct onnx_judgement *judgement, const struct onnx_condition **conditions,
                          uint32_t *count);

/* Whether sizes meet a condition: one for each open size. */
bool onnx_condition_holds(const struct onnx_condition *condition, const uint32_t *sizes);

/* 'length' >= 512, for example. */
struct onnx_condition_text {
    char text[512];
};
struct onnx_condition_text onnx_condition_text(const struct onnx_condition *condition,
                                               const struct onnx_open_sizes *open, const struct onnx_graph *graph);

/* Adds the condition that sizes of inputs do not meet to the reason for which planning them failed, if there is one.
 * Returns false. */
bool onnx_explain_sizes(const struct onnx_model *model, const struct onnx_graph *graph, uint32_t input_count,
                        const struct onnx_plan_input *inputs, struct onnx_error *error);

#endif
