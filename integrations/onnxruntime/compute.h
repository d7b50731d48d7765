/* Fused nodes. */
#ifndef VKDML_ORT_COMPUTE_H
#define VKDML_ORT_COMPUTE_H

#include "check.h"
#include "onnx/session.h"
#include "ort.h"

/* Copies the graph of a fused node, to be planned when its inputs' sizes are known. report: the file that is told of
 * plans, or ""; lives as long as what is made. */
bool compute_create(struct onnx_device *device, const OrtGraph *graph, const OrtNode *fused,
                    const struct onnx_session_options *options, const struct check_options *check, const char *report,
                    OrtNodeComputeInfo **info, struct onnx_error *error);
void compute_release(OrtNodeComputeInfo *info);

#endif
