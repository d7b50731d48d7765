/* Plans of the window kernels (glsl/neighbours/neighbours.glsl): each output element is made of several input elements
 * near its place, and of one at its own. */
#ifndef VKDML_FRAMES_NEIGHBOURS_NEIGHBOURS_H
#define VKDML_FRAMES_NEIGHBOURS_NEIGHBOURS_H

#include "base/report.h"
#include "frames/neighbours/scaling.h"
#include "kernels/blocks.h"
#include "plan/builder.h"
#include "plan/epilogue.h"
#include "tensor/tensor.h"

/* A dimension. Where it is not walked its coordinates count source_stride in the source. Where it is coordinate c
 * takes each step t below `taps` for which c + start - t * tap_step is a coordinate q, below source_size, times
 * source_step: the element at q * source_stride + t * tap_stride. No c + start exceeds 32 bits, and steps are 1 at
 * least; only source_step of pools may be 0. Where the elements are interpolated c lies between two coordinates q of a
 * source that is source_step times as small, or of one that is scaled (frames/neighbours/scaling.h); its taps are the
 * elements that it can take there. Of pools q is c * source_step + t * tap_step - start; the places of maxima are
 * counted by tap_stride, in any dimension. */
struct vkdml_neighbours_dimension {
    uint32_t size; /* of the target */
    uint32_t source_stride;
    uint32_t own_stride;
    uint32_t target_stride;
    bool is_walked; /* at most 6 are; of what is NEAREST 4, LINEAR 2, AVERAGE 1 */
    uint32_t start;
    uint32_t taps;
    uint32_t tap_step;
    uint32_t tap_stride;
    uint32_t skipped; /* of a gradient's small windows: the first taps, which get nothing */
    uint32_t source_size;
    uint32_t source_step;
    bool is_scaled; /* of what is interpolated all dimensions that are walked, or none */
    struct vkdml_scaling scaling;
    uint32_t operand_stride; /* of an epilogue's operand: set by vkdml_neighbours_plan() */
};

/* What an element is made of. */
enum vkdml_neighbours_kind {
    VKDML_NEIGHBOURS_SUM,
    VKDML_NEIGHBOURS_LINEAR,  /* of the two around its place, by their nearness */
    VKDML_NEIGHBOURS_NEAREST, /* of one, bit for bit; of dimensions that are scaled */
    VKDML_NEIGHBOURS_AVERAGE, /* of all that are less than 1 / scale away, by their nearness; of such too */
};

#define VKDML_NEIGHBOURS_WALKS 6

struct vkdml_neighbours {
    enum vkdml_neighbours_kind kind;
    bool squares; /* sums those of elements */
    enum vkdml_pool pool;
    enum vkdml_pool_ending ending;
    bool has_places; /* of maxima, which go where own is: UINT32 or UINT64, all bits where a box has no element */
    bool is_rest;    /* of a pool: the source is sums, which lie as own_stride says */
    enum vkdml_neighbours_finish finish;
    uint32_t arguments[3];
    struct vkdml_origin source;
    struct vkdml_origin own; /* of NORMALIZED */
    struct vkdml_origin target;
    const struct vkdml_epilogue *epilogue; /* that vkdml_neighbours_takes(), of the dimensions' sizes; NULL: none */
    uint32_t count;
    struct vkdml_neighbours_dimension dimensions[VKDML_MAX_DIMENSIONS];
};

/* Whether an epilogue may become of the results: of pools and sums of floats, whose tensors can all be bound whole,
 * what vkdml_epilogue_is_short() says; of sums that are no pool functions of sums, products and choices alone. It
 * changes nothing else of a plan, so not a bit of results before it. */
bool vkdml_neighbours_takes(const struct vkdml_neighbours *neighbours, const struct vkdml_epilogue *epilogue,
                            const struct vkdml_plan_limits *limits);

/* Adds the steps: one where all tensors can be bound whole, else one for each part, and where not even the elements of
 * one sum can be bound together such as add up sums in the temporary resource. */
VkdmlResult vkdml_neighbours_plan(const struct vkdml_neighbours *neighbours, struct vkdml_builder *builder);

#endif
