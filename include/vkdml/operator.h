/**
 * @file operator.h
 * @brief Operators, compiled operators and operator initializers.
 *
 * Operators and dispatchables are immutable after creation and free-threaded. They must be destroyed before their
 * device, and not before the GPU work that uses them has finished.
 */
#ifndef VKDML_OPERATOR_H
#define VKDML_OPERATOR_H

#include "vkdml/device.h"
#include "vkdml/dml_types.h"
#include "vkdml/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A validated descriptor, deep-copied. Mirrors IDMLOperator. */
typedef struct VkdmlOperator_T *VkdmlOperator;

/**
 * Something that can be bound and recorded: a compiled operator or an operator initializer. Mirrors IDMLDispatchable,
 * IDMLCompiledOperator and IDMLOperatorInitializer.
 */
typedef struct VkdmlDispatchable_T *VkdmlDispatchable;

/** Packed weights that compiled graphs share; see weights.h. */
typedef struct VkdmlWeightStore_T *VkdmlWeightStore;

/** How to compile, beyond DirectML's execution flags. */
typedef enum VkdmlCompileFlagBits {
    /** Output elements whose value DirectML leaves undefined (rows of NONZERO_COORDINATES past the count) become 0. */
    VKDML_COMPILE_FLAG_ZERO_UNDEFINED = 1,
    /** Of graphs: no nodes are joined to one, and none is left out, whatever that costs: to compare, to measure. */
    VKDML_COMPILE_FLAG_NODE_BY_NODE = 2,
    /** Of graphs: pipelines are created by as many threads as there are processors, 16 at most, rather than by the
        caller's alone. They have ended when the call returns. The device's callbacks are called by them as well. */
    VKDML_COMPILE_FLAG_PARALLEL = 4,
    /** Of graphs: the same graph will be compiled for other sizes, too. The first call also creates general pipelines,
        which serve all sizes; with a weight store, the first call with that store. Later calls use them for nodes whose
        best pipelines do not exist yet, and do not wait for those: a thread of the device's creates them, for calls
        after that (vkdmlGetGeneralPipelineInfo() reports when it has). Results have the same bits either way. That
        thread starts with the first such node and ends when the device is destroyed; it calls the device's callbacks.
        What is made of weights at initialization does not depend on the sizes of other tensors. */
    VKDML_COMPILE_FLAG_OPEN_SIZES = 8,
    /** With OPEN_SIZES, without which it has no effect: every node that has general pipelines uses them, and the best
        ones are neither created nor requested. Compile a graph so, for any sizes, before the sizes of runs are known:
        later calls find its pipelines. */
    VKDML_COMPILE_FLAG_GENERAL_PIPELINES = 16,
} VkdmlCompileFlagBits;
typedef uint32_t VkdmlCompileFlags; /**< VkdmlCompileFlagBits */

/**
 * Validates a descriptor against the device's feature level and copies it. Mirrors IDMLDevice::CreateOperator.
 *
 * @param device outlives the operator
 * @param desc   no pointer in it is read after the call
 * @param[out] op destroyed with vkdmlDestroyOperator()
 * @return VKDML_ERROR_INVALID_ARGUMENT (with every reason that can be told at once), VKDML_ERROR_NOT_IMPLEMENTED,
 *         VKDML_ERROR_OUT_OF_HOST_MEMORY, VKDML_ERROR_DEVICE_LOST. *op is then NULL.
 */
VKDML_API VkdmlResult vkdmlCreateOperator(VkdmlDevice device, const DML_OPERATOR_DESC *desc, VkdmlOperator *op);

/** Destroys an operator. Dispatchables compiled from it live on. NULL is ignored. */
VKDML_API void vkdmlDestroyOperator(VkdmlOperator op);

/** How to compile an operator. */
typedef struct VkdmlCompileInfo {
    size_t structSize;                  /**< sizeof(VkdmlCompileInfo); see version.h */
    DML_EXECUTION_FLAGS executionFlags; /**< DirectML's */
    VkdmlCompileFlags flags;            /**< vkdml's own */
    VkdmlWeightStore weightStore;       /**< of graphs: where constant inputs are kept, of the same device; outlives the
                                             dispatchable. NULL: a persistent resource, as in DirectML */
    uint32_t weightIdCount;             /**< of graphs with a store: the graph's InputCount */
    const uint64_t *weightIds;          /**< of each graph input that is OWNED_BY_DML: names its bytes. Inputs of equal
                                             ids in one store, in one graph or several, have equal bytes. 0: bytes that
                                             no other graph has. NULL, with a count of 0: all are 0 */
} VkdmlCompileInfo;

/**
 * Plans an operator for the device and creates the pipelines it lacks. Mirrors IDMLDevice::CompileOperator.
 *
 * Pipelines are what takes time, and they are shared: an operator that needs no new one is compiled within
 * microseconds. To compile a model's operators in parallel, call this on as many threads of the application's as
 * wanted, one operator each. Different pipelines are created at once; a thread that needs one which another is creating
 * waits for that.
 *
 * @param op lives as long as the caller wants: the result does not need it
 * @param info NULL: no flags
 * @param[out] compiled destroyed with vkdmlDestroyDispatchable()
 * @return VKDML_ERROR_INVALID_ARGUMENT, VKDML_ERROR_LIMIT_EXCEEDED, VKDML_ERROR_FEATURE_NOT_PRESENT,
 *         VKDML_ERROR_OUT_OF_HOST_MEMORY, VKDML_ERROR_OUT_OF_DEVICE_MEMORY, VKDML_ERROR_DEVICE_LOST,
 *         VKDML_ERROR_DRIVER. *compiled is then NULL.
 */
VKDML_API VkdmlResult vkdmlCompileOperator(VkdmlOperator op, const VkdmlCompileInfo *info, VkdmlDispatchable *compiled);

/** How far a compiled graph runs on general pipelines. */
typedef struct VkdmlGeneralPipelineInfo {
    uint32_t nodeCount;    /**< nodes, after fusing, that run on general pipelines, because their best ones did not
                                exist when the graph was compiled. 0 with VKDML_COMPILE_FLAG_GENERAL_PIPELINES */
    uint32_t pendingCount; /**< of the best pipelines of these nodes those that do not exist yet */
} VkdmlGeneralPipelineInfo;

/**
 * Reports how far a graph that was compiled with VKDML_COMPILE_FLAG_OPEN_SIZES runs on general pipelines.
 *
 * The compiled graph does not change. If nodeCount is not 0 and pendingCount is 0, compiling the same graph again
 * creates no pipeline for these nodes, and they run on their best ones, with results of the same bits. A pipeline that
 * cannot be created stays pending. The call takes some microseconds and waits for nothing. Thread-safe.
 *
 * @param compiled  any dispatchable; both counts are 0 for others than graphs with open sizes
 * @param[out] info the counts
 * @return VKDML_ERROR_INVALID_ARGUMENT
 */
VKDML_API VkdmlResult vkdmlGetGeneralPipelineInfo(VkdmlDispatchable compiled, VkdmlGeneralPipelineInfo *info);

/**
 * Creates the dispatchable that initializes compiled operators. Mirrors IDMLDevice::CreateOperatorInitializer.
 *
 * Record it, with its bindings, before the first execution of an operator whose persistentResourceSize is not 0; for
 * others it records nothing and may be left out. Its inputs are, operator by operator, all input tensors of that
 * operator, of which only those flagged DML_TENSOR_FLAG_OWNED_BY_DML are bound (the others' buffer is VK_NULL_HANDLE);
 * its outputs are the operators' persistent resources, in order, VK_NULL_HANDLE where the size is 0. After its GPU work
 * the initializer and those inputs are needed no more.
 *
 * @param device    that of the operators
 * @param count     how many operators; 0 is allowed
 * @param operators compiled operators of the same device; must outlive the initializer
 * @param[out] initializer destroyed with vkdmlDestroyDispatchable()
 */
VKDML_API VkdmlResult vkdmlCreateOperatorInitializer(VkdmlDevice device, uint32_t count,
                                                     const VkdmlDispatchable *operators,
                                                     VkdmlDispatchable *initializer);

/** Destroys a compiled operator or initializer. NULL is ignored. */
VKDML_API void vkdmlDestroyDispatchable(VkdmlDispatchable dispatchable);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_OPERATOR_H */
