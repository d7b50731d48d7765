/* The command's subcommands. A new one has a line here and one in main.c's list. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "command_line/command_line.h"
#include "command_line/levels.h"
#include "command_line/refusal.h"

extern const struct subcommand subcommand_run;
extern const struct subcommand subcommand_check;
extern const struct subcommand subcommand_devices;
extern const struct subcommand subcommand_operators;
extern const struct subcommand subcommand_bench;
extern const struct subcommand subcommand_explain;
extern const struct subcommand subcommand_template;
extern const struct subcommand subcommand_selftest;
extern const struct subcommand subcommand_exec;

#endif
