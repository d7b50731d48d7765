/* What the texts name by which nodes and outputs of a graph say what they read. */
#ifndef GRAPH_SOURCE_H
#define GRAPH_SOURCE_H

#include "model/builder.h"

/* The JSON object with the descriptor of what a node's input reads by name; NULL, and the reason on stderr, where there
 * is none. */
struct json_object *graph_tensor_json(const struct builder *builder, struct json_object *text, const char *field);

/* Finds what a text names: an input, a constant, a node's only output, or "NODE.FIELD", "NODE.FIELD[1]". False, with
 * a message that begins with `owner`, where that is nothing. */
bool graph_find_source(const struct model *model, struct graph *graph, struct json_object *text, const char *owner,
                       struct graph_source *source);

#endif
