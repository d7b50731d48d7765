/* Tensors as frames see them, wherever they lie. */
#ifndef VKDML_PLAN_VIEW_H
#define VKDML_PLAN_VIEW_H

#include "plan/plan.h"
#include "tensor/tensor.h"

/* Where elements begin and what they are: of an input, an output, or a region of the temporary or persistent resource.
 * Frames that walk several tensors at once keep an origin of each and their strides beside one another. */
struct vkdml_origin {
    enum vkdml_plan_resource resource;
    uint32_t index;
    uint64_t offset;           /* bytes from where the resource begins, a multiple of 16 */
    uint64_t first;            /* elements from there to the first one */
    DML_TENSOR_DATA_TYPE type; /* UNKNOWN: there is no tensor */
};

/* A tensor that a frame reads or writes. */
struct vkdml_view {
    struct vkdml_origin at;
    uint32_t rank;
    uint32_t sizes[VKDML_MAX_DIMENSIONS];
    uint32_t strides[VKDML_MAX_DIMENSIONS]; /* in elements */
};

/* Tensor `index` of the inputs or of the outputs, whole; of an absent one a view of no tensor. */
struct vkdml_view vkdml_view_input(const struct vkdml_tensor *tensor, uint32_t index);
struct vkdml_view vkdml_view_output(const struct vkdml_tensor *tensor, uint32_t index);

bool vkdml_view_exists(const struct vkdml_view *view);

/* Of an element. */
uint32_t vkdml_view_bits(const struct vkdml_view *view);

/* The bytes that its elements lie in, from its offset on, rounded up to 4. */
uint64_t vkdml_view_span(const struct vkdml_view *view);

/* Elements: at most 2^32-1. */
uint32_t vkdml_view_elements(const struct vkdml_view *view);

/* Packed: the same sizes and order of dimensions, side by side; what differs is left as it is. */
void vkdml_view_pack(struct vkdml_view *view);

/* What a step binds of it: bytes [offset, offset + size) from an origin's offset on. */
struct vkdml_plan_buffer vkdml_origin_buffer(const struct vkdml_origin *origin, uint64_t offset, uint64_t size);

#endif
