/**
 * @file explain.h
 * @brief Explanations: how the planner executes an operator or a graph on a device, and why.
 *
 * For people who examine speed or memory. Running operators does not need it. Kernels, constants and notes may change
 * in any version.
 */
#ifndef VKDML_EXPLAIN_H
#define VKDML_EXPLAIN_H

#include "vkdml/device.h"
#include "vkdml/graph.h"
#include "vkdml/operator.h"
#include "vkdml/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The kind of command that a step records. */
typedef enum VkdmlStepKind {
    VKDML_STEP_KIND_DISPATCH = 0, /**< a dispatch of a kernel */
    VKDML_STEP_KIND_COPY = 1,     /**< vkCmdCopyBuffer() */
    VKDML_STEP_KIND_FILL = 2,     /**< vkCmdFillBuffer() */
    VKDML_STEP_KIND_MAX_ENUM = 0x7FFFFFFF
} VkdmlStepKind;

/** A part of a tensor or resource that a step reads or writes. */
typedef struct VkdmlStepBuffer {
    const char *name; /**< name of the tensor, as "ATensor" or "InputTensors[2]"; or "TemporaryResource",
                         "PersistentResource" */
    VkBool32 written; /**< VK_TRUE: written, and possibly read; VK_FALSE: only read */
    uint64_t offset;  /**< bytes from the start of the tensor or resource */
    uint64_t size;    /**< bytes from the first to the last accessed one, including gaps */
} VkdmlStepBuffer;

/** A specialization constant of a kernel. */
typedef struct VkdmlStepConstant {
    const char *name; /**< as in the kernel's source; "" if it has no name there */
    uint32_t value;   /**< its bits */
} VkdmlStepConstant;

/** One command. Members that do not apply to its kind are 0 or NULL. */
typedef struct VkdmlStep {
    VkdmlStepKind kind;                 /**< a dispatch, a copy or a fill */
    VkBool32 initializes;               /**< VK_TRUE: recorded by the operator initializer */
    VkBool32 barrierBefore;             /**< VK_TRUE: waits for the writes of earlier steps */
    const char *frame;                  /**< dispatch: the kernel family, a folder of glsl/ */
    const char *kernel;                 /**< dispatch: the file in this folder, without .comp */
    VkdmlKernelVariant module;          /**< dispatch: the variant of the kernel that is used */
    uint32_t groupCounts[3];            /**< dispatch: workgroups */
    uint32_t groupSize;                 /**< dispatch: invocations per workgroup */
    uint32_t constantCount;             /**< dispatch: length of constants */
    const VkdmlStepConstant *constants; /**< specialization constants, by id */
    uint32_t parameterCount;            /**< dispatch: 32-bit words of the uniform block */
    const uint32_t *parameters;         /**< contents of the uniform block */
    uint64_t copiedRuns;                /**< copy: number of contiguous ranges */
    uint64_t copiedBytes;               /**< copy: bytes of all ranges */
    uint32_t bufferCount;               /**< length of buffers */
    const VkdmlStepBuffer *buffers;     /**< the parts that the step reads and writes */
    uint32_t noteCount;                 /**< length of notes */
    const char *const *notes;           /**< reasons for the planner's choices, at most a sentence each */
} VkdmlStep;

/** How a node of a graph is executed. */
typedef enum VkdmlNodeRole {
    VKDML_NODE_ROLE_EXECUTED = 0,    /**< its steps run in every execution */
    VKDML_NODE_ROLE_INITIALIZED = 1, /**< depends only on constants and OWNED_BY_DML inputs: runs at initialization */
    VKDML_NODE_ROLE_FUSED = 2,       /**< fused into another node */
    VKDML_NODE_ROLE_VIEW = 3,        /**< no steps: its output shares the memory of another tensor */
    VKDML_NODE_ROLE_CONSTANT = 4,    /**< constant data, written at initialization */
    VKDML_NODE_ROLE_MAX_ENUM = 0x7FFFFFFF
} VkdmlNodeRole;

/** A node of a graph. */
typedef struct VkdmlExplainedNode {
    const char *name; /**< as in the graph's description, or ""; nodes added by fusion have names like "conv1 filter" */
    const char *operatorName; /**< NULL: a constant */
    VkdmlNodeRole role;       /**< how it is executed */
    uint32_t group; /**< index of the node that it was fused into; otherwise its own. It is also its own if the fusion
                       has no single target: see the notes */
    uint32_t level; /**< EXECUTED nodes: higher than the levels of the nodes it depends on */
    uint64_t outputBytes; /**< bytes of all its outputs */
    /** index of its first step at initialization; EXECUTED nodes may have such steps for weights */
    uint32_t initialStep;
    uint32_t initialStepCount; /**< number of steps at initialization */
    uint32_t step;             /**< index of its first step in executions */
    uint32_t stepCount;        /**< number of steps in executions */
} VkdmlExplainedNode;

/** A plan as data. All pointers are valid until vkdmlDestroyExplanation(). */
typedef struct VkdmlExplanation {
    const char *operatorName;         /**< as "DML_OPERATOR_PADDING", or "graph" */
    VkdmlKernelVariant kernelVariant; /**< the device's kernel variant */
    const char *variantReason;        /**< why the device uses this variant */
    VkBool32 inPlaceIsFree;           /**< VK_TRUE: if output 0 is bound to input 0, no command is needed */
    uint64_t inputBytes;              /**< bytes of the elements of all input tensors */
    /** bytes of the elements of all output tensors; with inputBytes, the smallest memory traffic */
    uint64_t outputBytes;
    uint64_t temporaryResourceSize;  /**< as VkdmlBindingProperties */
    uint64_t persistentResourceSize; /**< as VkdmlBindingProperties */
    uint32_t noteCount;              /**< length of notes */
    const char *const *notes;        /**< choices and collapsed shapes, in planning order */
    uint32_t stepCount;              /**< length of steps; 0 if no elements are computed */
    const VkdmlStep *steps;          /**< in the order of recording: initialization first */

    /* Graphs only, else 0 and NULL: */
    uint32_t nodeCount;              /**< length of nodes */
    const VkdmlExplainedNode *nodes; /**< in the order of the descriptor, then the nodes that fusion added */
    uint32_t levelCount;             /**< length of levelBytes */
    const uint64_t *levelBytes;      /**< temporary memory that is in use at each level */
    uint64_t leastTemporaryBytes;    /**< the largest of levelBytes, a lower bound for the temporary resource */
} VkdmlExplanation;

/**
 * Plans an operator as vkdmlCompileOperator() does, and returns an explanation. Creates no pipelines. Compiled
 * operators contain no explanations, so they cost nothing unless requested.
 *
 * @param op   may be destroyed after the call
 * @param info NULL: no flags
 * @param[out] explanation destroyed with vkdmlDestroyExplanation()
 * @return as vkdmlCompileOperator(), with the same reasons. *explanation is then NULL.
 */
VKDML_API VkdmlResult vkdmlExplainOperator(VkdmlOperator op, const VkdmlCompileInfo *info,
                                           const VkdmlExplanation **explanation);

/**
 * Plans a graph as vkdmlCompileGraph() does, and returns an explanation, which includes how each node is executed.
 * Notes state which nodes were fused, and which were not and why.
 *
 * @param device the device of the operators
 * @param desc   read during the call only
 * @param info   NULL: no flags
 * @param[out] explanation destroyed with vkdmlDestroyExplanation()
 * @return as vkdmlCompileGraph(), with the same reasons. *explanation is then NULL.
 */
VKDML_API VkdmlResult vkdmlExplainGraph(VkdmlDevice device, const DML_GRAPH_DESC *desc, const VkdmlCompileInfo *info,
                                        const VkdmlExplanation **explanation);

/** Destroys an explanation, before its device. NULL is ignored. */
VKDML_API void vkdmlDestroyExplanation(const VkdmlExplanation *explanation);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_EXPLAIN_H */
