/* Models with every field type, read from JSON by rows of the tests' own, which the linker puts in the operator table's
 * place (--wrap); and what is said of mistakes in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/operator_names.h"
#include "model/load.h"
#include "rows/own_rows.h"

/* ---- models ---- */

#define MODEL_FILE  "test_descriptor.json"
#define STDERR_FILE "test_descriptor.stderr"

static const char resources[] =
    "\"resources\": {\"a\": {\"initialValuesDataType\": \"FLOAT32\", \"initialValues\": [1, 2, 3, 4]}, "
    "\"b\": {\"initialValuesDataType\": \"INT8\", \"initialValues\": [1, 2, 3, 4, 5, 6, 7, 8]}, "
    "\"c\": {\"initialValuesDataType\": \"UINT4\", \"initialValues\": [1, 15, 3]}, "
    "\"o\": {\"initialValues\": \"deferred\"}}";

/* What is said from here on goes to a file; returns what stderr was. */
static int stderr_begin(void) {
    fflush(stderr);
    const int saved = dup(STDERR_FILENO);
    assert_non_null(freopen(STDERR_FILE, "w", stderr));
    return saved;
}

static void stderr_end(int saved, char said[2048]) {
    fflush(stderr);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    FILE *file = fopen(STDERR_FILE, "r");
    assert_non_null(file);
    said[fread(said, 1, 2047, file)] = 0;
    fclose(file);
}

/* Writes a model with one dispatchable and perhaps a dispatch, and loads it; what it says goes to `said`. */
static bool load(const char *dispatchable, const char *bindings, struct model *model, char said[2048]) {
    FILE *file = fopen(MODEL_FILE, "w");
    assert_non_null(file);
    fprintf(file, "{%s, \"dispatchables\": {\"op\": %s}, \"commands\": [", resources, dispatchable);
    if (bindings) {
        fprintf(file, "{\"type\": \"dispatch\", \"dispatchable\": \"op\", \"bindings\": %s}", bindings);
    }
    fprintf(file, "]}");
    assert_int_equal(fclose(file), 0);

    const int saved = stderr_begin();
    const bool good = model_load(model, MODEL_FILE, NULL, NULL);
    stderr_end(saved, said);
    return good;
}

static void load_good(const char *dispatchable, const char *bindings, struct model *model) {
    char said[2048];
    if (!load(dispatchable, bindings, model, said) || said[0]) {
        fail_msg("%s", said);
    }
}

#define SPLIT(count, outputs)                                                                                          \
    "{\"type\": \"SPLIT\", \"desc\": {\"InputTensor\": {\"DataType\": \"FLOAT32\", \"Sizes\": [4]}, "                  \
    "\"OutputCount\": " count ", \"OutputTensors\": " outputs "}}"
#define HALF "{\"DataType\": \"FLOAT32\", \"Sizes\": [2]}"
#define QUANTIZE(scale_flags)                                                                                          \
    "{\"type\": \"QUANTIZE\", \"InputTensor\": {\"DataType\": \"FLOAT32\", \"Sizes\": [4]}, \"Mode\": \"WRAP\", "      \
    "\"QuantizationTensorCount\": 2, \"QuantizationTensors\": [{\"DataType\": \"FLOAT32\", \"Sizes\": [1]" scale_flags \
    "}, {\"DataType\": \"UINT4\", \"Sizes\": [3]}], \"OutputTensor\": {\"DataType\": \"UINT4\", \"Sizes\": [4]}"
#define ADD1(activation)                                                                                               \
    "{\"type\": \"ELEMENT_WISE_ADD1\", \"ATensor\": {\"DataType\": \"FLOAT32\", \"Sizes\": [4]}, \"BTensor\": "        \
    "{\"DataType\": \"FLOAT32\", \"Sizes\": [4]}, \"OutputTensor\": {\"DataType\": \"FLOAT32\", \"Sizes\": "           \
    "[4]}" activation "}"
#define GRU(activations, linear)                                                                                       \
    "{\"type\": \"GRU\", \"InputTensor\": " HALF ", \"OutputTensor\": " HALF ", \"ActivationDescCount\": 2, "          \
    "\"ActivationDescs\": " activations ", \"LinearBeforeReset\": " linear "}"
#define RESAMPLE(attributes)                                                                                           \
    "{\"type\": \"RESAMPLE\", \"InputTensor\": " HALF ", \"MeanTensor\": " HALF ", \"ScaleTensor\": " HALF             \
    ", \"OutputTensor\": " HALF ", \"ValueDataType\": \"FLOAT16\", \"Value\": 1, \"ScaleCount\": 2" attributes "}"

/* ---- what is read ---- */

static void arrays_of_tensors_are_read_and_bound(void **state) {
    struct model model;
    (void)state;
    load_good(QUANTIZE("") "}",
              "{\"InputTensor\": \"a\", \"QuantizationTensors\": [\"a\", \"c\"], \"OutputTensor\": \"o\"}", &model);
    const struct dispatchable *dispatchable = &model.dispatchables[0];
    const struct own_quantize *desc = dispatchable->desc.Desc;
    assert_int_equal(dispatchable->input_count, 3);
    assert_int_equal(dispatchable->output_count, 1);
    assert_int_equal(desc->QuantizationTensorCount, 2);
    const DML_BUFFER_TENSOR_DESC *zero_point = desc->QuantizationTensors[1].Desc;
    assert_int_equal(zero_point->DataType, DML_TENSOR_DATA_TYPE_UINT4);
    assert_int_equal(zero_point->TotalTensorSizeInBytes, 4);
    assert_string_equal(model.commands[0].inputs[1].resource->name, "a");
    assert_string_equal(model.commands[0].inputs[2].resource->name, "c");
    assert_int_equal(model.commands[0].outputs[0].resource->values_size, 2); /* 4 elements of 4 bits */
    model_free(&model);

    load_good(SPLIT("2", "[" HALF ", " HALF "]"),
              "{\"InputTensor\": \"a\", \"OutputTensors\": [\"o\", {\"name\": \"b\", \"elementOffset\": 0}]}", &model);
    model_free(&model);
}

static void tensors_of_an_array_may_be_bound_at_initialization(void **state) {
    struct model model;
    (void)state;
    load_good(QUANTIZE(", \"Flags\": \"OWNED_BY_DML\"") ", \"bindings\": {\"QuantizationTensors\": [\"a\", null]}}",
              "{\"InputTensor\": \"a\", \"QuantizationTensors\": [null, \"c\"], \"OutputTensor\": \"o\"}", &model);
    assert_string_equal(model.dispatchables[0].owned[1].resource->name, "a");
    assert_null(model.dispatchables[0].owned[2].resource);
    assert_null(model.commands[0].inputs[1].resource);
    assert_string_equal(model.commands[0].inputs[2].resource->name, "c");
    model_free(&model);
}

static void an_output_may_be_in_place_of_two_inputs(void **state) {
    struct model model;
    (void)state;
    load_good(ADD1(""), "{\"ATensor\": \"a\", \"BTensor\": \"a\", \"OutputTensor\": \"a\"}", &model);
    const struct own_add1 *desc = model.dispatchables[0].desc.Desc;
    assert_null(desc->FusedActivation);
    model_free(&model);
}

static void operators_to_fuse_are_read(void **state) {
    struct model model;
    (void)state;
    load_good(ADD1(", \"FusedActivation\": {\"Type\": \"DML_OPERATOR_ACTIVATION_CELU\", \"Desc\": {\"Alpha\": 0.5, "
                   "\"InputTensor\": null}}"),
              NULL, &model);
    const struct own_add1 *add1 = model.dispatchables[0].desc.Desc;
    assert_int_equal(add1->FusedActivation->Type, DML_OPERATOR_ACTIVATION_CELU);
    const struct own_celu *celu = add1->FusedActivation->Desc;
    assert_true(celu->Alpha == 0.5f);
    assert_null(celu->InputTensor);
    model_free(&model);

    load_good(GRU("[{\"Type\": \"ACTIVATION_RELU\"}, {\"type\": \"ACTIVATION_SHRINK\", \"Mode\": \"SYMMETRIC\", "
                  "\"OffsetCount\": 2, \"Offsets\": [5, 6]}]",
                  "true"),
              NULL, &model);
    const struct own_gru *gru = model.dispatchables[0].desc.Desc;
    assert_int_equal(gru->ActivationDescs[0].Type, DML_OPERATOR_ACTIVATION_RELU);
    const struct own_shrink *shrink = gru->ActivationDescs[1].Desc;
    assert_int_equal(shrink->Mode, DML_PADDING_MODE_SYMMETRIC);
    assert_int_equal(shrink->Offsets[1], 6);
    assert_int_equal(gru->LinearBeforeReset, 1);
    model_free(&model);
}

static void sizes_and_arrays_of_numbers_are_read(void **state) {
    static const char *const windows[] = {"{\"Width\": 7, \"Height\": 9}", "[7, 9]"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[1024];
        struct model model;
        snprintf(text, sizeof(text),
                 RESAMPLE(", \"Window\": %s, \"Scales\": [1, -0.5], \"Steps\": [-3, 4], "
                          "\"ZeroPointTensor\": null"),
                 windows[i]);
        load_good(text, NULL, &model);
        const struct own_resample *desc = model.dispatchables[0].desc.Desc;
        assert_int_equal(desc->Window.Width, 7);
        assert_int_equal(desc->Window.Height, 9);
        assert_true(desc->Scales[1] == -0.5f);
        assert_int_equal(desc->Steps[0], -3);
        assert_null(desc->Offsets);
        assert_int_equal(desc->Value.UInt16, 0x3C00);
        model_free(&model);
    }
}

/* ---- what is refused ---- */

static void mistakes_are_told(void **state) {
    static const struct {
        const char *dispatchable, *bindings, *reason;
    } rows[] = {
        {SPLIT("3", "[" HALF ", " HALF "]"), NULL, "OutputTensors has 2 elements, must have 3 = OutputCount"},
        {SPLIT("2", HALF), NULL, "must be an array"},
        {SPLIT("2", "[" HALF ", null]"), NULL, "OutputTensors[1] is null, must be an object"},
        {SPLIT("2", "[" HALF ", {\"DataType\": \"FLOAT32\"}]"), NULL, "OutputTensors[1].Sizes is missing"},
        {SPLIT("1", "[" HALF "]"), "{\"InputTensor\": \"a\", \"OutputTensors\": \"o\"}",
         "OutputTensors is bound to 1 resources, must be 1, in an array"},
        {SPLIT("2", "[" HALF ", " HALF "]"), "{\"InputTensor\": \"a\", \"OutputTensors\": [\"o\"]}",
         "OutputTensors is bound to 1 resources, must be 2, in an array"},
        {SPLIT("2", "[" HALF ", " HALF "]"), "{\"InputTensor\": \"a\", \"OutputTensors\": [\"o\", null]}",
         "nothing is bound to OutputTensors[1]"},
        {SPLIT("2", "[" HALF ", " HALF "]"), "{\"InputTensor\": \"a\", \"OutputTensors\": [\"o\", \"o\"]}",
         "OutputTensors[1] and OutputTensors[0] overlap in 'o'"},
        {SPLIT("2", "[" HALF ", " HALF "]"), "{\"InputTensor\": \"a\", \"OutputTensors\": [\"o\", \"a\"]}",
         "OutputTensors[1] and InputTensor overlap in 'a'"},
        {QUANTIZE(", \"Flags\": \"OWNED_BY_DML\"") "}",
         "{\"InputTensor\": \"a\", \"QuantizationTensors\": [null, \"c\"], \"OutputTensor\": \"o\"}",
         "nothing is bound to QuantizationTensors[0]"},
        {QUANTIZE("") "}",
         "{\"InputTensor\": \"a\", \"QuantizationTensors\": [\"a\", {\"name\": \"c\", "
         "\"elementOffset\": 1}], \"OutputTensor\": \"o\"}",
         "QuantizationTensors[1]: elementOffset is 1, must be even: two elements share a byte"},
        {ADD1(", \"FusedActivation\": \"RELU\""), NULL, "FusedActivation is \"RELU\", must be an object"},
        {ADD1(", \"FusedActivation\": {\"Alpha\": 1}"), NULL, "FusedActivation.Type is missing, must name an operator"},
        {ADD1(", \"FusedActivation\": {\"Type\": \"RELU\"}"), NULL,
         "FusedActivation.type is \"RELU\", no DML operator; did you mean ACTIVATION_RELU?"},
        {ADD1(", \"FusedActivation\": {\"Type\": \"ELEMENT_WISE_AD1\"}"), NULL,
         "FusedActivation.type is \"ELEMENT_WISE_AD1\", no DML operator\n"}, /* none that may be fused is near */
        {SPLIT("2", "[" HALF ", {\"DataType\": \"FLOAT\", \"Sizes\": [2]}]"), NULL,
         "OutputTensors[1].DataType is \"FLOAT\", must be a DML_TENSOR_DATA_TYPE; did you mean FLOAT32?"},
        {SPLIT("2", "[" HALF ", " HALF "]"), "{\"InputTensor\": \"a\", \"OutputTensor\": [\"o\", \"b\"]}",
         "has no tensor called OutputTensor; did you mean OutputTensors?"},
        {ADD1(", \"FusedActivation\": {\"Type\": \"ACTIVATION_TANH\"}"), NULL,
         "FusedActivation.Type: DML_OPERATOR_ACTIVATION_TANH is not implemented"},
        {ADD1(", \"FusedActivation\": {\"Type\": \"ACTIVATION_CELU\"}"), NULL, "FusedActivation.Alpha is missing"},
        {ADD1(", \"FusedActivation\": {\"Type\": \"ACTIVATION_RELU\", \"InputTensor\": " HALF "}"), NULL,
         "FusedActivation.InputTensor is given, must be null in an operator that is fused"},
        {ADD1(", \"FusedActivation\": {\"Type\": \"ACTIVATION_RELU\", \"Desc\": 1}"), NULL,
         "must be an object with an object 'Desc'"},
        {GRU("[{\"Type\": \"ACTIVATION_RELU\"}]", "0"), NULL,
         "ActivationDescs has 1 elements, must have 2 = ActivationDescCount"},
        {GRU("[{\"Type\": \"ACTIVATION_RELU\"}, {\"Type\": \"ACTIVATION_CELU\", \"Alpha\": \"x\"}]", "0"), NULL,
         "ActivationDescs[1].Alpha is \"x\", must be a number"},
        {GRU("[{\"Type\": \"ACTIVATION_RELU\"}, {\"Type\": \"ACTIVATION_RELU\"}]", "2"), NULL,
         "LinearBeforeReset is 2, must be true, false, 1 or 0"},
        {RESAMPLE(", \"Window\": 3, \"Scales\": [1, 1], \"Steps\": [1, 1]"), NULL,
         "Window is 3, must be an object with Width and Height, or an array of the two"},
        {RESAMPLE(", \"Window\": {\"Width\": 3}, \"Scales\": [1, 1], \"Steps\": [1, 1]"), NULL,
         "Window.Height is missing"},
        {RESAMPLE(", \"Window\": [1, -1], \"Scales\": [1, 1], \"Steps\": [1, 1]"), NULL,
         "Window.Height is -1, must be a whole number from 0 to 4294967295"},
        {RESAMPLE(", \"Window\": [1, 1], \"Scales\": [1], \"Steps\": [1, 1]"), NULL,
         "Scales has 1 elements, must have 2 = ScaleCount"},
        {RESAMPLE(", \"Window\": [1, 1], \"Scales\": [1, 1], \"Steps\": [1, 1.5]"), NULL,
         "Steps[1] is 1.5, must be a whole number"},
        {RESAMPLE(", \"Window\": [1, 1], \"Scales\": [1, null], \"Steps\": [1, 1]"), NULL,
         "Scales[1] is null, must be"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct model model;
        char said[2048];
        if (load(rows[i].dispatchable, rows[i].bindings, &model, said) || !strstr(said, rows[i].reason)) {
            fail_msg("\"%s\" does not say \"%s\"", said, rows[i].reason);
        }
        model_free(&model);
    }
}

static void unknown_members_of_operators_to_fuse_are_warned_of(void **state) {
    struct model model;
    char said[2048];
    (void)state;
    assert_true(load(ADD1(", \"FusedActivation\": {\"Type\": \"ACTIVATION_RELU\", \"Alpha\": 1}"), NULL, &model, said));
    assert_non_null(strstr(said, "op: unknown member 'FusedActivation.Alpha' is ignored"));
    model_free(&model);
}

static void the_tool_tells_operators_without_a_row_from_others(void **state) {
    char said[2048];
    (void)state;
    const int saved = stderr_begin();
    assert_null(operator_names_find("template", "activation_tanh"));
    assert_null(operator_names_find("template", "ACTIVATION_REL"));
    assert_non_null(operator_names_find("template", "activation_relu"));
    stderr_end(saved, said);
    assert_string_equal(said, "vkdml template: DML_OPERATOR_ACTIVATION_TANH is not implemented yet\n"
                              "vkdml template: there is no operator 'ACTIVATION_REL'; did you mean ACTIVATION_RELU?\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_tensors_are_read_and_bound),
        cmocka_unit_test(tensors_of_an_array_may_be_bound_at_initialization),
        cmocka_unit_test(an_output_may_be_in_place_of_two_inputs),
        cmocka_unit_test(operators_to_fuse_are_read),
        cmocka_unit_test(sizes_and_arrays_of_numbers_are_read),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(unknown_members_of_operators_to_fuse_are_warned_of),
        cmocka_unit_test(the_tool_tells_operators_without_a_row_from_others),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(MODEL_FILE);
    remove(STDERR_FILE);
    return failed;
}
