/* What subcommands say of themselves: for people, and for the programs that make the man page and the completions. */
#ifndef HELP_H
#define HELP_H

#include <stddef.h>

#include "command_line/subcommand.h"

/* The help of one on stdout. */
void help_print(const struct subcommand *subcommand);

/* All of them, a JSON document on stdout. False, with the reason on stderr, where memory is out. */
bool help_print_json(const struct subcommand *const *subcommands, size_t count);

#endif
