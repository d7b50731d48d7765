/* Results have names, and the library knows its version. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "vkdml/result.h"

static void every_result_has_its_own_name(void **state) {
    (void)state;
#define EXPECT_NAME(RESULT) assert_string_equal(vkdmlResultToString(RESULT), #RESULT)
    EXPECT_NAME(VKDML_SUCCESS);
    EXPECT_NAME(VKDML_ERROR_INVALID_ARGUMENT);
    EXPECT_NAME(VKDML_ERROR_NOT_IMPLEMENTED);
    EXPECT_NAME(VKDML_ERROR_FEATURE_NOT_PRESENT);
    EXPECT_NAME(VKDML_ERROR_LIMIT_EXCEEDED);
    EXPECT_NAME(VKDML_ERROR_OUT_OF_HOST_MEMORY);
    EXPECT_NAME(VKDML_ERROR_OUT_OF_DEVICE_MEMORY);
    EXPECT_NAME(VKDML_ERROR_DEVICE_LOST);
    EXPECT_NAME(VKDML_ERROR_INITIALIZATION_FAILED);
    EXPECT_NAME(VKDML_ERROR_DRIVER);
#undef EXPECT_NAME
}

static void a_value_that_is_no_result_has_a_name_too(void **state) {
    (void)state;
    static const int values[] = {1, -10, -1000, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_string_equal(vkdmlResultToString((VkdmlResult)values[i]), "unknown VkdmlResult");
    }
}

static void the_version_is_the_headers(void **state) {
    (void)state;
    assert_int_equal(vkdmlGetVersion(), VKDML_HEADER_VERSION);
    char expected[32];
    const uint32_t version = vkdmlGetVersion();
    snprintf(expected, sizeof expected, "%u.%u.%u", version >> 20, (version >> 10) & 0x3FF, version & 0x3FF);
    assert_string_equal(vkdmlGetVersionString(), expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_result_has_its_own_name),
        cmocka_unit_test(a_value_that_is_no_result_has_a_name_too),
        cmocka_unit_test(the_version_is_the_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
