/**
 * @file operator.h
 * @brief Operators, compiled operators and operator initializers.
 *
 * Operators and dispatchables are immutable and thread-safe. Destroy them before their device, and after the GPU has
 * finished the work that uses them.
 */
#ifndef VKDML_OPERATOR_H
#define VKDML_OPERATOR_H

#include "vkdml/device.h"
#include "vkdml/dml_types.h"
#include "vkdml/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A validated copy of a descriptor. Mirrors IDMLOperator. */
typedef struct VkdmlOperator_T *VkdmlOperator;

/**
 * An object that can be bound and recorded: a compiled operator, a compiled graph or an initializer. Mirrors
 * IDMLDispatchable, IDMLCompiledOperator and IDMLOperatorInitializer.
 */
typedef struct VkdmlDispatchable_T *VkdmlDispatchable;

/** Packed weights that compiled graphs share; see weights.h. */
typedef struct VkdmlWeightStore_T *VkdmlWeightStore;

/** Options of compilation, in addition to DirectML's execution flags. */
typedef enum VkdmlCompileFlagBits {
    /** Write 0 to output elements that DirectML leaves undefined, as rows of NONZERO_COORDINATES beyond the count. */
    VKDML_COMPILE_FLAG_ZERO_UNDEFINED = 1,
    /** Graphs: do not fuse or remove nodes. For comparisons and measurements. */
    VKDML_COMPILE_FLAG_NODE_BY_NODE = 2,
    /** Graphs: create pipelines on one thread per processor, at most 16. These threads end before the call returns.
       They call the device's callbacks, too. */
    VKDML_COMPILE_FLAG_PARALLEL = 4,
    /** Graphs: the same graph will be compiled for other sizes, too. The first call also creates general pipelines,
        which serve all sizes; with a weight store, the first call with that store. Later calls use them for nodes whose
       best pipelines do not exist yet. A thread of the device then creates the best pipelines for calls after that;
       vkdmlGetGeneralPipelineInfo() reports when they exist. Both give the same bits. The thread calls the device's
       callbacks and ends when the device is destroyed. Packed weights do not depend on the sizes of other tensors. */
    VKDML_COMPILE_FLAG_OPEN_SIZES = 8,
    /** Only with OPEN_SIZES: every node that has general pipelines uses them, and the best pipelines are not created.
       Use this to create pipelines before the sizes of the first run are known: compile the graph for any sizes, and
       later calls find the pipelines. */
    VKDML_COMPILE_FLAG_GENERAL_PIPELINES = 16,
} VkdmlCompileFlagBits;
typedef uint32_t VkdmlCompileFlags; /**< VkdmlCompileFlagBits */

/**
 * Validates a descriptor against the device's feature level and copies it. Mirrors IDMLDevice::CreateOperator.
 *
 * @param device outlives the operator
 * @param desc   read during the call only
 * @param[out] op destroyed with vkdmlDestroyOperator()
 * @return VKDML_ERROR_INVALID_ARGUMENT (with all reasons that can be determined together), VKDML_ERROR_NOT_IMPLEMENTED,
 *         VKDML_ERROR_OUT_OF_HOST_MEMORY, VKDML_ERROR_DEVICE_LOST. *op is then NULL.
 */
VKDML_API VkdmlResult vkdmlCreateOperator(VkdmlDevice device, const DML_OPERATOR_DESC *desc, VkdmlOperator *op);

/** Destroys an operator. Dispatchables compiled from it stay valid. NULL is ignored. */
VKDML_API void vkdmlDestroyOperator(VkdmlOperator op);

/** How to compile an operator. */
typedef struct VkdmlCompileInfo {
    size_t structSize;                  /**< sizeof(VkdmlCompileInfo); see version.h */
    DML_EXECUTION_FLAGS executionFlags; /**< as in DirectML */
    VkdmlCompileFlags flags;            /**< VkdmlCompileFlagBits */
    VkdmlWeightStore weightStore; /**< graphs: holds packed constant inputs; belongs to the same device; outlives the
                                     dispatchable. NULL: a persistent resource, as in DirectML */
    uint32_t weightIdCount;       /**< graphs with a weight store: the graph's InputCount; else 0 */
    const uint64_t *weightIds;    /**< identifies the contents of each OWNED_BY_DML input. Inputs with equal ids in one
                                     store must have equal contents, in all graphs. 0: contents that no other input has.
                                     NULL, with a count of 0: all ids are 0 */
} VkdmlCompileInfo;

/**
 * Plans an operator for the device and creates the pipelines that do not exist yet. Mirrors
 * IDMLDevice::CompileOperator.
 *
 * Creating pipelines takes most of the time. Operators share pipelines, and compiling an operator that needs no new one
 * takes microseconds. To compile the operators of a model in parallel, call this function on several threads. Different
 * pipelines are created at the same time; if two threads need the same pipeline, one creates it and the other waits.
 *
 * @param op may be destroyed after the call
 * @param info NULL: no flags
 * @param[out] compiled destroyed with vkdmlDestroyDispatchable()
 * @return VKDML_ERROR_INVALID_ARGUMENT, VKDML_ERROR_LIMIT_EXCEEDED, VKDML_ERROR_FEATURE_NOT_PRESENT,
 *         VKDML_ERROR_OUT_OF_HOST_MEMORY, VKDML_ERROR_OUT_OF_DEVICE_MEMORY, VKDML_ERROR_DEVICE_LOST,
 *         VKDML_ERROR_DRIVER. *compiled is then NULL.
 */
VKDML_API VkdmlResult vkdmlCompileOperator(VkdmlOperator op, const VkdmlCompileInfo *info, VkdmlDispatchable *compiled);

/** The use of general pipelines by a compiled graph. */
typedef struct VkdmlGeneralPipelineInfo {
    uint32_t nodeCount; /**< nodes, after fusion, that use general pipelines because their best ones did not exist when
                           the graph was compiled. 0 with VKDML_COMPILE_FLAG_GENERAL_PIPELINES */
    uint32_t pendingCount; /**< best pipelines of these nodes that do not exist yet */
} VkdmlGeneralPipelineInfo;

/**
 * Reports how many nodes of a graph compiled with VKDML_COMPILE_FLAG_OPEN_SIZES use general pipelines.
 *
 * The compiled graph does not change. If nodeCount is not 0 and pendingCount is 0, compiling the same graph again
 * creates no pipeline for these nodes, and they run on their best ones, with results of the same bits. A pipeline that
 * cannot be created stays pending. The call takes some microseconds and waits for nothing. Thread-safe.
 *
 * @param compiled  any dispatchable; both counts are 0 if it is not a graph with open sizes
 * @param[out] info the counts
 * @return VKDML_ERROR_INVALID_ARGUMENT
 */
VKDML_API VkdmlResult vkdmlGetGeneralPipelineInfo(VkdmlDispatchable compiled, VkdmlGeneralPipelineInfo *info);

/**
 * Creates the dispatchable that initializes compiled operators. Mirrors IDMLDevice::CreateOperatorInitializer.
 *
 * Bind and record it before the first execution of an operator whose persistentResourceSize is not 0. Other operators
 * need no initializer. Its inputs are the input tensors of all operators, in order. Bind only those with
 * DML_TENSOR_FLAG_OWNED_BY_DML; the buffer of the others is VK_NULL_HANDLE. Its outputs are the persistent resources of
 * the operators, in order; VK_NULL_HANDLE if the size is 0. After the GPU has executed it, you can destroy the
 * initializer and these inputs.
 *
 * @param device    the device of the operators
 * @param count     number of operators; may be 0
 * @param operators compiled operators; outlive the initializer
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
