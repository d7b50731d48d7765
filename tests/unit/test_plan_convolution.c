/* How planners take a convolution: as a plain product, of pixels gathered, in phases, a channel at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cases/case.h"
#include "plan_fixture.h"

#define SHAPE         VKDML_PRODUCT_CONSTANT_SHAPE /* and VKDML_DEPTHWISE_CONSTANT_SHAPE */
#define GATHER        VKDML_PRODUCT_CONSTANT_GATHER
#define COLUMN_TAPS   VKDML_DEPTHWISE_CONSTANT_COLUMN_TAPS
#define ROW_TAPS      VKDML_DEPTHWISE_CONSTANT_ROW_TAPS
#define LAYOUT_B      (3u << VKDML_PRODUCT_LAYOUT_B_SHIFT)
#define B_ALONG_ROWS  (VKDML_PRODUCT_ALONG_ROWS << VKDML_PRODUCT_LAYOUT_B_SHIFT)
#define B_IN_VECTORS  (VKDML_PRODUCT_VECTORS << VKDML_PRODUCT_LAYOUT_B_SHIFT)
#define OUT_IS_VECTOR VKDML_PRODUCT_OUT_IS_VECTOR

/* What GATHER says of the dimensions of pixels, two by two: rows and columns are the last. */
#define RANK(gather)    ((gather)&7u)
#define CHECKED         (3u << VKDML_PRODUCT_CHECKED_SHIFT)
#define WALKED          (3u << VKDML_PRODUCT_WALKED_SHIFT)
#define DIVIDED         (15u << VKDML_PRODUCT_DIVIDED_SHIFT)
#define CHANNELS_LAST   VKDML_PRODUCT_CHANNELS_LAST
#define OUT_RANK(shape) ((shape) >> VKDML_PRODUCT_OUT_RANK_SHIFT & 7u)

#define FORWARD  " Mode=CROSS_CORRELATION Direction=FORWARD"
#define BACKWARD " Mode=CROSS_CORRELATION Direction=BACKWARD"
#define ARRAYS(strides, dilations, padding, output_padding, groups)                                                    \
    " DimensionCount=2 Strides=" strides " Dilations=" dilations " StartPadding=" padding " EndPadding=" padding       \
    " OutputPadding=" output_padding " GroupCount=" groups
#define PLAIN  ARRAYS("1,1", "1,1", "0,0", "0,0", "1")
#define PADDED ARRAYS("1,1", "1,1", "1,1", "0,0", "1")

/* What a test looks at of a plan. */
struct planned {
    enum vkdml_kernel kernel; /* of its last step */
    uint32_t constants[VKDML_KERNEL_CONSTANTS];
    uint32_t step_count;
    uint32_t init_step_count;
    uint64_t temporary_bytes;
    uint64_t persistent_bytes;
    uint32_t phases_before; /* of its last step since the one before */
    uint32_t shape_before;  /* of that one */
};

static struct planned planned_of(const char *line, const struct invented_device *device) {
    static struct operator_case c;
    struct subject subject;
    struct vkdml_plan plan;
    char text[256];
    assert_true(case_parse(line, &c, text, sizeof(text)));
    open_subject(&subject, &c, device);
    vkdml_plan_begin(&plan, NULL);
    CHECK(&subject, plan_subject(&subject, &plan) == VKDML_SUCCESS);
    const struct vkdml_plan_step *last = &plan.steps.items[plan.steps.count - 1];
    struct planned planned = {.kernel = last->kernel,
                              .step_count = plan.steps.count,
                              .init_step_count = plan.init_steps.count,
                              .temporary_bytes = plan.steps.temporary_bytes,
                              .persistent_bytes = plan.persistent_bytes};
    memcpy(planned.constants, last->constants, sizeof(planned.constants));
    if (plan.steps.count > 1) {
        planned.phases_before = last->phase - last[-1].phase;
        planned.shape_before = last[-1].constants[SHAPE];
    }
    vkdml_plan_end(&plan);
    close_subject(&subject);
    return planned;
}

static struct planned plan_on(const char *tensors, const struct invented_device *device) {
    char line[512];
    snprintf(line, sizeof(line), "CONVOLUTION seed=1 %s", tensors);
    return planned_of(line, device);
}

static struct planned plan(const char *tensors) {
    return plan_on(tensors, &devices[DEVICE_MINIMUM]);
}

static void one_tap_is_a_plain_product(void **state) {
    (void)state;
    const struct planned one = plan("InputTensor=FLOAT32[1,64,14,14] FilterTensor=FLOAT32[128,64,1,1] "
                                    "OutputTensor=FLOAT32[1,128,14,14]" FORWARD PLAIN);
    assert_int_equal(one.kernel, VKDML_KERNEL_PRODUCT);
    assert_int_equal(one.step_count, 1);
    assert_int_equal(one.constants[GATHER], 0);
    /* Pictures' channels lie side by side: all pixels are evenly apart. */
    const struct planned last =
        plan("InputTensor=FLOAT32[8,64,14,14] InputTensor.strides=12544,1,896,64 FilterTensor=FLOAT32[128,64,1,1] "
             "OutputTensor=FLOAT32[8,128,14,14] OutputTensor.strides=25088,1,1792,128" FORWARD PLAIN);
    assert_int_equal(last.step_count, 1);
    assert_int_equal(last.constants[GATHER], 0);
}

/* Of several pictures all pixels are columns of one product, four of which are a load and a store. */
static void pictures_share_tiles(void **state) {
    (void)state;
    const struct planned s = plan("InputTensor=FLOAT32[8,64,14,14] FilterTensor=FLOAT32[128,64,1,1] "
                                  "OutputTensor=FLOAT32[8,128,14,14]" FORWARD PLAIN);
    assert_int_equal(s.kernel, VKDML_KERNEL_PRODUCT);
    assert_int_equal(s.constants[GATHER], 2 | 2 << 20);
    assert_int_equal(s.constants[SHAPE] & LAYOUT_B, B_ALONG_ROWS | B_IN_VECTORS);
    assert_int_equal(s.constants[SHAPE] & OUT_IS_VECTOR, OUT_IS_VECTOR);
    const struct planned odd = plan("InputTensor=FLOAT32[8,64,7,7] FilterTensor=FLOAT32[128,64,1,1] "
                                    "OutputTensor=FLOAT32[8,128,7,7]" FORWARD PLAIN);
    assert_int_equal(odd.constants[GATHER], 2 | 2 << 20);
    assert_int_equal(odd.constants[SHAPE] & LAYOUT_B, B_ALONG_ROWS);
    assert_int_equal(odd.constants[SHAPE] & OUT_IS_VECTOR, 0);
}

static void windows_are_gathered(void **state) {
    (void)state;
    const struct planned padded = plan("InputTensor=FLOAT32[64,64,14,14] FilterTensor=FLOAT32[128,64,3,3] "
                                       "OutputTensor=FLOAT32[64,128,14,14]" FORWARD PADDED);
    assert_int_equal(padded.constants[GATHER], 3 | CHECKED | WALKED | 2 << 20);
    assert_int_equal(padded.constants[SHAPE] & LAYOUT_B, B_ALONG_ROWS);
    const struct planned bare = plan("InputTensor=FLOAT32[64,64,14,14] FilterTensor=FLOAT32[128,64,3,3] "
                                     "OutputTensor=FLOAT32[64,128,12,12]" FORWARD PLAIN);
    assert_int_equal(bare.constants[GATHER], 3 | WALKED | 2 << 20);
}

/* Channels that lie side by side are loaded four at a time, and the filter is packed in their order: once, where it is
 * vkdml's. */
static void channels_side_by_side_come_last(void **state) {
    (void)state;
#define PICTURES                                                                                                       \
    "InputTensor=FLOAT32[64,64,14,14] InputTensor.strides=12544,1,896,64 FilterTensor=FLOAT32[128,64,3,3] "            \
    "OutputTensor=FLOAT32[64,128,14,14]" FORWARD PADDED
    const struct planned copied = plan(PICTURES);
    assert_int_equal(copied.step_count, 2);
    assert_int_equal(copied.temporary_bytes, 128 * 64 * 9 * 4);
    const struct planned owned = plan(PICTURES " FilterTensor.owned=1");
    assert_int_equal(owned.step_count, 1);
    assert_int_equal(owned.init_step_count, 1);
    assert_int_equal(owned.persistent_bytes, 128 * 64 * 9 * 4);
    assert_int_equal(owned.constants[GATHER], 3 | CHECKED | WALKED | CHANNELS_LAST | 2 << 20);
    assert_int_equal(owned.constants[SHAPE] & LAYOUT_B, B_IN_VECTORS);
}

/* Every second pixel takes the same taps: four products of a quarter of them, each with a filter of its own. */
static void strides_backward_are_phases(void **state) {
    (void)state;
#define TRANSPOSED                                                                                                     \
    "InputTensor=FLOAT32[256,64,8,8] FilterTensor=FLOAT32[64,128,4,4] "                                                \
    "OutputTensor=FLOAT32[256,128,16,16]" BACKWARD ARRAYS("2,2", "1,1", "1,1", "0,0", "1")
    const struct planned copied = plan(TRANSPOSED);
    assert_int_equal(copied.step_count, 8);
    const struct planned owned = plan(TRANSPOSED " FilterTensor.owned=1");
    assert_int_equal(owned.step_count, 4);
    assert_int_equal(owned.init_step_count, 4);
    assert_int_equal(owned.constants[GATHER] & (DIVIDED | 0xF00u), WALKED);
    /* Three of four have no tap, and what there is lies evenly in the filter. */
    const struct planned sparse =
        plan("InputTensor=FLOAT32[256,64,8,8] FilterTensor=FLOAT32[64,128,1,1] "
             "OutputTensor=FLOAT32[256,128,15,15]" BACKWARD ARRAYS("2,2", "1,1", "0,0", "0,0", "1"));
    assert_int_equal(sparse.step_count, 4);
}

/* Every other row: the first begins at a multiple of four elements and is written four at once, the second does not. Of
 * halves that changes bits of words, and waits. */
static void rows_that_change_bits_of_words_wait(void **state) {
    (void)state;
#define ROWS(type, channels, groups, row)                                                                              \
    "InputTensor=" type "[1,8,2,4] FilterTensor=" type "[8," channels ",2,1] OutputTensor=" type                       \
    "[1,8,4,4] OutputTensor.strides=256,32," row ",1" BACKWARD ARRAYS("2,1", "1,1", "0,0", "0,0", groups)
    static const struct {
        const char *tensors;
        enum vkdml_kernel kernel;
        bool differ, wait;
    } rows[] = {{ROWS("FLOAT16", "8", "1", "6"), VKDML_KERNEL_PRODUCT, true, true},
                {ROWS("FLOAT16", "1", "8", "6"), VKDML_KERNEL_DEPTHWISE, true, true},
                {ROWS("FLOAT16", "8", "1", "8"), VKDML_KERNEL_PRODUCT, false, false},
                {ROWS("FLOAT32", "8", "1", "6"), VKDML_KERNEL_PRODUCT, true, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct planned s = plan(rows[i].tensors);
        assert_int_equal(s.kernel, rows[i].kernel);
        assert_int_equal(((s.shape_before ^ s.constants[SHAPE]) & OUT_IS_VECTOR) != 0, rows[i].differ);
        assert_int_equal(s.phases_before, rows[i].wait);
    }
#undef ROWS
}

static void too_many_phases_divide(void **state) {
    (void)state;
    const struct planned s = plan("InputTensor=FLOAT32[1,2,3,3] FilterTensor=FLOAT32[2,8,1,2] "
                                  "OutputTensor=FLOAT32[1,8,3,602]" BACKWARD ARRAYS("1,300", "1,1", "0,0", "0,0", "1"));
    assert_int_equal(s.kernel, VKDML_KERNEL_PRODUCT);
    assert_int_equal(s.step_count, 2); /* the filter is packed */
    assert_int_equal(s.constants[GATHER] & DIVIDED, 1u << 12);
}

static void single_channels_are_not_products(void **state) {
    (void)state;
    const struct planned s = plan("InputTensor=FLOAT32[2,32,56,56] FilterTensor=FLOAT32[32,1,3,3] "
                                  "OutputTensor=FLOAT32[2,32,56,56]" FORWARD ARRAYS("1,1", "1,1", "1,1", "0,0", "32"));
    assert_int_equal(s.kernel, VKDML_KERNEL_DEPTHWISE);
    assert_int_equal(s.constants[COLUMN_TAPS], 3);
    assert_int_equal(s.constants[ROW_TAPS], 3);
    assert_int_equal(s.constants[SHAPE] & OUT_IS_VECTOR, OUT_IS_VECTOR);
    /* Taps that are apart go one by one. */
    const struct planned dilated =
        plan("InputTensor=FLOAT32[2,32,56,56] FilterTensor=FLOAT32[32,1,3,3] "
             "OutputTensor=FLOAT32[2,32,54,54]" FORWARD ARRAYS("1,1", "2,2", "1,1", "0,0", "32"));
    assert_int_equal(dilated.kernel, VKDML_KERNEL_DEPTHWISE);
    assert_int_equal(dilated.constants[COLUMN_TAPS], 0);
    const struct planned wide =
        plan("InputTensor=FLOAT32[2,4,56,56] FilterTensor=FLOAT32[32,1,3,3] "
             "OutputTensor=FLOAT32[2,32,56,56]" FORWARD ARRAYS("1,1", "1,1", "1,1", "0,0", "4"));
    assert_int_equal(wide.kernel, VKDML_KERNEL_PRODUCT); /* eight channels of the output each */
}

/* Bytes of few channels stay where they lie: nothing is packed. */
static void few_channels_of_bytes_are_not_packed(void **state) {
    (void)state;
#define INTEGER(input, filter, output, dilations, padding, groups)                                                     \
    "CONVOLUTION_INTEGER seed=1 InputTensor=INT8" input " FilterTensor=UINT8" filter " OutputTensor=INT32" output      \
    " DimensionCount=2 Strides=1,1 Dilations=" dilations " StartPadding=" padding " EndPadding=" padding               \
    " GroupCount=" groups
    struct invented_device device = devices[DEVICE_MINIMUM];
    const struct planned s =
        planned_of(INTEGER("[2,32,56,56]", "[32,1,3,3]", "[2,32,56,56]", "1,1", "1,1", "32"), &device);
    assert_int_equal(s.kernel, VKDML_KERNEL_INTEGER_DEPTHWISE);
    assert_int_equal(s.step_count, 1);
    assert_int_equal(s.temporary_bytes, 0);
    assert_int_equal(s.constants[VKDML_INTEGER_DEPTHWISE_CONSTANT_SHAPE],
                     VKDML_INTEGER_DEPTHWISE_B_IS_SIGNED | VKDML_INTEGER_DEPTHWISE_B_IS_PACKED |
                         VKDML_INTEGER_DEPTHWISE_OUT_IS_PACKED | VKDML_INTEGER_DEPTHWISE_OUT_IS_VECTOR);
    const struct planned odd =
        planned_of(INTEGER("[2,32,7,7]", "[64,2,3,3]", "[2,64,7,7]", "1,1", "1,1", "16"), &device);
    assert_int_equal(odd.kernel, VKDML_KERNEL_INTEGER_DEPTHWISE);
    assert_int_equal(odd.constants[VKDML_INTEGER_DEPTHWISE_CONSTANT_SHAPE] & VKDML_INTEGER_DEPTHWISE_OUT_IS_VECTOR, 0);
    /* More channels than four, and taps too far apart for registers, are products. */
    const struct planned many =
        planned_of(INTEGER("[2,40,56,56]", "[40,5,3,3]", "[2,40,56,56]", "1,1", "1,1", "8"), &device);
    assert_int_equal(many.kernel, VKDML_KERNEL_INTEGER_PRODUCT);
    const struct planned far_apart =
        planned_of(INTEGER("[2,4,99,99]", "[4,1,3,3]", "[2,4,37,37]", "31,31", "0,0", "4"), &device);
    assert_int_equal(far_apart.kernel, VKDML_KERNEL_INTEGER_PRODUCT);
    /* Of a range that holds a part of the output: a step each. */
    device.limits.max_storage_buffer_range = 256 << 10;
    const struct planned parts =
        planned_of(INTEGER("[1,8,512,256]", "[8,1,3,3]", "[1,8,512,256]", "1,1", "1,1", "8"), &device);
    assert_in_range(parts.step_count, 16, 32); /* 4 MiB */
#undef INTEGER
}

/* Along pixels as long as that helps; where channels lie too far apart sums add up in the temporary resource. */
static void what_cannot_be_bound_is_cut_into_pixels(void **state) {
    (void)state;
    struct invented_device device = devices[DEVICE_MINIMUM];
    device.limits.max_storage_buffer_range = 256 << 10;
    const struct planned pictures = plan_on("InputTensor=FLOAT32[64,2,64,64] FilterTensor=FLOAT32[4,2,3,3] "
                                            "OutputTensor=FLOAT32[64,4,64,64]" FORWARD PADDED,
                                            &device);
    assert_in_range(pictures.step_count, 16, 32); /* 4 MiB of output */
    assert_int_equal(pictures.temporary_bytes, 0);
    const struct planned planes = plan_on("InputTensor=FLOAT32[1,8,512,256] FilterTensor=FLOAT32[16,8,3,3] "
                                          "OutputTensor=FLOAT32[1,16,512,256]" FORWARD PADDED,
                                          &device);
    assert_int_equal(planes.temporary_bytes, 16 * 512 * 256 * 4);
    const struct planned depthwise =
        plan_on("InputTensor=FLOAT32[1,8,512,256] FilterTensor=FLOAT32[8,1,3,3] "
                "OutputTensor=FLOAT32[1,8,512,256]" FORWARD ARRAYS("1,1", "1,1", "1,1", "0,0", "8"),
                &device);
    assert_in_range(depthwise.step_count, 16, 32); /* 4 MiB */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_tap_is_a_plain_product),
        cmocka_unit_test(pictures_share_tiles),
        cmocka_unit_test(windows_are_gathered),
        cmocka_unit_test(channels_side_by_side_come_last),
        cmocka_unit_test(strides_backward_are_phases),
        cmocka_unit_test(rows_that_change_bits_of_words_wait),
        cmocka_unit_test(too_many_phases_divide),
        cmocka_unit_test(single_channels_are_not_products),
        cmocka_unit_test(few_channels_of_bytes_are_not_packed),
        cmocka_unit_test(what_cannot_be_bound_is_cut_into_pixels),
    };
    return cmocka_run_group_tests_name("plan_convolution", tests, NULL, NULL);
}
