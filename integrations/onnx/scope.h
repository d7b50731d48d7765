/* What readers of graphs, nodes and attributes share: names and what they stand for. */
#ifndef ONNX_SCOPE_H
#define ONNX_SCOPE_H

#include "onnx/read_graph.h"
#include "text/visible_text.h"

#define ONNX_MAX_DEPTH 64 /* of bodies and of functions that are called, one in another */

/* A graph that is being read. Its arrays grow, in scratch memory. */
struct onnx_draft {
    struct onnx_value *values;
    struct onnx_node *nodes;
    uint32_t value_count, value_room, node_count, node_room;
};

/* A call of a function: what its nodes' attributes may refer to. */
struct onnx_scope_call {
    const struct onnx_function *function;
    const struct onnx_attribute *attributes;
    uint32_t attribute_count;
};

/* Where names are looked up: of a graph, of a body, whose outer one is that of the node it belongs to, or of a function
 * that is called, whose nodes go into the caller's draft. */
struct onnx_scope {
    struct onnx_reading *reading;
    struct onnx_functions *functions;
    const struct onnx_opsets *opsets;
    const struct onnx_scope_call *call; /* NULL: not in a function */
    struct onnx_scope *outer;
    struct onnx_draft *draft;
    struct onnx_names names; /* values of the draft, or ONNX_NONE: absent */
    uint32_t depth;
};

/* A name for a reason. */
struct visible_text onnx_show(struct onnx_text text);

/* In memory that stays. NULL: memory is out, which is told. */
void *onnx_scope_allocate(struct onnx_scope *scope, size_t count, size_t size);
const char *onnx_scope_text(struct onnx_scope *scope, struct onnx_text text);

/* Gives a value of the draft, or none, a name that is not there yet. */
bool onnx_name_value(struct onnx_scope *scope, struct onnx_text text, uint32_t value);

/* A value of a name that nothing else has made. Outputs of a call are there already: their values are the caller's. */
bool onnx_define(struct onnx_scope *scope, struct onnx_text text, uint32_t *number);

/* A value that is read, of this scope or of one around it; then it becomes one of each body in between. */
bool onnx_resolve(struct onnx_scope *scope, struct onnx_text text, uint32_t *number);

bool onnx_add_node(struct onnx_scope *scope, struct onnx_node node);

/* ValueInfoProto: one, what it says of a value, and all of a field that are of values of this scope. What is said first
 * holds, and what a constant is. */
bool onnx_value_info_read(struct onnx_wire wire, struct onnx_text *name, struct onnx_wire *type, bool *has_type);
bool onnx_set_type(struct onnx_scope *scope, uint32_t number, struct onnx_wire type);
/* The same of an input that has an initializer: another value of that type may be given in its place. */
bool onnx_set_input_type(struct onnx_scope *scope, uint32_t number, struct onnx_wire type);
bool onnx_value_infos_read(struct onnx_scope *scope, struct onnx_wire wire, uint32_t number);

/* Takes the units for this many bytes of a function from the model's budget. False if it is used up. */
bool onnx_charge(struct onnx_scope *scope, size_t bytes);

/* AttributeProto; absent where it refers to what neither the call of a function nor the function has. */
bool onnx_attribute_read(struct onnx_scope *scope, struct onnx_wire wire, struct onnx_attribute *attribute,
                         bool *is_absent);

/* A node's body. */
bool onnx_body_read(struct onnx_scope *scope, struct onnx_wire wire, struct onnx_graph *graph);

/* The nodes of a field: what they make, since some stand before those whose outputs they read; then they themselves. */
bool onnx_nodes_define(struct onnx_scope *scope, struct onnx_wire wire, uint32_t number);
bool onnx_nodes_read(struct onnx_scope *scope, struct onnx_wire wire, uint32_t number);

#endif
