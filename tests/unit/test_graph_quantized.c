/* Products between DEQUANTIZE_LINEAR and QUANTIZE_LINEAR that become products of integers: what is made, what is not
 * and why. Scales are powers of two and sums so short that FLOAT32 has them exactly, so that bits are those of the
 * nodes one by one. On the machine's first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fusion_fixture.h"
#include "one_device.h"
#include "vkdml/vkdml.h"

#define F32 DML_TENSOR_DATA_TYPE_FLOAT32
#define F16 DML_TENSOR_DATA_TYPE_FLOAT16
#define I32 DML_TENSOR_DATA_TYPE_INT32
#define U8  DML_TENSOR_DATA_TYPE_UINT8
#define S8  DML_TENSOR_DATA_TYPE_INT8

/* Inputs of all graphs. */
enum { LEFT, RIGHT, ADDEND, GRAPH_INPUTS };

#define CHANNELS 12

static const uint32_t one[] = {0, 0, 0, 0}, by_filter[] = {1, 0, 0, 0}, by_channel[] = {0, 1, 0, 0},
                      by_column[] = {0, 0, 0, 1}, by_row[] = {0, 0, 1, 0};
static const float eighth = 0x1p-3f, sixteenth = 0x1p-4f, quarter = 0x1p-2f;
static const uint8_t middle = 128, none = 0;
static const float filter_scales[CHANNELS] = {0x1p-4f, 0x1p-3f, 0x1p-5f, 0x1p-4f, 0x1p-2f, 0x1p-4f,
                                              0x1p-6f, 0x1p-4f, 0x1p-3f, 0x1p-4f, 0x1p-5f, 0x1p-4f};

/* ---- nodes ---- */

/* A scale or a zero point, for all or, of DEQUANTIZE, of its own size 1. */
struct numbers {
    const void *data; /* NULL: there are none */
    size_t bytes;
    const uint32_t *strides;
};

#define ONE(number)                                                                                                    \
    { &(number), sizeof(number), one }
#define MANY(array, strides_)                                                                                          \
    { (array), sizeof(array), (strides_) }

static void give(const struct numbers *numbers, uint32_t to, uint32_t input) {
    if (numbers->data != NULL) {
        graph_join(&graph, graph_constant(&graph, numbers->data, numbers->bytes, "number"), 0, to, input);
    }
}

static const DML_TENSOR_DESC *zero_points(DML_TENSOR_DATA_TYPE type, const uint32_t *sizes,
                                          const struct numbers *numbers) {
    return numbers->data != NULL ? tensor_of(type, sizes, numbers->strides) : NULL;
}

/* Both ways: their descriptors have the same fields. */
static uint32_t convert(DML_OPERATOR_TYPE way, DML_TENSOR_DATA_TYPE from, DML_TENSOR_DATA_TYPE to,
                        const uint32_t *sizes, struct numbers scale, struct numbers zero_point) {
    const bool dequantizes = way == DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR;
    const DML_TENSOR_DATA_TYPE floats = dequantizes ? to : from, integers = dequantizes ? from : to;
    const DML_ELEMENT_WISE_DEQUANTIZE_LINEAR_OPERATOR_DESC desc = {
        tensor_of(from, sizes, NULL), tensor_of(floats, sizes, scale.strides),
        zero_points(integers, sizes, &zero_point), tensor_of(to, sizes, NULL)};
    const uint32_t made = node(way, &desc, dequantizes ? "dequantized" : "quantized");
    give(&scale, made, 1);
    give(&zero_point, made, 2);
    return made;
}

static uint32_t dequantize(DML_TENSOR_DATA_TYPE type, const uint32_t *sizes, struct numbers scale,
                           struct numbers zero_point) {
    return convert(DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR, type, F32, sizes, scale, zero_point);
}

static uint32_t quantize(DML_TENSOR_DATA_TYPE type, const uint32_t *sizes, struct numbers scale,
                         struct numbers zero_point) {
    return convert(DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR, F32, type, sizes, scale, zero_point);
}

/* ---- convolutions ---- */

enum bias { NO_BIAS, OF_INTEGERS, OF_OTHER_UNITS, OF_FLOATS };

struct convolving {
    enum bias bias;
    bool has_activation, follows; /* RELU, as a node of its own */
    bool is_depthwise;
    bool keeps_input;                       /* what is dequantized is an output too */
    bool turns_filters;                     /* the mode CONVOLUTION */
    bool begins_at_zero;                    /* the result has no zero point */
    const uint32_t *result_sizes;           /* NULL: the convolution's */
    struct numbers input_scale, zero_point; /* of the result */
    struct numbers result_scale;
};

static const uint32_t input_sizes[] = {2, 8, 7, 9}, filter_sizes[] = {CHANNELS, 8, 3, 3},
                      output_sizes[] = {2, CHANNELS, 5, 7}, bias_sizes[] = {1, CHANNELS, 1, 1};
static const uint32_t few_inputs[] = {2, CHANNELS, 7, 9}, few_filters[] = {CHANNELS, 1, 3, 3};
static const uint32_t two_ones[] = {1, 1}, two_zeros[] = {0, 0};

static void add_bias(enum bias bias, uint32_t convolution) {
    static float units[CHANNELS];
    for (uint32_t c = 0; c < CHANNELS; c++) {
        units[c] = eighth * filter_scales[c] * (bias == OF_OTHER_UNITS && c == 5 ? 2 : 1);
    }
    if (bias == OF_FLOATS) {
        graph_input(&graph, ADDEND, convolution, 2);
    } else if (bias != NO_BIAS) {
        static const int32_t numbers[CHANNELS] = {5, -700, 33, 0, 90, -1, 2, 812, -64, 7, 99, -300};
        const struct numbers none_at_all = {NULL, 0, NULL};
        const uint32_t made =
            dequantize(I32, bias_sizes, (struct numbers){units, sizeof units, by_channel}, none_at_all);
        graph_join(&graph, graph_constant(&graph, numbers, sizeof numbers, "bias"), 0, made, 0);
        graph_join(&graph, made, 0, convolution, 2);
    }
}

static void begin_convolution(const struct convolving *how) {
    const uint32_t *inputs = how->is_depthwise ? few_inputs : input_sizes;
    const uint32_t *filters = how->is_depthwise ? few_filters : filter_sizes;
    const DML_ACTIVATION_RELU_OPERATOR_DESC relu = {NULL, NULL};
    const DML_OPERATOR_DESC activation = {DML_OPERATOR_ACTIVATION_RELU, &relu};
    begin(GRAPH_INPUTS, how->keeps_input ? 2 : 1);
    const DML_CONVOLUTION_OPERATOR_DESC desc = {tensor_of(F32, inputs, NULL),
                                                tensor_of(F32, filters, NULL),
                                                how->bias != NO_BIAS ? tensor_of(F32, bias_sizes, NULL) : NULL,
                                                tensor_of(F32, output_sizes, NULL),
                                                how->turns_filters ? DML_CONVOLUTION_MODE_CONVOLUTION
                                                                   : DML_CONVOLUTION_MODE_CROSS_CORRELATION,
                                                DML_CONVOLUTION_DIRECTION_FORWARD,
                                                2,
                                                two_ones,
                                                two_ones,
                                                two_zeros,
                                                two_zeros,
                                                two_zeros,
                                                how->is_depthwise ? CHANNELS : 1,
                                                how->has_activation && !how->follows ? &activation : NULL};
    const uint32_t input = dequantize(U8, inputs, how->input_scale, (struct numbers)ONE(middle));
    const uint32_t filter =
        dequantize(S8, filters, (struct numbers)MANY(filter_scales, by_filter), (struct numbers){NULL, 0, NULL});
    const uint32_t convolution = node(DML_OPERATOR_CONVOLUTION, &desc, "convolution");
    const uint32_t result =
        quantize(U8, how->result_sizes != NULL ? how->result_sizes : output_sizes, how->result_scale, how->zero_point);
    graph_input(&graph, LEFT, input, 0);
    graph_input(&graph, RIGHT, filter, 0);
    graph_join(&graph, input, 0, convolution, 0);
    graph_join(&graph, filter, 0, convolution, 1);
    add_bias(how->bias, convolution);
    uint32_t last = convolution;
    if (how->follows) {
        last = relu_node(tensor_of(F32, output_sizes, NULL), tensor_of(F32, output_sizes, NULL));
        graph_join(&graph, convolution, 0, last, 0);
    }
    graph_join(&graph, last, 0, result, 0);
    graph_output(&graph, result, 0, 0);
    if (how->keeps_input) {
        graph_output(&graph, input, 0, 1);
    }
}

static void check_convolution(struct convolving how, uint32_t nodes, const char *note) {
    if (how.input_scale.data == NULL) {
        how.input_scale = (struct numbers)ONE(eighth);
    }
    if (how.result_scale.data == NULL) {
        how.result_scale = (struct numbers)ONE(quarter);
    }
    if (how.zero_point.data == NULL && !how.begins_at_zero) {
        how.zero_point = (struct numbers)ONE(none);
    }
    begin_convolution(&how);
    assert_operators(nodes, note);
    agree(F32);
}

static void convolutions_become_those_of_integers(void **state) {
    static const char *const note = "is fused into";
    (void)state;
    check_convolution((struct convolving){.bias = NO_BIAS}, 1, note);
    check_convolution((struct convolving){.bias = OF_INTEGERS}, 1, note);
    check_convolution((struct convolving){.bias = OF_INTEGERS, .has_activation = true}, 1, note);
    check_convolution((struct convolving){.bias = OF_INTEGERS, .has_activation = true, .follows = true}, 1, note);
    check_convolution((struct convolving){.has_activation = true, .begins_at_zero = true}, 1, note);
    check_convolution((struct convolving){.zero_point = ONE(middle)}, 1, note);
}

static void what_is_dequantized_for_others_stays(void **state) {
    (void)state;
    check_convolution((struct convolving){.keeps_input = true}, 2, "is fused into");
}

static void convolutions_that_integers_cannot_say_stay(void **state) {
    static float scales[8] = {1, 2, 4, 8, 1, 1, 2, 2};
    static const uint32_t other_sizes[] = {2, CHANNELS, 7, 5};
    (void)state;
    check_convolution((struct convolving){.bias = OF_FLOATS}, 4, "bias is not dequantized");
    check_convolution((struct convolving){.bias = OF_OTHER_UNITS}, 5, "not known to be of the product of both scales");
    check_convolution((struct convolving){.has_activation = true, .zero_point = ONE(middle)}, 4,
                      "an activation which a zero point does not stand for");
    check_convolution((struct convolving){.is_depthwise = true}, 4, "groups have too few channels");
    check_convolution((struct convolving){.input_scale = MANY(scales, by_channel)}, 4, "input has more than one scale");
    check_convolution((struct convolving){.turns_filters = true}, 4, "that is none of FORWARD and CROSS_CORRELATION");
    check_convolution((struct convolving){.result_scale = MANY(filter_scales, by_channel)}, 4,
                      "it has more than one scale or zero point");
    check_convolution((struct convolving){.result_sizes = other_sizes}, 4, "types, sizes or strides differ");
}

/* Scales have two bytes each, of which no four may be read. */
static void halves_stay(void **state) {
    static const uint16_t half = 0x3000; /* 2^-3 */
    const struct numbers scale = ONE(half), absent = {NULL, 0, NULL};
    (void)state;
    begin(GRAPH_INPUTS, 1);
    const DML_CONVOLUTION_OPERATOR_DESC desc = {tensor_of(F16, input_sizes, NULL),
                                                tensor_of(F16, filter_sizes, NULL),
                                                tensor_of(F16, bias_sizes, NULL),
                                                tensor_of(F16, output_sizes, NULL),
                                                DML_CONVOLUTION_MODE_CROSS_CORRELATION,
                                                DML_CONVOLUTION_DIRECTION_FORWARD,
                                                2,
                                                two_ones,
                                                two_ones,
                                                two_zeros,
                                                two_zeros,
                                                two_zeros,
                                                1,
                                                NULL};
    const DML_OPERATOR_TYPE way = DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR;
    const uint32_t made[] = {convert(way, U8, F16, input_sizes, scale, absent),
                             convert(way, S8, F16, filter_sizes, scale, absent),
                             convert(way, I32, F16, bias_sizes, scale, absent)};
    const uint32_t convolution = node(DML_OPERATOR_CONVOLUTION, &desc, "convolution");
    const uint32_t result = convert(DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR, F16, U8, output_sizes, scale, absent);
    for (uint32_t i = 0; i < 3; i++) {
        graph_input(&graph, i, made[i], 0);
        graph_join(&graph, made[i], 0, convolution, i);
    }
    graph_join(&graph, convolution, 0, result, 0);
    graph_output(&graph, result, 0, 0);
    assert_operators(5, "not known to be of the product of both scales");
    graph_end(&graph);
}

/* ---- matrices ---- */

struct multiplying {
    bool turns; /* the second */
    bool has_addend, is_quantized;
    float alpha;
    struct numbers left_scale;
};

static const uint32_t left_sizes[] = {1, 2, 10, 20}, right_sizes[] = {1, 2, 20, CHANNELS},
                      right_turned[] = {1, 2, CHANNELS, 20}, product_sizes[] = {1, 2, 10, CHANNELS};

static void begin_product(const struct multiplying *how) {
    const uint32_t *rights = how->turns ? right_turned : right_sizes;
    begin(GRAPH_INPUTS, 1);
    const DML_GEMM_OPERATOR_DESC desc = {tensor_of(F32, left_sizes, NULL),
                                         tensor_of(F32, rights, NULL),
                                         how->has_addend ? tensor_of(F32, product_sizes, NULL) : NULL,
                                         tensor_of(F32, product_sizes, NULL),
                                         DML_MATRIX_TRANSFORM_NONE,
                                         how->turns ? DML_MATRIX_TRANSFORM_TRANSPOSE : DML_MATRIX_TRANSFORM_NONE,
                                         how->alpha,
                                         1,
                                         NULL};
    const uint32_t left = dequantize(U8, left_sizes, how->left_scale, (struct numbers)ONE(middle));
    const uint32_t right = dequantize(U8, rights, (struct numbers)MANY(filter_scales, how->turns ? by_row : by_column),
                                      (struct numbers)ONE(middle));
    const uint32_t product = node(DML_OPERATOR_GEMM, &desc, "product");
    graph_input(&graph, LEFT, left, 0);
    graph_input(&graph, RIGHT, right, 0);
    graph_join(&graph, left, 0, product, 0);
    graph_join(&graph, right, 0, product, 1);
    if (how->has_addend) {
        graph_input(&graph, ADDEND, product, 2);
    }
    if (how->is_quantized) {
        const uint32_t result =
            quantize(S8, product_sizes, (struct numbers)ONE(sixteenth), (struct numbers){NULL, 0, NULL});
        graph_join(&graph, product, 0, result, 0);
        graph_output(&graph, result, 0, 0);
    } else {
        graph_output(&graph, product, 0, 0);
    }
}

static void check_product(struct multiplying how, uint32_t nodes, const char *note) {
    how.alpha = how.alpha != 0 ? how.alpha : 1;
    if (how.left_scale.data == NULL) {
        how.left_scale = (struct numbers)ONE(eighth);
    }
    begin_product(&how);
    assert_operators(nodes, note);
    agree(F32);
}

static void products_become_those_of_integers(void **state) {
    (void)state;
    for (uint32_t turns = 0; turns < 2; turns++) {
        check_product((struct multiplying){.turns = turns != 0, .is_quantized = true}, 1, "is fused into");
        check_product((struct multiplying){.turns = turns != 0}, 1, "is fused into");
        check_product((struct multiplying){.turns = turns != 0, .has_addend = true}, 1, "is fused into");
    }
    check_product((struct multiplying){.has_addend = true, .is_quantized = true}, 2, "that has a CTensor");
}

static void products_that_integers_cannot_say_stay(void **state) {
    static float scales[10] = {1, 2, 4, 8, 1, 1, 2, 2, 4, 4};
    (void)state;
    check_product((struct multiplying){.alpha = 2, .is_quantized = true}, 4, "that has an Alpha or a Beta");
    check_product((struct multiplying){.left_scale = MANY(scales, by_row), .is_quantized = true}, 4,
                  "A has more than one scale");
}

/* ---- DEQUANTIZE and QUANTIZE ---- */

static const DML_TENSOR_DESC *single(DML_TENSOR_DATA_TYPE type) {
    static const uint32_t sizes[] = {1, 1, 1, 1};
    return tensor_of(type, sizes, NULL);
}

static uint32_t newer(DML_OPERATOR_TYPE type, DML_TENSOR_DATA_TYPE from, DML_TENSOR_DATA_TYPE to,
                      const uint32_t *sizes) {
    const DML_TENSOR_DESC numbers[] = {*single(F32), *single(U8)};
    const DML_QUANTIZE_OPERATOR_DESC desc = {tensor_of(from, sizes, NULL), DML_QUANTIZATION_TYPE_SCALE_ZERO_POINT, 2,
                                             numbers, tensor_of(to, sizes, NULL)};
    const uint32_t made = node(type, &desc, "newer");
    give(&(struct numbers)ONE(quarter), made, 1);
    give(&(struct numbers)ONE(middle), made, 2);
    return made;
}

static void newer_operators_are_as_good(void **state) {
    (void)state;
    begin(GRAPH_INPUTS, 1);
    const DML_GEMM_OPERATOR_DESC desc = {tensor_of(F32, left_sizes, NULL),
                                         tensor_of(F32, right_sizes, NULL),
                                         NULL,
                                         tensor_of(F32, product_sizes, NULL),
                                         DML_MATRIX_TRANSFORM_NONE,
                                         DML_MATRIX_TRANSFORM_NONE,
                                         1,
                                         0,
                                         NULL};
    const uint32_t left = newer(DML_OPERATOR_DEQUANTIZE, U8, F32, left_sizes);
    const uint32_t right = newer(DML_OPERATOR_DEQUANTIZE, U8, F32, right_sizes);
    const uint32_t product = node(DML_OPERATOR_GEMM, &desc, "product");
    const uint32_t result = newer(DML_OPERATOR_QUANTIZE, F32, U8, product_sizes);
    graph_input(&graph, LEFT, left, 0);
    graph_input(&graph, RIGHT, right, 0);
    graph_join(&graph, left, 0, product, 0);
    graph_join(&graph, right, 0, product, 1);
    graph_join(&graph, product, 0, result, 0);
    graph_output(&graph, result, 0, 0);
    assert_operators(1, "is fused into");
    agree(F32);
}

static void nothing_leaks_where_memory_ends(void **state) {
    (void)state;
    const struct convolving how = {
        .bias = OF_INTEGERS, .input_scale = ONE(eighth), .zero_point = ONE(none), .result_scale = ONE(quarter)};
    begin_convolution(&how);
    assert_no_leaks();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_device, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(convolutions_become_those_of_integers),
        TEST(what_is_dequantized_for_others_stays),
        TEST(convolutions_that_integers_cannot_say_stay),
        TEST(halves_stay),
        TEST(products_become_those_of_integers),
        TEST(products_that_integers_cannot_say_stay),
        TEST(newer_operators_are_as_good),
        TEST(nothing_leaks_where_memory_ends),
    };
    return cmocka_run_group_tests_name("graph_quantized", tests, set_up_vulkan, tear_down_vulkan);
}
