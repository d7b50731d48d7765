#include "kernels/kernels.h"

#include <assert.h>

#include "spirv.inc" /* written by the build from the modules: static const uint32_t spirv_NAME[] */

static const struct vkdml_kernel_info kernels[] = {
#define VKDML_KERNEL(NAME, name, buffer_count) {#name, buffer_count, spirv_##name, sizeof(spirv_##name)},
#include "kernels/kernel_list.inc"
#undef VKDML_KERNEL
};

const struct vkdml_kernel_info *vkdml_kernel_info(enum vkdml_kernel kernel) {
    assert((unsigned)kernel < VKDML_KERNEL_COUNT);
    return &kernels[kernel];
}
