/* A model on a device held to the CPU reference: its outputs, and what each of its nodes makes. */
#ifndef LAYERS_H
#define LAYERS_H

#include "onnx/device.h"
#include "onnx/subject.h"
#include "onnx/values.h"
#include "run/executor.h"
#include "run/results.h"

/* What the model's outputs were, against the reference's; and, run once more with all that nodes make as outputs, node
 * by node: the first that differs is told. False where anything differs or fails, which is then on stderr. */
bool layers_compare(const struct subject *subject, struct onnx_device *device, const struct run_options *options,
                    struct results *results, const struct values *outputs);

#endif
