#include "run/printed_shape.h"

#include <string.h>

/* The sizes of a tensor, if its elements are the resource's values in their order; else 0. */
static uint32_t tensor_sizes(const struct resource *resource, const DML_BUFFER_TENSOR_DESC *tensor,
                             uint64_t sizes[COMPARE_MAX_DIMENSIONS]) {
    const struct compare_shape shape = compare_shape_of_tensor(tensor);
    uint64_t count = 1;
    for (uint32_t i = shape.dimension_count; i-- > 0;) {
        if (shape.sizes[i] != 1 && shape.strides[i] != count) {
            return 0;
        }
        sizes[i] = shape.sizes[i];
        count *= shape.sizes[i];
    }
    return tensor->DataType == resource->type && count == resource->count ? shape.dimension_count : 0;
}

/* The same of the tensors of one kind that a dispatch binds. */
static uint32_t bound_sizes(const struct command *dispatch, VkdmlFieldKind kind, const struct resource *resource,
                            uint64_t sizes[COMPARE_MAX_DIMENSIONS]) {
    const struct dispatchable *dispatchable = dispatch->dispatchable;
    const bool input = kind == VKDML_FIELD_KIND_INPUT_TENSOR;
    const struct binding *bindings = input ? dispatch->inputs : dispatch->outputs;
    const uint32_t count = input ? dispatchable->input_count : dispatchable->output_count;
    uint32_t dimensions = 0;
    for (uint32_t i = 0; i < count && !dimensions; i++) {
        const struct model_tensor tensor = model_tensor(dispatchable, kind, i);
        if (tensor.desc && bindings[i].resource == resource && bindings[i].offset == resource->values_offset) {
            dimensions = tensor_sizes(resource, tensor.desc, sizes);
        }
    }
    return dimensions;
}

uint32_t printed_shape(const struct model *model, const struct command *command,
                       uint64_t sizes[COMPARE_MAX_DIMENSIONS]) {
    const struct resource *resource = command->resource;
    const size_t here = (size_t)(command - model->commands);
    uint32_t dimensions = 0;
    for (size_t step = 0; step < model->command_count && !dimensions; step++) {
        /* Backward from the command to the first, then forward from it to the last. */
        const struct command *other = &model->commands[step < here ? here - 1 - step : step];
        if (other->type == COMMAND_DISPATCH) {
            dimensions = bound_sizes(other, VKDML_FIELD_KIND_OUTPUT_TENSOR, resource, sizes);
            dimensions = dimensions ? dimensions : bound_sizes(other, VKDML_FIELD_KIND_INPUT_TENSOR, resource, sizes);
        }
    }
    if (!dimensions && resource->dimensions && resource->dimension_count <= COMPARE_MAX_DIMENSIONS) {
        dimensions = resource->dimension_count;
        memcpy(sizes, resource->dimensions, dimensions * sizeof(*sizes));
    }
    if (!dimensions) {
        dimensions = 1;
        sizes[0] = resource->count;
    }
    return dimensions;
}
