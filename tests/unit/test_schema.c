/* The operator table agrees with the descriptor structs and with itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "schema/enumerations.h"
#include "schema/schema.h"
#include "schema/table.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the table ---- */

/* Bytes and alignment that a field of a type takes in a struct. */
static const struct {
    size_t bytes;
    size_t alignment;
} storage[] = {
    [VKDML_FIELD_TYPE_TENSOR_DESC] = {sizeof(void *), _Alignof(void *)},
    [VKDML_FIELD_TYPE_UINT] = {sizeof(uint32_t), _Alignof(uint32_t)},
    [VKDML_FIELD_TYPE_INT] = {sizeof(int32_t), _Alignof(int32_t)},
    [VKDML_FIELD_TYPE_FLOAT] = {sizeof(float), _Alignof(float)},
    [VKDML_FIELD_TYPE_ENUM] = {sizeof(DML_PADDING_MODE), _Alignof(DML_PADDING_MODE)},
    [VKDML_FIELD_TYPE_UINT_ARRAY] = {sizeof(void *), _Alignof(void *)},
    [VKDML_FIELD_TYPE_SCALE_BIAS] = {sizeof(void *), _Alignof(void *)},
    [VKDML_FIELD_TYPE_SCALAR_UNION] = {sizeof(DML_SCALAR_UNION), _Alignof(DML_SCALAR_UNION)},
    [VKDML_FIELD_TYPE_BOOL] = {sizeof(int32_t), _Alignof(int32_t)},
    [VKDML_FIELD_TYPE_INT_ARRAY] = {sizeof(void *), _Alignof(void *)},
    [VKDML_FIELD_TYPE_FLOAT_ARRAY] = {sizeof(void *), _Alignof(void *)},
    [VKDML_FIELD_TYPE_SIZE_2D] = {sizeof(DML_SIZE_2D), _Alignof(DML_SIZE_2D)},
    [VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY] = {sizeof(void *), _Alignof(void *)},
    [VKDML_FIELD_TYPE_OPERATOR_DESC] = {sizeof(void *), _Alignof(void *)},
    [VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY] = {sizeof(void *), _Alignof(void *)},
};

static bool is_tensor(const VkdmlFieldSchema *field) {
    return field->type == VKDML_FIELD_TYPE_TENSOR_DESC || field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
}

static bool is_operator(const VkdmlFieldSchema *field) {
    return field->type == VKDML_FIELD_TYPE_OPERATOR_DESC || field->type == VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY;
}

static bool is_array(const VkdmlFieldSchema *field) {
    return field->type == VKDML_FIELD_TYPE_UINT_ARRAY || field->type == VKDML_FIELD_TYPE_INT_ARRAY ||
           field->type == VKDML_FIELD_TYPE_FLOAT_ARRAY || field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY ||
           field->type == VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY;
}

static size_t align_up(size_t value, size_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

static void rows_are_found_by_type_and_by_index(void **state) {
    (void)state;
    assert_in_range(vkdml_schema_count(), 4, 177);
    for (uint32_t i = 0; i < vkdml_schema_count(); i++) {
        const VkdmlOperatorSchema *row = vkdml_schema_at(i);
        assert_non_null(row);
        assert_ptr_equal(vkdml_schema_find(row->type), row);
        assert_ptr_equal(vkdmlGetOperatorSchema(row->type), row);
        assert_ptr_equal(vkdmlGetOperatorSchemaAt(i), row);
    }
    assert_int_equal(vkdmlGetOperatorSchemaCount(), vkdml_schema_count());
    assert_null(vkdml_schema_at(vkdml_schema_count()));
    assert_null(vkdml_schema_at(UINT32_MAX));
    assert_null(vkdml_schema_find(DML_OPERATOR_INVALID));
    assert_null(vkdml_schema_find((DML_OPERATOR_TYPE)-1));
}

static void rows_have_the_name_and_level_of_their_operator(void **state) {
    (void)state;
    for (uint32_t i = 0; i < vkdml_schema_count(); i++) {
        const VkdmlOperatorSchema *row = vkdml_schema_at(i);
        assert_string_equal(row->name, vkdml_operator_name(row->type));
        assert_int_equal(row->introduced, vkdml_operator_level(row->type));
    }
}

/* Fields in order, each where the one before it ends: none of the struct is left out. */
static void fields_fill_their_struct(void **state) {
    (void)state;
    for (uint32_t i = 0; i < vkdml_schema_count(); i++) {
        const VkdmlOperatorSchema *row = vkdml_schema_at(i);
        size_t end = 0, alignment = 1;
        for (uint32_t j = 0; j < row->fieldCount; j++) {
            const VkdmlFieldSchema *field = &row->fields[j];
            assert_in_range(field->type, 0, COUNT_OF(storage) - 1);
            assert_int_equal(field->offset, align_up(end, storage[field->type].alignment));
            end = field->offset + storage[field->type].bytes;
            alignment = storage[field->type].alignment > alignment ? storage[field->type].alignment : alignment;
        }
        assert_int_equal(row->descSize, align_up(end, alignment));
    }
}

static void field_names_and_offsets_are_the_structs(void **state) {
    (void)state;
#define FIELD(NAME, index, Field)                                                                                      \
    { DML_OPERATOR_##NAME, index, #Field, offsetof(DML_##NAME##_OPERATOR_DESC, Field) }
    static const struct {
        DML_OPERATOR_TYPE type;
        uint32_t index;
        const char *name;
        size_t offset;
    } expected[] = {
        FIELD(ELEMENT_WISE_IDENTITY, 0, InputTensor),
        FIELD(ELEMENT_WISE_IDENTITY, 1, OutputTensor),
        FIELD(ELEMENT_WISE_IDENTITY, 2, ScaleBias),
        FIELD(PADDING, 0, InputTensor),
        FIELD(PADDING, 1, OutputTensor),
        FIELD(PADDING, 2, PaddingMode),
        FIELD(PADDING, 3, PaddingValue),
        FIELD(PADDING, 4, DimensionCount),
        FIELD(PADDING, 5, StartPadding),
        FIELD(PADDING, 6, EndPadding),
        FIELD(DIAGONAL_MATRIX, 0, OutputTensor),
        FIELD(DIAGONAL_MATRIX, 1, Offset),
        FIELD(DIAGONAL_MATRIX, 2, Value),
        FIELD(NONZERO_COORDINATES, 0, InputTensor),
        FIELD(NONZERO_COORDINATES, 1, OutputCountTensor),
        FIELD(NONZERO_COORDINATES, 2, OutputCoordinatesTensor),
    };
#undef FIELD
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        const VkdmlOperatorSchema *row = vkdml_schema_find(expected[i].type);
        assert_non_null(row);
        assert_in_range(expected[i].index, 0, row->fieldCount - 1);
        assert_string_equal(row->fields[expected[i].index].name, expected[i].name);
        assert_int_equal(row->fields[expected[i].index].offset, expected[i].offset);
    }
}

static void tensors_are_numbered_in_order_and_counted(void **state) {
    (void)state;
    for (uint32_t i = 0; i < vkdml_schema_count(); i++) {
        const VkdmlOperatorSchema *row = vkdml_schema_at(i);
        uint32_t seen[2] = {0, 0};
        bool array_seen[2] = {false, false};
        for (uint32_t j = 0; j < row->fieldCount; j++) {
            const VkdmlFieldSchema *field = &row->fields[j];
            assert_int_equal(field->kind != VKDML_FIELD_KIND_ATTRIBUTE, is_tensor(field));
            if (field->kind == VKDML_FIELD_KIND_ATTRIBUTE) {
                assert_int_equal(field->bindingIndex, VKDML_NONE);
                continue;
            }
            assert_false(array_seen[field->kind]); /* an array is the last of its kind, and not counted */
            assert_int_equal(field->bindingIndex, seen[field->kind]);
            array_seen[field->kind] = field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
            seen[field->kind] += !array_seen[field->kind];
            /* "QuantizationTensors[65535]" fits an instance's names */
            assert_in_range(strlen(field->name), 1, array_seen[field->kind] ? 24 : 64);
        }
        assert_int_equal(row->inputCount, seen[VKDML_FIELD_KIND_INPUT_TENSOR]);
        assert_int_equal(row->outputCount, seen[VKDML_FIELD_KIND_OUTPUT_TENSOR]);
    }
}

static void expect_reference(const VkdmlOperatorSchema *row, uint32_t reference, VkdmlFieldType type) {
    assert_in_range(reference, 0, row->fieldCount - 1);
    assert_int_equal(row->fields[reference].type, type);
}

/* With an earlier tensor, or with none where the rule needs none. */
static void expect_agreement(const VkdmlOperatorSchema *row, uint32_t field, const VkdmlAgreement *agreement) {
    assert_in_range(agreement->what, 1, 2 * VKDML_AGREE_ONE_ELEMENT - 1);
    assert_true((int)agreement->below == 0 || agreement->below > row->introduced);
    if (agreement->field == VKDML_NONE) {
        assert_int_equal(agreement->what, VKDML_AGREE_ONE_ELEMENT);
    } else {
        /* An array's tensors may have to agree with its first. */
        assert_true(agreement->field < field + (row->fields[field].type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY));
        assert_true(is_tensor(&row->fields[agreement->field]));
    }
}

static void references_point_at_fields_of_the_right_kind(void **state) {
    (void)state;
    for (uint32_t i = 0; i < vkdml_schema_count(); i++) {
        const VkdmlOperatorSchema *row = vkdml_schema_at(i);
        for (uint32_t j = 0; j < row->fieldCount; j++) {
            const VkdmlFieldSchema *field = &row->fields[j];
            for (uint32_t k = 0; k < field->agreementCount; k++) {
                expect_agreement(row, j, &field->agreements[k]);
            }
            for (uint32_t k = 0; k < 32; k++) {
                if ((field->mayAliasFields >> k & 1) != 0) {
                    expect_reference(row, k, VKDML_FIELD_TYPE_TENSOR_DESC);
                    assert_int_equal(field->kind, VKDML_FIELD_KIND_OUTPUT_TENSOR);
                    assert_int_equal(row->fields[k].kind, VKDML_FIELD_KIND_INPUT_TENSOR);
                    assert_in_range(row->fields[k].bindingIndex, 0, 31); /* bind points have a bit for each */
                }
            }
            assert_int_equal(field->countField != VKDML_NONE, is_array(field));
            if (field->countField != VKDML_NONE) {
                expect_reference(row, field->countField, VKDML_FIELD_TYPE_UINT);
                assert_true(field->countField < j);
            }
            assert_int_equal(field->typeField != VKDML_NONE, field->type == VKDML_FIELD_TYPE_SCALAR_UNION);
            if (field->typeField != VKDML_NONE) {
                expect_reference(row, field->typeField, VKDML_FIELD_TYPE_ENUM);
                assert_ptr_equal(row->fields[field->typeField].enumeration, &vkdml_enumeration_data_type);
            }
            assert_int_equal(field->enumeration != NULL, field->type == VKDML_FIELD_TYPE_ENUM);
        }
    }
}

static void support_goes_from_the_newest_level_to_the_operators_own(void **state) {
    (void)state;
    const uint32_t addressable = ((1u << (DML_TENSOR_DATA_TYPE_INT4 + 1)) - 1) & ~1u;
    for (uint32_t i = 0; i < vkdml_schema_count(); i++) {
        const VkdmlOperatorSchema *row = vkdml_schema_at(i);
        for (uint32_t j = 0; j < row->fieldCount; j++) {
            const VkdmlFieldSchema *field = &row->fields[j];
            if (!is_tensor(field)) {
                assert_int_equal(field->supportCount, 0);
                continue;
            }
            assert_in_range(field->supportCount, 1, 15);
            assert_int_equal(field->support[field->supportCount - 1].level, row->introduced);
            for (uint32_t k = 0; k < field->supportCount; k++) {
                const VkdmlTensorSupport *support = &field->support[k];
                assert_non_null(vkdml_level_name(support->level));
                assert_true(k == 0 || support->level < field->support[k - 1].level);
                assert_in_range(support->minDimensionCount, 1, support->maxDimensionCount);
                assert_in_range(support->maxDimensionCount, 1, 8);
                assert_int_not_equal(support->dataTypes, 0);
                assert_int_equal(support->dataTypes & ~addressable, 0);
                /* A later level takes nothing away. */
                assert_true(k == 0 || (support->dataTypes & ~field->support[k - 1].dataTypes) == 0);
            }
        }
    }
}

static void a_count_is_of_arrays_of_one_kind(void **state) {
    (void)state;
    for (uint32_t i = 0; i < vkdml_schema_count(); i++) {
        const VkdmlOperatorSchema *row = vkdml_schema_at(i);
        for (uint32_t j = 0; j < row->fieldCount; j++) {
            for (uint32_t k = 0; k < j; k++) {
                if (row->fields[j].countField != VKDML_NONE && row->fields[k].countField == row->fields[j].countField) {
                    assert_int_equal(is_tensor(&row->fields[j]), is_tensor(&row->fields[k]));
                }
            }
        }
    }
}

static void pointers_alone_are_optional(void **state) {
    (void)state;
    for (uint32_t i = 0; i < vkdml_schema_count(); i++) {
        const VkdmlOperatorSchema *row = vkdml_schema_at(i);
        for (uint32_t j = 0; j < row->fieldCount; j++) {
            const VkdmlFieldSchema *field = &row->fields[j];
            const bool is_pointer =
                is_tensor(field) || is_operator(field) || is_array(field) || field->type == VKDML_FIELD_TYPE_SCALE_BIAS;
            assert_in_range(field->optional, 0, is_pointer);
            if ((int)field->optionalSince != 0) {
                assert_int_equal(field->optional, 1);
                assert_non_null(vkdml_level_name(field->optionalSince));
                assert_true(field->optionalSince > row->introduced);
            }
        }
    }
}

static void what_may_be_fused_holds_neither_operators_nor_arrays_of_tensors(void **state) {
    (void)state;
    for (uint32_t i = 0; i < vkdml_schema_count(); i++) {
        const VkdmlOperatorSchema *row = vkdml_schema_at(i);
        assert_int_equal(row->fusableInto == DML_OPERATOR_INVALID ? row->fusableSince : 0,
                         vkdml_operator_fusable_since(row->type));
        for (uint32_t j = 0; (int)row->fusableSince != 0 && j < row->fieldCount; j++) {
            assert_false(is_operator(&row->fields[j]));
            assert_int_not_equal(row->fields[j].type, VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY);
        }
    }
}

static void accuracies_are_complete(void **state) {
    (void)state;
    for (uint32_t i = 0; i < vkdml_schema_count(); i++) {
        const VkdmlAccuracy *accuracy = &vkdml_schema_at(i)->accuracy;
        assert_in_range(accuracy->kind, VKDML_ACCURACY_EXACT, VKDML_ACCURACY_SUM);
        assert_int_equal(accuracy->ulp != 0, accuracy->kind == VKDML_ACCURACY_ULP);
        assert_int_equal(accuracy->what != NULL, accuracy->kind == VKDML_ACCURACY_SUM);
        const bool counts =
            accuracy->ofTermsCount > 0 || accuracy->ofResult.fixed > 0 || accuracy->ofResult.perTerm > 0;
        assert_int_equal(counts, accuracy->kind == VKDML_ACCURACY_SUM);
    }
}

/* "n", "2 n", "n/64", "(68 + n/64)"; a power of two of roundings is one of 1: "2^-15". */
static void print_roundings(const VkdmlRoundings *of, bool alone, char *text, size_t size) {
    char each[32] = "";
    if (of->perTerm >= 1) {
        snprintf(each, sizeof each, of->perTerm > 1 ? "%g n" : "n", of->perTerm);
    } else if (of->perTerm > 0) {
        snprintf(each, sizeof each, "n/%g", 1 / of->perTerm);
    }
    if (of->perTerm == 0 && alone) {
        int power = 0;
        while (1 << power < (int)of->fixed) {
            power++;
        }
        assert_true(1 << power == (int)of->fixed);
        snprintf(text, size, "2^-%d", 24 - power);
    } else if (of->perTerm == 0) {
        snprintf(text, size, "%g", of->fixed);
    } else if (of->fixed == 0) {
        snprintf(text, size, "%s%s", each, alone ? " 2^-24" : "");
    } else {
        snprintf(text, size, alone ? "(%g + %s) 2^-24" : "%g + %s", of->fixed, each);
    }
}

static void assert_in_words(const VkdmlOperatorSchema *row, const char *text) {
    if (strstr(row->accuracy.what, text) == NULL) {
        fail_msg("%s: \"%s\" does not say \"%s\"", row->name, row->accuracy.what, text);
    }
}

static void bounds_in_words_are_those_in_numbers(void **state) {
    (void)state;
    for (uint32_t i = 0; i < vkdml_schema_count(); i++) {
        const VkdmlOperatorSchema *row = vkdml_schema_at(i);
        const VkdmlAccuracy *accuracy = &row->accuracy;
        const VkdmlRoundings one = {accuracy->absolute, 0};
        char text[256] = "min(", part[64];
        for (uint32_t t = 0; t < accuracy->ofTermsCount && accuracy->ofTermsCount > 1; t++) {
            print_roundings(&accuracy->ofTerms[t], false, part, sizeof part);
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", t == 0 ? "" : ", ", part);
        }
        if (accuracy->ofTermsCount > 1) {
            snprintf(text + strlen(text), sizeof text - strlen(text), ") 2^-24");
            assert_in_words(row, text);
        } else if (accuracy->ofTermsCount == 1) {
            print_roundings(&accuracy->ofTerms[0], true, text, sizeof text);
            assert_in_words(row, text);
        }
        if (accuracy->ofResult.fixed > 0 || accuracy->ofResult.perTerm > 0) {
            print_roundings(&accuracy->ofResult, true, text, sizeof text);
            assert_in_words(row, text);
        }
        if (one.fixed > 0) {
            print_roundings(&one, true, text, sizeof text);
            assert_in_words(row, text);
        }
    }
}

/* ---- names and enumerations ---- */

static void nineteen_activations_may_be_fused(void **state) {
    (void)state;
    uint32_t count = 0;
    for (int type = -1; type <= 178; type++) {
        const DML_FEATURE_LEVEL since = vkdml_operator_fusable_since((DML_OPERATOR_TYPE)type);
        if ((int)since != 0) {
            const char *name = vkdml_operator_name((DML_OPERATOR_TYPE)type);
            assert_non_null(name);
            assert_int_equal(strncmp(name, "DML_OPERATOR_ACTIVATION_", strlen("DML_OPERATOR_ACTIVATION_")), 0);
            assert_true(since >= vkdml_operator_level((DML_OPERATOR_TYPE)type));
            count++;
        }
    }
    assert_int_equal(count, 19);
    assert_int_equal(vkdml_operator_fusable_since(DML_OPERATOR_ACTIVATION_SHRINK), DML_FEATURE_LEVEL_2_0);
    assert_int_equal(vkdml_operator_fusable_since(DML_OPERATOR_ACTIVATION_SOFTMAX), 0);
}

static void all_177_operators_have_a_name_and_a_level(void **state) {
    (void)state;
    for (int type = 1; type <= 177; type++) {
        const char *name = vkdmlGetOperatorName((DML_OPERATOR_TYPE)type);
        assert_non_null(name);
        assert_int_equal(strncmp(name, "DML_OPERATOR_", strlen("DML_OPERATOR_")), 0);
        assert_non_null(vkdml_level_name(vkdmlGetOperatorFeatureLevel((DML_OPERATOR_TYPE)type)));
    }
    static const int others[] = {0, 178, -1, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        assert_null(vkdmlGetOperatorName((DML_OPERATOR_TYPE)others[i]));
        assert_int_equal(vkdmlGetOperatorFeatureLevel((DML_OPERATOR_TYPE)others[i]), 0);
    }
    assert_string_equal(vkdmlGetOperatorName(DML_OPERATOR_SCATTER), "DML_OPERATOR_SCATTER_ELEMENTS");
    assert_int_equal(vkdmlGetOperatorFeatureLevel(DML_OPERATOR_PADDING1), DML_FEATURE_LEVEL_5_0);
    assert_int_equal(vkdmlGetOperatorFeatureLevel(DML_OPERATOR_UNFOLD), DML_FEATURE_LEVEL_6_4);
}

static void fifteen_levels_have_a_name(void **state) {
    (void)state;
    uint32_t named = 0;
    for (int level = -1; level <= 0x10000; level++) {
        const char *name = vkdmlGetFeatureLevelName((DML_FEATURE_LEVEL)level);
        if (name != NULL) {
            char expected[16];
            snprintf(expected, sizeof expected, "%d_%d", level >> 12, (level >> 8) & 15);
            assert_string_equal(name, expected);
            assert_int_equal(level & 0xFF, 0);
            named++;
        }
    }
    assert_int_equal(named, 15);
}

static void enumerators_are_ordered_and_bear_their_enumerations_name(void **state) {
    (void)state;
    const VkdmlEnumeration *const enumerations[] = {
        &vkdml_enumeration_padding_mode,  &vkdml_enumeration_data_type,         &vkdml_enumeration_is_infinity_mode,
        &vkdml_enumeration_rounding_mode, &vkdml_enumeration_quantization_type, &vkdml_enumeration_reduce_function,
        &vkdml_enumeration_axis_direction};
    for (size_t i = 0; i < COUNT_OF(enumerations); i++) {
        for (uint32_t j = 0; j < enumerations[i]->enumeratorCount; j++) {
            const VkdmlEnumerator *enumerator = &enumerations[i]->enumerators[j];
            assert_int_equal(strncmp(enumerator->name, enumerations[i]->name, strlen(enumerations[i]->name)), 0);
            assert_true(j == 0 || enumerator->value > enumerator[-1].value);
            assert_non_null(vkdml_level_name(enumerator->introduced));
        }
    }
    assert_int_equal(vkdml_enumeration_padding_mode.enumeratorCount, 5);
    assert_int_equal(vkdml_enumeration_data_type.enumeratorCount, 11);
    for (uint32_t j = 0; j < 11; j++) {
        const VkdmlEnumerator *enumerator = &vkdml_enumeration_data_type.enumerators[j];
        assert_string_equal(enumerator->name, vkdmlGetDataTypeName((DML_TENSOR_DATA_TYPE)enumerator->value));
    }
}

static void the_public_size_calculation_answers_0_where_there_is_no_size(void **state) {
    (void)state;
    const uint32_t sizes[] = {2, 3, 4, 5, 1, 1, 1, 1, 1}, strides[] = {100, 30, 6, 1}, zero[] = {2, 0};
    const uint32_t huge[] = {65536, 65536, 65536, 65536};
    const DML_TENSOR_DATA_TYPE type = DML_TENSOR_DATA_TYPE_FLOAT16;
    assert_int_equal(vkdmlCalcBufferTensorSize(type, 4, sizes, NULL), 240);
    assert_int_equal(vkdmlCalcBufferTensorSize(type, 4, sizes, strides), (100 + 60 + 18 + 4 + 1 + 1) / 2 * 4);
    assert_int_equal(vkdmlCalcBufferTensorSize(type, 8, sizes, NULL), 240);
    assert_int_equal(vkdmlCalcBufferTensorSize(type, 0, sizes, NULL), 0);
    assert_int_equal(vkdmlCalcBufferTensorSize(type, 9, sizes, NULL), 0);
    assert_int_equal(vkdmlCalcBufferTensorSize(type, 4, NULL, NULL), 0);
    assert_int_equal(vkdmlCalcBufferTensorSize(type, 2, zero, NULL), 0);
    assert_int_equal(vkdmlCalcBufferTensorSize(type, 4, huge, NULL), 0);
    assert_int_equal(vkdmlCalcBufferTensorSize(DML_TENSOR_DATA_TYPE_UNKNOWN, 4, sizes, NULL), 0);
    assert_int_equal(vkdmlCalcBufferTensorSize(DML_TENSOR_DATA_TYPE_INT4, 4, sizes, NULL), 60);
    assert_int_equal(vkdmlCalcBufferTensorSize(DML_TENSOR_DATA_TYPE_UINT4, 3, sizes, NULL), 12);
    assert_int_equal(vkdmlCalcBufferTensorSize((DML_TENSOR_DATA_TYPE)99, 4, sizes, NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_type_and_by_index),
        cmocka_unit_test(rows_have_the_name_and_level_of_their_operator),
        cmocka_unit_test(fields_fill_their_struct),
        cmocka_unit_test(field_names_and_offsets_are_the_structs),
        cmocka_unit_test(tensors_are_numbered_in_order_and_counted),
        cmocka_unit_test(references_point_at_fields_of_the_right_kind),
        cmocka_unit_test(support_goes_from_the_newest_level_to_the_operators_own),
        cmocka_unit_test(a_count_is_of_arrays_of_one_kind),
        cmocka_unit_test(pointers_alone_are_optional),
        cmocka_unit_test(what_may_be_fused_holds_neither_operators_nor_arrays_of_tensors),
        cmocka_unit_test(accuracies_are_complete),
        cmocka_unit_test(bounds_in_words_are_those_in_numbers),
        cmocka_unit_test(nineteen_activations_may_be_fused),
        cmocka_unit_test(all_177_operators_have_a_name_and_a_level),
        cmocka_unit_test(fifteen_levels_have_a_name),
        cmocka_unit_test(enumerators_are_ordered_and_bear_their_enumerations_name),
        cmocka_unit_test(the_public_size_calculation_answers_0_where_there_is_no_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
