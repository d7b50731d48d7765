#include <stdlib.h>

#include "commands.h"
#include "device/devices.h"

static int run(int argc, char **argv) {
    int first;
    const int status = command_line_read(&subcommand_devices, argc, argv, NULL, &first);
    if (status != COMMAND_LINE_GO_ON) {
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
