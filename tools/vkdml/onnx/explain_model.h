/* What the planner makes of an ONNX model. */
#ifndef EXPLAIN_MODEL_H
#define EXPLAIN_MODEL_H

#include "explain/explain.h"
#include "onnx/subject.h"

/* Compiles DirectML's graph of the model for its time, and explains it, nodes under their names in the model. False
 * with the reason on stderr; the explanation is to be destroyed. */
bool explain_onnx_model(const struct subject *subject, VkdmlDevice device, const VkdmlCompileInfo *info,
                        struct explained *explained);

#endif
