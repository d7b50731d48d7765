/* Bytes that are no model, or one that is cut off or changed; and how text of a model is printed. */
#include "reading.h"
#include "text/visible_text.h"

static void expect_wire_refused(const char *bytes, size_t length, const char *reason) {
    struct proto proto = {NULL, 0};
    proto_append(&proto, bytes, length);
    expect_refused(proto, reason);
}

static void bytes_that_are_no_message_are_refused(void **state) {
    char groups[66];
    (void)state;
    expect_wire_refused("\x08\x80", 2, "byte 1 of the file: a number ends beyond its message");
    expect_wire_refused("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12, "a number has more than 64 bits");
    expect_wire_refused("\x12\x02x", 3, "byte 0 of the file: a field ends beyond its message");
    expect_wire_refused("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, "a field ends beyond its message");
    expect_wire_refused("\x15...", 4, "a number ends beyond its message");
    expect_wire_refused("\x11.......", 8, "a number ends beyond its message");
    expect_wire_refused("\x02\x00", 2, "this is no field");
    expect_wire_refused("\x0e", 1, "a field has no kind that is known");
    expect_wire_refused("\x0c", 1, "a field has no kind that is known");
    expect_wire_refused("\x0b\x08\x01", 3, "a group does not end");
    expect_wire_refused("\x0b\x14", 2, "the end of another group");
    expect_wire_refused("\x0b\x13\x10\x01\x14\x0c", 6, "it has no graph");
    expect_wire_refused("\x0a\x00", 2, "kind that is not its number's");
    memset(groups, 0x0b, sizeof groups);
    expect_wire_refused(groups, sizeof groups, "more than 64 groups");
}

/* Everything that a model can have, for what follows. */
static struct proto make_all(void) {
    struct proto graph = make_graph(), f = function_of("f", "a", "p"), bytes;
    proto_message(&f, 7, with_reference(model_node("Elu", "a", "p"), "alpha", "alpha"));
    proto_message(&graph, 1, with_float(model_call("local", "f", "x", "called"), 5, "alpha", 4.0f));
    for (size_t i = 0; i < ENTRIES(kinds); i++) {
        unsigned char elements[48];
        struct proto constant = model_node("Constant", "", ""), attribute = attribute_of("value", 4);
        make_elements(&kinds[i], elements);
        proto_message(&attribute, 5, make_tensor(&kinds[i], (enum form)(i % FORMS), elements));
        proto_message(&constant, 5, attribute);
        proto_message(&graph, 1, constant);
    }
    bytes = model_of(graph);
    proto_message(&bytes, 25, f);
    return bytes;
}

/* In memory of its own, so that a sanitizer sees what is read beyond it. */
static bool read_exactly(const unsigned char *bytes, size_t length) {
    unsigned char *copy = malloc(length);
    struct onnx_model model;
    struct onnx_error error;
    memcpy(copy, bytes, length);
    const bool is_read = onnx_read_model(copy, length, NULL, &model, &error);
    if (is_read) {
        assert_int_equal(error.text[0], 0);
        onnx_arena_free(&model.arena);
    } else {
        assert_true(error.text[0] != 0);
    }
    free(copy);
    return is_read;
}

static void a_model_cut_off_anywhere_is_refused_or_whole(void **state) {
    struct proto bytes = make_all();
    size_t whole = 0;
    (void)state;
    assert_true(read_exactly(bytes.bytes, bytes.length));
    for (size_t length = 1; length < bytes.length; length++) {
        whole += read_exactly(bytes.bytes, length);
    }
    assert_int_equal(whole, 0);
    proto_free(&bytes);
}

static void a_model_with_any_byte_changed_is_refused_or_another(void **state) {
    static const unsigned char changes[] = {1, 128, 255};
    struct proto bytes = make_all();
    (void)state;
    for (size_t at = 0; at < bytes.length; at++) {
        for (size_t i = 0; i < sizeof changes; i++) {
            bytes.bytes[at] ^= changes[i];
            read_exactly(bytes.bytes, bytes.length);
            bytes.bytes[at] ^= changes[i];
        }
    }
    proto_free(&bytes);
}

/* ---- names as they are printed ---- */

static void what_is_printed_is_one_line_of_visible_text(void **state) {
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"", ""},
        {"conv1/weight:0", "conv1/weight:0"},
        {"\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"},
        {"a\nb\r\tc\x7f", "a\\nb\\r\\tc\\x7f"},
        {"gr\xc3\xb6\xc3\x9f" "e \xe5\xb1\xa4 \xf0\x9f\x98\x80", "gr\xc3\xb6\xc3\x9f" "e \xe5\xb1\xa4 \xf0\x9f\x98\x80"},
        {"\xc2\x9b" "1m", "\\xc2\\x9b1m"},                       /* CSI as a C1 control */
        {"\xe2\x80\xae" "abc", "\\xe2\\x80\\xaeabc"},            /* right-to-left override */
        {"\xe2\x81\xa6\xef\xbb\xbf", "\\xe2\\x81\\xa6\\xef\\xbb\\xbf"},
        {"\xc0\x9b\xff\xe2\x80", "\\xc0\\x9b\\xff\\xe2\\x80"}, /* no UTF-8 */
        {"\xed\xa0\x80\xf4\x90\x80\x80", "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80"},
    };
    (void)state;
    for (size_t i = 0; i < ENTRIES(cases); i++) {
        char message[256];
        assert_string_equal(visible_text(cases[i].text).text, cases[i].shown);
        assert_int_equal(visible_message(cases[i].text, message, sizeof message), strlen(cases[i].shown));
        assert_string_equal(message, cases[i].shown);
    }
    assert_string_equal(visible_bytes("abc\0d", 5).text, "abc\\x00d");
}

static void long_names_are_shortened(void **state) {
    static char name[5000001];
    (void)state;
    memset(name, 'n', sizeof name - 1);
    const struct visible_text shown = visible_text(name);
    assert_in_range(strlen(shown.text), 100, sizeof shown.text - 1);
    assert_non_null(strstr(shown.text, "nnn... (5000000 bytes)"));
    for (size_t length = 0; length < 200; length++) {
        const struct visible_text part = visible_bytes(name, length);
        assert_int_equal(strstr(part.text, "...") == NULL, length < sizeof part.text);
    }
    memset(name, 27, sizeof name - 1);
    const struct visible_text escaped = visible_text(name);
    assert_non_null(strstr(escaped.text, "\\x1b... (5000000 bytes)"));
    char small[8];
    assert_int_equal(visible_message(name, small, sizeof small), 4); /* no part of an escape */
    assert_string_equal(small, "\\x1b");
}

/* Whatever prints a reason: what comes of a model is visible in it, and the reason is all there. */
static void reasons_have_no_names_that_drive_a_terminal(void **state) {
    static char wild[100001];
    struct onnx_model model;
    struct onnx_error error;
    (void)state;
    memset(wild, 27, sizeof wild - 1);
    struct proto graph = {NULL, 0};
    proto_message(&graph, 1, model_node(wild, wild, wild));
    struct proto bytes = model_of(graph);
    assert_false(onnx_read_model(bytes.bytes, bytes.length, NULL, &model, &error));
    assert_null(strchr(error.text, 27));
    assert_non_null(strstr(error.text, "(100000 bytes)) depends on itself"));
    proto_free(&bytes);
    error = (struct onnx_error){{0}, VKDML_SUCCESS};
    onnx_fail(&error, "mode %s", "\x1b[2J\n");
    assert_string_equal(error.text, "mode \\x1b[2J\\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_are_no_message_are_refused),
        cmocka_unit_test(a_model_cut_off_anywhere_is_refused_or_whole),
        cmocka_unit_test(a_model_with_any_byte_changed_is_refused_or_another),
        cmocka_unit_test(what_is_printed_is_one_line_of_visible_text),
        cmocka_unit_test(long_names_are_shortened),
        cmocka_unit_test(reasons_have_no_names_that_drive_a_terminal),
    };
    return cmocka_run_group_tests_name("onnx_bytes", tests, NULL, NULL);
}
