/* Which nodes of a graph can be translated, before it runs, and why others cannot. */
#ifndef ONNX_JUDGE_H
#define ONNX_JUDGE_H

#include "onnx/error.h"
#include "onnx/graph.h"

struct onnx_verdict {
    bool is_translated;
    bool is_assumed;    /* for sizes that are not said, or elements that are known only when it runs */
    const char *reason; /* why it is not translated, else NULL */
};

/* Judges each node by itself: one that is refused stands in nobody's way but where sizes of its outputs are not said.
 * Sizes that the model does not say are taken to be large, as a picture's, and then 1, which broadcasts; what nodes
 * with bodies make may be of a rank that is not said, for which 1 to 4 are taken: what is translated for any of these
 * is taken to be. Verdicts and their texts are the arena's; NULL: memory is out. */
const struct onnx_verdict *onnx_judge(const struct onnx_model *model, const struct onnx_graph *graph,
                                      struct onnx_arena *arena);

#endif
