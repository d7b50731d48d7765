/* Sizes to try for a node that the rules refuse. */
#ifndef ONNX_CANDIDATES_H
#define ONNX_CANDIDATES_H

#include "onnx/report.h"

/* A size for one or several of the open sizes that a node depends on. */
struct onnx_candidate {
    uint32_t number; /* of an open size; ONNX_NONE: those in the group */
    uint32_t size;
    uint64_t group;
    bool clears_others; /* the other ones become 1 */
};

struct onnx_candidates {
    struct onnx_candidate *all;
    uint32_t count;
};

/* The numbers of a node: sizes of its inputs; its integer attributes, and integers that inputs are known to have. */
#define ONNX_MOST_NUMBERS 32
struct onnx_node_numbers {
    uint32_t sizes[ONNX_MOST_NUMBERS], attributes[ONNX_MOST_NUMBERS];
    uint32_t size_count, attribute_count;
};
void onnx_read_numbers(const struct onnx_node_report *report, struct onnx_node_numbers *numbers);

/* What may fit in place of `assumed`, the most likely first: `fresh` has those in the mask that no node before depends
 * on, so they are free. The memory is the arena's. False: out of memory. */
bool onnx_find_candidates(const struct onnx_node_numbers *numbers, const struct onnx_open_sizes *open, uint64_t mask,
                          uint64_t fresh, const uint32_t *assumed, struct onnx_arena *arena,
                          struct onnx_candidates *candidates);

/* The sizes that a candidate stands for, of those in the mask. */
void onnx_apply_candidate(const struct onnx_candidate *candidate, const struct onnx_open_sizes *open, uint64_t mask,
                          const uint32_t *assumed, uint32_t *sizes);

#endif
