/* The words that rows are written in; what they are for stands in operator_table.inc. Every field macro names every
 * member it sets once: an initializer that overrides another is a warning, and with reason. */
#ifndef VKDML_SCHEMA_ROW_MACROS_H
#define VKDML_SCHEMA_ROW_MACROS_H

#include "schema/enumerations.h"
#include "vkdml/schema.h"

/* windows.h has an empty macro of that name. */
#undef OPTIONAL

/* Rows */
#define FUSABLE_NEVER             (DML_FEATURE_LEVEL)0
#define FUSABLE_SINCE(level)      L(level)
#define FUSABLE_INTO(NAME, level) L(level)
#define INTO_NEVER                DML_OPERATOR_INVALID
#define INTO_SINCE(level)         DML_OPERATOR_INVALID
#define INTO_INTO(NAME, level)    DML_OPERATOR_##NAME
#define ACCURACY_EXACT                                                                                                 \
    { .kind = VKDML_ACCURACY_EXACT }
#define ACCURACY_ULP(n)                                                                                                \
    { .kind = VKDML_ACCURACY_ULP, .ulp = (n) }
#define ACCURACY_SUM(words, ...)                                                                                       \
    { .kind = VKDML_ACCURACY_SUM, .what = (words), __VA_ARGS__ }
#define OF_TERMS(...)                                                                                                  \
    .ofTerms = (const VkdmlRoundings[]){__VA_ARGS__},                                                                  \
    .ofTermsCount = sizeof((const VkdmlRoundings[]){__VA_ARGS__}) / sizeof(VkdmlRoundings)
#define OF_RESULT(fixed, per_term) .ofResult = {(fixed), (per_term)}
#define OF_ONE(roundings)          .absolute = (roundings)
#define OF_INTEGERS(ones)          .ofIntegers = (ones)

/* Data types */
#define BIT(TYPE)   (1u << DML_TENSOR_DATA_TYPE_##TYPE)
#define FLOAT32_16  (BIT(FLOAT32) | BIT(FLOAT16))
#define SIGNED      (BIT(INT32) | BIT(INT16) | BIT(INT8))
#define UNSIGNED    (BIT(UINT32) | BIT(UINT16) | BIT(UINT8))
#define UP_TO_32    (FLOAT32_16 | SIGNED | UNSIGNED)
#define NUMBERS     (UP_TO_32 | BIT(INT64) | BIT(UINT64))
#define ALL         (NUMBERS | BIT(FLOAT64))
#define FLOATS_32   (FLOAT32_16 | BIT(INT32) | BIT(UINT32))
#define UINT32_ONLY BIT(UINT32)
#define INDICES     (BIT(INT64) | BIT(INT32) | BIT(UINT64) | BIT(UINT32))
#define TRUTHS      (BIT(UINT32) | BIT(UINT8))
#define BYTES       (BIT(UINT8) | BIT(INT8))
#define QUANTIZED   (BYTES | BIT(UINT4) | BIT(INT4))

/* Support by level */
#define L(level) DML_FEATURE_LEVEL_##level
#define SUPPORT(...)                                                                                                   \
    .support = (const VkdmlTensorSupport[]){__VA_ARGS__},                                                              \
    .supportCount = sizeof((const VkdmlTensorSupport[]){__VA_ARGS__}) / sizeof(VkdmlTensorSupport)

/* What several operators support alike */
#define FLOATS_SINCE(level) SUPPORT({L(3_0), 1, 8, FLOAT32_16}, {L(level), 4, 4, FLOAT32_16})
#define ARITHMETIC                                                                                                     \
    SUPPORT({L(5_1), 1, 8, NUMBERS}, {L(4_1), 1, 8, FLOATS_32 | BIT(INT64) | BIT(UINT64)}, {L(3_0), 1, 8, FLOATS_32},  \
            {L(2_1), 4, 5, FLOATS_32}, {L(1_0), 4, 5, FLOAT32_16})
#define ORDERED                                                                                                        \
    SUPPORT({L(5_0), 1, 8, NUMBERS}, {L(3_0), 1, 8, UP_TO_32}, {L(2_1), 4, 4, UP_TO_32}, {L(1_0), 4, 4, FLOAT32_16})
#define REMAINDERS SUPPORT({L(6_0), 1, 8, NUMBERS}, {L(3_0), 1, 8, UP_TO_32}, {L(2_1), 4, 4, UP_TO_32})
#define COMPARED                                                                                                       \
    SUPPORT({L(4_1), 1, 8, NUMBERS}, {L(3_0), 1, 8, UP_TO_32}, {L(2_1), 4, 4, UP_TO_32}, {L(1_0), 4, 4, FLOAT32_16})
#define LOGICAL   SUPPORT({L(3_0), 1, 8, TRUTHS}, {L(2_0), 4, 4, TRUTHS}, {L(1_0), 4, 4, UINT32_ONLY})
#define BITS      SUPPORT({L(4_1), 1, 8, ALL}, {L(3_0), 1, 8, UNSIGNED})
#define SHIFTED   SUPPORT({L(4_1), 1, 8, UNSIGNED | BIT(UINT64)}, {L(3_0), 1, 8, UNSIGNED}, {L(2_1), 4, 4, UNSIGNED})
#define ACTIVATED SUPPORT({L(3_0), 1, 8, FLOAT32_16}, {L(2_0), 4, 5, FLOAT32_16}, {L(1_0), 4, 4, FLOAT32_16})

/* What indices lead to, and these. */
#define INDEXED SUPPORT({L(4_1), 1, 8, ALL}, {L(3_0), 1, 8, UP_TO_32}, {L(2_1), 4, 4, UP_TO_32})
#define INDEXED_SINCE(level)                                                                                           \
    SUPPORT({L(4_1), 1, 8, ALL}, {L(3_0), 1, 8, UP_TO_32}, {L(2_1), 4, 4, UP_TO_32}, {L(level), 4, 4, FLOAT32_16})
#define INDICES_SINCE(level) SUPPORT({L(3_0), 1, 8, INDICES}, {L(level), 4, 4, UINT32_ONLY})

#define SCANNED_SINCE(level)                                                                                           \
    SUPPORT({L(5_0), 1, 8, FLOATS_32 | BIT(INT64) | BIT(UINT64)}, {L(4_0), 1, 8, FLOATS_32},                           \
            {L(level), 4, 4, FLOATS_32})

#define CASTS                                                                                                          \
    SUPPORT({L(4_1), 1, 8, ALL}, {L(3_1), 1, 8, NUMBERS}, {L(3_0), 4, 4, NUMBERS},                                     \
            {L(1_0), 4, 4, FLOAT32_16 | BIT(UINT16) | BIT(INT16) | BYTES})
#define QUANTIZATION_SCALES                                                                                            \
    SUPPORT({L(6_0), 1, 8, FLOAT32_16}, {L(3_0), 1, 8, BIT(FLOAT32)}, {L(1_0), 4, 4, BIT(FLOAT32)})
#define QUANTIZED_INTEGERS                                                                                             \
    SUPPORT({L(3_0), 1, 8, SIGNED | UNSIGNED}, {L(2_1), 4, 4, SIGNED | UNSIGNED}, {L(1_0), 4, 4, BIT(UINT8)})

#define WORDS_AND_HALVES (FLOATS_32 | BIT(INT16) | BIT(UINT16))
#define SLICED_SINCE_2_1 SUPPORT({L(4_1), 1, 8, ALL}, {L(3_0), 1, 8, UP_TO_32}, {L(2_1), 4, 5, UP_TO_32})
#define SLICED                                                                                                         \
    SUPPORT({L(4_1), 1, 8, ALL}, {L(3_0), 1, 8, UP_TO_32}, {L(2_1), 4, 5, UP_TO_32}, {L(1_0), 4, 5, WORDS_AND_HALVES})
#define BLOCKS_SINCE_2_1 SUPPORT({L(5_0), 4, 4, ALL}, {L(2_1), 4, 4, UP_TO_32})
#define BLOCKS           SUPPORT({L(5_0), 4, 4, ALL}, {L(2_1), 4, 4, UP_TO_32}, {L(1_0), 4, 4, FLOAT32_16})

/* Tensors */
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

/* Places */
#define BIT_OF(NAME, Field) (1u << AT(NAME, Field))
#define IN_PLACE_OF(fields) .mayAliasFields = (fields)
#define NOT_IN_PLACE        .mayAliasFields = 0

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

/* Each kind of field as FIELD(KIND, NAME, Field, initializers...), which means something else in each pass
 * over the table (schema.c). AT(NAME, Field) is a field's index in its row. */
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

#endif
