/* Nodes whose elements are made of many: products, pools, folds, normalizations. */
#include <math.h>
#include <string.h>

#include "making.h"

static const struct graph_range one = {1, 0, 0};

/* What a product is of: a, columns that are made of it, and how both are read. */
struct product {
    struct view a;
    uint32_t columns;
    bool trans_a, trans_b, has_c;
};

/* As the graph's last node is, where that is one: products of one matrix become one. */
static bool repeat_product(const struct making *making, struct product *product) {
    const struct random_graph *graph = making->graph;
    const struct graph_node *last = graph->node_count > 0 ? &graph->nodes[graph->node_count - 1] : NULL;
    if (last == NULL || last->is_constant || last->c.schema->type != DML_OPERATOR_GEMM) {
        return false;
    }
    struct operator_case c = last->c;
    const struct case_tensor *output = case_tensor(&c, "OutputTensor");
    product->a = (struct view){last->sources[0], *case_tensor(&c, "ATensor"), graph->values[last->sources[0]].range};
    product->columns = output->sizes[output->rank - 1];
    product->trans_a = case_word(&c, "TransA");
    product->trans_b = case_word(&c, "TransB");
    product->has_c = case_float(&c, "Beta") != 0;
    return true;
}

/* Uses a value's view as it is, or as a matrix that is transposed when it is read. */
static bool choose_product(struct making *making, struct product *product) {
    struct random *random = making->random;
    if (random_chance(random, 80) && repeat_product(making, product)) {
        return true;
    }
    product->columns = random_between(random, 1, 7);
    product->trans_a = random_chance(random, 30);
    product->trans_b = random_chance(random, 30);
    product->has_c = random_chance(random, 50);
    return take(making, GRAPH_FLOATS, 2, 4, &product->a);
}

/* Weights, or what there is. */
static bool take_factor(struct making *making, DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *sizes,
                        bool may_broadcast, struct view *view) {
    const struct numbers numbers = usual_numbers(making, type);
    making->is_known = random_chance(making->random, 80);
    return making->is_known ? take_new(making, type, rank, sizes, numbers, view)
                            : take_alike(making, type, rank, sizes, may_broadcast, numbers, view);
}

bool make_gemm(struct making *making) {
    struct product product;
    struct view b, c;
    if (!choose_product(making, &product)) {
        return false;
    }
    const struct view a = product.a;
    const uint32_t rank = a.tensor.rank, columns = product.columns;
    const bool trans_a = product.trans_a, trans_b = product.trans_b, has_c = product.has_c;
    uint32_t sizes[4], output[4];
    memcpy(sizes, a.tensor.sizes, sizeof sizes);
    memcpy(output, sizes, sizeof sizes);
    const uint32_t inner = trans_a ? sizes[rank - 2] : sizes[rank - 1];
    output[rank - 2] = trans_a ? sizes[rank - 1] : sizes[rank - 2];
    output[rank - 1] = columns;
    sizes[rank - 2] = trans_b ? columns : inner;
    sizes[rank - 1] = trans_b ? inner : columns;
    if (!take_factor(making, a.tensor.type, rank, sizes, false, &b) ||
        (has_c && !take_factor(making, a.tensor.type, rank, output, true, &c))) {
        return false;
    }
    begin_node(making, DML_OPERATOR_GEMM);
    read_view(making, "ATensor", 0, &a);
    read_view(making, "BTensor", 0, &b);
    struct graph_range range = range_of_sum(&a.range, &b.range, inner);
    case_set_uint(making->c, "TransA", trans_a);
    case_set_uint(making->c, "TransB", trans_b);
    case_set_float(making->c, "Alpha", 1);
    case_set_float(making->c, "Beta", has_c);
    if (has_c) {
        const struct graph_range sum = range_add(&range, &c.range);
        range = range_of_sum(&sum, &one, 1);
        read_view(making, "CTensor", 0, &c);
    }
    fuse_activation(making, a.tensor.type, &range);
    return write_result(making, "OutputTensor", 0, a.tensor.type, rank, output, range);
}

static void set_windows(struct making *making, const uint32_t *strides, const uint32_t *starts, const uint32_t *ends) {
    case_set_uint(making->c, "DimensionCount", 2);
    case_set(making->c, "Strides", 2, strides);
    case_set(making->c, "StartPadding", 2, starts);
    case_set(making->c, "EndPadding", 2, ends);
    if (case_has(making->c, "Dilations")) {
        static const uint32_t ones[2] = {1, 1};
        case_set(making->c, "Dilations", 2, ones);
    }
}

/* A window over the last two dimensions; what comes of their sizes. False where it does not fit. */
static bool choose_windows(struct random *random, const uint32_t *sizes, uint32_t *window, uint32_t *strides,
                           uint32_t *starts, uint32_t *ends, uint32_t *output) {
    for (uint32_t d = 0; d < 2; d++) {
        window[d] = random_between(random, 1, 3);
        strides[d] = random_between(random, 1, 2);
        starts[d] = random_below(random, window[d]);
        ends[d] = random_below(random, window[d]);
        if (sizes[2 + d] + starts[d] + ends[d] < window[d]) {
            return false;
        }
        output[2 + d] = (sizes[2 + d] + starts[d] + ends[d] - window[d]) / strides[d] + 1;
    }
    return true;
}

bool make_convolution(struct making *making) {
    struct random *random = making->random;
    struct view input, filter, bias;
    uint32_t window[2], strides[2], starts[2], ends[2], output[4];
    if (!take(making, GRAPH_FLOATS, 4, 4, &input)) {
        return false;
    }
    const uint32_t *sizes = input.tensor.sizes;
    const uint32_t groups = random_chance(random, 25) ? sizes[1] : 1;
    const uint32_t channels = groups * random_between(random, 1, 4);
    const bool has_bias = random_chance(random, 60);
    if (!choose_windows(random, sizes, window, strides, starts, ends, output)) {
        return false;
    }
    output[0] = sizes[0];
    output[1] = channels;
    const uint32_t filters[4] = {channels, sizes[1] / groups, window[0], window[1]}, biases[4] = {1, channels, 1, 1};
    const DML_TENSOR_DATA_TYPE type = input.tensor.type;
    making->is_known = random_chance(random, 85);
    if (!take_alike(making, type, 4, filters, false, usual_numbers(making, type), &filter) ||
        (has_bias && !take_alike(making, type, 4, biases, false, usual_numbers(making, type), &bias))) {
        return false;
    }
    begin_node(making, DML_OPERATOR_CONVOLUTION);
    read_view(making, "InputTensor", 0, &input);
    read_view(making, "FilterTensor", 0, &filter);
    struct graph_range range = range_of_sum(&input.range, &filter.range, filters[1] * window[0] * window[1]);
    if (has_bias) {
        const struct graph_range sum = range_add(&range, &bias.range);
        range = range_of_sum(&sum, &one, 1);
        read_view(making, "BiasTensor", 0, &bias);
    }
    set_windows(making, strides, starts, ends);
    case_set(making->c, "OutputPadding", 2, (const uint32_t[2]){0, 0});
    case_set_uint(making->c, "Mode", DML_CONVOLUTION_MODE_CROSS_CORRELATION);
    case_set_uint(making->c, "Direction", DML_CONVOLUTION_DIRECTION_FORWARD);
    case_set_uint(making->c, "GroupCount", groups);
    fuse_activation(making, type, &range);
    return write_result(making, "OutputTensor", 0, type, 4, output, range);
}

bool make_pooling(struct making *making) {
    struct random *random = making->random;
    struct view input;
    uint32_t window[2], strides[2], starts[2], ends[2], output[4];
    const bool is_average = random_chance(random, 40), has_indices = !is_average && random_chance(random, 40);
    making->needs_exact = has_indices;
    if (!take(making, is_average ? GRAPH_FLOATS : GRAPH_FLOATS | CASE_TYPE(UINT8), 4, 4, &input) ||
        !choose_windows(random, input.tensor.sizes, window, strides, starts, ends, output)) {
        return false;
    }
    output[0] = input.tensor.sizes[0];
    output[1] = input.tensor.sizes[1];
    begin_node(making, is_average ? DML_OPERATOR_AVERAGE_POOLING : DML_OPERATOR_MAX_POOLING2);
    read_view(making, "InputTensor", 0, &input);
    set_windows(making, strides, starts, ends);
    case_set(making->c, "WindowSize", 2, window);
    struct graph_range range = input.range;
    if (is_average) {
        const uint32_t terms = window[0] * window[1];
        case_set_uint(making->c, "IncludePadding", random_chance(random, 50));
        range = range_of_sum(&input.range, &one, terms);
        /* Divided by whatever number of elements is there: exact by a power of two alone. */
        range.error += terms > 1 ? range.most * 0x1p-18 : 0;
        range.fraction = terms > 1 ? GRAPH_DENSE : range.fraction;
    }
    if (has_indices) {
        if (!write_result(making, "OutputIndicesTensor", 0, DML_TENSOR_DATA_TYPE_UINT32, 4, output,
                          (struct graph_range){4096, 0, 0})) {
            return false;
        }
        making->optional[case_index(making->c, "OutputIndicesTensor")] = true;
    }
    return write_result(making, "OutputTensor", 0, input.tensor.type, 4, output, range);
}

bool make_reduce(struct making *making) {
    struct random *random = making->random;
    static const DML_REDUCE_FUNCTION functions[] = {DML_REDUCE_FUNCTION_SUM, DML_REDUCE_FUNCTION_MAX,
                                                    DML_REDUCE_FUNCTION_MIN};
    const DML_REDUCE_FUNCTION function = RANDOM_OF(random, functions);
    struct view input;
    uint32_t axes[CASE_MAX_RANK], count = 0, terms = 1, output[CASE_MAX_RANK];
    if (!take(making, GRAPH_FLOATS | CASE_TYPE(INT32) | CASE_TYPE(UINT32), 1, 4, &input)) {
        return false;
    }
    memcpy(output, input.tensor.sizes, sizeof output);
    for (uint32_t d = 0; d < input.tensor.rank; d++) {
        if (random_chance(random, 50) || (d + 1 == input.tensor.rank && count == 0)) {
            axes[count++] = d;
            terms *= output[d];
            output[d] = 1;
        }
    }
    begin_node(making, DML_OPERATOR_REDUCE);
    read_view(making, "InputTensor", 0, &input);
    case_set_uint(making->c, "Function", function);
    case_set_uint(making->c, "AxisCount", count);
    case_set(making->c, "Axes", count, axes);
    const bool is_integer = (GRAPH_FLOATS >> input.tensor.type & 1) == 0;
    const struct graph_range range = function != DML_REDUCE_FUNCTION_SUM ? input.range
                                     : is_integer                        ? (struct graph_range){0x1p32, 0, 0}
                                                                         : range_of_sum(&input.range, &one, terms);
    return write_result(making, "OutputTensor", 0, input.tensor.type, input.tensor.rank, output, range);
}

bool make_softmax(struct making *making) {
    struct view input;
    if (!making->graph->is_rough || !take(making, GRAPH_FLOATS, 2, 4, &input) || !range_is_finite(&input.range)) {
        return false;
    }
    const uint32_t axis = random_below(making->random, input.tensor.rank);
    begin_node(making, DML_OPERATOR_ACTIVATION_SOFTMAX1);
    read_view(making, "InputTensor", 0, &input);
    case_set_uint(making->c, "AxisCount", 1);
    case_set(making->c, "Axes", 1, &axis);
    const struct graph_range range = {1, GRAPH_DENSE, fmin(1, 2 * input.range.error) + 0x1p-13};
    return write_result(making, "OutputTensor", 0, input.tensor.type, input.tensor.rank, input.tensor.sizes, range);
}

/* Sizes of a tensor with one element per channel. */
static void channel_sizes(const struct view *input, uint32_t *sizes) {
    for (uint32_t d = 0; d < input->tensor.rank; d++) {
        sizes[d] = d == 1 ? input->tensor.sizes[d] : 1;
    }
}

/* A convolution's output that nobody reads yet, as it is; false: there is none, or another is to be taken. */
static bool take_convolved(struct making *making, struct view *view) {
    const struct random_graph *graph = making->graph;
    for (uint32_t v = graph->value_count; random_chance(making->random, 90) && v-- > 0;) {
        const struct graph_value *value = &graph->values[v];
        if (value->kind == GRAPH_RESULT && value->readers == 0 &&
            graph->nodes[value->node].c.schema->type == DML_OPERATOR_CONVOLUTION) {
            *view = (struct view){v, value->tensor, value->range};
            return true;
        }
    }
    return false;
}

/* Whether a value may be a convolution's where nodes became one: its filter may take in what is behind it, and that
 * changes bits. */
static bool may_be_convolved(const struct random_graph *graph, uint32_t v) {
    const struct graph_value *value = &graph->values[v];
    if (value->kind != GRAPH_RESULT) {
        return false;
    }
    const struct graph_node *node = &graph->nodes[value->node];
    switch (node->c.schema->type) {
    case DML_OPERATOR_CONVOLUTION:
        return true;
    case DML_OPERATOR_ELEMENT_WISE_IDENTITY:
    case DML_OPERATOR_ACTIVATION_IDENTITY:
    case DML_OPERATOR_CAST:
        return may_be_convolved(graph, node->sources[0]);
    case DML_OPERATOR_ELEMENT_WISE_ADD:
    case DML_OPERATOR_ELEMENT_WISE_ADD1:
        return may_be_convolved(graph, node->sources[0]) || may_be_convolved(graph, node->sources[1]);
    default:
        return false;
    }
}

bool make_batch_normalization(struct making *making) {
    static const char *const fields[] = {"MeanTensor", "VarianceTensor", "ScaleTensor", "BiasTensor"};
    static const struct numbers numbers[] = {{-4, 4, 1}, {1, 9, 1}, {-4, 4, 1}, {-8, 8, 2}};
    struct view input, others[4];
    uint32_t sizes[CASE_MAX_RANK];
    if (!take_convolved(making, &input) && !take(making, GRAPH_FLOATS, 2, 4, &input)) {
        return false;
    }
    channel_sizes(&input, sizes);
    begin_node(making, DML_OPERATOR_BATCH_NORMALIZATION);
    read_view(making, "InputTensor", 0, &input);
    making->is_known = random_chance(making->random, 85);
    for (uint32_t i = 0; i < 4; i++) {
        if (!take_new(making, input.tensor.type, input.tensor.rank, sizes, numbers[i], &others[i])) {
            return false;
        }
        read_view(making, fields[i], 0, &others[i]);
    }
    case_set_uint(making->c, "Spatial", 1);
    case_set_float(making->c, "Epsilon", 0.5F);
    /* The deviation is 1 or more. */
    struct graph_range range = {(input.range.most + 2) * 2 + 2, GRAPH_DENSE, input.range.error * 2};
    if (may_be_convolved(making->graph, input.value)) { /* of up to 500 products */
        range.error += range.most * 512 * 0x1p-23;
    }
    fuse_activation(making, input.tensor.type, &range);
    return write_result(making, "OutputTensor", 0, input.tensor.type, input.tensor.rank, input.tensor.sizes, range);
}

bool make_mean_variance(struct making *making) {
    struct view input, scale;
    uint32_t axes[CASE_MAX_RANK], sizes[CASE_MAX_RANK], count = 0, terms = 1;
    if (!making->graph->is_rough || !take(making, GRAPH_FLOATS, 2, 4, &input) || !range_is_finite(&input.range)) {
        return false;
    }
    for (uint32_t d = input.tensor.rank - 1; d > 0 && (count == 0 || random_chance(making->random, 50)); d--) {
        axes[count++] = d;
        terms *= input.tensor.sizes[d];
    }
    channel_sizes(&input, sizes);
    begin_node(making, DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1);
    read_view(making, "InputTensor", 0, &input);
    if (random_chance(making->random, 50)) {
        if (!take_new(making, input.tensor.type, input.tensor.rank, sizes, (struct numbers){-2, 2, 1}, &scale)) {
            return false;
        }
        read_view(making, "ScaleTensor", 0, &scale);
    }
    case_set_uint(making->c, "AxisCount", count);
    case_set(making->c, "Axes", count, axes);
    case_set_uint(making->c, "NormalizeVariance", 1);
    case_set_float(making->c, "Epsilon", 1);
    const double most = input.range.most, error = input.range.error;
    struct graph_range range = {sqrt(terms) + 1, GRAPH_DENSE,
                                fmin(2 * error + 8 * most * most * error, 2 * sqrt(terms)) + (most + 1) * 0x1p-13};
    fuse_activation(making, input.tensor.type, &range);
    return write_result(making, "OutputTensor", 0, input.tensor.type, input.tensor.rank, input.tensor.sizes, range);
}
