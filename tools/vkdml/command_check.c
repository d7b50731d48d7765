#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/operator_names.h"
#include "commands.h"
#include "model/load.h"
#include "onnx/check.h"

enum { OPTION_LEVEL = OPTION_KEY_FIRST, OPTION_INPUT };

#define ONNX_ALONE "of an ONNX model there are --size, --input and --zeros alone"
#define ONNX_ONLY  "--size, --input and --zeros are of ONNX models"

/* What a command line asks for. */
struct request {
    DML_FEATURE_LEVEL level;
    const char *input_path;
    struct onnx_request onnx;
};

static const struct option_row options[] = {
    {OPTION_LEVEL, "dml_feature_level", .alias = "level", .argument = "L", .kind = ARGUMENT_LEVEL,
     .text = "hold operators to feature level L, e.g. 5_0 (the newest)"},
    {OPTION_INPUT, "input_path", KEEPS(struct request, input_path), .argument = "DIR", .kind = ARGUMENT_FOLDER,
     .text = "files are read from DIR (the model's folder)"},
    ONNX_ROWS(struct request, onnx),
    {'a', "adapter", .alias = "device", .refusal = "the rules are the same on every device, and none is opened"},
    {0},
};

static bool apply_option(int key, const char *argument, void *context) {
    struct request *request = context;
    if (onnx_request_takes(key)) {
        return onnx_request_apply(key, argument, &request->onnx);
    }
    /* OPTION_LEVEL */
    request->level = command_feature_level(argument);
    return request->level != 0;
}

static void print_count(const char *before, size_t count, const char *what) {
    printf("%s%zu %s%s", before, count, what, count == 1 ? "" : "s");
}

/* Each operator once, and each graph with how many nodes it has. */
static void print_operators(const struct model *model) {
    const char *before = " (";
    for (size_t i = 0; i < model->dispatchable_count; i++) {
        const VkdmlOperatorSchema *schema = model->dispatchables[i].schema;
        bool is_new = true;
        for (size_t j = 0; j < i; j++) {
            is_new = is_new && model->dispatchables[j].schema != schema;
        }
        if (is_new) {
            printf("%s%s", before, operator_names_short(schema->name));
            before = ", ";
        }
        if (model->dispatchables[i].graph) {
            print_count(" of ", model->dispatchables[i].graph->node_count, "node");
        }
    }
    printf("%s", model->dispatchable_count ? ")" : "");
}

/* What was found good. */
static void tell_what_is_fine(const struct model *model, const char *path, DML_FEATURE_LEVEL level) {
    printf("%s: fine at feature level %s", strcmp(path, "-") == 0 ? "standard input" : path,
           vkdmlGetFeatureLevelName(level ? level : levels_newest()));
    print_count(": ", model->resource_count, "resource");
    print_count(", ", model->dispatchable_count, "dispatchable");
    print_operators(model);
    print_count(", ", model->command_count, "command");
    putchar('\n');
}

static int run(int argc, char **argv) {
    struct request request = {0};
    struct model model;
    int first;
    const int status = command_line_read(&subcommand_check, argc, argv, &request, &first);
    if (status != COMMAND_LINE_GO_ON) {
        return status;
    }
    const bool is_onnx = onnx_request_is_model(argv[first]);
    if (is_onnx ? request.level || request.input_path : onnx_request_is_used(&request.onnx)) {
        fprintf(stderr, "vkdml check: %s\n", is_onnx ? ONNX_ALONE : ONNX_ONLY);
        return EXIT_USAGE;
    }
    if (is_onnx) {
        return check_onnx_model(argv[first], &request.onnx) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    bool good = model_load(&model, argv[first], request.input_path, NULL);
    good = model_validate(&model, request.level) && good;
    if (good) {
        tell_what_is_fine(&model, argv[first], request.level);
    }
    model_free(&model);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct subcommand subcommand_check = {
    .name = "check",
    ONE_OPERAND("MODEL", ARGUMENT_MODEL),
    .summary = "holds a model to the rules without running it",
    .description =
        "Holds a model to every rule without running it, and prints every reason, or, where all is fine, "
        "what it looked at. Needs no device. `-` reads the model from standard input. Of an ONNX model, MODEL.onnx, "
        "it tells of each node which operators of DirectML it becomes, or why it is refused.",
    .options = options,
    .apply = apply_option,
    .run = run,
};
