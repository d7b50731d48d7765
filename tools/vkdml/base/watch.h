/* Watches work that tells nothing itself: a thread says how long it has gone on, and ends the process at a limit. */
#ifndef WATCH_H
#define WATCH_H

#include <stdint.h>

/* What goes on from here to watch_end(), on the calling thread, which prints nothing meanwhile. `seconds`: how long it
 * may take, 0: as long as it likes. `option` is what set that. */
void watch_begin(const char *name, uint32_t seconds, const char *option);
void watch_end(void);

#endif
