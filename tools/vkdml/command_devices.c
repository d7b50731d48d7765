#include <stdlib.h>

#include "commands.h"
#include "devices.h"

static int run(int argc, char **argv) {
    int first;
    const int status = subcommand_read(&subcommand_devices, argc, argv, NULL, &first);
    if (status != SUBCOMMAND_GO_ON) {
        return status;
    }
    return devices_list() ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct subcommand subcommand_devices = {
    .name = "devices",
    .summary = "lists what models can run on",
    .description =
        "Lists what models can run on: the Vulkan devices, best first, and the CPU reference, which is always "
        "there.",
    .run = run,
};
