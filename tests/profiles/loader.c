/* A Vulkan loader, before the real one, for programs that know nothing of profiles: where it is found first (by
 * LD_LIBRARY_PATH), every device of the process is one of the profile's, and a violation ends the process by a signal.
 *
 * The environment:
 *   VKDML_TEST_PROFILE=name       the profile; without it this is the real loader
 *   VKDML_TEST_PROFILE_OWN=1      the program puts the profile before its device by itself: likewise
 *   VKDML_TEST_VULKAN_LOADER=path the real loader, where it is not found */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/profiled.h"

/* By their full names: the short one is this library's. */
static const char *const loaders[] = {
    VULKAN_LOADER, /* where the build found it */
    "/usr/lib/x86_64-linux-gnu/libvulkan.so.1",
    "/usr/lib/aarch64-linux-gnu/libvulkan.so.1",
    "/usr/lib64/libvulkan.so.1",
    "/usr/lib/libvulkan.so.1",
    "/usr/local/lib/libvulkan.so.1",
};

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

static PFN_vkGetInstanceProcAddr open_real_loader(void) {
    const char *path = getenv("VKDML_TEST_VULKAN_LOADER");
    void *library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t i = 0; path == NULL && library == NULL && i < sizeof loaders / sizeof *loaders; i++) {
        library = dlopen(loaders[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) {
        give_up("the real one is not found; VKDML_TEST_VULKAN_LOADER names it: ", dlerror());
    }
    void *symbol = dlsym(library, "vkGetInstanceProcAddr");
    PFN_vkGetInstanceProcAddr real = NULL;
    _Static_assert(sizeof symbol == sizeof real, "POSIX");
    memcpy(&real, &symbol, sizeof real);
    if (real == NULL || real == vkGetInstanceProcAddr) {
        give_up("this is no Vulkan loader, or it is this one: ", path != NULL ? path : "");
    }
    return real;
}

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value != NULL && strcmp(value, "") != 0 && strcmp(value, "0") != 0;
}

static void open_profile(void) {
    struct profiled_info info = {
        .next = open_real_loader(), .whole = true, .transfer = true, .on_violation = on_violation};
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
