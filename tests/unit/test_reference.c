/* The reference: DirectML's own examples, each mode and rule against a definition written another way. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cases/random.h"
#include "reference_fixture.h"
#include "vkdml/schema.h"

#define T(TYPE) DML_TENSOR_DATA_TYPE_##TYPE

static const DML_TENSOR_DATA_TYPE all_types[] = {T(FLOAT32), T(FLOAT16), T(FLOAT64), T(UINT8), T(UINT16), T(UINT32),
                                                 T(UINT64),  T(INT8),    T(INT16),   T(INT32), T(INT64)};

static struct host_tensor input, output, count, coordinates;

/* ---- DirectML's examples ---- */

static void expect_padding_example(DML_PADDING_MODE mode, const float (*expected)[10]) {
    static const float values[] = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8};
    host_tensor_init(&input, T(FLOAT32), LIST(1, 1, 4, 4), NULL);
    host_tensor_init(&output, T(FLOAT32), LIST(1, 1, 8, 10), NULL);
    host_tensor_set_floats(&input, COUNT_OF(values), values);
    const DML_PADDING_OPERATOR_DESC desc = {
        &input.desc, &output.desc, mode, 9, 4, (const uint32_t[]){0, 0, 1, 2}, (const uint32_t[]){0, 0, 3, 4}};
    expect_success(reference_run(DML_OPERATOR_PADDING, &desc, 0, &input, &output, NULL));
    assert_memory_equal(output.bytes, expected, 8 * sizeof expected[0]);
    expect_poison(&output, 8 * sizeof expected[0]);
}

static void padding_does_directmls_examples(void **state) {
    (void)state;
    static const float constant[8][10] = {
        {9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, {9, 9, 1, 2, 3, 4, 9, 9, 9, 9}, {9, 9, 5, 6, 7, 8, 9, 9, 9, 9},
        {9, 9, 1, 2, 3, 4, 9, 9, 9, 9}, {9, 9, 5, 6, 7, 8, 9, 9, 9, 9}, {9, 9, 9, 9, 9, 9, 9, 9, 9, 9},
        {9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, {9, 9, 9, 9, 9, 9, 9, 9, 9, 9},
    };
    static const float edge[8][10] = {
        {1, 1, 1, 2, 3, 4, 4, 4, 4, 4}, {1, 1, 1, 2, 3, 4, 4, 4, 4, 4}, {5, 5, 5, 6, 7, 8, 8, 8, 8, 8},
        {1, 1, 1, 2, 3, 4, 4, 4, 4, 4}, {5, 5, 5, 6, 7, 8, 8, 8, 8, 8}, {5, 5, 5, 6, 7, 8, 8, 8, 8, 8},
        {5, 5, 5, 6, 7, 8, 8, 8, 8, 8}, {5, 5, 5, 6, 7, 8, 8, 8, 8, 8},
    };
    static const float reflection[8][10] = {
        {7, 6, 5, 6, 7, 8, 7, 6, 5, 6}, {3, 2, 1, 2, 3, 4, 3, 2, 1, 2}, {7, 6, 5, 6, 7, 8, 7, 6, 5, 6},
        {3, 2, 1, 2, 3, 4, 3, 2, 1, 2}, {7, 6, 5, 6, 7, 8, 7, 6, 5, 6}, {3, 2, 1, 2, 3, 4, 3, 2, 1, 2},
        {7, 6, 5, 6, 7, 8, 7, 6, 5, 6}, {3, 2, 1, 2, 3, 4, 3, 2, 1, 2},
    };
    static const float symmetric[8][10] = {
        {2, 1, 1, 2, 3, 4, 4, 3, 2, 1}, {2, 1, 1, 2, 3, 4, 4, 3, 2, 1}, {6, 5, 5, 6, 7, 8, 8, 7, 6, 5},
        {2, 1, 1, 2, 3, 4, 4, 3, 2, 1}, {6, 5, 5, 6, 7, 8, 8, 7, 6, 5}, {6, 5, 5, 6, 7, 8, 8, 7, 6, 5},
        {2, 1, 1, 2, 3, 4, 4, 3, 2, 1}, {6, 5, 5, 6, 7, 8, 8, 7, 6, 5},
    };
    expect_padding_example(DML_PADDING_MODE_CONSTANT, constant);
    expect_padding_example(DML_PADDING_MODE_EDGE, edge);
    expect_padding_example(DML_PADDING_MODE_REFLECTION, reflection);
    expect_padding_example(DML_PADDING_MODE_SYMMETRIC, symmetric);
}

static void expect_diagonal(int32_t offset, uint32_t width, const float *expected) {
    host_tensor_init(&output, T(FLOAT32), LIST(1, 1, 3, width), NULL);
    const DML_DIAGONAL_MATRIX_OPERATOR_DESC desc = {&output.desc, offset, 1.0f};
    expect_success(reference_run(DML_OPERATOR_DIAGONAL_MATRIX, &desc, 0, NULL, &output, NULL));
    assert_memory_equal(output.bytes, expected, 3 * width * sizeof expected[0]);
    expect_poison(&output, 3 * width * sizeof expected[0]);
}

static void diagonal_matrix_does_directmls_examples(void **state) {
    (void)state;
    expect_diagonal(0, 3, (const float[]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    expect_diagonal(1, 3, (const float[]){0, 1, 0, 0, 0, 1, 0, 0, 0});
    expect_diagonal(-1, 2, (const float[]){0, 0, 1, 0, 0, 1});
    expect_diagonal(-3, 2, (const float[]){0, 0, 0, 0, 0, 0});
}

/* Runs over the tensors `input`, `count` and `coordinates`. */
static void run_nonzero(VkdmlCompileFlags flags) {
    const DML_NONZERO_COORDINATES_OPERATOR_DESC desc = {&input.desc, &count.desc, &coordinates.desc};
    expect_success(reference_run(DML_OPERATOR_NONZERO_COORDINATES, &desc, flags, &input, &count, &coordinates));
}

static void nonzero_coordinates_does_directmls_example(void **state) {
    (void)state;
    static const float values[] = {1.0f, 0.0f, 0.0f, 2.0f, -0.0f, 3.5f, 0.0f, -5.2f};
    static const uint32_t expected[] = {0, 0, 0, 0, 0, 3, 0, 1, 1, 0, 1, 3};
    host_tensor_init(&input, T(FLOAT32), LIST(1, 1, 2, 4), NULL);
    host_tensor_init(&count, T(UINT32), LIST(1, 1, 1, 1), NULL);
    host_tensor_init(&coordinates, T(UINT32), LIST(1, 1, 8, 3), NULL);
    host_tensor_set_floats(&input, COUNT_OF(values), values);
    run_nonzero(0);
    assert_int_equal(host_tensor_get(&count, 0), 4);
    assert_memory_equal(coordinates.bytes, expected, sizeof expected);
    expect_poison(&count, sizeof(uint32_t));
    expect_poison(&coordinates, sizeof expected); /* rows past the count too */
}

/* ---- identity ---- */

static void identity_copies_any_bits_of_any_type(void **state) {
    (void)state;
    struct random random = {10};
    for (uint32_t t = 0; t < COUNT_OF(all_types); t++) {
        host_tensor_init(&input, all_types[t], LIST(3, 5, 7), NULL);
        host_tensor_init(&output, all_types[t], LIST(3, 5, 7), NULL);
        random_bytes(&random, input.bytes, (size_t)input.buffer.TotalTensorSizeInBytes);
        host_tensor_set(&input, 0, 0x7FF0000000000001 | 0x7F800001 | 0x7C01); /* signaling, whatever float it is */
        const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {&input.desc, &output.desc, NULL};
        expect_success(reference_run(DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, 0, &input, &output, NULL));
        const size_t used = 105 * vkdmlGetDataTypeSize(all_types[t]);
        assert_memory_equal(output.bytes, input.bytes, used);
        expect_poison(&output, used); /* the bytes that round the size up to 4 too */
    }
}

static void strides_place_elements_and_what_lies_between_keeps_its_bytes(void **state) {
    (void)state;
    /* The input: 2 rows of 3, the same row twice. The output: columns 5 apart, rows 2 apart. */
    host_tensor_init(&input, T(UINT16), LIST(2, 3), STRIDES(0, 2));
    host_tensor_init(&output, T(UINT16), LIST(2, 3), STRIDES(2, 5));
    host_tensor_set(&input, 0, 100);
    host_tensor_set(&input, 2, 101);
    host_tensor_set(&input, 4, 102);
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {&input.desc, &output.desc, NULL};
    expect_success(reference_run(DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, 0, &input, &output, NULL));
    const uint64_t gap = POISON << 8 | POISON;
    const uint64_t expected[] = {100, gap, 100, gap, gap, 101, gap, 101, gap, gap, 102, gap, 102};
    for (uint32_t i = 0; i < COUNT_OF(expected); i++) {
        assert_int_equal(host_tensor_get(&output, i), expected[i]);
    }
    expect_poison(&output, sizeof(uint16_t) * COUNT_OF(expected));
}

static void identity_runs_in_place(void **state) {
    (void)state;
    const DML_SCALE_BIAS scale_bias = {2, 1};
    const DML_SCALE_BIAS *const choices[] = {NULL, &scale_bias};
    for (uint32_t c = 0; c < COUNT_OF(choices); c++) {
        host_tensor_init(&input, T(INT16), LIST(2, 3), STRIDES(5, 1));
        for (uint32_t i = 0; i < 6; i++) {
            host_tensor_set(&input, i / 3 * 5 + i % 3, i);
        }
        const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {&input.desc, &input.desc, choices[c]};
        expect_success(reference_run(DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, 0, &input, &input, NULL));
        for (uint32_t i = 0; i < 6; i++) {
            assert_int_equal(host_tensor_get(&input, i / 3 * 5 + i % 3), choices[c] != NULL ? 2 * i + 1 : i);
        }
        assert_int_equal(host_tensor_get(&input, 3), POISON << 8 | POISON);
        assert_int_equal(host_tensor_get(&input, 4), POISON << 8 | POISON);
        expect_poison(&input, 8 * sizeof(int16_t));
    }
}

/* ---- padding ---- */

struct walker {
    int64_t position, direction;
};

/* One step beyond the edge, by mode. */
static void step_off(DML_PADDING_MODE mode, int64_t size, struct walker *walker) {
    switch (mode) {
    case DML_PADDING_MODE_REFLECTION: /* turns on the edge: the next is the one before it */
        walker->direction = -walker->direction;
        walker->position += size > 1 ? walker->direction : 0;
        break;
    case DML_PADDING_MODE_SYMMETRIC: /* turns behind the edge: the next is the edge again */
        walker->direction = -walker->direction;
        break;
    case DML_PADDING_MODE_WRAP:
        walker->position = walker->direction > 0 ? 0 : size - 1;
        break;
    default: /* EDGE stays */
        break;
    }
}

/* Where one is after walking from the first element to `target`, step by step. */
static int64_t walk(DML_PADDING_MODE mode, int64_t size, int64_t target) {
    struct walker walker = {0, target < 0 ? -1 : 1};
    for (int64_t steps = target < 0 ? -target : target; steps > 0; steps--) {
        const int64_t next = walker.position + walker.direction;
        if (next >= 0 && next < size) {
            walker.position = next;
        } else {
            step_off(mode, size, &walker);
        }
    }
    return walker.position;
}

static void expect_walked(DML_PADDING_MODE mode, uint32_t size, uint32_t start, uint32_t end) {
    const uint32_t padded = start + size + end;
    host_tensor_init(&input, T(UINT16), LIST(size), NULL);
    host_tensor_init(&output, T(UINT16), LIST(padded), NULL);
    for (uint32_t i = 0; i < size; i++) {
        host_tensor_set(&input, i, 1000 + i);
    }
    const DML_PADDING_OPERATOR_DESC desc = {&input.desc, &output.desc, mode, 7, 1, &start, &end};
    expect_success(reference_run(DML_OPERATOR_PADDING, &desc, 0, &input, &output, NULL));
    for (uint32_t i = 0; i < padded; i++) {
        const int64_t target = (int64_t)i - start;
        uint64_t expected = 1000 + (uint64_t)walk(mode, size, target);
        if (mode == DML_PADDING_MODE_CONSTANT && (target < 0 || target >= size)) {
            expected = 7;
        }
        if (host_tensor_get(&output, i) != expected) {
            fail_msg("mode %d, size %u, start %u, end %u: [%u] is %u, not %u", (int)mode, size, start, end, i,
                     (unsigned)host_tensor_get(&output, i), (unsigned)expected);
        }
    }
}

static void each_padding_mode_is_a_walk_over_the_input(void **state) {
    (void)state;
    static const uint32_t pads[] = {0, 1, 2, 3, 4, 5, 17, 100, 1001};
    for (DML_PADDING_MODE mode = DML_PADDING_MODE_CONSTANT; mode <= DML_PADDING_MODE_WRAP; mode++) {
        for (uint32_t size = 1; size <= 6; size++) {
            for (uint32_t i = 0; i < COUNT_OF(pads); i++) {
                for (uint32_t j = 0; j < COUNT_OF(pads); j++) {
                    expect_walked(mode, size, pads[i], pads[j]);
                }
            }
        }
    }
}

/* What dml_operators.h shows of DML_PADDING_OPERATOR_DESC. */
static void padding_goes_on_beyond_the_inputs_size_as_the_header_shows(void **state) {
    (void)state;
    static const char *const shown[] = {
        [DML_PADDING_MODE_CONSTANT] = "vvvvvabcvvvvv",   [DML_PADDING_MODE_EDGE] = "aaaaaabcccccc",
        [DML_PADDING_MODE_REFLECTION] = "babcbabcbabcb", [DML_PADDING_MODE_SYMMETRIC] = "bccbaabccbaab",
        [DML_PADDING_MODE_WRAP] = "bcabcabcabcab",
    };
    const uint32_t rim = 5;
    for (DML_PADDING_MODE mode = DML_PADDING_MODE_CONSTANT; mode <= DML_PADDING_MODE_WRAP; mode++) {
        host_tensor_init(&input, T(UINT8), LIST(3), NULL);
        host_tensor_init(&output, T(UINT8), LIST(13), NULL);
        memcpy(input.bytes, "abc", 3);
        const DML_PADDING_OPERATOR_DESC desc = {&input.desc, &output.desc, mode, 'v', 1, &rim, &rim};
        expect_success(reference_run(DML_OPERATOR_PADDING, &desc, 0, &input, &output, NULL));
        assert_memory_equal(output.bytes, shown[mode], 13);
        host_tensor_init(&input, T(UINT8), LIST(1), NULL);
        host_tensor_init(&output, T(UINT8), LIST(11), NULL);
        memcpy(input.bytes, "a", 1);
        expect_success(reference_run(DML_OPERATOR_PADDING, &desc, 0, &input, &output, NULL));
        assert_memory_equal(output.bytes, mode == DML_PADDING_MODE_CONSTANT ? "vvvvvavvvvv" : "aaaaaaaaaaa", 11);
    }
}

/* Three dimensions, strides on both sides, any type: an element's dimensions fold one by one. */
static void expect_walked_in_three_dimensions(struct random *random) {
    uint32_t sizes[3], starts[3], ends[3], padded[3], strides[3];
    for (uint32_t i = 0; i < 3; i++) {
        sizes[i] = random_between(random, 1, 3);
        starts[i] = random_below(random, 4);
        ends[i] = random_below(random, 4);
        padded[i] = starts[i] + sizes[i] + ends[i];
    }
    strides[0] = 1;
    strides[2] = padded[0] + 1;
    strides[1] = strides[2] * padded[2];
    const DML_TENSOR_DATA_TYPE type = RANDOM_OF(random, all_types);
    const DML_PADDING_MODE mode = (DML_PADDING_MODE)random_below(random, 5);
    host_tensor_init(&input, type, 3, sizes, STRIDES(1, 0, 4));
    host_tensor_init(&output, type, 3, padded, strides);
    random_bytes(random, input.bytes, (size_t)input.buffer.TotalTensorSizeInBytes);
    const DML_PADDING_OPERATOR_DESC desc = {&input.desc, &output.desc, mode, 0, 3, starts, ends};
    expect_success(reference_run(DML_OPERATOR_PADDING, &desc, 0, &input, &output, NULL));

    for (uint32_t i = 0; i < padded[0] * padded[1] * padded[2]; i++) {
        const int64_t to[3] = {i / (padded[1] * padded[2]), i / padded[2] % padded[1], i % padded[2]};
        int64_t from[3];
        bool outside = false;
        for (uint32_t d = 0; d < 3; d++) {
            from[d] = walk(mode, sizes[d], to[d] - starts[d]);
            outside = outside || to[d] < starts[d] || to[d] >= (int64_t)starts[d] + sizes[d];
        }
        const uint64_t got =
            host_tensor_get(&output, (uint64_t)(to[0] * strides[0] + to[1] * strides[1] + to[2] * strides[2]));
        const bool constant = outside && mode == DML_PADDING_MODE_CONSTANT;
        assert_int_equal(got, constant ? 0 : host_tensor_get(&input, (uint64_t)(from[0] + 4 * from[2])));
    }
}

static void padding_folds_each_dimension_by_itself(void **state) {
    (void)state;
    struct random random = {11};
    for (uint32_t i = 0; i < 1000; i++) {
        expect_walked_in_three_dimensions(&random);
    }
}

/* ---- attributes as elements ---- */

struct conversion {
    DML_TENSOR_DATA_TYPE type;
    uint32_t value; /* bits of the attribute */
    uint64_t expected;
};

static const struct conversion conversions[] = {
    {T(FLOAT32), 0x7F800001, 0x7F800001}, /* no float operation touches it */
    {T(FLOAT32), 0xFFC12345, 0xFFC12345},
    {T(FLOAT32), 0x80000000, 0x80000000},
    {T(FLOAT32), 0x00000001, 0x00000001},
    {T(FLOAT64), 0x3DCCCCCD, 0x3FB99999A0000000}, /* 0.1f */
    {T(FLOAT64), 0x00000001, 0x36A0000000000000},
    {T(FLOAT64), 0xFFC12345, 0x7FF8000000000000},
    {T(FLOAT64), 0xFF800000, 0xFFF0000000000000},
    {T(FLOAT16), 0x41299999, 0x494D}, /* 10.6: 10.6015625 */
    {T(FLOAT16), 0x3F801000, 0x3C00}, /* half way, to even */
    {T(FLOAT16), 0x3F803000, 0x3C02}, /* half way, to even */
    {T(FLOAT16), 0x3F801001, 0x3C01},
    {T(FLOAT16), 0x477FEFFF, 0x7BFF}, /* below 65520 */
    {T(FLOAT16), 0x477FF000, 0x7C00}, /* 65520 */
    {T(FLOAT16), 0xC77FF000, 0xFC00},
    {T(FLOAT16), 0x33000000, 0x0000}, /* 2^-25: half way, to even */
    {T(FLOAT16), 0x33000001, 0x0001},
    {T(FLOAT16), 0x80000000, 0x8000},
    {T(FLOAT16), 0xFFC12345, 0x7E00},
    {T(INT32), 0x41299999, 10}, /* 10.6 */
    {T(INT32), 0xC1299999, (uint32_t)-10},
    {T(UINT8), 0x41299999, 10},
    {T(UINT8), 0x43800000, UINT8_MAX}, /* 256 */
    {T(UINT8), 0xBF800000, 0},
    {T(INT8), 0xC3010000, 0x80}, /* -129 */
    {T(INT16), 0x47800000, INT16_MAX},
    {T(UINT16), 0x477FFF00, UINT16_MAX},
    {T(UINT32), 0x4F800000, UINT32_MAX}, /* 2^32 */
    {T(UINT32), 0x4F7FFFFF, 0xFFFFFF00},
    {T(INT32), 0x4F000000, INT32_MAX},
    {T(INT32), 0xCF000000, 0x80000000},
    {T(INT64), 0x5F000000, INT64_MAX},
    {T(INT64), 0xDF000000, 0x8000000000000000},
    {T(INT64), 0x5EFFFFFF, 0x7FFFFF8000000000},
    {T(UINT64), 0x5F7FFFFF, 0xFFFFFF0000000000},
    {T(UINT64), 0x5F800000, UINT64_MAX}, /* 2^64 */
    {T(UINT64), 0x7F800000, UINT64_MAX},
    {T(INT64), 0xFF800000, 0x8000000000000000},
    {T(INT64), 0x7FC00000, 0},
    {T(UINT8), 0xFFC00000, 0},
};

static void padding_value_is_converted_to_the_type(void **state) {
    (void)state;
    static const uint32_t one = 1;
    for (uint32_t i = 0; i < COUNT_OF(conversions); i++) {
        host_tensor_init(&input, conversions[i].type, LIST(1), NULL);
        host_tensor_init(&output, conversions[i].type, LIST(3), NULL);
        DML_PADDING_OPERATOR_DESC desc = {&input.desc, &output.desc, DML_PADDING_MODE_CONSTANT, 0, 1, &one, &one};
        memcpy(&desc.PaddingValue, &conversions[i].value, sizeof desc.PaddingValue);
        expect_success(reference_run(DML_OPERATOR_PADDING, &desc, 0, &input, &output, NULL));
        if (host_tensor_get(&output, 0) != conversions[i].expected) {
            fail_msg("0x%x as type %d is 0x%llx", conversions[i].value, (int)conversions[i].type,
                     (unsigned long long)host_tensor_get(&output, 0));
        }
        assert_int_equal(host_tensor_get(&output, 1), host_tensor_get(&input, 0));
        assert_int_equal(host_tensor_get(&output, 2), conversions[i].expected);
    }
}

static void value_of_the_diagonal_is_converted_likewise(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(conversions); i++) {
        host_tensor_init(&output, conversions[i].type, LIST(1, 2), NULL);
        DML_DIAGONAL_MATRIX_OPERATOR_DESC desc = {&output.desc, 1, 0};
        memcpy(&desc.Value, &conversions[i].value, sizeof desc.Value);
        expect_success(reference_run(DML_OPERATOR_DIAGONAL_MATRIX, &desc, 0, NULL, &output, NULL));
        assert_int_equal(host_tensor_get(&output, 0), 0);
        assert_int_equal(host_tensor_get(&output, 1), conversions[i].expected);
    }
}

/* The value of a binary16 magnitude, and 2^16 for infinity: where its row would go on. */
static double half_magnitude(uint32_t bits) {
    const int exponent = (int)(bits >> 10);
    const int mantissa = (int)(bits & 0x3FF);
    return exponent == 0 ? mantissa * 0x1p-24 : ldexp(1.0 + mantissa / 1024.0, exponent - 15);
}

/* The nearest by looking at all of them; of two equally near the even one. */
static uint32_t nearest_half(double magnitude) {
    uint32_t low = 0, high = 0x7C00;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        *(half_magnitude(middle) <= magnitude ? &low : &high) = middle;
    }
    const double below = magnitude - half_magnitude(low), above = half_magnitude(high) - magnitude;
    return below < above || (below == above && low % 2 == 0) ? low : high;
}

static void float16_attributes_are_the_nearest_float16(void **state) {
    (void)state;
    struct random random = {12};
    for (uint32_t i = 0; i < 20000; i++) {
        /* Exponents from below 2^-26 to 2^16; half of them with few digits, near the ties. */
        const uint32_t exponent = random_between(&random, 127 - 27, 127 + 16);
        uint32_t bits = exponent << 23 | random_below(&random, 1u << 23);
        bits &= random_chance(&random, 50) ? 0xFFFFF000u : 0xFFFFFFFFu;
        host_tensor_init(&output, T(FLOAT16), LIST(1, 1), NULL);
        const DML_DIAGONAL_MATRIX_OPERATOR_DESC desc = {&output.desc, 0, float_of(bits)};
        expect_success(reference_run(DML_OPERATOR_DIAGONAL_MATRIX, &desc, 0, NULL, &output, NULL));
        assert_int_equal(host_tensor_get(&output, 0), nearest_half(float_of(bits)));
    }
}

/* ---- diagonal matrix ---- */

static void diagonals_repeat_in_every_matrix_of_a_batch(void **state) {
    (void)state;
    /* {2, 2, 3, 4} with rows innermost and gaps. */
    static const uint32_t strides[] = {100, 50, 1, 5};
    for (int32_t offset = -5; offset <= 5; offset++) {
        host_tensor_init(&output, T(UINT8), LIST(2, 2, 3, 4), strides);
        const DML_DIAGONAL_MATRIX_OPERATOR_DESC desc = {&output.desc, offset, 3};
        expect_success(reference_run(DML_OPERATOR_DIAGONAL_MATRIX, &desc, 0, NULL, &output, NULL));
        uint32_t written = 0;
        for (int32_t i = 0; i < 4 * 12; i++) {
            const int32_t y = i / 4 % 3, x = i % 4;
            const uint64_t at = (uint64_t)(i / 24 * 100 + i / 12 % 2 * 50 + y + x * 5);
            assert_int_equal(host_tensor_get(&output, at), y + offset == x ? 3 : 0);
        }
        for (uint32_t i = 0; i < 200; i++) {
            written += host_tensor_get(&output, i) != POISON;
        }
        assert_int_equal(written, 4 * 12);
    }
}

static void diagonals_far_outside_leave_zeros(void **state) {
    (void)state;
    static const int32_t offsets[] = {INT32_MIN, INT32_MIN + 1, -2, 3, INT32_MAX - 1, INT32_MAX};
    for (uint32_t i = 0; i < COUNT_OF(offsets); i++) {
        static const unsigned char zeros[6];
        host_tensor_init(&output, T(INT8), LIST(2, 3), NULL);
        const DML_DIAGONAL_MATRIX_OPERATOR_DESC desc = {&output.desc, offsets[i], 1};
        expect_success(reference_run(DML_OPERATOR_DIAGONAL_MATRIX, &desc, 0, NULL, &output, NULL));
        assert_memory_equal(output.bytes, zeros, sizeof zeros);
        expect_poison(&output, sizeof zeros);
    }
}

/* ---- nonzero coordinates ---- */

static void coordinates_ascend_with_the_element_not_with_memory(void **state) {
    (void)state;
    /* {2, 6} stored column by column; nonzero at {1,0}, {1,2}, {0,5}. */
    static const uint32_t expected[] = {0, 5, 1, 0, 1, 2};
    host_tensor_init(&input, T(INT8), LIST(2, 6), STRIDES(1, 2));
    host_tensor_init(&count, T(UINT32), LIST(1), NULL);
    host_tensor_init(&coordinates, T(UINT32), LIST(12, 2), NULL);
    memset(input.bytes, 0, 12);
    host_tensor_set(&input, 1 + 0, 0xFF);
    host_tensor_set(&input, 1 + 4, 1);
    host_tensor_set(&input, 0 + 10, 0x80);
    run_nonzero(0);
    assert_int_equal(host_tensor_get(&count, 0), 3);
    assert_memory_equal(coordinates.bytes, expected, sizeof expected);
}

static void strided_coordinates_leave_the_bytes_between(void **state) {
    (void)state;
    /* Two rows of two, each element every other, column by column. */
    host_tensor_init(&input, T(UINT16), LIST(1, 4), NULL);
    host_tensor_init(&count, T(UINT32), LIST(1, 1), NULL);
    host_tensor_init(&coordinates, T(UINT32), LIST(1, 4, 2), STRIDES(77, 2, 8));
    for (uint32_t i = 0; i < 4; i++) {
        host_tensor_set(&input, i, i == 1 || i == 2);
    }
    run_nonzero(0);
    const uint64_t gap = 0x01010101u * (uint32_t)POISON;
    const uint64_t expected[] = {0, gap, 0, gap, gap, gap, gap, gap, 1, gap, 2};
    for (uint32_t i = 0; i < COUNT_OF(expected); i++) {
        assert_int_equal(host_tensor_get(&coordinates, i), expected[i]);
    }
    expect_poison(&coordinates, COUNT_OF(expected) * sizeof(uint32_t));
}

static void rows_past_the_count_become_zero_on_request(void **state) {
    (void)state;
    static const uint32_t expected[] = {0, 1, 0, 3, 0, 0, 0, 0};
    host_tensor_init(&input, T(UINT8), LIST(1, 4), NULL);
    host_tensor_init(&count, T(UINT32), LIST(1, 1), NULL);
    host_tensor_init(&coordinates, T(UINT32), LIST(4, 2), NULL);
    memcpy(input.bytes, (const unsigned char[]){0, 7, 0, 255}, 4);
    run_nonzero(VKDML_COMPILE_FLAG_ZERO_UNDEFINED);
    assert_int_equal(host_tensor_get(&count, 0), 2);
    assert_memory_equal(coordinates.bytes, expected, sizeof expected);
    expect_poison(&coordinates, sizeof expected);
}

static void only_the_two_zeros_of_a_float_are_zero(void **state) {
    (void)state;
    static const struct {
        DML_TENSOR_DATA_TYPE type;
        uint32_t bits[8];
    } cases[] = {
        {T(FLOAT32), {0, 0x80000000, 1, 0x80000001, 0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF800000}},
        {T(FLOAT16), {0, 0x8000, 1, 0x8001, 0x7E00, 0xFE00, 0x7C01, 0xFC00}},
        {T(INT32), {0, 0, 0x80000000, 1, 0xFF, 0xFF00, 0xFF0000, 0xFF000000}},
        {T(UINT16), {0, 0, 0x8000, 1, 2, 0x100, 0x7FFF, 0xFFFF}},
        {T(INT8), {0, 0, 0x80, 1, 2, 0x10, 0x7F, 0xFF}},
    };
    for (uint32_t c = 0; c < COUNT_OF(cases); c++) {
        host_tensor_init(&input, cases[c].type, LIST(8), NULL);
        host_tensor_init(&count, T(UINT32), LIST(1), NULL);
        host_tensor_init(&coordinates, T(UINT32), LIST(8, 1), NULL);
        for (uint32_t i = 0; i < 8; i++) {
            host_tensor_set(&input, i, cases[c].bits[i]);
        }
        run_nonzero(0);
        assert_int_equal(host_tensor_get(&count, 0), 6);
        for (uint32_t i = 0; i < 6; i++) {
            assert_int_equal(host_tensor_get(&coordinates, i), 2 + i);
        }
        expect_poison(&coordinates, 6 * sizeof(uint32_t));
    }
}

static void columns_are_the_last_dimensions_of_the_input(void **state) {
    (void)state;
    /* Eight dimensions, effective rank 6: six to eight columns. */
    static const uint32_t sizes[8] = {1, 1, 2, 1, 3, 1, 2, 2};
    static const uint32_t expected[8] = {0, 0, 1, 0, 2, 0, 1, 0};
    for (uint32_t columns = 6; columns <= 8; columns++) {
        host_tensor_init(&input, T(UINT8), 8, sizes, NULL);
        host_tensor_init(&count, T(UINT32), LIST(1), NULL);
        host_tensor_init(&coordinates, T(UINT32), LIST(1, 24, columns), NULL);
        memset(input.bytes, 0, 24);
        host_tensor_set(&input, 1 * 12 + 2 * 4 + 1 * 2, 1);
        run_nonzero(0);
        assert_int_equal(host_tensor_get(&count, 0), 1);
        assert_memory_equal(coordinates.bytes, expected + 8 - columns, columns * sizeof expected[0]);
        expect_poison(&coordinates, columns * sizeof expected[0]);
    }
}

static void a_scalar_has_one_coordinate_or_none(void **state) {
    (void)state;
    for (uint32_t value = 0; value < 2; value++) {
        host_tensor_init(&input, T(UINT32), LIST(1, 1), NULL);
        host_tensor_init(&count, T(UINT32), LIST(1, 1), NULL);
        host_tensor_init(&coordinates, T(UINT32), LIST(1, 1), NULL);
        host_tensor_set(&input, 0, value);
        run_nonzero(0);
        assert_int_equal(host_tensor_get(&count, 0), value);
        assert_int_equal(host_tensor_get(&coordinates, 0), value != 0 ? 0 : 0x01010101u * (uint32_t)POISON);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(padding_does_directmls_examples),
        cmocka_unit_test(diagonal_matrix_does_directmls_examples),
        cmocka_unit_test(nonzero_coordinates_does_directmls_example),
        cmocka_unit_test(identity_copies_any_bits_of_any_type),
        cmocka_unit_test(strides_place_elements_and_what_lies_between_keeps_its_bytes),
        cmocka_unit_test(identity_runs_in_place),
        cmocka_unit_test(each_padding_mode_is_a_walk_over_the_input),
        cmocka_unit_test(padding_goes_on_beyond_the_inputs_size_as_the_header_shows),
        cmocka_unit_test(padding_folds_each_dimension_by_itself),
        cmocka_unit_test(padding_value_is_converted_to_the_type),
        cmocka_unit_test(value_of_the_diagonal_is_converted_likewise),
        cmocka_unit_test(float16_attributes_are_the_nearest_float16),
        cmocka_unit_test(diagonals_repeat_in_every_matrix_of_a_batch),
        cmocka_unit_test(diagonals_far_outside_leave_zeros),
        cmocka_unit_test(coordinates_ascend_with_the_element_not_with_memory),
        cmocka_unit_test(strided_coordinates_leave_the_bytes_between),
        cmocka_unit_test(rows_past_the_count_become_zero_on_request),
        cmocka_unit_test(only_the_two_zeros_of_a_float_are_zero),
        cmocka_unit_test(columns_are_the_last_dimensions_of_the_input),
        cmocka_unit_test(a_scalar_has_one_coordinate_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
