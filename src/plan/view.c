#include "plan/view.h"

#include <assert.h>
#include <string.h>

#include "base/checked.h"

static struct vkdml_view view_of(const struct vkdml_tensor *tensor, enum vkdml_plan_resource resource, uint32_t index) {
    struct vkdml_view view = {.at = {.resource = resource, .index = index, .type = DML_TENSOR_DATA_TYPE_UNKNOWN}};
    if (tensor->dimension_count != 0) {
        view.at.type = tensor->data_type;
        view.rank = tensor->dimension_count;
        memcpy(view.sizes, tensor->sizes, sizeof(view.sizes));
        memcpy(view.strides, tensor->strides, sizeof(view.strides));
    }
    return view;
}

struct vkdml_view vkdml_view_input(const struct vkdml_tensor *tensor, uint32_t index) {
    return view_of(tensor, VKDML_PLAN_INPUT, index);
}

struct vkdml_view vkdml_view_output(const struct vkdml_tensor *tensor, uint32_t index) {
    return view_of(tensor, VKDML_PLAN_OUTPUT, index);
}

bool vkdml_view_exists(const struct vkdml_view *view) {
    return view->at.type != DML_TENSOR_DATA_TYPE_UNKNOWN;
}

uint32_t vkdml_view_bits(const struct vkdml_view *view) {
    return vkdml_data_type_bits(view->at.type);
}

uint64_t vkdml_view_span(const struct vkdml_view *view) {
    uint64_t elements = view->at.first + 1; /* of a valid tensor, and of what it is a part of: no overflow */
    for (uint32_t d = 0; d < view->rank; ++d) {
        elements += (uint64_t)(view->sizes[d] - 1) * view->strides[d];
    }
    return (vkdml_bytes_of(elements, vkdml_view_bits(view)) + 3) & ~UINT64_C(3);
}

uint32_t vkdml_view_elements(const struct vkdml_view *view) {
    uint32_t elements = 1;
    for (uint32_t d = 0; d < view->rank; ++d) {
        elements *= view->sizes[d];
    }
    return elements;
}

/* The dimension, of those that have no stride yet, along which elements lie closest. */
static uint32_t innermost(const struct vkdml_view *view, uint32_t without) {
    uint32_t found = VKDML_MAX_DIMENSIONS;
    for (uint32_t d = 0; d < view->rank; ++d) {
        if ((without >> d & 1) != 0 && (found == VKDML_MAX_DIMENSIONS || view->strides[d] <= view->strides[found])) {
            found = d;
        }
    }
    assert(found < view->rank);
    return found;
}

void vkdml_view_pack(struct vkdml_view *view) {
    const struct vkdml_view before = *view;
    uint32_t without = (1u << view->rank) - 1;
    uint32_t stride = 1; /* at most 2^32-1 elements */
    while (without != 0) {
        const uint32_t d = innermost(&before, without);
        view->strides[d] = stride;
        stride *= view->sizes[d];
        without &= ~(1u << d);
    }
}

struct vkdml_plan_buffer vkdml_origin_buffer(const struct vkdml_origin *origin, uint64_t offset, uint64_t size) {
    return (struct vkdml_plan_buffer){origin->resource, origin->index, origin->offset + offset, size};
}
