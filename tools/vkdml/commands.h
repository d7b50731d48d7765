/* The command's subcommands. A new one has a line here and one in main.c's list. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <vkdml/dml_types.h>

#include "subcommand.h"

extern const struct subcommand subcommand_run;
extern const struct subcommand subcommand_check;
extern const struct subcommand subcommand_devices;
extern const struct subcommand subcommand_operators;
extern const struct subcommand subcommand_bench;

/* A feature level as "5_0", "5.0" or "DML_FEATURE_LEVEL_5_0"; 0, and a message on stderr, where it is none. */
DML_FEATURE_LEVEL command_feature_level(const char *text);

#endif
