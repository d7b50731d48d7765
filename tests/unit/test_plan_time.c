/* Descriptors that were once planned for minutes: each is refused, with a reason, or planned, and soon. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "plan_fixture.h"

#define LEAST_LINES 50

/* Processor time that one may take; sanitizers take some of their own. */
#ifdef __SANITIZE_ADDRESS__
#define MOST_SECONDS 1.0
#else
#define MOST_SECONDS 0.1
#endif

static const char *file_name = "plan_time.txt";
static struct operator_case current;
static struct case_desc desc;

static void check_time(const char *line, const char *what, clock_t begun) {
    const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    if (seconds > MOST_SECONDS)
        fail_msg("%s took %.3f s\n%s", what, seconds, line);
}

static void check_plan_time(const char *line, const struct vkdml_instance *instance,
                            const struct invented_device *device) {
    struct vkdml_report report;
    struct vkdml_plan plan;
    vkdml_report_clear(&report);
    vkdml_plan_begin(&plan, NULL);
    const clock_t begun = clock();
    const VkdmlResult result = vkdml_plan(instance, &device->limits, 0, &report, &plan);
    check_time(line, device->name, begun);
    vkdml_plan_end(&plan);
    if (result != VKDML_SUCCESS && result != VKDML_ERROR_LIMIT_EXCEEDED)
        fail_msg("on %s: %s\n%s", device->name, vkdmlResultToString(result), line);
    assert_true((result == VKDML_SUCCESS) == (report.count == 0));
}

static void check_line(const char *line) {
    char error[256];
    struct vkdml_report report;
    struct vkdml_instance *instance = NULL;
    if (!case_parse(line, &current, error, sizeof(error)))
        fail_msg("%s\n%s", error, line);
    case_build_desc(&current, &desc);
    vkdml_report_clear(&report);
    const clock_t begun = clock();
    const VkdmlResult result = vkdml_validate(&desc.op, current.level, NULL, &report, &instance);
    check_time(line, "validation", begun);
    if (result != VKDML_SUCCESS) {
        assert_int_equal(result, VKDML_ERROR_INVALID_ARGUMENT);
        assert_true(report.count > 0);
        return;
    }
    for (uint32_t d = 0; d < DEVICE_COUNT; d++)
        check_plan_time(line, instance, &devices[d]);
    vkdml_instance_destroy(instance, NULL);
}

static void huge_descriptors_end_soon(void **state) {
    static char line[CASE_MAX_LINE];
    uint32_t lines = 0;
    (void)state;
    FILE *file = fopen(file_name, "r");
    if (file == NULL)
        fail_msg("%s cannot be opened", file_name);
    while (fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        check_line(line);
        lines++;
    }
    fclose(file);
    assert_true(lines >= LEAST_LINES);
}

/* A kernel binds a state whole, however far apart its words lie. */
static void a_state_that_cannot_be_bound_is_refused(void **state) {
    (void)state;
    char error[256];
    struct subject subject;
    assert_true(case_parse("RANDOM_GENERATOR InputStateTensor=UINT32[6] InputStateTensor.strides=4294967295 "
                           "OutputTensor=UINT32[64]",
                           &current, error, sizeof(error)));
    open_subject(&subject, &current, &devices[DEVICE_MINIMUM]);
    CHECK(&subject, plan_subject(&subject, &subject.plan) == VKDML_ERROR_LIMIT_EXCEEDED);
    CHECK(&subject, strcmp(subject.report.text,
                           "DML_OPERATOR_RANDOM_GENERATOR: maxStorageBufferRange is 134217728, must be at least "
                           "85899345904 and what alignment takes, to bind InputStateTensor") == 0);
    vkdml_plan_end(&subject.plan);
    close_subject(&subject);
}

int main(int argc, char **argv) {
    file_name = argc > 1 ? argv[1] : file_name;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_descriptors_end_soon),
        cmocka_unit_test(a_state_that_cannot_be_bound_is_refused),
    };
    return cmocka_run_group_tests_name("plan_time", tests, NULL, NULL);
}
