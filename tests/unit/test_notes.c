/* Notes that planners leave: kept where somebody asks, and nothing where nobody does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/notes.h"

static void without_notes_nothing_is_kept(void **state) {
    (void)state;
    struct vkdml_report report;
    vkdml_report_clear(&report);
    assert_null(report.notes);
    vkdml_note(&report, "tiles of %d", 64);
    vkdml_note_step(&report, "tiles of %d", 64);
    vkdml_note_dimensions(&report, "map", 0, 0, NULL, 0);
    assert_int_equal(vkdml_note_begin_step(&report), 0);
    assert_int_equal(report.count, 0);
    assert_string_equal(report.text, "");
}

static void begin(struct vkdml_report *report, struct vkdml_notes *notes) {
    vkdml_report_clear(report);
    vkdml_notes_begin(notes, NULL, report);
}

static void notes_stand_in_order_with_their_kinds(void **state) {
    (void)state;
    struct vkdml_report report;
    struct vkdml_notes notes;
    begin(&report, &notes);
    vkdml_note(&report, "two %s", "passes");
    const size_t first = vkdml_note_begin_step(&report);
    vkdml_note_step(&report, "tiles of %d", 64);
    const size_t second = vkdml_note_begin_step(&report);
    static const char wanted[] = "ptwo passes\0+\0stiles of 64\0+";
    assert_int_equal(notes.length, sizeof wanted);
    assert_memory_equal(notes.text, wanted, sizeof wanted);
    assert_string_equal(notes.text + first, "stiles of 64");
    assert_int_equal(second, notes.length);
    assert_false(notes.is_out_of_memory);
    vkdml_notes_end(&notes, &report);
    assert_null(report.notes);
    assert_null(notes.text);
}

static void what_is_said_of_a_plan_again_is_kept_once_and_of_steps_each_time(void **state) {
    (void)state;
    struct vkdml_report report;
    struct vkdml_notes notes;
    begin(&report, &notes);
    for (int i = 0; i < 3; i++) {
        vkdml_note(&report, "windows");
        vkdml_note_step(&report, "windows");
    }
    static const char wanted[] = "pwindows\0swindows\0swindows\0swindows";
    assert_int_equal(notes.length, sizeof wanted);
    assert_memory_equal(notes.text, wanted, sizeof wanted);
    vkdml_notes_end(&notes, &report);
}

static void dimensions_are_told_column_by_column(void **state) {
    (void)state;
    const struct { uint32_t size, output, input; } dimensions[] = {{3, 4, 1}, {4, 1, 3}};
    const struct vkdml_note_column columns[] = {
        {"sizes", &dimensions->size}, {"output strides", &dimensions->output}, {NULL, &dimensions->input}};
    struct vkdml_report report;
    struct vkdml_notes notes;
    begin(&report, &notes);
    vkdml_note_dimensions(&report, "gather", 2, sizeof *dimensions, columns, 3);
    assert_string_equal(notes.text, "pgather: sizes 3 4, output strides 4 1");
    vkdml_notes_end(&notes, &report);
}

static void long_notes_and_many_of_them_find_room(void **state) {
    (void)state;
    struct vkdml_report report;
    struct vkdml_notes notes;
    char text[5000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    begin(&report, &notes);
    for (int i = 0; i < 100; i++) {
        vkdml_note(&report, "%d %s", i, text);
    }
    const char *note = notes.text;
    for (int i = 0; i < 100; i++) {
        char wanted[sizeof text + 16];
        snprintf(wanted, sizeof wanted, "p%d %s", i, text);
        assert_string_equal(note, wanted);
        note += strlen(note) + 1;
    }
    assert_ptr_equal(note, notes.text + notes.length);
    vkdml_notes_end(&notes, &report);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_notes_nothing_is_kept),
        cmocka_unit_test(notes_stand_in_order_with_their_kinds),
        cmocka_unit_test(what_is_said_of_a_plan_again_is_kept_once_and_of_steps_each_time),
        cmocka_unit_test(dimensions_are_told_column_by_column),
        cmocka_unit_test(long_notes_and_many_of_them_find_room),
    };
    return cmocka_run_group_tests_name("notes", tests, NULL, NULL);
}
