/* Why an option's argument is not taken. */
#ifndef REFUSAL_H
#define REFUSAL_H

#include <stdbool.h>

#include "base/attributes.h"

/* From now on refusals are of that option; both names are borrowed. There is one command line. */
void refusal_of(const char *subcommand, const char *option);

/* Says on stderr why the argument is refused: "'x' must be a number". Returns false. */
bool refusal_tell(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
