/* The nodes of a graph, each dispatched by itself: how long each takes, and, where that is asked for, whether it is the
 * reference's. */
#ifndef NODES_H
#define NODES_H

#include "base/timing.h"
#include "run/executor.h"

/* How often a graph, and each of its nodes, are dispatched: two times at least, of which the first is left out of the
 * median, since drivers compile at the first dispatch; unless the options want that one told. */
uint32_t nodes_iterations(const struct run_options *options);

/* After the dispatch of a graph, of which `timing` is. False, with the reason on stderr, on failure. */
bool nodes_run(struct executor *executor, const struct command *command, const struct timing *timing);

#endif
