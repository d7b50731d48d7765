/* Tensors of ONNX files: each type in each form, and what is no tensor. */
#include "reading.h"

static void expect_tensor_refused(struct proto tensor, const char *reason) {
    struct proto graph = {NULL, 0};
    proto_message(&graph, 5, tensor);
    expect_refused(model_of(graph), reason);
}

static void expect_elements(struct proto bytes, size_t shift, const struct kind *kind, const unsigned char *elements) {
    struct onnx_arena arena = {0};
    struct onnx_data tensor;
    struct onnx_error error;
    const char *name;
    unsigned char *moved = malloc(bytes.length + shift);
    memcpy(moved + shift, bytes.bytes, bytes.length);
    if (!onnx_read_tensor(moved + shift, bytes.length, &arena, &tensor, &name, &error)) {
        fail_msg("%s: %s", onnx_type_name(kind->type), error.text);
    }
    assert_string_equal(name, "t");
    assert_int_equal(tensor.type, kind->type);
    assert_int_equal(tensor.rank, 1);
    assert_int_equal(tensor.sizes[0], 3);
    assert_int_equal(tensor.bytes, kind->element * kind->numbers);
    assert_int_equal(onnx_bytes_of(kind->type, 3), tensor.bytes);
    assert_memory_equal(tensor.data, elements, tensor.bytes);
    assert_int_equal((uintptr_t)tensor.data % kind->element, 0);
    onnx_arena_free(&arena);
    free(moved);
}

static void every_type_is_read_in_every_form_wherever_it_lies(void **state) {
    (void)state;
    for (size_t i = 0; i < ENTRIES(kinds); i++) {
        unsigned char elements[48];
        make_elements(&kinds[i], elements);
        for (int form = RAW; form < FORMS; form++) {
            struct proto tensor = make_tensor(&kinds[i], (enum form)form, elements);
            for (size_t shift = 0; shift < 8; shift++) {
                expect_elements(tensor, shift, &kinds[i], elements);
            }
            proto_free(&tensor);
        }
    }
}

static void bools_become_0_and_1(void **state) {
    const struct kind *kind = &kinds[7];
    (void)state;
    for (int form = RAW; form < FORMS; form++) {
        struct proto tensor = make_tensor(kind, (enum form)form, (const unsigned char[]){2, 0, 255});
        expect_elements(tensor, 0, kind, (const unsigned char[]){1, 0, 1});
        proto_free(&tensor);
    }
}

static struct proto sized(uint32_t rank, const int64_t *sizes, int64_t type, size_t raw) {
    static const unsigned char zeros[64] = {0};
    struct proto tensor = {NULL, 0};
    for (uint32_t i = 0; i < rank; i++) {
        proto_int(&tensor, 1, sizes[i]);
    }
    proto_int(&tensor, 2, type);
    proto_text(&tensor, 8, "w");
    proto_bytes(&tensor, 9, zeros, raw);
    return tensor;
}

#define SIZED(type, raw, ...)                                                                                          \
    sized(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__}, type, raw)

static void tensors_that_are_not_what_they_say_are_refused(void **state) {
    const int64_t half = INT64_C(1) << 31;
    (void)state;
    expect_tensor_refused(SIZED(1, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1), "tensor \"w\" has 9 dimensions");
    expect_tensor_refused(SIZED(1, 4, -1), "tensor \"w\": dimension 0 is -1");
    expect_tensor_refused(SIZED(1, 4, 1, 2 * half), "tensor \"w\": dimension 1 is 4294967296");
    expect_tensor_refused(SIZED(2, 0, half, half, 4), "tensor \"w\" has more than 2^64 - 1 elements");
    expect_tensor_refused(SIZED(1, 0, half, half, 2), "tensor \"w\" has more bytes than memory can have");
    expect_tensor_refused(SIZED(1, 11, 3), "tensor \"w\" has 11 bytes of data, its shape takes 12");
    expect_tensor_refused(SIZED(1, 13, 3), "tensor \"w\" has 13 bytes of data, its shape takes 12");
    expect_tensor_refused(SIZED(22, 3, 3), "tensor \"w\" has 3 bytes of data, its shape takes 2");
    expect_tensor_refused(SIZED(1, 4, 0), "tensor \"w\" has 4 bytes of data, its shape takes 0");
    expect_tensor_refused(SIZED(17, 3, 3), "tensor \"w\" is of FLOAT8E4M3FN, which is not supported");
    expect_tensor_refused(SIZED(99, 3, 3), "tensor \"w\" is of type 99, which is not supported");
    expect_tensor_refused(SIZED(-1, 3, 3), "tensor \"w\" is of UNDEFINED");
    expect_tensor_refused(SIZED(8, 3, 3), "tensor \"w\" has 0 texts, its shape takes 3");
    struct proto typed = {NULL, 0};
    proto_int(&typed, 1, 2);
    proto_int(&typed, 2, ONNX_INT32);
    proto_int(&typed, 5, 7);
    expect_tensor_refused(typed, "tensor \"\" has 1 numbers of data, its shape takes 2");
    struct proto wrong = {NULL, 0};
    proto_int(&wrong, 1, 1);
    proto_int(&wrong, 2, ONNX_INT32);
    proto_fixed32(&wrong, 5, "....");
    expect_tensor_refused(wrong, "kind that is not its number's");
    struct proto segment = SIZED(1, 4, 1);
    proto_text(&segment, 3, "");
    expect_tensor_refused(segment, "tensor \"w\" is one segment");
    expect_tensor_refused(model_tensor("", 0, NULL), "an initializer has no name");
}

static void names_of_types_are_onnx_s(void **state) {
    (void)state;
    assert_string_equal(onnx_type_name(ONNX_BFLOAT16), "BFLOAT16");
    assert_string_equal(onnx_type_name(ONNX_INT4), "INT4");
    assert_string_equal(onnx_type_name((enum onnx_type)99), "type 99");
    assert_int_equal(onnx_bytes_of(ONNX_STRING, 4), 0);
    assert_int_equal(onnx_bytes_of((enum onnx_type)99, 4), 0);
    assert_int_equal(onnx_bytes_of(ONNX_DOUBLE, UINT64_MAX / 2), SIZE_MAX);
    assert_int_equal(onnx_bytes_of(ONNX_UINT4, UINT64_MAX), UINT64_C(1) << 63);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_read_in_every_form_wherever_it_lies),
        cmocka_unit_test(bools_become_0_and_1),
        cmocka_unit_test(tensors_that_are_not_what_they_say_are_refused),
        cmocka_unit_test(names_of_types_are_onnx_s),
    };
    return cmocka_run_group_tests_name("onnx_tensors", tests, NULL, NULL);
}
