#include <stdio.h>
#include <stdlib.h>

#include <vkdml/device.h>

#include "commands.h"

static const char *const type_names[] = {"other", "integrated GPU", "discrete GPU", "virtual GPU", "CPU"};

static void print_device(const VkdmlPhysicalDeviceInfo *info) {
    size_t type = (size_t)info->type;
    printf("%s\n", info->name);
    printf("  type:   %s\n", type < sizeof(type_names) / sizeof(type_names[0]) ? type_names[type] : "other");
    printf("  driver: %s%s%s\n", info->driver, *info->driverInfo ? ", " : "", info->driverInfo);
    printf("  Vulkan: %u.%u.%u\n", VK_API_VERSION_MAJOR(info->apiVersion), VK_API_VERSION_MINOR(info->apiVersion),
           VK_API_VERSION_PATCH(info->apiVersion));
    printf("  memory: %.1f GiB\n", (double)info->deviceLocalBytes / (1 << 30));
    if (info->unusable) {
        printf("  cannot be used: %s\n", info->unusable);
    }
}

int command_list_devices(void) {
    uint32_t count = 0;
    VkdmlPhysicalDeviceInfo *infos = NULL;
    int status = EXIT_FAILURE;
    if (vkdmlEnumeratePhysicalDevices(&count, NULL) != VKDML_SUCCESS) {
        goto refused;
    }
    infos = calloc(count ? count : 1, sizeof(*infos));
    if (!infos) {
        fprintf(stderr, "vkdml: out of memory\n");
        goto done;
    }
    if (count && vkdmlEnumeratePhysicalDevices(&count, infos) != VKDML_SUCCESS) {
        goto refused;
    }
    for (uint32_t i = 0; i < count; i++) {
        print_device(&infos[i]);
    }
    printf("reference\n  the library's CPU reference; needs no Vulkan\n");
    status = EXIT_SUCCESS;
    goto done;
refused:
    fprintf(stderr, "vkdml: %s\n", vkdmlGetErrorMessage());
done:
    free(infos);
    return status;
}

static int run(int argc, char **argv) {
    int first;
    const int status = subcommand_read(&subcommand_devices, argc, argv, NULL, &first);
    return status == SUBCOMMAND_GO_ON ? command_list_devices() : status;
}

const struct subcommand subcommand_devices = {
    .name = "devices",
    .summary = "lists what models can run on",
    .description = "Lists what models can run on, best first.",
    .run = run,
};
