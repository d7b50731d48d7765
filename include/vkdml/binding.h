/**
 * @file binding.h
 * @brief Binding buffers to a dispatchable and recording it.
 *
 * Synchronization. vkdmlRecordDispatch() only records commands. It does not submit, does not wait, and records no
 * barriers for your tensors. The recorded commands
 *  - read inputs and the persistent resource, read and write the temporary resource, and write outputs. They also read
 *    an output if they store a part of a 32-bit word. All accesses are in VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT with
 *    VK_ACCESS_SHADER_READ_BIT and VK_ACCESS_SHADER_WRITE_BIT. With VKDML_DEVICE_FLAG_ALLOW_TRANSFER some are in
 *    VK_PIPELINE_STAGE_TRANSFER_BIT with VK_ACCESS_TRANSFER_READ_BIT and VK_ACCESS_TRANSFER_WRITE_BIT;
 *  - contain the barriers that an operator needs between its own dispatches.
 *
 * You record all other barriers: between uploads and a dispatch, between a dispatch and reads of its outputs, and
 * between two dispatches if the second reads what the first wrote or uses the same temporary or persistent resource.
 *
 * Recording changes the command buffer's compute pipeline, descriptor set 0 and push constants.
 *
 * Buffers need VK_BUFFER_USAGE_STORAGE_BUFFER_BIT; with VKDML_DEVICE_FLAG_ALLOW_TRANSFER they also need
 * VK_BUFFER_USAGE_TRANSFER_SRC_BIT and VK_BUFFER_USAGE_TRANSFER_DST_BIT. You own all buffers and their memory.
 */
#ifndef VKDML_BINDING_H
#define VKDML_BINDING_H

#include <vulkan/vulkan_core.h>

#include "vkdml/operator.h"
#include "vkdml/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The bindings that a dispatchable needs. Mirrors DML_BINDING_PROPERTIES. */
typedef struct VkdmlBindingProperties {
    uint32_t inputCount;                   /**< bindings that vkdmlBindInputs() takes */
    uint32_t outputCount;                  /**< bindings that vkdmlBindOutputs() takes */
    uint64_t temporaryResourceSize;        /**< bytes; 0: none */
    uint64_t persistentResourceSize;       /**< bytes; 0: none */
    uint32_t descriptorSetCount;           /**< descriptor sets that a table allocates from a pool of yours */
    uint32_t storageBufferDescriptorCount; /**< VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, from the same pool */
    uint32_t uniformBufferDescriptorCount; /**< VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, from the same pool */
} VkdmlBindingProperties;

/** Gets the bindings that a dispatchable needs. Mirrors IDMLDispatchable::GetBindingProperties. Thread-safe. */
VKDML_API VkdmlResult vkdmlGetBindingProperties(VkdmlDispatchable dispatchable, VkdmlBindingProperties *properties);

/**
 * Returns how many bytes of an output every execution writes, independent of inputs and previous contents. If an API
 * guarantees that new memory is zero, as Direct3D 12 does, it need not clear these bytes before the first execution.
 * Has no counterpart in DirectML. Thread-safe. Allocates nothing.
 *
 * @param dispatchable an operator or a graph; for an initializer, the result is 0
 * @param output  index of vkdmlBindOutputs()
 * @param[out] bytes from the start of the binding; 0: an execution may leave any bytes unwritten, because of gaps
 *                between strides, or because the operator leaves elements undefined
 * @return VKDML_ERROR_INVALID_ARGUMENT: dispatchable or bytes is NULL, there is no such output, or (with
 *         VKDML_DEVICE_FLAG_CHECK_HANDLES) the dispatchable was destroyed. Nothing is written.
 */
VKDML_API VkdmlResult vkdmlGetWrittenSize(VkdmlDispatchable dispatchable, uint32_t output, uint64_t *bytes);

/** A range of a buffer. Mirrors DML_BUFFER_BINDING. A buffer of VK_NULL_HANDLE binds nothing. */
typedef struct VkdmlBufferBinding {
    VkBuffer buffer;     /**< with VK_BUFFER_USAGE_STORAGE_BUFFER_BIT */
    VkDeviceSize offset; /**< bytes; a multiple of 16 for tensors, of 256 for temporary and persistent resources, and of
                            the tensor's GuaranteedBaseOffsetAlignment */
    VkDeviceSize size; /**< bytes from offset that may be accessed; at least the tensor's TotalTensorSizeInBytes or the
                          resource's size. VK_WHOLE_SIZE is refused, because vkdml cannot query the size of a buffer. */
} VkdmlBufferBinding;

/**
 * The buffers bound to a dispatchable. Mirrors IDMLBindingTable. Externally synchronized: one thread at a time.
 *
 * Recorded commands use the table's descriptors. Change bindings only after the GPU has finished these commands, and if
 * no command buffer that contains them will be submitted again. Use one table for each dispatch in flight.
 *
 * Keep bound buffers alive until the table is destroyed or other buffers are bound. The table compares handles to
 * detect unchanged bindings, and a new buffer can get the handle of a destroyed one.
 */
typedef struct VkdmlBindingTable_T *VkdmlBindingTable;

/** How to create a binding table. */
typedef struct VkdmlBindingTableCreateInfo {
    size_t structSize;               /**< sizeof(VkdmlBindingTableCreateInfo); see version.h */
    VkdmlDispatchable dispatchable;  /**< outlives the table */
    VkDescriptorPool descriptorPool; /**< has room for the counts of VkdmlBindingProperties, and
                                        VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT; externally synchronized while
                                        the table is created and destroyed. VK_NULL_HANDLE: the table creates a pool */
} VkdmlBindingTableCreateInfo;

/** Creates an empty table. Mirrors IDMLDevice::CreateBindingTable. */
VKDML_API VkdmlResult vkdmlCreateBindingTable(VkdmlDevice device, const VkdmlBindingTableCreateInfo *info,
                                              VkdmlBindingTable *table);

/** Destroys a table and its descriptors. The GPU must have finished all commands recorded with it, and no command
 * buffer that contains them may be submitted again. NULL is ignored. */
VKDML_API void vkdmlDestroyBindingTable(VkdmlBindingTable table);

/**
 * Binds all inputs, in the order of the descriptor's input tensors. Mirrors IDMLBindingTable::BindInputs. A count of 0
 * unbinds all.
 *
 * Each tensor of an array has a binding. Optional tensors that are absent and tensors with OWNED_BY_DML have a binding
 * whose buffer is VK_NULL_HANDLE.
 *
 * @return VKDML_ERROR_INVALID_ARGUMENT: the count is wrong, a buffer is missing or not expected, an offset is not
 *         aligned, a range is too small, or offset + size exceeds 64 bits. The table does not change.
 */
VKDML_API VkdmlResult vkdmlBindInputs(VkdmlBindingTable table, uint32_t count, const VkdmlBufferBinding *bindings);

/** Binds all outputs, in the order of the descriptor's output tensors. Mirrors IDMLBindingTable::BindOutputs. A count
 * of 0 unbinds all. */
VKDML_API VkdmlResult vkdmlBindOutputs(VkdmlBindingTable table, uint32_t count, const VkdmlBufferBinding *bindings);

/**
 * Binds the temporary resource. Mirrors IDMLBindingTable::BindTemporaryResource. NULL unbinds it. A dispatchable that
 * needs none ignores it, so one buffer can serve all operators of a command buffer.
 */
VKDML_API VkdmlResult vkdmlBindTemporaryResource(VkdmlBindingTable table, const VkdmlBufferBinding *binding);

/**
 * Binds the persistent resource of a compiled operator. Mirrors IDMLBindingTable::BindPersistentResource. NULL unbinds
 * it. A dispatchable that needs none ignores it. Likewise an initializer ignores its output for an operator that needs
 * none; the buffer of that output may be VK_NULL_HANDLE.
 */
VKDML_API VkdmlResult vkdmlBindPersistentResource(VkdmlBindingTable table, const VkdmlBufferBinding *binding);

/**
 * Lists the inputs that overlap an output and that the dispatchable cannot process in place. vkdmlRecordDispatch()
 * refuses such a table. An API that allows the overlap, as DirectML does for graphs, can bind copies of these inputs
 * instead.
 *
 * Overlaps with the temporary or persistent resource are not listed, and neither are tensors that are not bound. Has no
 * counterpart in DirectML. Externally synchronized on table. Allocates nothing.
 *
 * @param table   whose inputs and outputs are compared
 * @param[in,out] count in: length of inputs, ignored if inputs is NULL; out: number of overlapping inputs, which may
 *                exceed the length
 * @param[out] inputs indices of vkdmlBindInputs(), in increasing order. NULL: only *count is written
 * @return VKDML_ERROR_INVALID_ARGUMENT: count or table is NULL; with VKDML_DEVICE_FLAG_CHECK_HANDLES also if the table
 *         or its dispatchable was destroyed. Nothing is written.
 */
VKDML_API VkdmlResult vkdmlGetOverlappedInputs(VkdmlBindingTable table, uint32_t *count, uint32_t *inputs);

/**
 * Records a dispatchable with its bindings into a command buffer in the recording state, outside a render pass.
 * Mirrors IDMLCommandRecorder::RecordDispatch.
 *
 * Externally synchronized on commandBuffer and table. Allocates nothing. Updates descriptors only if a binding has
 * changed since the table was last recorded. An operator that copies a tensor onto itself records nothing.
 *
 * @return VKDML_ERROR_INVALID_ARGUMENT: the table was created for another dispatchable, a binding is missing, or an
 *         output overlaps another binding. An output may overlap an input if the operator can run in place of that
 *         input and both have the same layout and offset. VKDML_ERROR_DEVICE_LOST. Nothing is recorded.
 */
VKDML_API VkdmlResult vkdmlRecordDispatch(VkdmlDevice device, VkCommandBuffer commandBuffer,
                                          VkdmlDispatchable dispatchable, VkdmlBindingTable table);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_BINDING_H */
