#include "profiles/profile.h"

#include <string.h>

/* The eight operations of VkSubgroupFeatureFlagBits in core Vulkan. */
#define ALL_SUBGROUP_OPERATIONS                                                                                        \
    (VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |               \
     VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |     \
     VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT)

/* What most desktop drivers have in arithmetic and storage. */
#define ALL_NUMBER_FEATURES                                                                                            \
    (FEATURE_BIT(shaderFloat64) | FEATURE_BIT(shaderInt64) | FEATURE_BIT(shaderInt16) | FEATURE_BIT(shaderFloat16) |   \
     FEATURE_BIT(shaderInt8) | FEATURE_BIT(shaderBufferInt64Atomics) | FEATURE_BIT(storageBuffer16BitAccess) |         \
     FEATURE_BIT(uniformAndStorageBuffer16BitAccess) | FEATURE_BIT(storageBuffer8BitAccess) |                          \
     FEATURE_BIT(uniformAndStorageBuffer8BitAccess) | FEATURE_BIT(bufferDeviceAddress))

const struct profile profiles[] = {
#include "profiles/profile_list.inc"
};
const size_t profile_count = sizeof profiles / sizeof *profiles;

/* Vulkan 1.2, "Feature Requirements". */
const uint32_t profile_guaranteed_features =
    FEATURE_BIT(robustBufferAccess) | FEATURE_BIT(multiview) | FEATURE_BIT(imagelessFramebuffer) |
    FEATURE_BIT(uniformBufferStandardLayout) | FEATURE_BIT(shaderSubgroupExtendedTypes) |
    FEATURE_BIT(separateDepthStencilLayouts) | FEATURE_BIT(hostQueryReset) | FEATURE_BIT(timelineSemaphore) |
    FEATURE_BIT(subgroupBroadcastDynamicId);

const struct profile *profile_find(const char *name) {
    for (size_t i = 0; i < profile_count; i++) {
        if (strcmp(profiles[i].name, name) == 0) {
            return &profiles[i];
        }
    }
    return NULL;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Of alignments, which are powers of two: the larger is a multiple of the smaller. */
static VkDeviceSize larger(VkDeviceSize a, VkDeviceSize b) {
    return a > b ? a : b;
}

/* The limits that profiles speak of. */
#define RESTRICT_LIMITS(AT_MOST, AT_LEAST)                                                                             \
    do {                                                                                                               \
        AT_MOST(maxUniformBufferRange);                                                                                \
        AT_MOST(maxStorageBufferRange);                                                                                \
        AT_MOST(maxPushConstantsSize);                                                                                 \
        AT_MOST(maxBoundDescriptorSets);                                                                               \
        AT_MOST(maxPerStageDescriptorUniformBuffers);                                                                  \
        AT_MOST(maxPerStageDescriptorStorageBuffers);                                                                  \
        AT_MOST(maxPerStageResources);                                                                                 \
        AT_MOST(maxComputeSharedMemorySize);                                                                           \
        AT_MOST(maxComputeWorkGroupInvocations);                                                                       \
        for (size_t i = 0; i < 3; i++) {                                                                               \
            AT_MOST(maxComputeWorkGroupCount[i]);                                                                      \
            AT_MOST(maxComputeWorkGroupSize[i]);                                                                       \
        }                                                                                                              \
        AT_LEAST(minUniformBufferOffsetAlignment);                                                                     \
        AT_LEAST(minStorageBufferOffsetAlignment);                                                                     \
    } while (0)

void profile_restrict_limits(const struct profile *profile, VkPhysicalDeviceLimits *device) {
    const struct profile_limits *own = &profile->limits;
    const struct profile_limits *guaranteed = &profiles[0].limits;
#define SAID(limit)     (own->limit != 0 ? own->limit : guaranteed->limit)
#define AT_MOST(limit)  device->limit = smaller(device->limit, SAID(limit))
#define AT_LEAST(limit) device->limit = larger(device->limit, SAID(limit))
    RESTRICT_LIMITS(AT_MOST, AT_LEAST);
#undef SAID
#undef AT_MOST
#undef AT_LEAST
}

void profile_merge_limits(const VkPhysicalDeviceLimits *other, VkPhysicalDeviceLimits *device) {
#define AT_MOST(limit)  device->limit = smaller(device->limit, other->limit)
#define AT_LEAST(limit) device->limit = larger(device->limit, other->limit)
    RESTRICT_LIMITS(AT_MOST, AT_LEAST);
#undef AT_MOST
#undef AT_LEAST
}
