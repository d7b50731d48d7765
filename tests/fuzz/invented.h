/* A Vulkan device that is none: it compiles anything, has memory of its own and computes nothing. */
#ifndef FUZZ_INVENTED_H
#define FUZZ_INVENTED_H

#include "vkdml/vkdml.h"

#define INVENTED_VENDOR 0x1234
#define INVENTED_DEVICE 0x56789ABC
#define INVENTED_UUID   0x5A /* each byte of it */

/* What imports it. */
VkdmlDeviceCreateInfo invented_info(void);

/* One that is there already mostly, for one use. */
VkdmlDevice invented_device(void);

/* Lets it go; the next use has another. */
void invented_end(void);

/* The pipeline cache that was created last, and how many were. */
struct invented_cache {
    uint32_t created;
    size_t size;  /* of its data */
    uint64_t sum; /* of its bytes */
};
extern struct invented_cache invented_cache;

#endif
