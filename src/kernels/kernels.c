#include "kernels/kernels.h"

#include <assert.h>

#include "spirv.inc" /* written by the build: spirv_NAME_words, static const uint8_t spirv_NAME[] */

#define OWN(name)                                                                                                      \
    { spirv_##name, spirv_##name##_words }
#define PORTABLE(name)                                                                                                 \
    { NULL, 0 }

static const struct vkdml_kernel_info kernels[] = {
#define VKDML_KERNEL(NAME, name, buffer_count, SUBGROUP, SERIAL)                                                       \
    {#name, buffer_count, OWN(name), SUBGROUP(name##_subgroup), SERIAL(name##_serial)},
#include "kernels/kernel_list.inc"
};

const struct vkdml_kernel_info *vkdml_kernel_info(enum vkdml_kernel kernel) {
    assert((unsigned)kernel < VKDML_KERNEL_COUNT);
    return &kernels[kernel];
}

const struct vkdml_kernel_module *vkdml_kernel_module(enum vkdml_kernel kernel, VkdmlKernelVariant variant) {
    const struct vkdml_kernel_info *info = vkdml_kernel_info(kernel);
    if (variant == VKDML_KERNEL_VARIANT_SUBGROUP && info->subgroup.packed) {
        return &info->subgroup;
    }
    if (variant == VKDML_KERNEL_VARIANT_SERIAL && info->serial.packed) {
        return &info->serial;
    }
    return &info->portable;
}

#define SPIRV_HEADER_WORDS 5

static uint32_t next_number(const uint8_t **packed) {
    uint32_t number = 0;
    uint32_t shift = 0;
    uint8_t byte;
    do {
        byte = *(*packed)++;
        number |= (uint32_t)(byte & 0x7F) << shift;
        shift += 7;
    } while (byte & 0x80);
    return number;
}

void vkdml_kernel_unpack(const struct vkdml_kernel_module *module, uint32_t *words) {
    const uint8_t *packed = module->packed;
    size_t at = 0;
    while (at < SPIRV_HEADER_WORDS) {
        words[at++] = next_number(&packed);
    }
    while (at < module->word_count) {
        const uint32_t opcode = next_number(&packed);
        const uint32_t count = next_number(&packed);
        words[at] = count << 16 | opcode;
        for (uint32_t i = 1; i < count; i++) {
            words[at + i] = next_number(&packed);
        }
        at += count;
    }
}
