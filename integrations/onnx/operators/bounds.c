/* Operators of many inputs, and of bounds. */
#include <string.h>

#include "onnx/operators.h"
#include "onnx/operators/element_wise.h"

/* ---- of any number of inputs ---- */

static struct onnx_tensor *chain(const struct onnx_call *call, DML_OPERATOR_TYPE type) {
    struct onnx_tensor *result = onnx_input(call, 0);
    for (uint32_t i = 0; i < call->input_count; ++i) {
        if (call->inputs[i] == NULL) {
            onnx_refuse(call, "input %u is missing", (unsigned)i);
            return NULL;
        }
        if (i != 0) {
            result = type == DML_OPERATOR_ELEMENT_WISE_ADD ? onnx_binary(call, type, result, call->inputs[i])
                                                           : onnx_bound(call, type, result, call->inputs[i]);
        }
    }
    if (result == NULL && call->input_count == 0) {
        onnx_refuse(call, "no input");
    }
    return result;
}

static bool greatest(const struct onnx_call *call) {
    return onnx_output(call, 0, chain(call, DML_OPERATOR_ELEMENT_WISE_MAX));
}

static bool least(const struct onnx_call *call) {
    return onnx_output(call, 0, chain(call, DML_OPERATOR_ELEMENT_WISE_MIN));
}

static bool sum(const struct onnx_call *call) {
    return onnx_output(call, 0, chain(call, DML_OPERATOR_ELEMENT_WISE_ADD));
}

static bool mean(const struct onnx_call *call) {
    struct onnx_tensor *result = chain(call, DML_OPERATOR_ELEMENT_WISE_ADD);
    if (call->input_count > 1) {
        result = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_DIVIDE, result, call->input_count);
    }
    return onnx_output(call, 0, result);
}

/* ---- clip ---- */

/* The least and the greatest finite numbers of a type as little-endian bits. */
static struct onnx_tensor *limit(const struct onnx_call *call, enum onnx_type type, bool is_greatest) {
    const size_t size = onnx_bytes_of(type, 1);
    uint64_t bits;
    if (type == ONNX_FLOAT) {
        bits = is_greatest ? 0x7F7FFFFF : 0xFF7FFFFF;
    } else if (type == ONNX_FLOAT16) {
        bits = is_greatest ? 0x7BFF : 0xFBFF;
    } else if (type == ONNX_DOUBLE) {
        bits = is_greatest ? UINT64_C(0x7FEFFFFFFFFFFFFF) : UINT64_C(0xFFEFFFFFFFFFFFFF);
    } else if (onnx_is_unsigned(type)) {
        bits = is_greatest ? UINT64_MAX : 0;
    } else if (onnx_is_integer(type)) {
        bits = (UINT64_C(1) << (8 * size - 1)) - (is_greatest ? 1 : 0);
    } else {
        onnx_refuse_type(call, "of %s", onnx_type_name(type));
        return NULL;
    }
    unsigned char bytes[sizeof bits];
    for (size_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = (unsigned char)(bits >> (8 * i));
    }
    return onnx_constant(call, type, 0, NULL, bytes);
}

/* Whether a constant is NaN: a bound that bounds nothing, in DirectML and in ONNX Runtime. */
static bool is_nan(const struct onnx_tensor *number) {
    uint32_t bits = 0;
    if (number->type == ONNX_FLOAT16) {
        memcpy(&bits, number->data, 2);
        return (bits & 0x7FFF) > 0x7C00;
    }
    if (number->type == ONNX_FLOAT) {
        memcpy(&bits, number->data, sizeof bits);
    }
    return (bits & 0x7FFFFFFF) > 0x7F800000;
}

/* Min(max, Max(input, min)): where min is greater it is max throughout. */
static struct onnx_tensor *clip_by(const struct onnx_call *call, struct onnx_tensor *input, struct onnx_tensor *min,
                                   struct onnx_tensor *max) {
    if (min->data == NULL || max->data == NULL || input->type == ONNX_DOUBLE) {
        struct onnx_tensor *clipped = onnx_bound(call, DML_OPERATOR_ELEMENT_WISE_MAX, input, min);
        return onnx_bound(call, DML_OPERATOR_ELEMENT_WISE_MIN, clipped, max);
    }
    /* DirectML's is max(Min, min(input, Max)). */
    min = is_nan(max) ? min : onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MIN, min, max);
    if (min == NULL || min->data == NULL) {
        return NULL;
    }
    DML_ELEMENT_WISE_CLIP1_OPERATOR_DESC desc = {0};
    const size_t size = onnx_bytes_of(input->type, 1);
    static const DML_TENSOR_DATA_TYPE types[] = {
        [ONNX_FLOAT] = DML_TENSOR_DATA_TYPE_FLOAT32, [ONNX_FLOAT16] = DML_TENSOR_DATA_TYPE_FLOAT16,
        [ONNX_UINT8] = DML_TENSOR_DATA_TYPE_UINT8,   [ONNX_INT8] = DML_TENSOR_DATA_TYPE_INT8,
        [ONNX_UINT16] = DML_TENSOR_DATA_TYPE_UINT16, [ONNX_INT16] = DML_TENSOR_DATA_TYPE_INT16,
        [ONNX_UINT32] = DML_TENSOR_DATA_TYPE_UINT32, [ONNX_INT32] = DML_TENSOR_DATA_TYPE_INT32,
        [ONNX_UINT64] = DML_TENSOR_DATA_TYPE_UINT64, [ONNX_INT64] = DML_TENSOR_DATA_TYPE_INT64};
    desc.MinMaxDataType = types[input->type];
    memcpy(&desc.Min, min->data, size);
    memcpy(&desc.Max, max->data, size);
    return onnx_apply(call, DML_OPERATOR_ELEMENT_WISE_CLIP1, &desc, input);
}

/* Bounds are inputs. */
static bool clip(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0), *bounds[2];
    if (input == NULL || limit(call, input->type, false) == NULL) {
        return input != NULL ? false : onnx_refuse(call, "no input");
    }
    for (uint32_t i = 0; i < 2; ++i) {
        struct onnx_tensor *bound = onnx_input(call, i + 1);
        if (bound == NULL) {
            bounds[i] = limit(call, input->type, i == 1);
        } else if (onnx_count(bound) != 1 || bound->type != input->type) {
            return onnx_refuse(call, "a bound that is not one number of the input's type");
        } else {
            bounds[i] = onnx_reshape(call, bound, 0, NULL);
        }
        if (bounds[i] == NULL) {
            return false;
        }
    }
    if (onnx_input(call, 1) == NULL && onnx_input(call, 2) == NULL && onnx_is_integer(input->type)) {
        return onnx_output(call, 0, input);
    }
    return onnx_output(call, 0, clip_by(call, input, bounds[0], bounds[1]));
}

/* Below version 11 they are attributes, of floats. */
static bool clip_by_attributes(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0);
    if (input == NULL) {
        return onnx_refuse(call, "no input");
    }
    if (input->type != ONNX_FLOAT && input->type != ONNX_FLOAT16) {
        return onnx_refuse_type(call, "of %s", onnx_type_name(input->type));
    }
    const float most = 0x1.fffffeP127F;
    struct onnx_tensor *bounds[2];
    bounds[0] = onnx_number(call, input->type, (double)onnx_float(call, "min", -most));
    bounds[1] = onnx_number(call, input->type, (double)onnx_float(call, "max", most));
    return bounds[0] != NULL && bounds[1] != NULL && onnx_output(call, 0, clip_by(call, input, bounds[0], bounds[1]));
}

/* ---- x >= 0 ? x : slope * x ---- */

static bool parameterized_relu(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0), *slope = onnx_input(call, 1);
    if (input == NULL || slope == NULL) {
        return onnx_refuse(call, "an input is missing");
    }
    if (call->node->version < 7 && onnx_count(slope) > 1) { /* of each channel */
        uint32_t sizes[ONNX_MAX_RANK];
        for (uint32_t d = 1; d < input->rank; ++d) {
            sizes[d - 1] = d == 1 ? input->sizes[1] : 1;
        }
        slope = input->rank < 2 ? slope : onnx_reshape(call, slope, input->rank - 1, sizes);
    }
    if (call->node->version < 7 && slope != NULL && onnx_count(slope) == 1) {
        slope = onnx_reshape(call, slope, 0, NULL);
    }
    slope = onnx_broadcast(call, slope, input->rank, input->sizes);
    if (slope == NULL) {
        return false;
    }
    if (onnx_is_empty(input) || onnx_is_unsigned(input->type)) {
        return onnx_output(call, 0, input);
    }
    if (input->type == ONNX_INT64) {
        struct onnx_tensor *is_negative =
            onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN, input, onnx_number(call, ONNX_INT64, 0));
        struct onnx_tensor *product = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, input, slope);
        return onnx_output(call, 0, onnx_select(call, is_negative, product, input));
    }
    DML_ACTIVATION_PARAMETERIZED_RELU_OPERATOR_DESC desc = {0};
    struct onnx_tensor *made =
        onnx_make(call, DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU, &desc, ONNX_TENSORS(input, slope));
    return onnx_output(call, 0, onnx_reshape(call, made, input->rank, input->sizes));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Max", 1, greatest},
    {ONNX_ML, "Min", 1, least},
    {ONNX_ML, "Sum", 1, sum},
    {ONNX_ML, "Mean", 1, mean},
    {ONNX_ML, "Clip", 1, clip_by_attributes},
    {ONNX_ML, "Clip", 11, clip},
    {ONNX_ML, "PRelu", 1, parameterized_relu},
};
ONNX_DEFINE_FAMILY(bounds, rows)
