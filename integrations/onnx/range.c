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
    struct onnx_growing_size *growing = &plan->growing[size->input];
    const int64_t now = plan->inputs[size->input].sizes[growing->dimension];
    if (size->scale != 1 || !is_within(now + size->bias, range)) {
        return false;
    }
    growing->least = growing->least > range->least - size->bias ? growing->least : range->least - size->bias;
    growing->most = growing->most < range->most - size->bias ? growing->most : range->most - size->bias;
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

static int64_t size_of(const struct onnx_plan *plan, const struct onnx_plan_input *inputs, uint32_t input) {
    return inputs[input].sizes[plan->growing[input].dimension];
}

bool onnx_relate_sizes(struct onnx_plan *plan, uint32_t input, uint32_t of, int64_t added) {
    if (size_of(plan, plan->inputs, input) != size_of(plan, plan->inputs, of) + added) {
        return false;
    }
    bool is_known = input == of;
    for (const struct onnx_size_relation *r = plan->relations; r != NULL && !is_known; r = r->next) {
        is_known = r->input == input && r->of == of && r->added == added;
    }
    if (is_known) {
        return true;
    }
    struct onnx_size_relation *relation = onnx_allocate(&plan->arena, 1, sizeof *relation);
    if (relation == NULL) {
        return false;
    }
    *relation = (struct onnx_size_relation){input, of, added, plan->relations};
    plan->relations = relation;
    return true;
}

bool onnx_narrow_size(const struct onnx_call *call, const struct onnx_size_element *size, int64_t least,
                      int64_t most) {
    return narrow_size(call->plan, size, &(struct onnx_range){true, least, most});
}

bool onnx_is_growing_sum(const struct onnx_call *call, uint32_t index, const struct onnx_tensor *tensor,
                         uint32_t added) {
    struct onnx_size_element sum;
    return tensor->growing != NULL && onnx_read_size(call->plan, onnx_input(call, index), &sum) && sum.scale == 1 &&
           onnx_relate_sizes(call->plan, sum.input, tensor->growing->input,
                             (int64_t)tensor->growing->added + added - sum.bias);
}

bool onnx_grow_alike(const struct onnx_call *call, const struct onnx_tensor *a, const struct onnx_tensor *b) {
    return a->growing != NULL && b->growing != NULL && a->growing->dimension == b->growing->dimension &&
           onnx_relate_sizes(call->plan, a->growing->input, b->growing->input,
                             (int64_t)b->growing->added - a->growing->added);
}

bool onnx_plan_has_range(const struct onnx_plan *plan, uint32_t input) {
    return plan->ranges[input].is_set;
}

bool onnx_plan_holds(const struct onnx_plan *plan, const struct onnx_plan_input *inputs) {
    for (uint32_t i = 0; i < plan->input_count; ++i) {
        int64_t value;
        const struct onnx_growing_size *growing = &plan->growing[i];
        if (growing->is_growing &&
            (size_of(plan, inputs, i) < growing->least || size_of(plan, inputs, i) > growing->most)) {
            return false;
        }
        if (plan->ranges[i].is_set && !(read_one(&inputs[i], &value) && is_within(value, &plan->ranges[i]))) {
            return false;
        }
    }
    for (const struct onnx_size_relation *r = plan->relations; r != NULL; r = r->next) {
        if (size_of(plan, inputs, r->input) != size_of(plan, inputs, r->of) + r->added) {
            return false;
        }
    }
    return true;
}
