/* The command's subcommands. Each takes its own arguments, argv[0] being its name, and returns the exit status. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <vkdml/dml_types.h>

int command_run(int argc, char **argv);
int command_check(int argc, char **argv);
int command_devices(int argc, char **argv);
int command_operators(int argc, char **argv);
int command_bench(int argc, char **argv);

/* A feature level as "5_0", "5.0" or "DML_FEATURE_LEVEL_5_0"; 0, and a message on stderr, where it is none. */
DML_FEATURE_LEVEL command_feature_level(const char *text);

#endif
