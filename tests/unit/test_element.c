/* Elements in memory: where they are, and that writing one leaves all others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reference/element.h"
#include "reference/number.h"

static struct vkdml_tensor make_tensor(DML_TENSOR_DATA_TYPE type, uint32_t size, uint32_t stride) {
    return (struct vkdml_tensor){.dimension_count = 1,
                                 .data_type = type,
                                 .element_size = vkdml_data_type_size(type),
                                 .element_bits = vkdml_data_type_bits(type),
                                 .sizes = {size},
                                 .strides = {stride}};
}

static void of_two_elements_in_a_byte_the_first_is_the_low_half(void **state) {
    (void)state;
    const unsigned char memory[] = {0x21, 0x43, 0xF5};
    const struct vkdml_tensor tensor = make_tensor(DML_TENSOR_DATA_TYPE_INT4, 6, 1);
    const uint64_t expected[] = {1, 2, 3, 4, 5, 15};
    struct vkdml_coordinate at = {{0}};
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(vkdml_element_read(&tensor, memory, &at), expected[i]);
        assert_int_equal(vkdml_coordinate_next(&tensor, &at), i < 5);
    }
}

static void writing_half_a_byte_keeps_the_other_half(void **state) {
    (void)state;
    unsigned char memory[] = {0xAB, 0xCD, 0xEF};
    const struct vkdml_tensor every_third = make_tensor(DML_TENSOR_DATA_TYPE_UINT4, 2, 3);
    struct vkdml_coordinate at = {{0}};
    vkdml_element_write(&every_third, memory, &at, 0x71);
    at.index[0] = 1;
    vkdml_element_write(&every_third, memory, &at, 0x2);
    const unsigned char expected[] = {0xA1, 0x2D, 0xEF};
    assert_memory_equal(memory, expected, sizeof expected);
}

static void elements_of_bytes_are_read_back(void **state) {
    (void)state;
    static const DML_TENSOR_DATA_TYPE types[] = {DML_TENSOR_DATA_TYPE_UINT8, DML_TENSOR_DATA_TYPE_INT16,
                                                 DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_UINT64};
    const uint64_t bits = UINT64_C(0x8877665544332211);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        unsigned char memory[24];
        memset(memory, 0xEE, sizeof memory);
        const struct vkdml_tensor tensor = make_tensor(types[i], 2, 2);
        const uint32_t size = tensor.element_size;
        const struct vkdml_coordinate last = {{1}};
        vkdml_element_write(&tensor, memory, &last, bits);
        assert_true(vkdml_element_read(&tensor, memory, &last) ==
                    (size == 8 ? bits : bits & ((UINT64_C(1) << 8 * size) - 1)));
        assert_int_equal(memory[2 * size - 1], 0xEE);
        assert_int_equal(memory[3 * size - (size == 8)], size == 8 ? 0x88 : 0xEE);
    }
}

static void integers_of_4_bits_saturate(void **state) {
    (void)state;
    assert_int_equal(vkdml_integer_saturate(DML_TENSOR_DATA_TYPE_UINT4, false, 16), 15);
    assert_int_equal(vkdml_integer_saturate(DML_TENSOR_DATA_TYPE_UINT4, true, 3), 0);
    assert_int_equal(vkdml_integer_saturate(DML_TENSOR_DATA_TYPE_INT4, false, 8), 7);
    assert_int_equal(vkdml_integer_saturate(DML_TENSOR_DATA_TYPE_INT4, true, 9), 8);
    assert_int_equal(vkdml_integer_saturate(DML_TENSOR_DATA_TYPE_INT4, true, 3), 13);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_two_elements_in_a_byte_the_first_is_the_low_half),
        cmocka_unit_test(writing_half_a_byte_keeps_the_other_half),
        cmocka_unit_test(elements_of_bytes_are_read_back),
        cmocka_unit_test(integers_of_4_bits_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
