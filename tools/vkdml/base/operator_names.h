/* Operators as people name them: with DML_OPERATOR_ or without, whatever the case. */
#ifndef OPERATOR_NAMES_H
#define OPERATOR_NAMES_H

#include <stdbool.h>

#include <vkdml/schema.h>

/* "GEMM" of "DML_OPERATOR_GEMM" and of "GEMM". */
const char *operator_names_short(const char *name);

/* Whether a text is that operator's name, .. */
bool operator_names_equal(const char *text, const char *name);

/* .. or, with *, ? or [ in it, a pattern that fits it. */
bool operator_names_fit(const char *pattern, const char *name);

/* Whether a text fits whole, if it is a pattern, or else is a part of a name; whatever the case. */
bool operator_names_part(const char *text, const char *name);

/* The implemented operator of that name. NULL, with what is known of the name on stderr, where there is none: DirectML
 * has it and vkdml not yet, or another is meant. */
const VkdmlOperatorSchema *operator_names_find(const char *subcommand, const char *text);

/* The same of a name that no implemented operator has. */
void operator_names_refuse(const char *subcommand, const char *text);

#endif
