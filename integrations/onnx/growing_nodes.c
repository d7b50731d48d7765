/* Nodes that read tensors with a growing dimension, or shapes that are computed from growing sizes. A rule of the table
 * runs the operator's own translation on tensors of the capacity, and states which dimension of the results grows.
 * Elements that are not in use have no meaning unless is_zero says so; rules of operators that combine elements along
 * the growing dimension replace them first. A node without a rule, or whose rule does not cover it, makes the plan fix
 * the sizes. */
#include <math.h>
#include <string.h>

#include "onnx/operators/move.h"
#include "onnx/plan_parts.h"

#define MOST_SIZES 64

/* A call, and its inputs without growing dimensions. */
struct growing_node {
    const struct onnx_call *call;
    onnx_translation translate;
    struct onnx_tensor **plain;
};

typedef bool (*growing_rule)(const struct growing_node *node);

static const struct onnx_growing_dimension *growing_of(const struct growing_node *node, uint32_t input) {
    const struct onnx_tensor *tensor = onnx_input(node->call, input);
    return tensor == NULL ? NULL : tensor->growing;
}

static struct onnx_size_element size_of(const struct onnx_growing_dimension *growing) {
    return (struct onnx_size_element){growing->input, 1, growing->added};
}

static bool is_growing(const struct onnx_size_element *size) {
    return size->input != ONNX_NONE;
}

/* Inputs whose growing sizes the node reads. */
static uint64_t find_inputs(const struct onnx_call *call) {
    uint64_t inputs = 0;
    for (uint32_t i = 0; i < call->input_count; ++i) {
        const struct onnx_tensor *input = onnx_input(call, i);
        inputs |= input == NULL || input->growing == NULL ? 0 : onnx_bit_of(input->growing->input);
        inputs |= input == NULL || input->source == ONNX_NONE ? 0 : call->plan->sources[input->source].of_sizes;
    }
    return inputs;
}

/* Makes the plan fix what the node reads. */
static bool fix(const struct onnx_call *call) {
    const uint64_t inputs = find_inputs(call);
    return inputs == 0 ? onnx_refuse(call, "sizes that the plan does not fix") : onnx_fix_sizes(call, inputs);
}

static bool run(const struct growing_node *node) {
    struct onnx_call plain = *node->call;
    plain.inputs = node->plain;
    return node->translate(&plain);
}

static bool mark(const struct growing_node *node, uint32_t output, uint32_t dimension,
                 const struct onnx_size_element *size, bool is_zero) {
    struct onnx_tensor **made = &node->call->outputs[output];
    if (*made == NULL) {
        return true;
    }
    if (dimension >= (*made)->rank || (*made)->sizes[dimension] != onnx_capacity(node->call, size)) {
        return fix(node->call);
    }
    if (!onnx_has_room(node->call, size)) {
        return false;
    }
    *made = onnx_with_growing(node->call, *made, dimension, size, is_zero);
    return *made != NULL;
}

/* No input but those in `inputs` grows. */
static bool grows_only(const struct growing_node *node, uint32_t inputs) {
    bool is_so = true;
    for (uint32_t i = 0; i < node->call->input_count; ++i) {
        is_so = is_so && (growing_of(node, i) == NULL || (i < 32 && (inputs >> i & 1) != 0));
    }
    return is_so;
}

/* ---- the same dimension of each result ---- */

static bool keep_dimension(const struct growing_node *node, bool is_zero) {
    const struct onnx_growing_dimension *growing = growing_of(node, 0);
    if (growing == NULL || !grows_only(node, 1)) {
        return fix(node->call);
    }
    const struct onnx_size_element size = size_of(growing);
    bool done = run(node);
    for (uint32_t o = 0; done && o < node->call->output_count; ++o) {
        done = mark(node, o, growing->dimension, &size, is_zero && growing->is_zero);
    }
    return done;
}

/* 0 stays 0. */
static bool convert(const struct growing_node *node) {
    return keep_dimension(node, true);
}

static bool apply(const struct growing_node *node) {
    return keep_dimension(node, false);
}

/* An attribute that is an axis of input 0; ONNX_NONE: none. */
static uint32_t axis_of(const struct growing_node *node, int64_t otherwise) {
    const int64_t rank = node->plain[0]->rank;
    int64_t axis = onnx_int(node->call, "axis", otherwise);
    axis += axis < 0 ? rank : 0;
    return axis < 0 || axis >= rank ? ONNX_NONE : (uint32_t)axis;
}

static bool split(const struct growing_node *node) {
    const struct onnx_growing_dimension *growing = growing_of(node, 0);
    return growing == NULL || axis_of(node, 0) == growing->dimension ? fix(node->call) : keep_dimension(node, true);
}

/* Sums of the elements before depend on nothing after them. */
static bool cumulate(const struct growing_node *node) {
    return onnx_int(node->call, "reverse", 0) != 0 ? fix(node->call) : keep_dimension(node, false);
}

static bool normalize(const struct growing_node *node, bool is_zero) {
    const struct onnx_growing_dimension *growing = growing_of(node, 0);
    const bool is_old = node->call->node->version < 13;
    if (growing == NULL) {
        return fix(node->call);
    }
    const uint32_t axis = axis_of(node, is_old ? 1 : -1);
    if (is_old ? growing->dimension < axis : growing->dimension != axis) {
        return keep_dimension(node, false);
    }
    const struct onnx_size_element size = size_of(growing);
    node->plain[0] = onnx_fill_unused(node->call, onnx_input(node->call, 0), -(double)INFINITY);
    return node->plain[0] != NULL && run(node) && mark(node, 0, growing->dimension, &size, is_zero);
}

static bool softmax(const struct growing_node *node) {
    return normalize(node, true);
}

static bool log_softmax(const struct growing_node *node) {
    return normalize(node, false);
}

/* ---- element by element ---- */

static bool combine(const struct growing_node *node) {
    const struct onnx_call *call = node->call;
    struct onnx_size_element size = {ONNX_NONE, 0, 0};
    uint32_t from_end = 0, rank = 0;
    for (uint32_t i = 0; i < call->input_count; ++i) {
        const struct onnx_growing_dimension *growing = growing_of(node, i);
        rank = node->plain[i] != NULL && node->plain[i]->rank > rank ? node->plain[i]->rank : rank;
        if (growing == NULL) {
            continue;
        }
        const uint32_t behind = node->plain[i]->rank - growing->dimension;
        if (is_growing(&size) &&
            (size.input != growing->input || size.bias != growing->added || from_end != behind)) {
            return fix(call);
        }
        size = size_of(growing);
        from_end = behind;
    }
    for (uint32_t i = 0; i < call->input_count; ++i) {
        const struct onnx_tensor *plain = node->plain[i];
        if (growing_of(node, i) == NULL && plain != NULL && plain->rank >= from_end &&
            plain->sizes[plain->rank - from_end] != 1) {
            return fix(call);
        }
    }
    return run(node) && mark(node, 0, rank - from_end, &size, false);
}

/* ---- views ---- */

/* Integers of an input, known or computed from sizes. */
struct sizes {
    uint32_t count;
    struct onnx_size_element elements[MOST_SIZES];
};

static bool read_sizes(const struct growing_node *node, uint32_t input, struct sizes *sizes) {
    return growing_of(node, input) == NULL &&
           onnx_read_size_vector(node->call, input, &sizes->count, sizes->elements, MOST_SIZES);
}

static bool is_linear(const struct onnx_size_element *size) {
    return !is_growing(size) || size->scale == 1;
}

/* The growing element of a shape, of which there is one at most; ONNX_NONE: none. */
static bool find_growing(const struct sizes *sizes, uint32_t *found) {
    *found = ONNX_NONE;
    for (uint32_t i = 0; i < sizes->count; ++i) {
        const struct onnx_size_element *size = &sizes->elements[i];
        if (is_growing(size) && (*found != ONNX_NONE || !is_linear(size))) {
            return false;
        }
        *found = is_growing(size) ? i : *found;
    }
    return true;
}

/* Replaces an input by a constant, of the capacity where a size grows. */
static bool set_capacities(const struct growing_node *node, uint32_t input, const struct sizes *sizes) {
    int64_t values[MOST_SIZES] = {0};
    for (uint32_t i = 0; i < sizes->count; ++i) {
        const struct onnx_size_element *size = &sizes->elements[i];
        values[i] = is_growing(size) ? onnx_capacity(node->call, size) : size->bias;
    }
    node->plain[input] = onnx_constant(node->call, ONNX_INT64, 1, &sizes->count, values);
    return node->plain[input] != NULL;
}

/* The dimension of a result of the same elements in the same order that is one of `from`; ONNX_NONE: none is. */
static uint32_t find_dimension(const struct onnx_tensor *from, uint32_t dimension, const struct onnx_tensor *to) {
    const uint64_t before = onnx_elements(dimension, from->sizes);
    for (uint32_t d = 0; d < to->rank; ++d) {
        if (to->sizes[d] == from->sizes[dimension] && onnx_elements(d, to->sizes) == before) {
            return d;
        }
    }
    return ONNX_NONE;
}

/* Reshape, Unsqueeze, Squeeze and Flatten. */
static bool view(const struct growing_node *node) {
    const struct onnx_growing_dimension *growing = growing_of(node, 0);
    struct sizes sizes;
    uint32_t which = ONNX_NONE;
    if (growing == NULL || !grows_only(node, 1)) {
        return fix(node->call);
    }
    const struct onnx_size_element size = size_of(growing);
    const bool has_shape = strcmp(node->call->node->op, "Reshape") == 0 && node->call->input_count > 1;
    if (has_shape && (!read_sizes(node, 1, &sizes) || !find_growing(&sizes, &which))) {
        return fix(node->call);
    }
    if (which != ONNX_NONE &&
        (sizes.elements[which].input != size.input || sizes.elements[which].bias != size.bias)) {
        return fix(node->call);
    }
    if ((has_shape && !set_capacities(node, 1, &sizes)) || !run(node) || node->call->outputs[0] == NULL) {
        return false;
    }
    const uint32_t found = find_dimension(node->plain[0], growing->dimension, node->call->outputs[0]);
    return found == ONNX_NONE || (which != ONNX_NONE && which != found)
               ? fix(node->call)
               : mark(node, 0, found, &size, growing->is_zero);
}

static bool transpose(const struct growing_node *node) {
    const struct onnx_growing_dimension *growing = growing_of(node, 0);
    if (growing == NULL || !run(node)) {
        return growing != NULL ? false : fix(node->call);
    }
    uint32_t count, dimension = node->plain[0]->rank - 1 - growing->dimension;
    const int64_t *perm = onnx_ints(node->call, "perm", &count);
    for (uint32_t d = 0; d < count; ++d) {
        dimension = perm[d] == growing->dimension || perm[d] + count == growing->dimension ? d : dimension;
    }
    const struct onnx_size_element size = size_of(growing);
    return mark(node, 0, dimension, &size, growing->is_zero);
}

static bool expand(const struct growing_node *node) {
    const struct onnx_growing_dimension *growing = growing_of(node, 0);
    struct sizes sizes;
    uint32_t which;
    if (!grows_only(node, 1) || !read_sizes(node, 1, &sizes) || !find_growing(&sizes, &which)) {
        return fix(node->call);
    }
    const uint32_t own = node->plain[0]->rank, rank = own > sizes.count ? own : sizes.count;
    const uint32_t at = which == ONNX_NONE ? ONNX_NONE : which + rank - sizes.count;
    const uint32_t from = growing == NULL ? at : growing->dimension + rank - own;
    const struct onnx_size_element size = growing != NULL ? size_of(growing) : sizes.elements[which];
    if (which == ONNX_NONE) {
        /* 1 keeps the size; others are of this run. */
        if (from + sizes.count >= rank && sizes.elements[from + sizes.count - rank].bias != 1) {
            return fix(node->call);
        }
    } else if (at != from || sizes.elements[which].input != size.input || sizes.elements[which].bias != size.bias ||
               (growing == NULL && at + own >= rank && node->plain[0]->sizes[at + own - rank] != 1)) {
        return fix(node->call);
    }
    return set_capacities(node, 1, &sizes) && run(node) &&
           mark(node, 0, from, &size, growing != NULL && growing->is_zero);
}

static bool fill(const struct growing_node *node) {
    struct sizes sizes;
    uint32_t which;
    if (!read_sizes(node, 0, &sizes) || !find_growing(&sizes, &which) || which == ONNX_NONE) {
        return fix(node->call);
    }
    return set_capacities(node, 0, &sizes) && run(node) && mark(node, 0, which, &sizes.elements[which], false);
}

/* ---- parts ---- */

/* first - second, if that is linear. */
static bool subtract(const struct onnx_size_element *first, const struct onnx_size_element *second,
                     struct onnx_size_element *difference) {
    *difference = (struct onnx_size_element){first->input, first->scale, first->bias - second->bias};
    if (is_growing(second)) {
        *difference = (struct onnx_size_element){ONNX_NONE, 0, first->bias - second->bias};
        return first->input == second->input && first->scale == second->scale;
    }
    return is_linear(first);
}

/* Makes the plan hold only where a size is at least another. */
static bool is_at_least(const struct growing_node *node, const struct onnx_size_element *size,
                        const struct onnx_size_element *least) {
    struct onnx_size_element difference;
    if (is_growing(size) == is_growing(least)) {
        return subtract(size, least, &difference) && difference.bias >= 0;
    }
    const struct onnx_size_element *growing = is_growing(size) ? size : least;
    return is_linear(growing) && onnx_narrow_size(node->call, growing, is_growing(size) ? least->bias : INT32_MIN,
                                                  is_growing(size) ? INT32_MAX : size->bias);
}

/* start, start + 1, .. of INT64. */
static struct onnx_tensor *count_from(const struct onnx_call *call, const struct onnx_size_element *start,
                                      uint32_t count) {
    struct onnx_tensor *first = onnx_cast(call, onnx_size_number(call, start), ONNX_INT64);
    return onnx_add(call, onnx_iota(call, ONNX_INT64, 1, 0, count), first);
}

static bool range(const struct growing_node *node) {
    const struct onnx_call *call = node->call;
    struct sizes start, limit, delta;
    struct onnx_size_element size;
    if (!read_sizes(node, 0, &start) || !read_sizes(node, 1, &limit) || !read_sizes(node, 2, &delta) ||
        start.count != 1 || limit.count != 1 || delta.count != 1 || is_growing(&delta.elements[0]) ||
        delta.elements[0].bias != 1 || !is_linear(&start.elements[0]) || !is_linear(&limit.elements[0]) ||
        !subtract(&limit.elements[0], &start.elements[0], &size) || (!is_growing(&size) && size.bias < 1)) {
        return fix(call);
    }
    const uint32_t count = is_growing(&size) ? onnx_capacity(call, &size) : (uint32_t)size.bias;
    struct onnx_tensor *numbers = count_from(call, &start.elements[0], count);
    return onnx_output(call, 0, onnx_cast(call, numbers, onnx_input(call, 0)->type)) &&
           (!is_growing(&size) || mark(node, 0, 0, &size, false));
}

/* A part of one dimension by bounds that NumPy's rules made absolute. NULL where the plan must fix sizes. */
static struct onnx_tensor *take_part(const struct growing_node *node, struct onnx_tensor *tensor, uint32_t d,
                                     const struct onnx_size_element *start, const struct onnx_size_element *end) {
    const struct onnx_call *call = node->call;
    const struct onnx_size_element size = onnx_size_of(tensor, d), zero = {ONNX_NONE, 0, 0};
    struct onnx_size_element count;
    if ((tensor->growing != NULL && tensor->growing->dimension != d && is_growing(end)) ||
        !is_at_least(node, start, &zero) || !is_at_least(node, &size, end) || !subtract(end, start, &count) ||
        (!is_growing(&count) && count.bias < 1)) {
        return NULL;
    }
    const bool is_zero = tensor->growing != NULL && tensor->growing->is_zero;
    struct onnx_tensor *plain = onnx_without_growing(call, tensor);
    if (is_growing(start)) {
        plain = onnx_gather(call, plain, count_from(call, start, (uint32_t)count.bias), d);
    } else if (!is_growing(&count)) {
        plain = onnx_slice_axis(call, plain, d, (uint32_t)start->bias, (uint32_t)count.bias, 1);
    } else {
        /* A fixed size may be less than the capacity that a part of it has. */
        if (!onnx_has_room(call, &count)) {
            return NULL;
        }
        const uint32_t capacity = onnx_capacity(call, &count), offset = (uint32_t)start->bias;
        if (offset >= plain->sizes[d]) {
            return NULL;
        }
        const uint32_t left = plain->sizes[d] - offset, taken = left < capacity ? left : capacity;
        const uint32_t none[ONNX_MAX_RANK] = {0};
        uint32_t rest[ONNX_MAX_RANK] = {0};
        rest[d] = capacity - taken;
        plain = onnx_pad_zeros(call, onnx_slice_axis(call, plain, d, offset, taken, 1), none, rest);
        return onnx_with_growing(call, plain, d, &count, is_zero && count.bias >= size.bias);
    }
    return tensor->growing != NULL && tensor->growing->dimension != d
               ? onnx_with_growing(call, plain, tensor->growing->dimension,
                                   &(struct onnx_size_element){tensor->growing->input, 1, tensor->growing->added},
                                   is_zero)
               : plain;
}

/* A bound of Slice, from the start. */
static bool read_bound(const struct onnx_size_element *given, const struct onnx_size_element *size,
                       struct onnx_size_element *bound) {
    struct onnx_size_element over;
    *bound = *given;
    if (!is_growing(given) && given->bias < 0) {
        const int64_t from_end = given->bias < INT32_MIN ? INT32_MIN : given->bias;
        *bound = (struct onnx_size_element){size->input, size->scale, size->bias + from_end};
    }
    if (!is_growing(given) && given->bias >= INT32_MAX) {
        *bound = *size;
    }
    if (is_growing(bound) == is_growing(size) && subtract(bound, size, &over) && over.bias > 0) {
        *bound = *size;
    }
    if (!is_growing(bound) && bound->bias < 0) {
        bound->bias = 0;
    }
    return is_linear(bound);
}

static bool slice(const struct growing_node *node) {
    const struct onnx_call *call = node->call;
    struct onnx_tensor *tensor = onnx_input(call, 0);
    struct sizes parts[4];
    for (uint32_t i = 0; i < 4; ++i) {
        const bool is_given = onnx_input(call, i + 1) != NULL;
        parts[i].count = 0;
        if (call->node->version < 10 || (i < 2 && !is_given) || (is_given && !read_sizes(node, i + 1, &parts[i])) ||
            (is_given && parts[i].count != parts[0].count)) {
            return fix(call);
        }
    }
    for (uint32_t i = 0; i < parts[0].count; ++i) {
        struct onnx_size_element start, end;
        const int64_t step = parts[3].count == 0 ? 1 : parts[3].elements[i].bias;
        int64_t axis = parts[2].count == 0 ? i : parts[2].elements[i].bias;
        axis += axis < 0 ? tensor->rank : 0;
        if (step != 1 || axis < 0 || axis >= tensor->rank) {
            return fix(call);
        }
        const struct onnx_size_element size = onnx_size_of(tensor, (uint32_t)axis);
        if (!read_bound(&parts[0].elements[i], &size, &start) || !read_bound(&parts[1].elements[i], &size, &end)) {
            return fix(call);
        }
        tensor = take_part(node, tensor, (uint32_t)axis, &start, &end);
        if (tensor == NULL) {
            return fix(call);
        }
    }
    return onnx_output(call, 0, tensor);
}

/* Indices count from the end of what is in use where they are negative: `sizes` are those that each last dimension of
 * the indices counts in, or one for all. */
static struct onnx_tensor *wrap_indices(const struct growing_node *node, struct onnx_tensor *given, uint32_t count,
                                        const struct onnx_size_element *sizes) {
    const struct onnx_call *call = node->call;
    struct onnx_tensor *indices = onnx_cast(call, given, ONNX_INT64), *zero = onnx_number(call, ONNX_INT64, 0);
    struct onnx_tensor *ends = onnx_size_tensor(call, ONNX_INT64, 1, &count, sizes);
    struct onnx_tensor *wrapped =
        onnx_select(call, onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN, indices, zero),
                    onnx_add(call, indices, ends), indices);
    return wrapped == NULL ? NULL : onnx_reshape(call, wrapped, given->rank, given->sizes);
}

/* Of known indices the plan holds where they are within what is in use. */
static bool are_within(const struct growing_node *node, const struct onnx_size_element *size) {
    struct sizes indices;
    bool are_so = onnx_input(node->call, 1)->data != NULL && read_sizes(node, 1, &indices);
    for (uint32_t i = 0; are_so && i < indices.count; ++i) {
        const struct onnx_size_element least = {ONNX_NONE, 0, indices.elements[i].bias + 1};
        are_so = least.bias > 0 && is_at_least(node, size, &least);
    }
    return are_so;
}

static bool gather(const struct growing_node *node) {
    const struct onnx_growing_dimension *growing = growing_of(node, 0);
    const uint32_t axis = axis_of(node, 0);
    if (growing == NULL || axis == ONNX_NONE || node->plain[1] == NULL) {
        return fix(node->call);
    }
    const struct onnx_size_element size = size_of(growing);
    if (axis == growing->dimension) {
        if (!are_within(node, &size)) {
            node->plain[1] = wrap_indices(node, node->plain[1], 1, &size);
        }
        return node->plain[1] != NULL && run(node);
    }
    const uint32_t d = growing->dimension < axis ? growing->dimension
                                                 : growing->dimension + node->plain[1]->rank - 1;
    return run(node) && mark(node, 0, d, &size, growing->is_zero);
}

/* Indices of GatherND and ScatterND into dimensions from the first on. Those that a run does not use select an element
 * that it does not use. */
static bool set_indices(const struct growing_node *node) {
    const struct onnx_call *call = node->call;
    const struct onnx_tensor *data = onnx_input(call, 0);
    struct onnx_tensor *indices = onnx_input(call, 1), *plain = node->plain[1];
    struct onnx_size_element sizes[ONNX_MAX_RANK];
    int64_t unused[ONNX_MAX_RANK] = {0};
    const uint32_t count = plain == NULL || plain->rank == 0 ? 0 : plain->sizes[plain->rank - 1];
    if (count == 0 || count > data->rank || onnx_int(call, "batch_dims", 0) != 0) {
        return fix(call);
    }
    bool is_open = false;
    for (uint32_t d = 0; d < count; ++d) {
        sizes[d] = onnx_size_of(data, d);
        unused[d] = is_growing(&sizes[d]) ? (int64_t)data->sizes[d] - 1 : 0;
        is_open = is_open || is_growing(&sizes[d]);
    }
    if (indices->growing != NULL) {
        const struct onnx_size_element size = size_of(indices->growing);
        const uint32_t d = indices->growing->dimension;
        if (d + 1 == plain->rank || (strcmp(call->node->op, "ScatterND") == 0 && !is_open)) {
            return fix(call);
        }
        plain = onnx_select(call, onnx_in_use(call, &size, plain->sizes[d], plain->rank, d), plain,
                            onnx_constant(call, ONNX_INT64, 1, &count, unused));
    }
    node->plain[1] = is_open && plain != NULL ? wrap_indices(node, plain, count, sizes) : plain;
    return node->plain[1] != NULL;
}

static bool gather_places(const struct growing_node *node) {
    const struct onnx_growing_dimension *growing = growing_of(node, 0), *indices = growing_of(node, 1);
    if (node->plain[1] == NULL || node->plain[1]->rank == 0) {
        return fix(node->call);
    }
    const uint32_t depth = node->plain[1]->sizes[node->plain[1]->rank - 1], rank = node->plain[1]->rank;
    const bool keeps = growing != NULL && growing->dimension >= depth;
    if ((keeps && indices != NULL) || !set_indices(node)) {
        return node->call->error->text[0] != 0 ? false : fix(node->call);
    }
    if (!keeps && indices == NULL) {
        return run(node);
    }
    const struct onnx_size_element size = size_of(keeps ? growing : indices);
    return run(node) &&
           mark(node, 0, keeps ? growing->dimension - depth + rank - 1 : indices->dimension, &size, false);
}

/* Indices and updates grow together, or neither does. */
static bool scatter_places(const struct growing_node *node) {
    const struct onnx_growing_dimension *growing = growing_of(node, 0), *indices = growing_of(node, 1),
                                        *updates = growing_of(node, 2);
    const bool is_alike = indices != NULL && updates != NULL && indices->input == updates->input &&
                          indices->added == updates->added && indices->dimension == updates->dimension;
    if (growing == NULL || (!is_alike && (indices != NULL || updates != NULL))) {
        return fix(node->call);
    }
    const struct onnx_size_element size = size_of(growing);
    return set_indices(node) && run(node) && mark(node, 0, growing->dimension, &size, false);
}

/* ---- along the growing dimension ---- */

/* Of inputs along the axis one grows. */
static bool append(const struct growing_node *node, uint32_t axis) {
    const struct onnx_call *call = node->call;
    struct onnx_tensor *all = NULL;
    for (uint32_t i = 0; i < call->input_count; ++i) {
        struct onnx_tensor *input = onnx_input(call, i);
        if (input == NULL || (input->growing != NULL && all != NULL && all->growing != NULL)) {
            return fix(call);
        }
        if (all == NULL || onnx_is_empty(input)) {
            all = all == NULL ? input : all;
        } else if (all->growing != NULL) {
            all = onnx_append(call, all, input);
        } else if (input->growing == NULL) {
            all = onnx_join(call, 2, (struct onnx_tensor *[]){all, input}, axis);
        } else {
            struct onnx_size_element size = size_of(input->growing);
            size.bias += all->sizes[axis];
            all = onnx_join(call, 2, (struct onnx_tensor *[]){all, node->plain[i]}, axis);
            if (!onnx_has_room(call, &size)) {
                return false;
            }
            all = onnx_slice_axis(call, all, axis, 0, onnx_capacity(call, &size), 1);
            all = onnx_with_growing(call, all, axis, &size, input->growing->is_zero);
        }
        if (all == NULL) {
            return false;
        }
    }
    return onnx_output(call, 0, all);
}

static bool concat(const struct growing_node *node) {
    const struct onnx_call *call = node->call;
    const struct onnx_growing_dimension *first = growing_of(node, 0);
    const uint32_t axis = node->plain[0] == NULL ? ONNX_NONE : axis_of(node, 1);
    bool is_along = false, is_same = first != NULL, is_zero = true;
    for (uint32_t i = 0; i < call->input_count; ++i) {
        const struct onnx_growing_dimension *growing = growing_of(node, i);
        is_along = is_along || (growing != NULL && growing->dimension == axis);
        is_same = is_same && growing != NULL && growing->input == first->input && growing->added == first->added &&
                  growing->dimension == first->dimension;
        is_zero = is_zero && growing != NULL && growing->is_zero;
    }
    if (axis == ONNX_NONE || is_along || !is_same) {
        return is_along ? append(node, axis) : fix(call);
    }
    const struct onnx_size_element size = size_of(first);
    return run(node) && mark(node, 0, first->dimension, &size, is_zero);
}

static bool multiply(const struct growing_node *node) {
    const struct onnx_growing_dimension *a = growing_of(node, 0), *b = growing_of(node, 1);
    const struct onnx_tensor *left = node->plain[0], *right = node->plain[1];
    if (left == NULL || right == NULL || left->rank < 2 || right->rank < 2) {
        return fix(node->call);
    }
    const bool a_is_inner = a != NULL && a->dimension == left->rank - 1;
    const bool b_is_inner = b != NULL && b->dimension == right->rank - 2;
    if (a_is_inner && b_is_inner && a->input == b->input && a->added == b->added) {
        node->plain[0] = onnx_fill_unused(node->call, onnx_input(node->call, 0), 0);
        node->plain[1] = onnx_fill_unused(node->call, onnx_input(node->call, 1), 0);
        return node->plain[0] != NULL && node->plain[1] != NULL && run(node);
    }
    const bool is_row = a != NULL && b == NULL && a->dimension == left->rank - 2;
    const bool is_column = b != NULL && a == NULL && b->dimension == right->rank - 1;
    if (!is_row && !is_column) {
        return fix(node->call);
    }
    const uint32_t rank = left->rank > right->rank ? left->rank : right->rank;
    const struct onnx_size_element size = size_of(is_row ? a : b);
    return run(node) && mark(node, 0, is_row ? rank - 2 : rank - 1, &size, false);
}

/* Axes of a reduction as bits; all where none are given. */
static bool read_axes(const struct growing_node *node, uint32_t *axes) {
    struct sizes sizes = {0};
    uint32_t count;
    const int64_t *numbers = onnx_ints(node->call, "axes", &count);
    *axes = 0;
    if (numbers == NULL && onnx_input(node->call, 1) != NULL && !read_sizes(node, 1, &sizes)) {
        return false;
    }
    for (uint32_t i = 0; i < (numbers != NULL ? count : sizes.count); ++i) {
        const int64_t axis = numbers != NULL ? numbers[i] : sizes.elements[i].bias;
        const int64_t d = axis + (axis < 0 ? node->plain[0]->rank : 0);
        if (d < 0 || d >= node->plain[0]->rank || (numbers == NULL && is_growing(&sizes.elements[i]))) {
            return false;
        }
        *axes |= 1U << d;
    }
    *axes = *axes == 0 ? (1U << node->plain[0]->rank) - 1 : *axes;
    return true;
}

static bool reduce(const struct growing_node *node, bool has_neutral, double neutral) {
    const struct onnx_growing_dimension *growing = growing_of(node, 0);
    uint32_t axes;
    if (growing == NULL || !grows_only(node, 1) || onnx_int(node->call, "noop_with_empty_axes", 0) != 0 ||
        !read_axes(node, &axes)) {
        return fix(node->call);
    }
    if ((axes >> growing->dimension & 1) != 0) {
        node->plain[0] = has_neutral ? onnx_fill_unused(node->call, onnx_input(node->call, 0), neutral) : NULL;
        return node->plain[0] != NULL ? run(node) : has_neutral ? false : fix(node->call);
    }
    uint32_t d = growing->dimension;
    for (uint32_t i = 0; i < growing->dimension && onnx_int(node->call, "keepdims", 1) == 0; ++i) {
        d -= axes >> i & 1;
    }
    const struct onnx_size_element size = size_of(growing);
    return run(node) && mark(node, 0, d, &size, false);
}

static bool sum(const struct growing_node *node) {
    return reduce(node, true, 0);
}

static bool find_greatest(const struct growing_node *node) {
    return reduce(node, onnx_is_float(node->plain[0]->type), -(double)INFINITY);
}

static bool find_least(const struct growing_node *node) {
    return reduce(node, onnx_is_float(node->plain[0]->type), (double)INFINITY);
}

/* ---- the table ---- */

/* The translation reads growing dimensions itself. */
static bool translate_itself(const struct growing_node *node) {
    node->call->plan->allows_growing = true;
    const bool done = node->translate(node->call);
    node->call->plan->allows_growing = false;
    return done;
}

struct row {
    const char *domain, *op;
    uint32_t inputs; /* which may grow, a bit each */
    uint32_t shapes; /* which may be computed from growing sizes and decide sizes of results */
    growing_rule rule;
};

#define ALL UINT32_MAX

static const struct row rows[] = {
    {"", "Abs", 1, 0, apply},
    {"", "Add", ALL, 0, combine},
    {"", "And", ALL, 0, combine},
    {"", "Attention", 1U << 1 | 1U << 2 | 1U << 3 | 1U << 4 | 1U << 5, 0, translate_itself},
    {"", "Cast", 1, 0, convert},
    {"", "Ceil", 1, 0, apply},
    {"", "Clip", 1, 0, apply},
    {"", "Concat", ALL, 0, concat},
    {"", "ConstantOfShape", 0, 1, fill},
    {"", "Cos", 1, 0, apply},
    {"", "CumSum", 1, 0, cumulate},
    {"", "Div", ALL, 0, combine},
    {"", "Equal", ALL, 0, combine},
    {"", "Exp", 1, 0, apply},
    {"", "Expand", 1, 2, expand},
    {"", "Floor", 1, 0, apply},
    {"", "Gather", 1, 0, gather},
    {"", "GatherND", 3, 0, gather_places},
    {"", "Greater", ALL, 0, combine},
    {"", "GreaterOrEqual", ALL, 0, combine},
    {"", "Identity", 1, 0, convert},
    {"", "IsInf", 1, 0, apply},
    {"", "IsNaN", 1, 0, apply},
    {"", "Less", ALL, 0, combine},
    {"", "LessOrEqual", ALL, 0, combine},
    {"", "Log", 1, 0, apply},
    {"", "LogSoftmax", 1, 0, log_softmax},
    {"", "MatMul", 3, 0, multiply},
    {"", "Max", ALL, 0, combine},
    {"", "Min", ALL, 0, combine},
    {"", "Mod", ALL, 0, combine},
    {"", "Mul", ALL, 0, combine},
    {"", "Neg", 1, 0, convert},
    {"", "Not", 1, 0, apply},
    {"", "Or", ALL, 0, combine},
    {"", "Pow", ALL, 0, combine},
    {"", "Range", 0, 7, range},
    {"", "Reciprocal", 1, 0, apply},
    {"", "ReduceMax", 1, 0, find_greatest},
    {"", "ReduceMin", 1, 0, find_least},
    {"", "ReduceSum", 1, 0, sum},
    {"", "Relu", 1, 0, apply},
    {"", "Reshape", 1, 2, view},
    {"", "Round", 1, 0, apply},
    {"", "ScatterND", 7, 0, scatter_places},
    {"", "Shape", 1, 0, translate_itself},
    {"", "Sigmoid", 1, 0, apply},
    {"", "Sign", 1, 0, apply},
    {"", "Sin", 1, 0, apply},
    {"", "Slice", 1, 6, slice},
    {"", "Softmax", 1, 0, softmax},
    {"", "Split", 1, 0, split},
    {"", "Sqrt", 1, 0, apply},
    {"", "Squeeze", 1, 0, view},
    {"", "Sub", ALL, 0, combine},
    {"", "Sum", ALL, 0, combine},
    {"", "Tanh", 1, 0, apply},
    {"", "Transpose", 1, 0, transpose},
    {"", "Trilu", 1, 0, convert},
    {"", "Unsqueeze", 1, 0, view},
    {"", "Where", ALL, 0, combine},
    {"", "Xor", ALL, 0, combine},
    {ONNX_MICROSOFT, "Attention", 1U << 3 | 1U << 4 | 1U << 5, 0, translate_itself},
    {ONNX_MICROSOFT, "GroupQueryAttention", 1U << 3 | 1U << 4 | 1U << 10, 0, translate_itself},
    {ONNX_MICROSOFT, "MultiHeadAttention", 1U << 1 | 1U << 2 | 1U << 4 | 1U << 5 | 1U << 6 | 1U << 7, 0,
     translate_itself},
};

static const struct row *find_row(const struct onnx_node *node) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (strcmp(node->op, rows[i].op) == 0 && strcmp(node->domain, rows[i].domain) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static bool has_bit(uint32_t bits, uint32_t i) {
    return bits == ALL || (i < 32 && (bits >> i & 1) != 0);
}

bool onnx_takes_growing(const struct onnx_node *node, uint32_t input) {
    const struct row *row = find_row(node);
    return row != NULL && has_bit(row->inputs, input);
}

/* Results whose bits may depend on the capacity are for sizes that all sizes of the plan agree in: see stepped. */
static bool check_types(const struct onnx_call *call) {
    uint64_t open = 0;
    bool is_exact = true;
    for (uint32_t i = 0; i < call->input_count + call->output_count; ++i) {
        const struct onnx_tensor *tensor =
            i < call->input_count ? onnx_input(call, i) : call->outputs[i - call->input_count];
        open |= tensor == NULL || tensor->growing == NULL ? 0 : onnx_bit_of(tensor->growing->input);
        is_exact = is_exact && (tensor == NULL || onnx_is_exact_type(tensor->type));
    }
    open &= ~call->plan->stepped;
    return open == 0 || is_exact || onnx_never_grow(call, open);
}

static struct onnx_tensor **copy_inputs(const struct onnx_call *call) {
    struct onnx_tensor **plain = onnx_scratch(call, (size_t)call->input_count + 1, sizeof(struct onnx_tensor *));
    for (uint32_t i = 0; plain != NULL && i < call->input_count; ++i) {
        plain[i] = onnx_without_growing(call, onnx_input(call, i));
        if (plain[i] == NULL && onnx_input(call, i) != NULL) {
            return NULL;
        }
    }
    return plain;
}

bool onnx_translate_growing(const struct onnx_call *call, onnx_translation translate) {
    if (call->plan->grown == 0) {
        return translate(call);
    }
    const struct row *row = NULL;
    bool reads_growing = false, reads_sizes = false, is_taken = true;
    for (uint32_t i = 0; i < call->input_count; ++i) {
        const struct onnx_tensor *input = onnx_input(call, i);
        const bool grows = input != NULL && input->growing != NULL;
        const bool is_of_sizes = input != NULL && onnx_is_of_sizes(call->plan, input);
        row = row == NULL && (grows || is_of_sizes) ? find_row(call->node) : row;
        reads_growing = reads_growing || grows;
        reads_sizes = reads_sizes || (is_of_sizes && row != NULL && has_bit(row->shapes, i));
        is_taken = is_taken && (!grows || (row != NULL && has_bit(row->inputs, i)));
    }
    if (!is_taken) {
        return onnx_never_grow(call, find_inputs(call));
    }
    if (!reads_growing && !reads_sizes) {
        return translate(call);
    }
    const struct growing_node node = {call, translate, copy_inputs(call)};
    return node.plain != NULL && row->rule(&node) && check_types(call);
}
