/* Running an ONNX model. */
#ifndef RUN_MODEL_H
#define RUN_MODEL_H

#include "onnx/subject.h"
#include "run/executor.h"

/* Runs it and prints its outputs, or writes them. False where anything went wrong; the reason is then on stderr. */
bool run_onnx_model(const char *path, const struct run_options *options, const struct onnx_request *request);

#endif
