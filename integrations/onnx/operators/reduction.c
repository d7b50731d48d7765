/* Reductions, and places of the least and greatest. */
#include <math.h>
#include <string.h>

#include "onnx/operators/network.h"

/* ---- axes ---- */

struct reduction {
    struct onnx_tensor *x; /* of a dimension at least */
    uint32_t count, axes[ONNX_MAX_RANK];
    uint32_t kept_rank, kept[ONNX_MAX_RANK]; /* the sizes that the node has */
};

static bool add_axes(const struct onnx_call *call, struct reduction *r, uint32_t count, const int64_t *axes) {
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t axis;
        if (!onnx_axis(call, axes[i], r->x->rank, &axis)) {
            return false;
        }
        seen |= 1U << axis;
    }
    for (uint32_t d = 0; d < r->x->rank; ++d) {
        if ((seen >> d & 1) != 0) {
            r->axes[r->count++] = d;
        }
    }
    return true;
}

/* Sizes of the result, of all of x's dimensions or of those that are left. */
static void keep_sizes(struct reduction *r, bool keeps) {
    const struct onnx_tensor *x = r->x;
    for (uint32_t d = 0, next = 0; d < x->rank; ++d) {
        const bool is_reduced = next < r->count && r->axes[next] == d;
        next += is_reduced;
        if (keeps || !is_reduced) {
            r->kept[r->kept_rank++] = is_reduced ? 1 : x->sizes[d];
        }
    }
}

/* By the input where there is one, else by the attribute; none are all, or with noop_with_empty_axes none. */
static bool read_axes(const struct onnx_call *call, struct reduction *r) {
    r->x = onnx_input(call, 0);
    if (r->x == NULL) {
        return onnx_refuse(call, "no input");
    }
    uint32_t count = 0;
    const int64_t *axes = onnx_ints(call, "axes", &count);
    if (onnx_input(call, 1) != NULL) {
        axes = onnx_host_ints(call, 1, &count);
        if (axes == NULL) {
            return false;
        }
    }
    if (!add_axes(call, r, count, axes)) {
        return false;
    }
    if (count == 0 && onnx_int(call, "noop_with_empty_axes", 0) != 1) {
        for (uint32_t d = 0; d < r->x->rank; ++d) {
            r->axes[r->count++] = d;
        }
    }
    keep_sizes(r, onnx_int(call, "keepdims", 1) == 1);
    return true;
}

/* A dimension of size 1 in which there is nothing to reduce but that does what the function does beside. */
static struct onnx_tensor *give_axis(const struct onnx_call *call, struct reduction *r) {
    uint32_t sizes[ONNX_MAX_RANK] = {1};
    if (r->count != 0) {
        return r->x;
    }
    if (r->x->rank == ONNX_MAX_RANK) {
        onnx_refuse(call, "8 dimensions and no axis");
        return NULL;
    }
    memcpy(sizes + 1, r->x->sizes, r->x->rank * sizeof *sizes);
    r->axes[r->count++] = 0;
    return onnx_reshape(call, r->x, r->x->rank + 1, sizes);
}

/* ---- functions ---- */

static bool is_of_nothing(const struct reduction *r) {
    for (uint32_t i = 0; i < r->count; ++i) {
        if (r->x->sizes[r->axes[i]] == 0) {
            return true;
        }
    }
    return false;
}

/* The least number of a type, or the greatest. False of types whose extremes no double has. */
static bool find_extreme(enum onnx_type type, bool is_greatest, double *number) {
    static const struct {
        enum onnx_type type;
        double least, greatest;
    } known[] = {{ONNX_FLOAT, -INFINITY, INFINITY},
                 {ONNX_FLOAT16, -INFINITY, INFINITY},
                 {ONNX_DOUBLE, -INFINITY, INFINITY},
                 {ONNX_BOOL, 0, 1},
                 {ONNX_UINT8, 0, 255},
                 {ONNX_INT8, -128, 127},
                 {ONNX_UINT32, 0, 4294967295.0},
                 {ONNX_INT32, -2147483648.0, 2147483647.0}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (known[i].type == type) {
            *number = is_greatest ? known[i].greatest : known[i].least;
            return true;
        }
    }
    return false;
}

/* What a function is of no elements. */
static struct onnx_tensor *reduce_nothing(const struct onnx_call *call, const struct reduction *r,
                                          DML_REDUCE_FUNCTION function) {
    double number = 0;
    bool is_known = true;
    switch (function) {
    case DML_REDUCE_FUNCTION_MULTIPLY:
        number = 1;
        break;
    case DML_REDUCE_FUNCTION_MAX:
    case DML_REDUCE_FUNCTION_MIN:
        is_known = find_extreme(r->x->type, function == DML_REDUCE_FUNCTION_MIN, &number);
        break;
    case DML_REDUCE_FUNCTION_LOG_SUM:
    case DML_REDUCE_FUNCTION_LOG_SUM_EXP:
        number = -(double)INFINITY;
        is_known = onnx_is_float(r->x->type);
        break;
    case DML_REDUCE_FUNCTION_AVERAGE:
        number = (double)NAN;
        is_known = onnx_is_float(r->x->type);
        break;
    default:
        break;
    }
    if (!is_known) {
        onnx_refuse_type(call, "no elements of %s", onnx_type_name(r->x->type));
        return NULL;
    }
    return onnx_fill(call, r->x->type, r->kept_rank, r->kept, number);
}

/* The whole part of a sum of integers by their number. */
static struct onnx_tensor *average_integers(const struct onnx_call *call, const struct reduction *r,
                                            struct onnx_tensor *x) {
    double number = 1;
    for (uint32_t i = 0; i < r->count; ++i) {
        number *= x->sizes[r->axes[i]];
    }
    return onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_DIVIDE,
                       onnx_reduce(call, DML_REDUCE_FUNCTION_SUM, x, r->count, r->axes),
                       onnx_number(call, x->type, number));
}

/* DirectML's rules: roots, logarithms and means are of floats, sums and products also of wide integers. */
static bool supports(DML_REDUCE_FUNCTION function, enum onnx_type type) {
    switch (function) {
    case DML_REDUCE_FUNCTION_L2:
    case DML_REDUCE_FUNCTION_LOG_SUM:
    case DML_REDUCE_FUNCTION_LOG_SUM_EXP:
        return onnx_is_float(type);
    case DML_REDUCE_FUNCTION_SUM:
    case DML_REDUCE_FUNCTION_MULTIPLY:
    case DML_REDUCE_FUNCTION_L1:
    case DML_REDUCE_FUNCTION_SUM_SQUARE:
        return onnx_is_float(type) || type == ONNX_INT32 || type == ONNX_UINT32 || type == ONNX_INT64 ||
               type == ONNX_UINT64;
    default:
        return true;
    }
}

static bool reduce(const struct onnx_call *call, DML_REDUCE_FUNCTION function) {
    struct reduction r = {0};
    if (!read_axes(call, &r)) {
        return false;
    }
    if (!supports(function, r.x->type)) {
        return onnx_refuse_type(call, "of %s", onnx_type_name(r.x->type));
    }
    if (is_of_nothing(&r)) {
        return onnx_output(call, 0, reduce_nothing(call, &r, function));
    }
    if (onnx_is_empty(r.x)) {
        return onnx_output(call, 0, onnx_declare(call, r.x->type, r.kept_rank, r.kept));
    }
    struct onnx_tensor *y, *x = give_axis(call, &r);
    if (function == DML_REDUCE_FUNCTION_AVERAGE && !onnx_is_float(r.x->type) && r.x->type != ONNX_DOUBLE) {
        y = x == NULL ? NULL : average_integers(call, &r, x);
    } else {
        y = onnx_reduce(call, function, x, r.count, r.axes);
    }
    return onnx_output(call, 0, onnx_reshape(call, y, r.kept_rank, r.kept));
}

#define REDUCTION(name, function)                                                                                      \
    static bool name(const struct onnx_call *call) {                                                                   \
        return reduce(call, DML_REDUCE_FUNCTION_##function);                                                           \
    }
REDUCTION(reduce_l1, L1)
REDUCTION(reduce_l2, L2)
REDUCTION(reduce_log_sum, LOG_SUM)
REDUCTION(reduce_log_sum_exp, LOG_SUM_EXP)
REDUCTION(reduce_max, MAX)
REDUCTION(reduce_mean, AVERAGE)
REDUCTION(reduce_min, MIN)
REDUCTION(reduce_prod, MULTIPLY)
REDUCTION(reduce_sum, SUM)
REDUCTION(reduce_sum_square, SUM_SQUARE)

/* ---- places ---- */

static bool find_place(const struct onnx_call *call, DML_OPERATOR_TYPE type) {
    struct reduction r = {.x = onnx_input(call, 0)};
    if (r.x == NULL) {
        return onnx_refuse(call, "no input");
    }
    const int64_t axis = onnx_int(call, "axis", 0);
    if (r.x->rank != 0 && !add_axes(call, &r, 1, &axis)) {
        return false;
    }
    keep_sizes(&r, onnx_int(call, "keepdims", 1) == 1);
    if (is_of_nothing(&r)) {
        return onnx_refuse(call, "no elements");
    }
    uint32_t sizes[ONNX_MAX_RANK];
    struct onnx_tensor *x = give_axis(call, &r);
    for (uint32_t d = 0; x != NULL && d < x->rank; ++d) {
        sizes[d] = d == r.axes[0] ? 1 : x->sizes[d];
    }
    struct onnx_tensor *y = x == NULL ? NULL : onnx_declare(call, ONNX_INT64, x->rank, sizes);
    const bool is_last = onnx_int(call, "select_last_index", 0) != 0;
    DML_ARGMAX_OPERATOR_DESC desc = {.AxisCount = 1,
                                     .Axes = r.axes,
                                     .AxisDirection =
                                         is_last ? DML_AXIS_DIRECTION_DECREASING : DML_AXIS_DIRECTION_INCREASING};
    if (y == NULL || (!onnx_is_empty(y) && !onnx_emit(call, type, &desc, ONNX_TENSORS(x), 1, &y))) {
        return false;
    }
    return onnx_output(call, 0, onnx_reshape(call, y, r.kept_rank, r.kept));
}

static bool arg_max(const struct onnx_call *call) {
    return find_place(call, DML_OPERATOR_ARGMAX);
}

static bool arg_min(const struct onnx_call *call) {
    return find_place(call, DML_OPERATOR_ARGMIN);
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "ArgMax", 1, arg_max},
    {ONNX_ML, "ArgMin", 1, arg_min},
    {ONNX_ML, "ReduceL1", 1, reduce_l1},
    {ONNX_ML, "ReduceL2", 1, reduce_l2},
    {ONNX_ML, "ReduceLogSum", 1, reduce_log_sum},
    {ONNX_ML, "ReduceLogSumExp", 1, reduce_log_sum_exp},
    {ONNX_ML, "ReduceMax", 1, reduce_max},
    {ONNX_ML, "ReduceMean", 1, reduce_mean},
    {ONNX_ML, "ReduceMin", 1, reduce_min},
    {ONNX_ML, "ReduceProd", 1, reduce_prod},
    {ONNX_ML, "ReduceSum", 1, reduce_sum},
    {ONNX_ML, "ReduceSumSquare", 1, reduce_sum_square},
};
ONNX_DEFINE_FAMILY(reduction, rows)
