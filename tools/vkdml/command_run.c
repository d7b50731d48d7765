#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "run.h"

static const char usage[] =
    "Usage: vkdml run [OPTION].. MODEL.json\n"
    "\n"
    "Runs an operator model.\n"
    "\n"
    "  -a, --adapter TEXT            the device whose name contains TEXT, or `reference` for the CPU reference;\n"
    "                                default: $VKDML_DEVICE, else the best device\n"
    "      --device TEXT             the same\n"
    "  -s, --show_adapters           list the devices and exit\n"
    "  -d, --debug                   with the Vulkan validation layer; any message of it is a failure\n"
    "  -i, --dispatch_iterations N   bind, dispatch and wait N times (1)\n"
    "  -r, --dispatch_repeat N       dispatch N times in each iteration (1)\n"
    "  -t, --milliseconds_to_run N   iterate for N milliseconds instead\n"
    "  -I, --dispatch_interval N     start iterations at least N milliseconds apart (0)\n"
    "  -w, --warmup_samples N        leave the first N iterations out of the median, if there are more (1)\n"
    "  -v, --timing_verbosity N      0: one line; 1: statistics; 2: every iteration (0)\n"
    "      --post_dispatch_barriers KIND  between repeats: none, uav or uav+aliasing (uav)\n"
    "      --dml_feature_level L     hold operators to feature level L, e.g. 5_0 (the newest)\n"
    "      --zero-undefined          outputs that DirectML leaves undefined are 0\n"
    "      --input_path DIR          files are read from DIR (the model's folder)\n"
    "      --output_path DIR         files are written to DIR (the working directory)\n"
    "      --print_commands          print each command before it runs\n"
    "  -h, --help                    print this and exit\n";

enum long_option { OPTION_BARRIERS = 256, OPTION_LEVEL, OPTION_ZERO, OPTION_INPUT, OPTION_OUTPUT, OPTION_COMMANDS };

static const struct option long_options[] = {
    {"adapter", required_argument, NULL, 'a'},
    {"device", required_argument, NULL, 'a'},
    {"show_adapters", no_argument, NULL, 's'},
    {"debug", no_argument, NULL, 'd'},
    {"dispatch_iterations", required_argument, NULL, 'i'},
    {"dispatch_repeat", required_argument, NULL, 'r'},
    {"milliseconds_to_run", required_argument, NULL, 't'},
    {"dispatch_interval", required_argument, NULL, 'I'},
    {"warmup_samples", required_argument, NULL, 'w'},
    {"timing_verbosity", required_argument, NULL, 'v'},
    {"post_dispatch_barriers", required_argument, NULL, OPTION_BARRIERS},
    {"dml_feature_level", required_argument, NULL, OPTION_LEVEL},
    {"zero-undefined", no_argument, NULL, OPTION_ZERO},
    {"zero_undefined", no_argument, NULL, OPTION_ZERO},
    {"input_path", required_argument, NULL, OPTION_INPUT},
    {"output_path", required_argument, NULL, OPTION_OUTPUT},
    {"print_commands", no_argument, NULL, OPTION_COMMANDS},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool read_number(const char *text, uint32_t minimum, uint32_t maximum, uint32_t *number) {
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end || text[0] == '-' || errno || value < minimum || value > maximum) {
        fprintf(stderr, "vkdml run: '%s' must be a whole number from %u to %u\n", text, minimum, maximum);
        return false;
    }
    *number = (uint32_t)value;
    return true;
}

static bool read_barriers(const char *text, bool *barriers) {
    /* Vulkan has no aliasing barrier apart from the memory barrier that is recorded anyway. */
    *barriers = strcmp(text, "uav") == 0 || strcmp(text, "uav+aliasing") == 0;
    if (!*barriers && strcmp(text, "none") != 0) {
        fprintf(stderr, "vkdml run: --post_dispatch_barriers is '%s', must be none, uav or uav+aliasing\n", text);
        return false;
    }
    return true;
}

/* What a command line asks for. */
struct request {
    struct run_options options;
    bool show_adapters;
    bool help;
};

static bool apply_option(int option, const char *argument, struct request *request) {
    struct run_options *options = &request->options;
    uint32_t number = 0;
    /* 2^31: beyond any patience. */
    const uint32_t many = (uint32_t)1 << 31;
    switch (option) {
    case 'a':
        options->device = argument;
        return true;
    case 's':
        request->show_adapters = true;
        return true;
    case 'd':
        options->validation = true;
        return true;
    case 'i':
        return read_number(argument, 1, many, &options->iterations);
    case 'r':
        return read_number(argument, 1, many, &options->repeats);
    case 't':
        if (!read_number(argument, 1, many, &number)) {
            return false;
        }
        options->milliseconds = number;
        return true;
    case 'I':
        if (!read_number(argument, 0, many, &number)) {
            return false;
        }
        options->interval = number;
        return true;
    case 'w':
        return read_number(argument, 0, many, &options->warmup);
    case 'v':
        return read_number(argument, 0, 2, &options->verbosity);
    case OPTION_BARRIERS:
        return read_barriers(argument, &options->barriers);
    case OPTION_LEVEL:
        options->level = command_feature_level(argument);
        return options->level != 0;
    case OPTION_ZERO:
        options->zero_undefined = true;
        return true;
    case OPTION_INPUT:
        options->input_path = argument;
        return true;
    case OPTION_OUTPUT:
        options->output_path = argument;
        return true;
    case OPTION_COMMANDS:
        options->print_commands = true;
        return true;
    case 'h':
        request->help = true;
        return true;
    default:
        return false; /* getopt_long has said what is wrong */
    }
}

int command_run(int argc, char **argv) {
    struct request request = {.options = {.iterations = 1, .repeats = 1, .warmup = 1, .barriers = true}};
    int option;
    while ((option = getopt_long(argc, argv, "a:sdi:r:t:I:w:v:h", long_options, NULL)) != -1) {
        if (!apply_option(option, optarg, &request)) {
            return EXIT_FAILURE;
        }
    }
    if (request.help) {
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    if (request.show_adapters) {
        return command_devices(1, argv);
    }
    if (argc - optind != 1) {
        fprintf(stderr, "vkdml run: %s (`vkdml run --help` tells more)\n",
                argc == optind ? "which model?" : "one model at a time");
        return EXIT_FAILURE;
    }
    return run_model(argv[optind], &request.options) ? EXIT_SUCCESS : EXIT_FAILURE;
}
