/* Benchmarks of models: each dispatch as a whole, and graphs node by node as well. */
#ifndef BENCH_MODEL_H
#define BENCH_MODEL_H

#include "bench/options.h"

/* Times the dispatches of options->model, and writes what the command line asks for. False with the reason on stderr.
 */
bool bench_model(const struct bench_options *options);

#endif
