/* Graphs of operators out of JSON: nodes by name, or DML_GRAPH_DESC as it is declared. */
#ifndef GRAPH_H
#define GRAPH_H

#include "model/builder.h"
#include "model/model.h"

/* Whether a dispatchable (name and json are set) is a graph. */
bool graph_is(const struct dispatchable *dispatchable);

/* Reads one, behind all operators of the model: graph, schema, desc and flags. */
bool graph_load(struct model *model, struct dispatchable *dispatchable);

/* The JSON object with the descriptor of what a node's input reads by name; NULL, and the reason on stderr, where there
 * is none. */
struct json_object *graph_tensor_json(const struct builder *builder, struct json_object *text, const char *field);

/* Finds what a text names: an input, a constant, a node's only output, or "NODE.FIELD", "NODE.FIELD[1]". False, with
 * a message that begins with `owner`, where that is nothing. */
bool graph_find_source(const struct model *model, struct graph *graph, struct json_object *text, const char *owner,
                       struct graph_source *source);

/* Reads a node of constant data: name and json are set. */
bool graph_load_constant(struct model *model, const struct graph *graph, struct graph_node *node);

/* The nodes, inputs, outputs and edges of a descriptor as DirectML declares it. */
bool graph_desc_load(struct model *model, struct dispatchable *dispatchable);

/* Holds a graph that was read to the rules, and finds the order of its nodes and its schema. */
bool graph_check(struct model *model, struct dispatchable *dispatchable);

/* The descriptor of the tensor at a source: NULL of a constant or an input without one. */
const DML_BUFFER_TENSOR_DESC *graph_source_desc(const struct graph *graph, const struct graph_source *source);

#endif
