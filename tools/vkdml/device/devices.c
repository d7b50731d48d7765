#include "device/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <vkdml/device.h>

#include "base/message.h"
#include "base/suggest.h"

static const char reference_name[] = "reference";

static const char *const type_names[] = {"other", "integrated GPU", "discrete GPU", "virtual GPU", "CPU"};

bool devices_is_reference(const char *name) {
    /* Other devices' names are found whatever their case, too. */
    return name && strcasecmp(name, reference_name) == 0;
}

static void print_device(const VkdmlPhysicalDeviceInfo *info) {
    size_t type = (size_t)info->type;
    printf("%s\n", info->name);
    printf("  type:   %s\n", type < sizeof(type_names) / sizeof(type_names[0]) ? type_names[type] : "other");
    printf("  driver: %s%s%s\n", info->driver, *info->driverInfo ? ", " : "", info->driverInfo);
    printf("  Vulkan: %u.%u.%u\n", VK_API_VERSION_MAJOR(info->apiVersion), VK_API_VERSION_MINOR(info->apiVersion),
           VK_API_VERSION_PATCH(info->apiVersion));
    printf("  memory: %.1f GiB\n", (double)info->deviceLocalBytes / (1 << 30));
    printf("  UUID:   ");
    for (unsigned i = 0; i < VK_UUID_SIZE; i++) {
        printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", info->uuid[i]);
    }
    putchar('\n');
    if (info->unusable) {
        printf("  cannot be used: %s\n", info->unusable);
    }
    if (info->warning) {
        printf("  note:   %s\n", info->warning);
    }
}

static void tell_what_to_install(void) {
    message_print("vkdml: install a Vulkan driver (Debian: mesa-vulkan-drivers), or run models with -a reference");
}

/* The Vulkan devices; false where memory is out. */
static bool list_vulkan_devices(void) {
    uint32_t count = 0;
    VkdmlResult result = vkdmlEnumeratePhysicalDevices(&count, NULL);
    VkdmlPhysicalDeviceInfo *infos = calloc((size_t)count + 1, sizeof(*infos));
    if (!infos) {
        message_print("vkdml: out of memory");
        return false;
    }
    if (result == VKDML_SUCCESS && count) {
        result = vkdmlEnumeratePhysicalDevices(&count, infos);
    }
    if (result != VKDML_SUCCESS) {
        message_print("vkdml: there is no Vulkan device: %s", vkdmlGetErrorMessage());
        count = 0;
    } else if (!count) {
        message_print("vkdml: there is no Vulkan device");
    }
    if (!count && result != VKDML_ERROR_OUT_OF_HOST_MEMORY) {
        tell_what_to_install();
    }
    for (uint32_t i = 0; i < count; i++) {
        print_device(&infos[i]);
    }
    free(infos);
    return result != VKDML_ERROR_OUT_OF_HOST_MEMORY;
}

bool devices_list(void) {
    const bool good = list_vulkan_devices();
    printf("%s\n  the library's CPU reference; needs no Vulkan\n", reference_name);
    return good;
}

void devices_tell_refusal(const char *name) {
    uint32_t count = 0;
    struct suggest suggest = suggest_begin(name ? name : "");
    suggest_consider(&suggest, reference_name);
    message_print("vkdml: %s", vkdmlGetErrorMessage());
    if (vkdmlEnumeratePhysicalDevices(&count, NULL) != VKDML_SUCCESS || count == 0) {
        tell_what_to_install();
    } else if (name) {
        char hint[SUGGEST_SIZE];
        message_print("models run on \"%s\" too, the CPU reference%s", reference_name, suggest_hint(&suggest, hint));
    }
}
