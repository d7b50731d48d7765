/* Cases as lines of text: printing and parsing, both led by the operator table. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case.h"
#include "cases/number.h"

#define OPERATOR_PREFIX   "DML_OPERATOR_"
#define ACTIVATION_PREFIX "DML_OPERATOR_ACTIVATION_"
#define TYPE_PREFIX       "DML_TENSOR_DATA_TYPE_"

static const char *const fill_names[CASE_FILL_COUNT] = {
    [CASE_FILL_BITS] = "BITS",         [CASE_FILL_SPECIAL] = "SPECIAL",
    [CASE_FILL_SMALL] = "SMALL",       [CASE_FILL_INDEX] = "INDEX",
    [CASE_FILL_SPARSE] = "SPARSE",     [CASE_FILL_RUNS] = "RUNS",
    [CASE_FILL_COUNTED] = "COUNTED",   [CASE_FILL_LISTED] = "LISTED",
    [CASE_FILL_UNIT] = "UNIT",         [CASE_FILL_ABOVE_ONE] = "ABOVE_ONE",
    [CASE_FILL_FAR] = "FAR",           [CASE_FILL_LEVEL] = "LEVEL",
    [CASE_FILL_INDICES] = "INDICES",   [CASE_FILL_COORDINATES] = "COORDINATES",
    [CASE_FILL_PERMUTED] = "PERMUTED", [CASE_FILL_CENTERED] = "CENTERED",
    [CASE_FILL_HOSTILE] = "HOSTILE",
};

/* The plain numbers of a tensor; printed where not 0. */
static const struct member {
    const char *name;
    size_t offset;
} members[] = {
    {"slack", offsetof(struct case_tensor, slack)}, {"extra", offsetof(struct case_tensor, extra)},
    {"align", offsetof(struct case_tensor, align)}, {"offset", offsetof(struct case_tensor, offset)},
    {"owned", offsetof(struct case_tensor, owned)}, {"in_place", offsetof(struct case_tensor, in_place)},
};
#define MEMBER_COUNT (sizeof(members) / sizeof(members[0]))

struct text {
    char *at;
    size_t left;
};

static void put(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->at, text->left, format, arguments);
    va_end(arguments);
    size_t step = length < 0 || (size_t)length >= text->left ? text->left : (size_t)length;
    text->at += step;
    text->left -= step;
}

static void put_list(struct text *text, uint32_t count, const uint32_t *numbers) {
    for (uint32_t i = 0; i < count; i++) {
        put(text, i == 0 ? "%" PRIu32 : ",%" PRIu32, numbers[i]);
    }
}

static void put_tensor(struct text *text, const char *name, const struct case_tensor *tensor, bool input) {
    put(text, " %s=%s[", name, vkdmlGetDataTypeName(tensor->type) + strlen(TYPE_PREFIX));
    put_list(text, tensor->rank, tensor->sizes);
    put(text, "]");
    if (tensor->has_strides) {
        put(text, " %s.strides=", name);
        put_list(text, tensor->rank, tensor->strides);
    }
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        uint32_t value;
        memcpy(&value, (const char *)tensor + members[i].offset, sizeof(value));
        if (value != 0) {
            put(text, " %s.%s=%" PRIu32, name, members[i].name, value);
        }
    }
    if (tensor->value_count != 0) {
        put(text, " %s.data=", name);
        for (uint32_t i = 0; i < tensor->value_count; i++) {
            put(text, i == 0 ? "" : ",");
            if (tensor->kept[i]) {
                put(text, "?");
            } else {
                put(text, "0x%" PRIx64, tensor->values[i]);
            }
        }
    }
    if (input ? tensor->value_count == 0 : tensor->fill != CASE_FILL_BITS) {
        put(text, " %s.fill=%s", name, fill_names[tensor->fill]);
        if (tensor->fill_permille != 0) {
            put(text, ":%" PRIu32, tensor->fill_permille);
        }
    }
}

static const char *enumerator_name(const VkdmlFieldSchema *schema, uint32_t value) {
    for (uint32_t i = 0; i < schema->enumeration->enumeratorCount; i++) {
        if (schema->enumeration->enumerators[i].value == (int32_t)value) {
            return schema->enumeration->enumerators[i].name + strlen(schema->enumeration->name) + 1;
        }
    }
    return NULL;
}

/* " Name=value"; `owner` comes before the name, with its point. */
static void put_attribute(struct text *text, const char *owner, const VkdmlFieldSchema *schema,
                          const struct case_field *field) {
    put(text, " %s%s=", owner, schema->name);
    const char *name = schema->type == VKDML_FIELD_TYPE_ENUM ? enumerator_name(schema, field->words[0]) : NULL;
    if (name != NULL) {
        put(text, "%s", name);
        return;
    }
    for (uint32_t i = 0; i < field->word_count; i++) {
        const char *separator = i == 0 ? "" : ",";
        switch (schema->type) {
        case VKDML_FIELD_TYPE_INT:
        case VKDML_FIELD_TYPE_INT_ARRAY:
            put(text, "%s%" PRId32, separator, (int32_t)field->words[i]);
            break;
        case VKDML_FIELD_TYPE_UINT:
        case VKDML_FIELD_TYPE_UINT_ARRAY:
        case VKDML_FIELD_TYPE_BOOL:
        case VKDML_FIELD_TYPE_SIZE_2D:
            put(text, "%s%" PRIu32, separator, field->words[i]);
            break;
        default:
            put(text, "%s0x%" PRIx32, separator, field->words[i]);
            break;
        }
    }
}

static bool holds_operators(const VkdmlFieldSchema *schema) {
    return schema->type == VKDML_FIELD_TYPE_OPERATOR_DESC || schema->type == VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY;
}

static void put_fused(struct text *text, const char *name, const struct case_fused *fused) {
    char owner[80];
    snprintf(owner, sizeof(owner), "%s.", name);
    put(text, " %s=%s", name, fused->schema->name + strlen(ACTIVATION_PREFIX));
    for (uint32_t i = 0; i < fused->schema->fieldCount; i++) {
        if (fused->fields[i].present) {
            put_attribute(text, owner, &fused->schema->fields[i], &fused->fields[i]);
        }
    }
}

/* The operators of a field, each under its name. */
static void put_operators(struct text *text, const struct operator_case *c, uint32_t field) {
    const VkdmlFieldSchema *schema = &c->schema->fields[field];
    for (uint32_t i = 0; i < c->fields[field].count; i++) {
        char name[72];
        snprintf(name, sizeof(name), schema->type == VKDML_FIELD_TYPE_OPERATOR_DESC ? "%s" : "%s[%" PRIu32 "]",
                 schema->name, i);
        put_fused(text, name, &c->fused[i]);
    }
}

bool case_print(const struct operator_case *c, char *line, size_t size) {
    struct text text = {line, size};
    put(&text, "%s seed=%" PRIu64, c->schema->name + strlen(OPERATOR_PREFIX), c->seed);
    if ((int)c->level != 0) {
        put(&text, " level=%s", vkdmlGetFeatureLevelName(c->level));
    }
    if (c->flags != 0) {
        put(&text, " flags=%" PRIu32, c->flags);
    }
    if (c->execution != 0) {
        put(&text, " execution=%" PRIu32, c->execution);
    }
    struct case_at at = case_first(c);
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        for (; at.tensor != NULL && at.field == i; at = case_next(c, at)) {
            put_tensor(&text, case_tensor_name(c, at).text, at.tensor, at.is_input);
        }
        if (holds_operators(&c->schema->fields[i])) {
            put_operators(&text, c, i);
        } else if (!case_is_tensor(c, i) && c->fields[i].present) {
            put_attribute(&text, "", &c->schema->fields[i], &c->fields[i]);
        }
    }
    return text.left > 0;
}

/* A decimal or 0x number; *text then stands behind it. */
static bool take_number(const char **text, uint64_t *number) {
    char *end;
    errno = 0;
    *number = **text == '-' ? (uint64_t)strtoll(*text, &end, 0) : strtoull(*text, &end, 0);
    bool taken = end != *text && errno == 0;
    *text = end;
    return taken;
}

static bool take_list(const char **text, uint32_t capacity, uint32_t *numbers, uint32_t *count) {
    *count = 0;
    do {
        uint64_t number;
        if (*count == capacity || !take_number(text, &number) || number > UINT32_MAX) {
            return false;
        }
        numbers[(*count)++] = (uint32_t)number;
    } while (**text == ',' && (*text)++ != NULL);
    return true;
}

/* An element or float attribute: 0x bits, an integer, or a number with a point or exponent. */
static bool take_element(const char **text, DML_TENSOR_DATA_TYPE type, uint64_t *bits) {
    size_t length = strcspn(*text, ", ");
    bool hexadecimal = strncmp(*text, "0x", 2) == 0;
    if (!hexadecimal && number_is_float(type)) {
        char *end;
        *bits = number_encode(type, strtod(*text, &end));
        *text = end;
        return length > 0;
    }
    if (!take_number(text, bits)) {
        return false;
    }
    if (!hexadecimal && type != DML_TENSOR_DATA_TYPE_UINT64) {
        *bits = number_encode_integer(type, (int64_t)*bits);
    }
    return true;
}

static bool take_data(const char **text, struct case_tensor *tensor) {
    tensor->value_count = 0;
    do {
        if (tensor->value_count == CASE_MAX_VALUES) {
            return false;
        }
        uint32_t i = tensor->value_count++;
        tensor->kept[i] = **text == '?';
        if (tensor->kept[i]) {
            (*text)++;
        } else if (!take_element(text, tensor->type, &tensor->values[i])) {
            return false;
        }
    } while (**text == ',' && (*text)++ != NULL);
    return tensor->value_count == case_element_count(tensor);
}

static bool take_name(const char **text, const char *name) {
    size_t length = strlen(name);
    if (strncmp(*text, name, length) != 0) {
        return false;
    }
    *text += length;
    return true;
}

/* "FLOAT16[2,3]" */
static bool take_tensor(const char **text, struct case_tensor *tensor) {
    char type_name[64];
    size_t length = strcspn(*text, "[ ");
    for (int type = DML_TENSOR_DATA_TYPE_FLOAT32; type <= DML_TENSOR_DATA_TYPE_INT4; type++) {
        snprintf(type_name, sizeof(type_name), "%s%.*s", TYPE_PREFIX, (int)(length % sizeof(type_name)), *text);
        if (strcmp(type_name, vkdmlGetDataTypeName((DML_TENSOR_DATA_TYPE)type)) == 0) {
            tensor->type = (DML_TENSOR_DATA_TYPE)type;
        }
    }
    *text += length;
    return tensor->type != DML_TENSOR_DATA_TYPE_UNKNOWN && take_name(text, "[") &&
           take_list(text, DML_TENSOR_DIMENSION_COUNT_MAX1, tensor->sizes, &tensor->rank) && take_name(text, "]");
}

static bool take_fill(const char **text, struct case_tensor *tensor) {
    for (int fill = 0; fill < CASE_FILL_COUNT; fill++) {
        if (take_name(text, fill_names[fill])) {
            uint64_t number = 0;
            tensor->fill = (enum case_fill)fill;
            if (take_name(text, ":") && !take_number(text, &number)) {
                return false;
            }
            tensor->fill_permille = (uint32_t)number;
            return number <= (fill >= CASE_FILL_INDICES ? UINT32_MAX : 1000);
        }
    }
    return false;
}

static bool take_tensor_member(const char **text, struct case_tensor *tensor) {
    uint32_t count;
    if (take_name(text, "strides=")) {
        tensor->has_strides = 1;
        return take_list(text, tensor->rank, tensor->strides, &count) && count == tensor->rank;
    }
    if (take_name(text, "data=")) {
        return take_data(text, tensor);
    }
    if (take_name(text, "fill=")) {
        return take_fill(text, tensor);
    }
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        const char *rest = *text;
        uint64_t number;
        if (take_name(&rest, members[i].name) && take_name(&rest, "=") && take_number(&rest, &number) &&
            number <= UINT32_MAX) {
            memcpy((char *)tensor + members[i].offset, &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
            *text = rest;
            return true;
        }
    }
    return false;
}

static bool take_enumerator(const char **text, const VkdmlFieldSchema *schema, uint32_t *word) {
    size_t length = strcspn(*text, " ");
    for (uint32_t i = 0; i < schema->enumeration->enumeratorCount; i++) {
        const VkdmlEnumerator *enumerator = &schema->enumeration->enumerators[i];
        const char *name = enumerator->name + strlen(schema->enumeration->name) + 1;
        if (strlen(name) == length && strncmp(name, *text, length) == 0) {
            *word = (uint32_t)enumerator->value;
            *text += length;
            return true;
        }
    }
    return false;
}

static bool take_floats(const char **text, uint32_t least, uint32_t most, struct case_field *field) {
    field->word_count = 0;
    do {
        uint64_t bits;
        if (field->word_count == most || !take_element(text, DML_TENSOR_DATA_TYPE_FLOAT32, &bits)) {
            return false;
        }
        field->words[field->word_count++] = (uint32_t)bits;
    } while (**text == ',' && (*text)++ != NULL);
    return field->word_count >= least;
}

static bool take_integers(const char **text, uint32_t least, uint32_t most, struct case_field *field) {
    field->word_count = 0;
    do {
        uint64_t number;
        if (field->word_count == most || !take_number(text, &number) ||
            (number > UINT32_MAX && (int64_t)number < INT32_MIN)) {
            return false;
        }
        field->words[field->word_count++] = (uint32_t)number;
    } while (**text == ',' && (*text)++ != NULL);
    return field->word_count >= least;
}

static bool take_attribute(const char **text, const VkdmlFieldSchema *schema, struct case_field *field) {
    const uint32_t most = DML_TENSOR_DIMENSION_COUNT_MAX1;
    field->present = 1;
    switch (schema->type) {
    case VKDML_FIELD_TYPE_ENUM:
        return take_enumerator(text, schema, &field->words[0]);
    case VKDML_FIELD_TYPE_FLOAT:
        return take_floats(text, 1, 1, field);
    case VKDML_FIELD_TYPE_FLOAT_ARRAY:
        return take_floats(text, 1, most, field);
    case VKDML_FIELD_TYPE_SCALE_BIAS:
    case VKDML_FIELD_TYPE_SCALAR_UNION:
        return take_floats(text, 2, 2, field);
    case VKDML_FIELD_TYPE_SIZE_2D:
        return take_integers(text, 2, 2, field);
    case VKDML_FIELD_TYPE_UINT_ARRAY:
    case VKDML_FIELD_TYPE_INT_ARRAY:
        return take_integers(text, 1, most, field);
    default:
        return take_integers(text, 1, 1, field);
    }
}

/* The activation that a word names. */
static const VkdmlOperatorSchema *take_activation(const char **text) {
    const size_t length = strcspn(*text, " ");
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); i++) {
        const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchemaAt(i);
        const char *name = schema->name;
        if (take_name(&name, ACTIVATION_PREFIX) && strlen(name) == length && strncmp(name, *text, length) == 0) {
            *text += length;
            return schema;
        }
    }
    return NULL;
}

static bool take_fused_member(const char **text, struct case_fused *fused) {
    for (uint32_t i = 0; i < fused->schema->fieldCount; i++) {
        const VkdmlFieldSchema *schema = &fused->schema->fields[i];
        const char *rest = *text;
        if (schema->kind == VKDML_FIELD_KIND_ATTRIBUTE && take_name(&rest, schema->name) && take_name(&rest, "=")) {
            *text = rest;
            return take_attribute(text, schema, &fused->fields[i]);
        }
    }
    return false;
}

/* "[3]" */
static bool take_index(const char **text, uint32_t *index) {
    uint64_t number;
    if (!take_name(text, "[") || !take_number(text, &number) || !take_name(text, "]") || number > UINT32_MAX) {
        return false;
    }
    *index = (uint32_t)number;
    return true;
}

/* What stands behind the name of a field that is given as a whole ("=..") or in part (".slack=.."). */
static bool take_operator_of(const char **text, struct operator_case *c, uint32_t field, uint32_t element) {
    if (element < c->fields[field].count && take_name(text, ".")) {
        return take_fused_member(text, &c->fused[element]);
    }
    const VkdmlOperatorSchema *schema = take_name(text, "=") ? take_activation(text) : NULL;
    if (schema == NULL || element > c->fields[field].count || element >= CASE_MAX_FUSED) {
        return false;
    }
    case_fuse(c, c->schema->fields[field].name, element, schema->type);
    return true;
}

static bool take_tensor_of(const char **text, struct operator_case *c, uint32_t field, uint32_t element) {
    if (element < c->fields[field].count && take_name(text, ".")) {
        return take_tensor_member(text, case_array_tensor(c, c->schema->fields[field].name, element));
    }
    return element <= c->fields[field].count && element < CASE_MAX_ARRAY && take_name(text, "=") &&
           take_tensor(text, case_array_tensor(c, c->schema->fields[field].name, element));
}

static bool take_field(const char **text, struct operator_case *c) {
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        const VkdmlFieldSchema *schema = &c->schema->fields[i];
        const char *rest = *text;
        if (!take_name(&rest, schema->name) || strchr("=.[", *rest) == NULL || *rest == '\0') {
            continue;
        }
        uint32_t element = 0;
        const bool is_array =
            schema->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY || schema->type == VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY;
        *text = rest;
        if (is_array && !take_index(text, &element)) {
            return false;
        }
        return case_is_tensor(c, i)      ? take_tensor_of(text, c, i, element)
               : holds_operators(schema) ? take_operator_of(text, c, i, element)
                                         : take_name(text, "=") && take_attribute(text, schema, &c->fields[i]);
    }
    return false;
}

static bool take_level(const char **text, DML_FEATURE_LEVEL *level) {
    for (int value = DML_FEATURE_LEVEL_1_0; value <= DML_FEATURE_LEVEL_6_4; value += 0x100) {
        const char *name = vkdmlGetFeatureLevelName((DML_FEATURE_LEVEL)value);
        if (name != NULL && take_name(text, name)) {
            *level = (DML_FEATURE_LEVEL)value;
            return true;
        }
    }
    return false;
}

static bool take_pair(const char **text, struct operator_case *c) {
    uint64_t number;
    if (take_name(text, "seed=")) {
        return take_number(text, &c->seed);
    }
    if (take_name(text, "level=")) {
        return take_level(text, &c->level);
    }
    if (take_name(text, "flags=")) {
        bool taken = take_number(text, &number);
        c->flags = (VkdmlCompileFlags)number;
        return taken;
    }
    if (take_name(text, "execution=")) {
        bool taken = take_number(text, &number);
        c->execution = (uint32_t)number;
        return taken;
    }
    return take_field(text, c);
}

static const VkdmlOperatorSchema *take_operator(const char **text) {
    size_t length = strcspn(*text, " ");
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); i++) {
        const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchemaAt(i);
        const char *name = schema->name + strlen(OPERATOR_PREFIX);
        if (strlen(name) == length && strncmp(name, *text, length) == 0) {
            *text += length;
            return schema;
        }
    }
    return NULL;
}

bool case_parse(const char *line, struct operator_case *c, char *error, size_t error_size) {
    const char *text = line;
    const VkdmlOperatorSchema *schema = take_operator(&text);
    if (schema == NULL) {
        snprintf(error, error_size, "no implemented operator at \"%.40s\"", line);
        return false;
    }
    case_begin(c, schema->type);
    for (;;) {
        text += strspn(text, " ");
        if (*text == '\0') {
            return true;
        }
        const char *pair = text;
        if (!take_pair(&text, c) || (*text != ' ' && *text != '\0')) {
            snprintf(error, error_size, "cannot read \"%.*s\"", (int)strcspn(pair, " "), pair);
            return false;
        }
    }
}
