#include "base/json_tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool json_tree_add(struct json_object *parent, const char *name, struct json_object *value) {
    bool good = parent && value;
    if (good) {
        good = (name ? json_object_object_add(parent, name, value) : json_object_array_add(parent, value)) == 0;
    }
    if (!good) {
        json_object_put(value);
    }
    return good;
}

static struct json_object *added(struct json_object *parent, const char *name, struct json_object *value) {
    return json_tree_add(parent, name, value) ? value : NULL;
}

struct json_object *json_tree_object(struct json_object *parent, const char *name) {
    return added(parent, name, json_object_new_object());
}

struct json_object *json_tree_array(struct json_object *parent, const char *name) {
    return added(parent, name, json_object_new_array());
}

bool json_tree_text(struct json_object *parent, const char *name, const char *text) {
    return json_tree_add(parent, name, json_object_new_string(text));
}

bool json_tree_count(struct json_object *parent, const char *name, uint64_t count) {
    return json_tree_add(parent, name, json_object_new_uint64(count));
}

bool json_tree_number(struct json_object *parent, const char *name, double number) {
    char digits[32];
    if (isnan(number)) {
        return parent && json_object_object_add(parent, name, NULL) == 0;
    }
    /* Six digits: more than of any time is the same twice. */
    snprintf(digits, sizeof(digits), "%.6g", number);
    return json_tree_digits(parent, name, digits);
}

bool json_tree_digits(struct json_object *parent, const char *name, const char *digits) {
    if (strpbrk(digits, "aif")) {
        return json_tree_text(parent, name, digits);
    }
    /* json-c prints the text that such a number carries. */
    return json_tree_add(parent, name, json_object_new_double_s(0, digits));
}

bool json_tree_print(struct json_object *root) {
    const char *text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE);
    if (text) {
        puts(text);
    }
    return text != NULL;
}
