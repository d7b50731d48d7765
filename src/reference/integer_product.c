/* Products of matrices of integers, and convolutions of bytes. Sums of bytes are INT32's, modulo 2^32. */
#include "reference/element.h"
#include "reference/number.h"
#include "reference/quantized.h"
#include "reference/reference.h"

static int32_t wrapped(int64_t sum) {
    const uint32_t bits = (uint32_t)(uint64_t)sum;
    return bits > INT32_MAX ? (int32_t)(bits - INT32_MAX - 1) + INT32_MIN : (int32_t)bits;
}

/* Of a scaled sum, for each of its roundings. */
static uint64_t requantized(DML_TENSOR_DATA_TYPE type, int32_t sum, float a, float b, float out, int64_t zero_point) {
    const float both = a * b;
    const float scale = both / out;
    return vkdml_reference_quantized(type, (float)sum * scale, zero_point);
}

/* ---- matrices ---- */

/* Input b's scale and zero point follow it where a's follow a. */
struct matrices {
    uint32_t a, b, a_zero_point, b_zero_point;
};

struct place {
    struct vkdml_coordinate at; /* of the output */
    uint32_t row, column;
};

static struct place place_of(const struct vkdml_instance *instance, const struct vkdml_coordinate *at) {
    const uint32_t rank = instance->outputs[0].dimension_count;
    return (struct place){*at, at->index[rank - 2], at->index[rank - 1]};
}

/* Exactly: no product has more than 34 bits, if they are of 8 or 16. */
static int64_t sum_at(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                      const struct matrices *m, const struct place *place) {
    const struct vkdml_tensor *a = &instance->inputs[m->a], *b = &instance->inputs[m->b];
    const uint32_t rank = a->dimension_count;
    const int64_t zero_a = vkdml_reference_zero_point(instance, memory, m->a_zero_point, place->row);
    const int64_t zero_b = vkdml_reference_zero_point(instance, memory, m->b_zero_point, place->column);
    struct vkdml_coordinate of_a = place->at, of_b = place->at;
    int64_t sum = 0;
    for (uint32_t k = 0; k < a->sizes[rank - 1]; k++) {
        of_a.index[rank - 1] = k;
        of_b.index[rank - 2] = k;
        sum += (vkdml_reference_integer(a, memory->inputs[m->a], &of_a) - zero_a) *
               (vkdml_reference_integer(b, memory->inputs[m->b], &of_b) - zero_b);
    }
    return sum;
}

void vkdml_reference_matrix_multiply_integer(const struct vkdml_instance *instance,
                                             const struct vkdml_reference_memory *memory) {
    static const struct matrices matrices = {0, 2, 1, 3};
    struct vkdml_coordinate at = {{0}};
    do {
        const struct place place = place_of(instance, &at);
        vkdml_element_write(&instance->outputs[0], memory->outputs[0], &at,
                            (uint64_t)wrapped(sum_at(instance, memory, &matrices, &place)));
    } while (vkdml_coordinate_next(&instance->outputs[0], &at));
}

void vkdml_reference_quantized_linear_matrix_multiply(const struct vkdml_instance *instance,
                                                      const struct vkdml_reference_memory *memory) {
    enum { A_SCALE = 1, B_SCALE = 4, OUT_SCALE = 6, OUT_ZERO_POINT = 7 };
    static const struct matrices matrices = {0, 3, 2, 5};
    const struct vkdml_tensor *output = &instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        const struct place place = place_of(instance, &at);
        const int32_t sum = wrapped(sum_at(instance, memory, &matrices, &place));
        vkdml_element_write(output, memory->outputs[0], &at,
                            requantized(output->data_type, sum,
                                        vkdml_reference_scale(instance, memory, A_SCALE, place.row),
                                        vkdml_reference_scale(instance, memory, B_SCALE, place.column),
                                        vkdml_reference_scale(instance, memory, OUT_SCALE, place.row),
                                        vkdml_reference_zero_point(instance, memory, OUT_ZERO_POINT, place.row)));
    } while (vkdml_coordinate_next(output, &at));
}

/* Of operands that are floats, as those of more than 8 bits are. */
static double sum_of_floats(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                            const struct matrices *m, const struct place *place, const float *scales) {
    const struct vkdml_tensor *a = &instance->inputs[m->a], *b = &instance->inputs[m->b];
    const uint32_t rank = a->dimension_count;
    const int64_t zero_a = vkdml_reference_zero_point(instance, memory, m->a_zero_point, place->row);
    const int64_t zero_b = vkdml_reference_zero_point(instance, memory, m->b_zero_point, place->column);
    struct vkdml_coordinate of_a = place->at, of_b = place->at;
    double sum = 0;
    for (uint32_t k = 0; k < a->sizes[rank - 1]; k++) {
        of_a.index[rank - 1] = k;
        of_b.index[rank - 2] = k;
        const float x = (float)(vkdml_reference_integer(a, memory->inputs[m->a], &of_a) - zero_a);
        const float y = (float)(vkdml_reference_integer(b, memory->inputs[m->b], &of_b) - zero_b);
        const float scaled_x = x * scales[0], scaled_y = y * scales[1];
        sum += (double)scaled_x * (double)scaled_y;
    }
    return sum;
}

void vkdml_reference_matrix_multiply_integer_to_float(const struct vkdml_instance *instance,
                                                      const struct vkdml_reference_memory *memory) {
    enum { A_SCALE = 1, B_SCALE = 4, BIAS = 6 };
    static const struct matrices matrices = {0, 3, 2, 5};
    const struct vkdml_tensor *bias = &instance->inputs[BIAS], *output = &instance->outputs[0];
    const bool are_bytes = vkdml_data_type_bits(instance->inputs[0].data_type) == 8;
    struct vkdml_coordinate at = {{0}};
    do {
        const struct place place = place_of(instance, &at);
        const float scales[] = {vkdml_reference_scale(instance, memory, A_SCALE, place.row),
                                vkdml_reference_scale(instance, memory, B_SCALE, place.column)};
        const float added =
            bias->dimension_count == 0
                ? 0
                : vkdml_element_to_float(bias->data_type, vkdml_element_read(bias, memory->inputs[BIAS], &at));
        float y;
        if (are_bytes) {
            const float scale = scales[0] * scales[1];
            const float product = (float)wrapped(sum_at(instance, memory, &matrices, &place)) * scale;
            y = bias->dimension_count == 0 ? product : product + added;
        } else {
            y = (float)(sum_of_floats(instance, memory, &matrices, &place, scales) + (double)added);
        }
        vkdml_element_write(output, memory->outputs[0], &at, vkdml_float_to_element(output->data_type, y));
    } while (vkdml_coordinate_next(output, &at));
}

/* ---- convolutions ---- */

struct convolution {
    uint32_t input_zero_point, filter, filter_zero_point;
    const uint32_t *strides, *dilations, *start;
    uint32_t groups;
};

#define CONVOLUTION(desc, input_zero_point, filter, filter_zero_point)                                                 \
    {                                                                                                                  \
        (input_zero_point), (filter), (filter_zero_point), (desc)->Strides, (desc)->Dilations, (desc)->StartPadding,   \
            (desc)->GroupCount                                                                                         \
    }

/* The next element of a filter of one output channel. */
static bool next_element(const struct vkdml_tensor *filter, struct vkdml_coordinate *element) {
    for (uint32_t d = filter->dimension_count; d-- > 1;) {
        if (++element->index[d] < filter->sizes[d]) {
            return true;
        }
        element->index[d] = 0;
    }
    return false;
}

/* Whether an output element takes, by an element of the filter, what is not padding: that is the zero point, which adds
 * nothing. Divisions exclude products beyond 2^34, which are padding. */
static bool find_place(const struct vkdml_instance *instance, const struct convolution *c,
                       const struct vkdml_coordinate *at, const struct vkdml_coordinate *element,
                       struct vkdml_coordinate *place) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    for (uint32_t d = 2; d < input->dimension_count; d++) {
        const uint32_t s = d - 2;
        const uint64_t start = c->start[s], end = start + input->sizes[d] - 1;
        if (at->index[d] > end / c->strides[s] || element->index[d] > end / c->dilations[s]) {
            return false;
        }
        const uint64_t passed = (uint64_t)at->index[d] * c->strides[s] + (uint64_t)element->index[d] * c->dilations[s];
        if (passed < start || passed > end) {
            return false;
        }
        place->index[d] = (uint32_t)(passed - start);
    }
    return true;
}

static int32_t convolved_at(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                            const struct convolution *c, const struct vkdml_coordinate *at) {
    const struct vkdml_tensor *input = &instance->inputs[0], *filter = &instance->inputs[c->filter];
    const uint32_t group = at->index[1] / (instance->outputs[0].sizes[1] / c->groups);
    const int64_t zero_x = vkdml_reference_zero_point(instance, memory, c->input_zero_point, 0);
    const int64_t zero_w = vkdml_reference_zero_point(instance, memory, c->filter_zero_point, at->index[1]);
    struct vkdml_coordinate element = {{0}}, place = *at;
    int64_t sum = 0;
    element.index[0] = at->index[1];
    do {
        if (find_place(instance, c, at, &element, &place)) {
            place.index[1] = group * filter->sizes[1] + element.index[1];
            sum += (vkdml_reference_integer(input, memory->inputs[0], &place) - zero_x) *
                   (vkdml_reference_integer(filter, memory->inputs[c->filter], &element) - zero_w);
        }
    } while (next_element(filter, &element));
    return wrapped(sum);
}

void vkdml_reference_convolution_integer(const struct vkdml_instance *instance,
                                         const struct vkdml_reference_memory *memory) {
    const DML_CONVOLUTION_INTEGER_OPERATOR_DESC *desc = instance->desc;
    const struct convolution convolution = CONVOLUTION(desc, 1, 2, 3);
    struct vkdml_coordinate at = {{0}};
    do {
        vkdml_element_write(&instance->outputs[0], memory->outputs[0], &at,
                            (uint64_t)convolved_at(instance, memory, &convolution, &at));
    } while (vkdml_coordinate_next(&instance->outputs[0], &at));
}

void vkdml_reference_quantized_linear_convolution(const struct vkdml_instance *instance,
                                                  const struct vkdml_reference_memory *memory) {
    enum { INPUT_SCALE = 1, FILTER_SCALE = 4, BIAS = 6, OUT_SCALE = 7, OUT_ZERO_POINT = 8 };
    const DML_QUANTIZED_LINEAR_CONVOLUTION_OPERATOR_DESC *desc = instance->desc;
    const struct convolution convolution = CONVOLUTION(desc, 2, 3, 5);
    const struct vkdml_tensor *output = &instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        const uint32_t channel = at.index[1];
        const int64_t bias = vkdml_reference_zero_point(instance, memory, BIAS, channel);
        const int32_t sum = wrapped(convolved_at(instance, memory, &convolution, &at) + bias);
        vkdml_element_write(output, memory->outputs[0], &at,
                            requantized(output->data_type, sum,
                                        vkdml_reference_scale(instance, memory, FILTER_SCALE, channel),
                                        vkdml_reference_scale(instance, memory, INPUT_SCALE, 0),
                                        vkdml_reference_scale(instance, memory, OUT_SCALE, 0),
                                        vkdml_reference_zero_point(instance, memory, OUT_ZERO_POINT, 0)));
    } while (vkdml_coordinate_next(output, &at));
}
