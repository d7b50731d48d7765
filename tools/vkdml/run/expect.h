/* The command `expect` as it is run. */
#ifndef EXPECT_H
#define EXPECT_H

#include "run/executor.h"

/* Where the resource does not hold what is expected, the differences are on stderr and executor->differs is true; the
 * commands that follow are run. */
bool expect_run(struct executor *executor, const struct command *command);

#endif
