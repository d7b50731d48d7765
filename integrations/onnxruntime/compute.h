/* Fused nodes. */
#ifndef VKDML_ORT_COMPUTE_H
#define VKDML_ORT_COMPUTE_H

#include "check.h"
#include "onnx/session.h"
#include "ort.h"

struct compute_options {
    struct onnx_session_options session;
    struct check_options check;
    bool prepares;        /* before the first run, as onnx_stages_prepare() */
    const char *report;   /* the file that is told of plans, or ""; lives as long as what is made */
    const OrtLogger *log; /* is told of weights that are loaded; NULL: nothing is */
};

/* Copies the graph of a fused node, to be planned when its inputs' sizes are known. */
bool compute_create(struct onnx_device *device, const OrtGraph *graph, const OrtNode *fused,
                    const struct compute_options *options, OrtNodeComputeInfo **info, struct onnx_error *error);
void compute_release(OrtNodeComputeInfo *info);

#endif
