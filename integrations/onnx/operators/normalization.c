/* Normalization by means and variances of batches, instances, groups and channels. */
#include "onnx/operators/normalize.h"

/* ---- batches ---- */

/* Scale, bias, mean and variance: {C, ..} of channels, as {1, C, ..}. */
static struct onnx_tensor *per_channel(const struct onnx_call *call, uint32_t index, const struct onnx_tensor *x,
                                       enum onnx_type type) {
    struct onnx_tensor *tensor = onnx_input(call, index);
    if (tensor == NULL || x->rank < 2) {
        onnx_refuse(call, "no input");
        return NULL;
    }
    if (onnx_count(tensor) == x->sizes[1]) {
        return onnx_cast(call, onnx_along(call, tensor, 1, x->rank), type);
    }
    /* Without `spatial` in old versions each element of a sample has its own. */
    if (call->node->version < 9 && tensor->rank + 1 == x->rank) {
        return onnx_cast(call, onnx_pad_rank(call, tensor, x->rank), type);
    }
    onnx_refuse(call, "input %u is not of %u channels", (unsigned)index, (unsigned)x->sizes[1]);
    return NULL;
}

/* old * momentum + batch * (1 - momentum), of the old one's type. */
static bool run_on(const struct onnx_call *call, uint32_t index, struct onnx_tensor *old, struct onnx_tensor *batch,
                   enum onnx_type type) {
    const float momentum = onnx_float(call, "momentum", 0.9F);
    const struct onnx_tensor *given = onnx_input(call, index + 2);
    struct onnx_tensor *sum =
        onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, onnx_linear(call, onnx_cast(call, old, type), momentum, 0),
                    onnx_linear(call, batch, 1 - momentum, 0));
    return onnx_output(call, index, onnx_reshape(call, onnx_cast(call, sum, given->type), given->rank, given->sizes));
}

static bool train(const struct onnx_call *call, struct onnx_tensor *x, enum onnx_type type,
                  struct onnx_tensor *const *channels) {
    DML_BATCH_NORMALIZATION_TRAINING_OPERATOR_DESC desc = {.Epsilon = onnx_float(call, "epsilon", 1e-5F)};
    struct onnx_tensor *outputs[3] = {NULL, NULL, NULL};
    struct onnx_tensor *inputs[] = {onnx_cast(call, x, type), channels[0], channels[1]};
    if (inputs[0] == NULL ||
        !onnx_emit(call, DML_OPERATOR_BATCH_NORMALIZATION_TRAINING, &desc, 3, inputs, 3, outputs)) {
        return false;
    }
    for (uint32_t i = 1; i < 3 && i < call->output_count; ++i) {
        if (call->wanted[i] && !run_on(call, i, channels[1 + i], outputs[i], type)) {
            return false;
        }
    }
    return onnx_output(call, 0, onnx_cast(call, outputs[0], x->type));
}

/* By given statistics, or from version 14 on with training_mode by the batch's own. */
static bool batch_normalization(const struct onnx_call *call) {
    struct onnx_tensor *x = onnx_input(call, 0);
    struct onnx_tensor *channels[4];
    const bool trains = call->node->version >= 14 && onnx_int(call, "training_mode", 0) != 0;
    if (x == NULL) {
        return onnx_refuse(call, "no input");
    }
    if (call->node->version < 7 && onnx_int(call, "is_test", 0) == 0) {
        return onnx_refuse(call, "training before version 14");
    }
    for (uint32_t i = 1; i < call->output_count && !trains; ++i) {
        if (call->node->outputs[i] != ONNX_NONE) {
            return onnx_refuse(call, "training before version 14");
        }
    }
    enum onnx_type type = x->type;
    for (uint32_t i = 1; i <= 4; ++i) {
        const struct onnx_tensor *channel = onnx_input(call, i);
        type = channel != NULL && channel->type != x->type ? ONNX_FLOAT : type;
    }
    for (uint32_t i = 0; i < 4; ++i) {
        channels[i] = per_channel(call, 1 + i, x, type);
        if (channels[i] == NULL) {
            return false;
        }
    }
    if (onnx_is_empty(x)) {
        return !trains ? onnx_output(call, 0, x) : onnx_refuse(call, "a batch of no elements");
    }
    if (trains) {
        return train(call, x, type, channels);
    }
    DML_BATCH_NORMALIZATION_OPERATOR_DESC desc = {.Spatial = 1, .Epsilon = onnx_float(call, "epsilon", 1e-5F)};
    struct onnx_tensor *wide = onnx_cast(call, x, type);
    struct onnx_tensor *y = onnx_make(call, DML_OPERATOR_BATCH_NORMALIZATION, &desc,
                                      ONNX_TENSORS(wide, channels[2], channels[3], channels[0], channels[1]));
    return onnx_output(call, 0, onnx_cast(call, y, x->type));
}

/* ---- a common part ---- */

struct onnx_tensor *onnx_normalize(const struct onnx_call *call, const struct onnx_normalization *n) {
    if (n->x == NULL || onnx_is_empty(n->x)) {
        return n->x == NULL || n->result == ONNX_UNDEFINED ? n->x : onnx_cast(call, n->x, n->result);
    }
    struct onnx_tensor *inputs[] = {n->x, n->scale, n->bias}, *output = NULL;
    for (size_t i = 0; i < 3; ++i) {
        if (inputs[i] != NULL) {
            inputs[i] = onnx_cast(call, inputs[i], n->type);
            if (inputs[i] == NULL) {
                return NULL;
            }
        }
    }
    bool done;
    if (n->has_no_mean) {
        DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC desc = {
            .AxisCount = n->axis_count, .Axes = n->axes, .UseVariance = 1, .Epsilon = n->epsilon};
        done = onnx_emit(call, DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION2, &desc, 3, inputs, 1, &output);
    } else {
        DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC desc = {
            .AxisCount = n->axis_count, .Axes = n->axes, .NormalizeVariance = 1, .Epsilon = n->epsilon};
        done = onnx_emit(call, DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, &desc, 3, inputs, 1, &output);
    }
    return done ? onnx_cast(call, output, n->result != ONNX_UNDEFINED ? n->result : n->x->type) : NULL;
}

static void axes_from(struct onnx_normalization *n, uint32_t first, uint32_t end) {
    for (uint32_t d = first; d < end; ++d) {
        n->axes[n->axis_count++] = d;
    }
}

/* ---- instances, groups, all ---- */

static bool instance_normalization(const struct onnx_call *call) {
    struct onnx_normalization n = {.x = onnx_input(call, 0), .epsilon = onnx_float(call, "epsilon", 1e-5F)};
    if (n.x == NULL || n.x->rank < 3 || onnx_input(call, 1) == NULL || onnx_input(call, 2) == NULL ||
        onnx_count(onnx_input(call, 1)) != n.x->sizes[1] || onnx_count(onnx_input(call, 2)) != n.x->sizes[1]) {
        return onnx_refuse(call, "inputs of these sizes");
    }
    n.type = n.x->type;
    n.scale = onnx_along(call, onnx_input(call, 1), 1, n.x->rank);
    n.bias = onnx_along(call, onnx_input(call, 2), 1, n.x->rank);
    axes_from(&n, 2, n.x->rank);
    return n.scale != NULL && n.bias != NULL && onnx_output(call, 0, onnx_normalize(call, &n));
}

/* {N, C, ..} as {N, groups, C / groups, all else}; numbers of channels, or of groups, beside it. */
static struct onnx_tensor *normalize_groups(const struct onnx_call *call, struct onnx_tensor *x, int64_t groups,
                                            struct onnx_tensor *const *numbers) {
    if (x == NULL || x->rank < 2 || numbers[0] == NULL || numbers[1] == NULL || groups < 1 || x->sizes[1] == 0 ||
        x->sizes[1] % groups != 0) {
        onnx_refuse(call, "inputs of these sizes, and %lld groups", (long long)groups);
        return NULL;
    }
    if (onnx_is_empty(x)) {
        return x;
    }
    struct onnx_normalization n = {.epsilon = onnx_float(call, "epsilon", 1e-5F)};
    const uint32_t count = (uint32_t)groups, channels = x->sizes[1];
    const uint64_t rest = onnx_count(x) / channels / x->sizes[0];
    if (rest > UINT32_MAX) {
        onnx_refuse(call, "sizes beyond 32 bits");
        return NULL;
    }
    n.x = onnx_reshape(call, x, 4, (const uint32_t[]){x->sizes[0], count, channels / count, (uint32_t)rest});
    n.type = numbers[0]->type == x->type && numbers[1]->type == x->type ? x->type : ONNX_FLOAT;
    struct onnx_tensor *shaped[2];
    for (uint32_t i = 0; i < 2; ++i) {
        const uint64_t given = onnx_count(numbers[i]);
        if (given != channels && given != count) {
            onnx_refuse(call, "scales of %llu", (unsigned long long)given);
            return NULL;
        }
        shaped[i] = onnx_reshape(call, numbers[i], 4,
                                 (const uint32_t[]){1, count, given == channels ? channels / count : 1, 1});
        if (shaped[i] == NULL) {
            return NULL;
        }
    }
    n.scale = shaped[0];
    n.bias = shaped[1];
    axes_from(&n, 2, 4);
    return onnx_reshape(call, onnx_normalize(call, &n), x->rank, x->sizes);
}

/* In version 18 scales are those of groups, later of channels. */
static bool group_normalization(const struct onnx_call *call) {
    struct onnx_tensor *x = onnx_input(call, 0), *scale = onnx_input(call, 1);
    const int64_t groups = onnx_int(call, "num_groups", 0);
    if (x == NULL || scale == NULL || x->rank < 2 ||
        (call->node->version < 21 ? (int64_t)onnx_count(scale) != groups : onnx_count(scale) != x->sizes[1])) {
        return onnx_refuse(call, "inputs of these sizes");
    }
    return onnx_output(call, 0,
                       normalize_groups(call, x, groups, (struct onnx_tensor *[]){scale, onnx_input(call, 2)}));
}

/* x / (1 + exp(-x)). */
static struct onnx_tensor *swish(const struct onnx_call *call, struct onnx_tensor *x) {
    if (x == NULL || onnx_is_empty(x)) {
        return x;
    }
    DML_ACTIVATION_SWISH_OPERATOR_DESC desc = {.SigmoidInputScale = 1};
    return onnx_make(call, DML_OPERATOR_ACTIVATION_SWISH, &desc, ONNX_TENSORS(x));
}

/* What GroupNorm and SkipGroupNorm share. */
struct group_norm {
    bool is_last; /* x is {N, H, W, C}, else {N, C, H, W} */
    bool has_activation;
};

static bool read_group_norm(const struct onnx_call *call, struct group_norm *g) {
    const struct onnx_tensor *x = onnx_input(call, 0);
    const int64_t activation = onnx_int(call, "activation", 0);
    if (x == NULL || x->rank != 4 || activation < 0 || activation > 1) {
        return onnx_refuse(call, "an input of other than 4 dimensions, or activation %lld", (long long)activation);
    }
    *g = (struct group_norm){.is_last = onnx_int(call, "channels_last", 1) != 0, .has_activation = activation == 1};
    return true;
}

/* x, of the first input's layout, normalized by gamma and beta, inputs 1 and 2. */
static struct onnx_tensor *normalize_layout(const struct onnx_call *call, const struct group_norm *g,
                                            struct onnx_tensor *x) {
    x = g->is_last ? onnx_transpose(call, x, (const uint32_t[]){0, 3, 1, 2}) : x;
    struct onnx_tensor *y = normalize_groups(call, x, onnx_int(call, "groups", 0),
                                             (struct onnx_tensor *[]){onnx_input(call, 1), onnx_input(call, 2)});
    y = g->has_activation ? swish(call, y) : y;
    return g->is_last ? onnx_transpose(call, y, (const uint32_t[]){0, 2, 3, 1}) : y;
}

static bool group_norm(const struct onnx_call *call) {
    struct group_norm g;
    return read_group_norm(call, &g) && onnx_output(call, 0, normalize_layout(call, &g, onnx_input(call, 0)));
}

/* A skip {N, C} or a bias {C} with sizes of 1 for height and width; a skip of 4 dimensions as it is. */
static struct onnx_tensor *spread_addend(const struct onnx_call *call, const struct group_norm *g,
                                         struct onnx_tensor *addend) {
    const struct onnx_tensor *x = onnx_input(call, 0);
    if (addend != NULL && addend->rank == 1 && addend->sizes[0] == x->sizes[g->is_last ? 3 : 1]) {
        return onnx_along(call, addend, g->is_last ? 3 : 1, 4);
    }
    if (addend != NULL && addend->rank == 2) {
        const uint32_t n = addend->sizes[0], c = addend->sizes[1];
        return onnx_reshape(call, addend, 4, (const uint32_t[]){n, g->is_last ? 1 : c, 1, g->is_last ? c : 1});
    }
    if (addend == NULL || addend->rank != 4) {
        onnx_refuse(call, "a skip or bias that does not fit the input");
        return NULL;
    }
    return addend;
}

/* x + skip + bias is normalized, and an output. The sum is not rounded to FLOAT16 before. */
static bool skip_group_norm(const struct onnx_call *call) {
    struct onnx_tensor *x = onnx_input(call, 0);
    struct group_norm g;
    if (!read_group_norm(call, &g)) {
        return false;
    }
    struct onnx_tensor *skip = spread_addend(call, &g, onnx_input(call, 3)), *bias = onnx_input(call, 4);
    struct onnx_tensor *sum = onnx_add(call, onnx_cast(call, x, ONNX_FLOAT), onnx_cast(call, skip, ONNX_FLOAT));
    if (bias != NULL && sum != NULL) {
        sum = onnx_add(call, sum, onnx_cast(call, spread_addend(call, &g, bias), ONNX_FLOAT));
    }
    if (sum == NULL) {
        return false;
    }
    for (uint32_t d = 0; d < 4; ++d) {
        if (sum->sizes[d] != x->sizes[d]) {
            return onnx_refuse(call, "a skip or bias that does not fit the input");
        }
    }
    return onnx_output(call, 0, onnx_cast(call, normalize_layout(call, &g, sum), x->type)) &&
           (!onnx_is_wanted(call, 1) || onnx_output(call, 1, onnx_cast(call, sum, x->type)));
}

/* ONNX adds 1e-9 to the deviation; DirectML its square to the variance. */
static bool mean_variance_normalization(const struct onnx_call *call) {
    static const int64_t usual[] = {0, 2, 3};
    struct onnx_normalization n = {.x = onnx_input(call, 0), .epsilon = 1e-18F};
    uint32_t count;
    const int64_t *axes = onnx_ints(call, "axes", &count);
    if (axes == NULL) {
        axes = usual;
        count = 3;
    }
    if (n.x == NULL || count > ONNX_MAX_RANK) {
        return onnx_refuse(call, "no input, or more than 8 axes");
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (!onnx_axis(call, axes[i], n.x->rank, &n.axes[n.axis_count++])) {
            return false;
        }
    }
    n.type = n.x->type;
    return onnx_output(call, 0, onnx_normalize(call, &n));
}

/* ---- channels, norms ---- */

/* DirectML's operator sums fewer channels than about 30,000; sums of more are differences of sums from the first on. */
#define MOST_SUMMED 20000

/* Sums over channels from `before` channels before each to `after` after it, of {N, C, 1, rest}. */
static struct onnx_tensor *sum_around(const struct onnx_call *call, struct onnx_tensor *x, uint32_t before,
                                      uint32_t after) {
    const uint32_t channels = x->sizes[1], none[4] = {0}, start[4] = {0, before + 1, 0, 0};
    DML_CUMULATIVE_SUMMATION_OPERATOR_DESC desc = {.Axis = 1};
    struct onnx_tensor *sums = onnx_make(call, DML_OPERATOR_CUMULATIVE_SUMMATION, &desc, ONNX_TENSORS(x));
    struct onnx_tensor *all = onnx_slice_axis(call, sums, 1, channels - 1, 1, 1);
    struct onnx_tensor *ends = onnx_slice_axis(call, sums, 1, after, channels - after, 1);
    if (all == NULL || ends == NULL) {
        return NULL;
    }
    if (after != 0) {
        const uint32_t rest[] = {x->sizes[0], after, x->sizes[2], x->sizes[3]};
        ends = onnx_join(call, 2, (struct onnx_tensor *[]){ends, onnx_broadcast(call, all, 4, rest)}, 1);
    }
    if (before + 1 >= channels) {
        return ends;
    }
    sums = onnx_slice_axis(call, sums, 1, 0, channels - before - 1, 1);
    return onnx_subtract(call, ends, onnx_pad_zeros(call, sums, start, none));
}

/* x / (bias + alpha / size * the sum of squares)^beta, in FLOAT. */
static struct onnx_tensor *respond_far(const struct onnx_call *call, struct onnx_tensor *planes,
                                       const DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC *desc) {
    const uint32_t most = planes->sizes[1] - 1, before = (desc->LocalSize - 1) / 2, after = desc->LocalSize / 2;
    struct onnx_tensor *x = onnx_cast(call, planes, ONNX_FLOAT);
    struct onnx_tensor *sums = sum_around(call, onnx_multiply(call, x, x), before < most ? before : most,
                                          after < most ? after : most);
    DML_ELEMENT_WISE_CONSTANT_POW_OPERATOR_DESC power = {.Exponent = -desc->Beta};
    sums = onnx_linear(call, sums, (float)((double)desc->Alpha / desc->LocalSize), desc->Bias);
    sums = sums == NULL ? NULL : onnx_apply(call, DML_OPERATOR_ELEMENT_WISE_CONSTANT_POW, &power, sums);
    return onnx_cast(call, onnx_multiply(call, x, sums), planes->type);
}

static bool local_response_normalization(const struct onnx_call *call) {
    struct onnx_tensor *x = onnx_input(call, 0);
    const int64_t size = onnx_int(call, "size", 0);
    if (x == NULL || x->rank < 2 || size < 1 || size > INT32_MAX) {
        return onnx_refuse(call, "size %lld", (long long)size);
    }
    if (onnx_is_empty(x)) {
        return onnx_output(call, 0, x);
    }
    DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC desc = {.CrossChannel = 1,
                                                           .LocalSize = (uint32_t)size,
                                                           .Alpha = onnx_float(call, "alpha", 0.0001F),
                                                           .Beta = onnx_float(call, "beta", 0.75F),
                                                           .Bias = onnx_float(call, "bias", 1)};
    const uint64_t rest = onnx_count(x) / x->sizes[0] / x->sizes[1];
    if (rest > UINT32_MAX) {
        return onnx_refuse(call, "sizes beyond 32 bits");
    }
    struct onnx_tensor *planes =
        x->rank == 4 ? x : onnx_reshape(call, x, 4, (const uint32_t[]){x->sizes[0], x->sizes[1], 1, (uint32_t)rest});
    if (planes == NULL) {
        return false;
    }
    const bool is_far = size > MOST_SUMMED && planes->sizes[1] > MOST_SUMMED / 2;
    struct onnx_tensor *y =
        is_far ? respond_far(call, planes, &desc)
               : onnx_make(call, DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION, &desc, ONNX_TENSORS(planes));
    return onnx_output(call, 0, onnx_reshape(call, y, x->rank, x->sizes));
}

/* Of norm 0 ONNX has zeros, which any Epsilon makes. */
static bool lp_normalization(const struct onnx_call *call) {
    struct onnx_tensor *x = onnx_input(call, 0);
    const int64_t p = onnx_int(call, "p", 2);
    uint32_t axis;
    if (x == NULL || p < 1 || p > 2) {
        return onnx_refuse(call, "p %lld", (long long)p);
    }
    if (!onnx_axis(call, onnx_int(call, "axis", -1), x->rank, &axis)) {
        return false;
    }
    if (onnx_is_empty(x)) {
        return onnx_output(call, 0, x);
    }
    DML_LP_NORMALIZATION_OPERATOR_DESC desc = {.Axis = axis, .Epsilon = 0x1p-126F, .P = (uint32_t)p};
    return onnx_output(call, 0, onnx_make(call, DML_OPERATOR_LP_NORMALIZATION, &desc, ONNX_TENSORS(x)));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "BatchNormalization", 1, batch_normalization},
    {ONNX_ML, "GroupNormalization", 18, group_normalization},
    {ONNX_ML, "InstanceNormalization", 1, instance_normalization},
    {ONNX_ML, "LRN", 1, local_response_normalization},
    {ONNX_ML, "LpNormalization", 1, lp_normalization},
    {ONNX_ML, "MeanVarianceNormalization", 9, mean_variance_normalization},
    {ONNX_MICROSOFT, "GroupNorm", 1, group_norm},
    {ONNX_MICROSOFT, "SkipGroupNorm", 1, skip_group_norm},
};
ONNX_DEFINE_FAMILY(normalization, rows)
