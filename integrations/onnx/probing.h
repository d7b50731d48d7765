/* Tries sizes around those that fit, to find conditions; for conditions.c and the files that it consists of. */
#ifndef ONNX_PROBING_H
#define ONNX_PROBING_H

#include "onnx/conditions.h"

#define ONNX_MOST_PROBED         16 /* open sizes */
#define ONNX_CONDITIONS_PER_SIZE 4  /* at most: a multiple or an equality, two bounds, and a sum */

struct onnx_probing {
    const struct onnx_model *model;
    const struct onnx_graph *graph;
    const struct onnx_judgement *judgement;
    uint32_t count;                               /* of open sizes that are probed */
    const uint32_t *base;                         /* sizes that fit */
    uint32_t *sizes;                              /* those that are tried */
    bool moves[ONNX_MOST_PROBED];                 /* the sizes that change together: one, and those that must follow */
    bool stays[ONNX_MOST_PROBED];                 /* sizes that cannot grow by 1 alone */
    struct onnx_condition sums[ONNX_MOST_PROBED]; /* of sizes that follow others; no terms: of none */
    struct onnx_condition *found;
    uint32_t found_count;
    bool is_refused;   /* what was tried last */
    uint32_t refusing; /* by this node; ONNX_NONE: by none, or for the memory that planning takes */
    bool ends, is_out; /* of memory */
    uint64_t left;     /* translations */
};

/* Whether the sizes fit that are tried. False too if memory or the translations that probing may take run out. */
bool onnx_probe(struct onnx_probing *p);

/* Sets the sizes that are tried: to the base, or with those that move changed by a difference. */
void onnx_move_sizes(struct onnx_probing *p, int64_t difference);
void onnx_copy_base(struct onnx_probing *p);

/* Whether the base fits with such a change. */
bool onnx_probe_moved(struct onnx_probing *p, int64_t difference);

/* Drops conditions that some sizes do not meet that fit, or finds that they allow 1. */
void onnx_try_counterexamples(struct onnx_probing *p);

#endif
