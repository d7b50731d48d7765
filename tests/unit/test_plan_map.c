/* What the planner of maps tells its kernels: of floats, of items, of shares, of tiles. */
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

/* A GPU that promises so much of its floats. */
static struct invented_device gpu(uint32_t float_controls) {
    struct invented_device device = {.name = "a GPU", .limits = devices[DEVICE_MINIMUM].limits};
    device.limits.max_storage_buffer_range = UINT32_MAX;
    device.limits.max_workgroup_size[0] = 1024;
    device.limits.max_workgroup_invocations = 1024;
    device.limits.variant = SUBGROUP;
    device.limits.float_controls = float_controls;
    return device;
}

static void expect_float_controls(const char *line, uint32_t of_device, uint32_t declared, uint32_t facts) {
    struct subject subject;
    struct invented_device device = gpu(of_device);
    plan_line(line, &device, &subject);
    if (subject.float_controls != declared ||
        subject.constants[VKDML_MAP_CONSTANT_FLOAT_CONTROLS] != (declared | facts)) {
        fail_msg("%s: declares %u, facts %u", line, subject.float_controls,
                 subject.constants[VKDML_MAP_CONSTANT_FLOAT_CONTROLS]);
    }
}

static void floats_are_trusted_as_far_as_the_device_promises(void **state) {
    (void)state;
    const uint32_t of_32 = VKDML_FLOAT_CONTROLS_32, of_16 = VKDML_FLOAT_CONTROLS_16,
                   denormals = VKDML_FLOAT_CONTROLS_DENORMALS;
    const char *singles = "ELEMENT_WISE_ADD seed=1 ATensor=FLOAT32[8] BTensor=FLOAT32[8] OutputTensor=FLOAT32[8]";
    const char *halves = "ELEMENT_WISE_ADD seed=1 ATensor=FLOAT16[8] BTensor=FLOAT16[8] OutputTensor=FLOAT16[8]";
    const char *mixed = "CAST seed=1 InputTensor=FLOAT16[8] OutputTensor=FLOAT32[8]";
    expect_float_controls(singles, 0, 0, 0);
    expect_float_controls(singles, of_32 | of_16, of_32, 0);
    expect_float_controls(singles, of_32 | denormals, of_32 | denormals, 0);
    expect_float_controls(mixed, of_32 | of_16, of_32 | of_16, 0);
    /* No denormal FLOAT32 comes of FLOAT16, whether or not the device would keep it. */
    expect_float_controls(halves, 0, 0, VKDML_FLOAT_NO_DENORMALS);
    expect_float_controls(halves, of_32, of_32, VKDML_FLOAT_NO_DENORMALS);
    expect_float_controls(halves, of_32 | of_16, of_32 | of_16, VKDML_FLOAT_NO_DENORMALS);
}

/* An attribute is FLOAT32 whatever the tensors are: 2^-30 is not too little, nor 2^60 too much. */
static void an_attribute_far_from_one_may_make_denormals(void **state) {
    (void)state;
    const char *const moderate[] = {"Alpha=0 Beta=0", "Alpha=0x30800000 Beta=0x5D800000", "Alpha=inf Beta=-1"};
    const char *const extreme[] = {"Alpha=0x307fffff Beta=0", "Alpha=1 Beta=0x5e000000", "Alpha=0x80000001 Beta=0"};
    char line[128];
    for (size_t i = 0; i < COUNT_OF(moderate); i++) {
        snprintf(line, sizeof line, "ACTIVATION_LINEAR seed=1 InputTensor=FLOAT16[8] OutputTensor=FLOAT16[8] %s",
                 moderate[i]);
        expect_float_controls(line, 0, 0, VKDML_FLOAT_NO_DENORMALS);
        snprintf(line, sizeof line, "ACTIVATION_LINEAR seed=1 InputTensor=FLOAT16[8] OutputTensor=FLOAT16[8] %s",
                 extreme[i]);
        expect_float_controls(line, 0, 0, 0);
    }
}

static uint32_t items_of(const char *line, const struct invented_device *device) {
    struct subject subject;
    plan_line(line, device, &subject);
    return subject.constants[VKDML_MAP_CONSTANT_ITEMS];
}

static void invocations_that_compute_much_get_several_items(void **state) {
    (void)state;
    const struct invented_device device = gpu(0);
    const char *much = "ELEMENT_WISE_EXP seed=1 InputTensor=FLOAT32[1024,1024] OutputTensor=FLOAT32[1024,1024]";
    const char *few = "ELEMENT_WISE_EXP seed=1 InputTensor=FLOAT32[1024,1020] OutputTensor=FLOAT32[1024,1020]";
    const char *little = "ELEMENT_WISE_ABS seed=1 InputTensor=FLOAT32[1024,1024] OutputTensor=FLOAT32[1024,1024]";
    assert_int_equal(items_of(much, &device), 4);
    assert_int_equal(items_of(few, &device), 1);
    assert_int_equal(items_of(little, &device), 1);
    assert_int_equal(items_of(much, &devices[DEVICE_LAVAPIPE]), 0); /* a processor */
}

/* 2^20 items. A power of integers may take 32 turns for each of an item's 4 elements: so not 1024 items an invocation.
 */
static void a_processor_is_given_no_more_turns_than_lavapipe_takes(void **state) {
    (void)state;
    struct subject subject;
    plan_line("ELEMENT_WISE_POW seed=1 InputTensor=INT32[1024,4096] ExponentTensor=INT32[1024,4096] "
              "OutputTensor=INT32[1024,4096]",
              &devices[DEVICE_LAVAPIPE], &subject);
    assert_true(subject.groups * UINT64_C(8) * 65535 > (UINT64_C(1) << 20) * (2 + 4 * 33));
    plan_line("ELEMENT_WISE_ABS seed=1 InputTensor=INT32[1024,4096] OutputTensor=INT32[1024,4096]",
              &devices[DEVICE_LAVAPIPE], &subject);
    assert_in_range(subject.groups, 128, 129); /* a run may begin and end within an item */
}

/* 256 bits of what lies across at once, and the dimension it lies along last; not on processors. */
static void what_lies_across_is_read_by_tiles(void **state) {
    (void)state;
    static const struct {
        const char *type;
        uint32_t rows;
    } types[] = {{"FLOAT32", 8}, {"FLOAT16", 16}, {"UINT8", 32}, {"INT64", 8}};
    const struct invented_device device = gpu(0);
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        char line[256];
        struct subject subject;
        snprintf(
            line, sizeof line,
            "ELEMENT_WISE_ADD seed=1 ATensor=%s[64,64] BTensor=%s[64,64] BTensor.strides=1,64 OutputTensor=%s[64,64]",
            types[i].type, types[i].type, types[i].type);
        plan_line(line, &device, &subject);
        assert_int_equal(subject.constants[VKDML_MAP_CONSTANT_TILE_ROWS], types[i].rows);
        plan_line(line, &devices[DEVICE_LAVAPIPE], &subject);
        assert_int_equal(subject.constants[VKDML_MAP_CONSTANT_TILE_ROWS], 0);
    }
}

/* Bits 4 t and up: dense 1, repeated 2, apart 3; 8 more where every item of the operand begins at a multiple of its
 * size. */
static void rows_are_told_apart(void **state) {
    (void)state;
    static const struct {
        const char *b;
        uint32_t rows;
    } operands[] = {{"FLOAT32[8,64]", 0x99},
                    {"FLOAT32[8,64] BTensor.strides=0,1", 0x99},
                    {"FLOAT32[8,64] BTensor.strides=65,1", 0x19},
                    {"FLOAT32[8,64] BTensor.strides=1,0", 0x29},
                    {"FLOAT32[8,64] BTensor.strides=130,2", 0x39}};
    const struct invented_device device = gpu(0);
    for (size_t i = 0; i < COUNT_OF(operands); i++) {
        char line[256];
        struct subject subject;
        snprintf(line, sizeof line,
                 "ELEMENT_WISE_ADD seed=1 ATensor=FLOAT32[8,64] BTensor=%s OutputTensor=FLOAT32[8,64]", operands[i].b);
        plan_line(line, &device, &subject);
        if (subject.constants[VKDML_MAP_CONSTANT_ROWS] != operands[i].rows) {
            fail_msg("%s: rows are %x", line, subject.constants[VKDML_MAP_CONSTANT_ROWS]);
        }
        assert_int_equal(subject.constants[VKDML_MAP_CONSTANT_RANK], i == 0 ? 0 : 1);
        assert_int_equal(subject.constants[VKDML_MAP_CONSTANT_ITEM], 4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_trusted_as_far_as_the_device_promises),
        cmocka_unit_test(an_attribute_far_from_one_may_make_denormals),
        cmocka_unit_test(invocations_that_compute_much_get_several_items),
        cmocka_unit_test(a_processor_is_given_no_more_turns_than_lavapipe_takes),
        cmocka_unit_test(what_lies_across_is_read_by_tiles),
        cmocka_unit_test(rows_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
