/* What a part of an attention takes of its tensors. */
#ifndef VKDML_FRAMES_ATTENTION_ATTENTION_TENSORS_H
#define VKDML_FRAMES_ATTENTION_ATTENTION_TENSORS_H

#include "frames/attention/attention.h"
#include "plan/boxes.h"

/* Batches, heads, groups and queries of it; keys are all there. */
struct vkdml_attention_part {
    struct vkdml_box box;
    uint32_t share_count; /* of keys */
    uint32_t out_share;   /* between their sums, in elements */
    bool to_sums;         /* the output is sums */
    bool joins;           /* queries are such sums */
    bool is_together;     /* queries, keys and values lie in one region, those of a head side by side */
    bool out_has_runs;    /* of a general plan: fours of the output, which may not be this part's, are one store */
};

/* Of a share's sums: the greatest score, the sum of weights, and what pads them. */
#define VKDML_ATTENTION_SUMS_FIRST 4

/* The elements that a part takes of a tensor. */
struct vkdml_span vkdml_attention_span(const struct vkdml_attention *attention, const struct vkdml_attention_part *part,
                                       uint32_t t);

/* What a part binds of it. */
struct vkdml_window vkdml_attention_window(const struct vkdml_attention *attention,
                                           const struct vkdml_attention_part *part, uint32_t t);

/* Whether so many elements are always one load, or store: they begin at multiples of their bytes. In a general plan
 * whatever sizes are 1. */
bool vkdml_attention_has_runs(const struct vkdml_attention *attention, const struct vkdml_attention_part *part,
                              uint32_t t, uint32_t elements, const struct vkdml_plan_limits *limits);

#endif
