/* Makes the rows of operator_table.inc into constant data. Every field macro names every member it sets once: an
 * initializer that overrides another is a warning, and with reason. */
#include "schema/schema.h"

#include <stddef.h>

#include "schema/enumerations.h"
#include "schema/table.h"

/* windows.h has an empty macro of that name. */
#undef OPTIONAL

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Rows */
#define FUSABLE_NEVER        (DML_FEATURE_LEVEL)0
#define FUSABLE_SINCE(level) L(level)
#define ACCURACY_EXACT                                                                                                 \
    { VKDML_ACCURACY_EXACT, 0, NULL }
#define ACCURACY_ULP(n)                                                                                                \
    { VKDML_ACCURACY_ULP, (n), NULL }
#define ACCURACY_SUM(what)                                                                                             \
    { VKDML_ACCURACY_SUM, 0, (what) }

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
#define REQUIRED              .optional = 0
#define OPTIONAL              .optional = 1
#define OPTIONAL_SINCE(level) .optional = 1, .optionalSince = L(level)
#define NO_RULES              .agreementCount = 0
#define RULES(...)                                                                                                     \
    .agreements = (const VkdmlAgreement[]){__VA_ARGS__},                                                               \
    .agreementCount = sizeof((const VkdmlAgreement[]){__VA_ARGS__}) / sizeof(VkdmlAgreement)
#define AGREES(NAME, Field, what)                                                                                      \
    { AT(NAME, Field), AGREEMENT_##what, (DML_FEATURE_LEVEL)0 }
#define AGREES_BELOW(level, NAME, Field, what)                                                                         \
    { AT(NAME, Field), AGREEMENT_##what, L(level) }
#define HAS_ONE_ELEMENT                                                                                                \
    { VKDML_NONE, VKDML_AGREE_ONE_ELEMENT, (DML_FEATURE_LEVEL)0 }

/* What tensors agree in */
#define AGREEMENT_TYPE                  VKDML_AGREE_DATA_TYPE
#define AGREEMENT_DIMENSIONS            VKDML_AGREE_DIMENSION_COUNT
#define AGREEMENT_SIZES                 VKDML_AGREE_SIZES
#define AGREEMENT_SIZES_OR_ONE          VKDML_AGREE_SIZES_OR_ONE
#define AGREEMENT_SIZES_DIVIDE          VKDML_AGREE_SIZES_DIVIDE
#define AGREEMENT_TYPE_AND_DIMENSIONS   (VKDML_AGREE_DATA_TYPE | VKDML_AGREE_DIMENSION_COUNT)
#define AGREEMENT_TYPE_AND_SIZES        (VKDML_AGREE_DATA_TYPE | VKDML_AGREE_SIZES)
#define AGREEMENT_TYPE_AND_SIZES_OR_ONE (VKDML_AGREE_DATA_TYPE | VKDML_AGREE_SIZES_OR_ONE)
#define BIT_OF(NAME, Field)             (1u << AT(NAME, Field))
#define IN_PLACE_OF(fields)             .mayAliasFields = (fields)
#define NOT_IN_PLACE                    .mayAliasFields = 0

/* Attributes */
#define PLAIN(TYPE)     .type = VKDML_FIELD_TYPE_##TYPE, NO_COUNT, .typeField = VKDML_NONE
#define TYPE_UINT       PLAIN(UINT)
#define TYPE_INT        PLAIN(INT)
#define TYPE_FLOAT      PLAIN(FLOAT)
#define TYPE_BOOL       PLAIN(BOOL)
#define TYPE_SIZE_2D    PLAIN(SIZE_2D)
#define TYPE_SCALE_BIAS PLAIN(SCALE_BIAS), .optional = 1
#define TYPE_OPERATOR   PLAIN(OPERATOR_DESC), .optional = 1
#define TYPE_ENUM(name) PLAIN(ENUM), .enumeration = &vkdml_enumeration_##name

/* Each kind of field as FIELD(KIND, NAME, Field, initializers...), which means something else in each of the passes
 * over the table that follow. */
#define INPUT(NAME, Field, ...)                   FIELD(INPUT, NAME, Field, __VA_ARGS__, NO_COUNT)
#define OUTPUT(NAME, Field, ...)                  FIELD(OUTPUT, NAME, Field, __VA_ARGS__, NO_COUNT)
#define INPUT_ARRAY(NAME, Field, CountField, ...) FIELD(INPUT_ARRAY, NAME, Field, __VA_ARGS__, COUNT(NAME, CountField))
#define OUTPUT_ARRAY(NAME, Field, CountField, ...)                                                                     \
    FIELD(OUTPUT_ARRAY, NAME, Field, __VA_ARGS__, COUNT(NAME, CountField))
#define ATTRIBUTE(NAME, Field, type) FIELD(ATTRIBUTE, NAME, Field, TYPE_##type)
#define ARRAY(NAME, Field, TYPE, CountField)                                                                           \
    FIELD(ATTRIBUTE, NAME, Field, .type = VKDML_FIELD_TYPE_##TYPE##_ARRAY, COUNT(NAME, CountField),                    \
          .typeField = VKDML_NONE)
#define SCALAR(NAME, Field, TypeField)                                                                                 \
    FIELD(ATTRIBUTE, NAME, Field, .type = VKDML_FIELD_TYPE_SCALAR_UNION, NO_COUNT, .typeField = AT(NAME, TypeField))
#define COUNT(NAME, CountField) .countField = AT(NAME, CountField)
#define NO_COUNT                .countField = VKDML_NONE

/* Numbers, as enumerators: fields in their row, inputs among inputs, outputs among outputs, and how many there are. An
 * array has the number of its first tensor and is not counted: it is the last of its kind. */
#define AT(NAME, Field)                                         NAME##_AT_##Field
#define FIELD(KIND, NAME, Field, ...)                           AT(NAME, Field),
#define VKDML_OPERATOR(NAME, name, level, fused, accuracy, ...) enum { __VA_ARGS__ NAME##_FIELD_COUNT };
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR
#undef FIELD

#define INPUT_NUMBER_INPUT(NAME, Field)       NAME##_INPUT_##Field,
#define INPUT_NUMBER_INPUT_ARRAY(NAME, Field) NAME##_INPUT_##Field, NAME##_LAST_INPUT = NAME##_INPUT_##Field - 1,
#define INPUT_NUMBER_OUTPUT(NAME, Field)
#define INPUT_NUMBER_OUTPUT_ARRAY(NAME, Field)
#define INPUT_NUMBER_ATTRIBUTE(NAME, Field)
#define FIELD(KIND, NAME, Field, ...)                           INPUT_NUMBER_##KIND(NAME, Field)
#define VKDML_OPERATOR(NAME, name, level, fused, accuracy, ...) enum { __VA_ARGS__ NAME##_INPUT_COUNT };
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR
#undef FIELD

#define OUTPUT_NUMBER_INPUT(NAME, Field)
#define OUTPUT_NUMBER_INPUT_ARRAY(NAME, Field)
#define OUTPUT_NUMBER_OUTPUT_ARRAY(NAME, Field) NAME##_OUTPUT_##Field, NAME##_LAST_OUTPUT = NAME##_OUTPUT_##Field - 1,
#define OUTPUT_NUMBER_OUTPUT(NAME, Field)       NAME##_OUTPUT_##Field,
#define OUTPUT_NUMBER_ATTRIBUTE(NAME, Field)
#define FIELD(KIND, NAME, Field, ...)                           OUTPUT_NUMBER_##KIND(NAME, Field)
#define VKDML_OPERATOR(NAME, name, level, fused, accuracy, ...) enum { __VA_ARGS__ NAME##_OUTPUT_COUNT };
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR
#undef FIELD

/* The fields themselves */
#define TENSOR(KIND, TYPE, NAME, Field)                                                                                \
    .kind = VKDML_FIELD_KIND_##KIND##_TENSOR, .type = VKDML_FIELD_TYPE_##TYPE,                                         \
    .bindingIndex = NAME##_##KIND##_##Field, .typeField = VKDML_NONE
#define KIND_INPUT(NAME, Field)        TENSOR(INPUT, TENSOR_DESC, NAME, Field)
#define KIND_INPUT_ARRAY(NAME, Field)  TENSOR(INPUT, TENSOR_DESC_ARRAY, NAME, Field)
#define KIND_OUTPUT(NAME, Field)       TENSOR(OUTPUT, TENSOR_DESC, NAME, Field)
#define KIND_OUTPUT_ARRAY(NAME, Field) TENSOR(OUTPUT, TENSOR_DESC_ARRAY, NAME, Field)
#define KIND_ATTRIBUTE(NAME, Field)    .kind = VKDML_FIELD_KIND_ATTRIBUTE, .bindingIndex = VKDML_NONE
#define FIELD(KIND, NAME, Field, ...)                                                                                  \
    {.name = #Field, .offset = offsetof(DML_##NAME##_OPERATOR_DESC, Field), KIND_##KIND(NAME, Field), __VA_ARGS__},
#define VKDML_OPERATOR(NAME, name, level, fused, accuracy, ...)                                                        \
    static const VkdmlFieldSchema name##_fields[] = {__VA_ARGS__};
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR

#define VKDML_OPERATOR(NAME, name_, level, fused, accuracy_, ...)                                                      \
    {.type = DML_OPERATOR_##NAME,                                                                                      \
     .name = "DML_OPERATOR_" #NAME,                                                                                    \
     .introduced = DML_FEATURE_LEVEL_##level,                                                                          \
     .descSize = sizeof(DML_##NAME##_OPERATOR_DESC),                                                                   \
     .fieldCount = NAME##_FIELD_COUNT,                                                                                 \
     .fields = name_##_fields,                                                                                         \
     .inputCount = NAME##_INPUT_COUNT,                                                                                 \
     .outputCount = NAME##_OUTPUT_COUNT,                                                                               \
     .fusableSince = FUSABLE_##fused,                                                                                  \
     .accuracy = ACCURACY_##accuracy_},
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

const char *vkdml_input_name(const struct vkdml_instance *instance, uint32_t index) {
    return index < instance->input_count ? instance->input_names[index] : NULL;
}

const char *vkdml_output_name(const struct vkdml_instance *instance, uint32_t index) {
    return index < instance->output_count ? instance->output_names[index] : NULL;
}
