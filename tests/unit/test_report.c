/* What a report says, and that it never says more than it has room for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/report.h"

static void a_cleared_report_tells_of_no_failure(void **state) {
    (void)state;
    struct vkdml_report report;
    memset(&report, 0xAB, sizeof report);
    vkdml_report_clear(&report);
    assert_int_equal(report.result, VKDML_SUCCESS);
    assert_int_equal(report.count, 0);
    assert_int_equal(report.omitted, 0);
    assert_int_equal(report.length, 0);
    assert_null(report.context);
    assert_string_equal(report.text, "");
}

static void the_first_failure_gives_the_result_and_the_first_line(void **state) {
    (void)state;
    struct vkdml_report report;
    vkdml_report_clear(&report);
    assert_int_equal(vkdml_report_add(&report, VKDML_ERROR_DEVICE_LOST, "lost at %d", 3), VKDML_ERROR_DEVICE_LOST);
    assert_int_equal(vkdml_report_invalid(&report, "Sizes[%u] is 0", 2u), VKDML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(report.result, VKDML_ERROR_DEVICE_LOST);
    assert_int_equal(report.count, 2);
    assert_int_equal(report.omitted, 0);
    assert_string_equal(report.text, "lost at 3\nSizes[2] is 0");
    assert_int_equal(report.length, strlen(report.text));
}

static void every_line_begins_with_the_context_of_its_time(void **state) {
    (void)state;
    struct vkdml_report report;
    vkdml_report_clear(&report);
    vkdml_report_invalid(&report, "one");
    report.context = "DML_OPERATOR_PADDING";
    vkdml_report_invalid(&report, "two");
    vkdml_report_invalid(&report, "three");
    assert_string_equal(report.text, "one\nDML_OPERATOR_PADDING: two\nDML_OPERATOR_PADDING: three");
}

static void out_of_memory_says_how_much_for_what(void **state) {
    (void)state;
    struct vkdml_report report;
    vkdml_report_clear(&report);
    assert_int_equal(vkdml_report_out_of_memory(&report, 4711, "a plan"), VKDML_ERROR_OUT_OF_HOST_MEMORY);
    assert_non_null(strstr(report.text, "4711 bytes"));
    assert_non_null(strstr(report.text, "a plan"));
}

static void lines_without_room_are_dropped_whole_and_counted_in_the_last_line(void **state) {
    (void)state;
    struct vkdml_report report;
    vkdml_report_clear(&report);
    const uint32_t lines = 1500;
    for (uint32_t i = 0; i < lines; i++) {
        vkdml_report_invalid(&report, "line %u", i);
        assert_int_equal(report.length, strlen(report.text));
        assert_in_range(report.length, 1, VKDML_REPORT_CAPACITY - 1);
    }
    assert_int_equal(report.count, lines);
    assert_in_range(report.omitted, 1, lines - 1);

    char expected[VKDML_REPORT_CAPACITY];
    size_t end = 0;
    for (uint32_t i = 0; i < lines - report.omitted; i++) {
        end += (size_t)snprintf(expected + end, sizeof expected - end, "line %u\n", i);
    }
    snprintf(expected + end, sizeof expected - end, "(and %u more)", report.omitted);
    assert_string_equal(report.text, expected);
}

static void after_an_omitted_line_even_a_short_one_is_only_counted(void **state) {
    (void)state;
    struct vkdml_report report;
    vkdml_report_clear(&report);
    vkdml_report_invalid(&report, "first");
    vkdml_report_invalid(&report, "%*s", VKDML_REPORT_CAPACITY, "wide");
    assert_string_equal(report.text, "first\n(and 1 more)");
    vkdml_report_invalid(&report, "short");
    assert_string_equal(report.text, "first\n(and 2 more)");
}

static void a_lone_line_without_room_leaves_only_the_count(void **state) {
    (void)state;
    struct vkdml_report report;
    vkdml_report_clear(&report);
    vkdml_report_invalid(&report, "%*s", VKDML_REPORT_CAPACITY, "wide");
    assert_string_equal(report.text, "(and 1 more)");
    vkdml_report_invalid(&report, "short");
    assert_string_equal(report.text, "(and 2 more)");
    assert_int_equal(report.result, VKDML_ERROR_INVALID_ARGUMENT);
}

static void a_line_of_any_length_leaves_room_for_the_widest_count(void **state) {
    (void)state;
    for (int width = 1; width < VKDML_REPORT_CAPACITY + 8; width++) {
        struct vkdml_report report;
        vkdml_report_clear(&report);
        report.context = "context";
        vkdml_report_invalid(&report, "%*s", width, "x");
        assert_true(report.omitted == 1 || report.length == strlen("context: ") + (size_t)width);
        vkdml_report_invalid(&report, "%*s", VKDML_REPORT_CAPACITY, "wide");
        report.omitted = UINT32_MAX - 1;
        vkdml_report_invalid(&report, "one more");
        assert_int_equal(report.length, strlen(report.text));
        const char *tail = "(and 4294967295 more)";
        assert_in_range(report.length, strlen(tail), VKDML_REPORT_CAPACITY - 1);
        assert_string_equal(report.text + report.length - strlen(tail), tail);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cleared_report_tells_of_no_failure),
        cmocka_unit_test(the_first_failure_gives_the_result_and_the_first_line),
        cmocka_unit_test(every_line_begins_with_the_context_of_its_time),
        cmocka_unit_test(out_of_memory_says_how_much_for_what),
        cmocka_unit_test(lines_without_room_are_dropped_whole_and_counted_in_the_last_line),
        cmocka_unit_test(after_an_omitted_line_even_a_short_one_is_only_counted),
        cmocka_unit_test(a_lone_line_without_room_leaves_only_the_count),
        cmocka_unit_test(a_line_of_any_length_leaves_room_for_the_widest_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
