/* Things found by their names, however many there are. */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/suggest.h"

struct lh_table;

struct names {
    struct lh_table *table;
    unsigned hints; /* that were looked for: a look goes over all names */
};

/* Makes room for `count` names. False when memory is out; to be freed either way. */
bool names_create(struct names *names, size_t count);

/* Names and things are borrowed. A name must not be there yet. False when memory is out. */
bool names_add(struct names *names, const char *name, void *thing);

/* NULL where there is none. */
void *names_find(const struct names *names, const char *name);

/* "; did you mean NAME?" for a name that is not there, or "". Returns `hint`. A model full of mistakes gets hints for
 * the first ones only. */
const char *names_hint(struct names *names, const char *name, char hint[SUGGEST_SIZE]);

void names_free(struct names *names);

#endif
