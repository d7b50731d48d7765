/* The Vulkan loader behind those that tests put before it. */
#ifndef HARNESS_REAL_LOADER_H
#define HARNESS_REAL_LOADER_H

#include <vulkan/vulkan_core.h>

/* That of $VKDML_TEST_VULKAN_LOADER, else where the build found one, else where systems have it. Ends the process where
 * there is none, or where it is `own`, the function of who asks; whose: who that is, for the message. */
PFN_vkGetInstanceProcAddr real_loader(PFN_vkGetInstanceProcAddr own, const char *whose);

#endif
