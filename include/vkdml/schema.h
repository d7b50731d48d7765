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
    VKDML_FIELD_TYPE_UINT_ARRAY = 5,   /**< const uint32_t *, at most 8 of them, as the field `countField` says */
    VKDML_FIELD_TYPE_SCALE_BIAS = 6,   /**< const DML_SCALE_BIAS * */
    VKDML_FIELD_TYPE_SCALAR_UNION = 7, /**< DML_SCALAR_UNION, of the data type in the field `typeField`, which must be
                                            the first output's */
    VKDML_FIELD_TYPE_BOOL = 8,         /**< int32_t; any value but 0 is true */
    VKDML_FIELD_TYPE_INT_ARRAY = 9,    /**< const int32_t *, as UINT_ARRAY */
    VKDML_FIELD_TYPE_FLOAT_ARRAY = 10, /**< const float *, as UINT_ARRAY */
    VKDML_FIELD_TYPE_SIZE_2D = 11,     /**< DML_SIZE_2D */
    VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY = 12,   /**< const DML_TENSOR_DESC *, 1 to 65536 of them as `countField` says;
                                                    the last field of its kind (input or output) */
    VKDML_FIELD_TYPE_OPERATOR_DESC = 13,       /**< const DML_OPERATOR_DESC *: an operator to fuse into this one, with
                                                    NULL for its tensors; see fusableSince */
    VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY = 14, /**< const DML_OPERATOR_DESC *, at most 8 as `countField` says */
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
typedef enum VkdmlAgreementBits {
    VKDML_AGREE_DATA_TYPE = 1,
    VKDML_AGREE_DIMENSION_COUNT = 2,
    VKDML_AGREE_SIZES = 4,         /**< each size is the other's; implies the same DimensionCount, as do the next two */
    VKDML_AGREE_SIZES_OR_ONE = 8,  /**< each size is the other's, or 1: the tensor is broadcast */
    VKDML_AGREE_SIZES_DIVIDE = 16, /**< each size divides the other's: an element for each block of the other tensor */
    VKDML_AGREE_ONE_ELEMENT = 32,  /**< all sizes are 1; needs no other tensor */
} VkdmlAgreementBits;

/** A rule of one tensor about another. It does not apply where the other tensor is absent. */
typedef struct VkdmlAgreement {
    uint32_t field;          /**< the other: an earlier tensor field, or VKDML_NONE where no other is needed */
    uint32_t what;           /**< VkdmlAgreementBits */
    DML_FEATURE_LEVEL below; /**< holds below that level only; 0: at every level */
} VkdmlAgreement;

/** One field of a descriptor struct. Field references are indices into VkdmlOperatorSchema::fields. */
typedef struct VkdmlFieldSchema {
    const char *name;                /**< as in the struct, e.g. "InputTensor" */
    VkdmlFieldKind kind;             /**< tensor or attribute */
    VkdmlFieldType type;             /**< how it is stored */
    uint32_t offset;                 /**< of the member in the struct, in bytes */
    uint32_t optional;               /**< 1: the pointer may be NULL */
    DML_FEATURE_LEVEL optionalSince; /**< where optional: from that level on, before it it must be given; 0: always */

    const VkdmlEnumeration *enumeration; /**< of ENUM fields, else NULL */
    uint32_t countField;                 /**< of arrays: the UINT field with the length, else VKDML_NONE */
    uint32_t typeField;                  /**< of SCALAR_UNION: the field with its data type, else VKDML_NONE */

    /* Of tensors: */
    const VkdmlTensorSupport *support; /**< newest level first */
    uint32_t supportCount;             /**< length of support */
    const VkdmlAgreement *agreements;  /**< with other tensors */
    uint32_t agreementCount;           /**< length of agreements */
    uint32_t mayAliasFields; /**< of outputs: bit 1u << i for each field i, an input it may be bound in place of */
    uint32_t bindingIndex; /**< position among the operator's inputs (or outputs), an array's first tensor's; VKDML_NONE
                                for attributes */
} VkdmlFieldSchema;

/** What is promised of results. */
typedef enum VkdmlAccuracyKind {
    /** Bit for bit those of the reference (vkdmlReferenceExecute()), on every device. */
    VKDML_ACCURACY_EXACT = 0,
    /** FLOAT32 results are within `ulp` units in the last place of the exact value, FLOAT16 results within 1; and on
     *  every device bit for bit those of the reference too. */
    VKDML_ACCURACY_ULP = 1,
    /** Sums of many terms, whose order depends on shapes and device: within a bound. */
    VKDML_ACCURACY_SUM = 2,
} VkdmlAccuracyKind;

/** So many roundings, each 2^-24 of a magnitude: of n terms fixed + perTerm * n. */
typedef struct VkdmlRoundings {
    double fixed;   /**< whatever the number of terms */
    double perTerm; /**< and for each of them */
} VkdmlRoundings;

/**
 * The accuracy of an operator's results. Operators that are fused add their own.
 *
 * Of SUM, a float may be off by ofTerms of all terms' magnitudes together, ofResult of the result's own and `absolute`
 * of 1, added up, and is then rounded to its type. `what` says what the terms are, and what else holds of some
 * attributes.
 */
typedef struct VkdmlAccuracy {
    VkdmlAccuracyKind kind;        /**< which of these it is */
    uint32_t ulp;                  /**< of ULP, else 0 */
    const char *what;              /**< of SUM, the bound in words; else NULL */
    uint32_t ofTermsCount;         /**< length of ofTerms */
    const VkdmlRoundings *ofTerms; /**< the least of them holds */
    VkdmlRoundings ofResult;       /**< of the result itself */
    double absolute;               /**< in roundings */
    uint32_t ofIntegers;           /**< how far integers may be off; 0: exact */
} VkdmlAccuracy;

/** One row of the operator table. */
typedef struct VkdmlOperatorSchema {
    DML_OPERATOR_TYPE type;         /**< as in DML_OPERATOR_DESC */
    const char *name;               /**< in full, e.g. "DML_OPERATOR_PADDING" */
    DML_FEATURE_LEVEL introduced;   /**< refused below it */
    uint32_t descSize;              /**< sizeof the descriptor struct */
    uint32_t fieldCount;            /**< length of fields */
    const VkdmlFieldSchema *fields; /**< in the struct's order */
    uint32_t inputCount;  /**< fields of kind INPUT_TENSOR but for an array: a descriptor has its length more */
    uint32_t outputCount; /**< the same of kind OUTPUT_TENSOR */
    DML_FEATURE_LEVEL fusableSince; /**< the level from which it may be in an OPERATOR_DESC field; 0: never */
    DML_OPERATOR_TYPE fusableInto;  /**< the one operator that it may be fused into; DML_OPERATOR_INVALID: any */
    VkdmlAccuracy accuracy;         /**< how exact its results are */
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

/**
 * Bits of one element; 0 for UNKNOWN and values that are none. Of the 4-bit types two elements share a byte, the one
 * with the lower index in its low half.
 */
VKDML_API uint32_t vkdmlGetDataTypeBits(DML_TENSOR_DATA_TYPE type);

/** "6_4" of DML_FEATURE_LEVEL_6_4; NULL for values that are no level. */
VKDML_API const char *vkdmlGetFeatureLevelName(DML_FEATURE_LEVEL level);

/**
 * The smallest TotalTensorSizeInBytes of a tensor: (dot(sizes - 1, strides) + 1) elements, rounded up to 4 bytes.
 * Mirrors DMLCalcBufferTensorSize.
 *
 * @param type           of the elements
 * @param dimensionCount length of sizes and strides
 * @param sizes          of the dimensions
 * @param strides        in elements; NULL for packed.
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
 * @param desc  read during the call
 * @param level 0 means the newest.
 * @return VKDML_SUCCESS, VKDML_ERROR_INVALID_ARGUMENT, or VKDML_ERROR_NOT_IMPLEMENTED.
 */
VKDML_API VkdmlResult vkdmlValidateOperator(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_SCHEMA_H */
