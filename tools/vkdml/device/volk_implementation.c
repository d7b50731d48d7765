/* The program's own Vulkan function pointers. */
#define VOLK_IMPLEMENTATION
#include <volk.h>
