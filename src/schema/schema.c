/* Makes the rows of operator_table.inc into constant data. Every field macro names every member it sets once: an
 * initializer that overrides another is a warning, and with reason. */
#include "schema/schema.h"

#include <stddef.h>

#include "schema/enumerations.h"
#include "schema/table.h"

/* windows.h has an empty macro of that name. */
#undef OPTIONAL

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Data types */
#define BIT(TYPE)   (1u << DML_TENSOR_DATA_TYPE_##TYPE)
#define FLOAT32_16  (BIT(FLOAT32) | BIT(FLOAT16))
#define UINT32_ONLY BIT(UINT32)
#define UP_TO_32    (FLOAT32_16 | BIT(UINT32) | BIT(UINT16) | BIT(UINT8) | BIT(INT32) | BIT(INT16) | BIT(INT8))
#define ALL         (UP_TO_32 | BIT(FLOAT64) | BIT(UINT64) | BIT(INT64))

/* Tensors */
#define L(level) DML_FEATURE_LEVEL_##level
#define SUPPORT(...)                                                                                                   \
    .support = (const VkdmlTensorSupport[]){__VA_ARGS__},                                                              \
    .supportCount = sizeof((const VkdmlTensorSupport[]){__VA_ARGS__}) / sizeof(VkdmlTensorSupport)
#define REQUIRED            .optional = 0
#define OPTIONAL            .optional = 1
#define AGREES(field, what) .agreesWith = (field), .agreement = (what)
#define AGREES_WITH_NONE    .agreesWith = VKDML_NONE, .agreement = 0
#define ALIASES(field)      .mayAlias = (field)
#define ALIASES_NONE        .mayAlias = VKDML_NONE
#define MEMBER(NAME, Field) .name = #Field, .offset = offsetof(DML_##NAME##_OPERATOR_DESC, Field)
#define TENSOR(KIND, index)                                                                                            \
    .kind = VKDML_FIELD_KIND_##KIND##_TENSOR, .type = VKDML_FIELD_TYPE_TENSOR_DESC, .bindingIndex = (index),           \
    .countField = VKDML_NONE, .typeField = VKDML_NONE
#define INPUT(NAME, index, Field, presence, agreement, ...)                                                            \
    { MEMBER(NAME, Field), TENSOR(INPUT, index), presence, agreement, ALIASES_NONE, __VA_ARGS__ }
#define OUTPUT(NAME, index, Field, presence, agreement, alias, ...)                                                    \
    { MEMBER(NAME, Field), TENSOR(OUTPUT, index), presence, agreement, alias, __VA_ARGS__ }

/* Attributes */
#define PLAIN(TYPE)              .type = VKDML_FIELD_TYPE_##TYPE, .countField = VKDML_NONE, .typeField = VKDML_NONE
#define TYPE_UINT                PLAIN(UINT)
#define TYPE_INT                 PLAIN(INT)
#define TYPE_FLOAT               PLAIN(FLOAT)
#define TYPE_SCALE_BIAS          PLAIN(SCALE_BIAS), .optional = 1
#define TYPE_ENUM(name)          PLAIN(ENUM), .enumeration = &vkdml_enumeration_##name
#define TYPE_UINT_ARRAY(count)   .type = VKDML_FIELD_TYPE_UINT_ARRAY, .countField = (count), .typeField = VKDML_NONE
#define TYPE_SCALAR_UNION(field) .type = VKDML_FIELD_TYPE_SCALAR_UNION, .countField = VKDML_NONE, .typeField = (field)
#define ATTRIBUTE(NAME, Field, type_of)                                                                                \
    {                                                                                                                  \
        MEMBER(NAME, Field), .kind = VKDML_FIELD_KIND_ATTRIBUTE, .bindingIndex = VKDML_NONE, .agreesWith = VKDML_NONE, \
                             .mayAlias = VKDML_NONE, TYPE_##type_of                                                    \
    }

#define VKDML_OPERATOR(NAME, name, level, input_count, output_count, ...)                                              \
    static const VkdmlFieldSchema name##_fields[] = {__VA_ARGS__};
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR

#define VKDML_OPERATOR(NAME, name_, level, input_count, output_count, ...)                                             \
    {.type = DML_OPERATOR_##NAME,                                                                                      \
     .name = "DML_OPERATOR_" #NAME,                                                                                    \
     .introduced = DML_FEATURE_LEVEL_##level,                                                                          \
     .descSize = sizeof(DML_##NAME##_OPERATOR_DESC),                                                                   \
     .fieldCount = COUNT_OF(name_##_fields),                                                                           \
     .fields = name_##_fields,                                                                                         \
     .inputCount = input_count,                                                                                        \
     .outputCount = output_count},
static const VkdmlOperatorSchema rows[] = {
#include "schema/operator_table.inc"
};
#undef VKDML_OPERATOR

uint32_t vkdml_schema_count(void) {
    return COUNT_OF(rows);
}

const VkdmlOperatorSchema *vkdml_schema_at(uint32_t index) {
    return index < COUNT_OF(rows) ? &rows[index] : NULL;
}

const VkdmlOperatorSchema *vkdml_schema_find(DML_OPERATOR_TYPE type) {
    for (uint32_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].type == type) {
            return &rows[i];
        }
    }
    return NULL;
}

static const char *tensor_name(const VkdmlOperatorSchema *schema, VkdmlFieldKind kind, uint32_t binding_index) {
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        if (schema->fields[i].kind == kind && schema->fields[i].bindingIndex == binding_index) {
            return schema->fields[i].name;
        }
    }
    return NULL;
}

const char *vkdml_input_name(const struct vkdml_instance *instance, uint32_t index) {
    return tensor_name(instance->schema, VKDML_FIELD_KIND_INPUT_TENSOR, index);
}

const char *vkdml_output_name(const struct vkdml_instance *instance, uint32_t index) {
    return tensor_name(instance->schema, VKDML_FIELD_KIND_OUTPUT_TENSOR, index);
}
