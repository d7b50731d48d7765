/* What models can run on: the Vulkan devices, and the CPU reference, which is always there. */
#ifndef DEVICES_H
#define DEVICES_H

#include <stdbool.h>

/* Whether a name is the CPU reference's. NULL is not. */
bool devices_is_reference(const char *name);

/* Lists all on stdout. Where Vulkan is missing the reason is on stderr, and that is no failure; out of memory is. */
bool devices_list(void);

/* After vkdmlOpenDevice() refused to open a device of that name, or NULL: the reason on stderr, and what to do. */
void devices_tell_refusal(const char *name);

#endif
