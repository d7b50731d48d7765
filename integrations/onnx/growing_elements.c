/* Rules for operators that work on elements: each by itself, along the growing dimension, or beside it. */
#include <math.h>

#include "onnx/growing_rules.h"
#include "onnx/operators/move.h"

/* ---- the same dimension of each result ---- */

/* 0 stays 0. */
static bool convert(const struct onnx_growing_node *node) {
    return onnx_keep_dimension(node, true);
}

static bool apply(const struct onnx_growing_node *node) {
    return onnx_keep_dimension(node, false);
}

static bool split(const struct onnx_growing_node *node) {
    const struct onnx_growing_dimension *growing = onnx_growing_of(node, 0);
    return growing == NULL || onnx_growing_axis(node, 0) == growing->dimension ? onnx_fix_inputs(node->call)
                                                                               : onnx_keep_dimension(node, true);
}

/* Sums of the elements before depend on nothing after them. */
static bool cumulate(const struct onnx_growing_node *node) {
    return onnx_int(node->call, "reverse", 0) != 0 ? onnx_fix_inputs(node->call) : onnx_keep_dimension(node, false);
}

static bool normalize(const struct onnx_growing_node *node, bool is_zero) {
    const struct onnx_growing_dimension *growing = onnx_growing_of(node, 0);
    const bool is_old = node->call->node->version < 13;
    if (growing == NULL) {
        return onnx_fix_inputs(node->call);
    }
    const uint32_t axis = onnx_growing_axis(node, is_old ? 1 : -1);
    if (is_old ? growing->dimension < axis : growing->dimension != axis) {
        return onnx_keep_dimension(node, false);
    }
    const struct onnx_size_element size = onnx_growing_size(growing);
    node->plain[0] = onnx_fill_unused(node->call, onnx_input(node->call, 0), -(double)INFINITY);
    return node->plain[0] != NULL && onnx_run_at_capacity(node) &&
           onnx_mark_growing(node, 0, growing->dimension, &size, is_zero);
}

static bool softmax(const struct onnx_growing_node *node) {
    return normalize(node, true);
}

static bool log_softmax(const struct onnx_growing_node *node) {
    return normalize(node, false);
}

/* ---- element by element ---- */

static bool combine(const struct onnx_growing_node *node) {
    const struct onnx_call *call = node->call;
    struct onnx_size_element size = {ONNX_NONE, 0, 0};
    uint32_t from_end = 0, rank = 0;
    for (uint32_t i = 0; i < call->input_count; ++i) {
        const struct onnx_growing_dimension *growing = onnx_growing_of(node, i);
        rank = node->plain[i] != NULL && node->plain[i]->rank > rank ? node->plain[i]->rank : rank;
        if (growing == NULL) {
            continue;
        }
        const uint32_t behind = node->plain[i]->rank - growing->dimension;
        if (onnx_size_grows(&size) &&
            (size.input != growing->input || size.bias != growing->added || from_end != behind)) {
            return onnx_fix_inputs(call);
        }
        size = onnx_growing_size(growing);
        from_end = behind;
    }
    for (uint32_t i = 0; i < call->input_count; ++i) {
        const struct onnx_tensor *plain = node->plain[i];
        if (onnx_growing_of(node, i) == NULL && plain != NULL && plain->rank >= from_end &&
            plain->sizes[plain->rank - from_end] != 1) {
            return onnx_fix_inputs(call);
        }
    }
    return onnx_run_at_capacity(node) && onnx_mark_growing(node, 0, rank - from_end, &size, false);
}

/* ---- along the growing dimension ---- */

/* Concatenates along the growing dimension. One input at most may grow. */
static bool append(const struct onnx_growing_node *node, uint32_t axis) {
    const struct onnx_call *call = node->call;
    struct onnx_tensor *all = NULL;
    for (uint32_t i = 0; i < call->input_count; ++i) {
        struct onnx_tensor *input = onnx_input(call, i);
        if (input == NULL || (input->growing != NULL && all != NULL && all->growing != NULL)) {
            return onnx_fix_inputs(call);
        }
        if (all == NULL || onnx_is_empty(input)) {
            all = all == NULL ? input : all;
        } else if (all->growing != NULL) {
            all = onnx_append(call, all, input);
        } else if (input->growing == NULL) {
            all = onnx_join(call, 2, (struct onnx_tensor *[]){all, input}, axis);
        } else {
            struct onnx_size_element size = onnx_growing_size(input->growing);
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

static bool concat(const struct onnx_growing_node *node) {
    const struct onnx_call *call = node->call;
    const struct onnx_growing_dimension *first = onnx_growing_of(node, 0);
    const uint32_t axis = node->plain[0] == NULL ? ONNX_NONE : onnx_growing_axis(node, 1);
    bool is_along = false, is_same = first != NULL, is_zero = true;
    for (uint32_t i = 0; i < call->input_count; ++i) {
        const struct onnx_growing_dimension *growing = onnx_growing_of(node, i);
        is_along = is_along || (growing != NULL && growing->dimension == axis);
        is_same = is_same && growing != NULL && growing->input == first->input && growing->added == first->added &&
                  growing->dimension == first->dimension;
        is_zero = is_zero && growing != NULL && growing->is_zero;
    }
    if (axis == ONNX_NONE || is_along || !is_same) {
        return is_along ? append(node, axis) : onnx_fix_inputs(call);
    }
    const struct onnx_size_element size = onnx_growing_size(first);
    return onnx_run_at_capacity(node) && onnx_mark_growing(node, 0, first->dimension, &size, is_zero);
}

static bool multiply(const struct onnx_growing_node *node) {
    const struct onnx_growing_dimension *a = onnx_growing_of(node, 0), *b = onnx_growing_of(node, 1);
    const struct onnx_tensor *left = node->plain[0], *right = node->plain[1];
    if (left == NULL || right == NULL || left->rank < 2 || right->rank < 2) {
        return onnx_fix_inputs(node->call);
    }
    const bool a_is_inner = a != NULL && a->dimension == left->rank - 1;
    const bool b_is_inner = b != NULL && b->dimension == right->rank - 2;
    if (a_is_inner && b_is_inner && a->input == b->input && a->added == b->added) {
        node->plain[0] = onnx_fill_unused(node->call, onnx_input(node->call, 0), 0);
        node->plain[1] = onnx_fill_unused(node->call, onnx_input(node->call, 1), 0);
        return node->plain[0] != NULL && node->plain[1] != NULL && onnx_run_at_capacity(node);
    }
    const bool is_row = a != NULL && b == NULL && a->dimension == left->rank - 2;
    const bool is_column = b != NULL && a == NULL && b->dimension == right->rank - 1;
    if (!is_row && !is_column) {
        return onnx_fix_inputs(node->call);
    }
    const uint32_t rank = left->rank > right->rank ? left->rank : right->rank;
    const struct onnx_size_element size = onnx_growing_size(is_row ? a : b);
    return onnx_run_at_capacity(node) && onnx_mark_growing(node, 0, is_row ? rank - 2 : rank - 1, &size, false);
}

/* Axes of a reduction as bits; all where none are given. */
static bool read_axes(const struct onnx_growing_node *node, uint32_t *axes) {
    struct onnx_sizes sizes = {0};
    uint32_t count;
    const int64_t *numbers = onnx_ints(node->call, "axes", &count);
    *axes = 0;
    if (numbers == NULL && onnx_input(node->call, 1) != NULL && !onnx_read_growing_sizes(node, 1, &sizes)) {
        return false;
    }
    for (uint32_t i = 0; i < (numbers != NULL ? count : sizes.count); ++i) {
        const int64_t axis = numbers != NULL ? numbers[i] : sizes.elements[i].bias;
        const int64_t d = axis + (axis < 0 ? node->plain[0]->rank : 0);
        if (d < 0 || d >= node->plain[0]->rank || (numbers == NULL && onnx_size_grows(&sizes.elements[i]))) {
            return false;
        }
        *axes |= 1U << d;
    }
    *axes = *axes == 0 ? (1U << node->plain[0]->rank) - 1 : *axes;
    return true;
}

static bool reduce(const struct onnx_growing_node *node, bool has_neutral, double neutral) {
    const struct onnx_growing_dimension *growing = onnx_growing_of(node, 0);
    uint32_t axes;
    if (growing == NULL || !onnx_grows_only(node, 1) || onnx_int(node->call, "noop_with_empty_axes", 0) != 0 ||
        !read_axes(node, &axes)) {
        return onnx_fix_inputs(node->call);
    }
    if ((axes >> growing->dimension & 1) != 0) {
        node->plain[0] = has_neutral ? onnx_fill_unused(node->call, onnx_input(node->call, 0), neutral) : NULL;
        return node->plain[0] != NULL ? onnx_run_at_capacity(node) : has_neutral ? false : onnx_fix_inputs(node->call);
    }
    uint32_t d = growing->dimension;
    for (uint32_t i = 0; i < growing->dimension && onnx_int(node->call, "keepdims", 1) == 0; ++i) {
        d -= axes >> i & 1;
    }
    const struct onnx_size_element size = onnx_growing_size(growing);
    return onnx_run_at_capacity(node) && onnx_mark_growing(node, 0, d, &size, false);
}

static bool sum(const struct onnx_growing_node *node) {
    return reduce(node, true, 0);
}

static bool find_greatest(const struct onnx_growing_node *node) {
    return reduce(node, onnx_is_float(node->plain[0]->type), -(double)INFINITY);
}

static bool find_least(const struct onnx_growing_node *node) {
    return reduce(node, onnx_is_float(node->plain[0]->type), (double)INFINITY);
}

/* ---- the table ---- */

const struct onnx_growing_row onnx_growing_elements[] = {
    {"", "Abs", 1, 0, apply},
    {"", "Add", ONNX_ALL_INPUTS, 0, combine},
    {"", "And", ONNX_ALL_INPUTS, 0, combine},
    {"", "Cast", 1, 0, convert},
    {"", "Ceil", 1, 0, apply},
    {"", "Clip", 1, 0, apply},
    {"", "Concat", ONNX_ALL_INPUTS, 0, concat},
    {"", "Cos", 1, 0, apply},
    {"", "CumSum", 1, 0, cumulate},
    {"", "Div", ONNX_ALL_INPUTS, 0, combine},
    {"", "Equal", ONNX_ALL_INPUTS, 0, combine},
    {"", "Exp", 1, 0, apply},
    {"", "Floor", 1, 0, apply},
    {"", "Greater", ONNX_ALL_INPUTS, 0, combine},
    {"", "GreaterOrEqual", ONNX_ALL_INPUTS, 0, combine},
    {"", "Identity", 1, 0, convert},
    {"", "IsInf", 1, 0, apply},
    {"", "IsNaN", 1, 0, apply},
    {"", "Less", ONNX_ALL_INPUTS, 0, combine},
    {"", "LessOrEqual", ONNX_ALL_INPUTS, 0, combine},
    {"", "Log", 1, 0, apply},
    {"", "LogSoftmax", 1, 0, log_softmax},
    {"", "MatMul", 3, 0, multiply},
    {"", "Max", ONNX_ALL_INPUTS, 0, combine},
    {"", "Min", ONNX_ALL_INPUTS, 0, combine},
    {"", "Mod", ONNX_ALL_INPUTS, 0, combine},
    {"", "Mul", ONNX_ALL_INPUTS, 0, combine},
    {"", "Neg", 1, 0, convert},
    {"", "Not", 1, 0, apply},
    {"", "Or", ONNX_ALL_INPUTS, 0, combine},
    {"", "Pow", ONNX_ALL_INPUTS, 0, combine},
    {"", "Reciprocal", 1, 0, apply},
    {"", "ReduceMax", 1, 0, find_greatest},
    {"", "ReduceMin", 1, 0, find_least},
    {"", "ReduceSum", 1, 0, sum},
    {"", "Relu", 1, 0, apply},
    {"", "Round", 1, 0, apply},
    {"", "Sigmoid", 1, 0, apply},
    {"", "Sign", 1, 0, apply},
    {"", "Sin", 1, 0, apply},
    {"", "Softmax", 1, 0, softmax},
    {"", "Split", 1, 0, split},
    {"", "Sqrt", 1, 0, apply},
    {"", "Sub", ONNX_ALL_INPUTS, 0, combine},
    {"", "Sum", ONNX_ALL_INPUTS, 0, combine},
    {"", "Tanh", 1, 0, apply},
    {"", "Trilu", 1, 0, convert},
    {"", "Where", ONNX_ALL_INPUTS, 0, combine},
    {"", "Xor", ONNX_ALL_INPUTS, 0, combine},
    {0},
};
