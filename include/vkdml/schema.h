/**
 * @file schema.h
 * @brief The operator table: what each implemented operator's descriptor holds and what it accepts.
 *
 * The table that the library validates with, open to readers: model loaders, language bindings and tools read
 * fields by name and offset instead of knowing operators. All of it is constant data of the library, valid as long as
 * the library is loaded; all functions are thread-safe.
 */
#ifndef VKDML_SCHEMA_H
#define VKDML_SCHEMA_H

#include <stdint.h>

#include "vkdml/dml_types.h"
#include "vkdml/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Stands where an index or offset does not apply. */
#define VKDML_NONE UINT32_MAX

/** What a field of a descriptor struct is. */
typedef enum VkdmlFieldKind {
    VKDML_FIELD_KIND_INPUT_TENSOR = 0,
    VKDML_FIELD_KIND_OUTPUT_TENSOR = 1,
    VKDML_FIELD_KIND_ATTRIBUTE = 2,
} VkdmlFieldKind;

/** How a field is stored in its descriptor struct. */
typedef enum VkdmlFieldType {
    VKDML_FIELD_TYPE_TENSOR_DESC = 0,  /**< const DML_TENSOR_DESC * */
    VKDML_FIELD_TYPE_UINT = 1,         /**< uint32_t */
    VKDML_FIELD_TYPE_INT = 2,          /**< int32_t */
    VKDML_FIELD_TYPE_FLOAT = 3,        /**< float */
    VKDML_FIELD_TYPE_ENUM = 4,         /**< a DML_ enumeration; its enumerators are in `enumeration` */
    VKDML_FIELD_TYPE_UINT_ARRAY = 5,   /**< const uint32_t *, as long as the field `count_field` says */
    VKDML_FIELD_TYPE_SCALE_BIAS = 6,   /**< const DML_SCALE_BIAS * */
    VKDML_FIELD_TYPE_SCALAR_UNION = 7, /**< DML_SCALAR_UNION, of the data type in the field `type_field` */
} VkdmlFieldType;

/** One name of an enumeration and the feature level from which it may be used. */
typedef struct VkdmlEnumerator {
    const char *name;             /**< in full, e.g. "DML_PADDING_MODE_WRAP" */
    int32_t value;                /**< as in the enumeration */
    DML_FEATURE_LEVEL introduced; /**< the level it may be used from */
} VkdmlEnumerator;

/** A DML_ enumeration used by a field. */
typedef struct VkdmlEnumeration {
    const char *name;                   /**< e.g. "DML_PADDING_MODE" */
    uint32_t enumeratorCount;           /**< length of enumerators */
    const VkdmlEnumerator *enumerators; /**< in the order of their values */
} VkdmlEnumeration;

/** What a tensor may be from one feature level on. */
typedef struct VkdmlTensorSupport {
    DML_FEATURE_LEVEL level;    /**< until a newer row */
    uint32_t minDimensionCount; /**< at least 1 */
    uint32_t maxDimensionCount; /**< at most 8 */
    uint32_t dataTypes;         /**< bit 1u << DML_TENSOR_DATA_TYPE_x for each type x */
} VkdmlTensorSupport;

/** In what a tensor must agree with another tensor of the same operator. */
typedef enum VkdmlAgreement {
    VKDML_AGREE_DATA_TYPE = 1,
    VKDML_AGREE_DIMENSION_COUNT = 2,
    VKDML_AGREE_SIZES = 4, /**< implies the same DimensionCount */
} VkdmlAgreement;

/** One field of a descriptor struct. Field references are indices into VkdmlOperatorSchema::fields. */
typedef struct VkdmlFieldSchema {
    const char *name;    /**< as in the struct, e.g. "InputTensor" */
    VkdmlFieldKind kind; /**< tensor or attribute */
    VkdmlFieldType type; /**< how it is stored */
    uint32_t offset;     /**< of the member in the struct, in bytes */
    uint32_t optional;   /**< 1: the pointer may be NULL */

    const VkdmlEnumeration *enumeration; /**< of ENUM fields, else NULL */
    uint32_t countField;                 /**< of arrays: the UINT field with the length, else VKDML_NONE */
    uint32_t typeField;                  /**< of SCALAR_UNION: the field with its data type, else VKDML_NONE */

    /* Of tensors: */
    const VkdmlTensorSupport *support; /**< newest level first */
    uint32_t supportCount;             /**< length of support */
    uint32_t agreesWith;               /**< an earlier tensor field, or VKDML_NONE */
    uint32_t agreement;                /**< VkdmlAgreement bits */
    uint32_t mayAliasFields; /**< of outputs: bit 1u << i for each field i, an input it may be bound in place of */
    uint32_t bindingIndex;   /**< position among the operator's inputs (or outputs), VKDML_NONE for attributes */
} VkdmlFieldSchema;

/** One row of the operator table. */
typedef struct VkdmlOperatorSchema {
    DML_OPERATOR_TYPE type;         /**< as in DML_OPERATOR_DESC */
    const char *name;               /**< in full, e.g. "DML_OPERATOR_PADDING" */
    DML_FEATURE_LEVEL introduced;   /**< refused below it */
    uint32_t descSize;              /**< sizeof the descriptor struct */
    uint32_t fieldCount;            /**< length of fields */
    const VkdmlFieldSchema *fields; /**< in the struct's order */
    uint32_t inputCount;            /**< tensors of kind INPUT_TENSOR */
    uint32_t outputCount;           /**< tensors of kind OUTPUT_TENSOR */
} VkdmlOperatorSchema;

/** The row of an implemented operator, or NULL. */
VKDML_API const VkdmlOperatorSchema *vkdmlGetOperatorSchema(DML_OPERATOR_TYPE type);

/** How many operators are implemented. */
VKDML_API uint32_t vkdmlGetOperatorSchemaCount(void);

/** The row at an index below vkdmlGetOperatorSchemaCount(), in no particular order, or NULL. */
VKDML_API const VkdmlOperatorSchema *vkdmlGetOperatorSchemaAt(uint32_t index);

/** "DML_OPERATOR_..." of any of DirectML's 177 operators, implemented or not; NULL for other values. */
VKDML_API const char *vkdmlGetOperatorName(DML_OPERATOR_TYPE type);

/** The feature level that introduced any of DirectML's 177 operators; 0 for other values. */
VKDML_API DML_FEATURE_LEVEL vkdmlGetOperatorFeatureLevel(DML_OPERATOR_TYPE type);

/** "DML_TENSOR_DATA_TYPE_..." of a data type; NULL for values that are none. */
VKDML_API const char *vkdmlGetDataTypeName(DML_TENSOR_DATA_TYPE type);

/** Bytes of one element; 0 for UNKNOWN, the 4-bit types and values that are none. */
VKDML_API uint32_t vkdmlGetDataTypeSize(DML_TENSOR_DATA_TYPE type);

/** "6_4" of DML_FEATURE_LEVEL_6_4; NULL for values that are no level. */
VKDML_API const char *vkdmlGetFeatureLevelName(DML_FEATURE_LEVEL level);

/**
 * The smallest TotalTensorSizeInBytes of a tensor: (dot(sizes - 1, strides) + 1) elements, rounded up to 4 bytes.
 * Mirrors DMLCalcBufferTensorSize.
 *
 * @param strides NULL for packed.
 * @return 0 where the result does not fit 64 bits, a size is 0, a pointer or the type is not valid, or
 *         dimensionCount is not 1 to 8.
 */
VKDML_API uint64_t vkdmlCalcBufferTensorSize(DML_TENSOR_DATA_TYPE type, uint32_t dimensionCount, const uint32_t *sizes,
                                             const uint32_t *strides);

/**
 * Holds a descriptor to every rule of a feature level, without a device: the checks of vkdmlCreateOperator().
 *
 * All failures that can be told at once are told, in vkdmlGetErrorMessage(), a line each. Thread-safe.
 *
 * @param level 0 means the newest.
 * @return VKDML_SUCCESS, VKDML_ERROR_INVALID_ARGUMENT, or VKDML_ERROR_NOT_IMPLEMENTED.
 */
VKDML_API VkdmlResult vkdmlValidateOperator(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_SCHEMA_H */
