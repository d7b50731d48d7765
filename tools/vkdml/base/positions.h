/* On which line of a JSON text each of its values stands, and what json-c passes over in it without a word. */
#ifndef POSITIONS_H
#define POSITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <json-c/json.h>

struct position;

struct positions {
    struct position *items; /* by value, once found */
    size_t count;
    size_t capacity;
};

/* What is wrong with a text. */
struct positions_mistake {
    unsigned line;
    char text[256];
};

/* Walks a text that json-c made `root` of; where it begins is line 1. False with the first mistake: a member given
 * twice, a whole number beyond 64 bits, a zero character in a string, text after the end. The positions must be freed
 * either way. */
bool positions_find(struct positions *positions, const char *text, size_t length, struct json_object *root,
                    struct positions_mistake *mistake);

/* The line that a value begins on; 0 for values of other texts. */
unsigned positions_line(const struct positions *positions, const struct json_object *value);

void positions_free(struct positions *positions);

#endif
