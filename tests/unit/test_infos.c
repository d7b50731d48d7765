/* Structs that calls read and that may grow, and the version of the headers: what fits this library, and what does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/check.h"
#include "api/error.h"
#include "vkdml/vkdml.h"

static void assert_reason(const char *part) {
    if (!strstr(vkdmlGetErrorMessage(), part)) {
        fail_msg("the reason is \"%s\", must contain \"%s\"", vkdmlGetErrorMessage(), part);
    }
}

/* A struct as it was, as it is, and as it will be. */
struct older {
    size_t structSize;
    uint32_t first;
    uint32_t second;
};
struct present {
    size_t structSize;
    uint32_t first;
    uint32_t second;
    uint64_t third;
};
struct newer {
    size_t structSize;
    uint32_t first;
    uint32_t second;
    uint64_t third;
    uint32_t fourth[2];
};

static VkdmlResult read_present(const void *info, struct present *copy) {
    struct vkdml_report *report = vkdml_error_begin();
    memset(copy, 0xAA, sizeof *copy);
    return vkdml_error_end(report, vkdml_read_info(copy, sizeof *copy, sizeof(struct older), info, "Struct", report));
}

static void test_present_is_copied(void **state) {
    (void)state;
    const struct present info = {.structSize = sizeof info, .first = 1, .second = 2, .third = 3};
    struct present copy;
    assert_int_equal(read_present(&info, &copy), VKDML_SUCCESS);
    assert_memory_equal(&copy, &info, sizeof info);
}

static void test_what_an_older_caller_lacks_is_zero(void **state) {
    (void)state;
    /* Beyond its own bytes nothing of the caller's is read. */
    struct {
        struct older info;
        uint64_t beyond;
    } memory = {.info = {.structSize = sizeof(struct older), .first = 1, .second = 2}, .beyond = UINT64_MAX};
    struct present copy;
    assert_int_equal(read_present(&memory.info, &copy), VKDML_SUCCESS);
    assert_int_equal(copy.first, 1);
    assert_int_equal(copy.second, 2);
    assert_int_equal(copy.third, 0);
}

static void test_what_a_newer_caller_has_more_must_be_zero(void **state) {
    (void)state;
    struct newer info = {.structSize = sizeof info, .first = 1, .second = 2, .third = 3};
    struct present copy;
    assert_int_equal(read_present(&info, &copy), VKDML_SUCCESS);
    assert_int_equal(copy.third, 3);
    info.fourth[1] = 0x100;
    assert_int_equal(read_present(&info, &copy), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("info.structSize is 32, and byte 29 is not 0: vkdml " VKDML_VERSION_STRING
                  " knows the first 24 bytes of Struct");
}

static void test_sizes_that_are_none_are_refused(void **state) {
    (void)state;
    const size_t sizes[] = {0, 1, sizeof(struct older) - 1, 4097, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const struct present info = {.structSize = sizes[i]};
        struct present copy;
        char reason[96];
        assert_int_equal(read_present(&info, &copy), VKDML_ERROR_INVALID_ARGUMENT);
        snprintf(reason, sizeof reason, "info.structSize is %zu, must be sizeof(Struct), here 24", sizes[i]);
        assert_reason(reason);
    }
}

static void test_every_struct_is_held_to_its_size(void **state) {
    (void)state;
    VkdmlDevice device;
    VkdmlDeviceCreateInfo create = {.headerVersion = VKDML_HEADER_VERSION};
    assert_int_equal(vkdmlCreateDevice(&create, &device), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("info.structSize is 0, must be sizeof(VkdmlDeviceCreateInfo)");
    assert_null(device);
    VkdmlDeviceOpenInfo open = {.headerVersion = VKDML_HEADER_VERSION};
    assert_int_equal(vkdmlOpenDevice(&open, &device), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("info.structSize is 0, must be sizeof(VkdmlDeviceOpenInfo)");
    assert_null(device);
    VkdmlReferenceInfo reference = {.desc = NULL};
    assert_int_equal(vkdmlReferenceExecute(&reference), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("info.structSize is 0, must be sizeof(VkdmlReferenceInfo)");
}

/* Before 1.0 a minor version may change anything. */
static void test_headers_of_another_minor_version_are_refused(void **state) {
    (void)state;
    const uint32_t other[] = {0, VKDML_MAKE_VERSION(VKDML_VERSION_MAJOR, VKDML_VERSION_MINOR + 1, 0),
                              VKDML_MAKE_VERSION(VKDML_VERSION_MAJOR + 1, VKDML_VERSION_MINOR, 0)};
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        VkdmlDevice device;
        VkdmlDeviceOpenInfo open = {.structSize = sizeof open, .headerVersion = other[i]};
        assert_int_equal(vkdmlOpenDevice(&open, &device), VKDML_ERROR_INVALID_ARGUMENT);
        assert_reason("the program was compiled with headers of that version, vkdml " VKDML_VERSION_STRING
                      " is running");
        VkdmlDeviceCreateInfo create = {.structSize = sizeof create, .headerVersion = other[i]};
        assert_int_equal(vkdmlCreateDevice(&create, &device), VKDML_ERROR_INVALID_ARGUMENT);
        assert_reason("info.headerVersion is ");
    }
}

static void test_headers_of_another_patch_are_taken(void **state) {
    (void)state;
    struct vkdml_report *report = vkdml_error_begin();
    assert_int_equal(vkdml_check_header_version(VKDML_HEADER_VERSION, report), VKDML_SUCCESS);
    assert_int_equal(vkdml_check_header_version(
                         VKDML_MAKE_VERSION(VKDML_VERSION_MAJOR, VKDML_VERSION_MINOR, VKDML_VERSION_PATCH + 1), report),
                     VKDML_SUCCESS);
    vkdml_error_end(report, VKDML_SUCCESS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_present_is_copied),
        cmocka_unit_test(test_what_an_older_caller_lacks_is_zero),
        cmocka_unit_test(test_what_a_newer_caller_has_more_must_be_zero),
        cmocka_unit_test(test_sizes_that_are_none_are_refused),
        cmocka_unit_test(test_every_struct_is_held_to_its_size),
        cmocka_unit_test(test_headers_of_another_minor_version_are_refused),
        cmocka_unit_test(test_headers_of_another_patch_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
