/**
 * @file schema.h
 * @brief The operator table: the fields of each operator's descriptor and the values they accept.
 *
 * The table that vkdml itself validates with. Model loaders, language bindings and tools can access fields by name and
 * offset, without code for each operator. All data is constant and valid while the library is loaded. All functions are
 * thread-safe.
 */
#ifndef VKDML_SCHEMA_H
#define VKDML_SCHEMA_H

#include <stdint.h>

#include "vkdml/dml_types.h"
#include "vkdml/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The value of an index or offset that does not apply. */
#define VKDML_NONE UINT32_MAX

/** The kind of a field of a descriptor struct. */
typedef enum VkdmlFieldKind {
    VKDML_FIELD_KIND_INPUT_TENSOR = 0,
    VKDML_FIELD_KIND_OUTPUT_TENSOR = 1,
    VKDML_FIELD_KIND_ATTRIBUTE = 2,
} VkdmlFieldKind;

/** How a field is stored in its descriptor struct. */
typedef enum VkdmlFieldType {
    VKDML_FIELD_TYPE_TENSOR_DESC = 0, /**< const DML_TENSOR_DESC * */
    VKDML_FIELD_TYPE_UINT = 1,        /**< uint32_t */
    VKDML_FIELD_TYPE_INT = 2,         /**< int32_t */
    VKDML_FIELD_TYPE_FLOAT = 3,       /**< float */
    VKDML_FIELD_TYPE_ENUM = 4,        /**< a DML_ enumeration, see VkdmlFieldSchema::enumeration */
    /** const uint32_t *, at most 8 elements; the length is in the field `countField` */
    VKDML_FIELD_TYPE_UINT_ARRAY = 5,
    VKDML_FIELD_TYPE_SCALE_BIAS = 6, /**< const DML_SCALE_BIAS * */
    /** DML_SCALAR_UNION; its data type is in the field `typeField` and must be that of the first output */
    VKDML_FIELD_TYPE_SCALAR_UNION = 7,
    VKDML_FIELD_TYPE_BOOL = 8,               /**< int32_t; nonzero is true */
    VKDML_FIELD_TYPE_INT_ARRAY = 9,          /**< const int32_t *, like UINT_ARRAY */
    VKDML_FIELD_TYPE_FLOAT_ARRAY = 10,       /**< const float *, like UINT_ARRAY */
    VKDML_FIELD_TYPE_SIZE_2D = 11,           /**< DML_SIZE_2D */
    VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY = 12, /**< const DML_TENSOR_DESC *, 1 to 65536 elements; the length is in the
                                                field `countField`; the last field of its kind (input or output) */
    /** const DML_OPERATOR_DESC *: an operator to fuse into this one; its tensors are NULL; see fusableSince */
    VKDML_FIELD_TYPE_OPERATOR_DESC = 13,
    /** const DML_OPERATOR_DESC *, at most 8 elements; the length is in the field `countField` */
    VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY = 14,
} VkdmlFieldType;

/** A value of an enumeration. */
typedef struct VkdmlEnumerator {
    const char *name;             /**< in full, e.g. "DML_PADDING_MODE_WRAP" */
    int32_t value;                /**< as in the enumeration */
    DML_FEATURE_LEVEL introduced; /**< the feature level that introduced it */
} VkdmlEnumerator;

/** A DML_ enumeration used by a field. */
typedef struct VkdmlEnumeration {
    const char *name;                   /**< e.g. "DML_PADDING_MODE" */
    uint32_t enumeratorCount;           /**< length of enumerators */
    const VkdmlEnumerator *enumerators; /**< in the order of their values */
} VkdmlEnumeration;

/** The data types and dimension counts that a tensor supports from a feature level on. */
typedef struct VkdmlTensorSupport {
    DML_FEATURE_LEVEL level;    /**< from this level on, until that of a newer row */
    uint32_t minDimensionCount; /**< at least 1 */
    uint32_t maxDimensionCount; /**< at most 8 */
    uint32_t dataTypes;         /**< bit 1u << DML_TENSOR_DATA_TYPE_x for each type x */
} VkdmlTensorSupport;

/** Properties that must match those of another tensor of the operator. */
typedef enum VkdmlAgreementBits {
    VKDML_AGREE_DATA_TYPE = 1,
    VKDML_AGREE_DIMENSION_COUNT = 2,
    VKDML_AGREE_SIZES = 4,         /**< sizes are equal; implies DIMENSION_COUNT, as do the next two */
    VKDML_AGREE_SIZES_OR_ONE = 8,  /**< each size is equal or 1: the tensor is broadcast */
    VKDML_AGREE_SIZES_DIVIDE = 16, /**< each size divides the other's: one element per block of the other tensor */
    VKDML_AGREE_ONE_ELEMENT = 32,  /**< all sizes are 1; needs no other tensor */
} VkdmlAgreementBits;

/** A rule about two tensors. It does not apply if the other tensor is absent. */
typedef struct VkdmlAgreement {
    /** index of the other tensor's field, an earlier one; VKDML_NONE if the rule needs no other tensor */
    uint32_t field;
    uint32_t what;           /**< VkdmlAgreementBits */
    DML_FEATURE_LEVEL below; /**< applies only below this level; 0: at every level */
} VkdmlAgreement;

/** One field of a descriptor struct. Field references are indices into VkdmlOperatorSchema::fields. */
typedef struct VkdmlFieldSchema {
    const char *name;                /**< as in the struct, e.g. "InputTensor" */
    VkdmlFieldKind kind;             /**< input, output or attribute */
    VkdmlFieldType type;             /**< how it is stored */
    uint32_t offset;                 /**< offset in the struct, in bytes */
    uint32_t optional;               /**< 1: the pointer may be NULL */
    DML_FEATURE_LEVEL optionalSince; /**< if optional: the level from which it may be NULL; 0: every level */

    const VkdmlEnumeration *enumeration; /**< ENUM fields, else NULL */
    uint32_t countField;                 /**< arrays: index of the UINT field with the length, else VKDML_NONE */
    uint32_t typeField;                  /**< SCALAR_UNION: index of the field with the data type, else VKDML_NONE */

    /* Tensors only: */
    const VkdmlTensorSupport *support; /**< newest level first */
    uint32_t supportCount;             /**< length of support */
    const VkdmlAgreement *agreements;  /**< with other tensors */
    uint32_t agreementCount;           /**< length of agreements */
    uint32_t mayAliasFields; /**< outputs: bit 1u << i for each input field i that it may overwrite in place */
    uint32_t bindingIndex;   /**< index among the operator's inputs or outputs, for an array that of its first tensor;
                                VKDML_NONE for attributes */
} VkdmlFieldSchema;

/** The kind of accuracy that an operator guarantees. */
typedef enum VkdmlAccuracyKind {
    /** Results have the same bits as the CPU reference (vkdmlReferenceExecute()) on every device. */
    VKDML_ACCURACY_EXACT = 0,
    /** FLOAT32 results are within `ulp` units in the last place of the exact value, FLOAT16 results within 1. They have
       the same bits as the CPU reference on every device. */
    VKDML_ACCURACY_ULP = 1,
    /** Sums of many terms, whose order depends on sizes and device. Results are within a bound. */
    VKDML_ACCURACY_SUM = 2,
} VkdmlAccuracyKind;

/** A number of roundings for n terms: fixed + perTerm * n. A rounding is 2^-24 of a magnitude. */
typedef struct VkdmlRoundings {
    double fixed;   /**< independent of the number of terms */
    double perTerm; /**< for each term */
} VkdmlRoundings;

/**
 * The accuracy of an operator's results. Fused operators add theirs.
 *
 * For SUM, the error of a float, before it is rounded to its type, is at most the sum of: ofTerms roundings of the sum
 * of the terms' magnitudes, ofResult roundings of the result's magnitude, and `absolute` roundings of 1. `what` states
 * what the terms are, and exceptions for some attributes.
 */
typedef struct VkdmlAccuracy {
    VkdmlAccuracyKind kind;        /**< kind of accuracy */
    uint32_t ulp;                  /**< ULP: the number of units, else 0 */
    const char *what;              /**< SUM: the bound in words, else NULL */
    uint32_t ofTermsCount;         /**< length of ofTerms */
    const VkdmlRoundings *ofTerms; /**< relative to the terms; the smallest bound applies */
    VkdmlRoundings ofResult;       /**< relative to the result */
    double absolute;               /**< in roundings */
    uint32_t ofIntegers;           /**< largest error of integer results; 0: exact */
} VkdmlAccuracy;

/** One row of the operator table. */
typedef struct VkdmlOperatorSchema {
    DML_OPERATOR_TYPE type;         /**< as in DML_OPERATOR_DESC */
    const char *name;               /**< in full, e.g. "DML_OPERATOR_PADDING" */
    DML_FEATURE_LEVEL introduced;   /**< the feature level that introduced it */
    uint32_t descSize;              /**< sizeof the descriptor struct */
    uint32_t fieldCount;            /**< length of fields */
    const VkdmlFieldSchema *fields; /**< in the struct's order */
    uint32_t inputCount;  /**< fields of kind INPUT_TENSOR, without an array, whose length is in the descriptor */
    uint32_t outputCount; /**< the same for OUTPUT_TENSOR */
    DML_FEATURE_LEVEL fusableSince; /**< the feature level from which an OPERATOR_DESC field may contain it; 0: never */
    DML_OPERATOR_TYPE fusableInto;  /**< the only operator that it may be fused into; DML_OPERATOR_INVALID: any */
    VkdmlAccuracy accuracy;         /**< accuracy of its results */
} VkdmlOperatorSchema;

/** Returns the row of an operator, or NULL if it is not implemented. */
VKDML_API const VkdmlOperatorSchema *vkdmlGetOperatorSchema(DML_OPERATOR_TYPE type);

/** Returns the number of implemented operators. */
VKDML_API uint32_t vkdmlGetOperatorSchemaCount(void);

/** Returns the row at an index, or NULL if the index is not below vkdmlGetOperatorSchemaCount(). */
VKDML_API const VkdmlOperatorSchema *vkdmlGetOperatorSchemaAt(uint32_t index);

/** Returns the name "DML_OPERATOR_..." of any of DirectML's 177 operators; NULL for other values. */
VKDML_API const char *vkdmlGetOperatorName(DML_OPERATOR_TYPE type);

/** Returns the feature level that introduced an operator; 0 for other values. */
VKDML_API DML_FEATURE_LEVEL vkdmlGetOperatorFeatureLevel(DML_OPERATOR_TYPE type);

/** Returns the name "DML_TENSOR_DATA_TYPE_..." of a data type; NULL for other values. */
VKDML_API const char *vkdmlGetDataTypeName(DML_TENSOR_DATA_TYPE type);

/** Returns the bytes per element; 0 for UNKNOWN, 4-bit types and other values. */
VKDML_API uint32_t vkdmlGetDataTypeSize(DML_TENSOR_DATA_TYPE type);

/**
 * Returns the bits per element; 0 for UNKNOWN and other values. Two elements of a 4-bit type share a byte; the one with
 * the lower index is in the low half.
 */
VKDML_API uint32_t vkdmlGetDataTypeBits(DML_TENSOR_DATA_TYPE type);

/** Returns the name of a feature level, as "6_4"; NULL for other values. */
VKDML_API const char *vkdmlGetFeatureLevelName(DML_FEATURE_LEVEL level);

/**
 * Returns the smallest TotalTensorSizeInBytes of a tensor: (dot(sizes - 1, strides) + 1) elements, rounded up to 4
 * bytes. Mirrors DMLCalcBufferTensorSize.
 *
 * @param type           data type of the elements
 * @param dimensionCount length of sizes and strides
 * @param sizes          in elements
 * @param strides        in elements; NULL: packed
 * @return 0 if the result exceeds 64 bits, a size is 0, a pointer or the type is invalid, or dimensionCount is not 1 to
 *         8.
 */
VKDML_API uint64_t vkdmlCalcBufferTensorSize(DML_TENSOR_DATA_TYPE type, uint32_t dimensionCount, const uint32_t *sizes,
                                             const uint32_t *strides);

/**
 * Validates a descriptor against a feature level, as vkdmlCreateOperator() does. Needs no device.
 *
 * vkdmlGetErrorMessage() has all reasons that can be determined together, one per line. Thread-safe.
 *
 * @param desc  read during the call only
 * @param level feature level; 0: the newest
 * @return VKDML_ERROR_INVALID_ARGUMENT, VKDML_ERROR_NOT_IMPLEMENTED
 */
VKDML_API VkdmlResult vkdmlValidateOperator(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_SCHEMA_H */
