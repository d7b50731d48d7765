/* Building JSON documents. What is added belongs to what it is added to: a member of an object, or, with the name NULL,
 * an element of an array. Nothing is added to a NULL parent: false and NULL go through to the last call. */
#ifndef JSON_TREE_H
#define JSON_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>

/* Takes the value. False where there is none, or memory is out. */
bool json_tree_add(struct json_object *parent, const char *name, struct json_object *value);

struct json_object *json_tree_object(struct json_object *parent, const char *name);
struct json_object *json_tree_array(struct json_object *parent, const char *name);

bool json_tree_text(struct json_object *parent, const char *name, const char *text);
bool json_tree_count(struct json_object *parent, const char *name, uint64_t count);

/* A measurement; NAN, which JSON has not, becomes null. */
bool json_tree_number(struct json_object *parent, const char *name, double number);

/* A number by its text, digit for digit; "nan", "inf" and "-inf" are strings. */
bool json_tree_digits(struct json_object *parent, const char *name, const char *digits);

/* Prints a document in one line on stdout. False where memory is out. */
bool json_tree_print(struct json_object *root);

#endif
