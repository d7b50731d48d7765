/* Tensors made of numbers: ranges, fills, diagonals, windows, indices as ones. */
#include <math.h>
#include <string.h>

#include "onnx/operators/move.h"

/* ---- ConstantOfShape ---- */

static bool find_shape(const struct onnx_call *call, uint32_t index, uint32_t *rank, uint32_t *sizes) {
    const int64_t *shape = onnx_host_ints(call, index, rank);
    if (shape == NULL) {
        return false;
    }
    for (uint32_t d = 0; d < *rank; ++d) {
        if (*rank > ONNX_MAX_RANK || shape[d] < 0 || shape[d] > UINT32_MAX) {
            return onnx_refuse(call, "a shape of more than 8 dimensions, or a negative size");
        }
        sizes[d] = (uint32_t)shape[d];
    }
    return true;
}

static bool constant_of_shape(const struct onnx_call *call) {
    uint32_t rank = 0, sizes[ONNX_MAX_RANK];
    if (!find_shape(call, 0, &rank, sizes)) {
        return false;
    }
    const struct onnx_attribute *value = onnx_attribute(call, "value", ONNX_ATTRIBUTE_TENSOR);
    if (value == NULL) {
        return onnx_output(call, 0, onnx_fill(call, ONNX_FLOAT, rank, sizes, 0));
    }
    const struct onnx_data *data = &value->tensor;
    if (data->data == NULL || data->bytes < onnx_bytes_of(data->type, 1) || data->bytes == 0) {
        return onnx_refuse(call, "a value that is no number");
    }
    struct onnx_tensor *number = onnx_constant(call, data->type, 0, NULL, data->data);
    return onnx_output(call, 0, onnx_broadcast(call, number, rank, sizes));
}

/* ---- Range ---- */

/* Ranges of this many numbers are written out while planning; the device computes longer ones. */
#define MOST_WRITTEN (1 << 20)

static bool range_of_ints(const struct onnx_call *call, enum onnx_type type) {
    const int64_t *numbers[3];
    for (uint32_t i = 0; i < 3; ++i) {
        uint32_t count = 0;
        numbers[i] = onnx_host_ints(call, i, &count);
        if (numbers[i] == NULL || count != 1) {
            return onnx_refuse(call, "no number");
        }
    }
    const int64_t start = *numbers[0], limit = *numbers[1], delta = *numbers[2];
    if (delta == 0) {
        return onnx_refuse(call, "a step of 0");
    }
    const bool goes_on = delta > 0 ? start < limit : start > limit;
    const uint64_t way = delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
    const uint64_t step = delta > 0 ? (uint64_t)delta : 0 - (uint64_t)delta;
    const uint64_t length = goes_on ? (way - 1) / step + 1 : 0;
    if (length > UINT32_MAX) {
        return onnx_refuse(call, "a range of more than 2^32 - 1 numbers");
    }
    if (length > MOST_WRITTEN) {
        return onnx_output(call, 0, onnx_cast(call, onnx_sequence(call, (uint32_t)length, start, delta), type));
    }
    int64_t *elements = onnx_scratch(call, (size_t)length, sizeof *elements);
    if (elements == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < length; ++i) {
        elements[i] = (int64_t)((uint64_t)start + i * (uint64_t)delta);
    }
    const uint32_t size = (uint32_t)length;
    return onnx_output(call, 0, onnx_cast(call, onnx_constant(call, ONNX_INT64, 1, &size, elements), type));
}

/* The nearest number of 8 bits, ties to even. */
static struct onnx_tensor *make_bfloat16(const struct onnx_call *call, uint32_t count, const float *floats) {
    uint16_t *elements = onnx_scratch(call, count, sizeof *elements);
    if (elements == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t word;
        memcpy(&word, &floats[i], sizeof word);
        elements[i] = (uint16_t)((word + 0x7FFF + (word >> 16 & 1)) >> 16);
    }
    return onnx_constant(call, ONNX_BFLOAT16, 1, &count, elements);
}

static struct onnx_tensor *sequence_of_floats(const struct onnx_call *call, uint32_t size, double start, double delta) {
    struct onnx_tensor *numbers = onnx_cast(call, onnx_sequence(call, size, 0, 1), ONNX_FLOAT);
    numbers = onnx_multiply(call, numbers, onnx_number(call, ONNX_FLOAT, delta));
    return onnx_add(call, onnx_number(call, ONNX_FLOAT, start), numbers);
}

/* Element i is start + i * delta in the type's precision, 16 bits in float; counted in double. */
static bool range_of_floats(const struct onnx_call *call, enum onnx_type type) {
    double numbers[3];
    for (uint32_t i = 0; i < 3; ++i) {
        uint32_t count = 0;
        const double *number = onnx_host_floats(call, i, &count);
        if (number == NULL || count != 1) {
            return onnx_refuse(call, "no number");
        }
        numbers[i] = number[0];
    }
    double length = ceil((numbers[1] - numbers[0]) / numbers[2]);
    if (type != ONNX_DOUBLE) {
        length = (double)ceilf(((float)numbers[1] - (float)numbers[0]) / (float)numbers[2]);
    }
    if (!(length <= (double)UINT32_MAX)) {
        return onnx_refuse(call, "a range of more than 2^32 - 1 numbers");
    }
    const uint32_t size = length > 0 ? (uint32_t)length : 0;
    if (size > MOST_WRITTEN && onnx_is_float(type)) {
        return onnx_output(call, 0, onnx_cast(call, sequence_of_floats(call, size, numbers[0], numbers[2]), type));
    }
    double *elements = onnx_table(call, size, sizeof *elements);
    float *floats = onnx_table(call, size, sizeof *floats);
    if (elements == NULL || floats == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < size; ++i) {
        elements[i] = numbers[0] + i * numbers[2];
        floats[i] = (float)numbers[0] + (float)i * (float)numbers[2];
    }
    if (type == ONNX_DOUBLE) {
        return onnx_output(call, 0, onnx_constant(call, ONNX_DOUBLE, 1, &size, elements));
    }
    if (type == ONNX_BFLOAT16) {
        return onnx_output(call, 0, make_bfloat16(call, size, floats));
    }
    return onnx_output(call, 0, onnx_cast(call, onnx_constant(call, ONNX_FLOAT, 1, &size, floats), type));
}

static bool range(const struct onnx_call *call) {
    const struct onnx_tensor *start = onnx_needed(call, 0);
    if (start == NULL || onnx_needed(call, 1) == NULL || onnx_needed(call, 2) == NULL) {
        return false;
    }
    const bool is_float = start->type == ONNX_FLOAT || start->type == ONNX_DOUBLE || start->type == ONNX_FLOAT16 ||
                          start->type == ONNX_BFLOAT16;
    return is_float ? range_of_floats(call, start->type) : range_of_ints(call, start->type);
}

/* ---- EyeLike, Trilu ---- */

static bool eye_like(const struct onnx_call *call) {
    const struct onnx_tensor *input = onnx_needed(call, 0);
    if (input == NULL || input->rank != 2) {
        return onnx_refuse(call, "no matrix");
    }
    const enum onnx_type type = (enum onnx_type)onnx_int(call, "dtype", input->type);
    const int64_t k = onnx_int(call, "k", 0);
    const uint32_t rows = input->sizes[0], columns = input->sizes[1];
    if (onnx_is_empty(input)) {
        return onnx_output(call, 0, onnx_declare(call, type, 2, input->sizes));
    }
    if (k >= columns || k <= -(int64_t)rows) {
        return onnx_output(call, 0, onnx_fill(call, type, 2, input->sizes, 0));
    }
    struct onnx_tensor *places = onnx_iota(call, ONNX_INT64, 2, 1, columns);
    struct onnx_tensor *lines = onnx_iota(call, ONNX_INT64, 2, 0, rows);
    lines = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, lines, onnx_number(call, ONNX_INT64, (double)k));
    struct onnx_tensor *eye = onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, lines, places);
    return onnx_output(call, 0, type == ONNX_BOOL ? eye : onnx_cast(call, onnx_as_bits(call, eye), type));
}

/* Row i of the upper triangle goes from column i + k on; the lower one ends there, with it. */
static bool trilu(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    int64_t k = 0;
    if (input == NULL || input->rank < 2) {
        return onnx_refuse(call, "no matrix");
    }
    if (onnx_input(call, 1) != NULL) {
        uint32_t count = 0;
        const int64_t *number = onnx_host_ints(call, 1, &count);
        if (number == NULL || count != 1) {
            return onnx_refuse(call, "k is no number");
        }
        k = number[0];
    }
    if (onnx_is_empty(input)) {
        return onnx_output(call, 0, input);
    }
    const uint32_t rows = input->sizes[input->rank - 2], columns = input->sizes[input->rank - 1];
    const bool is_upper = onnx_int(call, "upper", 1) != 0;
    k = k < -(int64_t)rows ? -(int64_t)rows : k > columns ? columns : k;
    struct onnx_tensor *places = onnx_iota(call, ONNX_INT64, 2, 1, columns);
    struct onnx_tensor *lines = onnx_iota(call, ONNX_INT64, 2, 0, rows);
    lines = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, lines, onnx_number(call, ONNX_INT64, (double)k));
    struct onnx_tensor *keeps = onnx_compare(call,
                                             is_upper ? DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL
                                                      : DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL,
                                             places, lines);
    struct onnx_tensor *bits = onnx_as_bits(call, input);
    if (bits == NULL) {
        return false;
    }
    struct onnx_tensor *result = onnx_select(call, keeps, bits, onnx_number(call, bits->type, 0));
    return onnx_output(call, 0, onnx_reinterpret(call, result, input->type));
}

/* ---- OneHot ---- */

/* Indices of any type, whole numbers; signed ones from -depth on count from the end, others beyond have no place. */
static struct onnx_tensor *make_indices(const struct onnx_call *call, struct onnx_tensor *indices) {
    switch (indices->type) {
    case ONNX_INT64:
    case ONNX_INT32:
    case ONNX_UINT64:
    case ONNX_UINT32:
        return indices;
    default:
        return onnx_cast(call, indices, ONNX_INT64);
    }
}

static bool one_hot(const struct onnx_call *call) {
    struct onnx_tensor *indices = onnx_needed(call, 0), *values = onnx_needed(call, 2);
    uint32_t count = 0, axis, sizes[ONNX_MAX_RANK], value_sizes[ONNX_MAX_RANK];
    const double *depth = indices == NULL ? NULL : onnx_host_floats(call, 1, &count);
    if (depth == NULL || values == NULL) {
        return false;
    }
    if (count != 1 || !(depth[0] >= 0 && depth[0] <= UINT32_MAX) || indices->rank + 1 > ONNX_MAX_RANK ||
        onnx_count(values) != 2 || !onnx_axis(call, onnx_int(call, "axis", -1), indices->rank + 1, &axis)) {
        return onnx_refuse(call, "no depth, no axis or not two values");
    }
    const uint32_t rank = indices->rank + 1;
    const enum onnx_type type = values->type;
    for (uint32_t d = 0; d < rank; ++d) {
        sizes[d] = d < axis ? indices->sizes[d] : d == axis ? 1 : indices->sizes[d - 1];
        value_sizes[d] = d + 1 == rank ? 2 : 1;
    }
    indices = onnx_reshape(call, make_indices(call, indices), rank, sizes);
    sizes[axis] = (uint32_t)depth[0];
    struct onnx_tensor *result = onnx_declare(call, type, rank, sizes);
    if (indices == NULL || result == NULL || onnx_is_empty(result)) {
        return indices != NULL && onnx_output(call, 0, result);
    }
    values = onnx_as_bits(call, onnx_reshape(call, values, rank, value_sizes));
    result = values == NULL ? NULL : onnx_declare(call, values->type, rank, sizes);
    DML_ONE_HOT_OPERATOR_DESC desc = {.Axis = axis};
    return result != NULL && onnx_emit(call, DML_OPERATOR_ONE_HOT, &desc, ONNX_TENSORS(indices, values), 1, &result) &&
           onnx_output(call, 0, onnx_reinterpret(call, result, type));
}

/* ---- windows ---- */

/* a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N), N the size, or one less where the window is symmetric. */
static bool window(const struct onnx_call *call, double a0, double a1, double a2) {
    uint32_t count = 0;
    const int64_t *size = onnx_host_ints(call, 0, &count);
    if (size == NULL || count != 1 || size[0] < 0 || size[0] > UINT32_MAX) {
        return onnx_refuse(call, "no size");
    }
    const uint32_t length = (uint32_t)size[0];
    const enum onnx_type type = (enum onnx_type)onnx_int(call, "output_datatype", ONNX_FLOAT);
    const double turn = onnx_int(call, "periodic", 1) != 0 ? length : (double)length - 1;
    double *elements = onnx_table(call, length, sizeof *elements);
    float *floats = onnx_table(call, length, sizeof *floats);
    if (elements == NULL || floats == NULL) {
        return false;
    }
    for (uint32_t n = 0; n < length; ++n) {
        const double angle = turn > 0 ? 2 * 3.14159265358979323846 * n / turn : 0;
        elements[n] = a0 - a1 * cos(angle) + a2 * cos(2 * angle);
        floats[n] = (float)elements[n];
    }
    struct onnx_tensor *made = type == ONNX_DOUBLE ? onnx_constant(call, ONNX_DOUBLE, 1, &length, elements)
                                                   : onnx_constant(call, ONNX_FLOAT, 1, &length, floats);
    return onnx_output(call, 0, onnx_cast(call, made, type));
}

static bool hann_window(const struct onnx_call *call) {
    return window(call, 0.5, 0.5, 0);
}

static bool hamming_window(const struct onnx_call *call) {
    return window(call, 25.0 / 46, 1 - 25.0 / 46, 0);
}

static bool blackman_window(const struct onnx_call *call) {
    return window(call, 0.42, 0.5, 0.08);
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "ConstantOfShape", 9, constant_of_shape},
    {ONNX_ML, "Range", 11, range},
    {ONNX_ML, "EyeLike", 9, eye_like},
    {ONNX_ML, "Trilu", 14, trilu},
    {ONNX_ML, "OneHot", 9, one_hot},
    {ONNX_ML, "HannWindow", 17, hann_window},
    {ONNX_ML, "HammingWindow", 17, hamming_window},
    {ONNX_ML, "BlackmanWindow", 17, blackman_window},
};
ONNX_DEFINE_FAMILY(generate, rows)
