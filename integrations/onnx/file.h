/* Reading ONNX files. */
#ifndef ONNX_FILE_H
#define ONNX_FILE_H

#include "onnx/error.h"
#include "onnx/graph.h"

/* Reads a model of a file's bytes, which must stay: large tensors point into them where they are aligned. External data
 * is looked for in `folder`, and nowhere else: names that lead out of it are refused; NULL: there is none. Fails where
 * the bytes are no model, or say what they should not: sizes beyond the bytes, nodes in a circle, values that two nodes
 * make or none, more than 8 dimensions. On failure nothing is left to free. */
bool onnx_read_model(const unsigned char *bytes, size_t length, const char *folder, struct onnx_model *model,
                     struct onnx_error *error);

/* Reads a TensorProto, as the data of ONNX's own tests is kept, into memory of the arena. */
bool onnx_read_tensor(const unsigned char *bytes, size_t length, struct onnx_arena *arena, struct onnx_data *tensor,
                      const char **name, struct onnx_error *error);

/* A model of a file; external data lies beside it. Large tensors stay in their files, which are mapped. Reasons begin
 * with the path. onnx_close() frees it all. */
struct onnx_file;
bool onnx_open(const char *path, struct onnx_file **file, struct onnx_error *error);
const struct onnx_model *onnx_file_model(const struct onnx_file *file);
void onnx_close(struct onnx_file *file);

#endif
