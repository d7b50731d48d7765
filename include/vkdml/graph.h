/**
 * @file graph.h
 * @brief Graphs: many operators as one dispatchable.
 *
 * A graph is described by DML_GRAPH_DESC (dml_types.h).
 */
#ifndef VKDML_GRAPH_H
#define VKDML_GRAPH_H

#include "vkdml/operator.h"
#include "vkdml/reference.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Converts an operator for DML_OPERATOR_GRAPH_NODE_DESC::Operator, which has DirectML's type. Several nodes may use one
 * operator.
 */
static inline IDMLOperator *vkdmlGraphOperator(VkdmlOperator op) {
#ifdef __cplusplus
    return reinterpret_cast<IDMLOperator *>(op);
#else
    return (IDMLOperator *)(void *)op;
#endif
}

/**
 * Compiles a graph of operators to one dispatchable. Mirrors IDMLDevice1::CompileGraph (DML_FEATURE_LEVEL_2_1).
 *
 * Initialize, bind and record the result like a compiled operator: inputs by GraphInputIndex, outputs by
 * GraphOutputIndex. Intermediate tensors are in its temporary resource, which they share over time. Results are those
 * of the nodes executed one by one: with the same bits for operators of accuracy EXACT or ULP, and within the same
 * bound for others. A BATCH_NORMALIZATION that is fused into a CONVOLUTION has the bound of sums (docs/GRAPHS.md).
 *
 * Initialization copies or packs constants and OWNED_BY_DML inputs into the persistent resource, and executes nodes
 * that depend only on them.
 *
 * An output must not overlap another binding of the graph, even if the operators could run in place.
 *
 * Rules; an error message lists all broken ones with node, edge and field:
 *  - Each input of a node has exactly one edge, unless it is absent. At least one output of each node has an edge.
 *  - Both ends of an edge have the same TotalTensorSizeInBytes. Sizes, strides and types may differ.
 *  - There is no cycle.
 *  - DML_TENSOR_FLAG_OWNED_BY_DML is set on all tensors that a graph input feeds or on none of them, and on no others.
 *  - A graph output comes from a node.
 *
 * Edges refer to a node's tensors by index among the inputs or outputs of the operator's descriptor. Absent tensors and
 * each tensor of an array count. A constant has one output, 0. Its DataSize, rounded up to 4, must cover the elements
 * of every input that reads it; if the constant is a graph output, this is the smallest size to bind. Names appear in
 * messages, labels and explanations, and may be NULL.
 *
 * @param device the device of the operators; outlives the dispatchable
 * @param desc   read during the call only; the operators may be destroyed afterwards
 * @param info   NULL: no flags
 * @param[out] compiled destroyed with vkdmlDestroyDispatchable()
 * @return as vkdmlCompileOperator(). *compiled is NULL on failure.
 */
VKDML_API VkdmlResult vkdmlCompileGraph(VkdmlDevice device, const DML_GRAPH_DESC *desc, const VkdmlCompileInfo *info,
                                        VkdmlDispatchable *compiled);

/** One execution of a graph by the CPU reference. */
typedef struct VkdmlReferenceGraphInfo {
    size_t structSize;          /**< sizeof(VkdmlReferenceGraphInfo); see version.h */
    const DML_GRAPH_DESC *desc; /**< read during the call; all operators belong to one device */
    VkdmlCompileFlags flags;    /**< as for vkdmlCompileGraph() */
    uint32_t inputCount;        /**< the graph's InputCount */
    /** by GraphInputIndex, including OWNED_BY_DML inputs; data is NULL for inputs without an edge */
    const VkdmlHostBinding *inputs;
    uint32_t outputCount;            /**< the graph's OutputCount */
    const VkdmlHostBinding *outputs; /**< by GraphOutputIndex; must not overlap each other or the inputs */
} VkdmlReferenceGraphInfo;

/**
 * Executes a graph on the CPU, node by node, as vkdmlReferenceExecute() does. Tests compare graphs with it.
 *
 * Uses no GPU. Thread-safe.
 *
 * @return VKDML_ERROR_INVALID_ARGUMENT (the graph breaks a rule; memory is missing, too small, not aligned or
 *         overlaps), VKDML_ERROR_OUT_OF_HOST_MEMORY. Outputs do not change.
 */
VKDML_API VkdmlResult vkdmlReferenceExecuteGraph(const VkdmlReferenceGraphInfo *info);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_GRAPH_H */
