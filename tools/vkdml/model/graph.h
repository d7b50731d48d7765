/* Graphs of operators out of JSON: nodes by name, or DML_GRAPH_DESC as it is declared. */
#ifndef GRAPH_H
#define GRAPH_H

#include "model/model.h"

/* Whether a dispatchable (name and json are set) is a graph. */
bool graph_is(const struct dispatchable *dispatchable);

/* Reads one, behind all operators of the model: graph, schema, desc and flags. */
bool graph_load(struct model *model, struct dispatchable *dispatchable);

/* Reads a node of constant data: name and json are set. */
bool graph_load_constant(struct model *model, const struct graph *graph, struct graph_node *node);

/* The nodes, inputs, outputs and edges of a descriptor as DirectML declares it. */
bool graph_desc_load(struct model *model, struct dispatchable *dispatchable);

/* Holds a graph that was read to the rules, and finds the order of its nodes and its schema. */
bool graph_check(struct model *model, struct dispatchable *dispatchable);

/* The descriptor of the tensor at a source: NULL of a constant or an input without one. */
const DML_BUFFER_TENSOR_DESC *graph_source_desc(const struct graph *graph, const struct graph_source *source);

#endif
