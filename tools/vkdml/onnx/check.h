/* What becomes of an ONNX model's nodes, without a device. */
#ifndef CHECK_H
#define CHECK_H

#include "onnx/subject.h"

/* Tells of each node what it becomes, or why it is refused. False where one is, or where the model is none. */
bool check_onnx_model(const char *path, const struct onnx_request *request);

#endif
