#include "kernels/kernels.h"

#include <assert.h>

#include "spirv.inc" /* written by the build from the modules: static const uint32_t spirv_NAME[] */

#define MODULE(name)                                                                                                   \
    { spirv_##name, sizeof(spirv_##name) }

static const struct vkdml_kernel_info kernels[] = {
#define VKDML_KERNEL(NAME, name, buffer_count)          {#name, buffer_count, MODULE(name), {NULL, 0}},
#define VKDML_KERNEL_SUBGROUP(NAME, name, buffer_count) {#name, buffer_count, MODULE(name), MODULE(name##_subgroup)},
#include "kernels/kernel_list.inc"
};

const struct vkdml_kernel_info *vkdml_kernel_info(enum vkdml_kernel kernel) {
    assert((unsigned)kernel < VKDML_KERNEL_COUNT);
    return &kernels[kernel];
}

const struct vkdml_kernel_module *vkdml_kernel_module(enum vkdml_kernel kernel, VkdmlKernelVariant variant) {
    const struct vkdml_kernel_info *info = vkdml_kernel_info(kernel);
    return variant == VKDML_KERNEL_VARIANT_SUBGROUP && info->subgroup.code ? &info->subgroup : &info->portable;
}
