/**
 * @file graph.h
 * @brief Graphs: many operators as one dispatchable.
 *
 * A graph is DirectML's struct, DML_GRAPH_DESC (dml_types.h).
 */
#ifndef VKDML_GRAPH_H
#define VKDML_GRAPH_H

#include "vkdml/operator.h"
#include "vkdml/reference.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * An operator as DML_OPERATOR_GRAPH_NODE_DESC::Operator takes it: DirectML's struct (dml_types.h) has DirectML's type
 * there. An operator may be in any number of nodes.
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
 * What comes of it is initialized, bound and recorded as a compiled operator is: inputs by GraphInputIndex, outputs by
 * GraphOutputIndex. Intermediate tensors lie in its temporary resource, in which they take each other's place once they
 * have been read. Results are those of the nodes executed one by one: bit for bit where an operator's accuracy is EXACT
 * or in units in the last place, else within the same bound; a BATCH_NORMALIZATION whose CONVOLUTION takes it in is
 * within that of sums (docs/GRAPHS.md).
 *
 * Inputs that are OWNED_BY_DML, and constants, go to the persistent resource at initialization, and nodes that depend
 * on them alone are executed then.
 *
 * No output may be bound where another binding of the graph is, whatever single operators allow.
 *
 * Rules, of which a report has every one that is broken, with node, edge and field: each tensor of a node but absent
 * ones has an edge, inputs exactly one; an output that is optional needs none. The ends of an edge agree in
 * TotalTensorSizeInBytes; sizes, strides and types may differ. There is no cycle. DML_TENSOR_FLAG_OWNED_BY_DML is on
 * tensors that graph inputs feed, on all of one input's or on none. A graph's output comes from a node.
 *
 * Edges name a node's tensors by their place in the operator's descriptor, among its inputs or its outputs, absent ones
 * and each of an array included. A constant's only output is 0; its DataSize, rounded up to 4, covers the elements of
 * every input that reads it, and is what it has as an output of the graph, at least. Names are for reasons, labels and
 * explanations, and may be NULL.
 *
 * @param device of the nodes' operators; outlives the dispatchable
 * @param desc   nothing in it is read after the call, and the operators may be destroyed
 * @param info   NULL: no flags
 * @param[out] compiled destroyed with vkdmlDestroyDispatchable()
 * @return as vkdmlCompileOperator(). *compiled is NULL on failure.
 */
VKDML_API VkdmlResult vkdmlCompileGraph(VkdmlDevice device, const DML_GRAPH_DESC *desc, const VkdmlCompileInfo *info,
                                        VkdmlDispatchable *compiled);

/** One execution of a graph by the reference. */
typedef struct VkdmlReferenceGraphInfo {
    size_t structSize;              /**< sizeof(VkdmlReferenceGraphInfo); see version.h */
    const DML_GRAPH_DESC *desc;     /**< read during the call; its operators are those of one device */
    VkdmlCompileFlags flags;        /**< as for vkdmlCompileGraph() */
    uint32_t inputCount;            /**< the graph's InputCount */
    const VkdmlHostBinding *inputs; /**< by GraphInputIndex; NULL data where no edge names one. OWNED_BY_DML ones too */
    uint32_t outputCount;           /**< the graph's OutputCount */
    const VkdmlHostBinding *outputs; /**< by GraphOutputIndex; apart from each other and from the inputs */
} VkdmlReferenceGraphInfo;

/**
 * Executes a graph on the CPU, node by node, each by vkdmlReferenceExecute()'s loops: the oracle of
 * vkdmlCompileGraph().
 *
 * Nothing is recorded or submitted. Thread-safe.
 *
 * @return VKDML_ERROR_INVALID_ARGUMENT (a rule of the graph; memory that is missing, short, not aligned, or in one
 *         place with other memory), VKDML_ERROR_OUT_OF_HOST_MEMORY. Outputs are then untouched.
 */
VKDML_API VkdmlResult vkdmlReferenceExecuteGraph(const VkdmlReferenceGraphInfo *info);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_GRAPH_H */
