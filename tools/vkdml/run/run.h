/* Running a model: its commands, in order. */
#ifndef RUN_H
#define RUN_H

#include "run/executor.h"

/* False where anything went wrong; the reason is then on stderr. */
bool run_model(const char *path, const struct run_options *options);

#endif
