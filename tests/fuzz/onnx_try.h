/* All that becomes of bytes that may be an ONNX model, but that it runs. */
#ifndef FUZZ_ONNX_TRY_H
#define FUZZ_ONNX_TRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx/plan.h"

/* How far models came, in all. */
struct onnx_tried {
    uint64_t read, judged, planned, compiled;
};
extern struct onnx_tried onnx_tried;

/* Reads, judges, reports, plans for two sets of sizes, and compiles for an invented device that has no memory of its
 * own and computes nothing. Aborts where what fails tells no reason. External data is looked for in `folder`. */
void onnx_try(const unsigned char *bytes, size_t length, const char *folder);

/* Inputs for a graph, the caller's to free: sizes that the model leaves open are `open`, and elements
 * those of `elements`, 65536 bytes of small integers; larger inputs have none. */
struct onnx_plan_input *onnx_try_inputs(const struct onnx_graph *graph, uint32_t open, const void *elements);

/* Lets the device go; the next model has another. */
void onnx_try_end(void);

#endif
