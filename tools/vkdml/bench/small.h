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

#endif
