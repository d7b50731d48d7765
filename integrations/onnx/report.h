/* What becomes of each node of a graph: all refusals, not the first alone. */
#ifndef ONNX_REPORT_H
#define ONNX_REPORT_H

#include "onnx/open_sizes.h"
#include "onnx/plan.h"

enum onnx_outcome {
    ONNX_TRANSLATED,
    ONNX_REFUSED,
    ONNX_UNREACHED, /* it reads what a refused node makes, of a shape that the model does not say */
    ONNX_UNNEEDED,  /* no output depends on it */
};

struct onnx_node_report {
    const struct onnx_node *node;
    enum onnx_outcome outcome;
    uint64_t open;      /* the open sizes that its inputs depend on, and ONNX_OPEN_ELEMENTS; 0: all is known */
    VkdmlResult result; /* of what is refused or unreached */
    const char *reason; /* likewise; "" else */
    const struct onnx_scope *scope; /* the tensors of its inputs */
    /* DirectML's operators that it becomes. None: it is a view, or is computed while planning. */
    uint32_t operator_count;
    const DML_OPERATOR_TYPE *operators;
};

/* Plans as onnx_plan_create() does, and tells of each node of the graph, in their order. Behind a refused node it goes
 * on with the shapes that the model says. What is told lives until `tell` returns. False, with the reason, where memory
 * is out or the count of inputs is wrong; refused nodes are no failure. */
bool onnx_report(const struct onnx_model *model, const struct onnx_graph *graph, uint32_t input_count,
                 const struct onnx_plan_input *inputs, void (*tell)(void *data, const struct onnx_node_report *report),
                 void *data, struct onnx_error *error);

/* The same without inputs: `assumed` has a number for each open size. */
bool onnx_report_open(const struct onnx_model *model, const struct onnx_graph *graph,
                      const struct onnx_open_sizes *open, const uint32_t *assumed,
                      void (*tell)(void *data, const struct onnx_node_report *report), void *data,
                      struct onnx_error *error);

#endif
