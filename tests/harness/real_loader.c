#include "harness/real_loader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By their full names: the short one is the asking library's. */
static const char *const loaders[] = {
    VULKAN_LOADER, /* where the build found it */
    "/usr/lib/x86_64-linux-gnu/libvulkan.so.1",
    "/usr/lib/aarch64-linux-gnu/libvulkan.so.1",
    "/usr/lib64/libvulkan.so.1",
    "/usr/lib/libvulkan.so.1",
    "/usr/local/lib/libvulkan.so.1",
};

PFN_vkGetInstanceProcAddr real_loader(PFN_vkGetInstanceProcAddr own, const char *whose) {
    const char *path = getenv("VKDML_TEST_VULKAN_LOADER");
    void *library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t i = 0; path == NULL && library == NULL && i < sizeof loaders / sizeof *loaders; i++) {
        library = dlopen(loaders[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) {
        fprintf(stderr, "libvulkan.so.1 of %s: the real one is not found; VKDML_TEST_VULKAN_LOADER names it: %s\n",
                whose, dlerror());
        abort();
    }
    void *symbol = dlsym(library, "vkGetInstanceProcAddr");
    PFN_vkGetInstanceProcAddr real = NULL;
    _Static_assert(sizeof symbol == sizeof real, "POSIX");
    memcpy(&real, &symbol, sizeof real);
    if (real == NULL || real == own) {
        fprintf(stderr, "libvulkan.so.1 of %s: this is no Vulkan loader, or it is this one: %s\n", whose,
                path != NULL ? path : "");
        abort();
    }
    return real;
}
