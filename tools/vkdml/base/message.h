/* What the command has to complain of: on stderr, line by line, and gathered where somebody asked for that. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdio.h>

#include "base/attributes.h"

struct json_object;

/* A message of several pieces: they are written to the stream, which the end takes back. A newline at its end is one
 * with that which is put there. The two come in pairs. */
FILE *message_begin(void);
void message_end(FILE *stream);

/* A message in one piece. */
void message_print(const char *format, ...) PRINTF_LIKE(1, 2);

/* From now on messages are strings of that array too, which stays the caller's; NULL: no longer. */
void message_gather(struct json_object *array);

#endif
