/**
 * @file explain.h
 * @brief What the planner makes of an operator on a device, and why: for people who wonder about a speed or a size.
 *
 * Nothing here is needed to run operators, and nothing of it is promised to stay: kernels, their constants and the
 * words of notes change from version to version.
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

/** The command that a step is. */
typedef enum VkdmlStepKind {
    VKDML_STEP_KIND_DISPATCH = 0, /**< of a kernel */
    VKDML_STEP_KIND_COPY = 1,     /**< vkCmdCopyBuffer() */
    VKDML_STEP_KIND_FILL = 2,     /**< vkCmdFillBuffer() */
    VKDML_STEP_KIND_MAX_ENUM = 0x7FFFFFFF
} VkdmlStepKind;

/** What a step reads or writes: a part of something that is bound. */
typedef struct VkdmlStepBuffer {
    const char *name; /**< of the tensor, "ATensor" or "InputTensors[2]"; "TemporaryResource", "PersistentResource" */
    VkBool32 written; /**< VK_FALSE: only read. What is written may be read too */
    uint64_t offset;  /**< bytes from where the tensor or resource begins */
    uint64_t size;    /**< bytes from there on in which what the step takes or makes lies, gaps between included */
} VkdmlStepBuffer;

/** A specialization constant of a kernel. */
typedef struct VkdmlStepConstant {
    const char *name; /**< as in the kernel's source; "" where no source names it */
    uint32_t value;   /**< its bits */
} VkdmlStepConstant;

/** One command. What is not of its kind is 0 or NULL. */
typedef struct VkdmlStep {
    VkdmlStepKind kind;                 /**< a dispatch, a copy or a fill */
    VkBool32 initializes;               /**< recorded by the operator initializer, once */
    VkBool32 barrierBefore;             /**< waits for what steps before it wrote */
    const char *frame;                  /**< of a dispatch: the shape of computation, a folder of glsl/ */
    const char *kernel;                 /**< of a dispatch: the file in it, without .comp */
    VkdmlKernelVariant module;          /**< of a dispatch: PORTABLE where a variant has no module of its own */
    uint32_t groupCounts[3];            /**< of a dispatch: workgroups */
    uint32_t groupSize;                 /**< of a dispatch: invocations of a workgroup */
    uint32_t constantCount;             /**< of a dispatch: length of constants */
    const VkdmlStepConstant *constants; /**< by id */
    uint32_t parameterCount;            /**< of a dispatch: 32-bit words of its uniform block */
    const uint32_t *parameters;         /**< as the kernel's source declares them */
    uint64_t copiedRuns;                /**< of a copy: how many runs of bytes */
    uint64_t copiedBytes;               /**< of a copy: in all of them */
    uint32_t bufferCount;               /**< length of buffers */
    const VkdmlStepBuffer *buffers;     /**< what it reads and writes */
    uint32_t noteCount;                 /**< length of notes */
    const char *const *notes;           /**< why it is as it is, a sentence or less each */
} VkdmlStep;

/** What became of a node of a graph. */
typedef enum VkdmlNodeRole {
    VKDML_NODE_ROLE_EXECUTED = 0,    /**< it has steps of its own in every execution */
    VKDML_NODE_ROLE_INITIALIZED = 1, /**< it depends on constants and OWNED_BY_DML inputs alone: its steps initialize */
    VKDML_NODE_ROLE_FUSED = 2,       /**< another node does its work */
    VKDML_NODE_ROLE_VIEW = 3,        /**< it has no steps: what it gives lies where it is needed */
    VKDML_NODE_ROLE_CONSTANT = 4,    /**< data, written at initialization where it is needed */
    VKDML_NODE_ROLE_MAX_ENUM = 0x7FFFFFFF
} VkdmlNodeRole;

/** A node of a graph. */
typedef struct VkdmlExplainedNode {
    const char *name;          /**< the caller's; "" where there is none. Of one that was added: "conv1 filter" */
    const char *operatorName;  /**< NULL: a constant */
    VkdmlNodeRole role;        /**< what became of it */
    uint32_t group;            /**< the index of the node that does its work: its own, or of FUSED another's. Its own of
                                    FUSED, too, where a pass names none: notes tell */
    uint32_t level;            /**< of EXECUTED: what it waits for has lower ones */
    uint64_t outputBytes;      /**< of all its outputs */
    uint32_t initialStep;      /**< the first of its steps that initialize; others may have such too: weights */
    uint32_t initialStepCount; /**< how many */
    uint32_t step;             /**< the first of its steps in executions */
    uint32_t stepCount;        /**< how many */
} VkdmlExplainedNode;

/** A plan, as data. All it points to lives as long as it does. */
typedef struct VkdmlExplanation {
    const char *operatorName;         /**< "DML_OPERATOR_PADDING"; "graph" */
    VkdmlKernelVariant kernelVariant; /**< of the device */
    const char *variantReason;        /**< why it is that one */
    VkBool32 inPlaceIsFree;           /**< bound in place of input 0, output 0 needs no command */
    uint64_t inputBytes;              /**< of all elements of all input tensors */
    uint64_t outputBytes;             /**< and of output tensors: with them, what must move if each moves once */
    uint64_t temporaryResourceSize;   /**< as VkdmlBindingProperties */
    uint64_t persistentResourceSize;  /**< as VkdmlBindingProperties */
    uint32_t noteCount;               /**< length of notes */
    const char *const *notes; /**< what was chosen, and collapsed shapes, in the order in which it was planned */
    uint32_t stepCount;       /**< length of steps; an operator of no elements to compute has none */
    const VkdmlStep *steps;   /**< first those that initialize, then the others, as they are recorded */

    /* Of a graph, else 0 and NULL: */
    uint32_t nodeCount;              /**< length of nodes */
    const VkdmlExplainedNode *nodes; /**< by index in the descriptor; behind these, those that fusing nodes added */
    uint32_t levelCount;             /**< length of levelBytes */
    const uint64_t *levelBytes;      /**< of temporary memory, what the nodes of each level need of it */
    uint64_t leastTemporaryBytes;    /**< the most of these: no placement takes less than that */
} VkdmlExplanation;

/**
 * Plans an operator as vkdmlCompileOperator() does, and tells what came of it. Creates no pipeline and keeps nothing;
 * compiled operators carry no explanations, so that asking costs only those who ask.
 *
 * @param op   lives as long as the caller wants: the result does not need it
 * @param info NULL: no flags
 * @param[out] explanation destroyed with vkdmlDestroyExplanation()
 * @return as vkdmlCompileOperator(), with the same reasons. *explanation is then NULL.
 */
VKDML_API VkdmlResult vkdmlExplainOperator(VkdmlOperator op, const VkdmlCompileInfo *info,
                                           const VkdmlExplanation **explanation);

/**
 * Plans a graph as vkdmlCompileGraph() does, and tells what came of it: what became of each node, and of the whole what
 * vkdmlExplainOperator() tells of an operator. Notes say which nodes became one, and which did not and why.
 *
 * @param device of the nodes' operators
 * @param desc   nothing in it is read after the call
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
