/* Holding what a device makes of a dispatch to what the CPU reference makes of the same inputs. */
#ifndef REFERENCE_CHECK_H
#define REFERENCE_CHECK_H

#include "run/executor.h"
#include "run/results.h"

struct reference_check;

/* After the buffers were made, before a command ran: copies what dispatchables own. NULL, with the reason on stderr,
 * on failure. */
struct reference_check *reference_check_open(struct executor *executor);

/* Before a dispatch: copies what its resources hold. False, with the reason on stderr, on failure. */
bool reference_check_before(struct reference_check *check, const struct command *command);

/* After it: dispatches the reference on the copies as often as the device did, and tells how the outputs compare.
 * False, with the reason on stderr, where that cannot be; *agree is false where an output differs. */
bool reference_check_after(struct reference_check *check, const struct command *command, struct results *results,
                           bool *agree);

void reference_check_close(struct reference_check *check);

#endif
