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
    void *data;  /**< of an input it is only read; NULL for absent optional tensors. Aligned to the element size. */
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
    const VkdmlHostBinding *outputs; /**< apart from each other and from the inputs, but for in place with one layout */
} VkdmlReferenceInfo;

/**
 * Validates a descriptor as vkdmlCreateOperator() does and executes it on the CPU, on the calling thread.
 *
 * Writes exactly the elements of the outputs; all other bytes keep their value. Thread-safe.
 *
 * @return VKDML_ERROR_INVALID_ARGUMENT (descriptor, missing or short memory), VKDML_ERROR_NOT_IMPLEMENTED,
 *         VKDML_ERROR_OUT_OF_HOST_MEMORY. Outputs are then untouched.
 */
VKDML_API VkdmlResult vkdmlReferenceExecute(const VkdmlReferenceInfo *info);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_REFERENCE_H */
