/* Holding dispatches to the reference, where a device gives something else: here the reference itself is the device,
 * and changes an element behind its back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/load.h"
#include "run/reference_check.h"

#define MODEL_FILE "test_reference_check.json"

/* Two rows of three elements, which are four apart: an element of the output's buffer is none of its tensor's. */
static const char model_text[] =
    "{\"resources\": {\"A\": {\"initialValuesDataType\": \"FLOAT32\", \"initialValues\": [1, 2, 3, 4, 5, 6]},"
    "                 \"B\": {\"initialValuesDataType\": \"FLOAT32\", \"initialValues\": [9, 9, 9, 9, 9, 9, 9]}},"
    " \"dispatchables\": {\"copy\": {\"type\": \"ELEMENT_WISE_IDENTITY\","
    "   \"InputTensor\": {\"DataType\": \"FLOAT32\", \"Sizes\": [2, 3]},"
    "   \"OutputTensor\": {\"DataType\": \"FLOAT32\", \"Sizes\": [2, 3], \"Strides\": [4, 1]}}},"
    " \"commands\": [{\"type\": \"dispatch\", \"dispatchable\": \"copy\","
    "                \"bindings\": {\"InputTensor\": \"A\", \"OutputTensor\": \"B\"}}]}";

/* Which element of the output the device gets wrong, of 7; none. */
#define NONE 7
static size_t wrong_element;
static const struct executor_operations *right;

static bool dispatch_wrongly(struct executor *executor, const struct command *command, struct timing_sample *sample) {
    const bool good = right->dispatch(executor, command, sample);
    if (wrong_element != NONE) {
        const float wrong = 7.5f;
        memcpy(command->outputs[0].resource->contents + wrong_element * sizeof(wrong), &wrong, sizeof(wrong));
    }
    return good;
}

static void prepare(struct executor *executor, struct model *model) {
    for (size_t i = 0; i < model->resource_count; i++) {
        assert_true(executor->operations->create_buffer(executor, &model->resources[i]));
    }
    assert_true(executor->operations->prepare(executor, &model->dispatchables[0]));
}

/* Runs the model with that element wrong; returns the comparison as --json tells it, which the caller puts back. */
static struct json_object *compare(size_t element, bool *agree) {
    struct run_options options = {.repeats = 1};
    struct model model;
    struct results results;
    struct timing_sample sample;
    struct json_object *comparisons = NULL, *comparison;
    results_begin(&results, MODEL_FILE, true, false);
    assert_true(model_load(&model, MODEL_FILE, NULL, NULL));
    struct executor *executor = reference_open(&model, &options);
    assert_non_null(executor);
    right = executor->operations;
    struct executor_operations operations = *right;
    operations.dispatch = dispatch_wrongly;
    executor->operations = &operations;
    prepare(executor, &model);

    wrong_element = element;
    *agree = true;
    struct reference_check *check = reference_check_open(executor);
    assert_non_null(check);
    results_command(&results, 0, &model.commands[0], false);
    assert_true(reference_check_before(check, &model.commands[0]));
    assert_true(operations.dispatch(executor, &model.commands[0], &sample));
    assert_true(reference_check_after(check, &model.commands[0], &results, agree));
    reference_check_close(check);

    assert_true(json_object_object_get_ex(results.command, "comparisons", &comparisons));
    assert_int_equal(json_object_array_length(comparisons), 1);
    comparison = json_object_get(json_object_array_get_idx(comparisons, 0));
    operations.release_dispatchable(executor, &model.dispatchables[0]);
    operations.close(executor);
    model_free(&model);
    assert_true(results_end(&results, *agree));
    return comparison;
}

static struct json_object *member(struct json_object *object, const char *name) {
    struct json_object *value = NULL;
    assert_true(json_object_object_get_ex(object, name, &value));
    return value;
}

static void results_that_agree_are_told(void **state) {
    bool agree;
    (void)state;
    struct json_object *comparison = compare(NONE, &agree);
    assert_true(agree);
    assert_string_equal(json_object_get_string(member(comparison, "tensor")), "OutputTensor");
    assert_string_equal(json_object_get_string(member(comparison, "tolerance")), "bit for bit");
    assert_int_equal(json_object_get_int(member(comparison, "different")), 0);
    json_object_put(comparison);
}

static void an_element_that_differs_is_told_by_its_coordinates(void **state) {
    bool agree;
    (void)state;
    struct json_object *comparison = compare(6, &agree); /* row 1, element 2 */
    assert_false(agree);
    assert_int_equal(json_object_get_int(member(comparison, "different")), 1);
    struct json_object *first = json_object_array_get_idx(member(comparison, "first"), 0);
    assert_string_equal(json_object_to_json_string_ext(member(first, "at"), JSON_C_TO_STRING_PLAIN), "[1,2]");
    assert_string_equal(json_object_get_string(member(first, "got")), "7.5");
    assert_string_equal(json_object_get_string(member(first, "expected")), "6");
    json_object_put(comparison);
}

static void what_is_written_between_elements_differs_too(void **state) {
    bool agree;
    (void)state;
    struct json_object *comparison = compare(3, &agree);
    assert_false(agree);
    struct json_object *first = json_object_array_get_idx(member(comparison, "first"), 0);
    assert_string_equal(json_object_get_string(member(first, "expected")), "9");
    json_object_put(comparison);
}

static int write_model(void **state) {
    (void)state;
    FILE *file = fopen(MODEL_FILE, "w");
    const bool written = file && fputs(model_text, file) >= 0;
    return file && fclose(file) == 0 && written ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_that_agree_are_told),
        cmocka_unit_test(an_element_that_differs_is_told_by_its_coordinates),
        cmocka_unit_test(what_is_written_between_elements_differs_too),
    };
    return cmocka_run_group_tests(tests, write_model, NULL);
}
