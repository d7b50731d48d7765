/* Graphs on the CPU reference: each node behind those that it reads. Needs no device. */
#ifndef GRAPH_REFERENCE_H
#define GRAPH_REFERENCE_H

#include "run/executor.h"

/* As reference_execute(), of a command whose dispatchable is a graph. */
bool graph_reference_execute(const struct executor *executor, const struct command *command,
                             const VkdmlHostBinding *bindings);

#endif
