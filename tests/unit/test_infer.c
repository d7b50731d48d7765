/* Sizes of outputs that are found, held to what validation takes: every operator's fixed cases and random ones, whose
 * outputs are forgotten and found again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cases/family.h"
#include "vkdml/vkdml.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define RANDOM_CASES    200

/* ---- what is documented of operators ---- */

/* Rules leave a choice. */
static const DML_OPERATOR_TYPE chosen[] = {
    DML_OPERATOR_AVERAGE_POOLING,
    DML_OPERATOR_AVERAGE_POOLING1,
    DML_OPERATOR_AVERAGE_POOLING_GRAD,
    DML_OPERATOR_CONVOLUTION,
    DML_OPERATOR_CONVOLUTION_INTEGER,
    DML_OPERATOR_LP_POOLING,
    DML_OPERATOR_LP_POOLING1,
    DML_OPERATOR_MAX_POOLING,
    DML_OPERATOR_MAX_POOLING1,
    DML_OPERATOR_MAX_POOLING2,
    DML_OPERATOR_MULTIHEAD_ATTENTION,
    DML_OPERATOR_MULTIHEAD_ATTENTION1,
    DML_OPERATOR_NONZERO_COORDINATES,
    DML_OPERATOR_QUANTIZED_LINEAR_AVERAGE_POOLING,
    DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION,
    DML_OPERATOR_RESAMPLE,
    DML_OPERATOR_RESAMPLE1,
    DML_OPERATOR_RESAMPLE2,
    DML_OPERATOR_RESAMPLE3,
    DML_OPERATOR_RESAMPLE_GRAD,
    DML_OPERATOR_RESAMPLE_GRAD1,
    DML_OPERATOR_SLICE1,
    DML_OPERATOR_SPLIT,
    DML_OPERATOR_UNFOLD,
};

/* Some sizes do not follow, always or now and then; scales may lead beyond all sizes. */
static const DML_OPERATOR_TYPE given[] = {
    DML_OPERATOR_AVERAGE_POOLING,
    DML_OPERATOR_CONVOLUTION,
    DML_OPERATOR_DIAGONAL_MATRIX,
    DML_OPERATOR_DIAGONAL_MATRIX1,
    DML_OPERATOR_FILL_VALUE_CONSTANT,
    DML_OPERATOR_FILL_VALUE_SEQUENCE,
    DML_OPERATOR_FOLD,
    DML_OPERATOR_LP_POOLING1,
    DML_OPERATOR_MAX_POOLING,
    DML_OPERATOR_MAX_UNPOOLING,
    DML_OPERATOR_MULTIHEAD_ATTENTION1,
    DML_OPERATOR_ONE_HOT,
    DML_OPERATOR_RANDOM_GENERATOR,
    DML_OPERATOR_RESAMPLE,
    DML_OPERATOR_RESAMPLE1,
    DML_OPERATOR_RESAMPLE2,
    DML_OPERATOR_RESAMPLE3,
    DML_OPERATOR_ROI_ALIGN,
    DML_OPERATOR_ROI_ALIGN1,
    DML_OPERATOR_ROI_ALIGN_GRAD,
    DML_OPERATOR_SLICE_GRAD,
    DML_OPERATOR_SPLIT,
};

/* Of operators in these lists, whether a case showed it. */
static bool differed[COUNT_OF(chosen)], lacked[COUNT_OF(given)];

/* Where an operator is in a list; its length where it is not. */
static size_t find(const DML_OPERATOR_TYPE *list, size_t count, DML_OPERATOR_TYPE type) {
    size_t i = 0;
    while (i < count && list[i] != type) {
        i++;
    }
    return i;
}

/* ---- one case ---- */

static struct operator_case current;
static struct case_desc built;
static VkdmlTensorShape found[CASE_MAX_TENSORS];
static uint64_t cases, settled_cases;

static void fail_case(const char *what) {
    static char line[CASE_MAX_LINE];
    case_print(&current, line, sizeof(line));
    fail_msg("%s\n%s\n%s", what, line, vkdmlGetErrorMessage());
}

static VkdmlResult infer(void) {
    memset(found, 0xAB, sizeof(found));
    return vkdmlInferOutputSizes(&built.op, current.level, case_output_count(&current), found);
}

static bool is_found(struct case_at at) {
    const VkdmlTensorShape *shape = &found[at.binding];
    return shape->dimensionCount == at.tensor->rank &&
           memcmp(shape->sizes, at.tensor->sizes, at.tensor->rank * sizeof(shape->sizes[0])) == 0;
}

/* Whether all outputs are the case's; a type that is not is a failure. */
static bool all_are_found(bool types_are_given) {
    bool all = true;
    for (struct case_at at = case_first(&current); at.tensor != NULL; at = case_next(&current, at)) {
        if (at.is_input) {
            continue;
        }
        const DML_TENSOR_DATA_TYPE type = found[at.binding].dataType;
        all = all && is_found(at);
        if (type != at.tensor->type && (types_are_given || type != DML_TENSOR_DATA_TYPE_UNKNOWN)) {
            fail_case("another data type was found");
        }
    }
    return all;
}

/* What is known of the outputs; laid out they are packed, with room for more. */
static void tell_outputs(bool types, bool ranks, bool sizes) {
    case_build_desc(&current, &built);
    for (struct case_at at = case_first(&current); at.tensor != NULL; at = case_next(&current, at)) {
        DML_BUFFER_TENSOR_DESC *buffer = &built.buffers[at.slot];
        if (at.is_input) {
            continue;
        }
        buffer->DataType = types ? at.tensor->type : DML_TENSOR_DATA_TYPE_UNKNOWN;
        buffer->DimensionCount = ranks ? at.tensor->rank : 0;
        buffer->Sizes = sizes ? built.sizes[at.slot] : NULL;
        buffer->Strides = NULL;
        buffer->TotalTensorSizeInBytes = UINT64_C(1) << 40;
        buffer->GuaranteedBaseOffsetAlignment = 0;
    }
}

/* One size more: where it is found for certain it is refused, and inference refuses what validation does. */
static void change_sizes(bool is_settled) {
    tell_outputs(true, true, true);
    for (struct case_at at = case_first(&current); at.tensor != NULL; at = case_next(&current, at)) {
        for (uint32_t d = 0; d < at.tensor->rank && !at.is_input; d++) {
            built.sizes[at.slot][d]++;
            const VkdmlResult result = vkdmlValidateOperator(&built.op, current.level);
            if (is_settled && result == VKDML_SUCCESS) {
                fail_case("a size that was found may be another");
            }
            if (infer() != result) {
                fail_case("what is valid and what can be inferred differ");
            }
            built.sizes[at.slot][d]--;
        }
    }
}

static void check_case(void) {
    const DML_OPERATOR_TYPE type = current.schema->type;
    const size_t choice = find(chosen, COUNT_OF(chosen), type), lack = find(given, COUNT_OF(given), type);
    const bool may_differ = choice < COUNT_OF(chosen), may_lack = lack < COUNT_OF(given);
    tell_outputs(false, false, false);
    const bool is_inferred = infer() == VKDML_SUCCESS;
    const bool is_same = is_inferred && all_are_found(false);
    if (is_inferred ? !is_same && !may_differ : !may_lack) {
        fail_case(is_inferred ? "other sizes were found" : "no sizes were found");
    }
    if (is_inferred && !is_same) {
        differed[choice] = true;
    } else if (!is_inferred) {
        lacked[lack] = true;
    }
    tell_outputs(true, true, true);
    if (infer() != VKDML_SUCCESS || !all_are_found(true)) {
        fail_case("what was given was not taken");
    }
    const bool is_settled = is_same && !may_differ;
    change_sizes(is_settled);
    cases++;
    settled_cases += is_settled;
}

/* ---- all cases ---- */

static void cases_outputs_are_found(void **state) {
    (void)state;
    for (size_t f = 0; f < case_family_count; f++) {
        const struct case_family *family = case_families[f];
        for (size_t i = 0; i < family->fixed_count; i++) {
            char error[256] = "";
            if (!case_parse(family->fixed[i], &current, error, sizeof(error))) {
                fail_msg("%s: %s", family->fixed[i], error);
            }
            check_case();
        }
        struct random random = {f + 1};
        for (uint32_t i = 0; i < RANDOM_CASES; i++) {
            family->generate(family, &random, &current);
            check_case();
        }
    }
    for (size_t i = 0; i < COUNT_OF(chosen); i++) {
        assert_true(differed[i]);
    }
    for (size_t i = 0; i < COUNT_OF(given); i++) {
        assert_true(lacked[i]);
    }
    print_message("%llu cases, in %llu of them all follows\n", (unsigned long long)cases,
                  (unsigned long long)settled_cases);
}

/* ---- broken cases ---- */

/* Whether a field counts tensors, of which the descriptor has no more. */
static bool counts_tensors(uint32_t index) {
    for (uint32_t i = 0; i < current.schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &current.schema->fields[i];
        if (field->countField == index && field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY) {
            return true;
        }
    }
    return false;
}

/* Another number of an attribute, or another size of a tensor. */
static void break_case(struct random *random) {
    static const uint32_t numbers[] = {0, 1, 2, 3, 5, 8, 70000, 0x80000000, UINT32_MAX};
    const uint32_t number = numbers[random_below(random, COUNT_OF(numbers))];
    const uint32_t index = random_below(random, current.schema->fieldCount);
    struct case_field *field = &current.fields[index];
    if (case_is_tensor(&current, index)) {
        current.tensors[index].sizes[random_below(random, DML_TENSOR_DIMENSION_COUNT_MAX1)] = number;
    } else if (field->present && field->word_count > 0 && !counts_tensors(index)) {
        field->words[random_below(random, field->word_count)] = number;
    }
}

/* Gives the descriptor what was found; false where that is not all. */
static bool take_found(void) {
    bool is_all = true;
    for (struct case_at at = case_first(&current); at.tensor != NULL; at = case_next(&current, at)) {
        const VkdmlTensorShape *shape = &found[at.binding];
        if (!at.is_input) {
            built.buffers[at.slot].DataType = shape->dataType;
            built.buffers[at.slot].DimensionCount = shape->dimensionCount;
            built.buffers[at.slot].Sizes = shape->sizes;
            is_all = is_all && shape->dataType != DML_TENSOR_DATA_TYPE_UNKNOWN;
        }
    }
    return is_all;
}

static void what_is_found_is_valid(void **state) {
    (void)state;
    for (size_t f = 0; f < case_family_count; f++) {
        struct random random = {f + 1000};
        for (uint32_t i = 0; i < RANDOM_CASES; i++) {
            case_families[f]->generate(case_families[f], &random, &current);
            do {
                break_case(&random);
            } while (random_chance(&random, 50));
            tell_outputs(random_chance(&random, 50), random_chance(&random, 50), random_chance(&random, 20));
            if (infer() == VKDML_SUCCESS && take_found() &&
                vkdmlValidateOperator(&built.op, current.level) != VKDML_SUCCESS) {
                fail_case("what was found is not valid");
            }
        }
    }
}

/* ---- what callers may leave out ---- */

/* A packed tensor; NULL sizes: a tensor of which nothing is known. */
struct tensor {
    uint32_t sizes[DML_TENSOR_DIMENSION_COUNT_MAX1];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
};

static const DML_TENSOR_DESC *make_tensor(struct tensor *tensor, DML_TENSOR_DATA_TYPE type, uint32_t count,
                                          const uint32_t *sizes) {
    memcpy(tensor->sizes, sizes, count * sizeof(*sizes));
    tensor->buffer = (DML_BUFFER_TENSOR_DESC){
        type, DML_TENSOR_FLAG_NONE, count, tensor->sizes, NULL, UINT64_C(1) << 20, 0,
    };
    tensor->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &tensor->buffer};
    return &tensor->desc;
}

static void assert_shape(const VkdmlTensorShape *shape, DML_TENSOR_DATA_TYPE type, uint32_t count,
                         const uint32_t *sizes) {
    assert_int_equal(shape->dataType, type);
    assert_int_equal(shape->dimensionCount, count);
    assert_memory_equal(shape->sizes, sizes, count * sizeof(*sizes));
    for (uint32_t d = count; d < DML_TENSOR_DIMENSION_COUNT_MAX1; d++) {
        assert_int_equal(shape->sizes[d], 0);
    }
}

#define SIZES(...)                                                                                                     \
    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (const uint32_t[]) {                                   \
        __VA_ARGS__                                                                                                    \
    }

static void required_outputs_may_be_null(void **state) {
    (void)state;
    struct tensor input;
    const DML_TENSOR_DESC *values = make_tensor(&input, DML_TENSOR_DATA_TYPE_FLOAT16, SIZES(2, 3, 10));
    const DML_TOP_K_OPERATOR_DESC top_k = {values, NULL, NULL, 2, 4};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_TOP_K, &top_k};
    VkdmlTensorShape outputs[2];
    assert_int_equal(vkdmlInferOutputSizes(&desc, 0, 2, outputs), VKDML_SUCCESS);
    assert_shape(&outputs[0], DML_TENSOR_DATA_TYPE_FLOAT16, SIZES(2, 3, 4));
    assert_shape(&outputs[1], DML_TENSOR_DATA_TYPE_UNKNOWN, SIZES(2, 3, 4));
    assert_int_equal(vkdmlInferOutputSizes(&desc, DML_FEATURE_LEVEL_4_1, 2, outputs), VKDML_SUCCESS);
    assert_shape(&outputs[1], DML_TENSOR_DATA_TYPE_UINT32, SIZES(2, 3, 4)); /* the one there was */
}

static void optional_outputs_are_asked_for(void **state) {
    (void)state;
    static const uint32_t ones[] = {1, 1}, twos[] = {2, 2}, zeros[] = {0, 0};
    struct tensor input;
    const DML_TENSOR_DESC *picture = make_tensor(&input, DML_TENSOR_DATA_TYPE_FLOAT32, SIZES(1, 3, 9, 8));
    const DML_TENSOR_DESC unknown = {DML_TENSOR_TYPE_BUFFER, NULL};
    DML_MAX_POOLING2_OPERATOR_DESC pooling = {picture, NULL, NULL, 2, twos, twos, zeros, zeros, ones};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_MAX_POOLING2, &pooling};
    VkdmlTensorShape outputs[2];
    assert_int_equal(vkdmlInferOutputSizes(&desc, 0, 2, outputs), VKDML_SUCCESS);
    assert_shape(&outputs[0], DML_TENSOR_DATA_TYPE_FLOAT32, SIZES(1, 3, 4, 4));
    assert_shape(&outputs[1], DML_TENSOR_DATA_TYPE_UNKNOWN, 0, zeros);
    pooling.OutputIndicesTensor = &unknown;
    assert_int_equal(vkdmlInferOutputSizes(&desc, 0, 2, outputs), VKDML_SUCCESS);
    assert_shape(&outputs[1], DML_TENSOR_DATA_TYPE_UNKNOWN, SIZES(1, 3, 4, 4));
}

static void parts_get_what_is_left(void **state) {
    (void)state;
    struct tensor input, part;
    const DML_TENSOR_DESC *whole = make_tensor(&input, DML_TENSOR_DATA_TYPE_UINT8, SIZES(2, 9));
    DML_SPLIT_OPERATOR_DESC split = {whole, 3, NULL, 1};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_SPLIT, &split};
    VkdmlTensorShape outputs[3];
    assert_int_equal(vkdmlInferOutputSizes(&desc, 0, 3, outputs), VKDML_SUCCESS);
    assert_shape(&outputs[2], DML_TENSOR_DATA_TYPE_UINT8, SIZES(2, 3));

    make_tensor(&part, DML_TENSOR_DATA_TYPE_UNKNOWN, SIZES(0, 4));
    const DML_TENSOR_DESC parts[] = {part.desc, {DML_TENSOR_TYPE_BUFFER, NULL}, part.desc};
    split.OutputTensors = parts;
    assert_int_equal(vkdmlInferOutputSizes(&desc, 0, 3, outputs), VKDML_SUCCESS);
    assert_shape(&outputs[0], DML_TENSOR_DATA_TYPE_UINT8, SIZES(2, 4));
    assert_shape(&outputs[1], DML_TENSOR_DATA_TYPE_UINT8, SIZES(2, 1));
}

static void what_is_given_is_completed(void **state) {
    (void)state;
    struct tensor input, values, output;
    const DML_TENSOR_DESC *indices = make_tensor(&input, DML_TENSOR_DATA_TYPE_UINT32, SIZES(5, 1));
    const DML_TENSOR_DESC *two = make_tensor(&values, DML_TENSOR_DATA_TYPE_FLOAT32, SIZES(1, 2));
    const DML_TENSOR_DESC *depth = make_tensor(&output, DML_TENSOR_DATA_TYPE_UNKNOWN, SIZES(0, 7));
    const DML_ONE_HOT_OPERATOR_DESC one_hot = {indices, two, depth, 1};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_ONE_HOT, &one_hot};
    VkdmlTensorShape shape;
    assert_int_equal(vkdmlInferOutputSizes(&desc, 0, 1, &shape), VKDML_SUCCESS);
    assert_shape(&shape, DML_TENSOR_DATA_TYPE_FLOAT32, SIZES(5, 7));
}

/* ---- refusals ---- */

static void assert_refused(const DML_OPERATOR_DESC *desc, uint32_t count, const char *reason) {
    VkdmlTensorShape outputs[3], untouched[3];
    memset(outputs, 0xCD, sizeof(outputs));
    memcpy(untouched, outputs, sizeof(outputs));
    assert_int_equal(vkdmlInferOutputSizes(desc, 0, count, outputs), VKDML_ERROR_INVALID_ARGUMENT);
    assert_string_equal(vkdmlGetErrorMessage(), reason);
    assert_memory_equal(outputs, untouched, sizeof(outputs));
}

static void refusals_say_what_does_not_follow(void **state) {
    (void)state;
    struct tensor input;
    const DML_FILL_VALUE_CONSTANT_OPERATOR_DESC fill = {NULL, DML_TENSOR_DATA_TYPE_FLOAT32, {{0}}};
    assert_refused(&(DML_OPERATOR_DESC){DML_OPERATOR_FILL_VALUE_CONSTANT, &fill}, 1,
                   "DML_OPERATOR_FILL_VALUE_CONSTANT: OutputTensor.DimensionCount does not follow from inputs and "
                   "attributes, must be given");

    const DML_TENSOR_DESC *matrix = make_tensor(&input, DML_TENSOR_DATA_TYPE_FLOAT32, SIZES(70000, 1));
    DML_SPLIT_OPERATOR_DESC split = {matrix, 3, NULL, 0};
    assert_refused(&(DML_OPERATOR_DESC){DML_OPERATOR_SPLIT, &split}, 3,
                   "DML_OPERATOR_SPLIT: OutputTensors[0].Sizes[0] does not follow from inputs and attributes, must be "
                   "given\nDML_OPERATOR_SPLIT: OutputTensors[1].Sizes[0] does not follow from inputs and attributes, "
                   "must be given\nDML_OPERATOR_SPLIT: OutputTensors[2].Sizes[0] does not follow from inputs and "
                   "attributes, must be given");
}

static void refusals_say_what_cannot_be(void **state) {
    (void)state;
    static const uint32_t repeats[] = {70000, 70000}, window[] = {4, 4}, sizes[] = {0, 1, 2, 1};
    static const uint32_t none[] = {0, 0, 0, 0}, some[] = {1, 1, 1, 1};
    struct tensor input, output;
    const DML_TENSOR_DESC *matrix = make_tensor(&input, DML_TENSOR_DATA_TYPE_FLOAT32, SIZES(70000, 1));
    const DML_TILE_OPERATOR_DESC tile = {matrix, NULL, 2, repeats};
    assert_refused(&(DML_OPERATOR_DESC){DML_OPERATOR_TILE, &tile}, 1,
                   "DML_OPERATOR_TILE: OutputTensor.Sizes[0] is 0, must be 4900000000 = InputTensor.Sizes[0] (70000) * "
                   "Repeats[0] (70000)");

    const DML_TENSOR_DESC *picture = make_tensor(&input, DML_TENSOR_DATA_TYPE_FLOAT32, SIZES(1, 1, 4, 3));
    const DML_MAX_POOLING_OPERATOR_DESC pooling = {picture, NULL, 2, some, window, none, none};
    assert_refused(
        &(DML_OPERATOR_DESC){DML_OPERATOR_MAX_POOLING, &pooling}, 1,
        "DML_OPERATOR_MAX_POOLING: the number of windows along InputTensor.Sizes[3] (3) is 0, must be at least "
        "1: WindowSize[1] (4) with Dilations[1] (1) reaches beyond it, StartPadding[1] (0) and EndPadding[1] "
        "(0)");
    static const uint32_t strides[] = {0, 1};
    const DML_MAX_POOLING_OPERATOR_DESC still = {picture, NULL, 2, strides, some, none, none};
    assert_refused(&(DML_OPERATOR_DESC){DML_OPERATOR_MAX_POOLING, &still}, 1,
                   "DML_OPERATOR_MAX_POOLING: Strides[0] is 0, must be at least 1 where OutputTensor.Sizes[2] is not "
                   "stated");
    const DML_SLICE_OPERATOR_DESC slice = {picture, NULL, 4, none, sizes, some};
    assert_refused(&(DML_OPERATOR_DESC){DML_OPERATOR_SLICE, &slice}, 1,
                   "DML_OPERATOR_SLICE: OutputTensor.Sizes[0] comes to 0, must be at least 1");
    const DML_TENSOR_DESC *other = make_tensor(&output, DML_TENSOR_DATA_TYPE_UNKNOWN, SIZES(1, 1, 4, 2));
    const DML_ACTIVATION_RELU_OPERATOR_DESC relu = {picture, other};
    assert_refused(&(DML_OPERATOR_DESC){DML_OPERATOR_ACTIVATION_RELU, &relu}, 1,
                   "DML_OPERATOR_ACTIVATION_RELU: OutputTensor.Sizes[3] is 2, must be 3 = InputTensor.Sizes[3]");
}

static void refusals_of_inputs_and_calls(void **state) {
    (void)state;
    struct tensor input;
    const DML_TENSOR_DESC *matrix = make_tensor(&input, DML_TENSOR_DATA_TYPE_FLOAT32, SIZES(2, 3));
    const DML_TOP_K_OPERATOR_DESC top_k = {matrix, NULL, NULL, 2, 1};
    assert_refused(&(DML_OPERATOR_DESC){DML_OPERATOR_TOP_K, &top_k}, 2,
                   "DML_OPERATOR_TOP_K: Axis is 2, must be below 2 = InputTensor.DimensionCount");
    const DML_ACTIVATION_RELU_OPERATOR_DESC relu = {matrix, NULL}, none = {NULL, NULL};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_ACTIVATION_RELU, &relu};
    assert_refused(&desc, 2, "outputCount is 2, must be 1, the outputs of DML_OPERATOR_ACTIVATION_RELU");
    assert_refused(&(DML_OPERATOR_DESC){DML_OPERATOR_ACTIVATION_RELU, &none}, 1,
                   "DML_OPERATOR_ACTIVATION_RELU: InputTensor is NULL, must point to a DML_TENSOR_DESC");
    assert_int_equal(vkdmlInferOutputSizes(&desc, 0, 1, NULL), VKDML_ERROR_INVALID_ARGUMENT);
    assert_string_equal(vkdmlGetErrorMessage(), "outputs is NULL, must be given");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_outputs_are_found),
        cmocka_unit_test(what_is_found_is_valid),
        cmocka_unit_test(required_outputs_may_be_null),
        cmocka_unit_test(optional_outputs_are_asked_for),
        cmocka_unit_test(parts_get_what_is_left),
        cmocka_unit_test(what_is_given_is_completed),
        cmocka_unit_test(refusals_say_what_does_not_follow),
        cmocka_unit_test(refusals_of_inputs_and_calls),
        cmocka_unit_test(refusals_say_what_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
