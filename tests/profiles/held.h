/* The rules of Vulkan 1.2 that depend on a device's limits and features, call by call. A check that fails has told the
 * violation. */
#ifndef PROFILES_HELD_H
#define PROFILES_HELD_H

#include <stdbool.h>

#include "profiles/profile.h"
#include "profiles/spirv.h"

/* The library has a handful of kernels and layouts per device, and the tests a device per feature level. */
#define HELD_MAX_MODULES     256
#define HELD_MAX_SET_LAYOUTS 256
#define HELD_MAX_DEVICES     64

struct held {
    const struct profile *profile;
    VkPhysicalDeviceLimits limits; /* both the profile's and every restricting device's */
    bool restricted;               /* by a device, so far */
    VkSubgroupFeatureFlags subgroup_operations;
    uint32_t features; /* FEATURE_BITs that may be enabled */
    bool transfer;
    void (*on_violation)(void *user_data, const char *text);
    void *user_data;
    unsigned violations;
    struct {
        VkDevice handle;  /* VK_NULL_HANDLE: a free place */
        uint32_t enabled; /* FEATURE_BITs that it was created with */
    } devices[HELD_MAX_DEVICES];
    struct {
        VkDevice device; /* another device's handles may be the same */
        VkShaderModule handle;
        struct spirv code; /* a copy; words NULL: a free place */
    } modules[HELD_MAX_MODULES];
    struct {
        VkDevice device;
        VkDescriptorSetLayout handle; /* VK_NULL_HANDLE: a free place */
        uint32_t uniform_buffers;     /* that compute shaders see */
        uint32_t storage_buffers;
    } set_layouts[HELD_MAX_SET_LAYOUTS];
};

void held_begin(struct held *held, const struct profile *profile, bool transfer,
                void (*on_violation)(void *user_data, const char *text), void *user_data);

/* Gives a device that it runs on its say. */
void held_restrict(struct held *held, const VkPhysicalDeviceLimits *limits, VkSubgroupFeatureFlags operations);

/* Tells a violation, as printf; returns false. */
bool held_violation(struct held *held, const char *format, ...);

/* Structs that are not known cannot be held to a profile. */
bool held_check_properties_chain(struct held *held, const void *chain);
bool held_check_features_chain(struct held *held, const char *call, const void *chain);

/* Takes out of what a driver reported what the profile has not. */
void held_hide_properties(const struct held *held, void *chain);
void held_hide_features(const struct held *held, void *chain);

bool held_check_instance(struct held *held, const VkInstanceCreateInfo *create);

/* The VkResult is the one that a driver without the feature or extension returns. */
VkResult held_check_device(struct held *held, const VkDeviceCreateInfo *create, uint32_t *enabled);
/* A device that was not kept counts as one without any feature. */
bool held_keep_device(struct held *held, VkDevice device, uint32_t enabled);
void held_forget_device(struct held *held, VkDevice device);

bool held_check_module(struct held *held, VkDevice device, const VkShaderModuleCreateInfo *create);
bool held_keep_module(struct held *held, VkDevice device, VkShaderModule module,
                      const VkShaderModuleCreateInfo *create);
void held_forget_module(struct held *held, VkDevice device, VkShaderModule module);

bool held_check_pipeline(struct held *held, VkDevice device, const VkComputePipelineCreateInfo *create);

bool held_check_set_layout(struct held *held, const VkDescriptorSetLayoutCreateInfo *create);
bool held_keep_set_layout(struct held *held, VkDevice device, VkDescriptorSetLayout layout,
                          const VkDescriptorSetLayoutCreateInfo *create);
void held_forget_set_layout(struct held *held, VkDevice device, VkDescriptorSetLayout layout);

bool held_check_pipeline_layout(struct held *held, VkDevice device, const VkPipelineLayoutCreateInfo *create);
bool held_check_write(struct held *held, const VkWriteDescriptorSet *write);
bool held_check_dispatch(struct held *held, const uint32_t groups[3]);
bool held_check_push_constants(struct held *held, const char *call, uint32_t offset, uint32_t size);
bool held_check_transfer(struct held *held, const char *call);

#endif
