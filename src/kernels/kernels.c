#include "kernels/kernels.h"

#include <assert.h>

#include "spirv.inc" /* written by the build from the modules: static const uint32_t spirv_NAME[] */

#define OWN(name)                                                                                                      \
    { spirv_##name, sizeof(spirv_##name) }
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
    if (variant == VKDML_KERNEL_VARIANT_SUBGROUP && info->subgroup.code) {
        return &info->subgroup;
    }
    if (variant == VKDML_KERNEL_VARIANT_SERIAL && info->serial.code) {
        return &info->serial;
    }
    return &info->portable;
}
