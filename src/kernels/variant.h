/* Which variant of the kernels a device runs. */
#ifndef VKDML_KERNELS_VARIANT_H
#define VKDML_KERNELS_VARIANT_H

#include <stdbool.h>

#include <vulkan/vulkan_core.h>

#include "base/report.h"
#include "kernels/cooperative_matrix.h"
#include "kernels/kernels.h"
#include "vkdml/device.h"

/* What the choice depends on. Invented at will in tests. */
struct vkdml_variant_device {
    VkPhysicalDeviceType type;
    VkDriverId driver;
    uint32_t vendor;                   /* VkPhysicalDeviceProperties::vendorID */
    uint32_t driver_version;           /* VkPhysicalDeviceProperties::driverVersion */
    uint32_t subgroup_size;            /* as reported; kernels do not depend on it */
    VkSubgroupFeatureFlags operations; /* in compute shaders; 0: none */
};

/* A variant's name as the environment variable has it; NULL for DEFAULT and what is none. Static. */
const char *vkdml_variant_name(VkdmlKernelVariant variant);

/* Reads a name. NULL and "" are DEFAULT. False where there is no such variant. */
bool vkdml_variant_parse(const char *name, VkdmlKernelVariant *variant);

/* The fastest variant that the device reports to run and that no quirk forbids. *reason, static text, says why. */
VkdmlKernelVariant vkdml_variant_choose(const struct vkdml_variant_device *device, const char **reason);

/* Why the device cannot run a variant, static text, or NULL. Quirks do not count: forcing is for trying. */
const char *vkdml_variant_unusable(const struct vkdml_variant_device *device, VkdmlKernelVariant variant);

/* Why a device's matrix cores are not used, whatever it reports of them, static text, or NULL. */
const char *vkdml_matrix_cores_unusable(const struct vkdml_variant_device *device);

/* Why a device is not given kernels of long unrolled code where others do the same, static text, or NULL. */
const char *vkdml_long_code_unusable(const struct vkdml_variant_device *device);

/* What the user must be told of a driver, by VkPhysicalDeviceDriverProperties::driverInfo: static text, or NULL.
 * uses_avx512: it may compile for AVX-512 where this runs. */
const char *vkdml_driver_warning(VkDriverId driver, const char *driver_info, bool uses_avx512);

/* The largest fragments of those that a device reports, by subgroups: of FLOAT16 with FLOAT32 sums, or of INT8 with
 * INT32's. None where there are none such. */
struct vkdml_matrix_cores vkdml_matrix_cores_choose(const VkCooperativeMatrixPropertiesKHR *properties, uint32_t count,
                                                    uint32_t subgroup_size);
struct vkdml_matrix_cores vkdml_byte_cores_choose(const VkCooperativeMatrixPropertiesKHR *properties, uint32_t count,
                                                  uint32_t subgroup_size);

/* VKDML_FLOAT_CONTROLS_ bits of a device; has_float16: whether it was created with that feature. None where controls of
 * one width may not be declared without those of the others. */
uint32_t vkdml_float_controls(const VkPhysicalDeviceFloatControlsProperties *properties, bool has_float16);

#endif
