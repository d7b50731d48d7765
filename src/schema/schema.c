/* Makes the rows of operator_table.inc into constant data. */
#include "schema/schema.h"

#include <stddef.h>

#include "schema/row_macros.h"
#include "schema/table.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

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
     .fusableInto = INTO_##fused,                                                                                      \
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

/* The places of rows by type, so that finding one does not walk through them: counted from 1, 0 where there is none. */
#define VKDML_OPERATOR(NAME, name, level, fused, accuracy, ...) PLACE_OF_##NAME,
enum {
    PLACE_OF_NONE,
#include "schema/operator_table.inc"
};
#undef VKDML_OPERATOR

#define VKDML_OPERATOR(NAME, name, level, fused, accuracy, ...) [DML_OPERATOR_##NAME] = PLACE_OF_##NAME,
static const uint16_t places[] = {
#include "schema/operator_table.inc"
};
#undef VKDML_OPERATOR

const VkdmlOperatorSchema *vkdml_schema_find(DML_OPERATOR_TYPE type) {
    const size_t index = (size_t)type;
    return index < COUNT_OF(places) && places[index] != PLACE_OF_NONE ? &rows[places[index] - 1] : NULL;
}

const char *vkdml_input_name(const struct vkdml_instance *instance, uint32_t index) {
    return index < instance->input_count ? instance->input_names[index] : NULL;
}

const char *vkdml_output_name(const struct vkdml_instance *instance, uint32_t index) {
    return index < instance->output_count ? instance->output_names[index] : NULL;
}
