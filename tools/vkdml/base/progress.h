/* Tells on a terminal how far long work is: one line on stderr, which is gone before anything else is said. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "base/attributes.h"

/* Shows a line in the place of the one before, as often as eyes follow, and the first after half a second of work. Call
 * it as often as you like. Nothing happens where stderr is no terminal. */
void progress_show(const char *format, ...) PRINTF_LIKE(1, 2);

#define PROGRESS_LEFT_SIZE 32

/* ", about 40 s left", or "" of NaN: nobody knows. Returns `text`. */
const char *progress_left(double seconds, char text[PROGRESS_LEFT_SIZE]);

/* Takes the line away: before anything is printed on stdout or stderr, and at the end. */
void progress_clear(void);

#endif
