/* Bytes that are no model, or one that is cut off or changed. */
#include "reading.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_are_no_message_are_refused),
        cmocka_unit_test(a_model_cut_off_anywhere_is_refused_or_whole),
        cmocka_unit_test(a_model_with_any_byte_changed_is_refused_or_another),
    };
    return cmocka_run_group_tests_name("onnx_bytes", tests, NULL, NULL);
}
