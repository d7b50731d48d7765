/* What kernels divide by a number with that is the same for all invocations: glsl/common/division.glsl. */
#ifndef VKDML_KERNELS_DIVISOR_H
#define VKDML_KERNELS_DIVISOR_H

#include <stdint.h>

/* A uvec2 of parameter blocks. */
struct vkdml_divisor {
    uint32_t multiplier;
    uint32_t shifts; /* first + 256 * second */
};

#endif
