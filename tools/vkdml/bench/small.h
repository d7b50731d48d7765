/* What large tensors hide: the latency of small operators, and what an operator costs the host. */
#ifndef BENCH_SMALL_H
#define BENCH_SMALL_H

#include "bench/options.h"
#include "bench/session.h"

struct json_object;

/* Each prints its table and adds its rows, as docs/BENCHMARKS.md says, to an array. False, with the reason on stderr,
 * where something failed. */
bool bench_latency(struct bench_session *session, const struct bench_options *options, struct json_object *rows);
bool bench_host(struct bench_session *session, const struct bench_options *options, struct json_object *rows);

/* The middle one of an odd number of values, which are then in order. */
double bench_median(double *values, size_t count);

/* Prints what compiling a graph of 1,000 nodes takes. False, with the reason on stderr, where something failed. */
bool bench_host_graph(const struct bench_device *device);

/* Prints what a new size of networks with a weight store takes, all pipelines made. The same. */
bool bench_host_shapes(struct bench_device *device);

#endif
