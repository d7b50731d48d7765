/* The harness's own Vulkan function pointers: global, as an application's are. */
#define VOLK_IMPLEMENTATION
#include <volk.h>
