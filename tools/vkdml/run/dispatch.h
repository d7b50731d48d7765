/* The iterations of a dispatch. */
#ifndef DISPATCH_H
#define DISPATCH_H

#include "base/timing.h"
#include "run/executor.h"

/* Runs a command's dispatchable, which is prepared, at least so often and as long as the options say. With `check`, the
 * first iteration's results are held to the reference. False, with the reason on stderr, on failure; the timing is to
 * be freed either way. */
bool dispatch_run(struct executor *executor, const struct command *command, struct reference_check *check,
                  uint32_t iterations, struct timing *timing);

#endif
