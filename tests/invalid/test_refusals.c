/* Descriptors that break one rule, and their legal neighbours: refusals.inc lists them, one test each. All are read
 * from behind a fence: the library may neither write them nor read past what their counts say. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fence.h"
#include "refusals.h"
#include "sample.h"
#include "vkdml/schema.h"

static VkdmlResult validate(const struct sample *sample) {
    struct fence fence;
    VkdmlResult result = vkdmlValidateOperator(fence_sample(&fence, sample), sample->level);
    fence_release(&fence);
    return result;
}

static void unedited_sample_is_legal(void **state) {
    (void)state;
    for (size_t i = 0; i < SAMPLE_OPERATOR_COUNT; i++) {
        struct sample sample;
        sample_init(&sample, sample_operators[i]);
        if (validate(&sample) != VKDML_SUCCESS)
            fail_msg("%s", vkdmlGetErrorMessage());
    }
}

static void a_null_descriptor_is_refused(void **state) {
    (void)state;
    assert_int_equal(vkdmlValidateOperator(NULL, DML_FEATURE_LEVEL_6_4), VKDML_ERROR_INVALID_ARGUMENT);
    assert_string_equal(vkdmlGetErrorMessage(), "DML_OPERATOR_DESC is NULL, must point to a descriptor");
}

/* Each of DirectML's 177 has a row, whose descriptors of zeros are refused by its name. */
static void every_operator_is_there_and_refuses_zeros(void **state) {
    (void)state;
    static const uint64_t zeros[32]; /* more than the largest descriptor struct has */
    for (int type = 1; type <= DML_OPERATOR_UNFOLD; type++) {
        const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchema((DML_OPERATOR_TYPE)type);
        assert_non_null(schema);
        assert_true(schema->descSize <= sizeof zeros);
        const char *name = vkdmlGetOperatorName((DML_OPERATOR_TYPE)type);
        assert_non_null(name);
        DML_OPERATOR_DESC desc = {(DML_OPERATOR_TYPE)type, zeros};
        assert_int_equal(vkdmlValidateOperator(&desc, DML_FEATURE_LEVEL_6_4), VKDML_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(vkdmlGetErrorMessage(), name));
    }
}

/* The worst descriptor there is: the message has room for every line. */
static void all_failures_of_eight_dimensions_are_told(void **state) {
    (void)state;
    struct sample sample;
    sample_init(&sample, DML_OPERATOR_PADDING);
    static const uint32_t sizes[] = {4000000001u, 4000000002u, 4000000003u, 4000000004u,
                                     4000000005u, 4000000006u, 4000000007u, 4000000008u};
    sample_set_sizes(&sample.input, sizes, 8);
    sample_set_sizes(&sample.output, sizes, 8);
    sample.padding.DimensionCount = 8;
    for (uint32_t i = 0; i < 8; i++)
        sample.start[i] = sample.end[i] = 2000000000u;
    assert_int_equal(validate(&sample), VKDML_ERROR_INVALID_ARGUMENT);
    const char *message = vkdmlGetErrorMessage();
    for (uint32_t i = 0; i < 8; i++) {
        char wanted[256];
        snprintf(wanted, sizeof(wanted),
                 "DML_OPERATOR_PADDING: OutputTensor.Sizes[%u] is %u, must be %" PRIu64
                 " = InputTensor.Sizes[%u] (%u) + StartPadding[%u] (2000000000) + EndPadding[%u] (2000000000)",
                 i, sizes[i], sizes[i] + UINT64_C(4000000000), i, sizes[i], i, i);
        if (strstr(message, wanted) == NULL)
            fail_msg("missing \"%s\" in: %s", wanted, message);
    }
    assert_int_not_equal(message[strlen(message) - 1], '\n');
}

static void a_success_leaves_the_message_as_it_was(void **state) {
    (void)state;
    struct sample sample;
    sample_init(&sample, DML_OPERATOR_DIAGONAL_MATRIX);
    sample.output.sizes[3] = 0;
    assert_int_equal(validate(&sample), VKDML_ERROR_INVALID_ARGUMENT);
    sample.output.sizes[3] = 3;
    assert_int_equal(validate(&sample), VKDML_SUCCESS);
    assert_string_equal(vkdmlGetErrorMessage(),
                        "DML_OPERATOR_DIAGONAL_MATRIX: OutputTensor.Sizes[3] is 0, must be at least 1");
}

static void row_holds(void **state) {
    const struct refusal *row = *state;
    struct sample sample;
    sample_init(&sample, row->type);
    row->edit(&sample);
    VkdmlResult result = validate(&sample);
    if (result != row->result)
        fail_msg("%s: %s instead of %s; reason: %s", row->name, vkdmlResultToString(result),
                 vkdmlResultToString(row->result), result == VKDML_SUCCESS ? "" : vkdmlGetErrorMessage());
    if (row->reason != NULL)
        assert_string_equal(vkdmlGetErrorMessage(), row->reason);
}

int main(void) {
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(unedited_sample_is_legal),
        cmocka_unit_test(a_null_descriptor_is_refused),
        cmocka_unit_test(every_operator_is_there_and_refuses_zeros),
        cmocka_unit_test(all_failures_of_eight_dimensions_are_told),
        cmocka_unit_test(a_success_leaves_the_message_as_it_was),
    };
    enum { OTHER_COUNT = sizeof(others) / sizeof(others[0]) };
    struct CMUnitTest tests[OTHER_COUNT + REFUSAL_COUNT];
    memcpy(tests, others, sizeof(others));
    for (size_t i = 0; i < REFUSAL_COUNT; i++)
        tests[OTHER_COUNT + i] =
            (struct CMUnitTest){refusals[i].name, row_holds, NULL, NULL, (void *)(uintptr_t)&refusals[i]};
    return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
