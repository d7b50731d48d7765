/* Which nodes of a graph can be translated, before it runs, and why others cannot. */
#ifndef ONNX_JUDGE_H
#define ONNX_JUDGE_H

#include "onnx/error.h"
#include "onnx/graph.h"
#include "onnx/open_sizes.h"

struct onnx_verdict {
    bool is_translated; /* for some sizes */
    bool is_consistent; /* it is also translated for the sizes that the judgement assumes for the whole graph */
    bool is_assumed;    /* the verdict depends on open sizes, or on elements that are known only when it runs */
    const char *reason; /* why it is not translated, else NULL */
};

/* The rank that is assumed first for outputs of nodes with bodies, if the model states none. */
#define ONNX_ASSUMED_RANK 4

/* Bytes that planning writes in the time of the translation of a node. */
#define ONNX_BYTES_PER_TRANSLATION 1024

/* The verdict on each node, and the open sizes that were assumed. */
struct onnx_judgement {
    const struct onnx_verdict *verdicts;
    struct onnx_open_sizes open;
    const uint32_t *assumed; /* of each open size */
    uint64_t host_limit;     /* for plans with other sizes: bytes, as in onnx_plan_options */
};

/* Judges each node by itself: a refused node only affects nodes that read its outputs, and only if the model does not
 * state their sizes.
 *
 * The rules decide about open sizes: the judge searches for sizes that they accept. It starts with one size for all. If
 * a node is refused, it tries sizes for what the node depends on: sizes of the node's other inputs, its attributes and
 * shapes that it reads, their sums and quotients, and powers of two up to 2^22. New sizes must not break a node before
 * it. So one set of sizes serves the whole graph if the search finds one. A node for which only other sizes are found
 * is claimed as well. The search stops after a number of translations that is proportional to the size of the graph.
 *
 * Outputs of nodes with bodies may have a rank that is not known, for which 4 down to 1 are tried.
 *
 * Verdicts and their texts are the arena's. False or NULL: out of memory. */
bool onnx_judge_open(const struct onnx_model *model, const struct onnx_graph *graph, struct onnx_arena *arena,
                     struct onnx_judgement *judgement);
const struct onnx_verdict *onnx_judge(const struct onnx_model *model, const struct onnx_graph *graph,
                                      struct onnx_arena *arena);

/* As onnx_judge_open(), with other sizes to begin with: `batch` for the first size of inputs that have two or more, the
 * other for all others. */
struct onnx_first_sizes {
    uint32_t batch, others;
};
bool onnx_find_sizes(const struct onnx_model *model, const struct onnx_graph *graph,
                     const struct onnx_first_sizes *first, struct onnx_arena *arena,
                     struct onnx_judgement *judgement);

#endif
