/* Elements and sizes of inputs that a plan holds for a range of. */
#include "onnx/plan_parts.h"

static bool read_one(const struct onnx_plan_input *input, int64_t *value) {
    return input->data != NULL && onnx_elements(input->rank, input->sizes) == 1 &&
           onnx_read_int(input->type, input->data, 0, value);
}

static bool is_within(int64_t value, const struct onnx_range *range) {
    return value >= range->least && value <= range->most;
}

/* A range of a size plus a number is a range of the size. */
static bool narrow_size(struct onnx_plan *plan, const struct onnx_size_element *size, const struct onnx_range *range) {
    struct onnx_open_size *open = &plan->open[size->input];
    const int64_t now = plan->inputs[size->input].sizes[open->dimension];
    if (size->scale != 1 || !is_within(now + size->bias, range)) {
        return false;
    }
    open->least = open->least > range->least - size->bias ? open->least : range->least - size->bias;
    open->most = open->most < range->most - size->bias ? open->most : range->most - size->bias;
    return true;
}

bool onnx_is_within(const struct onnx_call *call, uint32_t index, int64_t least, int64_t most) {
    struct onnx_plan *plan = call->plan;
    const struct onnx_tensor *tensor = onnx_input(call, index);
    const struct onnx_range range = {true, least, most};
    int64_t value;
    if (tensor == NULL || onnx_count(tensor) != 1) {
        return false;
    }
    if (tensor->data != NULL) {
        return onnx_read_int(tensor->type, tensor->data, 0, &value) && is_within(value, &range);
    }
    struct onnx_size_element size;
    if (onnx_read_size(plan, tensor, &size)) {
        return narrow_size(plan, &size, &range);
    }
    const struct onnx_source *source = &plan->sources[tensor->source];
    if (plan->inputs == NULL || source->kind != ONNX_SOURCE_INPUT || source->number >= plan->input_count ||
        tensor->type != plan->inputs[source->number].type || !read_one(&plan->inputs[source->number], &value) ||
        !is_within(value, &range)) {
        return false;
    }
    struct onnx_range *own = &plan->ranges[source->number];
    own->least = own->is_set && own->least > least ? own->least : least;
    own->most = own->is_set && own->most < most ? own->most : most;
    own->is_set = true;
    return true;
}

bool onnx_plan_has_range(const struct onnx_plan *plan, uint32_t input) {
    return plan->ranges[input].is_set;
}

bool onnx_plan_holds(const struct onnx_plan *plan, const struct onnx_plan_input *inputs) {
    for (uint32_t i = 0; i < plan->input_count; ++i) {
        int64_t value;
        const struct onnx_open_size *open = &plan->open[i];
        if (open->is_open &&
            (inputs[i].sizes[open->dimension] < open->least || inputs[i].sizes[open->dimension] > open->most)) {
            return false;
        }
        if (plan->ranges[i].is_set && !(read_one(&inputs[i], &value) && is_within(value, &plan->ranges[i]))) {
            return false;
        }
    }
    return true;
}
