#include "documented.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "vkdml/schema.h"

const struct level levels[LEVEL_COUNT] = {
    {0x1000, "1_0"}, {0x2000, "2_0"}, {0x2100, "2_1"}, {0x3000, "3_0"}, {0x3100, "3_1"},
    {0x4000, "4_0"}, {0x4100, "4_1"}, {0x5000, "5_0"}, {0x5100, "5_1"}, {0x5200, "5_2"},
    {0x6000, "6_0"}, {0x6100, "6_1"}, {0x6200, "6_2"}, {0x6300, "6_3"}, {0x6400, "6_4"},
};

const char *const type_names[TYPE_COUNT] = {
    "UNKNOWN", "FLOAT32", "FLOAT16", "UINT32", "UINT16", "UINT8", "INT32",
    "INT16",   "INT8",    "FLOAT64", "UINT64", "INT64",  "UINT4", "INT4",
};

const struct case_support *support_at(const struct case_tensor_support *support, DML_FEATURE_LEVEL level) {
    const struct case_support *newest = NULL;
    for (size_t i = 0; support->rows[i].level != 0; i++) {
        if (support->rows[i].level <= level) {
            newest = &support->rows[i];
        }
    }
    return newest;
}

DML_FEATURE_LEVEL introduced(const struct case_family *family) {
    DML_FEATURE_LEVEL oldest = 0;
    for (size_t i = 0; i < family->support_count; i++) {
        if (i == 0 || family->support[i].rows[0].level < oldest) {
            oldest = family->support[i].rows[0].level;
        }
    }
    return oldest;
}

const char *level_name(DML_FEATURE_LEVEL level) {
    for (size_t i = 0; i < LEVEL_COUNT; i++) {
        if (levels[i].value == level) {
            return levels[i].name;
        }
    }
    return "?";
}

size_t level_index(DML_FEATURE_LEVEL level) {
    for (size_t i = 0; i < LEVEL_COUNT; i++) {
        if (levels[i].value == level) {
            return i;
        }
    }
    abort();
}

uint32_t find_field(const VkdmlOperatorSchema *schema, const char *name) {
    uint32_t i = 0;
    while (i < schema->fieldCount && strcmp(schema->fields[i].name, name) != 0) {
        i++;
    }
    return i;
}

void parse_first_case(const struct case_family *family, struct operator_case *c) {
    char error[256] = "the family has no case";
    if (family->fixed_count == 0 || !case_parse(family->fixed[0], c, error, sizeof(error)) ||
        c->schema->type != family->type) {
        fprintf(stderr, "%s: not a case of its own: %s\n", vkdmlGetOperatorName(family->type), error);
        abort();
    }
}

bool has_line(const char *text, const char *start, const char *also) {
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

/* ---- a tensor ---- */

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

void trial_begin(struct trial *trial, const struct case_family *family, const struct case_tensor_support *support) {
    *trial = (struct trial){.family = family, .support = support};
    parse_first_case(family, &trial->c);
    trial->field = find_field(trial->c.schema, support->tensor);
    if (trial->field == trial->c.schema->fieldCount) {
        fprintf(stderr, "%s has no field %s\n", trial->c.schema->name, support->tensor);
        abort();
    }
    const bool is_array = trial->c.schema->fields[trial->field].type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
    snprintf(trial->tensor_name, sizeof(trial->tensor_name), "%s%s", support->tensor, is_array ? "[0]" : "");
    if (!trial->c.fields[trial->field].present) {
        add_tensor(&trial->c, support->tensor);
    }
}

/* What a trial tries, so that a complaint says which it was. */
struct combination {
    const struct trial *trial;
    const struct level *level;
    DML_TENSOR_DATA_TYPE type;
    uint32_t dimensions;
};

static bool complain(const struct combination *at, struct complaint *complaint, const char *what, const char *message) {
    snprintf(complaint->text, sizeof(complaint->text), "%s %s at %s, %s, %u dimensions: %s; reason: %.500s",
             at->trial->c.schema->name, at->trial->tensor_name, at->level->name, type_names[at->type], at->dimensions,
             what, message);
    return false;
}

/* A type or dimension count that no operator takes at any level: nothing else is then told of the tensor. */
static bool type_is_readable(const struct combination *at) {
    return sample_element_bits(at->type) != 0;
}

static bool dimensions_are_readable(const struct combination *at) {
    return at->dimensions >= 1 && at->dimensions <= DML_TENSOR_DIMENSION_COUNT_MAX1;
}

static bool unreadable_holds(const struct combination *at, const char *message, struct complaint *complaint) {
    const char *operator_name = at->trial->c.schema->name;
    char line[256];
    snprintf(line, sizeof(line), "%s: %s.DataType is 0, must be ", operator_name, at->trial->tensor_name);
    if (!type_is_readable(at) && !has_line(message, line, NULL)) {
        return complain(at, complaint, "the data type is refused without its reason", message);
    }
    snprintf(line, sizeof(line), "%s: %s.DimensionCount is %u, must be 1 to 8", operator_name, at->trial->tensor_name,
             at->dimensions);
    if (!dimensions_are_readable(at) && !has_line(message, line, NULL)) {
        return complain(at, complaint, "the dimension count is refused without its reason", message);
    }
    return true;
}

/* A reason that names tensor, value and level is there exactly where the documents refuse the value. */
static bool reasons_hold(const struct combination *at, bool type_fits, bool dimensions_fit, const char *message,
                         struct complaint *complaint) {
    const char *operator_name = at->trial->c.schema->name;
    char line[256], level[32];
    snprintf(level, sizeof(level), "feature level %s", at->level->name);
    snprintf(line, sizeof(line), "%s: %s.DataType is DML_TENSOR_DATA_TYPE_%s, must be ", operator_name,
             at->trial->tensor_name, type_names[at->type]);
    if (has_line(message, line, level) == type_fits) {
        return complain(at, complaint,
                        type_fits ? "the data type is refused" : "the data type is refused without its reason",
                        message);
    }
    snprintf(line, sizeof(line), "%s: %s.DimensionCount is %u, must be ", operator_name, at->trial->tensor_name,
             at->dimensions);
    if (has_line(message, line, level) == dimensions_fit) {
        return complain(at, complaint,
                        dimensions_fit ? "the dimension count is refused"
                                       : "the dimension count is refused without its reason",
                        message);
    }
    return true;
}

/* The other tensors may well be refused at that level, or for not agreeing with this one: of those lines none is this
 * tensor's. */
bool trial_holds(const struct trial *trial, const struct level *level, DML_TENSOR_DATA_TYPE type, uint32_t dimensions,
                 struct complaint *complaint) {
    const struct case_support *row = support_at(trial->support, level->value);
    if (row == NULL) {
        return true;
    }
    static struct case_desc desc;
    uint32_t sizes[SAMPLE_MAX_DIMENSIONS];
    case_build_desc(&trial->c, &desc);
    replace_type_and_rank(&desc.buffers[trial->field], type, dimensions, sizes);

    const struct combination at = {trial, level, type, dimensions};
    const VkdmlResult result = vkdmlValidateOperator(&desc.op, level->value);
    const bool type_fits = (row->types >> type & 1) != 0;
    const bool dimensions_fit = dimensions >= row->min_dimensions && dimensions <= row->max_dimensions;
    if ((!type_fits || !dimensions_fit) && result != VKDML_ERROR_INVALID_ARGUMENT) {
        return complain(&at, complaint, "not refused as invalid", vkdmlResultToString(result));
    }
    const char *message = result != VKDML_SUCCESS ? vkdmlGetErrorMessage() : "";
    return type_is_readable(&at) && dimensions_are_readable(&at)
               ? reasons_hold(&at, type_fits, dimensions_fit, message, complaint)
               : unreadable_holds(&at, message, complaint);
}

/* ---- levels ---- */

/* From its introduction on an operator is refused for other reasons if at all; the case is legal at its own level. */
bool level_holds(const struct case_family *family, const struct level *level, struct complaint *complaint) {
    static struct operator_case c;
    static struct case_desc desc;
    char wanted[256];
    parse_first_case(family, &c);
    case_build_desc(&c, &desc);
    const DML_FEATURE_LEVEL since = introduced(family);
    const VkdmlResult result = vkdmlValidateOperator(&desc.op, level->value);
    const char *message = result != VKDML_SUCCESS ? vkdmlGetErrorMessage() : "";
    bool holds;
    if (level->value < since) {
        snprintf(wanted, sizeof(wanted), "%s: needs DML_FEATURE_LEVEL_%s, the feature level is %s", c.schema->name,
                 level_name(since), level->name);
        holds = result == VKDML_ERROR_INVALID_ARGUMENT && strcmp(message, wanted) == 0;
    } else {
        snprintf(wanted, sizeof(wanted), "%s: needs ", c.schema->name);
        const bool is_legal = level->value >= (c.level != 0 ? c.level : DML_FEATURE_LEVEL_6_4);
        holds = result == VKDML_SUCCESS || (!is_legal && !has_line(message, wanted, NULL));
    }
    snprintf(complaint->text, sizeof(complaint->text), "%s at %s: %s; reason: %.500s", c.schema->name, level->name,
             vkdmlResultToString(result), message);
    return holds;
}
