/* Boxes of coordinates, and their covering: what a device cannot bind whole is cut into boxes that it can. */
#ifndef VKDML_PLAN_BOXES_H
#define VKDML_PLAN_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/report.h"
#include "plan/builder.h"

/* More than tensors have: a frame may split dimensions. */
#define VKDML_MAX_BOX_RANK 16

/* A run of coordinates in each dimension. */
struct vkdml_box {
    uint32_t origin[VKDML_MAX_BOX_RANK];
    uint32_t size[VKDML_MAX_BOX_RANK];
};

/* The whole box of so many dimensions, whose sizes lie `stride` bytes apart. */
struct vkdml_box vkdml_box_of(uint32_t rank, const uint32_t *sizes, size_t stride);

/* Elements [first, first + count) of a tensor's memory; count 0: none. */
struct vkdml_span {
    uint64_t first;
    uint64_t count;
};

/* What is bound of a tensor: bytes, from a multiple of 4 to a multiple of 4. */
struct vkdml_window {
    uint64_t offset;
    uint64_t size;
    uint32_t lead; /* elements between offset and the first that is used */
};

/* A span as whole words; bits: of an element. */
struct vkdml_window vkdml_window_of(struct vkdml_span span, uint32_t bits);

/* What is to be covered: tensors of a frame, each of which has a window in every box. */
struct vkdml_covering {
    void *context;
    uint32_t rank;
    uint32_t tensor_count;
    const struct vkdml_builder *builder;
    /* The bytes of a tensor's window, and whether they can be bound. */
    uint64_t (*bytes)(void *context, uint32_t tensor, const struct vkdml_box *box, bool *fits);
    /* How far a tensor reaches along a dimension of the box. */
    uint64_t (*reach)(void *context, uint32_t tensor, const struct vkdml_box *box, uint32_t dimension);
    /* Adds the step of a box all of whose windows can be bound. */
    VkdmlResult (*add)(void *context, const struct vkdml_box *box);
};

/* Adds a step for the box where all windows can be bound, else steps for parts of it. The first tensors are made to fit
 * first. VKDML_ERROR_LIMIT_EXCEEDED where there are more boxes than the plan may have steps. */
VkdmlResult vkdml_cover(const struct vkdml_covering *covering, const struct vkdml_box *box);

/* A rehearsal, where add() adds nothing but finds something out: until *is_over, or all is covered. NULL: no rehearsal.
 */
VkdmlResult vkdml_cover_until(const struct vkdml_covering *covering, const struct vkdml_box *box, const bool *is_over);

#endif
