#include "model/shape.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/element.h"
#include "model/npy.h"

/* Dimensions of more than one element, from the outermost in memory on. */
struct layout {
    uint32_t count;
    uint64_t sizes[NPY_MAX_DIMENSIONS];
};

static void add_size(struct layout *layout, uint64_t size) {
    if (size != 1 && layout->count < NPY_MAX_DIMENSIONS) {
        layout->sizes[layout->count++] = size;
    }
}

static struct layout layout_of_file(const struct resource *resource) {
    struct layout layout = {0};
    for (uint32_t i = 0; i < resource->dimension_count; i++) {
        add_size(&layout, resource->dimensions[i]);
    }
    return layout;
}

/* False where elements do not lie side by side. A dimension with stride 0 takes no memory. */
static bool layout_of_tensor(const DML_BUFFER_TENSOR_DESC *tensor, struct layout *layout) {
    const struct compare_shape shape = compare_shape_of_tensor(tensor);
    uint64_t inner = UINT64_MAX; /* stride of the dimension before */
    uint64_t count = 1;
    *layout = (struct layout){0};
    for (uint32_t i = 0; i < shape.dimension_count; i++) {
        count *= shape.strides[i] == 0 ? 1 : shape.sizes[i];
    }
    for (;;) {
        uint32_t next = shape.dimension_count;
        for (uint32_t i = 0; i < shape.dimension_count; i++) {
            if (shape.sizes[i] > 1 && shape.strides[i] > 0 && shape.strides[i] < inner &&
                (next == shape.dimension_count || shape.strides[i] > shape.strides[next])) {
                next = i;
            }
        }
        if (next == shape.dimension_count) {
            return count == 1;
        }
        inner = shape.strides[next];
        if (count % shape.sizes[next] != 0 || inner != count / shape.sizes[next]) {
            return false;
        }
        count = inner;
        add_size(layout, shape.sizes[next]);
    }
}

static bool same_layout(const struct layout *a, const struct layout *b) {
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++) {
        same = a->sizes[i] == b->sizes[i];
    }
    return same;
}

/* Room for the sizes of any .npy file: 20 digits and ", " each. */
#define SIZES_TEXT_SIZE (NPY_MAX_DIMENSIONS * 22 + 1)

static void print_sizes(uint32_t count, const uint64_t *sizes, char text[SIZES_TEXT_SIZE]) {
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, SIZES_TEXT_SIZE - used, "%s%" PRIu64, i ? ", " : "", sizes[i]);
    }
}

void shape_check(const struct model *model, struct resource *resource, const DML_BUFFER_TENSOR_DESC *tensor,
                 const struct json_object *where, const char *owner) {
    struct layout layout;
    if (!resource->dimensions || resource->shape_checked) {
        return;
    }
    resource->shape_checked = true;
    if (tensor->DataType != resource->type) {
        document_warning(&model->document, where,
                         "%s is of type %s, '%s' comes from a .npy file of %s: its bytes are taken as they are", owner,
                         element_type_name(tensor->DataType), resource->name, element_type_name(resource->type));
        return;
    }
    const struct layout of_file = layout_of_file(resource);
    if (!layout_of_tensor(tensor, &layout) || same_layout(&layout, &of_file)) {
        return;
    }
    const struct compare_shape shape = compare_shape_of_tensor(tensor);
    char file_sizes[SIZES_TEXT_SIZE];
    char tensor_sizes[SIZES_TEXT_SIZE];
    print_sizes(resource->dimension_count, resource->dimensions, file_sizes);
    print_sizes(shape.dimension_count, shape.sizes, tensor_sizes);
    document_warning(&model->document, where,
                     "%s has sizes [%s], '%s' comes from a .npy file of shape (%s): its elements are taken in their "
                     "order",
                     owner, tensor_sizes, resource->name, file_sizes);
}
