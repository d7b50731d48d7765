/* Descriptors are copied whole, and refused with every reason that can be told at once. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "schema/schema.h"

/* ---- copies ---- */

/* A valid padding descriptor in memory of its own, which tests break. */
struct padding {
    uint32_t input_sizes[4], output_sizes[4], strides[4], start[4], end[4];
    DML_BUFFER_TENSOR_DESC input, output;
    DML_TENSOR_DESC input_desc, output_desc;
    DML_PADDING_OPERATOR_DESC desc;
    DML_OPERATOR_DESC op;
};

static void make_padding(struct padding *padding) {
    memset(padding, 0, sizeof *padding);
    for (uint32_t i = 0; i < 4; i++) {
        padding->input_sizes[i] = 2 + i;
        padding->start[i] = 10 + i;
        padding->end[i] = 20 + i;
        padding->output_sizes[i] = padding->input_sizes[i] + padding->start[i] + padding->end[i];
    }
    padding->input = (DML_BUFFER_TENSOR_DESC){.DataType = DML_TENSOR_DATA_TYPE_FLOAT32,
                                              .DimensionCount = 4,
                                              .Sizes = padding->input_sizes,
                                              .TotalTensorSizeInBytes = 2 * 3 * 4 * 5 * 4};
    padding->output = padding->input;
    padding->output.Sizes = padding->output_sizes;
    padding->output.TotalTensorSizeInBytes =
        vkdmlCalcBufferTensorSize(padding->output.DataType, 4, padding->output_sizes, NULL);
    padding->input_desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &padding->input};
    padding->output_desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &padding->output};
    padding->desc = (DML_PADDING_OPERATOR_DESC){.InputTensor = &padding->input_desc,
                                                .OutputTensor = &padding->output_desc,
                                                .PaddingMode = DML_PADDING_MODE_EDGE,
                                                .PaddingValue = 1.5f,
                                                .DimensionCount = 4,
                                                .StartPadding = padding->start,
                                                .EndPadding = padding->end};
    padding->op = (DML_OPERATOR_DESC){DML_OPERATOR_PADDING, &padding->desc};
}

/* An identity of the same tensors. */
static DML_OPERATOR_DESC make_identity(struct padding *padding, DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC *desc) {
    make_padding(padding);
    *desc = (DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC){&padding->input_desc, &padding->output_desc, NULL};
    memcpy(padding->output_sizes, padding->input_sizes, sizeof padding->output_sizes);
    return (DML_OPERATOR_DESC){DML_OPERATOR_ELEMENT_WISE_IDENTITY, desc};
}

static void an_instance_outlives_the_memory_it_was_copied_from(void **state) {
    (void)state;
    struct padding *padding = malloc(sizeof *padding);
    assert_non_null(padding);
    make_padding(padding);
    struct vkdml_report report;
    vkdml_report_clear(&report);
    struct vkdml_instance *instance;
    assert_int_equal(vkdml_instance_create(&padding->op, (DML_FEATURE_LEVEL)0, NULL, &report, &instance),
                     VKDML_SUCCESS);
    memset(padding, 0xFF, sizeof *padding);
    free(padding);

    assert_int_equal(instance->schema->type, DML_OPERATOR_PADDING);
    assert_int_equal(instance->level, DML_FEATURE_LEVEL_6_4);
    const DML_PADDING_OPERATOR_DESC *desc = instance->desc;
    assert_null(desc->InputTensor);
    assert_null(desc->OutputTensor);
    assert_int_equal(desc->PaddingMode, DML_PADDING_MODE_EDGE);
    assert_true(desc->PaddingValue == 1.5f);
    assert_int_equal(desc->DimensionCount, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(desc->StartPadding[i], 10 + i);
        assert_int_equal(desc->EndPadding[i], 20 + i);
        assert_int_equal(instance->inputs[0].sizes[i], 2 + i);
    }
    const uint32_t packed[] = {60, 20, 5, 1};
    assert_memory_equal(instance->inputs[0].strides, packed, sizeof packed);
    assert_false(instance->inputs[0].has_strides);
    assert_int_equal(instance->inputs[0].element_size, 4);
    assert_int_equal(instance->inputs[0].total_bytes, 480);
    assert_string_equal(vkdml_input_name(instance, 0), "InputTensor");
    assert_string_equal(vkdml_output_name(instance, 0), "OutputTensor");
    assert_null(vkdml_input_name(instance, 1));

    vkdml_schema_check(instance, &report);
    assert_string_equal(report.text, "");
    vkdml_instance_destroy(instance, NULL);
}

static void scale_bias_is_copied_where_there_is_one(void **state) {
    (void)state;
    struct padding tensors;
    make_padding(&tensors);
    DML_SCALE_BIAS scale_bias = {2.0f, 3.0f};
    DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {&tensors.input_desc, &tensors.input_desc, &scale_bias};
    const DML_OPERATOR_DESC op = {DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc};
    struct vkdml_report report;
    vkdml_report_clear(&report);
    struct vkdml_instance *instance;
    assert_int_equal(vkdml_instance_create(&op, (DML_FEATURE_LEVEL)0, NULL, &report, &instance), VKDML_SUCCESS);
    scale_bias = (DML_SCALE_BIAS){0};
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC *copy = instance->desc;
    assert_ptr_not_equal(copy->ScaleBias, &scale_bias);
    assert_true(copy->ScaleBias->Scale == 2.0f && copy->ScaleBias->Bias == 3.0f);
    vkdml_instance_destroy(instance, NULL);

    desc.ScaleBias = NULL;
    assert_int_equal(vkdml_instance_create(&op, (DML_FEATURE_LEVEL)0, NULL, &report, &instance), VKDML_SUCCESS);
    copy = instance->desc;
    assert_null(copy->ScaleBias);
    vkdml_instance_destroy(instance, NULL);
}

/* Callbacks that count, and fail when told. */
struct counting_memory {
    uint32_t allocations, frees;
    bool fails;
};

static void *VKAPI_PTR count_allocation(void *user, size_t size, size_t alignment, VkSystemAllocationScope scope) {
    struct counting_memory *memory = user;
    (void)alignment;
    (void)scope;
    if (memory->fails) {
        return NULL;
    }
    memory->allocations++;
    void *allocated = malloc(size);
    if (allocated != NULL) {
        memset(allocated, 0xAB, size); /* the library must not rely on zeroed memory */
    }
    return allocated;
}

static void VKAPI_PTR count_free(void *user, void *allocated) {
    struct counting_memory *memory = user;
    memory->frees += allocated != NULL;
    free(allocated);
}

static void an_instance_is_one_allocation_of_the_callers(void **state) {
    (void)state;
    struct counting_memory memory = {0};
    const VkAllocationCallbacks callbacks = {
        .pUserData = &memory, .pfnAllocation = count_allocation, .pfnFree = count_free};
    struct padding padding;
    make_padding(&padding);
    struct vkdml_report report;
    vkdml_report_clear(&report);
    struct vkdml_instance *instance;
    assert_int_equal(vkdml_instance_create(&padding.op, (DML_FEATURE_LEVEL)0, &callbacks, &report, &instance),
                     VKDML_SUCCESS);
    vkdml_schema_check(instance, &report);
    assert_string_equal(report.text, "");
    assert_int_equal(memory.allocations, 1);
    assert_int_equal(memory.frees, 0);
    vkdml_instance_destroy(instance, &callbacks);
    assert_int_equal(memory.frees, 1);

    padding.desc.InputTensor = NULL;
    assert_int_equal(vkdml_instance_create(&padding.op, (DML_FEATURE_LEVEL)0, &callbacks, &report, &instance),
                     VKDML_ERROR_INVALID_ARGUMENT);
    assert_null(instance);
    assert_int_equal(memory.allocations, memory.frees);

    memory.fails = true;
    vkdml_report_clear(&report);
    assert_int_equal(vkdml_instance_create(&padding.op, (DML_FEATURE_LEVEL)0, &callbacks, &report, &instance),
                     VKDML_ERROR_OUT_OF_HOST_MEMORY);
    assert_null(instance);
    assert_int_equal(report.result, VKDML_ERROR_OUT_OF_HOST_MEMORY);
    vkdml_instance_destroy(NULL, &callbacks);
    assert_int_equal(memory.allocations, memory.frees);
}

/* ---- refusals ---- */

/* Creates and checks; the report must hold exactly these lines. */
static void expect_lines(const DML_OPERATOR_DESC *op, int level, VkdmlResult result, const char *lines) {
    struct vkdml_report report;
    vkdml_report_clear(&report);
    struct vkdml_instance *instance;
    const VkdmlResult created = vkdml_instance_create(op, (DML_FEATURE_LEVEL)level, NULL, &report, &instance);
    if (created == VKDML_SUCCESS) {
        vkdml_schema_check(instance, &report);
        vkdml_instance_destroy(instance, NULL);
    } else {
        assert_null(instance);
        assert_int_equal(created, result);
    }
    assert_string_equal(report.text, lines);
    assert_int_equal(report.result, result);
    assert_null(report.context);
}

static void what_is_not_an_operator_of_the_level_is_refused(void **state) {
    (void)state;
    struct padding padding;
    make_padding(&padding);
    expect_lines(NULL, 7, VKDML_ERROR_INVALID_ARGUMENT,
                 "the feature level is 0x7, must be 0 or one of DML_FEATURE_LEVEL_1_0 to 6_4\n"
                 "DML_OPERATOR_DESC is NULL, must point to a descriptor");
    padding.op.Type = (DML_OPERATOR_TYPE)178;
    expect_lines(&padding.op, 0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_DESC.Type is 178, must be one of DirectML's operators (1 to 177)");
    padding.op.Type = DML_OPERATOR_NONZERO_COORDINATES;
    expect_lines(&padding.op, DML_FEATURE_LEVEL_2_1, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_NONZERO_COORDINATES: needs DML_FEATURE_LEVEL_3_0, the feature level is 2_1");
    padding.op = (DML_OPERATOR_DESC){DML_OPERATOR_PADDING, NULL};
    expect_lines(&padding.op, 0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_PADDING: DML_OPERATOR_DESC.Desc is NULL, must point to a descriptor of that operator");
}

static void everything_unreadable_is_told_at_once(void **state) {
    (void)state;
    struct padding padding;
    make_padding(&padding);
    padding.input.DataType = DML_TENSOR_DATA_TYPE_UNKNOWN;
    padding.input.DimensionCount = 9;
    padding.input.Sizes = NULL;
    padding.input.Flags = (DML_TENSOR_FLAGS)6;
    padding.output_desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_INVALID, NULL};
    padding.desc.DimensionCount = 9;
    padding.desc.EndPadding = NULL;
    expect_lines(&padding.op, 0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_PADDING: InputTensor.DataType is 0, must be a DML_TENSOR_DATA_TYPE other than UNKNOWN\n"
                 "DML_OPERATOR_PADDING: InputTensor.Flags is 0x6, must be DML_TENSOR_FLAG_NONE (0) or "
                 "DML_TENSOR_FLAG_OWNED_BY_DML (1)\n"
                 "DML_OPERATOR_PADDING: InputTensor.DimensionCount is 9, must be 1 to 8\n"
                 "DML_OPERATOR_PADDING: InputTensor.Sizes is NULL, must point to DimensionCount sizes\n"
                 "DML_OPERATOR_PADDING: OutputTensor.Type is 0, must be DML_TENSOR_TYPE_BUFFER (1)\n"
                 "DML_OPERATOR_PADDING: OutputTensor.Desc is NULL, must point to a DML_BUFFER_TENSOR_DESC\n"
                 "DML_OPERATOR_PADDING: DimensionCount is 9, must be at most 8\n"
                 "DML_OPERATOR_PADDING: EndPadding is NULL, must point to DimensionCount (9) values");
}

/* A type that is not known does not say how large the struct is: none of it may be read. */
static void structs_of_unknown_types_are_not_read(void **state) {
    void *unreadable = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct padding padding;
    (void)state;
    assert_true(unreadable != MAP_FAILED);
    make_padding(&padding);
    padding.op = (DML_OPERATOR_DESC){(DML_OPERATOR_TYPE)178, unreadable};
    expect_lines(&padding.op, 0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_DESC.Type is 178, must be one of DirectML's operators (1 to 177)");
    make_padding(&padding);
    padding.output_desc = (DML_TENSOR_DESC){(DML_TENSOR_TYPE)2, unreadable};
    expect_lines(&padding.op, 0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_PADDING: OutputTensor.Type is 2, must be DML_TENSOR_TYPE_BUFFER (1)");
    make_padding(&padding);
    DML_OPERATOR_DESC fused = {(DML_OPERATOR_TYPE)178, unreadable};
    const DML_ELEMENT_WISE_ADD1_OPERATOR_DESC add = {&padding.input_desc, &padding.input_desc, &padding.input_desc,
                                                     &fused};
    const DML_OPERATOR_DESC op = {DML_OPERATOR_ELEMENT_WISE_ADD1, &add};
    expect_lines(&op, 0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_ELEMENT_WISE_ADD1: FusedActivation: DML_OPERATOR_DESC.Type is 178, must be one of "
                 "DirectML's operators (1 to 177)");
    fused.Type = DML_OPERATOR_PADDING;
    expect_lines(&op, 0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_ELEMENT_WISE_ADD1: FusedActivation: DML_OPERATOR_PADDING cannot be fused, must be an "
                 "activation that can");
    assert_int_equal(munmap(unreadable, 4096), 0);
}

static void null_arrays_of_no_length_are_readable(void **state) {
    (void)state;
    struct padding padding;
    make_padding(&padding);
    padding.desc.DimensionCount = 0;
    padding.desc.StartPadding = NULL;
    padding.desc.EndPadding = NULL;
    expect_lines(&padding.op, 0, VKDML_SUCCESS, "");
}

static void types_dimension_counts_and_modes_are_held_to_the_level(void **state) {
    (void)state;
    struct padding padding;
    make_padding(&padding);
    padding.input.DataType = padding.output.DataType = DML_TENSOR_DATA_TYPE_INT32;
    padding.input.DimensionCount = padding.output.DimensionCount = 3;
    padding.desc.PaddingMode = DML_PADDING_MODE_SYMMETRIC;
    expect_lines(&padding.op, DML_FEATURE_LEVEL_2_0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_PADDING: InputTensor.DataType is DML_TENSOR_DATA_TYPE_INT32, must be one of FLOAT32, "
                 "FLOAT16 at feature level 2_0\n"
                 "DML_OPERATOR_PADDING: InputTensor.DimensionCount is 3, must be 4 to 5 at feature level 2_0\n"
                 "DML_OPERATOR_PADDING: OutputTensor.DataType is DML_TENSOR_DATA_TYPE_INT32, must be one of FLOAT32, "
                 "FLOAT16 at feature level 2_0\n"
                 "DML_OPERATOR_PADDING: OutputTensor.DimensionCount is 3, must be 4 to 5 at feature level 2_0\n"
                 "DML_OPERATOR_PADDING: PaddingMode is DML_PADDING_MODE_SYMMETRIC, which needs "
                 "DML_FEATURE_LEVEL_3_0; the feature level is 2_0");
    expect_lines(&padding.op, DML_FEATURE_LEVEL_3_1, VKDML_SUCCESS, "");
    padding.desc.PaddingMode = DML_PADDING_MODE_WRAP;
    expect_lines(&padding.op, DML_FEATURE_LEVEL_6_3, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_PADDING: PaddingMode is DML_PADDING_MODE_WRAP, which needs DML_FEATURE_LEVEL_6_4; the "
                 "feature level is 6_3");
    expect_lines(&padding.op, DML_FEATURE_LEVEL_6_4, VKDML_SUCCESS, "");
    padding.desc.PaddingMode = (DML_PADDING_MODE)5;
    expect_lines(&padding.op, DML_FEATURE_LEVEL_3_1, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_PADDING: PaddingMode is 5, must be a supported DML_PADDING_MODE");
}

static void sizes_of_0_are_told_without_what_follows_from_them(void **state) {
    (void)state;
    struct padding padding;
    make_padding(&padding);
    padding.input_sizes[1] = 0;
    padding.input.TotalTensorSizeInBytes = 2;
    padding.input.GuaranteedBaseOffsetAlignment = 2;
    expect_lines(&padding.op, 0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_PADDING: InputTensor.Sizes[1] is 0, must be at least 1\n"
                 "DML_OPERATOR_PADDING: InputTensor.GuaranteedBaseOffsetAlignment is 2, must be 0 or a power of two "
                 "of at least 4, the element's size");
}

static void extents_beyond_32_and_64_bits_are_told(void **state) {
    (void)state;
    struct padding padding;
    make_padding(&padding);
    for (uint32_t i = 0; i < 4; i++) {
        padding.input_sizes[i] = 65536; /* 2^64 elements */
        padding.output_sizes[i] = 256;  /* 2^32 */
    }
    expect_lines(&padding.op, 0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_PADDING: the product of InputTensor.Sizes is above 18446744073709551615, must be at "
                 "most 4294967295\n"
                 "DML_OPERATOR_PADDING: the product of OutputTensor.Sizes is 4294967296, must be at most 4294967295");

    make_padding(&padding);
    padding.input_sizes[0] = UINT32_MAX;
    padding.input_sizes[1] = padding.input_sizes[2] = padding.input_sizes[3] = 1;
    padding.strides[0] = UINT32_MAX;
    padding.input.Strides = padding.strides;
    expect_lines(&padding.op, 0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_PADDING: InputTensor.Strides put the last element beyond 2^64 bytes, must keep "
                 "(dot(Sizes - 1, Strides) + 1) * 4 below that");

    make_padding(&padding);
    padding.input.TotalTensorSizeInBytes = 476;
    expect_lines(&padding.op, 0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_PADDING: InputTensor.TotalTensorSizeInBytes is 476, must be at least 480 = "
                 "(dot(Sizes - 1, packed strides) + 1) * 4, rounded up to 4");
}

static void outputs_must_be_the_callers_and_lie_apart(void **state) {
    (void)state;
    struct padding padding;
    DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc;
    const DML_OPERATOR_DESC op = make_identity(&padding, &desc);
    padding.input.Flags = padding.output.Flags = DML_TENSOR_FLAG_OWNED_BY_DML;
    padding.input.Strides = padding.output.Strides = padding.strides; /* all 0 */
    padding.strides[3] = 1;
    expect_lines(&op, 0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_ELEMENT_WISE_IDENTITY: OutputTensor.Flags is DML_TENSOR_FLAG_OWNED_BY_DML, must be "
                 "DML_TENSOR_FLAG_NONE in an output\n"
                 "DML_OPERATOR_ELEMENT_WISE_IDENTITY: OutputTensor.Strides[0] is 0, must be at least 1 in an output "
                 "where Sizes[0] (2) is above 1\n"
                 "DML_OPERATOR_ELEMENT_WISE_IDENTITY: OutputTensor.Strides[1] is 0, must be at least 1 in an output "
                 "where Sizes[1] (3) is above 1\n"
                 "DML_OPERATOR_ELEMENT_WISE_IDENTITY: OutputTensor.Strides[2] is 0, must be at least 1 in an output "
                 "where Sizes[2] (4) is above 1");
    const uint32_t crossing[] = {60, 20, 4, 1};
    memcpy(padding.strides, crossing, sizeof crossing);
    padding.output.Flags = DML_TENSOR_FLAG_NONE;
    expect_lines(&op, 0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_ELEMENT_WISE_IDENTITY: OutputTensor.Strides lets two elements overlap, must "
                 "give each element of an output a place of its own");
}

static void tensors_that_must_agree_are_told_where_they_do_not(void **state) {
    (void)state;
    struct padding padding;
    DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc;
    const DML_OPERATOR_DESC op = make_identity(&padding, &desc);
    padding.output_sizes[2] = 7;
    padding.output.DataType = DML_TENSOR_DATA_TYPE_UINT32;
    expect_lines(&op, 0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_ELEMENT_WISE_IDENTITY: OutputTensor.DataType is DML_TENSOR_DATA_TYPE_UINT32, must be "
                 "DML_TENSOR_DATA_TYPE_FLOAT32 = InputTensor.DataType\n"
                 "DML_OPERATOR_ELEMENT_WISE_IDENTITY: OutputTensor.Sizes[2] is 7, must be 4 = InputTensor.Sizes[2]");
    padding.output.DimensionCount = 3;
    padding.output.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    expect_lines(&op, 0, VKDML_ERROR_INVALID_ARGUMENT,
                 "DML_OPERATOR_ELEMENT_WISE_IDENTITY: OutputTensor.DimensionCount is 3, must be 4 = "
                 "InputTensor.DimensionCount");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instance_outlives_the_memory_it_was_copied_from),
        cmocka_unit_test(scale_bias_is_copied_where_there_is_one),
        cmocka_unit_test(an_instance_is_one_allocation_of_the_callers),
        cmocka_unit_test(what_is_not_an_operator_of_the_level_is_refused),
        cmocka_unit_test(everything_unreadable_is_told_at_once),
        cmocka_unit_test(structs_of_unknown_types_are_not_read),
        cmocka_unit_test(null_arrays_of_no_length_are_readable),
        cmocka_unit_test(types_dimension_counts_and_modes_are_held_to_the_level),
        cmocka_unit_test(sizes_of_0_are_told_without_what_follows_from_them),
        cmocka_unit_test(extents_beyond_32_and_64_bits_are_told),
        cmocka_unit_test(outputs_must_be_the_callers_and_lie_apart),
        cmocka_unit_test(tensors_that_must_agree_are_told_where_they_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
