/* The tests' device: the one that the environment names, as itself or as a profile. */
#ifndef HARNESS_GPU_OPEN_H
#define HARNESS_GPU_OPEN_H

#include "cases/gpu.h"

/* Opens the device that the environment names (VKDML_DEVICE); validation layers with VKDML_TEST_VALIDATION=1; as the
 * device of a profile, and held to it, with VKDML_TEST_PROFILE=name (tests/profiles/profile_list.inc).
 * `flags` are those of VkdmlDeviceOpenInfo. gpu->error tells why it failed; gpu_close() is due either way. */
VkdmlResult gpu_open(struct gpu *gpu, VkdmlDeviceFlags flags);

void gpu_close(struct gpu *gpu);

#endif
