/* The command `expect` as it is read: what a resource is held to. */
#ifndef EXPECTATION_H
#define EXPECTATION_H

#include "model/model.h"

/* Reads {"type": "expect", "resource", "values", "tolerance"?}. The tolerance is by default what the accuracy of the
 * operator allows whose dispatch, of those before, wrote the resource last. */
bool expectation_load(struct model *model, struct command *command);

#endif
