/* Rules for operators that make views, parts and numbers of sizes. */
#include <string.h>

#include "onnx/growing_rules.h"
#include "onnx/operators/move.h"

/* ---- views ---- */

static bool is_linear(const struct onnx_size_element *size) {
    return !onnx_size_grows(size) || size->scale == 1;
}

/* The growing element of a shape, of which there is one at most; ONNX_NONE: none. */
static bool find_growing(const struct onnx_sizes *sizes, uint32_t *found) {
    *found = ONNX_NONE;
    for (uint32_t i = 0; i < sizes->count; ++i) {
        const struct onnx_size_element *size = &sizes->elements[i];
        if (onnx_size_grows(size) && (*found != ONNX_NONE || !is_linear(size))) {
            return false;
        }
        *found = onnx_size_grows(size) ? i : *found;
    }
    return true;
}

/* Replaces an input by a constant, of the capacity where a size grows. */
static bool set_capacities(const struct onnx_growing_node *node, uint32_t input, const struct onnx_sizes *sizes) {
    int64_t values[ONNX_MOST_SIZES] = {0};
    for (uint32_t i = 0; i < sizes->count; ++i) {
        const struct onnx_size_element *size = &sizes->elements[i];
        values[i] = onnx_size_grows(size) ? onnx_capacity(node->call, size) : size->bias;
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

/* Whether Reshape's element `found` has the size of the growing dimension in each run: it is that size, or left open,
 * or 0 for the same dimension. A number may equal the capacity, but not the sizes of runs. */
static bool follows_size(const struct onnx_sizes *sizes, uint32_t growing_element, uint32_t found, uint32_t dimension) {
    const int64_t given = sizes->elements[found].bias;
    return growing_element != ONNX_NONE ? growing_element == found : given == -1 || (given == 0 && found == dimension);
}

/* Reshape, Unsqueeze and Squeeze. */
static bool view(const struct onnx_growing_node *node) {
    const struct onnx_growing_dimension *growing = onnx_growing_of(node, 0);
    struct onnx_sizes sizes;
    uint32_t which = ONNX_NONE;
    if (growing == NULL || !onnx_grows_only(node, 1)) {
        return onnx_fix_inputs(node->call);
    }
    const struct onnx_size_element size = onnx_growing_size(growing);
    const bool has_shape = strcmp(node->call->node->op, "Reshape") == 0;
    if (has_shape &&
        (node->call->input_count < 2 || !onnx_read_growing_sizes(node, 1, &sizes) || !find_growing(&sizes, &which))) {
        return onnx_fix_inputs(node->call);
    }
    if (which != ONNX_NONE && (sizes.elements[which].input != size.input || sizes.elements[which].bias != size.bias)) {
        return onnx_fix_inputs(node->call);
    }
    if ((has_shape && !set_capacities(node, 1, &sizes)) || !onnx_run_at_capacity(node) ||
        node->call->outputs[0] == NULL) {
        return false;
    }
    const uint32_t found = find_dimension(node->plain[0], growing->dimension, node->call->outputs[0]);
    return found == ONNX_NONE || (has_shape && !follows_size(&sizes, which, found, growing->dimension))
               ? onnx_fix_inputs(node->call)
               : onnx_mark_growing(node, 0, found, &size, growing->is_zero);
}

static bool transpose(const struct onnx_growing_node *node) {
    const struct onnx_growing_dimension *growing = onnx_growing_of(node, 0);
    if (growing == NULL || !onnx_run_at_capacity(node)) {
        return growing != NULL ? false : onnx_fix_inputs(node->call);
    }
    uint32_t count, dimension = node->plain[0]->rank - 1 - growing->dimension;
    const int64_t *perm = onnx_ints(node->call, "perm", &count);
    for (uint32_t d = 0; d < count; ++d) {
        dimension = perm[d] == growing->dimension || perm[d] + count == growing->dimension ? d : dimension;
    }
    const struct onnx_size_element size = onnx_growing_size(growing);
    return onnx_mark_growing(node, 0, dimension, &size, growing->is_zero);
}

static bool expand(const struct onnx_growing_node *node) {
    const struct onnx_growing_dimension *growing = onnx_growing_of(node, 0);
    struct onnx_sizes sizes;
    uint32_t which;
    if (!onnx_grows_only(node, 1) || !onnx_read_growing_sizes(node, 1, &sizes) || !find_growing(&sizes, &which)) {
        return onnx_fix_inputs(node->call);
    }
    struct onnx_size_element size;
    if (growing != NULL) {
        size = onnx_growing_size(growing);
    } else if (which < sizes.count) {
        size = sizes.elements[which];
    } else {
        return onnx_fix_inputs(node->call);
    }
    const uint32_t own = node->plain[0]->rank, rank = own > sizes.count ? own : sizes.count;
    const uint32_t at = which == ONNX_NONE ? ONNX_NONE : which + rank - sizes.count;
    const uint32_t from = growing == NULL ? at : growing->dimension + rank - own;
    if (which == ONNX_NONE) {
        /* 1 keeps the size; others are of this run. */
        if (from + sizes.count >= rank && sizes.elements[from + sizes.count - rank].bias != 1) {
            return onnx_fix_inputs(node->call);
        }
    } else if (at != from || sizes.elements[which].input != size.input || sizes.elements[which].bias != size.bias ||
               (growing == NULL && at + own >= rank && node->plain[0]->sizes[at + own - rank] != 1)) {
        return onnx_fix_inputs(node->call);
    }
    return set_capacities(node, 1, &sizes) && onnx_run_at_capacity(node) &&
           onnx_mark_growing(node, 0, from, &size, growing != NULL && growing->is_zero);
}

static bool fill(const struct onnx_growing_node *node) {
    struct onnx_sizes sizes;
    uint32_t which;
    if (!onnx_read_growing_sizes(node, 0, &sizes) || !find_growing(&sizes, &which) || which == ONNX_NONE) {
        return onnx_fix_inputs(node->call);
    }
    return set_capacities(node, 0, &sizes) && onnx_run_at_capacity(node) &&
           onnx_mark_growing(node, 0, which, &sizes.elements[which], false);
}

/* ---- parts ---- */

/* first - second, if that is linear. */
static bool subtract(const struct onnx_size_element *first, const struct onnx_size_element *second,
                     struct onnx_size_element *difference) {
    *difference = (struct onnx_size_element){first->input, first->scale, first->bias - second->bias};
    if (onnx_size_grows(second)) {
        *difference = (struct onnx_size_element){ONNX_NONE, 0, first->bias - second->bias};
        return first->input == second->input && first->scale == second->scale;
    }
    return is_linear(first);
}

/* Makes the plan hold only where a size is at least another. */
static bool is_at_least(const struct onnx_growing_node *node, const struct onnx_size_element *size,
                        const struct onnx_size_element *least) {
    struct onnx_size_element difference;
    if (onnx_size_grows(size) == onnx_size_grows(least)) {
        return subtract(size, least, &difference) && difference.bias >= 0;
    }
    const struct onnx_size_element *growing = onnx_size_grows(size) ? size : least;
    return is_linear(growing) && onnx_narrow_size(node->call, growing, onnx_size_grows(size) ? least->bias : INT32_MIN,
                                                  onnx_size_grows(size) ? INT32_MAX : size->bias);
}

/* start, start + 1, .. of INT64. */
static struct onnx_tensor *count_from(const struct onnx_call *call, const struct onnx_size_element *start,
                                      uint32_t count) {
    struct onnx_tensor *first = onnx_cast(call, onnx_size_number(call, start), ONNX_INT64);
    return onnx_add(call, onnx_iota(call, ONNX_INT64, 1, 0, count), first);
}

static bool range(const struct onnx_growing_node *node) {
    const struct onnx_call *call = node->call;
    struct onnx_sizes start, limit, delta;
    struct onnx_size_element size;
    if (!onnx_read_growing_sizes(node, 0, &start) || !onnx_read_growing_sizes(node, 1, &limit) ||
        !onnx_read_growing_sizes(node, 2, &delta) || start.count != 1 || limit.count != 1 || delta.count != 1 ||
        onnx_size_grows(&delta.elements[0]) || delta.elements[0].bias != 1 || !is_linear(&start.elements[0]) ||
        !is_linear(&limit.elements[0]) || !subtract(&limit.elements[0], &start.elements[0], &size) ||
        (!onnx_size_grows(&size) && size.bias < 1)) {
        return onnx_fix_inputs(call);
    }
    const uint32_t count = onnx_size_grows(&size) ? onnx_capacity(call, &size) : (uint32_t)size.bias;
    struct onnx_tensor *numbers = count_from(call, &start.elements[0], count);
    return onnx_output(call, 0, onnx_cast(call, numbers, onnx_input(call, 0)->type)) &&
           (!onnx_size_grows(&size) || onnx_mark_growing(node, 0, 0, &size, false));
}

/* A part of one dimension by bounds that NumPy's rules made absolute. NULL where the plan must fix sizes. */
static struct onnx_tensor *take_part(const struct onnx_growing_node *node, struct onnx_tensor *tensor, uint32_t d,
                                     const struct onnx_size_element *start, const struct onnx_size_element *end) {
    const struct onnx_call *call = node->call;
    const struct onnx_size_element size = onnx_size_of(tensor, d), zero = {ONNX_NONE, 0, 0};
    struct onnx_size_element count;
    if ((tensor->growing != NULL && tensor->growing->dimension != d && onnx_size_grows(end)) ||
        !is_at_least(node, start, &zero) || !is_at_least(node, &size, end) || !subtract(end, start, &count) ||
        (!onnx_size_grows(&count) && count.bias < 1)) {
        return NULL;
    }
    const bool is_zero = tensor->growing != NULL && tensor->growing->is_zero;
    struct onnx_tensor *plain = onnx_without_growing(call, tensor);
    if (onnx_size_grows(start)) {
        plain = onnx_gather(call, plain, count_from(call, start, (uint32_t)count.bias), d);
    } else if (!onnx_size_grows(&count)) {
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
    if (!onnx_size_grows(given) && given->bias < 0) {
        const int64_t from_end = given->bias < INT32_MIN ? INT32_MIN : given->bias;
        *bound = (struct onnx_size_element){size->input, size->scale, size->bias + from_end};
    }
    if (!onnx_size_grows(given) && given->bias >= INT32_MAX) {
        *bound = *size;
    }
    if (onnx_size_grows(bound) == onnx_size_grows(size) && subtract(bound, size, &over) && over.bias > 0) {
        *bound = *size;
    }
    if (!onnx_size_grows(bound) && bound->bias < 0) {
        bound->bias = 0;
    }
    return is_linear(bound);
}

static bool slice(const struct onnx_growing_node *node) {
    const struct onnx_call *call = node->call;
    struct onnx_tensor *tensor = onnx_input(call, 0);
    struct onnx_sizes parts[4];
    for (uint32_t i = 0; i < 4; ++i) {
        const bool is_given = onnx_input(call, i + 1) != NULL;
        parts[i].count = 0;
        if (call->node->version < 10 || (i < 2 && !is_given) ||
            (is_given && !onnx_read_growing_sizes(node, i + 1, &parts[i])) ||
            (is_given && parts[i].count != parts[0].count)) {
            return onnx_fix_inputs(call);
        }
    }
    for (uint32_t i = 0; i < parts[0].count; ++i) {
        struct onnx_size_element start, end;
        const int64_t step = parts[3].count == 0 ? 1 : parts[3].elements[i].bias;
        int64_t axis = parts[2].count == 0 ? i : parts[2].elements[i].bias;
        axis += axis < 0 ? tensor->rank : 0;
        if (step != 1 || axis < 0 || axis >= tensor->rank) {
            return onnx_fix_inputs(call);
        }
        const struct onnx_size_element size = onnx_size_of(tensor, (uint32_t)axis);
        if (!read_bound(&parts[0].elements[i], &size, &start) || !read_bound(&parts[1].elements[i], &size, &end)) {
            return onnx_fix_inputs(call);
        }
        tensor = take_part(node, tensor, (uint32_t)axis, &start, &end);
        if (tensor == NULL) {
            return onnx_fix_inputs(call);
        }
    }
    return onnx_output(call, 0, tensor);
}

/* Indices count from the end of what is in use where they are negative: `sizes` are those that each last dimension of
 * the indices counts in, or one for all. */
static struct onnx_tensor *wrap_indices(const struct onnx_growing_node *node, struct onnx_tensor *given, uint32_t count,
                                        const struct onnx_size_element *sizes) {
    const struct onnx_call *call = node->call;
    struct onnx_tensor *indices = onnx_cast(call, given, ONNX_INT64), *zero = onnx_number(call, ONNX_INT64, 0);
    struct onnx_tensor *ends = onnx_size_tensor(call, ONNX_INT64, 1, &count, sizes);
    struct onnx_tensor *wrapped =
        onnx_select(call, onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN, indices, zero),
                    onnx_add(call, indices, ends), indices);
    return wrapped == NULL ? NULL : onnx_reshape(call, wrapped, given->rank, given->sizes);
}

/* Whether indices are known and within the elements in use. The plan then holds for such sizes only. */
static bool are_within(const struct onnx_growing_node *node, const struct onnx_size_element *size) {
    struct onnx_sizes indices;
    bool are_so = onnx_input(node->call, 1)->data != NULL && onnx_read_growing_sizes(node, 1, &indices);
    for (uint32_t i = 0; are_so && i < indices.count; ++i) {
        const struct onnx_size_element least = {ONNX_NONE, 0, indices.elements[i].bias + 1};
        are_so = least.bias > 0 && is_at_least(node, size, &least);
    }
    return are_so;
}

static bool gather(const struct onnx_growing_node *node) {
    const struct onnx_growing_dimension *growing = onnx_growing_of(node, 0);
    const uint32_t axis = onnx_growing_axis(node, 0);
    if (growing == NULL || axis == ONNX_NONE || node->plain[1] == NULL) {
        return onnx_fix_inputs(node->call);
    }
    const struct onnx_size_element size = onnx_growing_size(growing);
    if (axis == growing->dimension) {
        if (!are_within(node, &size)) {
            node->plain[1] = wrap_indices(node, node->plain[1], 1, &size);
        }
        return node->plain[1] != NULL && onnx_run_at_capacity(node);
    }
    const uint32_t d = growing->dimension < axis ? growing->dimension : growing->dimension + node->plain[1]->rank - 1;
    return onnx_run_at_capacity(node) && onnx_mark_growing(node, 0, d, &size, growing->is_zero);
}

/* Sets the indices of GatherND or ScatterND, which count in the first dimensions. Indices that a run does not use select
 * an element that it does not use. */
static bool set_indices(const struct onnx_growing_node *node) {
    const struct onnx_call *call = node->call;
    const struct onnx_tensor *data = onnx_input(call, 0);
    struct onnx_tensor *indices = onnx_input(call, 1), *plain = node->plain[1];
    struct onnx_size_element sizes[ONNX_MAX_RANK];
    int64_t unused[ONNX_MAX_RANK] = {0};
    const uint32_t count = plain == NULL || plain->rank == 0 ? 0 : plain->sizes[plain->rank - 1];
    if (count == 0 || count > data->rank || onnx_int(call, "batch_dims", 0) != 0) {
        return onnx_fix_inputs(call);
    }
    bool is_open = false;
    for (uint32_t d = 0; d < count; ++d) {
        sizes[d] = onnx_size_of(data, d);
        unused[d] = onnx_size_grows(&sizes[d]) ? (int64_t)data->sizes[d] - 1 : 0;
        is_open = is_open || onnx_size_grows(&sizes[d]);
    }
    if (indices->growing != NULL) {
        const struct onnx_size_element size = onnx_growing_size(indices->growing);
        const uint32_t d = indices->growing->dimension;
        if (d + 1 == plain->rank || (strcmp(call->node->op, "ScatterND") == 0 && !is_open)) {
            return onnx_fix_inputs(call);
        }
        plain = onnx_select(call, onnx_in_use(call, &size, plain->sizes[d], plain->rank, d), plain,
                            onnx_constant(call, ONNX_INT64, 1, &count, unused));
    }
    node->plain[1] = is_open && plain != NULL ? wrap_indices(node, plain, count, sizes) : plain;
    return node->plain[1] != NULL;
}

static bool gather_places(const struct onnx_growing_node *node) {
    const struct onnx_growing_dimension *growing = onnx_growing_of(node, 0), *indices = onnx_growing_of(node, 1);
    if (node->plain[1] == NULL || node->plain[1]->rank == 0) {
        return onnx_fix_inputs(node->call);
    }
    const uint32_t depth = node->plain[1]->sizes[node->plain[1]->rank - 1], rank = node->plain[1]->rank;
    const bool keeps = growing != NULL && growing->dimension >= depth;
    if ((keeps && indices != NULL) || !set_indices(node)) {
        return node->call->error->text[0] != 0 ? false : onnx_fix_inputs(node->call);
    }
    if (!keeps && indices == NULL) {
        return onnx_run_at_capacity(node);
    }
    const struct onnx_size_element size = onnx_growing_size(keeps ? growing : indices);
    return onnx_run_at_capacity(node) &&
           onnx_mark_growing(node, 0, keeps ? growing->dimension - depth + rank - 1 : indices->dimension, &size, false);
}

/* Indices and updates grow together, or neither does. */
static bool scatter_places(const struct onnx_growing_node *node) {
    const struct onnx_growing_dimension *growing = onnx_growing_of(node, 0), *indices = onnx_growing_of(node, 1),
                                        *updates = onnx_growing_of(node, 2);
    const bool is_alike = indices != NULL && updates != NULL && indices->input == updates->input &&
                          indices->added == updates->added && indices->dimension == updates->dimension;
    if (growing == NULL || (!is_alike && (indices != NULL || updates != NULL))) {
        return onnx_fix_inputs(node->call);
    }
    const struct onnx_size_element size = onnx_growing_size(growing);
    return set_indices(node) && onnx_run_at_capacity(node) &&
           onnx_mark_growing(node, 0, growing->dimension, &size, false);
}

/* ---- the table ---- */

const struct onnx_growing_row onnx_growing_shapes[] = {
    {"", "ConstantOfShape", 0, 1, fill},     {"", "Expand", 1, 2, expand},  {"", "Gather", 1, 0, gather},
    {"", "GatherND", 3, 0, gather_places},   {"", "Range", 0, 7, range},    {"", "Reshape", 1, 2, view},
    {"", "ScatterND", 7, 0, scatter_places}, {"", "Slice", 1, 6, slice},    {"", "Squeeze", 1, 0, view},
    {"", "Transpose", 1, 0, transpose},      {"", "Unsqueeze", 1, 0, view}, {0},
};
