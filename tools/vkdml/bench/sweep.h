/* Random cases, timed: where speed falls off that no benchmark looks at. */
#ifndef BENCH_SWEEP_H
#define BENCH_SWEEP_H

#include "bench/options.h"
#include "bench/session.h"

/* Times options->sweep cases of each family whose names the filter fits, prints each, how the ratios are spread, and
 * the slowest ones' case lines. False, with the reason on stderr, where there is none to time or memory is out. */
bool bench_sweep(struct bench_session *session, const struct bench_options *options);

#endif
