/* Sizes, strides and extents of tensors, up to where 32 and 64 bits end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "lists.h"
#include "tensor/tensor.h"

/* ---- data types ---- */

static void data_types_have_names_and_sizes(void **state) {
    (void)state;
    assert_string_equal(vkdml_data_type_name(DML_TENSOR_DATA_TYPE_FLOAT32), "DML_TENSOR_DATA_TYPE_FLOAT32");
    assert_string_equal(vkdml_data_type_name(DML_TENSOR_DATA_TYPE_INT64), "DML_TENSOR_DATA_TYPE_INT64");
    assert_string_equal(vkdml_data_type_name(DML_TENSOR_DATA_TYPE_UNKNOWN), "DML_TENSOR_DATA_TYPE_UNKNOWN");
    static const uint32_t sizes[] = {0, 4, 2, 4, 2, 1, 4, 2, 1, 8, 8, 8, 0, 0};
    for (uint32_t type = 0; type < COUNT_OF(sizes); type++) {
        assert_non_null(vkdml_data_type_name((DML_TENSOR_DATA_TYPE)type));
        assert_int_equal(vkdml_data_type_size((DML_TENSOR_DATA_TYPE)type), sizes[type]);
        assert_int_equal(vkdml_data_type_bits((DML_TENSOR_DATA_TYPE)type), type >= 12 ? 4 : 8 * sizes[type]);
        const bool is_float = type == DML_TENSOR_DATA_TYPE_FLOAT32 || type == DML_TENSOR_DATA_TYPE_FLOAT16 ||
                              type == DML_TENSOR_DATA_TYPE_FLOAT64;
        assert_int_equal(vkdml_data_type_is_float((DML_TENSOR_DATA_TYPE)type), is_float);
    }
}

static void values_that_are_no_data_type_have_neither_name_nor_size(void **state) {
    (void)state;
    static const int values[] = {14, 255, INT32_MAX, -1, INT32_MIN};
    for (uint32_t i = 0; i < COUNT_OF(values); i++) {
        assert_null(vkdml_data_type_name((DML_TENSOR_DATA_TYPE)values[i]));
        assert_int_equal(vkdml_data_type_size((DML_TENSOR_DATA_TYPE)values[i]), 0);
        assert_int_equal(vkdml_data_type_bits((DML_TENSOR_DATA_TYPE)values[i]), 0);
        assert_false(vkdml_data_type_is_float((DML_TENSOR_DATA_TYPE)values[i]));
    }
}

/* ---- packed strides ---- */

static void expect_packed(uint32_t count, const uint32_t *sizes, const uint32_t *expected) {
    uint32_t strides[VKDML_MAX_DIMENSIONS];
    assert_true(vkdml_packed_strides(count, sizes, strides));
    assert_memory_equal(strides, expected, count * sizeof strides[0]);
}

static void packed_strides_are_row_major(void **state) {
    (void)state;
    expect_packed(LIST(7), STRIDES(1));
    expect_packed(LIST(2, 3, 4, 5), STRIDES(60, 20, 5, 1));
    expect_packed(LIST(1, 2, 1, 3, 1, 2, 1, 2), STRIDES(24, 12, 12, 4, 4, 2, 2, 1));
}

static void packed_strides_may_be_as_large_as_32_bits(void **state) {
    (void)state;
    expect_packed(LIST(1, UINT32_MAX), STRIDES(UINT32_MAX, 1));
    expect_packed(LIST(2, 1, 1, 1, 1, 1, 1, UINT32_MAX),
                  STRIDES(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 1));
    expect_packed(LIST(65536, 65536), STRIDES(65536, 1));
}

static void packed_strides_above_32_bits_are_told_of(void **state) {
    (void)state;
    uint32_t strides[VKDML_MAX_DIMENSIONS];
    assert_false(vkdml_packed_strides(LIST(1, 65536, 65536), strides));
    assert_false(vkdml_packed_strides(LIST(1, 1, 1, 1, 1, 1, 2, UINT32_MAX), strides));
    assert_false(vkdml_packed_strides(
        LIST(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX), strides));
}

/* ---- element count ---- */

static void the_element_count_is_the_product_of_the_sizes(void **state) {
    (void)state;
    uint64_t count;
    assert_true(vkdml_element_count(LIST(2, 3, 4, 5), &count));
    assert_int_equal(count, 120);
    assert_true(vkdml_element_count(LIST(UINT32_MAX, UINT32_MAX), &count));
    assert_true(count == UINT64_C(0xFFFFFFFE00000001));
    /* 641 * 6700417 == 2^32 + 1, so this is 2^64 - 1. */
    assert_true(vkdml_element_count(LIST(UINT32_MAX, 641, 6700417), &count));
    assert_true(count == UINT64_MAX);
}

static void an_element_count_above_64_bits_is_told_of(void **state) {
    (void)state;
    uint64_t count;
    assert_false(vkdml_element_count(LIST(65536, 65536, 65536, 65536), &count)); /* would wrap to 0 */
    assert_false(vkdml_element_count(LIST(UINT32_MAX, UINT32_MAX, 2), &count));
    assert_false(vkdml_element_count(
        LIST(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX), &count));
}

static void a_size_of_0_makes_the_count_0_whatever_the_others(void **state) {
    (void)state;
    uint64_t count = 1;
    assert_true(vkdml_element_count(LIST(UINT32_MAX, UINT32_MAX, UINT32_MAX, 0), &count));
    assert_int_equal(count, 0);
    count = 1;
    assert_true(vkdml_element_count(LIST(0, UINT32_MAX, UINT32_MAX, UINT32_MAX), &count));
    assert_int_equal(count, 0);
}

/* ---- minimum size ---- */

static uint64_t minimum(uint32_t element_bits, uint32_t count, const uint32_t *sizes, const uint32_t *strides) {
    uint64_t bytes;
    assert_true(vkdml_minimum_bytes(element_bits, count, sizes, strides, &bytes));
    return bytes;
}

static void the_minimum_size_is_rounded_up_to_4_bytes(void **state) {
    (void)state;
    assert_int_equal(minimum(32, LIST(3), NULL), 12);
    assert_int_equal(minimum(8, LIST(1), NULL), 4);
    assert_int_equal(minimum(8, LIST(4), NULL), 4);
    assert_int_equal(minimum(8, LIST(5), NULL), 8);
    assert_int_equal(minimum(16, LIST(3), NULL), 8);
    assert_int_equal(minimum(64, LIST(3), NULL), 24);
}

static void two_elements_of_4_bits_share_a_byte(void **state) {
    (void)state;
    assert_int_equal(minimum(4, LIST(1), NULL), 4);
    assert_int_equal(minimum(4, LIST(8), NULL), 4);
    assert_int_equal(minimum(4, LIST(9), NULL), 8);
    assert_int_equal(minimum(4, LIST(3, 5), NULL), 8);
    assert_int_equal(minimum(4, LIST(2, 3), STRIDES(12, 1)), 8);
    assert_int_equal(minimum(4, LIST(2, 3), STRIDES(14, 1)), 12);
    /* half of what bytes would need, where those no longer fit 64 bits */
    assert_true(minimum(4, LIST(UINT32_MAX, UINT32_MAX), STRIDES(UINT32_MAX, 2)) == UINT64_C(0x7FFFFFFF80000000));
}

static void the_minimum_size_reaches_to_the_last_strided_element(void **state) {
    (void)state;
    assert_int_equal(minimum(32, LIST(2, 3), STRIDES(3, 1)), 24);
    assert_int_equal(minimum(32, LIST(2, 3), STRIDES(8, 2)), (8 + 4 + 1) * 4);
    assert_int_equal(minimum(32, LIST(2, 3), STRIDES(0, 0)), 4);
    assert_int_equal(minimum(32, LIST(1, 3), STRIDES(UINT32_MAX, 1)), 12); /* size 1: the stride does not matter */
}

static void the_minimum_size_may_be_as_large_as_64_bits(void **state) {
    (void)state;
    const uint64_t last = (uint64_t)(UINT32_MAX - 1) * UINT32_MAX;
    assert_true(minimum(8, LIST(UINT32_MAX), STRIDES(UINT32_MAX)) == (last + 1 + 3) / 4 * 4);
    assert_true(minimum(64, LIST(UINT32_MAX), STRIDES(1u << 28)) == ((uint64_t)(UINT32_MAX - 1) * (1u << 28) + 1) * 8);
    assert_true(minimum(8, LIST(UINT32_MAX, UINT32_MAX), NULL) == UINT64_C(0xFFFFFFFE00000004));
}

static void a_minimum_size_above_64_bits_is_told_of(void **state) {
    (void)state;
    uint64_t bytes;
    /* packed: 2^61 elements of 8 bytes would wrap to 0 */
    assert_false(vkdml_minimum_bytes(64, LIST(1u << 31, 1u << 30), NULL, &bytes));
    assert_false(vkdml_minimum_bytes(8, LIST(65536, 65536, 65536, 65536), NULL, &bytes));
    /* 2^64 - 1 bytes, which rounding up would wrap to 0 */
    assert_false(vkdml_minimum_bytes(8, LIST(UINT32_MAX, 641, 6700417), NULL, &bytes));
    /* strided: the element size, and the sum over dimensions */
    assert_false(vkdml_minimum_bytes(16, LIST(UINT32_MAX), STRIDES(UINT32_MAX), &bytes));
    assert_false(vkdml_minimum_bytes(8, LIST(UINT32_MAX, UINT32_MAX), STRIDES(UINT32_MAX, UINT32_MAX), &bytes));
    /* (2^32 - 2) * (2^32 - 1) + 3 * (2^32 - 2) + 3 * 1 == 2^64 - 1: no room for the last element itself */
    assert_false(vkdml_minimum_bytes(8, LIST(UINT32_MAX, UINT32_MAX, 4), STRIDES(UINT32_MAX, 3, 1), &bytes));
}

/* ---- tensors ---- */

static struct vkdml_tensor make_tensor(uint32_t count, const uint32_t *sizes, const uint32_t *strides) {
    struct vkdml_tensor tensor = {.dimension_count = count, .data_type = DML_TENSOR_DATA_TYPE_FLOAT32};
    memcpy(tensor.sizes, sizes, count * sizeof sizes[0]);
    memcpy(tensor.strides, strides, count * sizeof strides[0]);
    return tensor;
}

static void a_tensor_may_have_all_but_2_to_the_32_elements(void **state) {
    (void)state;
    struct vkdml_tensor tensor = make_tensor(LIST(3, 5, 17, 257, 65537), STRIDES(0, 0, 0, 0, 0));
    assert_int_equal(vkdml_tensor_elements(&tensor), UINT32_MAX);
}

static void the_effective_rank_leaves_out_leading_ones_only(void **state) {
    (void)state;
    struct vkdml_tensor tensor = make_tensor(LIST(1, 1, 3, 1, 2), STRIDES(6, 6, 2, 2, 1));
    assert_int_equal(vkdml_effective_rank(&tensor), 3);
    tensor = make_tensor(LIST(2, 1, 1), STRIDES(1, 1, 1));
    assert_int_equal(vkdml_effective_rank(&tensor), 3);
    tensor = make_tensor(LIST(1, 1, 1, 1, 1, 1, 1, 1), STRIDES(1, 1, 1, 1, 1, 1, 1, 1));
    assert_int_equal(vkdml_effective_rank(&tensor), 0);
}

static void layouts_are_the_same_where_every_element_lies_at_the_same_place(void **state) {
    (void)state;
    const struct vkdml_tensor tensor = make_tensor(LIST(2, 1, 3), STRIDES(3, 3, 1));
    struct vkdml_tensor other = tensor;
    assert_true(vkdml_same_layout(&tensor, &other));
    other.strides[1] = 99;
    assert_true(vkdml_same_layout(&tensor, &other)); /* of a size of 1 */
    other.strides[0] = 4;
    assert_false(vkdml_same_layout(&tensor, &other));
    other = tensor;
    other.sizes[2] = 2;
    assert_false(vkdml_same_layout(&tensor, &other));
    other = tensor;
    other.data_type = DML_TENSOR_DATA_TYPE_INT32;
    assert_false(vkdml_same_layout(&tensor, &other));
    other = make_tensor(LIST(2, 1, 3, 1), STRIDES(3, 3, 1, 1));
    assert_false(vkdml_same_layout(&tensor, &other));
    assert_false(vkdml_same_layout(&other, &tensor));
}

/* ---- overlap ---- */

static void packed_transposed_and_sliced_tensors_do_not_overlap(void **state) {
    (void)state;
    assert_int_equal(vkdml_self_overlap(LIST(2, 3, 4), STRIDES(12, 4, 1)), VKDML_OVERLAP_NONE);
    assert_int_equal(vkdml_self_overlap(LIST(4, 2, 3), STRIDES(1, 12, 4)), VKDML_OVERLAP_NONE);
    assert_int_equal(vkdml_self_overlap(LIST(2, 3), STRIDES(100, 7)), VKDML_OVERLAP_NONE);
    assert_int_equal(vkdml_self_overlap(LIST(6, 4), STRIDES(2, 12)), VKDML_OVERLAP_NONE); /* columns of a table */
    assert_int_equal(vkdml_self_overlap(LIST(1, 1, 5), STRIDES(0, 0, 1)), VKDML_OVERLAP_NONE);
    assert_int_equal(vkdml_self_overlap(LIST(2, 0), STRIDES(0, 0)), VKDML_OVERLAP_NONE); /* no elements */
}

static void repeated_and_crossing_elements_overlap(void **state) {
    (void)state;
    assert_int_equal(vkdml_self_overlap(LIST(2), STRIDES(0)), VKDML_OVERLAP_FOUND);
    assert_int_equal(vkdml_self_overlap(LIST(2, 2), STRIDES(1, 1)), VKDML_OVERLAP_FOUND);
    assert_int_equal(vkdml_self_overlap(LIST(2, 4), STRIDES(3, 1)), VKDML_OVERLAP_FOUND);
    assert_int_equal(vkdml_self_overlap(LIST(3, 4), STRIDES(3, 2)), VKDML_OVERLAP_FOUND);
}

static void interleaved_strides_are_decided_exactly(void **state) {
    (void)state;
    /* Neither stride steps over the other's reach, and yet 3 * a == 2 * b only for a = 2, b = 3. */
    assert_int_equal(vkdml_self_overlap(LIST(2, 3), STRIDES(3, 2)), VKDML_OVERLAP_NONE);
    assert_int_equal(vkdml_self_overlap(LIST(3, 3), STRIDES(3, 2)), VKDML_OVERLAP_NONE);
    assert_int_equal(vkdml_self_overlap(LIST(2, 4), STRIDES(3, 2)), VKDML_OVERLAP_NONE);
    assert_int_equal(vkdml_self_overlap(LIST(65535, 65536), STRIDES(65537, 65536)), VKDML_OVERLAP_NONE);
    assert_int_equal(vkdml_self_overlap(LIST(65535, 65536), STRIDES(65535, 65534)), VKDML_OVERLAP_FOUND);
}

/* Marks each element's place, in at most PLACES of them. */
#define PLACES 4096

static bool overlaps_by_marking(uint32_t count, const uint32_t *sizes, const uint32_t *strides) {
    bool taken[PLACES] = {false};
    uint32_t at[VKDML_MAX_DIMENSIONS] = {0};
    for (;;) {
        uint32_t place = 0;
        for (uint32_t i = 0; i < count; i++) {
            place += at[i] * strides[i];
        }
        assert_in_range(place, 0, PLACES - 1);
        if (taken[place]) {
            return true;
        }
        taken[place] = true;
        uint32_t i = 0;
        while (i < count && ++at[i] == sizes[i]) {
            at[i++] = 0;
        }
        if (i == count) {
            return false;
        }
    }
}

static uint32_t next_random(uint64_t *seed, uint32_t below) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

static void overlap_is_what_marking_every_element_finds(void **state) {
    (void)state;
    uint64_t seed = 1;
    uint32_t found = 0, none = 0;
    for (uint32_t round = 0; round < 20000; round++) {
        const uint32_t count = 1 + next_random(&seed, VKDML_MAX_DIMENSIONS);
        uint32_t sizes[VKDML_MAX_DIMENSIONS], strides[VKDML_MAX_DIMENSIONS];
        const uint32_t widest = next_random(&seed, 2) == 0 ? 12 : PLACES / (3 * VKDML_MAX_DIMENSIONS);
        for (uint32_t i = 0; i < count; i++) {
            sizes[i] = 1 + next_random(&seed, 4);
            strides[i] = next_random(&seed, widest);
        }
        const bool expected = overlaps_by_marking(count, sizes, strides);
        assert_int_equal(vkdml_self_overlap(count, sizes, strides),
                         expected ? VKDML_OVERLAP_FOUND : VKDML_OVERLAP_NONE);
        found += expected;
        none += !expected;
    }
    assert_in_range(found, 1000, 19000); /* else the rounds prove little */
    assert_in_range(none, 1000, 19000);
}

static void strides_near_32_bits_do_not_wrap(void **state) {
    (void)state;
    assert_int_equal(vkdml_self_overlap(LIST(UINT32_MAX), STRIDES(UINT32_MAX)), VKDML_OVERLAP_NONE);
    /* 2^31 * 2 would be 0 in 32 bits. */
    assert_int_equal(vkdml_self_overlap(LIST(3, 2), STRIDES(1u << 31, 1)), VKDML_OVERLAP_NONE);
    assert_int_equal(vkdml_self_overlap(LIST(3, 2), STRIDES(1u << 31, UINT32_MAX)), VKDML_OVERLAP_NONE);
    assert_int_equal(vkdml_self_overlap(LIST(3, 3, 3), STRIDES(UINT32_MAX, UINT32_MAX - 1, UINT32_MAX - 2)),
                     VKDML_OVERLAP_FOUND); /* 1 - 2 + 1 */
    /* Reaches beyond 64 bits. */
    assert_int_equal(vkdml_self_overlap(LIST(UINT32_MAX, UINT32_MAX), STRIDES(UINT32_MAX, UINT32_MAX - 1)),
                     VKDML_OVERLAP_UNDECIDED);
}

static void entangled_strides_are_given_up_on_in_bounded_time(void **state) {
    (void)state;
    const clock_t start = clock();
    assert_int_equal(vkdml_self_overlap(LIST(15, 8, 7, 17, 5, 10, 13, 9),
                                        STRIDES(4294967124u, 4294966799u, 1691517533u, 4294967051u, 2918154767u,
                                                3308559003u, 1734315628u, 4160314464u)),
                     VKDML_OVERLAP_UNDECIDED);
    /* Milliseconds; the second leaves room for sanitizers and slow machines. */
    assert_true(clock() - start < CLOCKS_PER_SEC);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_types_have_names_and_sizes),
        cmocka_unit_test(values_that_are_no_data_type_have_neither_name_nor_size),
        cmocka_unit_test(packed_strides_are_row_major),
        cmocka_unit_test(packed_strides_may_be_as_large_as_32_bits),
        cmocka_unit_test(packed_strides_above_32_bits_are_told_of),
        cmocka_unit_test(the_element_count_is_the_product_of_the_sizes),
        cmocka_unit_test(an_element_count_above_64_bits_is_told_of),
        cmocka_unit_test(a_size_of_0_makes_the_count_0_whatever_the_others),
        cmocka_unit_test(the_minimum_size_is_rounded_up_to_4_bytes),
        cmocka_unit_test(two_elements_of_4_bits_share_a_byte),
        cmocka_unit_test(the_minimum_size_reaches_to_the_last_strided_element),
        cmocka_unit_test(the_minimum_size_may_be_as_large_as_64_bits),
        cmocka_unit_test(a_minimum_size_above_64_bits_is_told_of),
        cmocka_unit_test(a_tensor_may_have_all_but_2_to_the_32_elements),
        cmocka_unit_test(the_effective_rank_leaves_out_leading_ones_only),
        cmocka_unit_test(layouts_are_the_same_where_every_element_lies_at_the_same_place),
        cmocka_unit_test(packed_transposed_and_sliced_tensors_do_not_overlap),
        cmocka_unit_test(repeated_and_crossing_elements_overlap),
        cmocka_unit_test(interleaved_strides_are_decided_exactly),
        cmocka_unit_test(overlap_is_what_marking_every_element_finds),
        cmocka_unit_test(strides_near_32_bits_do_not_wrap),
        cmocka_unit_test(entangled_strides_are_given_up_on_in_bounded_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
