/* An operator that DirectML has and the table lacks, as the next one will be until it has a row: the linker hides
 * PADDING's (--wrap), and the public functions refuse it as not implemented. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "schema/schema.h"
#include "vkdml/vkdml.h"

const VkdmlOperatorSchema *__real_vkdml_schema_find(DML_OPERATOR_TYPE type);
const VkdmlOperatorSchema *__wrap_vkdml_schema_find(DML_OPERATOR_TYPE type);

const VkdmlOperatorSchema *__wrap_vkdml_schema_find(DML_OPERATOR_TYPE type) {
    return type == DML_OPERATOR_PADDING ? NULL : __real_vkdml_schema_find(type);
}

/* Nothing of it is read. */
static const int unread;
static const DML_OPERATOR_DESC padding = {DML_OPERATOR_PADDING, &unread};

static void it_has_a_name_and_a_level_alone(void **state) {
    (void)state;
    assert_null(vkdmlGetOperatorSchema(DML_OPERATOR_PADDING));
    assert_non_null(vkdmlGetOperatorSchema(DML_OPERATOR_PADDING1));
    assert_string_equal(vkdmlGetOperatorName(DML_OPERATOR_PADDING), "DML_OPERATOR_PADDING");
    assert_int_equal(vkdmlGetOperatorFeatureLevel(DML_OPERATOR_PADDING), DML_FEATURE_LEVEL_1_0);
}

static void its_descriptors_are_refused_unread(void **state) {
    (void)state;
    assert_int_equal(vkdmlValidateOperator(&padding, (DML_FEATURE_LEVEL)0), VKDML_ERROR_NOT_IMPLEMENTED);
    assert_string_equal(vkdmlGetErrorMessage(), "DML_OPERATOR_PADDING: is not implemented yet");
}

static void nothing_is_required_for_it(void **state) {
    (void)state;
    VkdmlRequirements requirements;
    assert_int_equal(vkdmlGetOperatorRequirements(DML_OPERATOR_PADDING, DML_TENSOR_DATA_TYPE_FLOAT32, &requirements),
                     VKDML_ERROR_NOT_IMPLEMENTED);
    assert_string_equal(vkdmlGetErrorMessage(), "DML_OPERATOR_PADDING: not implemented");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_a_name_and_a_level_alone),
        cmocka_unit_test(its_descriptors_are_refused_unread),
        cmocka_unit_test(nothing_is_required_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
