/* An ONNX model that the command is about, and what its inputs are. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <vkdml/dml_types.h>

#include "command_line/onnx_request.h"
#include "onnx/file.h"
#include "onnx/plan.h"

struct subject {
    const char *path, *name; /* of the file; of the graph, or the file where that has none */
    struct onnx_file *file;
    const struct onnx_model *model;
    const struct onnx_graph *graph;
    const struct onnx_request *request;
    uint32_t input_count; /* of the graph, with those that have initializers */
    struct onnx_plan_input *inputs;
    unsigned char **elements; /* of the inputs, with room for whole words */
    uint32_t files[ONNX_REQUEST_MOST];
    size_t file_count; /* inputs that files have, in their order */
    bool has_open_sizes;
};

/* Opens a model and makes its inputs. False, with the reasons on stderr, on failure; subject_close() is due either way.
 */
bool subject_open(struct subject *subject, const char *path, const struct onnx_request *request);
void subject_close(struct subject *subject);

/* A size of a value that the model leaves open, where --size or a file states it. */
bool subject_size(const struct subject *subject, const struct onnx_value *value, uint32_t d, uint32_t *size);

/* "FILE: reason" on stderr. Returns false. */
bool subject_fail(const struct subject *subject, const struct onnx_error *error);

/* DirectML's type, in which bools are bytes; UNKNOWN where it has none. */
DML_TENSOR_DATA_TYPE subject_type(enum onnx_type type);

/* An output of the graph by its number. */
const char *subject_output(const struct subject *subject, uint32_t index);

#endif
