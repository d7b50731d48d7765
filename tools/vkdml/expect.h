/* The command `expect` as it is run. */
#ifndef EXPECT_H
#define EXPECT_H

#include "executor.h"

/* False, with the differences on stderr, where the resource does not hold what is expected. */
bool expect_run(struct executor *executor, const struct command *command);

#endif
