#include "vulkan/loader.h"

#include <dlfcn.h>
#include <string.h>

/* Desktop Linux has the versioned name only, unless development files are installed; Android only the other. */
static const char *const names[] = {"libvulkan.so.1", "libvulkan.so"};

VkdmlResult vkdml_loader_open(struct vkdml_report *report, void **library, PFN_vkGetInstanceProcAddr *get) {
    *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !*library; i++) {
        *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (!*library) {
        return vkdml_report_add(report, VKDML_ERROR_INITIALIZATION_FAILED, "there is no Vulkan loader (%s)", names[0]);
    }
    void *symbol = dlsym(*library, "vkGetInstanceProcAddr");
    if (!symbol) {
        vkdml_loader_close(*library);
        *library = NULL;
        return vkdml_report_add(report, VKDML_ERROR_INITIALIZATION_FAILED,
                                "the Vulkan loader has no vkGetInstanceProcAddr");
    }
    /* POSIX gives both pointers one representation; ISO C has no conversion between them. */
    _Static_assert(sizeof symbol == sizeof *get, "POSIX");
    memcpy(get, &symbol, sizeof *get);
    return VKDML_SUCCESS;
}

void vkdml_loader_close(void *library) {
    if (library) {
        dlclose(library);
    }
}
