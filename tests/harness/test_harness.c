/* The harness can fail: what it must notice is done to it on purpose. Needs no device. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases/case.h"
#include "cases/case_data.h"
#include "cases/image.h"
#include "cases/number.h"

static const char gapped_line[] =
    "ELEMENT_WISE_IDENTITY seed=7 InputTensor=INT16[2,3] InputTensor.fill=BITS InputTensor.offset=16 "
    "OutputTensor=INT16[2,3] OutputTensor.strides=8,2 OutputTensor.slack=8 OutputTensor.extra=16 ScaleBias=2,0.5";

struct fixture {
    struct operator_case c;
    struct image_layout layout;
    unsigned char *want, *got;
};

static int set_up(void **state) {
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    char error[256];
    *state = fixture;
    if (fixture == NULL || !case_parse(gapped_line, &fixture->c, error, sizeof(error))) {
        return 1;
    }
    image_place(&fixture->c, 1000, 40, &fixture->layout);
    fixture->want = malloc(fixture->layout.size);
    fixture->got = malloc(fixture->layout.size);
    if (fixture->want == NULL || fixture->got == NULL) {
        return 1;
    }
    image_write(&fixture->c, &fixture->layout, fixture->want);
    memcpy(fixture->got, fixture->want, fixture->layout.size);
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    free(fixture->want);
    free(fixture->got);
    free(fixture);
    return 0;
}

/* Changes a byte of the image and expects the report to say so. */
static void assert_reported(struct fixture *fixture, size_t offset, const char *words) {
    char text[512] = "";
    fixture->got[offset] ^= 0x40;
    assert_true(image_difference(&fixture->c, &fixture->layout, fixture->got, fixture->want, text, sizeof(text)));
    if (strstr(text, words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", text, words);
    }
    fixture->got[offset] ^= 0x40;
}

static void equal_images_do_not_differ(void **state) {
    struct fixture *fixture = *state;
    char text[512];
    assert_false(image_difference(&fixture->c, &fixture->layout, fixture->got, fixture->want, text, sizeof(text)));
}

static void a_wrong_element_is_told_by_its_coordinates(void **state) {
    struct fixture *fixture = *state;
    size_t output = fixture->layout.tensors[1].offset;
    assert_reported(fixture, output, "OutputTensor element 0 = [0,0], byte 0:");
    assert_reported(fixture, output + 25, "OutputTensor element 5 = [1,2], byte 24:");
}

static void bytes_of_no_element_are_guarded(void **state) {
    struct fixture *fixture = *state;
    const struct image_region *output = &fixture->layout.tensors[1];
    assert_reported(fixture, output->offset + 2, "no element's byte of OutputTensor, byte 2 ");
    assert_reported(fixture, output->offset + output->size - 1, "no element's byte of OutputTensor");
    assert_reported(fixture, output->offset + output->size, "bound guard after OutputTensor");
    assert_reported(fixture, output->offset + output->bound, "guard after OutputTensor");
    assert_reported(fixture, output->offset - 1, "guard before OutputTensor, byte -1 ");
}

static void inputs_and_resources_are_guarded(void **state) {
    struct fixture *fixture = *state;
    const struct image_layout *layout = &fixture->layout;
    assert_reported(fixture, layout->tensors[0].offset + 4, "InputTensor, byte 4 ");
    assert_reported(fixture, layout->temporary.offset - 4, "guard before the temporary resource");
    assert_reported(fixture, layout->temporary.offset + layout->temporary.bound, "guard after the temporary resource");
    assert_reported(fixture, layout->persistent.offset + 39, "the persistent resource, byte 39 ");
    assert_reported(fixture, layout->size - 1, "guard after the persistent resource");
    assert_reported(fixture, 0, "guard before the buffer");
}

static bool lies_in(const struct image_region *region, size_t position) {
    return position >= region->offset && position - region->offset < region->size;
}

static void resources_and_outputs_are_turned_over(void **state) {
    struct fixture *fixture = *state;
    const struct image_layout *layout = &fixture->layout;
    image_turn_over(&fixture->c, layout, fixture->got);
    for (size_t i = 0; i < layout->size; i++) {
        const bool is_turned =
            lies_in(&layout->tensors[1], i) || lies_in(&layout->temporary, i) || lies_in(&layout->persistent, i);
        assert_int_equal(fixture->got[i], fixture->want[i] ^ (is_turned ? 0xff : 0));
    }
}

/* Elements of two bytes lie 4 apart. Of the first run, and of the reference before the second, are written: both, none,
 * the first run's alone, which happened to find what it would have written, and the reference's alone. */
static void what_nobody_wrote_may_be_other(void **state) {
    struct fixture *fixture = *state;
    const struct operator_case *c = &fixture->c;
    const struct image_layout *layout = &fixture->layout;
    unsigned char *after = malloc(layout->size), *initial = malloc(layout->size);
    assert_true(after != NULL && initial != NULL);
    const size_t output = layout->tensors[1].offset;
    memcpy(after, fixture->want, layout->size);
    image_turn_over(c, layout, fixture->got);
    memcpy(initial, fixture->got, layout->size);
    after[output] ^= 1;
    fixture->got[output] ^= 2;
    after[output + 8] ^= 1;
    fixture->got[output + 16] ^= 2;
    image_expect_same(c, layout, fixture->want, after, initial, fixture->got);
    assert_int_equal(fixture->got[output], after[output]);
    assert_int_equal(fixture->got[output + 4], initial[output + 4]);
    assert_int_equal(fixture->got[output + 8], after[output + 8]);
    assert_int_equal(fixture->got[output + 16], after[output + 16]);
    assert_int_equal(fixture->got[output + 2], initial[output + 2]); /* no element */
    free(initial);
    free(after);
}

static void regions_are_apart_and_aligned(void **state) {
    struct fixture *fixture = *state;
    const struct image_layout *layout = &fixture->layout;
    const struct image_region *regions[] = {&layout->tensors[0], &layout->tensors[1], &layout->temporary,
                                            &layout->persistent};
    size_t end = 0;
    for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
        assert_true(regions[i]->offset >= end + IMAGE_GUARD);
        end = regions[i]->offset + regions[i]->bound;
    }
    assert_true(layout->size >= end + IMAGE_GUARD);
    assert_int_equal(layout->tensors[0].offset % CASE_OFFSET_PERIOD, 16);
    assert_int_equal(layout->temporary.offset % DML_TEMPORARY_BUFFER_ALIGNMENT, 0);
    assert_int_equal(layout->persistent.offset % DML_PERSISTENT_BUFFER_ALIGNMENT, 0);
}

/* What a hostile tensor of 64 elements, of a dimension of 5, has; many seeds have all kinds. */
static double hostile_number(DML_TENSOR_DATA_TYPE type, uint64_t seed, uint32_t position) {
    const struct case_tensor tensor = {
        .type = type, .rank = 1, .sizes = {64}, .fill = CASE_FILL_HOSTILE, .fill_permille = 5};
    struct random random = {.state = random_mix(seed, 1)};
    unsigned char bytes[64 * sizeof(uint64_t)];
    case_write_input(&tensor, &random, bytes);
    return number_decode(type, case_read_element(&tensor, bytes, position));
}

static void hostile_integers_are_no_coordinates(void **state) {
    uint32_t found = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const double wide = hostile_number(DML_TENSOR_DATA_TYPE_INT64, seed, (uint32_t)seed % 64);
        const double number = hostile_number(DML_TENSOR_DATA_TYPE_INT32, seed, (uint32_t)seed % 64);
        const double byte = hostile_number(DML_TENSOR_DATA_TYPE_UINT8, seed, (uint32_t)seed % 64);
        found |= (number >= 0 && number < 5) | (number == 5) << 1 | (number == -5) << 2 | (number == -6) << 3 |
                 (number > 0x7ffffff0) << 4 | (number < -0x7ffffff0) << 5 | (wide >= 0x1p32 && wide < 0x1p33 + 5) << 6 |
                 (wide < -0x1p62) << 7 | (number > 0x0ffffff0 && number < 0x40000010) << 8 | (byte > 250) << 9;
    }
    assert_int_equal(found, 0x3ff);
}

static void hostile_floats_are_none_of_use(void **state) {
    const DML_TENSOR_DATA_TYPE types[] = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_FLOAT16};
    const double denormal[] = {0x1p-126, 0x1p-14}, great[] = {0x1p127, 65000};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        uint32_t found = 0;
        for (uint64_t seed = 0; seed < 300; seed++) {
            const double x = hostile_number(types[i], seed, (uint32_t)seed % 64);
            const double magnitude = fabs(x);
            found |= (x == 0) | (isnan(x) != 0) << 1 | (magnitude > 0 && magnitude < denormal[i]) << 2 | (x < 0) << 3 |
                     (magnitude >= great[i] && magnitude <= DBL_MAX) << 4 | (magnitude > DBL_MAX) << 5 |
                     (x > 5 && x < 8) << 6 | (signbit(x) != 0 && x == 0) << 7;
        }
        assert_int_equal(found, 0xff);
    }
}

static void a_line_says_all_of_its_case(void **state) {
    static const char *const lines[] = {
        "PADDING seed=9 level=5_0 flags=1 execution=3 InputTensor=UINT8[2,3] InputTensor.strides=0,1 "
        "InputTensor.slack=4 InputTensor.extra=3 InputTensor.align=32 InputTensor.offset=96 InputTensor.owned=1 "
        "InputTensor.fill=SPARSE:500 OutputTensor=UINT8[2,5] OutputTensor.data=0x1,?,0x3,0x4,0x5,0x6,0x7,0x8,0x9,0xa "
        "PaddingMode=SYMMETRIC PaddingValue=0x41200000 DimensionCount=2 StartPadding=0,1 EndPadding=0,1",
        "DIAGONAL_MATRIX seed=18446744073709551615 OutputTensor=FLOAT64[4,4] Offset=-2147483648 Value=0x7fc00000",
        ("ELEMENT_WISE_IDENTITY seed=0 InputTensor=INT64[1] InputTensor.data=0xffffffffffffffff OutputTensor=INT64[1] "
         "OutputTensor.in_place=1 ScaleBias=0x3f800000,0xff800000"),
    };
    struct operator_case c;
    char printed[CASE_MAX_LINE], error[256];
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_true(case_parse(lines[i], &c, error, sizeof(error)));
        assert_true(case_print(&c, printed, sizeof(printed)));
        assert_string_equal(printed, lines[i]);
    }
}

static void a_line_that_is_none_is_refused(void **state) {
    static const char *const lines[] = {
        "",
        "NO_SUCH_OPERATOR seed=1",
        "PADDING sead=1",
        "PADDING seed=1x",
        "PADDING PaddingMode=SIDEWAYS",
        "PADDING InputTensor=FLOAT31[2]",
        "PADDING InputTensor=FLOAT32[2",
        "PADDING InputTensor.slack=4",
        "PADDING InputTensor=FLOAT32[2] InputTensor.data=1",
        "PADDING InputTensor=FLOAT32[2,2] InputTensor.strides=1",
        "PADDING InputTensor=FLOAT32[1,1,1,1,1,1,1,1,1]",
    };
    struct operator_case c;
    char error[256];
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        error[0] = '\0';
        assert_false(case_parse(lines[i], &c, error, sizeof(error)));
        assert_true(strlen(error) > 0);
    }
}

static void numbers_become_the_bits_of_their_type(void **state) {
    (void)state;
    assert_int_equal(number_encode(DML_TENSOR_DATA_TYPE_FLOAT32, -1.5), 0xbfc00000);
    assert_int_equal(number_encode(DML_TENSOR_DATA_TYPE_FLOAT64, 1.0), 0x3ff0000000000000);
    assert_int_equal(number_encode(DML_TENSOR_DATA_TYPE_INT8, -1.0), 0xff);
    static const struct {
        double number;
        uint64_t bits;
    } halves[] = {{0.0, 0x0},           {-0.0, 0x8000},      {1.0, 0x3c00},       {-2.0, 0xc000},
                  {65504.0, 0x7bff},    {65519.9, 0x7bff},   {65520.0, 0x7c00},   {0x1p-24, 0x1},
                  {0x1p-25, 0x0},       {0x1.8p-24, 0x2},    {0x1p-14, 0x400},    {0x1.ff8p-15, 0x3ff},
                  {0x1.ffcp-15, 0x400}, {0x1.002p0, 0x3c00}, {0x1.006p0, 0x3c02}, {0x1.ffep0, 0x4000}};
    for (size_t i = 0; i < sizeof(halves) / sizeof(halves[0]); i++) {
        assert_int_equal(number_encode(DML_TENSOR_DATA_TYPE_FLOAT16, halves[i].number), halves[i].bits);
    }
    for (uint64_t bits = 0; bits < 0x7c00; bits++) {
        double number = number_decode(DML_TENSOR_DATA_TYPE_FLOAT16, bits);
        assert_int_equal(number_encode(DML_TENSOR_DATA_TYPE_FLOAT16, number), bits);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_images_do_not_differ, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_element_is_told_by_its_coordinates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bytes_of_no_element_are_guarded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(inputs_and_resources_are_guarded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(resources_and_outputs_are_turned_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_nobody_wrote_may_be_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(regions_are_apart_and_aligned, set_up, tear_down),
        cmocka_unit_test(hostile_integers_are_no_coordinates),
        cmocka_unit_test(hostile_floats_are_none_of_use),
        cmocka_unit_test(a_line_says_all_of_its_case),
        cmocka_unit_test(a_line_that_is_none_is_refused),
        cmocka_unit_test(numbers_become_the_bits_of_their_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
