/**
 * @file reference.h
 * @brief The CPU reference: every implemented operator as plain loops over host memory.
 *
 * The oracle that the kernels are tested against, bit for bit. Needs no device and no Vulkan.
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
    void *data;  /**< of an input it is only read; NULL for absent optional tensors. A multiple of the element size, of
                      4-bit elements any byte. */
    size_t size; /**< bytes; at least the tensor's TotalTensorSizeInBytes */
} VkdmlHostBinding;

/** One execution of the reference. */
typedef struct VkdmlReferenceInfo {
    size_t structSize;              /**< sizeof(VkdmlReferenceInfo); see version.h */
    const DML_OPERATOR_DESC *desc;  /**< read during the call */
    DML_FEATURE_LEVEL featureLevel; /**< 0: the newest */
    VkdmlCompileFlags flags;        /**< as for vkdmlCompileOperator() */
    uint32_t inputCount; /**< the operator's input tensors, each of an array and absent ones included. OWNED_BY_DML
                            inputs are given here too. */
    const VkdmlHostBinding *inputs;  /**< in the order of the descriptor's input tensors */
    uint32_t outputCount;            /**< the operator's output tensors */
    const VkdmlHostBinding *outputs; /**< in the order of the descriptor's output tensors; apart from each other and
                                          from the inputs, but for in place (vkdmlReferenceExecute()) */
} VkdmlReferenceInfo;

/**
 * Validates a descriptor as vkdmlCreateOperator() does and executes it on the CPU, on the calling thread.
 *
 * Writes exactly the elements of the outputs; all other bytes keep their value. Thread-safe.
 *
 * What may lie in one place is as on a device: inputs among themselves; and an output where an input is that the
 * operator may run in place of (VkdmlFieldSchema::mayAliasFields), from the same first byte on and with the same type,
 * sizes and strides.
 *
 * @return VKDML_ERROR_INVALID_ARGUMENT (descriptor; memory that is missing, short, not aligned to its elements, or in
 *         one place with other memory), VKDML_ERROR_NOT_IMPLEMENTED, VKDML_ERROR_OUT_OF_HOST_MEMORY. Outputs are then
 *         untouched.
 */
VKDML_API VkdmlResult vkdmlReferenceExecute(const VkdmlReferenceInfo *info);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_REFERENCE_H */
