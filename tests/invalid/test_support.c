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
#include "sample.h"
#include "vkdml/schema.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct level {
    DML_FEATURE_LEVEL value;
    const char *name;
} levels[] = {
    {0x1000, "1_0"}, {0x2000, "2_0"}, {0x2100, "2_1"}, {0x3000, "3_0"}, {0x3100, "3_1"},
    {0x4000, "4_0"}, {0x4100, "4_1"}, {0x5000, "5_0"}, {0x5100, "5_1"}, {0x5200, "5_2"},
    {0x6000, "6_0"}, {0x6100, "6_1"}, {0x6200, "6_2"}, {0x6300, "6_3"}, {0x6400, "6_4"},
};

static const char *const type_names[] = {
    "UNKNOWN", "FLOAT32", "FLOAT16", "UINT32", "UINT16", "UINT8", "INT32",
    "INT16",   "INT8",    "FLOAT64", "UINT64", "INT64",  "UINT4", "INT4",
};

/* What holds at a level; NULL below the tensor's first. */
static const struct case_support *support_at(const struct case_tensor_support *support, DML_FEATURE_LEVEL level) {
    const struct case_support *newest = NULL;
    for (size_t i = 0; support->rows[i].level != 0; i++) {
        if (support->rows[i].level <= level) {
            newest = &support->rows[i];
        }
    }
    return newest;
}

/* The oldest level that is documented for any of the tensors; 0 where none is. */
static DML_FEATURE_LEVEL introduced(const struct case_family *family) {
    DML_FEATURE_LEVEL oldest = 0;
    for (size_t i = 0; i < family->support_count; i++) {
        if (i == 0 || family->support[i].rows[0].level < oldest) {
            oldest = family->support[i].rows[0].level;
        }
    }
    return oldest;
}

static const char *level_name(DML_FEATURE_LEVEL level) {
    for (size_t i = 0; i < COUNT_OF(levels); i++) {
        if (levels[i].value == level) {
            return levels[i].name;
        }
    }
    return "?";
}

/* ---- descriptors ---- */

static uint32_t find_field(const VkdmlOperatorSchema *schema, const char *name) {
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        if (strcmp(schema->fields[i].name, name) == 0) {
            return i;
        }
    }
    fail_msg("%s has no field %s", schema->name, name);
    return 0;
}

/* A tensor of a descriptor; it must be there. */
static const DML_BUFFER_TENSOR_DESC *tensor_of(const DML_OPERATOR_DESC *desc, const char *name) {
    const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchema(desc->Type);
    const DML_TENSOR_DESC *tensor;
    memcpy(&tensor, (const char *)desc->Desc + schema->fields[find_field(schema, name)].offset, sizeof(tensor));
    return tensor->Desc;
}

/* The family's first fixed case. */
static void parse_first_case(const struct case_family *family, struct operator_case *c) {
    char error[256] = "";
    assert_true(family->fixed_count > 0);
    if (!case_parse(family->fixed[0], c, error, sizeof(error))) {
        fail_msg("%s: %s", family->fixed[0], error);
    }
    if (c->schema->type != family->type) {
        fail_msg("a case of %s among those of %s", c->schema->name, vkdmlGetOperatorName(family->type));
    }
}

/* An optional tensor that the case does without: of the first output's type and sizes, packed. */
static void add_tensor(struct operator_case *c, const char *name) {
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (c->schema->fields[i].kind == VKDML_FIELD_KIND_OUTPUT_TENSOR) {
            const struct case_tensor *output = &c->tensors[i];
            struct case_tensor *tensor = case_tensor(c, name);
            tensor->type = output->type;
            tensor->rank = output->rank;
            memcpy(tensor->sizes, output->sizes, sizeof(tensor->sizes));
            return;
        }
    }
}

/* Gives a tensor another data type and dimension count: leading sizes go, or sizes of 1 come. `sizes` holds them. */
static void replace_type_and_rank(DML_BUFFER_TENSOR_DESC *buffer, DML_TENSOR_DATA_TYPE type, uint32_t dimensions,
                                  uint32_t sizes[SAMPLE_MAX_DIMENSIONS]) {
    uint64_t elements = 1;
    for (uint32_t i = 0; i < dimensions; i++) {
        uint32_t size = i < buffer->DimensionCount ? buffer->Sizes[buffer->DimensionCount - 1 - i] : 1;
        sizes[dimensions - 1 - i] = size;
        elements *= size;
    }
    buffer->DataType = type;
    buffer->DimensionCount = dimensions;
    buffer->Sizes = sizes;
    buffer->Strides = NULL;
    buffer->TotalTensorSizeInBytes = elements * sizeof(uint64_t); /* enough for any type */
    buffer->GuaranteedBaseOffsetAlignment = 0;
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

static bool has_line(const char *text, const char *start, const char *also) {
    for (const char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        const char *found = also != NULL ? strstr(line, also) : line;
        if (strncmp(line, start, strlen(start)) == 0 && found != NULL && found < line + length) {
            return true;
        }
        line += length + (line[length] == '\n');
    }
    return false;
}

/* ---- every combination ---- */

/* One that a test below tries, so that a failure says which it was. */
struct combination {
    const char *operator_name;
    const char *tensor_name;
    const struct level *level;
    DML_TENSOR_DATA_TYPE data_type;
    uint32_t dimensions;
};

static void fail_at(const struct combination *at, const char *what, const char *message) {
    fail_msg("%s %s at %s, %s, %u dimensions: %s; reason: %s", at->operator_name, at->tensor_name, at->level->name,
             type_names[at->data_type], at->dimensions, what, message);
}

/* A type or dimension count that no operator takes at any level: nothing else is then told of the tensor. */
static bool is_readable(const struct combination *at) {
    return sample_element_bits(at->data_type) != 0 && at->dimensions >= 1 &&
           at->dimensions <= DML_TENSOR_DIMENSION_COUNT_MAX1;
}

static void check_unreadable(const struct combination *at, const char *message) {
    char line[128];
    if (sample_element_bits(at->data_type) == 0) {
        snprintf(line, sizeof(line), "%s: %s.DataType is 0, must be ", at->operator_name, at->tensor_name);
        if (!has_line(message, line, NULL)) {
            fail_at(at, "the data type is refused without its reason", message);
        }
    }
    if (at->dimensions < 1 || at->dimensions > DML_TENSOR_DIMENSION_COUNT_MAX1) {
        snprintf(line, sizeof(line), "%s: %s.DimensionCount is %u, must be 1 to 8", at->operator_name, at->tensor_name,
                 at->dimensions);
        if (!has_line(message, line, NULL)) {
            fail_at(at, "the dimension count is refused without its reason", message);
        }
    }
}

/* A reason that names tensor, value and level is there exactly where the table refuses the value. */
static void check_reasons(const struct combination *at, const struct case_support *row, const char *message) {
    char line[128], level[32];
    snprintf(level, sizeof(level), "feature level %s", at->level->name);

    const bool type_refused = (row->types >> at->data_type & 1) == 0;
    snprintf(line, sizeof(line), "%s: %s.DataType is DML_TENSOR_DATA_TYPE_%s, must be ", at->operator_name,
             at->tensor_name, type_names[at->data_type]);
    if (has_line(message, line, level) != type_refused) {
        fail_at(at, type_refused ? "the data type is refused without its reason" : "the data type is refused", message);
    }

    const bool count_refused = at->dimensions < row->min_dimensions || at->dimensions > row->max_dimensions;
    snprintf(line, sizeof(line), "%s: %s.DimensionCount is %u, must be ", at->operator_name, at->tensor_name,
             at->dimensions);
    if (has_line(message, line, level) != count_refused) {
        fail_at(at,
                count_refused ? "the dimension count is refused without its reason" : "the dimension count is refused",
                message);
    }
}

typedef void check_combination(const struct case_family *family, const struct case_tensor_support *support,
                               const struct combination *at);

/* Calls `check` for every level from the tensor's first on, data type and dimension count. */
static void for_all_combinations(const struct case_family *family, const struct case_tensor_support *support,
                                 check_combination *check) {
    const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchema(family->type);
    const bool is_array =
        schema->fields[find_field(schema, support->tensor)].type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
    char tensor_name[80];
    snprintf(tensor_name, sizeof(tensor_name), "%s%s", support->tensor, is_array ? "[0]" : "");
    for (size_t level = 0; level < COUNT_OF(levels); level++) {
        if (support_at(support, levels[level].value) == NULL) {
            continue;
        }
        for (uint32_t type = 0; type < COUNT_OF(type_names); type++) {
            for (uint32_t dimensions = 0; dimensions <= SAMPLE_MAX_DIMENSIONS; dimensions++) {
                check(family, support,
                      &(struct combination){vkdmlGetOperatorName(family->type), tensor_name, &levels[level],
                                            (DML_TENSOR_DATA_TYPE)type, dimensions});
            }
        }
    }
}

/* The other tensors may well be refused at that level, or for not agreeing with this one: of those lines none is this
 * tensor's. */
static void check_one_tensor(const struct case_family *family, const struct case_tensor_support *support,
                             const struct combination *at) {
    static struct operator_case c;
    static struct case_desc desc;
    uint32_t sizes[SAMPLE_MAX_DIMENSIONS];
    parse_first_case(family, &c);
    uint32_t field = find_field(c.schema, support->tensor);
    if (!c.fields[field].present) {
        add_tensor(&c, support->tensor);
    }
    case_build_desc(&c, &desc);
    replace_type_and_rank(&desc.buffers[field], at->data_type, at->dimensions, sizes);

    const struct case_support *row = support_at(support, at->level->value);
    VkdmlResult result = vkdmlValidateOperator(&desc.op, at->level->value);
    bool fits = (row->types >> at->data_type & 1) != 0 && at->dimensions >= row->min_dimensions &&
                at->dimensions <= row->max_dimensions;
    if (!fits && result != VKDML_ERROR_INVALID_ARGUMENT) {
        fail_at(at, "not refused as invalid", vkdmlResultToString(result));
    }
    if (!is_readable(at)) {
        check_unreadable(at, vkdmlGetErrorMessage());
    } else {
        check_reasons(at, row, result != VKDML_SUCCESS ? vkdmlGetErrorMessage() : "");
    }
}

static void a_refusal_names_the_tensor_and_what_is_wrong_with_it(void **state) {
    (void)state;
    for (size_t i = 0; i < case_family_count; i++) {
        for (size_t j = 0; j < case_families[i]->support_count; j++) {
            for_all_combinations(case_families[i], &case_families[i]->support[j], check_one_tensor);
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

static void check_uniform(const struct case_family *family, const struct case_tensor_support *support,
                          const struct combination *at) {
    (void)support;
    struct sample sample;
    init_uniform(&sample, family->type, at->data_type, at->dimensions);
    bool wanted = all_tensors_take(at->level->value, &sample.op);
    VkdmlResult result = vkdmlValidateOperator(&sample.op, at->level->value);
    if (wanted && result != VKDML_SUCCESS) {
        fail_at(at, "refused", vkdmlGetErrorMessage());
    }
    if (!wanted && result != VKDML_ERROR_INVALID_ARGUMENT) {
        fail_at(at, "not refused as invalid", vkdmlResultToString(result));
    }
}

static void a_descriptor_is_taken_exactly_where_the_documented_tables_take_it(void **state) {
    (void)state;
    for (size_t i = 0; i < SAMPLE_OPERATOR_COUNT; i++) {
        const struct case_family *family = case_family_of(sample_operators[i]);
        assert_non_null(family);
        for_all_combinations(family, &family->support[0], check_uniform);
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
                for (size_t level = 3; level < COUNT_OF(levels); level++) {
                    check_dimension_counts(input, count, coordinates, &levels[level]);
                }
            }
        }
    }
}

/* ---- levels ---- */

/* From its introduction on an operator is refused for other reasons if at all; the case is legal at its own level. */
static void check_level(const struct operator_case *c, const struct level *level, DML_FEATURE_LEVEL since) {
    static struct case_desc desc;
    char wanted[256];
    case_build_desc(c, &desc);
    VkdmlResult result = vkdmlValidateOperator(&desc.op, level->value);
    if (level->value < since) {
        snprintf(wanted, sizeof(wanted), "%s: needs DML_FEATURE_LEVEL_%s, the feature level is %s", c->schema->name,
                 level_name(since), level->name);
        assert_int_equal(result, VKDML_ERROR_INVALID_ARGUMENT);
        assert_string_equal(vkdmlGetErrorMessage(), wanted);
        return;
    }
    snprintf(wanted, sizeof(wanted), "%s: needs ", c->schema->name);
    bool is_legal = level->value >= (c->level != 0 ? c->level : DML_FEATURE_LEVEL_6_4);
    if (result != VKDML_SUCCESS && (is_legal || has_line(vkdmlGetErrorMessage(), wanted, NULL))) {
        fail_msg("at %s: %s", level->name, vkdmlGetErrorMessage());
    }
}

static void an_operator_is_refused_below_the_level_that_introduced_it(void **state) {
    (void)state;
    for (size_t i = 0; i < case_family_count; i++) {
        static struct operator_case c;
        parse_first_case(case_families[i], &c);
        for (size_t level = 0; level < COUNT_OF(levels); level++) {
            check_level(&c, &levels[level], introduced(case_families[i]));
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
        for (size_t level = 0; level < COUNT_OF(levels); level++) {
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

static void a_refused_case_says_why(void **state) {
    (void)state;
    for (size_t i = 0; i < case_family_count; i++) {
        for (size_t k = 0; k < case_families[i]->refused_count; k++) {
            const struct case_refusal *refusal = &case_families[i]->refused[k];
            struct operator_case c;
            struct case_desc desc;
            char error[256];
            if (!case_parse(refusal->line, &c, error, sizeof(error))) {
                fail_msg("%s: %s", refusal->line, error);
            }
            case_build_desc(&c, &desc);
            assert_int_equal(vkdmlValidateOperator(&desc.op, c.level), VKDML_ERROR_INVALID_ARGUMENT);
            assert_string_equal(vkdmlGetErrorMessage(), refusal->reason);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_implemented_operator_is_held_against_the_documents),
        cmocka_unit_test(a_descriptor_is_taken_exactly_where_the_documented_tables_take_it),
        cmocka_unit_test(a_refusal_names_the_tensor_and_what_is_wrong_with_it),
        cmocka_unit_test(nonzero_tensors_may_differ_in_dimension_count),
        cmocka_unit_test(an_operator_is_refused_below_the_level_that_introduced_it),
        cmocka_unit_test(level_zero_is_the_newest),
        cmocka_unit_test(a_refused_case_says_why),
        cmocka_unit_test(padding_modes_are_taken_from_their_level_on),
    };
    return cmocka_run_group_tests_name("support", tests, NULL, NULL);
}
