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
#define REQUIRED                  .optional = 0
#define OPTIONAL                  .optional = 1
#define AGREES(NAME, Field, what) .agreesWith = AT(NAME, Field), .agreement = (what)
#define AGREES_WITH_NONE          .agreesWith = VKDML_NONE, .agreement = 0
#define BIT_OF(NAME, Field)       (1u << AT(NAME, Field))
#define IN_PLACE_OF(fields)       .mayAliasFields = (fields)
#define NOT_IN_PLACE              .mayAliasFields = 0

/* Attributes */
#define PLAIN(TYPE)     .type = VKDML_FIELD_TYPE_##TYPE, .countField = VKDML_NONE, .typeField = VKDML_NONE
#define TYPE_UINT       PLAIN(UINT)
#define TYPE_INT        PLAIN(INT)
#define TYPE_FLOAT      PLAIN(FLOAT)
#define TYPE_SCALE_BIAS PLAIN(SCALE_BIAS), .optional = 1
#define TYPE_ENUM(name) PLAIN(ENUM), .enumeration = &vkdml_enumeration_##name

/* Each kind of field as FIELD(KIND, NAME, Field, initializers...), which means something else in each of the passes
 * over the table that follow. */
#define INPUT(NAME, Field, ...)      FIELD(INPUT, NAME, Field, __VA_ARGS__, NOT_IN_PLACE)
#define OUTPUT(NAME, Field, ...)     FIELD(OUTPUT, NAME, Field, __VA_ARGS__)
#define ATTRIBUTE(NAME, Field, type) FIELD(ATTRIBUTE, NAME, Field, TYPE_##type)
#define ARRAY(NAME, Field, TYPE, CountField)                                                                           \
    FIELD(ATTRIBUTE, NAME, Field, .type = VKDML_FIELD_TYPE_##TYPE##_ARRAY, .countField = AT(NAME, CountField),         \
          .typeField = VKDML_NONE)
#define SCALAR(NAME, Field, TypeField)                                                                                 \
    FIELD(ATTRIBUTE, NAME, Field, .type = VKDML_FIELD_TYPE_SCALAR_UNION, .countField = VKDML_NONE,                     \
          .typeField = AT(NAME, TypeField))

/* Numbers, as enumerators: fields in their row, inputs among inputs, outputs among outputs, and how many there are. */
#define AT(NAME, Field)                        NAME##_AT_##Field
#define FIELD(KIND, NAME, Field, ...)          AT(NAME, Field),
#define VKDML_OPERATOR(NAME, name, level, ...) enum { __VA_ARGS__ NAME##_FIELD_COUNT };
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR
#undef FIELD

#define INPUT_NUMBER_INPUT(NAME, Field) NAME##_INPUT_##Field,
#define INPUT_NUMBER_OUTPUT(NAME, Field)
#define INPUT_NUMBER_ATTRIBUTE(NAME, Field)
#define FIELD(KIND, NAME, Field, ...)          INPUT_NUMBER_##KIND(NAME, Field)
#define VKDML_OPERATOR(NAME, name, level, ...) enum { __VA_ARGS__ NAME##_INPUT_COUNT };
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR
#undef FIELD

#define OUTPUT_NUMBER_INPUT(NAME, Field)
#define OUTPUT_NUMBER_OUTPUT(NAME, Field) NAME##_OUTPUT_##Field,
#define OUTPUT_NUMBER_ATTRIBUTE(NAME, Field)
#define FIELD(KIND, NAME, Field, ...)          OUTPUT_NUMBER_##KIND(NAME, Field)
#define VKDML_OPERATOR(NAME, name, level, ...) enum { __VA_ARGS__ NAME##_OUTPUT_COUNT };
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR
#undef FIELD

/* The fields themselves */
#define TENSOR(KIND, NAME, Field)                                                                                      \
    .kind = VKDML_FIELD_KIND_##KIND##_TENSOR, .type = VKDML_FIELD_TYPE_TENSOR_DESC,                                    \
    .bindingIndex = NAME##_##KIND##_##Field, .countField = VKDML_NONE, .typeField = VKDML_NONE
#define KIND_INPUT(NAME, Field)  TENSOR(INPUT, NAME, Field)
#define KIND_OUTPUT(NAME, Field) TENSOR(OUTPUT, NAME, Field)
#define KIND_ATTRIBUTE(NAME, Field)                                                                                    \
    .kind = VKDML_FIELD_KIND_ATTRIBUTE, .bindingIndex = VKDML_NONE, .agreesWith = VKDML_NONE
#define FIELD(KIND, NAME, Field, ...)                                                                                  \
    {.name = #Field, .offset = offsetof(DML_##NAME##_OPERATOR_DESC, Field), KIND_##KIND(NAME, Field), __VA_ARGS__},
#define VKDML_OPERATOR(NAME, name, level, ...) static const VkdmlFieldSchema name##_fields[] = {__VA_ARGS__};
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR

#define VKDML_OPERATOR(NAME, name_, level, ...)                                                                        \
    {.type = DML_OPERATOR_##NAME,                                                                                      \
     .name = "DML_OPERATOR_" #NAME,                                                                                    \
     .introduced = DML_FEATURE_LEVEL_##level,                                                                          \
     .descSize = sizeof(DML_##NAME##_OPERATOR_DESC),                                                                   \
     .fieldCount = NAME##_FIELD_COUNT,                                                                                 \
     .fields = name_##_fields,                                                                                         \
     .inputCount = NAME##_INPUT_COUNT,                                                                                 \
     .outputCount = NAME##_OUTPUT_COUNT},
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
