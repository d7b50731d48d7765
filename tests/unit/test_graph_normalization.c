/* Normalizations written in parts that become one operator: what is made, what is not and why, and how far results are
 * from the reference's. On the machine's first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fusion_fixture.h"
#include "one_device.h"
#include "vkdml/vkdml.h"

#define F32 DML_TENSOR_DATA_TYPE_FLOAT32
#define F16 DML_TENSOR_DATA_TYPE_FLOAT16

/* Inputs of all graphs, and the output. */
enum { X, GAMMA, BETA, INPUTS };

static const uint32_t whole[] = {2, 3, 8, 20}, rows[] = {2, 3, 8, 1}, by_row[] = {24, 8, 1, 0}, last_axis[] = {3};
static const uint32_t by_column[] = {0, 0, 0, 1}, nowhere[] = {0, 0, 0, 0};

/* How the parts are written. */
struct writing {
    DML_TENSOR_DATA_TYPE type; /* UNKNOWN: FLOAT32 */
    enum { PRODUCT, CONSTANT_POWER, POWER, CUBE } square;
    enum { SCALE_BIAS_OF_ROOT, SCALE_BIAS, SUM, SUM_TURNED, SCALED } epsilon;
    enum { NONE, SCALE_AND_BIAS, TURNED, SCALE_ALONE } scale;
    bool sums;        /* in place of averages */
    bool reads_other; /* the mean is of another input */
    bool mean_is_output;
};

static DML_TENSOR_DATA_TYPE type_of(const struct writing *writing) {
    return writing->type != DML_TENSOR_DATA_TYPE_UNKNOWN ? writing->type : F32;
}

static const DML_TENSOR_DESC *wholes(const struct writing *writing) {
    return tensor_of(type_of(writing), whole, NULL);
}

static const DML_TENSOR_DESC *numbers(const struct writing *writing) {
    return tensor_of(type_of(writing), rows, NULL);
}

static const DML_TENSOR_DESC *repeated(const struct writing *writing, const uint32_t *strides) {
    return tensor_of(type_of(writing), whole, strides);
}

static uint32_t reduce_node(const struct writing *writing) {
    const DML_REDUCE_OPERATOR_DESC desc = {writing->sums ? DML_REDUCE_FUNCTION_SUM : DML_REDUCE_FUNCTION_AVERAGE,
                                           wholes(writing), numbers(writing), 1, last_axis};
    return node(DML_OPERATOR_REDUCE, &desc, "mean");
}

/* Of the constants 2, 3 and 2^-10, of the type. */
static uint32_t constant_node(const struct writing *writing, uint32_t which) {
    static const float floats[] = {2, 3, 0x1p-10F};
    static const uint16_t halves[][2] = {{0x4000}, {0x4200}, {0x1400}};
    return type_of(writing) == F32 ? graph_constant(&graph, &floats[which], 4, "number")
                                   : graph_constant(&graph, halves[which], 4, "number");
}

static uint32_t square_node(const struct writing *writing, uint32_t difference) {
    uint32_t square;
    if (writing->square == PRODUCT) {
        const DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC desc = {wholes(writing), wholes(writing), wholes(writing)};
        square = node(DML_OPERATOR_ELEMENT_WISE_MULTIPLY, &desc, "square");
        graph_join(&graph, difference, 0, square, 1);
    } else if (writing->square == CONSTANT_POWER) {
        const DML_ELEMENT_WISE_CONSTANT_POW_OPERATOR_DESC desc = {wholes(writing), wholes(writing), NULL, 2};
        square = node(DML_OPERATOR_ELEMENT_WISE_CONSTANT_POW, &desc, "square");
    } else {
        const DML_ELEMENT_WISE_POW_OPERATOR_DESC desc = {wholes(writing), repeated(writing, nowhere), wholes(writing),
                                                         NULL};
        square = node(DML_OPERATOR_ELEMENT_WISE_POW, &desc, "square");
        graph_join(&graph, constant_node(writing, writing->square == CUBE), 0, square, 1);
    }
    graph_join(&graph, difference, 0, square, 0);
    return square;
}

/* sqrt(variance + 2^-10) */
static uint32_t root_node(const struct writing *writing, uint32_t variance) {
    const DML_SCALE_BIAS bias = {writing->epsilon == SCALED ? 2.0F : 1.0F, 0x1p-10F};
    const bool is_own = writing->epsilon == SCALE_BIAS_OF_ROOT || writing->epsilon == SCALED;
    const DML_ELEMENT_WISE_SQRT_OPERATOR_DESC desc = {numbers(writing), numbers(writing), is_own ? &bias : NULL};
    const uint32_t root = node(DML_OPERATOR_ELEMENT_WISE_SQRT, &desc, "root");
    uint32_t from = variance;
    if (writing->epsilon == SCALE_BIAS) {
        from = identity_node(numbers(writing), numbers(writing), &bias);
        graph_join(&graph, variance, 0, from, 0);
    } else if (writing->epsilon == SUM || writing->epsilon == SUM_TURNED) {
        const uint32_t place = writing->epsilon == SUM ? 0 : 1;
        const DML_TENSOR_DESC *number = tensor_of(type_of(writing), rows, nowhere);
        from = place == 0 ? add_node(numbers(writing), number, numbers(writing))
                          : add_node(number, numbers(writing), numbers(writing));
        graph_join(&graph, variance, 0, from, place);
        graph_join(&graph, constant_node(writing, 2), 0, from, 1 - place);
    }
    graph_join(&graph, from, 0, root, 0);
    return root;
}

/* The quotient; behind it a scale and a bias. */
static uint32_t scaled_node(const struct writing *writing, uint32_t quotient) {
    const uint32_t place = writing->scale == TURNED ? 1 : 0;
    const DML_TENSOR_DESC *column = repeated(writing, by_column);
    const DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC product = {place == 0 ? wholes(writing) : column,
                                                             place == 0 ? column : wholes(writing), wholes(writing)};
    const uint32_t scale = node(DML_OPERATOR_ELEMENT_WISE_MULTIPLY, &product, "scale");
    graph_join(&graph, quotient, 0, scale, place);
    graph_input(&graph, GAMMA, scale, 1 - place);
    if (writing->scale == SCALE_ALONE) {
        return scale;
    }
    const uint32_t bias =
        add_node(place == 0 ? wholes(writing) : column, place == 0 ? column : wholes(writing), wholes(writing));
    graph_join(&graph, scale, 0, bias, place);
    graph_input(&graph, BETA, bias, 1 - place);
    return bias;
}

static void begin_written(const struct writing *writing) {
    begin(INPUTS, writing->mean_is_output ? 2 : 1);
    const uint32_t mean = reduce_node(writing);
    graph_input(&graph, writing->reads_other ? GAMMA : X, mean, 0);
    const DML_ELEMENT_WISE_SUBTRACT_OPERATOR_DESC subtraction = {wholes(writing), repeated(writing, by_row),
                                                                 wholes(writing)};
    const uint32_t difference = node(DML_OPERATOR_ELEMENT_WISE_SUBTRACT, &subtraction, "difference");
    graph_input(&graph, X, difference, 0);
    graph_join(&graph, mean, 0, difference, 1);
    const uint32_t variance = reduce_node(writing);
    graph_join(&graph, square_node(writing, difference), 0, variance, 0);
    const DML_ELEMENT_WISE_DIVIDE_OPERATOR_DESC division = {wholes(writing), repeated(writing, by_row),
                                                            wholes(writing)};
    const uint32_t quotient = node(DML_OPERATOR_ELEMENT_WISE_DIVIDE, &division, "quotient");
    graph_join(&graph, difference, 0, quotient, 0);
    graph_join(&graph, root_node(writing, variance), 0, quotient, 1);
    graph_output(&graph, writing->scale != NONE ? scaled_node(writing, quotient) : quotient, 0, 0);
    if (writing->mean_is_output) {
        graph_output(&graph, mean, 0, 1);
    }
}

/* ---- what becomes of them ---- */

static void all_ways_to_write_them_become_one_operator(void **state) {
    (void)state;
    for (uint32_t square = PRODUCT; square <= POWER; square++) {
        for (uint32_t epsilon = SCALE_BIAS_OF_ROOT; epsilon <= SUM_TURNED; epsilon++) {
            begin_written(&(struct writing){.square = square, .epsilon = epsilon});
            assert_nodes(1, "(quotient) is fused into");
            agree_about(F32);
        }
    }
}

static void they_take_a_scale_and_a_bias(void **state) {
    (void)state;
    begin_written(&(struct writing){.scale = SCALE_AND_BIAS});
    assert_nodes(1, "(scale) is fused into");
    agree_about(F32);
    begin_written(&(struct writing){.scale = TURNED});
    assert_nodes(1, "(add) is fused into");
    agree_about(F32);
    begin_written(&(struct writing){.scale = SCALE_ALONE});
    assert_nodes(2, "(quotient) is fused into");
    agree_about(F32);
}

/* ---- groups of channels, whose rows the scale and the bias do not see ---- */

enum groups { OF_AXES, OF_PIXELS };

/* Pictures of 2 x 6 x 4 x 5, 3 groups of two channels each: a normalization of rows, and by channel behind it. */
static void begin_groups(enum groups groups, const uint32_t *scale_strides, DML_TENSOR_DATA_TYPE type) {
    static const uint32_t grouped[] = {2, 3, 2, 20}, pictures[] = {2, 6, 4, 5}, axes[] = {2, 3};
    const DML_TENSOR_DESC *rows_of = tensor_of(type, grouped, NULL), *all = tensor_of(type, pictures, NULL);
    const DML_TENSOR_DESC *factors = tensor_of(type, pictures, scale_strides);
    const DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC by_axes = {.InputTensor = rows_of,
                                                                    .OutputTensor = rows_of,
                                                                    .AxisCount = 2,
                                                                    .Axes = axes,
                                                                    .NormalizeVariance = 1,
                                                                    .Epsilon = 0.5F};
    const DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC by_pixels = {
        .InputTensor = rows_of, .OutputTensor = rows_of, .NormalizeVariance = 1, .Epsilon = 0.5F};
    const DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC product = {all, factors, all};
    begin(INPUTS, 1);
    const uint32_t normalization = groups == OF_AXES
                                       ? node(DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, &by_axes, "norm")
                                       : node(DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION, &by_pixels, "norm");
    const uint32_t scale = node(DML_OPERATOR_ELEMENT_WISE_MULTIPLY, &product, "scale");
    const uint32_t bias = add_node(all, factors, all);
    graph_input(&graph, X, normalization, 0);
    graph_join(&graph, normalization, 0, scale, 0);
    graph_input(&graph, GAMMA, scale, 1);
    graph_join(&graph, scale, 0, bias, 0);
    graph_input(&graph, BETA, bias, 1);
    graph_output(&graph, bias, 0, 0);
}

static void groups_take_the_scale_and_the_bias_of_channels(void **state) {
    static const uint32_t by_channel[] = {0, 1, 0, 0}, of_all[] = {0, 0, 0, 0}, whole_pictures[] = {120, 20, 5, 1};
    const uint32_t *const strides[] = {by_channel, of_all, whole_pictures};
    (void)state;
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        for (uint32_t groups = OF_AXES; groups <= OF_PIXELS; groups++) {
            begin_groups((enum groups)groups, strides[i], F32);
            assert_nodes(1, "(add) is fused into Nodes[0] (norm)");
            agree_about(F32);
        }
    }
    begin_groups(OF_AXES, by_channel, F16);
    assert_nodes(3, "its FLOAT16 input would not be rounded");
    assert_int_equal(fuse(DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION), 1);
    agree_about(F16);
}

/* A number for each line of pixels is none for the rows of a group, where these are all pixels. */
static void what_rows_do_not_have_stays(void **state) {
    static const uint32_t by_column_of_pixels[] = {0, 0, 0, 1}, by_line[] = {24, 4, 1, 0};
    (void)state;
    begin_groups(OF_AXES, by_line, F32);
    assert_nodes(3, "sizes or strides differ");
    agree_about(F32);
    begin_groups(OF_AXES, by_column_of_pixels, F32);
    assert_nodes(3, "sizes or strides differ");
    agree_about(F32);
}

static void halves_stay_but_where_rounding_allows(void **state) {
    (void)state;
    begin_written(&(struct writing){.type = F16, .scale = SCALE_AND_BIAS});
    assert_nodes(8, "FLOAT16 between its parts would not be rounded");
    assert_int_equal(fuse(DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION), 1);
    agree_about(F16);
}

static void what_is_no_normalization_stays(void **state) {
    static const struct writing others[] = {
        {.square = CUBE}, {.epsilon = SCALED}, {.sums = true}, {.reads_other = true}};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        begin_written(&others[i]);
        const uint32_t constants = others[i].square == CUBE ? 1 : 0;
        assert_int_equal(fuse(DML_EXECUTION_FLAG_NONE), 6 + constants);
        agree_about(F32);
    }
}

static void parts_that_others_read_stay(void **state) {
    (void)state;
    begin_written(&(struct writing){.mean_is_output = true});
    assert_nodes(6, "one of which is read elsewhere");
    agree_about(F32);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_device, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(all_ways_to_write_them_become_one_operator),
        TEST(they_take_a_scale_and_a_bias),
        TEST(groups_take_the_scale_and_the_bias_of_channels),
        TEST(what_rows_do_not_have_stays),
        TEST(halves_stay_but_where_rounding_allows),
        TEST(what_is_no_normalization_stays),
        TEST(parts_that_others_read_stay),
    };
    return cmocka_run_group_tests_name("graph_normalization", tests, set_up_vulkan, tear_down_vulkan);
}
