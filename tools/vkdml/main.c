/* vkdml: runs and checks DirectML operator models. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vkdml/result.h>

#include "base/file.h"
#include "base/suggest.h"
#include "command_line/help.h"
#include "commands.h"

static const struct subcommand *const subcommands[] = {
    &subcommand_run,     &subcommand_check, &subcommand_template,  &subcommand_explain, &subcommand_selftest,
    &subcommand_devices, &subcommand_bench, &subcommand_operators, &subcommand_exec,
};

static const size_t subcommand_count = sizeof(subcommands) / sizeof(subcommands[0]);

static void print_overview(FILE *stream) {
    fputs("Usage: vkdml MODEL\n"
          "       vkdml COMMAND [OPTION].. [ARGUMENT]..\n"
          "\n"
          "Runs a model, or one of the commands:\n"
          "\n",
          stream);
    for (size_t i = 0; i < subcommand_count; i++) {
        fprintf(stream, "  %-10s %s\n", subcommands[i]->name, subcommands[i]->summary);
    }
    fputs("  help       prints this, or the help of a command: help [COMMAND]\n"
          "  --version  prints the library's version\n"
          "\n"
          "Exits with 0, with 1 where something failed, and with 2 where the command line is wrong.\n",
          stream);
}

static const struct subcommand *find_subcommand(const char *name) {
    for (size_t i = 0; i < subcommand_count; i++) {
        if (strcmp(name, subcommands[i]->name) == 0) {
            return subcommands[i];
        }
    }
    return NULL;
}

static int unknown_command(const char *name) {
    char hint[SUGGEST_SIZE];
    struct suggest suggest = suggest_begin(name);
    for (size_t i = 0; i < subcommand_count; i++) {
        suggest_consider(&suggest, subcommands[i]->name);
    }
    fprintf(stderr, "vkdml: there is no command and no file '%s'%s (`vkdml help` lists the commands)\n", name,
            suggest_hint(&suggest, hint));
    return EXIT_USAGE;
}

/* `vkdml help [COMMAND]`, and `vkdml help --json` for programs. */
static int print_help(int argc, char **argv) {
    const struct subcommand *subcommand = argc > 1 ? find_subcommand(argv[1]) : NULL;
    if (argc < 2) {
        print_overview(stdout);
        return EXIT_SUCCESS;
    }
    if (argc == 2 && strcmp(argv[1], "--json") == 0) {
        return help_print_json(subcommands, subcommand_count) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if (!subcommand || argc > 2) {
        return unknown_command(argv[argc - 1]);
    }
    help_print(subcommand);
    return EXIT_SUCCESS;
}

/* Whether a command line without a command's name is one of `run`: it begins with an option, or with a model's name. */
static bool runs_model(const char *first) {
    return first[0] == '-' || strpbrk(first, "./") || file_exists(first);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    const struct subcommand *subcommand = find_subcommand(name);
    if (subcommand) {
        return subcommand->run(argc - 1, argv + 1);
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return print_help(argc - 1, argv + 1);
    }
    if (strcmp(name, "--version") == 0) {
        printf("vkdml %s\n", vkdmlGetVersionString());
        return EXIT_SUCCESS;
    }
    return runs_model(name) ? subcommand_run.run(argc, argv) : unknown_command(name);
}
