/* Field types and rules that hold of any row, on rows of the tests' own: what is copied, and what is refused why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rows/own_rows.h"
#include "schema/schema.h"

static struct vkdml_instance *create(const DML_OPERATOR_DESC *op) {
    struct vkdml_report report;
    struct vkdml_instance *instance;
    vkdml_report_clear(&report);
    if (vkdml_instance_create_of(own_row_find, op, (DML_FEATURE_LEVEL)0, NULL, &report, &instance) != VKDML_SUCCESS) {
        fail_msg("%s", report.text);
    }
    vkdml_schema_check(instance, &report);
    assert_string_equal(report.text, "");
    return instance;
}

/* Creates and checks; the report must hold exactly these lines. */
static void expect_lines(const DML_OPERATOR_DESC *op, int level, const char *lines) {
    struct vkdml_report report;
    struct vkdml_instance *instance;
    vkdml_report_clear(&report);
    const VkdmlResult created =
        vkdml_instance_create_of(own_row_find, op, (DML_FEATURE_LEVEL)level, NULL, &report, &instance);
    assert_int_equal(created == VKDML_SUCCESS, instance != NULL);
    if (created == VKDML_SUCCESS) {
        vkdml_schema_check(instance, &report);
        vkdml_instance_destroy(instance, NULL);
    }
    assert_string_equal(report.text, lines);
    assert_int_equal(report.result != VKDML_SUCCESS, lines[0] != '\0');
    assert_null(report.context);
    assert_null(report.part);
}

static void operators_without_a_row_are_not_implemented(void **state) {
    (void)state;
    static const int unread;
    DML_OPERATOR_DESC op = {DML_OPERATOR_UNFOLD, &unread};
    struct vkdml_report report;
    struct vkdml_instance *instance;
    vkdml_report_clear(&report);
    assert_int_equal(vkdml_instance_create_of(own_row_find, &op, (DML_FEATURE_LEVEL)0, NULL, &report, &instance),
                     VKDML_ERROR_NOT_IMPLEMENTED);
    assert_null(instance);
    assert_string_equal(report.text, "DML_OPERATOR_UNFOLD: is not implemented yet");

    op.Desc = NULL;
    expect_lines(&op, DML_FEATURE_LEVEL_1_0,
                 "DML_OPERATOR_UNFOLD: needs DML_FEATURE_LEVEL_6_4, the feature level is 1_0\n"
                 "DML_OPERATOR_UNFOLD: is not implemented yet\n"
                 "DML_OPERATOR_UNFOLD: DML_OPERATOR_DESC.Desc is NULL, must point to a descriptor of that operator");
}

/* ---- arrays of tensors ---- */

struct quantize {
    struct own_tensor input, scale, zero_point, output;
    DML_TENSOR_DESC input_desc, parameters[2], output_desc;
    struct own_quantize desc;
    DML_OPERATOR_DESC op;
};

static void make_quantize(struct quantize *quantize) {
    memset(quantize, 0, sizeof *quantize);
    quantize->input_desc = OWN_TENSOR(&quantize->input, FLOAT32, 4, 6);
    quantize->parameters[0] = OWN_TENSOR(&quantize->scale, FLOAT32, 2, 1);
    quantize->parameters[1] = OWN_TENSOR(&quantize->zero_point, INT8, 2, 1);
    quantize->output_desc = OWN_TENSOR(&quantize->output, INT8, 4, 6);
    quantize->desc = (struct own_quantize){.InputTensor = &quantize->input_desc,
                                           .QuantizationTensorCount = 2,
                                           .QuantizationTensors = quantize->parameters,
                                           .OutputTensor = &quantize->output_desc};
    quantize->op = (DML_OPERATOR_DESC){DML_OPERATOR_QUANTIZE, &quantize->desc};
}

static void an_arrays_tensors_follow_the_rows_own(void **state) {
    (void)state;
    struct quantize *quantize = malloc(sizeof *quantize);
    assert_non_null(quantize);
    make_quantize(quantize);
    struct vkdml_instance *instance = create(&quantize->op);
    memset(quantize, 0xFF, sizeof *quantize);
    free(quantize);

    assert_int_equal(instance->input_count, 3);
    assert_int_equal(instance->output_count, 1);
    assert_int_equal(instance->inputs[0].sizes[0], 4);
    assert_int_equal(instance->inputs[1].sizes[0], 2);
    assert_int_equal(instance->inputs[2].data_type, DML_TENSOR_DATA_TYPE_INT8);
    assert_string_equal(vkdml_input_name(instance, 0), "InputTensor");
    assert_string_equal(vkdml_input_name(instance, 1), "QuantizationTensors[0]");
    assert_string_equal(vkdml_input_name(instance, 2), "QuantizationTensors[1]");
    assert_null(vkdml_input_name(instance, 3));
    assert_string_equal(vkdml_output_name(instance, 0), "OutputTensor");
    const struct own_quantize *desc = instance->desc;
    assert_null(desc->InputTensor);
    assert_null(desc->QuantizationTensors);
    assert_int_equal(desc->QuantizationTensorCount, 2);
    vkdml_instance_destroy(instance, NULL);
}

static void an_array_of_outputs_may_be_the_only_one(void **state) {
    (void)state;
    struct own_tensor input, outputs[3];
    const DML_TENSOR_DESC input_desc = OWN_TENSOR(&input, FLOAT16, 6);
    const DML_TENSOR_DESC output_descs[] = {OWN_TENSOR(&outputs[0], FLOAT16, 1), OWN_TENSOR(&outputs[1], FLOAT16, 2),
                                            OWN_TENSOR(&outputs[2], FLOAT32, 3)};
    struct own_split desc = {&input_desc, 2, output_descs};
    const DML_OPERATOR_DESC op = {DML_OPERATOR_SPLIT, &desc};
    struct vkdml_instance *instance = create(&op);
    assert_int_equal(instance->input_count, 1);
    assert_int_equal(instance->output_count, 2);
    assert_int_equal(instance->outputs[1].sizes[0], 2);
    assert_string_equal(vkdml_output_name(instance, 1), "OutputTensors[1]");
    vkdml_instance_destroy(instance, NULL);

    desc.OutputCount = 3;
    outputs[1].buffer.Flags = DML_TENSOR_FLAG_OWNED_BY_DML;
    expect_lines(&op, 0,
                 "DML_OPERATOR_SPLIT: OutputTensors[1].Flags is DML_TENSOR_FLAG_OWNED_BY_DML, must be "
                 "DML_TENSOR_FLAG_NONE in an output\n"
                 "DML_OPERATOR_SPLIT: OutputTensors[2].DataType is DML_TENSOR_DATA_TYPE_FLOAT32, must be "
                 "DML_TENSOR_DATA_TYPE_FLOAT16 = InputTensor.DataType");
}

static void what_is_wrong_with_an_arrays_tensor_is_told_by_its_index(void **state) {
    (void)state;
    struct quantize quantize;
    make_quantize(&quantize);
    quantize.parameters[0].Type = DML_TENSOR_TYPE_INVALID;
    quantize.zero_point.buffer.DimensionCount = 9;
    expect_lines(&quantize.op, 0,
                 "DML_OPERATOR_QUANTIZE: QuantizationTensors[0].Type is 0, must be DML_TENSOR_TYPE_BUFFER (1)\n"
                 "DML_OPERATOR_QUANTIZE: QuantizationTensors[1].DimensionCount is 9, must be 1 to 8");
    make_quantize(&quantize);
    quantize.scale.sizes[0] = 0;
    quantize.zero_point.buffer.TotalTensorSizeInBytes = 1;
    quantize.zero_point.buffer.DataType = DML_TENSOR_DATA_TYPE_INT32;
    expect_lines(&quantize.op, 0,
                 "DML_OPERATOR_QUANTIZE: QuantizationTensors[0].Sizes[0] is 0, must be at least 1\n"
                 "DML_OPERATOR_QUANTIZE: QuantizationTensors[1].DataType is DML_TENSOR_DATA_TYPE_INT32, must be one of "
                 "FLOAT32, FLOAT16, UINT8, INT8, UINT4, INT4 at feature level 6_4\n"
                 "DML_OPERATOR_QUANTIZE: QuantizationTensors[1].TotalTensorSizeInBytes is 1, must be at least 8 = "
                 "(dot(Sizes - 1, packed strides) + 1) * 4, rounded up to 4");
}

static void an_array_has_1_to_65536_tensors(void **state) {
    (void)state;
    struct quantize quantize;
    make_quantize(&quantize);
    quantize.desc.QuantizationTensorCount = 0;
    expect_lines(&quantize.op, 0, "DML_OPERATOR_QUANTIZE: QuantizationTensorCount is 0, must be 1 to 65536");
    quantize.desc.QuantizationTensorCount = 65537;
    expect_lines(&quantize.op, 0, "DML_OPERATOR_QUANTIZE: QuantizationTensorCount is 65537, must be 1 to 65536");
    quantize.desc.QuantizationTensorCount = UINT32_MAX;
    quantize.desc.QuantizationTensors = NULL;
    expect_lines(&quantize.op, 0,
                 "DML_OPERATOR_QUANTIZE: QuantizationTensorCount is 4294967295, must be 1 to 65536\n"
                 "DML_OPERATOR_QUANTIZE: QuantizationTensors is NULL, must point to QuantizationTensorCount "
                 "(4294967295) tensors");

    DML_TENSOR_DESC *many = malloc(65536 * sizeof *many);
    assert_non_null(many);
    for (uint32_t i = 0; i < 65536; i++) {
        many[i] = quantize.parameters[0];
    }
    quantize.desc.QuantizationTensorCount = 65536;
    quantize.desc.QuantizationTensors = many;
    struct vkdml_instance *instance = create(&quantize.op);
    assert_int_equal(instance->input_count, 65537);
    assert_string_equal(vkdml_input_name(instance, 65536), "QuantizationTensors[65535]");
    assert_int_equal(instance->inputs[65536].sizes[0], 2);
    vkdml_instance_destroy(instance, NULL);
    free(many);
}

/* ---- operators to fuse ---- */

struct add1 {
    struct own_tensor tensor;
    DML_TENSOR_DESC tensor_desc;
    struct own_celu celu;
    DML_OPERATOR_DESC activation;
    struct own_add1 desc;
    DML_OPERATOR_DESC op;
};

static void make_add1(struct add1 *add1) {
    memset(add1, 0, sizeof *add1);
    add1->tensor_desc = OWN_TENSOR(&add1->tensor, FLOAT32, 2, 3);
    add1->celu.Alpha = 0.5f;
    add1->activation = (DML_OPERATOR_DESC){DML_OPERATOR_ACTIVATION_CELU, &add1->celu};
    add1->desc = (struct own_add1){&add1->tensor_desc, &add1->tensor_desc, &add1->tensor_desc, &add1->activation};
    add1->op = (DML_OPERATOR_DESC){DML_OPERATOR_ELEMENT_WISE_ADD1, &add1->desc};
}

static void an_operator_to_fuse_is_copied(void **state) {
    (void)state;
    struct add1 *add1 = malloc(sizeof *add1);
    assert_non_null(add1);
    make_add1(add1);
    struct vkdml_instance *instance = create(&add1->op);
    memset(add1, 0xFF, sizeof *add1);
    assert_int_equal(instance->activation_count, 1);
    const struct vkdml_instance *activation = &instance->activations[0];
    assert_int_equal(activation->schema->type, DML_OPERATOR_ACTIVATION_CELU);
    assert_int_equal(activation->level, DML_FEATURE_LEVEL_6_4);
    assert_int_equal(activation->input_count + activation->output_count, 0);
    assert_string_equal(activation->role, "FusedActivation");
    const struct own_celu *celu = activation->desc;
    assert_true(celu->Alpha == 0.5f);
    const struct own_add1 *desc = instance->desc;
    assert_null(desc->FusedActivation);
    assert_null(instance->role);
    vkdml_instance_destroy(instance, NULL);

    make_add1(add1);
    add1->desc.FusedActivation = NULL;
    instance = create(&add1->op);
    assert_int_equal(instance->activation_count, 0);
    vkdml_instance_destroy(instance, NULL);
    free(add1);
}

static void operators_that_cannot_be_fused_are_told_why(void **state) {
    (void)state;
    struct add1 add1;
    make_add1(&add1);
    add1.activation.Desc = NULL;
    expect_lines(&add1.op, DML_FEATURE_LEVEL_2_1,
                 "DML_OPERATOR_ELEMENT_WISE_ADD1: FusedActivation: DML_OPERATOR_ACTIVATION_CELU needs "
                 "DML_FEATURE_LEVEL_3_0 to be fused, the feature level is 2_1\n"
                 "DML_OPERATOR_ELEMENT_WISE_ADD1: FusedActivation: DML_OPERATOR_DESC.Desc is NULL, must point to a "
                 "descriptor of that operator");
    make_add1(&add1);
    add1.activation.Type = DML_OPERATOR_ACTIVATION_SOFTMAX;
    expect_lines(&add1.op, 0,
                 "DML_OPERATOR_ELEMENT_WISE_ADD1: FusedActivation: DML_OPERATOR_ACTIVATION_SOFTMAX cannot be fused, "
                 "must be an activation that can");
    add1.activation.Type = DML_OPERATOR_GEMM;
    expect_lines(&add1.op, 0,
                 "DML_OPERATOR_ELEMENT_WISE_ADD1: FusedActivation: DML_OPERATOR_GEMM cannot be fused, must be an "
                 "activation that can");
    add1.activation.Type = (DML_OPERATOR_TYPE)0;
    expect_lines(&add1.op, 0,
                 "DML_OPERATOR_ELEMENT_WISE_ADD1: FusedActivation: DML_OPERATOR_DESC.Type is 0, must be one of "
                 "DirectML's operators (1 to 177)");
    make_add1(&add1);
    add1.celu.InputTensor = add1.celu.OutputTensor = &add1.tensor_desc;
    expect_lines(&add1.op, 0,
                 "DML_OPERATOR_ELEMENT_WISE_ADD1: FusedActivation: InputTensor is given, must be NULL in an operator "
                 "that is fused\n"
                 "DML_OPERATOR_ELEMENT_WISE_ADD1: FusedActivation: OutputTensor is given, must be NULL in an operator "
                 "that is fused");
}

static void operators_to_fuse_may_be_without_implementation(void **state) {
    (void)state;
    struct add1 add1;
    make_add1(&add1);
    add1.activation.Type = DML_OPERATOR_ACTIVATION_TANH;
    struct vkdml_report report;
    struct vkdml_instance *instance;
    vkdml_report_clear(&report);
    assert_int_equal(vkdml_instance_create_of(own_row_find, &add1.op, (DML_FEATURE_LEVEL)0, NULL, &report, &instance),
                     VKDML_ERROR_NOT_IMPLEMENTED);
    assert_null(instance);
    assert_string_equal(report.text, "DML_OPERATOR_ELEMENT_WISE_ADD1: FusedActivation: DML_OPERATOR_ACTIVATION_TANH is "
                                     "not implemented yet");
}

static void attributes_of_operators_to_fuse_are_read_and_checked(void **state) {
    (void)state;
    struct add1 add1;
    make_add1(&add1);
    uint32_t offsets[] = {5, 6};
    struct own_shrink shrink = {.Mode = DML_PADDING_MODE_SYMMETRIC, .OffsetCount = 2, .Offsets = offsets};
    add1.activation = (DML_OPERATOR_DESC){DML_OPERATOR_ACTIVATION_SHRINK, &shrink};
    struct vkdml_instance *instance = create(&add1.op);
    offsets[1] = 0;
    const struct own_shrink *copy = instance->activations[0].desc;
    assert_int_equal(copy->Offsets[1], 6);
    vkdml_instance_destroy(instance, NULL);

    expect_lines(&add1.op, DML_FEATURE_LEVEL_2_1,
                 "DML_OPERATOR_ELEMENT_WISE_ADD1: FusedActivation: Mode is DML_PADDING_MODE_SYMMETRIC, which needs "
                 "DML_FEATURE_LEVEL_3_0; the feature level is 2_1");
    shrink.OffsetCount = 9;
    shrink.Offsets = NULL;
    expect_lines(&add1.op, 0,
                 "DML_OPERATOR_ELEMENT_WISE_ADD1: FusedActivation: OffsetCount is 9, must be at most 8\n"
                 "DML_OPERATOR_ELEMENT_WISE_ADD1: FusedActivation: Offsets is NULL, must point to OffsetCount (9) "
                 "values");
}

static void an_array_of_operators_is_read_in_order(void **state) {
    (void)state;
    struct own_tensor tensor;
    const DML_TENSOR_DESC tensor_desc = OWN_TENSOR(&tensor, FLOAT32, 2);
    struct own_celu celu = {.Alpha = 2.0f};
    struct own_relu relu = {NULL, NULL};
    DML_OPERATOR_DESC activations[9] = {{DML_OPERATOR_ACTIVATION_RELU, &relu}, {DML_OPERATOR_ACTIVATION_CELU, &celu}};
    struct own_gru desc = {&tensor_desc, &tensor_desc, 2, activations, 7};
    const DML_OPERATOR_DESC op = {DML_OPERATOR_GRU, &desc};
    struct vkdml_instance *instance = create(&op);
    assert_int_equal(instance->activation_count, 2);
    assert_int_equal(instance->activations[0].schema->type, DML_OPERATOR_ACTIVATION_RELU);
    assert_int_equal(instance->activations[1].schema->type, DML_OPERATOR_ACTIVATION_CELU);
    assert_string_equal(instance->activations[1].role, "ActivationDescs[1]");
    const struct own_gru *copy = instance->desc;
    assert_null(copy->ActivationDescs);
    assert_int_equal(copy->LinearBeforeReset, 1); /* any value but 0 is true */
    vkdml_instance_destroy(instance, NULL);

    activations[1].Type = DML_OPERATOR_CAST;
    expect_lines(&op, 0,
                 "DML_OPERATOR_GRU: ActivationDescs[1]: DML_OPERATOR_CAST cannot be fused, must be an activation that "
                 "can");
    desc.ActivationDescs = NULL;
    expect_lines(&op, 0, "DML_OPERATOR_GRU: ActivationDescs is NULL, must point to ActivationDescCount (2) operators");
    desc.ActivationDescCount = 9;
    desc.ActivationDescs = activations;
    expect_lines(&op, 0, "DML_OPERATOR_GRU: ActivationDescCount is 9, must be at most 8");
    desc.ActivationDescCount = 0;
    desc.ActivationDescs = NULL;
    expect_lines(&op, 0, ""); /* how many it must have is the operator's to say */
}

/* ---- attributes, and rules between tensors ---- */

struct resample {
    struct own_tensor input, mean, scale, zero_point, output;
    DML_TENSOR_DESC input_desc, mean_desc, scale_desc, zero_point_desc, output_desc;
    float scales[2];
    int32_t steps[2];
    struct own_resample desc;
    DML_OPERATOR_DESC op;
};

static void make_resample(struct resample *resample) {
    memset(resample, 0, sizeof *resample);
    resample->input_desc = OWN_TENSOR(&resample->input, FLOAT32, 4, 6);
    resample->mean_desc = OWN_TENSOR(&resample->mean, FLOAT32, 1, 6);
    resample->scale_desc = OWN_TENSOR(&resample->scale, FLOAT32, 1, 1, 1);
    resample->zero_point_desc = OWN_TENSOR(&resample->zero_point, FLOAT32, 1);
    resample->output_desc = OWN_TENSOR(&resample->output, FLOAT32, 4, 6);
    resample->scales[1] = 0.5f;
    resample->steps[1] = -3;
    resample->desc = (struct own_resample){.InputTensor = &resample->input_desc,
                                           .MeanTensor = &resample->mean_desc,
                                           .ScaleTensor = &resample->scale_desc,
                                           .ZeroPointTensor = &resample->zero_point_desc,
                                           .OutputTensor = &resample->output_desc,
                                           .Window = {7, 9},
                                           .ScaleCount = 2,
                                           .Scales = resample->scales,
                                           .Steps = resample->steps,
                                           .ValueDataType = DML_TENSOR_DATA_TYPE_FLOAT32};
    resample->op = (DML_OPERATOR_DESC){DML_OPERATOR_RESAMPLE, &resample->desc};
}

static void attributes_of_every_type_are_copied(void **state) {
    (void)state;
    struct resample resample;
    make_resample(&resample);
    struct vkdml_instance *instance = create(&resample.op);
    memset(resample.scales, 0xFF, sizeof resample.scales);
    memset(resample.steps, 0xFF, sizeof resample.steps);
    const struct own_resample *desc = instance->desc;
    assert_int_equal(desc->Window.Width, 7);
    assert_int_equal(desc->Window.Height, 9);
    assert_true(desc->Scales[0] == 0.0f && desc->Scales[1] == 0.5f);
    assert_int_equal(desc->Steps[1], -3);
    assert_null(desc->Offsets);
    vkdml_instance_destroy(instance, NULL);
    resample.desc.ScaleCount = 9;
    resample.desc.Scales = NULL;
    resample.desc.Steps = NULL;
    expect_lines(&resample.op, 0,
                 "DML_OPERATOR_RESAMPLE: ScaleCount is 9, must be at most 8\n"
                 "DML_OPERATOR_RESAMPLE: Scales is NULL, must point to ScaleCount (9) values\n"
                 "DML_OPERATOR_RESAMPLE: Steps is NULL, must point to ScaleCount (9) values");
}

static void a_tensor_may_be_optional_from_a_level_on(void **state) {
    (void)state;
    struct resample resample;
    make_resample(&resample);
    resample.desc.ZeroPointTensor = NULL;
    expect_lines(&resample.op, DML_FEATURE_LEVEL_6_1,
                 "DML_OPERATOR_RESAMPLE: ZeroPointTensor is NULL, which needs DML_FEATURE_LEVEL_6_2; the feature level "
                 "is 6_1");
    expect_lines(&resample.op, DML_FEATURE_LEVEL_6_2, "");
}

static void a_tensor_may_be_broadcast_to_another(void **state) {
    (void)state;
    struct resample resample;
    make_resample(&resample);
    resample.mean_desc = OWN_TENSOR(&resample.mean, FLOAT16, 2, 7);
    expect_lines(&resample.op, 0,
                 "DML_OPERATOR_RESAMPLE: MeanTensor.DataType is DML_TENSOR_DATA_TYPE_FLOAT16, must be "
                 "DML_TENSOR_DATA_TYPE_FLOAT32 = InputTensor.DataType\n"
                 "DML_OPERATOR_RESAMPLE: MeanTensor.Sizes[0] is 2, must be 1 or 4 = InputTensor.Sizes[0]\n"
                 "DML_OPERATOR_RESAMPLE: MeanTensor.Sizes[1] is 7, must be 1 or 6 = InputTensor.Sizes[1]");
    resample.mean_desc = OWN_TENSOR(&resample.mean, FLOAT32, 6);
    expect_lines(&resample.op, 0,
                 "DML_OPERATOR_RESAMPLE: MeanTensor.DimensionCount is 1, must be 2 = InputTensor.DimensionCount");
}

static void a_tensor_may_be_of_one_element(void **state) {
    (void)state;
    struct resample resample;
    make_resample(&resample);
    resample.scale_desc = OWN_TENSOR(&resample.scale, FLOAT32, 1, 3, 2);
    expect_lines(&resample.op, 0,
                 "DML_OPERATOR_RESAMPLE: ScaleTensor.Sizes[1] is 3, must be 1: the tensor has one element\n"
                 "DML_OPERATOR_RESAMPLE: ScaleTensor.Sizes[2] is 2, must be 1: the tensor has one element");
}

static void a_rule_may_hold_below_a_level(void **state) {
    (void)state;
    struct resample resample;
    make_resample(&resample);
    resample.scale_desc = OWN_TENSOR(&resample.scale, FLOAT16, 1);
    expect_lines(&resample.op, DML_FEATURE_LEVEL_2_1,
                 "DML_OPERATOR_RESAMPLE: ScaleTensor.DataType is DML_TENSOR_DATA_TYPE_FLOAT16, must be "
                 "DML_TENSOR_DATA_TYPE_FLOAT32 = InputTensor.DataType below feature level 3_0");
    expect_lines(&resample.op, DML_FEATURE_LEVEL_3_0, "");
}

static void the_sizes_of_a_tensor_may_have_to_divide_anothers(void **state) {
    (void)state;
    struct quantize quantize;
    make_quantize(&quantize);
    quantize.parameters[0] = OWN_TENSOR(&quantize.scale, FLOAT32, 3, 6);
    quantize.parameters[1] = OWN_TENSOR(&quantize.zero_point, INT8, 3, 8);
    expect_lines(&quantize.op, 0,
                 "DML_OPERATOR_QUANTIZE: QuantizationTensors[0].Sizes[0] is 3, must divide 4 = InputTensor.Sizes[0]\n"
                 "DML_OPERATOR_QUANTIZE: QuantizationTensors[1].Sizes[0] is 3, must divide 4 = InputTensor.Sizes[0]\n"
                 "DML_OPERATOR_QUANTIZE: QuantizationTensors[1].Sizes[1] is 8, must divide 6 = InputTensor.Sizes[1]\n"
                 "DML_OPERATOR_QUANTIZE: QuantizationTensors[1].Sizes[1] is 8, must be 6 = "
                 "QuantizationTensors[0].Sizes[1]");
}

static void elements_of_4_bits_have_half_a_byte(void **state) {
    (void)state;
    struct quantize quantize;
    make_quantize(&quantize);
    quantize.output_desc = OWN_TENSOR(&quantize.output, UINT4, 4, 6);
    quantize.parameters[1] = OWN_TENSOR(&quantize.zero_point, INT4, 2, 1);
    struct vkdml_instance *instance = create(&quantize.op);
    assert_int_equal(instance->outputs[0].element_size, 0);
    assert_int_equal(instance->outputs[0].element_bits, 4);
    assert_int_equal(instance->outputs[0].total_bytes, 12);
    vkdml_instance_destroy(instance, NULL);

    quantize.output.buffer.TotalTensorSizeInBytes = 8;
    quantize.output.buffer.GuaranteedBaseOffsetAlignment = 3;
    quantize.zero_point.buffer.GuaranteedBaseOffsetAlignment = 1;
    expect_lines(
        &quantize.op, 0,
        "DML_OPERATOR_QUANTIZE: OutputTensor.TotalTensorSizeInBytes is 8, must be at least 12 = "
        "(dot(Sizes - 1, packed strides) + 1) / 2, rounded up to 4\n"
        "DML_OPERATOR_QUANTIZE: OutputTensor.GuaranteedBaseOffsetAlignment is 3, must be 0 or a power of two of "
        "at least 1, a byte");
    make_quantize(&quantize);
    quantize.input_desc = OWN_TENSOR(&quantize.input, INT4, 4, 6);
    expect_lines(&quantize.op, 0,
                 "DML_OPERATOR_QUANTIZE: InputTensor.DataType is DML_TENSOR_DATA_TYPE_INT4, must be one of FLOAT32, "
                 "FLOAT16 at feature level 6_4");
    /* Two elements of an output in one place, though bytes are shared */
    const uint32_t strides[] = {1, 1};
    make_quantize(&quantize);
    quantize.output_desc = OWN_TENSOR(&quantize.output, UINT4, 4, 6);
    quantize.output.buffer.Strides = strides;
    expect_lines(&quantize.op, 0,
                 "DML_OPERATOR_QUANTIZE: OutputTensor.Strides lets two elements overlap, must give each element of an "
                 "output a place of its own");
}

static void scalars_are_of_the_outputs_type(void **state) {
    (void)state;
    struct resample resample;
    make_resample(&resample);
    resample.desc.ValueDataType = DML_TENSOR_DATA_TYPE_FLOAT16;
    expect_lines(&resample.op, 0,
                 "DML_OPERATOR_RESAMPLE: ValueDataType is DML_TENSOR_DATA_TYPE_FLOAT16, must be "
                 "DML_TENSOR_DATA_TYPE_FLOAT32 = OutputTensor.DataType");
    resample.desc.ValueDataType = DML_TENSOR_DATA_TYPE_INT8;
    expect_lines(&resample.op, 0,
                 "DML_OPERATOR_RESAMPLE: ValueDataType is 8, must be a supported DML_TENSOR_DATA_TYPE");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_without_a_row_are_not_implemented),
        cmocka_unit_test(an_arrays_tensors_follow_the_rows_own),
        cmocka_unit_test(an_array_of_outputs_may_be_the_only_one),
        cmocka_unit_test(what_is_wrong_with_an_arrays_tensor_is_told_by_its_index),
        cmocka_unit_test(an_array_has_1_to_65536_tensors),
        cmocka_unit_test(an_operator_to_fuse_is_copied),
        cmocka_unit_test(operators_that_cannot_be_fused_are_told_why),
        cmocka_unit_test(operators_to_fuse_may_be_without_implementation),
        cmocka_unit_test(attributes_of_operators_to_fuse_are_read_and_checked),
        cmocka_unit_test(an_array_of_operators_is_read_in_order),
        cmocka_unit_test(attributes_of_every_type_are_copied),
        cmocka_unit_test(a_tensor_may_be_optional_from_a_level_on),
        cmocka_unit_test(a_tensor_may_be_broadcast_to_another),
        cmocka_unit_test(a_tensor_may_be_of_one_element),
        cmocka_unit_test(a_rule_may_hold_below_a_level),
        cmocka_unit_test(the_sizes_of_a_tensor_may_have_to_divide_anothers),
        cmocka_unit_test(elements_of_4_bits_have_half_a_byte),
        cmocka_unit_test(scalars_are_of_the_outputs_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
