/* Which name is taken to have been meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/suggest.h"

static const char *const names[] = {"FLOAT32",
                                    "FLOAT16",
                                    "UINT8",
                                    "INT8",
                                    "INT64",
                                    "CONSTANT",
                                    "ACTIVATION_LEAKY_RELU",
                                    "ACTIVATION_RELU",
                                    "ELEMENT_WISE_ADD",
                                    "ELEMENT_WISE_ADD1",
                                    "GEMM",
                                    "InputTensor",
                                    "OutputTensor",
                                    NULL};

static const char *nearest(const char *text) {
    struct suggest suggest = suggest_begin(text);
    suggest_consider_all(&suggest, names);
    return suggest.nearest ? suggest.nearest : "none";
}

static void slips_of_the_pen_are_mended(void **state) {
    (void)state;
    assert_string_equal(nearest("FLOAT"), "FLOAT32"); /* the first of two that are as near */
    assert_string_equal(nearest("float16"), "FLOAT16");
    assert_string_equal(nearest("INT46"), "INT64");
    assert_string_equal(nearest("GEM"), "GEMM");
    assert_string_equal(nearest("GMEM"), "GEMM");
    assert_string_equal(nearest("inputTensors"), "InputTensor");
    assert_string_equal(nearest("OuptutTensor"), "OutputTensor");
}

static void whole_words_lead_to_the_name_they_are_of(void **state) {
    (void)state;
    assert_string_equal(nearest("const"), "CONSTANT");
    assert_string_equal(nearest("element"), "ELEMENT_WISE_ADD"); /* the first that begins so */
    assert_string_equal(nearest("RELU"), "ACTIVATION_RELU");     /* not that of more words */
    assert_string_equal(nearest("Add"), "ELEMENT_WISE_ADD");
    assert_string_equal(nearest("ADD1"), "ELEMENT_WISE_ADD1");
}

static void what_is_far_from_all_is_not_guessed_at(void **state) {
    (void)state;
    assert_string_equal(nearest("STRING"), "none");
    assert_string_equal(nearest("W"), "none");
    assert_string_equal(nearest(""), "none");
    assert_string_equal(nearest("BatchNormalization"), "none");
}

static void names_of_any_length_may_be_considered(void **state) {
    char longest[300];
    (void)state;
    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = 0;
    struct suggest suggest = suggest_begin(longest);
    suggest_consider(&suggest, "a");
    suggest_consider(&suggest, longest);
    assert_null(suggest.nearest);
    suggest = suggest_begin(longest + sizeof(longest) - 1 - 64);
    suggest_consider(&suggest, longest);
    suggest_consider(&suggest, longest + sizeof(longest) - 1 - 63);
    assert_ptr_equal(suggest.nearest, longest + sizeof(longest) - 1 - 63);
}

static void a_hint_is_a_question_or_nothing(void **state) {
    char hint[SUGGEST_SIZE];
    (void)state;
    struct suggest suggest = suggest_begin("FLAOT32");
    assert_string_equal(suggest_hint(&suggest, hint), "");
    suggest_consider_all(&suggest, names);
    assert_string_equal(suggest_hint(&suggest, hint), "; did you mean FLOAT32?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips_of_the_pen_are_mended),
        cmocka_unit_test(whole_words_lead_to_the_name_they_are_of),
        cmocka_unit_test(what_is_far_from_all_is_not_guessed_at),
        cmocka_unit_test(names_of_any_length_may_be_considered),
        cmocka_unit_test(a_hint_is_a_question_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
