/* How two arrays of elements are compared, and what is told of their differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/compare.h"

static const struct compare_tolerance bit_for_bit = {.bits = true};

static uint64_t count_different(DML_TENSOR_DATA_TYPE type, uint64_t count, const void *got, const void *expected,
                                struct compare_tolerance tolerance) {
    const struct compare_arrays arrays = {type, count, got, expected};
    struct compare_result result;
    compare_elements(&arrays, &tolerance, &result);
    return result.different;
}

static uint64_t differ(float got, float expected, struct compare_tolerance tolerance) {
    return count_different(DML_TENSOR_DATA_TYPE_FLOAT32, 1, &got, &expected, tolerance);
}

static void bits_tell_zeros_and_nans_apart(void **state) {
    const uint32_t nans[] = {0x7FC00000, 0x7FC00001};
    (void)state;
    assert_int_equal(differ(0.0f, -0.0f, bit_for_bit), 1);
    assert_int_equal(differ(1.5f, 1.5f, bit_for_bit), 0);
    assert_int_equal(count_different(DML_TENSOR_DATA_TYPE_FLOAT32, 1, &nans[0], &nans[1], bit_for_bit), 1);
}

static void numbers_do_not(void **state) {
    const struct compare_tolerance none = {.absolute = 0};
    const uint32_t nans[] = {0x7FC00000, 0xFFC00001};
    (void)state;
    assert_int_equal(differ(0.0f, -0.0f, none), 0);
    assert_int_equal(differ(1.0f, nextafterf(1.0f, 2.0f), none), 1);
    assert_int_equal(count_different(DML_TENSOR_DATA_TYPE_FLOAT32, 1, &nans[0], &nans[1], none), 0);
}

static void tolerances_are_added_but_for_units_in_the_last_place(void **state) {
    (void)state;
    assert_int_equal(differ(10.5f, 10.0f, (struct compare_tolerance){.absolute = 0.5}), 0);
    assert_int_equal(differ(10.5f, 10.0f, (struct compare_tolerance){.absolute = 0.25}), 1);
    assert_int_equal(differ(10.5f, 10.0f, (struct compare_tolerance){.absolute = 0.25, .relative = 0.025}), 0);
    assert_int_equal(differ(1.0f + 0x1p-22f, 1.0f, (struct compare_tolerance){.ulp = 2}), 0);
    assert_int_equal(differ(1.0f + 0x1p-22f, 1.0f, (struct compare_tolerance){.ulp = 1.5}), 1);
    assert_int_equal(differ(0x1p-149f, 0.0f, (struct compare_tolerance){.ulp = 1}), 0);
}

static void a_part_of_the_largest_element_is_allowed_to_all(void **state) {
    const float expected[] = {1000, 0, INFINITY};
    const float got[] = {1000, 0.5f, INFINITY};
    (void)state;
    assert_int_equal(
        count_different(DML_TENSOR_DATA_TYPE_FLOAT32, 3, got, expected, (struct compare_tolerance){.of_largest = 5e-4}),
        0);
    assert_int_equal(
        count_different(DML_TENSOR_DATA_TYPE_FLOAT32, 3, got, expected, (struct compare_tolerance){.of_largest = 4e-4}),
        1);
}

static void infinity_and_nan_are_no_numbers_nearby(void **state) {
    const struct compare_tolerance wide = {.absolute = 1e300, .relative = 1, .of_largest = 1, .ulp = 1e6};
    (void)state;
    assert_int_equal(differ(INFINITY, 1, wide), 1);
    assert_int_equal(differ(1, INFINITY, wide), 1);
    assert_int_equal(differ(-INFINITY, INFINITY, wide), 1);
    assert_int_equal(differ(NAN, 1, wide), 1);
    assert_int_equal(differ(1, NAN, wide), 1);
    assert_int_equal(differ(INFINITY, INFINITY, wide), 0);
}

static void integers_are_compared_beyond_what_a_double_holds(void **state) {
    const uint64_t expected[] = {UINT64_MAX, 0, 5};
    const uint64_t got[] = {UINT64_MAX - 1, UINT64_MAX, 5};
    const int64_t least = INT64_MIN, greatest = INT64_MAX;
    const struct compare_tolerance one = {.absolute = 1};
    (void)state;
    assert_int_equal(count_different(DML_TENSOR_DATA_TYPE_UINT64, 3, got, expected, one), 1);
    assert_int_equal(count_different(DML_TENSOR_DATA_TYPE_UINT64, 3, got, expected, bit_for_bit), 2);
    assert_int_equal(count_different(DML_TENSOR_DATA_TYPE_INT64, 1, &least, &greatest, one), 1);
}

static void elements_of_four_bits_share_bytes(void **state) {
    const unsigned char expected[] = {0xF1, 0x02}, got[] = {0x11, 0x12};
    (void)state;
    assert_int_equal(count_different(DML_TENSOR_DATA_TYPE_INT4, 3, got, expected, bit_for_bit), 1);
    assert_int_equal(count_different(DML_TENSOR_DATA_TYPE_INT4, 3, got, expected, (struct compare_tolerance){.ulp = 2}),
                     0);
    assert_int_equal(
        count_different(DML_TENSOR_DATA_TYPE_UINT4, 3, got, expected, (struct compare_tolerance){.ulp = 2}), 1);
}

static void coordinates_follow_the_strides(void **state) {
    const uint64_t sizes[] = {2, 1, 3};
    const uint32_t tensor_sizes[] = {1, 2, 3}, strides[] = {7, 1, 2}, gaps[] = {0, 4, 1};
    const DML_BUFFER_TENSOR_DESC packed = {.DimensionCount = 3, .Sizes = tensor_sizes},
                                 transposed = {.DimensionCount = 3, .Sizes = tensor_sizes, .Strides = strides},
                                 apart = {.DimensionCount = 3, .Sizes = tensor_sizes, .Strides = gaps};
    const struct compare_shape none = {0};
    const struct {
        struct compare_shape shape;
        uint64_t index;
        const char *text;
    } rows[] = {
        {compare_shape_of_sizes(3, sizes), 4, "[1, 0, 1]"},
        {compare_shape_of_sizes(3, sizes), 6, "[6]"}, /* behind the last */
        {compare_shape_of_tensor(&packed), 5, "[0, 1, 2]"},
        {compare_shape_of_tensor(&transposed), 5, "[0, 1, 2]"},
        {compare_shape_of_tensor(&transposed), 4, "[0, 0, 2]"},
        {compare_shape_of_tensor(&apart), 5, "[0, 1, 1]"},
        {compare_shape_of_tensor(&apart), 3, "[3]"}, /* between two rows */
        {none, 17, "[17]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[COMPARE_COORDINATES_SIZE];
        compare_coordinates(&rows[i].shape, rows[i].index, text);
        assert_string_equal(text, rows[i].text);
    }
}

static void tolerances_are_told(void **state) {
    const struct {
        struct compare_tolerance tolerance;
        const char *text;
    } rows[] = {
        {{.bits = true}, "bit for bit"},
        {{.absolute = 0}, "in value"},
        {{.absolute = 0.5}, "within 0.5"},
        {{.ulp = 2.5}, "within 2.5 ULP"},
        {{.absolute = 1e-5, .relative = 0.001}, "within 1e-05 + 0.001 of the element"},
        {{.relative = 0.25, .of_largest = 0.5, .ulp = 1}, "within 0.25 of the element + 0.5 of the largest or 1 ULP"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[COMPARE_TOLERANCE_SIZE];
        compare_tolerance_text(&rows[i].tolerance, text);
        assert_string_equal(text, rows[i].text);
    }
}

static void the_first_differences_and_the_largest_are_printed(void **state) {
    float expected[12] = {0}, got[12] = {0};
    const uint64_t sizes[] = {3, 4};
    const struct compare_shape shape = compare_shape_of_sizes(2, sizes);
    const struct compare_arrays arrays = {DML_TENSOR_DATA_TYPE_FLOAT32, 12, (unsigned char *)got,
                                          (unsigned char *)expected};
    struct compare_result result;
    char text[1024] = {0};
    (void)state;
    for (int i = 2; i < 12; i++) {
        got[i] = (float)i;
    }
    got[2] = -0.0f;
    FILE *file = tmpfile();
    assert_non_null(file);
    compare_elements(&arrays, &bit_for_bit, &result);
    compare_print(file, &arrays, &bit_for_bit, &result, &shape);
    rewind(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "10 of 12 elements differ (compared bit for bit), most by 11 at [2, 3]\n"
                              "  [0, 2]: got -0, expected 0\n"
                              "  [0, 3]: got 3, expected 0\n"
                              "  [1, 0]: got 4, expected 0\n"
                              "  [1, 1]: got 5, expected 0\n"
                              "  [1, 2]: got 6, expected 0\n"
                              "  [1, 3]: got 7, expected 0\n"
                              "  [2, 0]: got 8, expected 0\n"
                              "  [2, 1]: got 9, expected 0\n"
                              "  .. and 2 more\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_tell_zeros_and_nans_apart),
        cmocka_unit_test(numbers_do_not),
        cmocka_unit_test(tolerances_are_added_but_for_units_in_the_last_place),
        cmocka_unit_test(a_part_of_the_largest_element_is_allowed_to_all),
        cmocka_unit_test(infinity_and_nan_are_no_numbers_nearby),
        cmocka_unit_test(integers_are_compared_beyond_what_a_double_holds),
        cmocka_unit_test(elements_of_four_bits_share_bytes),
        cmocka_unit_test(coordinates_follow_the_strides),
        cmocka_unit_test(tolerances_are_told),
        cmocka_unit_test(the_first_differences_and_the_largest_are_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
