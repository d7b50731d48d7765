/* Nodes that move elements, and those that make them of nothing. */
#include <math.h>
#include <string.h>

#include "cases/number.h"
#include "making.h"

/* A copy, often of a transposed or broadcast view; scaled now and then. */
bool make_identity(struct making *making) {
    struct view view;
    const bool scales = random_chance(making->random, 35);
    if (!take(making, scales ? GRAPH_FLOATS : GRAPH_TYPES, 1, 4, &view)) {
        return false;
    }
    begin_node(making, DML_OPERATOR_ELEMENT_WISE_IDENTITY);
    read_view(making, "InputTensor", 0, &view);
    struct graph_range range = view.range;
    if (scales) {
        static const float choices[] = {1, 2, -1, 0.5F, 0};
        const float scale_bias[2] = {RANDOM_OF(making->random, choices), RANDOM_OF(making->random, choices)};
        uint32_t words[2];
        memcpy(words, scale_bias, sizeof words);
        case_set(making->c, "ScaleBias", 2, words);
        range.most = range.most * 2 + 2;
        range.error *= 2;
        range.fraction = range.fraction == GRAPH_DENSE ? GRAPH_DENSE : range.fraction + 1;
        range.most = range_is_finite(&view.range) ? range.most : (double)INFINITY;
    }
    return write_result(making, "OutputTensor", 0, view.tensor.type, view.tensor.rank, view.tensor.sizes, range);
}

bool make_slice(struct making *making) {
    struct random *random = making->random;
    struct view view;
    uint32_t offsets[CASE_MAX_RANK], windows[CASE_MAX_RANK], strides[CASE_MAX_RANK], output[CASE_MAX_RANK];
    if (!take(making, GRAPH_TYPES, 1, 4, &view)) {
        return false;
    }
    const uint32_t rank = view.tensor.rank;
    for (uint32_t d = 0; d < rank; d++) {
        windows[d] = random_chance(random, 50) ? view.tensor.sizes[d] : random_between(random, 1, view.tensor.sizes[d]);
        offsets[d] = random_below(random, view.tensor.sizes[d] - windows[d] + 1);
        const uint32_t stride = random_chance(random, 75) ? 1 : random_between(random, 1, 3);
        output[d] = (windows[d] - 1) / stride + 1;
        strides[d] = random_chance(random, 85) ? stride : 0 - stride;
    }
    begin_node(making, DML_OPERATOR_SLICE1);
    read_view(making, "InputTensor", 0, &view);
    case_set_uint(making->c, "DimensionCount", rank);
    case_set(making->c, "InputWindowOffsets", rank, offsets);
    case_set(making->c, "InputWindowSizes", rank, windows);
    case_set(making->c, "InputWindowStrides", rank, strides);
    return write_result(making, "OutputTensor", 0, view.tensor.type, rank, output, view.range);
}

bool make_split(struct making *making) {
    struct view view;
    uint32_t output[CASE_MAX_RANK];
    if (!take(making, GRAPH_TYPES, 1, 4, &view)) {
        return false;
    }
    const uint32_t axis = random_below(making->random, view.tensor.rank);
    const uint32_t size = view.tensor.sizes[axis], parts = random_between(making->random, 1, size < 4 ? size : 4);
    begin_node(making, DML_OPERATOR_SPLIT);
    read_view(making, "InputTensor", 0, &view);
    case_set_uint(making->c, "Axis", axis);
    case_set_uint(making->c, "OutputCount", parts);
    memcpy(output, view.tensor.sizes, sizeof output);
    for (uint32_t i = 0, left = size; i < parts; i++) {
        output[axis] = i + 1 == parts ? left : random_between(making->random, 1, left - (parts - i - 1));
        left -= output[axis];
        if (!write_result(making, "OutputTensors", i, view.tensor.type, view.tensor.rank, output, view.range)) {
            return false;
        }
    }
    return true;
}

bool make_join(struct making *making) {
    struct view first, others[3];
    uint32_t sizes[CASE_MAX_RANK];
    if (!take(making, GRAPH_TYPES, 1, 4, &first)) {
        return false;
    }
    const uint32_t axis = random_below(making->random, first.tensor.rank);
    const uint32_t count = random_between(making->random, 1, 4);
    struct graph_range range = first.range;
    memcpy(sizes, first.tensor.sizes, sizeof sizes);
    uint32_t joined = sizes[axis];
    begin_node(making, DML_OPERATOR_JOIN);
    case_set_uint(making->c, "InputCount", count);
    case_set_uint(making->c, "Axis", axis);
    read_view(making, "InputTensors", 0, &first);
    for (uint32_t i = 0; i + 1 < count; i++) {
        sizes[axis] =
            random_chance(making->random, 50) ? first.tensor.sizes[axis] : random_between(making->random, 1, 4);
        if (!take_alike(making, first.tensor.type, first.tensor.rank, sizes, false,
                        usual_numbers(making, first.tensor.type), &others[i])) {
            return false;
        }
        read_view(making, "InputTensors", i + 1, &others[i]);
        range = range_both(&range, &others[i].range);
        joined += sizes[axis];
    }
    sizes[axis] = joined;
    return write_result(making, "OutputTensor", 0, first.tensor.type, first.tensor.rank, sizes, range);
}

bool make_padding(struct making *making) {
    static const DML_PADDING_MODE modes[] = {DML_PADDING_MODE_CONSTANT, DML_PADDING_MODE_EDGE,
                                             DML_PADDING_MODE_REFLECTION};
    const DML_PADDING_MODE mode = RANDOM_OF(making->random, modes);
    struct view view;
    uint32_t starts[CASE_MAX_RANK], ends[CASE_MAX_RANK], output[CASE_MAX_RANK];
    if (!take(making, GRAPH_TYPES, 1, 4, &view)) {
        return false;
    }
    for (uint32_t d = 0; d < view.tensor.rank; d++) {
        const uint32_t most =
            mode == DML_PADDING_MODE_REFLECTION && view.tensor.sizes[d] < 3 ? view.tensor.sizes[d] - 1 : 2;
        starts[d] = random_below(making->random, most + 1);
        ends[d] = random_below(making->random, most + 1);
        output[d] = view.tensor.sizes[d] + starts[d] + ends[d];
    }
    struct graph_range range = view.range;
    range.most = fmax(range.most, 1);
    begin_node(making, DML_OPERATOR_PADDING);
    read_view(making, "InputTensor", 0, &view);
    case_set_uint(making->c, "PaddingMode", mode);
    case_set_float(making->c, "PaddingValue", 1);
    case_set_uint(making->c, "DimensionCount", view.tensor.rank);
    case_set(making->c, "StartPadding", view.tensor.rank, starts);
    case_set(making->c, "EndPadding", view.tensor.rank, ends);
    return write_result(making, "OutputTensor", 0, view.tensor.type, view.tensor.rank, output, range);
}

/* Indices of one dimension. */
bool make_gather(struct making *making) {
    struct view view, indices;
    uint32_t sizes[CASE_MAX_RANK], output[CASE_MAX_RANK];
    if (!take(making, GRAPH_TYPES, 1, 4, &view)) {
        return false;
    }
    const uint32_t rank = view.tensor.rank, axis = random_below(making->random, rank);
    const uint32_t count = random_between(making->random, 1, 6);
    for (uint32_t d = 0; d < rank; d++) {
        sizes[d] = d + 1 == rank ? count : 1;
        output[d] = d == axis ? count : view.tensor.sizes[d];
    }
    if (!take_new(making, DML_TENSOR_DATA_TYPE_UINT32, rank, sizes,
                  (struct numbers){0, (int32_t)view.tensor.sizes[axis] - 1, 0}, &indices)) {
        return false;
    }
    begin_node(making, DML_OPERATOR_GATHER);
    read_view(making, "InputTensor", 0, &view);
    read_view(making, "IndicesTensor", 0, &indices);
    case_set_uint(making->c, "Axis", axis);
    case_set_uint(making->c, "IndexDimensions", 1);
    return write_result(making, "OutputTensor", 0, view.tensor.type, rank, output, view.range);
}

bool make_tile(struct making *making) {
    struct view view;
    uint32_t repeats[CASE_MAX_RANK], output[CASE_MAX_RANK];
    if (!take(making, GRAPH_TYPES, 1, 4, &view)) {
        return false;
    }
    for (uint32_t d = 0; d < view.tensor.rank; d++) {
        repeats[d] = random_chance(making->random, 60) ? 1 : random_between(making->random, 1, 3);
        output[d] = view.tensor.sizes[d] * repeats[d];
    }
    begin_node(making, DML_OPERATOR_TILE);
    read_view(making, "InputTensor", 0, &view);
    case_set_uint(making->c, "RepeatsCount", view.tensor.rank);
    case_set(making->c, "Repeats", view.tensor.rank, repeats);
    return write_result(making, "OutputTensor", 0, view.tensor.type, view.tensor.rank, output, view.range);
}

bool make_value_scale(struct making *making) {
    static const float choices[] = {1, 0.5F, -0.5F, 2};
    struct view view;
    uint32_t words[3];
    if (!take(making, GRAPH_FLOATS, 4, 4, &view)) {
        return false;
    }
    const uint32_t channels = view.tensor.sizes[1];
    if (channels != 1 && channels != 3) {
        return false;
    }
    for (uint32_t i = 0; i < channels; i++) {
        memcpy(&words[i], &RANDOM_OF(making->random, choices), sizeof words[i]);
    }
    begin_node(making, DML_OPERATOR_VALUE_SCALE_2D);
    read_view(making, "InputTensor", 0, &view);
    case_set_float(making->c, "Scale", 0.5F);
    case_set_uint(making->c, "ChannelCount", channels);
    case_set(making->c, "Bias", channels, words);
    struct graph_range range = view.range;
    range.most = range_is_finite(&range) ? range.most + 2 : (double)INFINITY;
    range.fraction = range.fraction == GRAPH_DENSE ? GRAPH_DENSE : range.fraction + 2;
    return write_result(making, "OutputTensor", 0, view.tensor.type, 4, view.tensor.sizes, range);
}

/* ---- of nothing ---- */

static DML_TENSOR_DATA_TYPE choose_type(struct random *random) {
    static const DML_TENSOR_DATA_TYPE types[] = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_FLOAT32,
                                                 DML_TENSOR_DATA_TYPE_FLOAT16, DML_TENSOR_DATA_TYPE_INT32,
                                                 DML_TENSOR_DATA_TYPE_UINT32,  DML_TENSOR_DATA_TYPE_UINT8};
    return RANDOM_OF(random, types);
}

static void set_scalar(struct making *making, const char *field, DML_TENSOR_DATA_TYPE type, double number) {
    const uint64_t bits = number_encode(type, number);
    const uint32_t words[2] = {(uint32_t)bits, 0};
    case_set(making->c, field, 2, words);
}

static uint32_t choose_sizes(struct random *random, uint32_t *sizes) {
    const uint32_t rank = random_between(random, 1, 4);
    for (uint32_t d = 0; d < rank; d++) {
        sizes[d] = random_between(random, 1, 5);
    }
    return rank;
}

bool make_constant_fill(struct making *making) {
    uint32_t sizes[CASE_MAX_RANK];
    const uint32_t rank = choose_sizes(making->random, sizes), number = random_below(making->random, 5);
    const DML_TENSOR_DATA_TYPE type = choose_type(making->random);
    begin_node(making, DML_OPERATOR_FILL_VALUE_CONSTANT);
    case_set_uint(making->c, "ValueDataType", type);
    set_scalar(making, "Value", type, number);
    return write_result(making, "OutputTensor", 0, type, rank, sizes, (struct graph_range){number, 0, 0});
}

bool make_sequence(struct making *making) {
    uint32_t sizes[CASE_MAX_RANK], rank = choose_sizes(making->random, sizes);
    const DML_TENSOR_DATA_TYPE type = choose_type(making->random);
    begin_node(making, DML_OPERATOR_FILL_VALUE_SEQUENCE);
    case_set_uint(making->c, "ValueDataType", type);
    set_scalar(making, "ValueStart", type, random_below(making->random, 5));
    set_scalar(making, "ValueDelta", type, 1);
    return write_result(making, "OutputTensor", 0, type, rank, sizes, (struct graph_range){700, 0, 0});
}
