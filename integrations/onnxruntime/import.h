/* ONNX Runtime's graphs as models. */
#ifndef VKDML_IMPORT_H
#define VKDML_IMPORT_H

#include "onnx/graph.h"
#include "ort.h"

/* Copies a graph: its nodes in their order, values, attributes, and the data of constants. Bodies are left out: ONNX
 * Runtime asks for each of them by itself. What values of outer graphs are, are inputs. Freed by onnx_arena_free() of
 * the model's arena, also on failure. copies_data: large constants in the model's file stay there, mapped, and others
 * are copied; else all stay where they are, as long as the graph lives. */
bool import_graph(const OrtGraph *graph, bool copies_data, struct onnx_model *model, struct onnx_error *error);

/* Lets the model's inputs and outputs be those of a fused node, in its order. */
bool import_ends(const OrtNode *fused, struct onnx_model *model, struct onnx_error *error);

/* The number of a type, or UNDEFINED where vkdml has no such type. */
enum onnx_type import_type(ONNXTensorElementDataType type);

#endif
