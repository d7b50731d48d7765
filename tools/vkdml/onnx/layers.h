/* A model's nodes, each run by itself: those that are wrong. */
#ifndef LAYERS_H
#define LAYERS_H

#include "onnx/device.h"
#include "onnx/subject.h"
#include "onnx/values.h"
#include "run/executor.h"
#include "run/results.h"

/* Compares what each node makes on the device with what the CPU reference makes of the same inputs, and the outputs of
 * the whole run with what the nodes made. Prints what differs. False where anything differs or fails. */
bool layers_compare(const struct subject *subject, struct onnx_device *device, const struct run_options *options,
                    struct results *results, const struct values *outputs);

/* Finds the nodes that make infinities or NaN of finite inputs, and prints them. False where there are some, or where
 * something fails. */
bool layers_check_finite(const struct subject *subject, struct onnx_device *device, const struct run_options *options);

#endif
