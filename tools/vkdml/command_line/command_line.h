/* Reading the command line of a subcommand by its table. */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "command_line/subcommand.h"

/* What command_line_read() returns where the command line is good and there is something to do. */
#define COMMAND_LINE_GO_ON (-1)

/* Reads a command line by the subcommand's table. Returns COMMAND_LINE_GO_ON, and operands from argv[*first] on; else
 * the exit status: the help was asked for and is on stdout, or the line is wrong and the reason on stderr. */
int command_line_read(const struct subcommand *subcommand, int argc, char **argv, void *request, int *first);

/* Reads an option's argument. False, with the reason on stderr, where it is no whole number of the range. */
bool command_line_number(const char *argument, uint32_t minimum, uint32_t maximum, uint32_t *number);

#endif
