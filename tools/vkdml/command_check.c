#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "model.h"

static const char usage[] = "Usage: vkdml check [--dml_feature_level L] [--input_path DIR] MODEL.json\n"
                            "\n"
                            "Holds a model to every rule without running it. Needs no device. Prints every reason.\n";

int command_check(int argc, char **argv) {
    static const struct option options[] = {{"dml_feature_level", required_argument, NULL, 'l'},
                                            {"input_path", required_argument, NULL, 'p'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    DML_FEATURE_LEVEL level = (DML_FEATURE_LEVEL)0;
    const char *input_path = NULL;
    struct model model;
    int option;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (option) {
        case 'l':
            level = command_feature_level(optarg);
            if (!level) {
                return EXIT_FAILURE;
            }
            break;
        case 'p':
            input_path = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            return EXIT_SUCCESS;
        default:
            return EXIT_FAILURE;
        }
    }
    if (argc - optind != 1) {
        fprintf(stderr, "vkdml check: %s\n", argc == optind ? "which model?" : "one model at a time");
        return EXIT_FAILURE;
    }
    bool good = model_load(&model, argv[optind], input_path, NULL);
    good = model_validate(&model, level) && good;
    model_free(&model);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
