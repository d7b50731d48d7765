/* A Vulkan loader, before the real one, for programs that know nothing of profiles: where it is found first (by
 * LD_LIBRARY_PATH), every device of the process is one of the profile's, and a violation ends the process by a signal.
 *
 * The environment:
 *   VKDML_TEST_PROFILE=name       the profile; without it this is the real loader
 *   VKDML_TEST_PROFILE_OWN=1      the program puts the profile before its device by itself: likewise
 *   VKDML_TEST_VULKAN_LOADER=path the real loader, where it is not found */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/real_loader.h"
#include "profiles/profiled.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static PFN_vkGetInstanceProcAddr get;

_Noreturn static void give_up(const char *why, const char *what) {
    fprintf(stderr, "libvulkan.so.1 of the profiles: %s%s\n", why, what);
    abort();
}

/* What a test expects to fail, or does not look at, must not hide it. */
static void on_violation(void *user_data, const char *text) {
    (void)user_data;
    fflush(stdout);
    fprintf(stderr, "%s\n", text);
    abort();
}

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value != NULL && strcmp(value, "") != 0 && strcmp(value, "0") != 0;
}

static void open_profile(void) {
    struct profiled_info info = {.next = real_loader(vkGetInstanceProcAddr, "the profiles"),
                                 .whole = true,
                                 .transfer = true,
                                 .on_violation = on_violation};
    get = info.next;
    if (is_set("VKDML_TEST_PROFILE") && !is_set("VKDML_TEST_PROFILE_OWN")) {
        info.profile = profile_find(getenv("VKDML_TEST_PROFILE"));
        if (info.profile == NULL) {
            give_up("VKDML_TEST_PROFILE names no profile: ", getenv("VKDML_TEST_PROFILE"));
        }
        if (!profiled_begin(&info)) {
            give_up("the real one lacks what profiles need", "");
        }
        get = profiled_get_instance_proc_addr;
    }
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char *name) {
    pthread_once(&once, open_profile);
    return get(instance, name);
}
