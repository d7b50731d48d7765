/* "Did you mean ..?": the name nearest to what somebody wrote. */
#ifndef SUGGEST_H
#define SUGGEST_H

#include <stddef.h>

/* The nearest so far of the names that were considered. */
struct suggest {
    const char *text;    /* what was written */
    const char *nearest; /* borrowed; NULL: none is near */
    size_t distance;     /* of it, and .. */
    size_t edits;        /* .. of names as near, how many letters are others */
};

/* Longest text of a hint, final zero included. */
#define SUGGEST_SIZE 128

struct suggest suggest_begin(const char *text);

/* Holds a name to the text: letters that are wrong, missing, too many or exchanged count one each, whatever their case;
 * a name that begins with the text ("CONSTANT" for "CONST"), or is the text but for whole words before or behind it
 * ("ELEMENT_WISE_ADD1" for "ADD1"), is near, too. Of names as near as each other the one considered first stays. */
void suggest_consider(struct suggest *suggest, const char *name);

/* All names of a list that ends with NULL. */
void suggest_consider_all(struct suggest *suggest, const char *const *names);

/* "; did you mean FLOAT32?" or, where no name is near, "". Returns `hint`. */
const char *suggest_hint(const struct suggest *suggest, char hint[SUGGEST_SIZE]);

#endif
