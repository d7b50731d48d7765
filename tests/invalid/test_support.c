/* What each operator takes, by feature level, data type and dimension count: DirectML's documented tables, which the
 * families of cases hold a second time and independently of the library's, and every combination of them tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cases/family.h"
#include "documented.h"
#include "refused_file.h"
#include "sample.h"
#include "vkdml/schema.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- descriptors ---- */

/* A tensor of a descriptor; it must be there. */
static const DML_BUFFER_TENSOR_DESC *tensor_of(const DML_OPERATOR_DESC *desc, const char *name) {
    const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchema(desc->Type);
    const DML_TENSOR_DESC *tensor;
    memcpy(&tensor, (const char *)desc->Desc + schema->fields[find_field(schema, name)].offset, sizeof(tensor));
    return tensor->Desc;
}

/* An element is shared by no sample: any type of up to 8 bytes and any count of these sizes fits. */
#define AMPLE_BYTES 4096

static void set_shape(struct sample_tensor *tensor, uint32_t dimensions, uint32_t second_last, uint32_t last) {
    for (uint32_t i = 0; i < SAMPLE_MAX_DIMENSIONS; i++) {
        tensor->sizes[i] = 1;
    }
    if (dimensions > 1) {
        tensor->sizes[dimensions - 2] = second_last;
    }
    if (dimensions > 0) {
        tensor->sizes[dimensions - 1] = last;
    }
    tensor->buffer.DimensionCount = dimensions;
    tensor->buffer.TotalTensorSizeInBytes = AMPLE_BYTES;
}

/* The sample with all tensors of one dimension count and, but for coordinates and their count, one type. */
static void init_uniform(struct sample *sample, DML_OPERATOR_TYPE type, DML_TENSOR_DATA_TYPE data_type,
                         uint32_t dimensions) {
    sample_init(sample, type);
    set_shape(&sample->input, dimensions, 1, 3);
    set_shape(&sample->output, dimensions, 1, 3);
    set_shape(&sample->count, dimensions, 1, 1);
    set_shape(&sample->coordinates, dimensions < 2 ? 2 : dimensions, 3, 1);
    sample->input.buffer.DataType = sample->output.buffer.DataType = data_type;
    if (type == DML_OPERATOR_PADDING) {
        sample->padding.DimensionCount = dimensions;
        memset(sample->start, 0, sizeof(sample->start));
        memset(sample->end, 0, sizeof(sample->end));
    }
}

/* ---- every combination ---- */

static void try_every_combination(const struct case_family *family, const struct case_tensor_support *support) {
    static struct trial trial;
    struct complaint complaint;
    trial_begin(&trial, family, support);
    for (size_t level = 0; level < LEVEL_COUNT; level++) {
        for (uint32_t type = 0; type < TYPE_COUNT; type++) {
            for (uint32_t dimensions = 0; dimensions <= SAMPLE_MAX_DIMENSIONS; dimensions++) {
                if (!trial_holds(&trial, &levels[level], (DML_TENSOR_DATA_TYPE)type, dimensions, &complaint)) {
                    fail_msg("%s", complaint.text);
                }
            }
        }
    }
}

static void a_refusal_names_the_tensor_and_what_is_wrong_with_it(void **state) {
    (void)state;
    for (size_t i = 0; i < case_family_count; i++) {
        for (size_t j = 0; j < case_families[i]->support_count; j++) {
            try_every_combination(case_families[i], &case_families[i]->support[j]);
        }
    }
}

static bool all_tensors_take(DML_FEATURE_LEVEL level, const DML_OPERATOR_DESC *desc) {
    const struct case_family *family = case_family_of(desc->Type);
    for (size_t i = 0; i < family->support_count; i++) {
        const struct case_support *row = support_at(&family->support[i], level);
        const DML_BUFFER_TENSOR_DESC *tensor = tensor_of(desc, family->support[i].tensor);
        if (row == NULL || (row->types >> tensor->DataType & 1) == 0 || tensor->DimensionCount < row->min_dimensions ||
            tensor->DimensionCount > row->max_dimensions) {
            return false;
        }
    }
    return true;
}

static void check_uniform(const struct case_family *family, const struct level *level, DML_TENSOR_DATA_TYPE type,
                          uint32_t dimensions) {
    struct sample sample;
    init_uniform(&sample, family->type, type, dimensions);
    const VkdmlResult wanted =
        all_tensors_take(level->value, &sample.op) ? VKDML_SUCCESS : VKDML_ERROR_INVALID_ARGUMENT;
    const VkdmlResult result = vkdmlValidateOperator(&sample.op, level->value);
    if (result != wanted) {
        fail_msg("%s at %s, %s, %u dimensions: %s instead of %s; reason: %s", vkdmlGetOperatorName(family->type),
                 level->name, type_names[type], dimensions, vkdmlResultToString(result), vkdmlResultToString(wanted),
                 result != VKDML_SUCCESS ? vkdmlGetErrorMessage() : "");
    }
}

static void a_descriptor_is_taken_exactly_where_the_documented_tables_take_it(void **state) {
    (void)state;
    for (size_t i = 0; i < SAMPLE_OPERATOR_COUNT; i++) {
        const struct case_family *family = case_family_of(sample_operators[i]);
        assert_non_null(family);
        for (size_t level = 0; level < LEVEL_COUNT; level++) {
            if (levels[level].value < family->support[0].rows[0].level) {
                continue;
            }
            for (uint32_t type = 0; type < TYPE_COUNT; type++) {
                for (uint32_t dimensions = 0; dimensions <= SAMPLE_MAX_DIMENSIONS; dimensions++) {
                    check_uniform(family, &levels[level], (DML_TENSOR_DATA_TYPE)type, dimensions);
                }
            }
        }
    }
}

/* The three tensors of NONZERO_COORDINATES need not have one dimension count. */
static void check_dimension_counts(uint32_t input, uint32_t count, uint32_t coordinates, const struct level *level) {
    struct sample sample;
    init_uniform(&sample, DML_OPERATOR_NONZERO_COORDINATES, DML_TENSOR_DATA_TYPE_INT8, input);
    set_shape(&sample.count, count, 1, 1);
    set_shape(&sample.coordinates, coordinates, 3, 1);
    bool wanted = all_tensors_take(level->value, &sample.op);
    VkdmlResult result = vkdmlValidateOperator(&sample.op, level->value);
    if (result != (wanted ? VKDML_SUCCESS : VKDML_ERROR_INVALID_ARGUMENT)) {
        fail_msg("input %u, count %u, coordinates %u dimensions at %s: %s", input, count, coordinates, level->name,
                 vkdmlResultToString(result));
    }
}

static void nonzero_tensors_may_differ_in_dimension_count(void **state) {
    (void)state;
    for (uint32_t input = 1; input <= 8; input++) {
        for (uint32_t count = 1; count <= 8; count++) {
            for (uint32_t coordinates = 2; coordinates <= 8; coordinates++) {
                for (size_t level = 3; level < LEVEL_COUNT; level++) {
                    check_dimension_counts(input, count, coordinates, &levels[level]);
                }
            }
        }
    }
}

/* ---- levels ---- */

static void an_operator_is_refused_below_the_level_that_introduced_it(void **state) {
    (void)state;
    struct complaint complaint;
    for (size_t i = 0; i < case_family_count; i++) {
        for (size_t level = 0; level < LEVEL_COUNT; level++) {
            if (!level_holds(case_families[i], &levels[level], &complaint)) {
                fail_msg("%s", complaint.text);
            }
        }
    }
}

static void level_zero_is_the_newest(void **state) {
    (void)state;
    struct sample sample;
    sample_init(&sample, DML_OPERATOR_PADDING);
    sample.padding.PaddingMode = DML_PADDING_MODE_WRAP; /* 6_4, the newest */
    assert_int_equal(vkdmlValidateOperator(&sample.op, 0), VKDML_SUCCESS);
}

static void padding_modes_are_taken_from_their_level_on(void **state) {
    (void)state;
    static const struct {
        DML_PADDING_MODE mode;
        const char *name;
        DML_FEATURE_LEVEL introduced;
    } modes[] = {
        {0, "CONSTANT", 0x1000},  {1, "EDGE", 0x1000}, {2, "REFLECTION", 0x1000},
        {3, "SYMMETRIC", 0x3000}, {4, "WRAP", 0x6400},
    };
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        for (size_t level = 0; level < LEVEL_COUNT; level++) {
            struct sample sample;
            sample_init(&sample, DML_OPERATOR_PADDING);
            sample.padding.PaddingMode = modes[i].mode;
            VkdmlResult result = vkdmlValidateOperator(&sample.op, levels[level].value);
            if (levels[level].value >= modes[i].introduced) {
                assert_int_equal(result, VKDML_SUCCESS);
                continue;
            }
            char wanted[256];
            snprintf(wanted, sizeof(wanted), "DML_OPERATOR_PADDING: PaddingMode is DML_PADDING_MODE_%s, ",
                     modes[i].name);
            assert_int_equal(result, VKDML_ERROR_INVALID_ARGUMENT);
            if (!has_line(vkdmlGetErrorMessage(), wanted, level_name(modes[i].introduced)) ||
                !has_line(vkdmlGetErrorMessage(), wanted, levels[level].name)) {
                fail_msg("%s at %s: %s", modes[i].name, levels[level].name, vkdmlGetErrorMessage());
            }
        }
    }
}

/* ---- the documents ---- */

static size_t count_support(const struct case_family *family, const char *tensor) {
    size_t count = 0;
    for (size_t i = 0; i < family->support_count; i++) {
        count += strcmp(family->support[i].tensor, tensor) == 0;
    }
    return count;
}

/* The oldest row is the first, as introduced() and support_at() take it to be. */
static void check_row_order(const struct case_tensor_support *support) {
    assert_int_not_equal(support->rows[0].level, 0);
    for (size_t i = 1; support->rows[i].level != 0; i++) {
        assert_true(support->rows[i].level > support->rows[i - 1].level);
    }
}

static void check_documented(const VkdmlOperatorSchema *schema) {
    const struct case_family *family = case_family_of(schema->type);
    if (family == NULL) {
        fail_msg("%s has no family of cases", schema->name);
        return;
    }
    size_t tensors = 0;
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &schema->fields[i];
        if (field->kind == VKDML_FIELD_KIND_ATTRIBUTE) {
            continue;
        }
        tensors++;
        if (count_support(family, field->name) != 1) {
            fail_msg("%s: the family documents %s %zu times", schema->name, field->name,
                     count_support(family, field->name));
        }
    }
    if (family->support_count != tensors) {
        fail_msg("%s has %zu tensor fields, its family documents %zu", schema->name, tensors, family->support_count);
    }
    for (size_t i = 0; i < family->support_count; i++) {
        check_row_order(&family->support[i]);
    }
    assert_int_equal(schema->introduced, introduced(family));
    assert_int_equal(vkdmlGetOperatorFeatureLevel(schema->type), introduced(family));
    /* The cases' lines have the name, the family the type. */
    assert_true(family->fixed_count > 0);
    char name[128];
    snprintf(name, sizeof(name), "DML_OPERATOR_%.*s", (int)strcspn(family->fixed[0], " "), family->fixed[0]);
    assert_string_equal(schema->name, name);
}

static void every_implemented_operator_is_held_against_the_documents(void **state) {
    (void)state;
    assert_int_equal(vkdmlGetOperatorSchemaCount(), case_family_count);
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); i++) {
        const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchemaAt(i);
        assert_non_null(schema);
        check_documented(schema);
    }
}

static void assert_refused(const struct case_refusal *refusal) {
    static struct operator_case c;
    static struct case_desc desc;
    char error[256];
    if (!case_parse(refusal->line, &c, error, sizeof(error))) {
        fail_msg("%s: %s", refusal->line, error);
    }
    case_build_desc(&c, &desc);
    const VkdmlResult result = vkdmlValidateOperator(&desc.op, c.level);
    if (result != VKDML_ERROR_INVALID_ARGUMENT || strcmp(vkdmlGetErrorMessage(), refusal->reason) != 0) {
        fail_msg("%s\nis to be refused: %s\n%s: %s", refusal->line, refusal->reason, vkdmlResultToString(result),
                 result != VKDML_SUCCESS ? vkdmlGetErrorMessage() : "");
    }
}

static void a_refused_case_says_why(void **state) {
    (void)state;
    for (size_t i = 0; i < case_family_count; i++) {
        for (size_t k = 0; k < case_families[i]->refused_count; k++) {
            assert_refused(&case_families[i]->refused[k]);
        }
    }
}

static const char *refused_path;

static void a_case_of_the_file_says_why(void **state) {
    (void)state;
    struct refused_file file = refused_file_read(refused_path);
    assert_int_not_equal(file.count, 0);
    for (size_t i = 0; i < file.count; i++) {
        assert_refused(&file.items[i]);
    }
    refused_file_free(&file);
}

/* test_support REFUSED.TXT */
int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    refused_path = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_implemented_operator_is_held_against_the_documents),
        cmocka_unit_test(a_descriptor_is_taken_exactly_where_the_documented_tables_take_it),
        cmocka_unit_test(a_refusal_names_the_tensor_and_what_is_wrong_with_it),
        cmocka_unit_test(nonzero_tensors_may_differ_in_dimension_count),
        cmocka_unit_test(an_operator_is_refused_below_the_level_that_introduced_it),
        cmocka_unit_test(level_zero_is_the_newest),
        cmocka_unit_test(a_refused_case_says_why),
        cmocka_unit_test(a_case_of_the_file_says_why),
        cmocka_unit_test(padding_modes_are_taken_from_their_level_on),
    };
    return cmocka_run_group_tests_name("support", tests, NULL, NULL);
}
