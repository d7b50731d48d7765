/* Devices as data: what a vendor's driver reports, as far as a compute library can notice. */
#ifndef PROFILES_PROFILE_H
#define PROFILES_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

enum feature {
#define FEATURE(member, ...) FEATURE_##member,
#include "profiles/feature_list.inc"
    FEATURE_COUNT
};
_Static_assert(FEATURE_COUNT <= 32, "sets of features are 32-bit words");

#define FEATURE_BIT(member) (1u << FEATURE_##member)

/* What a profile says of limits; Vulkan's members of the same names. 0: not known, so what Vulkan guarantees. */
struct profile_limits {
    uint32_t maxUniformBufferRange;
    uint32_t maxStorageBufferRange;
    uint32_t maxPushConstantsSize;
    uint32_t maxBoundDescriptorSets;
    uint32_t maxPerStageDescriptorUniformBuffers;
    uint32_t maxPerStageDescriptorStorageBuffers;
    uint32_t maxPerStageResources;
    uint32_t maxComputeSharedMemorySize;
    uint32_t maxComputeWorkGroupCount[3];
    uint32_t maxComputeWorkGroupInvocations;
    uint32_t maxComputeWorkGroupSize[3];
    uint32_t minUniformBufferOffsetAlignment;
    uint32_t minStorageBufferOffsetAlignment;
};

/* Which kinds of memory there are. */
enum profile_memory {
    PROFILE_MEMORY_DEVICES, /* the device's own types */
    PROFILE_MEMORY_OPEN,    /* a card's, all of which the host may map, uncached; and the host's, cached */
    PROFILE_MEMORY_APART, /* a card's, which is not mapped; the host's; and 256 MiB of the card's that may be mapped */
};

struct profile {
    const char *name;
    uint32_t fictional; /* 1: has less than any device, to reach what takes very large tensors otherwise */
    uint32_t vendor_id;
    VkPhysicalDeviceType type;
    struct profile_limits limits;
    uint32_t subgroup_size;                     /* reported; shaders run at the device's. 0: not known, so 1 */
    VkSubgroupFeatureFlags subgroup_operations; /* in compute */
    uint32_t features;                          /* FEATURE_BITs beyond those that Vulkan 1.2 guarantees */
    enum profile_memory memory;
};

/* The first is `minimum`: Vulkan 1.2's guarantees and nothing else. */
extern const struct profile profiles[];
extern const size_t profile_count;

/* NULL: there is none of that name. */
const struct profile *profile_find(const char *name);

/* What a device that is both the profile's and `device` has: of each limit the stricter. Limits that profiles do not
 * speak of stay the device's. */
void profile_restrict_limits(const struct profile *profile, VkPhysicalDeviceLimits *device);

/* The same of two devices. */
void profile_merge_limits(const VkPhysicalDeviceLimits *other, VkPhysicalDeviceLimits *device);

/* The features of every Vulkan 1.2 device, as FEATURE_BITs. */
extern const uint32_t profile_guaranteed_features;

#endif
