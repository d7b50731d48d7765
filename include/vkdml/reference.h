/**
 * @file reference.h
 * @brief The CPU reference: every operator as plain loops over host memory.
 *
 * Tests compare the kernels with it. Needs no device and no Vulkan.
 */
#ifndef VKDML_REFERENCE_H
#define VKDML_REFERENCE_H

#include <stddef.h>

#include "vkdml/dml_types.h"
#include "vkdml/operator.h"
#include "vkdml/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Host memory of one tensor. */
typedef struct VkdmlHostBinding {
    void *data;  /**< aligned to the element size, or to 1 byte for 4-bit elements; NULL for absent tensors. Inputs are
                    only read. */
    size_t size; /**< bytes; at least the tensor's TotalTensorSizeInBytes */
} VkdmlHostBinding;

/** One execution of an operator by the CPU reference. */
typedef struct VkdmlReferenceInfo {
    size_t structSize;              /**< sizeof(VkdmlReferenceInfo); see version.h */
    const DML_OPERATOR_DESC *desc;  /**< read during the call */
    DML_FEATURE_LEVEL featureLevel; /**< 0: the newest */
    VkdmlCompileFlags flags;        /**< as for vkdmlCompileOperator() */
    /** number of the operator's input tensors, including absent ones and each tensor of an array */
    uint32_t inputCount;
    const VkdmlHostBinding *inputs;  /**< in the order of the descriptor, including OWNED_BY_DML inputs */
    uint32_t outputCount;            /**< number of the operator's output tensors */
    const VkdmlHostBinding *outputs; /**< in the order of the descriptor; see vkdmlReferenceExecute() for overlaps */
} VkdmlReferenceInfo;

/**
 * Validates a descriptor as vkdmlCreateOperator() does and executes it on the CPU, on the calling thread.
 *
 * Writes only the elements of the outputs; bytes between them do not change. Thread-safe.
 *
 * Inputs may overlap each other. An output may be at the address of an input if the operator can run in place of that
 * input (VkdmlFieldSchema::mayAliasFields) and both have the same type, sizes and strides. Other overlaps are refused,
 * as on a device.
 *
 * @return VKDML_ERROR_INVALID_ARGUMENT (the descriptor breaks a rule; memory is missing, too small, not aligned or
 *         overlaps), VKDML_ERROR_NOT_IMPLEMENTED, VKDML_ERROR_OUT_OF_HOST_MEMORY. Outputs do not change.
 */
VKDML_API VkdmlResult vkdmlReferenceExecute(const VkdmlReferenceInfo *info);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_REFERENCE_H */
