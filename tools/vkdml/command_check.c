#include <stdlib.h>

#include "commands.h"
#include "model/load.h"

enum { OPTION_LEVEL = OPTION_KEY_FIRST, OPTION_INPUT };

static const struct option_row options[] = {
    {OPTION_LEVEL, "dml_feature_level", .alias = "level", .argument = "L", .kind = ARGUMENT_LEVEL,
     .text = "hold operators to feature level L, e.g. 5_0 (the newest)"},
    {OPTION_INPUT, "input_path", .argument = "DIR", .kind = ARGUMENT_FOLDER,
     .text = "files are read from DIR (the model's folder)"},
    {'a', "adapter", .alias = "device", .refusal = "the rules are the same on every device, and none is opened"},
    {0},
};

/* What a command line asks for. */
struct request {
    DML_FEATURE_LEVEL level;
    const char *input_path;
};

static bool apply_option(int key, const char *argument, void *context) {
    struct request *request = context;
    if (key == OPTION_INPUT) {
        request->input_path = argument;
        return true;
    }
    request->level = command_feature_level(argument);
    return request->level != 0;
}

static int run(int argc, char **argv) {
    struct request request = {0};
    struct model model;
    int first;
    const int status = command_line_read(&subcommand_check, argc, argv, &request, &first);
    if (status != COMMAND_LINE_GO_ON) {
        return status;
    }
    bool good = model_load(&model, argv[first], request.input_path, NULL);
    good = model_validate(&model, request.level) && good;
    model_free(&model);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct subcommand subcommand_check = {
    .name = "check",
    .operands = "MODEL.json",
    .operands_least = 1,
    .operands_most = 1,
    .kind = ARGUMENT_MODEL,
    .summary = "holds a model to the rules without running it",
    .description =
        "Holds a model to every rule without running it, and prints every reason. Needs no device. `-` reads the "
        "model from standard input.",
    .options = options,
    .apply = apply_option,
    .run = run,
};
