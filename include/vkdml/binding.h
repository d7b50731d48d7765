/**
 * @file binding.h
 * @brief Binding buffers to a dispatchable and recording it.
 *
 * Synchronization contract. vkdmlRecordDispatch() records commands only: it submits nothing, waits for nothing, and
 * puts no barrier on the caller's tensors. In the recorded commands
 *  - inputs (and, at execution, the persistent resource) are read, outputs written (read too, where a store covers part
 *    of a 32-bit word), temporaries read and written, all in VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT with
 *    VK_ACCESS_SHADER_READ_BIT and VK_ACCESS_SHADER_WRITE_BIT; only with VKDML_DEVICE_FLAG_ALLOW_TRANSFER also in
 *    VK_PIPELINE_STAGE_TRANSFER_BIT with VK_ACCESS_TRANSFER_READ_BIT and VK_ACCESS_TRANSFER_WRITE_BIT;
 *  - barriers between an operator's own passes are the library's;
 *  - the caller orders everything else: uploads before, reads after, a second dispatch that reads what the first
 *    wrote, or that uses the same temporary or persistent resource.
 *
 * The compute pipeline, descriptor set 0 and push constants of the command buffer are disturbed.
 *
 * Buffers need VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, and with that flag VK_BUFFER_USAGE_TRANSFER_SRC_BIT and _DST_BIT.
 * All memory is the caller's.
 */
#ifndef VKDML_BINDING_H
#define VKDML_BINDING_H

#include <vulkan/vulkan_core.h>

#include "vkdml/operator.h"
#include "vkdml/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a dispatchable needs. Mirrors DML_BINDING_PROPERTIES. */
typedef struct VkdmlBindingProperties {
    uint32_t inputCount;             /**< bindings that vkdmlBindInputs() takes */
    uint32_t outputCount;            /**< bindings that vkdmlBindOutputs() takes */
    uint64_t temporaryResourceSize;  /**< bytes; 0: none */
    uint64_t persistentResourceSize; /**< bytes; 0: none */
    uint32_t descriptorSetCount;     /**< this and the next two: what one table takes from a pool of the caller's */
    uint32_t storageBufferDescriptorCount; /**< of VK_DESCRIPTOR_TYPE_STORAGE_BUFFER */
    uint32_t uniformBufferDescriptorCount; /**< of VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER */
} VkdmlBindingProperties;

/** Tells what a dispatchable needs. Mirrors IDMLDispatchable::GetBindingProperties. Thread-safe. */
VKDML_API VkdmlResult vkdmlGetBindingProperties(VkdmlDispatchable dispatchable, VkdmlBindingProperties *properties);

/** A range of a buffer. Mirrors DML_BUFFER_BINDING. Buffer VK_NULL_HANDLE: nothing bound. */
typedef struct VkdmlBufferBinding {
    VkBuffer buffer;     /**< with VK_BUFFER_USAGE_STORAGE_BUFFER_BIT */
    VkDeviceSize offset; /**< bytes; a multiple of 16 for tensors, of 256 for temporary and persistent resources, and of
                            the tensor's GuaranteedBaseOffsetAlignment */
    VkDeviceSize size; /**< bytes from offset that may be accessed; at least the tensor's TotalTensorSizeInBytes or the
                            resource's size. VK_WHOLE_SIZE is refused: the library cannot see a buffer's size. */
} VkdmlBufferBinding;

/**
 * Buffers bound to a dispatchable. Not free-threaded: one thread at a time. Mirrors IDMLBindingTable.
 *
 * A table may be bound anew only when the GPU has finished (and no command buffer still to be submitted holds) what
 * was recorded with it: its descriptors are in use until then. Use one table per dispatch in flight.
 *
 * Bound buffers live as long as the table does, or until others are bound in their place: what is bound again is known
 * by its handle, which a buffer that was created since may have of one that was destroyed.
 */
typedef struct VkdmlBindingTable_T *VkdmlBindingTable;

/** How to create a binding table. */
typedef struct VkdmlBindingTableCreateInfo {
    size_t structSize;              /**< sizeof(VkdmlBindingTableCreateInfo); see version.h */
    VkdmlDispatchable dispatchable; /**< outlives the table's use */
    VkDescriptorPool
        descriptorPool; /**< with room as VkdmlBindingProperties says and
                             VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT; externally synchronized
                             while the table is created and destroyed. VK_NULL_HANDLE: one of the table's own */
} VkdmlBindingTableCreateInfo;

/** Creates an empty table. Mirrors IDMLDevice::CreateBindingTable. */
VKDML_API VkdmlResult vkdmlCreateBindingTable(VkdmlDevice device, const VkdmlBindingTableCreateInfo *info,
                                              VkdmlBindingTable *table);

/** Destroys a table, and the descriptors of what was recorded with it: the GPU has finished that, and no command buffer
 *  that holds it is submitted any more. NULL is ignored. */
VKDML_API void vkdmlDestroyBindingTable(VkdmlBindingTable table);

/**
 * Binds all inputs, in the order of the descriptor's input tensors. Mirrors IDMLBindingTable::BindInputs. A count of 0
 * unbinds all.
 *
 * The tensors of an array take a binding each. An optional tensor that is absent and a tensor flagged OWNED_BY_DML take
 * a VK_NULL_HANDLE buffer.
 *
 * @return VKDML_ERROR_INVALID_ARGUMENT: wrong count, missing or surplus buffer, offset off alignment, range too small,
 *         offset + size beyond 64 bits. The table is then as before.
 */
VKDML_API VkdmlResult vkdmlBindInputs(VkdmlBindingTable table, uint32_t count, const VkdmlBufferBinding *bindings);

/** Binds all outputs, in the order of the descriptor's output tensors. Mirrors IDMLBindingTable::BindOutputs. A count
 * of 0 unbinds all. */
VKDML_API VkdmlResult vkdmlBindOutputs(VkdmlBindingTable table, uint32_t count, const VkdmlBufferBinding *bindings);

/**
 * Binds the temporary resource. Mirrors IDMLBindingTable::BindTemporaryResource. NULL unbinds. Where none is needed,
 * one may be bound all the same and is not used: one buffer can serve all operators of a command buffer.
 */
VKDML_API VkdmlResult vkdmlBindTemporaryResource(VkdmlBindingTable table, const VkdmlBufferBinding *binding);

/**
 * Binds the persistent resource of a compiled operator. Mirrors IDMLBindingTable::BindPersistentResource. NULL unbinds.
 * Where none is needed, one may be bound all the same and is not used; so may an initializer's output for an operator
 * that needs none, which may as well be a VK_NULL_HANDLE buffer.
 */
VKDML_API VkdmlResult vkdmlBindPersistentResource(VkdmlBindingTable table, const VkdmlBufferBinding *binding);

/**
 * Lists the inputs whose bytes overlap an output's where the dispatchable cannot run in place. vkdmlRecordDispatch()
 * refuses such a table. A layer for an API that allows the overlap, as DirectML does for graphs, binds copies of these
 * inputs instead.
 *
 * An input that only overlaps the temporary or persistent resource is not listed. Nor is a tensor that is not bound.
 * Has no counterpart in DirectML. Host-synchronized on table. Allocates nothing.
 *
 * @param table   whose inputs and outputs are compared
 * @param[in,out] count in: length of inputs in elements, ignored if inputs is NULL; out: how many inputs overlap, also
 *                where that is more than the length
 * @param[out] inputs their numbers in increasing order, as vkdmlBindInputs() counts them; the caller's memory. NULL:
 *                only *count is written
 * @return VKDML_ERROR_INVALID_ARGUMENT: table is NULL, destroyed or of a destroyed dispatchable (the last two by
 *         VKDML_DEVICE_FLAG_CHECK_HANDLES), or count is NULL. Nothing is then written.
 */
VKDML_API VkdmlResult vkdmlGetOverlappedInputs(VkdmlBindingTable table, uint32_t *count, uint32_t *inputs);

/**
 * Records a dispatchable with its bindings into a command buffer in the recording state, outside a render pass.
 * Mirrors IDMLCommandRecorder::RecordDispatch.
 *
 * Host-synchronized on commandBuffer and table only. Allocates nothing, and updates no descriptor unless a binding is
 * another than when the table was last recorded. A copy that is bound in place records nothing.
 *
 * @return VKDML_ERROR_INVALID_ARGUMENT: the table is of another dispatchable, something is not bound, or bindings
 *         overlap (an output with anything else, unless the operator may run in place of that input, both layouts are
 *         equal and so are the offsets); VKDML_ERROR_DEVICE_LOST. Nothing is then recorded.
 */
VKDML_API VkdmlResult vkdmlRecordDispatch(VkdmlDevice device, VkCommandBuffer commandBuffer,
                                          VkdmlDispatchable dispatchable, VkdmlBindingTable table);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_BINDING_H */
