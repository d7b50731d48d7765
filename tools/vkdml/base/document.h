/* A JSON file, and on which line each of its values stands. */
#ifndef DOCUMENT_H
#define DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <json-c/json.h>

#include "base/attributes.h"
#include "base/positions.h"

struct document {
    const char *path; /* borrowed; put before every message */
    char *text;
    size_t length;
    struct json_object *root;
    struct positions positions;
};

/* Reads and parses a file, or standard input where the path is "-"; comments and trailing commas are allowed. On
 * failure the reason is on stderr; the document must be freed either way. */
bool document_load(struct document *document, const char *path);

void document_free(struct document *document);

/* "FILE:LINE: message" on stderr, with the line of a value of this document (NULL: "FILE: message"). Returns false, so
 * that it can be returned. */
bool document_error(const struct document *document, const struct json_object *where, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Begins a message by "FILE:LINE: "; the caller goes on with it, and ends it with message_end(). */
FILE *document_error_begin(const struct document *document, const struct json_object *where);

/* "FILE:LINE: warning: message" */
void document_warning(const struct document *document, const struct json_object *where, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* The member of that name, or NULL; a member that is null counts as absent. */
struct json_object *document_member(struct json_object *object, const char *name);

/* The same for a member with two spellings; the first one that is there. */
struct json_object *document_either(struct json_object *object, const char *name, const char *spelling);

/* The member, of the type wanted. Absent or of another type: an error that calls the object by `owner`, and NULL. */
struct json_object *document_require(const struct document *document, struct json_object *object, const char *name,
                                     json_type type, const char *owner);

/* Reads an optional member as a whole number from 0 to maximum into *value, which keeps its value where it is absent.
 */
bool document_unsigned(const struct document *document, struct json_object *object, const char *name, uint64_t maximum,
                       uint64_t *value);

/* Reads a value as a whole number from 0 to maximum; false without a message where it is none. */
bool document_read_unsigned(const struct json_object *value, uint64_t maximum, uint64_t *number);

/* Warns of members whose names are not among known, a list that ends with NULL; says which one was probably meant. */
void document_warn_unknown(const struct document *document, struct json_object *object, const char *const *known,
                           const char *owner);

#endif
