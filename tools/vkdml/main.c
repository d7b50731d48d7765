/* vkdml: runs and checks DirectML operator models. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vkdml/result.h>
#include <vkdml/schema.h>

#include "commands.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"run", command_run, "runs a model: run [OPTION].. MODEL.json"},
    {"check", command_check, "holds a model to the rules without running it: check [OPTION].. MODEL.json"},
    {"devices", command_devices, "lists what models can run on"},
    {"bench", command_bench, "times the operators: bench [OPTION].."},
    {"operators", command_operators, "lists the implemented operators: operators [--level L]"},
};

static const size_t command_count = sizeof(commands) / sizeof(commands[0]);

DML_FEATURE_LEVEL command_feature_level(const char *text) {
    static const char prefix[] = "DML_FEATURE_LEVEL_";
    char name[16];
    snprintf(name, sizeof(name), "%s", strncmp(text, prefix, strlen(prefix)) == 0 ? text + strlen(prefix) : text);
    char *point = strchr(name, '.');
    if (point) {
        *point = '_';
    }
    /* Levels are 0xMmmm with major version M and minor version mmm, in steps of 0x100. */
    for (int level = 0x1000; level <= 0xFF00; level += 0x100) {
        const char *known = vkdmlGetFeatureLevelName((DML_FEATURE_LEVEL)level);
        if (known && strcmp(known, name) == 0) {
            return (DML_FEATURE_LEVEL)level;
        }
    }
    fprintf(stderr, "vkdml: '%s' is no feature level; 5_0 is one\n", text);
    return (DML_FEATURE_LEVEL)0;
}

static void print_help(FILE *stream) {
    fputs("Usage: vkdml COMMAND ..\n\n", stream);
    for (size_t i = 0; i < command_count; i++) {
        fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
    }
    fputs("  help       prints this; `vkdml COMMAND --help` tells more\n"
          "  --version  prints the library's version\n",
          stream);
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        print_help(stderr);
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < command_count; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            /* getopt_long puts argv[0] before what it has to say. */
            char title[32];
            snprintf(title, sizeof(title), "vkdml %s", name);
            argv[1] = title;
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help(stdout);
        return EXIT_SUCCESS;
    }
    if (strcmp(name, "--version") == 0) {
        printf("vkdml %s\n", vkdmlGetVersionString());
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "vkdml: there is no command '%s'\n\n", name);
    print_help(stderr);
    return EXIT_FAILURE;
}
