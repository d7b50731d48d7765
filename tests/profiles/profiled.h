/* A vkGetInstanceProcAddr that makes a device look like a profile's and holds its user to it: what the profile hides is
 * not reported, and a call beyond what it promises is told, and refused where it can return an error.
 *
 * It knows the functions of Vulkan that the library and its tests call; to ask for any other is a violation too, so
 * that what is new is looked at. The subgroup size is the profile's in what is reported only: shaders run at the
 * device's, so a plan must not depend on it. One at a time, but begun, for any number of threads. */
#ifndef PROFILES_PROFILED_H
#define PROFILES_PROFILED_H

#include <stdbool.h>

#include "profiles/profile.h"

struct profiled_info {
    const struct profile *profile;
    PFN_vkGetInstanceProcAddr next; /* the real one */
    VkInstance instance;
    VkPhysicalDevice physical_device;
    bool transfer; /* transfer commands may be recorded */
    /* Before all of a process, instances included: `instance` and `physical_device` are not given, every device of the
     * machine becomes the profile's, and functions that are not known may be asked for, as volk asks for all, but not
     * called. */
    bool whole;
    /* Told of each violation, one line; may be NULL. */
    void (*on_violation)(void *user_data, const char *text);
    void *user_data;
};

/* Begins anew: modules and layouts of before are forgotten, and the device has no feature enabled until one is created
 * through this interposer. False where a function of the driver's is missing. */
bool profiled_begin(const struct profiled_info *info);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL profiled_get_instance_proc_addr(VkInstance instance, const char *name);

/* The limits that calls are held to: both the profile's and the device's. Tests of the tests may lower them. */
VkPhysicalDeviceLimits *profiled_limits(void);

/* Violations since profiled_begin(). */
unsigned profiled_violations(void);

#endif
