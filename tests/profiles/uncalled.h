/* Functions that may be asked for but not called: they tell their name, and end the process. */
#ifndef PROFILES_UNCALLED_H
#define PROFILES_UNCALLED_H

#include <vulkan/vulkan_core.h>

/* One for each name. `name` is copied. The process ends with abort() after `tell`. */
PFN_vkVoidFunction uncalled_function(const char *name, void (*tell)(const char *name));

#endif
