#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "devices.h"
#include "run.h"

enum {
    OPTION_BARRIERS = OPTION_KEY_FIRST,
    OPTION_LEVEL,
    OPTION_ZERO,
    OPTION_INPUT,
    OPTION_OUTPUT,
    OPTION_COMMANDS,
};

static const struct option_row options[] = {
    {'a', "adapter", .alias = "device", .argument = "TEXT", .kind = ARGUMENT_DEVICE,
     .text =
         "the device whose name contains TEXT, or `reference` for the CPU reference; default: $VKDML_DEVICE, else the "
         "best device"},
    {'s', "show_adapters", .text = "list the devices and exit"},
    {'d', "debug", .text = "with the Vulkan validation layer; any message of it is a failure"},
    {'i', "dispatch_iterations", .argument = "N", .text = "bind, dispatch and wait N times (1)"},
    {'r', "dispatch_repeat", .argument = "N", .text = "dispatch N times in each iteration (1)"},
    {'t', "milliseconds_to_run", .argument = "N", .text = "iterate for N milliseconds instead"},
    {'I', "dispatch_interval", .argument = "N", .text = "start iterations at least N milliseconds apart (0)"},
    {'w', "warmup_samples", .argument = "N",
     .text = "leave the first N iterations out of the median, if there are more (1)"},
    {'v', "timing_verbosity", .argument = "0|1|2", .text = "0: one line; 1: statistics; 2: every iteration (0)"},
    {OPTION_BARRIERS, "post_dispatch_barriers", .argument = "none|uav|uav+aliasing",
     .text = "between repeats (uav). Vulkan has no aliasing barrier apart from the memory barrier of uav"},
    {OPTION_LEVEL, "dml_feature_level", .alias = "level", .argument = "L", .kind = ARGUMENT_LEVEL,
     .text = "hold operators to feature level L, e.g. 5_0 (the newest)"},
    {OPTION_ZERO, "zero-undefined", .text = "outputs that DirectML leaves undefined are 0"},
    {OPTION_INPUT, "input_path", .argument = "DIR", .kind = ARGUMENT_FOLDER,
     .text = "files are read from DIR (the model's folder)"},
    {OPTION_OUTPUT, "output_path", .argument = "DIR", .kind = ARGUMENT_FOLDER,
     .text = "files are written to DIR (the working directory)"},
    {OPTION_COMMANDS, "print_commands", .text = "print each command before it runs"},
    {0},
};

/* What a command line asks for. */
struct request {
    struct run_options options;
    bool show_adapters;
};

/* Options of iterations and their timing. */
static bool apply_timing(int key, const char *argument, struct run_options *run) {
    /* 2^31: beyond any patience. */
    const uint32_t many = (uint32_t)1 << 31;
    switch (key) {
    case 'i':
        return subcommand_number(argument, 1, many, &run->iterations);
    case 'r':
        return subcommand_number(argument, 1, many, &run->repeats);
    case 't':
        return subcommand_number(argument, 1, many, &run->milliseconds);
    case 'I':
        return subcommand_number(argument, 0, many, &run->interval);
    case 'w':
        return subcommand_number(argument, 0, many, &run->warmup);
    default:
        return subcommand_number(argument, 0, 2, &run->verbosity);
    }
}

static bool apply_option(int key, const char *argument, void *context) {
    struct request *request = context;
    struct run_options *run = &request->options;
    switch (key) {
    case 'a':
        run->device = argument;
        return true;
    case 's':
        return request->show_adapters = true;
    case 'd':
        return run->validation = true;
    case OPTION_BARRIERS:
        run->barriers = strcmp(argument, "none") != 0;
        return true;
    case OPTION_LEVEL:
        run->level = command_feature_level(argument);
        return run->level != 0;
    case OPTION_ZERO:
        return run->zero_undefined = true;
    case OPTION_INPUT:
        run->input_path = argument;
        return true;
    case OPTION_OUTPUT:
        run->output_path = argument;
        return true;
    case OPTION_COMMANDS:
        return run->print_commands = true;
    default:
        return apply_timing(key, argument, run);
    }
}

static int run(int argc, char **argv) {
    struct request request = {.options = {.iterations = 1, .repeats = 1, .warmup = 1, .barriers = true}};
    int first;
    const int status = subcommand_read(&subcommand_run, argc, argv, &request, &first);
    if (status != SUBCOMMAND_GO_ON) {
        return status;
    }
    if (request.show_adapters) {
        return devices_list() ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if (first == argc) {
        fputs("vkdml run: which model? (`vkdml run --help` tells more)\n", stderr);
        return EXIT_USAGE;
    }
    return run_model(argv[first], &request.options) ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct subcommand subcommand_run = {
    .name = "run",
    .operands = "MODEL.json",
    .operands_most = 1, /* --show_adapters needs none */
    .kind = ARGUMENT_MODEL,
    .summary = "runs a model",
    .description =
        "Runs an operator model; `vkdml MODEL.json` is short for it. `-` reads the model from standard input.",
    .options = options,
    .apply = apply_option,
    .run = run,
};
