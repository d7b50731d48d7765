/* What the reference says of its caller's memory: too small, askew, or in one place with other memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "reference_fixture.h"
#include "vkdml/schema.h"

#define T(TYPE) DML_TENSOR_DATA_TYPE_##TYPE

static struct host_tensor input, output;

/* A call with two inputs and one output. */
static VkdmlReferenceInfo info_of_two(const DML_OPERATOR_DESC *op, const VkdmlHostBinding *inputs,
                                      const VkdmlHostBinding *outputs) {
    return (VkdmlReferenceInfo){.structSize = sizeof(VkdmlReferenceInfo),
                                .desc = op,
                                .inputCount = 2,
                                .inputs = inputs,
                                .outputCount = 1,
                                .outputs = outputs};
}

/* ---- counts, pointers and sizes ---- */

/* A good call of ELEMENT_WISE_IDENTITY over 3 UINT8 elements, to be broken in one place. */
struct call {
    DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC identity;
    DML_OPERATOR_DESC desc;
    VkdmlHostBinding in[2], out[2];
    VkdmlReferenceInfo info;
};

static void good_call(struct call *call) {
    host_tensor_init(&input, T(UINT8), LIST(3), NULL);
    host_tensor_init(&output, T(UINT8), LIST(3), NULL);
    memset(input.bytes, 1, 3);
    call->identity = (DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC){&input.desc, &output.desc, NULL};
    call->desc = (DML_OPERATOR_DESC){DML_OPERATOR_ELEMENT_WISE_IDENTITY, &call->identity};
    call->in[0] = call->in[1] = (VkdmlHostBinding){input.bytes, 4};
    call->out[0] = call->out[1] = (VkdmlHostBinding){output.bytes, 4};
    call->info = (VkdmlReferenceInfo){.structSize = sizeof(VkdmlReferenceInfo),
                                      .desc = &call->desc,
                                      .inputCount = 1,
                                      .inputs = call->in,
                                      .outputCount = 1,
                                      .outputs = call->out};
}

/* The call is refused with a line that begins with the operator and holds `word`, and nothing is written. */
static void expect_refused(const struct call *call, const char *word) {
    assert_int_equal(vkdmlReferenceExecute(&call->info), VKDML_ERROR_INVALID_ARGUMENT);
    const char *message = vkdmlGetErrorMessage();
    if (strncmp(message, "DML_OPERATOR_", strlen("DML_OPERATOR_")) != 0 || strstr(message, word) == NULL) {
        fail_msg("\"%s\" does not tell of \"%s\"", message, word);
    }
    expect_poison(&output, 0);
}

static void memory_as_large_as_its_tensor_is_enough(void **state) {
    (void)state;
    struct call call;
    good_call(&call);
    expect_success(vkdmlReferenceExecute(&call.info));
    assert_memory_equal(output.bytes, "\1\1\1", 3);
    expect_poison(&output, 3);
    call.in[0].size = SIZE_MAX;
    expect_success(vkdmlReferenceExecute(&call.info));
}

static void wrong_memory_is_refused_with_the_reason(void **state) {
    (void)state;
    struct call call;
    good_call(&call);
    call.info.inputCount = 0;
    expect_refused(&call, "inputCount is 0, must be 1");
    good_call(&call);
    call.info.inputCount = 2;
    expect_refused(&call, "inputCount is 2, must be 1");
    good_call(&call);
    call.info.outputCount = UINT32_MAX;
    expect_refused(&call, "outputCount is 4294967295, must be 1");
    good_call(&call);
    call.info.inputs = NULL;
    expect_refused(&call, "inputs is NULL");
    good_call(&call);
    call.info.outputs = NULL;
    expect_refused(&call, "outputs is NULL");
    good_call(&call);
    call.in[0].data = NULL;
    expect_refused(&call, "InputTensor");
    good_call(&call);
    call.out[0].data = NULL;
    expect_refused(&call, "OutputTensor");
    good_call(&call);
    call.in[0].size = 3;
    expect_refused(&call, "InputTensor: size is 3, must be at least 4");
    good_call(&call);
    call.out[0].size = 0;
    expect_refused(&call, "OutputTensor: size is 0, must be at least 4");
    good_call(&call);
    call.info.flags = 2;
    expect_refused(&call, "flags is 0x2");
}

static void tensors_that_are_absent_have_no_memory(void **state) {
    (void)state;
    struct call call;
    good_call(&call);
    host_tensor_init(&input, T(FLOAT32), LIST(1, 1, 1, 1), NULL);
    host_tensor_init(&output, T(FLOAT32), LIST(1, 1, 1, 1), NULL);
    host_tensor_set_floats(&input, 1, (const float[]){3});
    const DML_GEMM_OPERATOR_DESC gemm = {
        .ATensor = &input.desc, .BTensor = &input.desc, .OutputTensor = &output.desc, .Alpha = 1};
    const VkdmlHostBinding one = {input.bytes, 4}, absent = {NULL, 0};
    VkdmlHostBinding in[] = {one, one, one};
    call.desc = (DML_OPERATOR_DESC){DML_OPERATOR_GEMM, &gemm};
    call.info.inputCount = 3;
    call.info.inputs = in;
    expect_refused(&call, "CTensor: data must be NULL, the descriptor has no such tensor");
    in[2] = absent;
    expect_success(vkdmlReferenceExecute(&call.info));
    assert_int_equal(host_tensor_get(&output, 0), 0x41100000); /* 9 */
}

static void all_that_is_wrong_is_told_at_once(void **state) {
    (void)state;
    struct call call;
    good_call(&call);
    call.in[0].data = NULL;
    call.out[0].size = 1;
    call.info.flags = 4;
    expect_refused(&call, "InputTensor");
    expect_refused(&call, "OutputTensor");
    expect_refused(&call, "flags");
}

static void wrong_descriptors_are_refused_as_by_the_validator(void **state) {
    (void)state;
    struct call call;
    good_call(&call);
    output.sizes[0] = 2;
    expect_refused(&call, "OutputTensor.Sizes[0] is 2");
    good_call(&call);
    call.info.featureLevel = DML_FEATURE_LEVEL_1_0; /* 4 or 5 dimensions */
    expect_refused(&call, "InputTensor.DimensionCount is 1");
    good_call(&call);
    call.info.desc = NULL;
    assert_int_equal(vkdmlReferenceExecute(&call.info), VKDML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(vkdmlReferenceExecute(NULL), VKDML_ERROR_INVALID_ARGUMENT);
    assert_string_equal(vkdmlGetErrorMessage(), "info is NULL, must be given");
    expect_poison(&output, 0);
}

/* ---- alignment ---- */

/* Runs ELEMENT_WISE_IDENTITY of one element of a type, with input and output so many bytes off a multiple of 8. */
static VkdmlResult copy_one(DML_TENSOR_DATA_TYPE type, size_t input_offset, size_t output_offset) {
    struct call call;
    good_call(&call);
    host_tensor_init(&input, type, LIST(1), NULL);
    host_tensor_init(&output, type, LIST(1), NULL);
    call.in[0] = (VkdmlHostBinding){(unsigned char *)input.bytes + input_offset, 8};
    call.out[0] = (VkdmlHostBinding){(unsigned char *)output.bytes + output_offset, 8};
    return vkdmlReferenceExecute(&call.info);
}

static void data_lies_at_multiples_of_its_element_size(void **state) {
    (void)state;
    static const struct {
        DML_TENSOR_DATA_TYPE type;
        size_t size;
    } types[] = {{T(UINT8), 1},  {T(FLOAT16), 2}, {T(INT16), 2},  {T(FLOAT32), 4},
                 {T(UINT32), 4}, {T(FLOAT64), 8}, {T(UINT64), 8}, {T(INT64), 8}};
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        for (size_t offset = 0; offset < 8; offset++) {
            const VkdmlResult expected = offset % types[t].size == 0 ? VKDML_SUCCESS : VKDML_ERROR_INVALID_ARGUMENT;
            assert_int_equal(copy_one(types[t].type, offset, 0), expected);
            assert_int_equal(copy_one(types[t].type, 0, offset), expected);
            if (expected != VKDML_SUCCESS) {
                expect_poison(&output, 0);
            }
        }
    }
    char reason[160];
    assert_int_equal(copy_one(T(FLOAT32), 2, 0), VKDML_ERROR_INVALID_ARGUMENT);
    snprintf(reason, sizeof reason,
             "DML_OPERATOR_ELEMENT_WISE_IDENTITY: InputTensor: data is 0x%jx, must be a multiple of 4 (its element "
             "size)",
             (uintmax_t)((uintptr_t)input.bytes + 2));
    assert_string_equal(vkdmlGetErrorMessage(), reason);
}

static void elements_of_4_bits_lie_at_any_byte(void **state) {
    (void)state;
    host_tensor_init(&input, T(UINT8), LIST(16), NULL);
    host_tensor_init(&output, T(UINT8), LIST(16), NULL);
    uint32_t sizes[] = {2};
    DML_BUFFER_TENSOR_DESC nibbles = {T(UINT4), DML_TENSOR_FLAG_NONE, 1, sizes, NULL, 4, 0};
    DML_BUFFER_TENSOR_DESC halves = {T(FLOAT32), DML_TENSOR_FLAG_NONE, 1, sizes, NULL, 8, 0};
    const DML_TENSOR_DESC in = {DML_TENSOR_TYPE_BUFFER, &nibbles}, out = {DML_TENSOR_TYPE_BUFFER, &halves};
    uint32_t one[] = {1};
    static const float two = 2;
    DML_BUFFER_TENSOR_DESC single = {T(FLOAT32), DML_TENSOR_FLAG_NONE, 1, one, NULL, 4, 0};
    const DML_TENSOR_DESC scale = {DML_TENSOR_TYPE_BUFFER, &single};
    const DML_DEQUANTIZE_OPERATOR_DESC desc = {&in, DML_QUANTIZATION_TYPE_SCALE, 1, &scale, &out};
    const DML_OPERATOR_DESC op = {DML_OPERATOR_DEQUANTIZE, &desc};
    unsigned char *odd = (unsigned char *)input.bytes + 3;
    odd[0] = 0x75; /* 5, then 7 */
    const VkdmlHostBinding inputs[] = {{odd, 4}, {(void *)&two, 4}}, outputs[] = {{output.bytes, 8}};
    const VkdmlReferenceInfo info = info_of_two(&op, inputs, outputs);
    expect_success(vkdmlReferenceExecute(&info));
    assert_memory_equal(output.bytes, ((const float[]){10, 14}), 8);
}

/* ---- what lies in one place ---- */

#define ELEMENTS 8
#define BYTES    (ELEMENTS * sizeof(float))

/* Memory of a call, in floats. */
static float memory[64];

/* ELEMENT_WISE_ADD of 8 FLOAT32, A with a stride, at three places in `memory`, counted in floats. */
static VkdmlResult add(uint32_t a_stride, size_t a, size_t b, size_t sum) {
    uint32_t sizes[] = {ELEMENTS}, strides[] = {a_stride};
    DML_BUFFER_TENSOR_DESC packed = {T(FLOAT32), DML_TENSOR_FLAG_NONE, 1, sizes, NULL, BYTES, 0};
    DML_BUFFER_TENSOR_DESC strided = packed;
    strided.Strides = strides;
    strided.TotalTensorSizeInBytes = vkdmlCalcBufferTensorSize(T(FLOAT32), 1, sizes, strides);
    const DML_TENSOR_DESC left = {DML_TENSOR_TYPE_BUFFER, &strided}, other = {DML_TENSOR_TYPE_BUFFER, &packed};
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC desc = {&left, &other, &other};
    const DML_OPERATOR_DESC op = {DML_OPERATOR_ELEMENT_WISE_ADD, &desc};
    const VkdmlHostBinding inputs[] = {{memory + a, (size_t)strided.TotalTensorSizeInBytes}, {memory + b, BYTES}};
    const VkdmlHostBinding outputs[] = {{memory + sum, BYTES}};
    const VkdmlReferenceInfo info = info_of_two(&op, inputs, outputs);
    for (size_t i = 0; i < COUNT_OF(memory); i++) {
        memory[i] = (float)i;
    }
    return vkdmlReferenceExecute(&info);
}

static void expect_sums(size_t a, size_t b, size_t sum) {
    for (size_t i = 0; i < ELEMENTS; i++) {
        assert_true(memory[sum + i] == (float)(a + i) + (float)(b + i));
    }
}

/* The call is refused with a reason of this form, and nothing is written. */
static void expect_overlap(VkdmlResult result, const char *input_name, size_t input_bytes, size_t input_at, size_t sum,
                           const char *rule) {
    char reason[256];
    snprintf(reason, sizeof reason,
             "DML_OPERATOR_ELEMENT_WISE_ADD: OutputTensor: its %zu bytes at 0x%jx overlap %s, %zu at 0x%jx, must be "
             "disjoint%s",
             BYTES, (uintmax_t)(uintptr_t)(memory + sum), input_name, input_bytes,
             (uintmax_t)(uintptr_t)(memory + input_at), rule);
    assert_string_equal(vkdmlGetErrorMessage(), reason);
    assert_int_equal(result, VKDML_ERROR_INVALID_ARGUMENT);
    for (size_t i = 0; i < COUNT_OF(memory); i++) {
        assert_true(memory[i] == (float)i);
    }
}

static void inputs_may_lie_in_one_place(void **state) {
    (void)state;
    expect_success(add(1, 0, 0, 8));
    expect_sums(0, 0, 8);
    expect_success(add(1, 0, 3, 16));
    expect_sums(0, 3, 16);
}

static void memory_may_touch(void **state) {
    (void)state;
    expect_success(add(1, 0, 16, 8));
    expect_sums(0, 16, 8);
}

static void an_output_may_lie_where_an_input_is_that_lies_as_it_does(void **state) {
    (void)state;
    expect_success(add(1, 0, 8, 0));
    expect_sums(0, 8, 0);
    expect_success(add(1, 0, 8, 8));
    expect_sums(0, 8, 8);
    expect_success(add(1, 4, 4, 4));
    expect_sums(4, 4, 4);
    expect_success(add(2, 0, 16, 16)); /* A is another */
}

static void an_output_may_not_lie_elsewhere_in_an_input(void **state) {
    (void)state;
    expect_overlap(add(1, 0, 16, 1), "ATensor", BYTES, 0, 1, " (in place needs the same first byte)");
    expect_overlap(add(1, 16, 0, 7), "BTensor", BYTES, 0, 7, " (in place needs the same first byte)");
    expect_overlap(add(1, 7, 16, 0), "ATensor", BYTES, 7, 0, " (in place needs the same first byte)");
    expect_overlap(add(1, 0, 7, 0), "BTensor", BYTES, 7, 0, " (in place needs the same first byte)");
}

static void an_output_may_not_lie_where_an_input_of_another_layout_is(void **state) {
    (void)state;
    expect_overlap(add(2, 0, 32, 0), "ATensor", 60, 0, 0, " (in place needs the same sizes, strides and type)");
    expect_overlap(add(0, 9, 32, 4), "ATensor", 4, 9, 4, " (in place needs the same sizes, strides and type)");
}

/* SPLIT of 4 FLOAT32 into 4, at five places in `memory`. */
static VkdmlResult split(size_t from, const size_t *to) {
    uint32_t whole_sizes[] = {4}, part_sizes[] = {1};
    DML_BUFFER_TENSOR_DESC whole = {T(FLOAT32), DML_TENSOR_FLAG_NONE, 1, whole_sizes, NULL, 16, 0};
    DML_BUFFER_TENSOR_DESC part = {T(FLOAT32), DML_TENSOR_FLAG_NONE, 1, part_sizes, NULL, 4, 0};
    const DML_TENSOR_DESC in = {DML_TENSOR_TYPE_BUFFER, &whole}, out = {DML_TENSOR_TYPE_BUFFER, &part};
    const DML_TENSOR_DESC parts[] = {out, out, out, out};
    const DML_SPLIT_OPERATOR_DESC desc = {&in, 4, parts, 0};
    const DML_OPERATOR_DESC op = {DML_OPERATOR_SPLIT, &desc};
    const VkdmlHostBinding input_binding = {memory + from, 16};
    VkdmlHostBinding outputs[4];
    for (size_t i = 0; i < 4; i++) {
        outputs[i] = (VkdmlHostBinding){memory + to[i], 4};
    }
    const VkdmlReferenceInfo info = {.structSize = sizeof info,
                                     .desc = &op,
                                     .inputCount = 1,
                                     .inputs = &input_binding,
                                     .outputCount = 4,
                                     .outputs = outputs};
    for (size_t i = 0; i < COUNT_OF(memory); i++) {
        memory[i] = (float)i;
    }
    return vkdmlReferenceExecute(&info);
}

static void outputs_lie_apart_in_any_order(void **state) {
    (void)state;
    expect_success(split(20, (const size_t[]){3, 2, 19, 24}));
    assert_true(memory[3] == 20 && memory[2] == 21 && memory[19] == 22 && memory[24] == 23);
    assert_int_equal(split(20, (const size_t[]){9, 5, 7, 5}), VKDML_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(vkdmlGetErrorMessage(), " overlap OutputTensors["));
    assert_non_null(strstr(vkdmlGetErrorMessage(), "OutputTensors[1]"));
    assert_non_null(strstr(vkdmlGetErrorMessage(), "OutputTensors[3]"));
}

static void no_output_of_several_may_lie_in_an_input(void **state) {
    (void)state;
    for (size_t inside = 20; inside < 24; inside++) {
        for (size_t i = 0; i < 4; i++) {
            size_t to[] = {1, 19, 24, 40}; /* round it, on both sides */
            to[i] = inside;
            char name[32];
            snprintf(name, sizeof name, "OutputTensors[%zu]: ", i);
            assert_int_equal(split(20, to), VKDML_ERROR_INVALID_ARGUMENT);
            assert_non_null(strstr(vkdmlGetErrorMessage(), name));
            assert_non_null(strstr(vkdmlGetErrorMessage(), "overlap InputTensor, 16 at"));
        }
    }
    assert_int_equal(split(20, (const size_t[]){20, 21, 22, 23}), VKDML_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(vkdmlGetErrorMessage(), "OutputTensors[0]"));
    assert_non_null(strstr(vkdmlGetErrorMessage(), "OutputTensors[3]"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_as_large_as_its_tensor_is_enough),
        cmocka_unit_test(wrong_memory_is_refused_with_the_reason),
        cmocka_unit_test(tensors_that_are_absent_have_no_memory),
        cmocka_unit_test(all_that_is_wrong_is_told_at_once),
        cmocka_unit_test(wrong_descriptors_are_refused_as_by_the_validator),
        cmocka_unit_test(data_lies_at_multiples_of_its_element_size),
        cmocka_unit_test(elements_of_4_bits_lie_at_any_byte),
        cmocka_unit_test(inputs_may_lie_in_one_place),
        cmocka_unit_test(memory_may_touch),
        cmocka_unit_test(an_output_may_lie_where_an_input_is_that_lies_as_it_does),
        cmocka_unit_test(an_output_may_not_lie_elsewhere_in_an_input),
        cmocka_unit_test(an_output_may_not_lie_where_an_input_of_another_layout_is),
        cmocka_unit_test(outputs_lie_apart_in_any_order),
        cmocka_unit_test(no_output_of_several_may_lie_in_an_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
