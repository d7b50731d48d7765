/* Benchmarks of ONNX models. */
#ifndef BENCH_MODEL_ONNX_H
#define BENCH_MODEL_ONNX_H

#include "bench/options.h"

/* Times whole runs of options->model, inputs and outputs copied, fused and node by node in turn; and what making ready
 * and the first run take. Writes what the command line asks for. False with the reason on stderr. */
bool bench_onnx_model(const struct bench_options *options);

#endif
