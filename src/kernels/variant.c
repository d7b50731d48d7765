#include "kernels/variant.h"

#include <stddef.h>
#include <string.h>

struct quirk {
    VkDriverId driver;
    uint32_t vendor;
    uint32_t first_version;
    uint32_t last_version;
    const char *reason;
};

/* Each list ends with a row without a reason. */
#define ROW(DRIVER, vendor, first, last, reason) {VK_DRIVER_ID_##DRIVER, vendor, first, last, reason},
static const struct quirk subgroup_quirks[] = {
#define VKDML_QUIRK        ROW
#define VKDML_MATRIX_QUIRK NO_ROW
#define VKDML_LENGTH_QUIRK NO_ROW
#define VKDML_AVX512_QUIRK NO_ROW
#define NO_ROW(...)
#include "kernels/quirk_list.inc"
    {.reason = NULL}};
static const struct quirk matrix_quirks[] = {
#define VKDML_QUIRK        NO_ROW
#define VKDML_MATRIX_QUIRK ROW
#define VKDML_LENGTH_QUIRK NO_ROW
#define VKDML_AVX512_QUIRK NO_ROW
#include "kernels/quirk_list.inc"
    {.reason = NULL}};
static const struct quirk length_quirks[] = {
#define VKDML_QUIRK        NO_ROW
#define VKDML_MATRIX_QUIRK NO_ROW
#define VKDML_LENGTH_QUIRK ROW
#define VKDML_AVX512_QUIRK NO_ROW
#include "kernels/quirk_list.inc"
    {.reason = NULL}};

static const struct {
    VkDriverId driver;
    const char *info;
    const char *warning;
} avx512_quirks[] = {
#define VKDML_QUIRK                               NO_ROW
#define VKDML_MATRIX_QUIRK                        NO_ROW
#define VKDML_LENGTH_QUIRK                        NO_ROW
#define VKDML_AVX512_QUIRK(DRIVER, info, warning) {VK_DRIVER_ID_##DRIVER, info, warning},
#include "kernels/quirk_list.inc"
};

static const char *const names[] = {
    [VKDML_KERNEL_VARIANT_PORTABLE] = "portable",
    [VKDML_KERNEL_VARIANT_SUBGROUP] = "subgroup",
    [VKDML_KERNEL_VARIANT_SERIAL] = "serial",
};

#define VARIANT_COUNT (sizeof names / sizeof *names)

const char *vkdml_variant_name(VkdmlKernelVariant variant) {
    return (size_t)variant < VARIANT_COUNT ? names[variant] : NULL;
}

bool vkdml_variant_parse(const char *name, VkdmlKernelVariant *variant) {
    *variant = VKDML_KERNEL_VARIANT_DEFAULT;
    if (!name || !*name) {
        return true;
    }
    for (size_t i = 1; i < VARIANT_COUNT; i++) {
        if (strcmp(names[i], name) == 0) {
            *variant = (VkdmlKernelVariant)i;
            return true;
        }
    }
    return false;
}

const char *vkdml_variant_unusable(const struct vkdml_variant_device *device, VkdmlKernelVariant variant) {
    const VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
    if (variant == VKDML_KERNEL_VARIANT_SUBGROUP && (device->operations & needed) != needed) {
        return "it has no VK_SUBGROUP_FEATURE_BASIC_BIT and _ARITHMETIC_BIT in compute shaders";
    }
    return NULL;
}

static bool is_quirk_of(const struct quirk *quirk, const struct vkdml_variant_device *device) {
    return device->driver == quirk->driver && (quirk->vendor == 0 || device->vendor == quirk->vendor) &&
           device->driver_version >= quirk->first_version && device->driver_version <= quirk->last_version;
}

/* Why a list holds a device, or NULL. */
static const char *find_quirk(const struct quirk *quirks, const struct vkdml_variant_device *device) {
    while (quirks->reason && !is_quirk_of(quirks, device)) {
        quirks++;
    }
    return quirks->reason;
}

/* Some drivers report 0 (a Mali-G72's) or 1 (a PowerVR GE8320's): whatever runs there is not worth it. */
static bool is_usual_size(uint32_t size) {
    return size >= 4 && size <= 128 && (size & (size - 1)) == 0;
}

VkdmlKernelVariant vkdml_variant_choose(const struct vkdml_variant_device *device, const char **reason) {
    if (device->type == VK_PHYSICAL_DEVICE_TYPE_CPU) {
        *reason = "it is a CPU, where invocations that meet wait in turn";
        return VKDML_KERNEL_VARIANT_SERIAL;
    }
    *reason = vkdml_variant_unusable(device, VKDML_KERNEL_VARIANT_SUBGROUP);
    if (!*reason) {
        *reason = find_quirk(subgroup_quirks, device);
    }
    if (*reason) {
        return VKDML_KERNEL_VARIANT_PORTABLE;
    }
    if (!is_usual_size(device->subgroup_size)) {
        *reason = "its subgroupSize is no power of two from 4 to 128";
        return VKDML_KERNEL_VARIANT_PORTABLE;
    }
    *reason = "it reports the subgroup operations";
    return VKDML_KERNEL_VARIANT_SUBGROUP;
}

const char *vkdml_matrix_cores_unusable(const struct vkdml_variant_device *device) {
    return find_quirk(matrix_quirks, device);
}

const char *vkdml_long_code_unusable(const struct vkdml_variant_device *device) {
    return find_quirk(length_quirks, device);
}

const char *vkdml_driver_warning(VkDriverId driver, const char *driver_info, bool uses_avx512) {
    for (size_t i = 0; i < sizeof avx512_quirks / sizeof *avx512_quirks; i++) {
        if (uses_avx512 && driver == avx512_quirks[i].driver && strstr(driver_info, avx512_quirks[i].info)) {
            return avx512_quirks[i].warning;
        }
    }
    return NULL;
}

/* Fragments begin at multiples of eight elements, and the largest that any device has make up tiles. */
static bool is_usable(const VkCooperativeMatrixPropertiesKHR *p, VkComponentTypeKHR type, VkComponentTypeKHR sums) {
    const bool are_of_type = p->AType == type && p->BType == type && p->CType == sums && p->ResultType == sums;
    const bool are_eights = p->MSize % 8 == 0 && p->NSize % 8 == 0 && p->KSize % 8 == 0;
    const uint32_t most = p->MSize | p->NSize | p->KSize;
    return are_of_type && are_eights && most != 0 && most < 128 && !p->saturatingAccumulation &&
           p->scope == VK_SCOPE_SUBGROUP_KHR;
}

static struct vkdml_matrix_cores choose(const VkCooperativeMatrixPropertiesKHR *properties, uint32_t count,
                                        uint32_t subgroup_size, VkComponentTypeKHR type, VkComponentTypeKHR sums) {
    struct vkdml_matrix_cores cores = {0, 0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        const VkCooperativeMatrixPropertiesKHR *p = &properties[i];
        if (is_usable(p, type, sums) && p->MSize * p->NSize * p->KSize > cores.m * cores.n * cores.k) {
            cores = (struct vkdml_matrix_cores){p->MSize, p->NSize, p->KSize, subgroup_size};
        }
    }
    return cores;
}

struct vkdml_matrix_cores vkdml_matrix_cores_choose(const VkCooperativeMatrixPropertiesKHR *properties, uint32_t count,
                                                    uint32_t subgroup_size) {
    return choose(properties, count, subgroup_size, VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR);
}

struct vkdml_matrix_cores vkdml_byte_cores_choose(const VkCooperativeMatrixPropertiesKHR *properties, uint32_t count,
                                                  uint32_t subgroup_size) {
    return choose(properties, count, subgroup_size, VK_COMPONENT_TYPE_SINT8_KHR, VK_COMPONENT_TYPE_SINT32_KHR);
}

uint32_t vkdml_float_controls(const VkPhysicalDeviceFloatControlsProperties *properties, bool has_float16) {
    const VkShaderFloatControlsIndependence none = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
    if (properties->denormBehaviorIndependence == none || properties->roundingModeIndependence == none) {
        return 0;
    }
    uint32_t controls = 0;
    if (properties->shaderSignedZeroInfNanPreserveFloat32 && properties->shaderRoundingModeRTEFloat32) {
        controls |= VKDML_FLOAT_CONTROLS_32;
        controls |= properties->shaderDenormPreserveFloat32 ? VKDML_FLOAT_CONTROLS_DENORMALS : 0;
    }
    if (has_float16 && properties->shaderSignedZeroInfNanPreserveFloat16 && properties->shaderRoundingModeRTEFloat16 &&
        properties->shaderDenormPreserveFloat16) {
        controls |= VKDML_FLOAT_CONTROLS_16;
    }
    return controls;
}
