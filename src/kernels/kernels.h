/* The kernels: ids, what each is, and the SPIR-V embedded for it. */
#ifndef VKDML_KERNELS_KERNELS_H
#define VKDML_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "vkdml/device.h"

enum vkdml_kernel {
#define VKDML_KERNEL(NAME, name, buffer_count, SUBGROUP, SERIAL) VKDML_KERNEL_##NAME,
#include "kernels/kernel_list.inc"
    VKDML_KERNEL_COUNT
};

/* Constants that plans give a value have ids below this, which is that of BASES_ARE_ZERO in glsl/common/binding.glsl.
 * Masks of ids have 32 bits, so that it may be 31. */
#define VKDML_KERNEL_CONSTANTS 24

/* Every module has local_size_x as specialization constant 0. */
#define VKDML_SPECIALIZATION_LOCAL_SIZE 0

/* And as the one after a plan's whether its push constants are all 0 whatever is bound. */
#define VKDML_SPECIALIZATION_ALIGNED VKDML_KERNEL_CONSTANTS

/* What a device promises of floats, to kernels that declare it: results are rounded to nearest even, zeros' signs,
 * infinities and NaNs are what IEEE 754 says; of FLOAT16 also that denormals are kept, and that there are such floats.
 * Many devices keep FLOAT16's denormals, few FLOAT32's. */
#define VKDML_FLOAT_CONTROLS_32        UINT32_C(1)
#define VKDML_FLOAT_CONTROLS_16        UINT32_C(2)
#define VKDML_FLOAT_CONTROLS_DENORMALS UINT32_C(4) /* of FLOAT32 are kept; only with VKDML_FLOAT_CONTROLS_32 */

/* SPIR-V, packed to less than a quarter of its size as tools/build/embed.py says. */
struct vkdml_kernel_module {
    const uint8_t *packed; /* NULL: none */
    size_t text_bytes;     /* once repetitions are undone */
    size_t word_count;     /* of the SPIR-V */
};

struct vkdml_kernel_info {
    const char *name;      /* of glsl/FRAME/NAME.comp and spirv/NAME.spv */
    uint32_t buffer_count; /* the most storage buffers, at bindings 1, 2, ..; binding 0 is the parameter block */
    uint8_t written;       /* of the storage buffers a bit for each that may be written, of the first bit 0 */
    uint16_t frame;        /* vkdml_kernel_word(): the folder of glsl/ */
    uint32_t constants;    /* of the ids of specialization constants that a plan gives a value a bit for each */
    uint16_t first_name;   /* of theirs, among all kernels' */
    struct vkdml_kernel_module portable;
    struct vkdml_kernel_module subgroup;
    struct vkdml_kernel_module serial;
};

/* Never NULL for a valid id. */
const struct vkdml_kernel_info *vkdml_kernel_info(enum vkdml_kernel kernel);

/* What GLSL calls one of a kernel's constants. Static. */
const char *vkdml_kernel_constant(const struct vkdml_kernel_info *kernel, uint32_t id);

/* A word of what is said about kernels. Static. */
const char *vkdml_kernel_word(uint16_t word);

/* What a device of a variant runs: the kernel's module for it where there is one, else the portable one. */
const struct vkdml_kernel_module *vkdml_kernel_module(enum vkdml_kernel kernel, VkdmlKernelVariant variant);

/* Writes a module's SPIR-V, word_count words. */
void vkdml_kernel_unpack(const struct vkdml_kernel_module *module, uint32_t *words);

#endif
