#include "base/positions.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/growth.h"

/* json-c keeps no positions, so the text is walked a second time beside the tree that json-c made of it. The walk
 * relies on json-c having accepted the text; where it cannot follow it says so. */
struct position {
    const struct json_object *value;
    unsigned line;
};

struct walk {
    struct positions *positions;
    struct positions_mistake *mistake;
    const char *at;
    const char *end;
    unsigned line;
};

/* "BEFORE'NAME' AFTER", or BEFORE alone. */
static bool fail_with_name(const struct walk *walk, const char *before, const char *name, const char *after) {
    walk->mistake->line = walk->line;
    snprintf(walk->mistake->text, sizeof(walk->mistake->text), "%s'%.200s'%s", before, name, after);
    return false;
}

static bool fail(const struct walk *walk, const char *text) {
    walk->mistake->line = walk->line;
    snprintf(walk->mistake->text, sizeof(walk->mistake->text), "%s", text);
    return false;
}

static void skip_line_comment(struct walk *walk) {
    while (walk->at < walk->end && *walk->at != '\n') {
        walk->at++;
    }
}

static void skip_block_comment(struct walk *walk) {
    walk->at += 2;
    while (walk->at < walk->end && !(walk->at[0] == '*' && walk->at + 1 < walk->end && walk->at[1] == '/')) {
        walk->line += *walk->at == '\n';
        walk->at++;
    }
    walk->at += walk->at < walk->end ? 2 : 0;
}

/* Spaces and comments. */
static void skip_blanks(struct walk *walk) {
    while (walk->at < walk->end) {
        if (*walk->at == '/' && walk->at + 1 < walk->end && walk->at[1] == '/') {
            skip_line_comment(walk);
        } else if (*walk->at == '/' && walk->at + 1 < walk->end && walk->at[1] == '*') {
            skip_block_comment(walk);
        } else if (strchr(" \t\r\n", *walk->at) && *walk->at) {
            walk->line += *walk->at == '\n';
            walk->at++;
        } else {
            return;
        }
    }
}

static bool remember(struct walk *walk, const struct json_object *value) {
    struct positions *positions = walk->positions;
    if (!value) {
        return true;
    }
    struct position *items = growth_room(positions->items, positions->count, &positions->capacity, sizeof(*items));
    if (!items) {
        return fail(walk, "out of memory");
    }
    positions->items = items;
    positions->items[positions->count++] = (struct position){value, walk->line};
    return true;
}

/* A string as it stands in the text. */
struct literal {
    const char *start; /* its quote, double or single */
    size_t length;     /* both quotes included */
    bool has_escapes;
};

/* Steps over a string. A zero character, which escapes can write, would end it for all who read it as C does. */
static bool walk_string(struct walk *walk, struct literal *literal) {
    char quote = *walk->at;
    *literal = (struct literal){.start = walk->at++};
    while (walk->at < walk->end && *walk->at != quote) {
        walk->line += *walk->at == '\n';
        if (*walk->at == '\\') {
            literal->has_escapes = true;
            if (walk->end - walk->at > 5 && memcmp(walk->at, "\\u0000", 6) == 0) {
                return fail(walk, "a string holds \\u0000, a zero character");
            }
            walk->at++;
        }
        walk->at++;
    }
    walk->at += walk->at < walk->end;
    literal->length = (size_t)(walk->at - literal->start);
    return true;
}

/* The string that a literal stands for, as json-c made it of it; NULL when memory is out. */
static struct json_object *resolve(const struct literal *literal) {
    if (!literal->has_escapes) {
        return json_object_new_string_len(literal->start + 1, (int)literal->length - 2);
    }
    struct json_tokener *tokener = json_tokener_new();
    struct json_object *string = tokener ? json_tokener_parse_ex(tokener, literal->start, (int)literal->length) : NULL;
    json_tokener_free(tokener);
    return string;
}

/* json-c turns a whole number beyond 64 bits into the nearest that fits. */
static bool check_number(const struct walk *walk, const char *token, size_t length) {
    char digits[32];
    if (length == 0 || strspn(token, "-0123456789") < length) {
        return true;
    }
    if (length < sizeof(digits)) {
        memcpy(digits, token, length);
        digits[length] = 0;
        errno = 0;
        if (digits[0] == '-') {
            strtoll(digits, NULL, 10);
        } else {
            strtoull(digits, NULL, 10);
        }
        if (errno != ERANGE) {
            return true;
        }
    }
    return fail(walk, "a whole number does not fit 64 bits");
}

static bool walk_value(struct walk *walk, struct json_object *value);

/* A member, from its name on. `names` holds those of the object's members before it. */
static bool walk_member(struct walk *walk, struct json_object *object, struct json_object *names) {
    struct literal literal;
    struct json_object *value = NULL;
    bool good = false;
    if (*walk->at != '"' && *walk->at != '\'') {
        return fail(walk, "a member's name must be a string");
    }
    if (!walk_string(walk, &literal)) {
        return false;
    }
    struct json_object *string = resolve(&literal);
    const char *name = json_object_get_string(string);
    if (!name) {
        fail(walk, "out of memory");
    } else if (json_object_object_get_ex(names, name, NULL)) {
        fail_with_name(walk, "member ", name, " is given twice");
    } else if (json_object_object_add(names, name, NULL) != 0) {
        fail(walk, "out of memory");
    } else {
        json_object_object_get_ex(object, name, &value);
        skip_blanks(walk);
        walk->at += walk->at < walk->end; /* the colon */
        skip_blanks(walk);
        good = walk_value(walk, value);
    }
    json_object_put(string);
    return good;
}

static bool walk_members(struct walk *walk, struct json_object *object) {
    struct json_object *names = json_object_new_object();
    bool good = names != NULL || fail(walk, "out of memory");
    while (good) {
        skip_blanks(walk);
        if (walk->at >= walk->end || *walk->at == '}') {
            walk->at += walk->at < walk->end;
            break;
        }
        good = walk_member(walk, object, names);
        skip_blanks(walk);
        walk->at += good && walk->at < walk->end && *walk->at == ',';
    }
    json_object_put(names);
    return good;
}

static bool walk_elements(struct walk *walk, struct json_object *array) {
    for (size_t i = 0;; i++) {
        skip_blanks(walk);
        if (walk->at >= walk->end || *walk->at == ']') {
            walk->at += walk->at < walk->end;
            return true;
        }
        struct json_object *element = array ? json_object_array_get_idx(array, i) : NULL;
        if (!walk_value(walk, element)) {
            return false;
        }
        skip_blanks(walk);
        walk->at += walk->at < walk->end && *walk->at == ',';
    }
}

/* Recursion is as deep as json-c allowed the text to nest. */
static bool walk_value(struct walk *walk, struct json_object *value) {
    if (!remember(walk, value)) {
        return false;
    }
    if (walk->at >= walk->end) {
        return true;
    }
    struct literal literal;
    switch (*walk->at) {
    case '{':
        walk->at++;
        return walk_members(walk, json_object_is_type(value, json_type_object) ? value : NULL);
    case '[':
        walk->at++;
        return walk_elements(walk, json_object_is_type(value, json_type_array) ? value : NULL);
    case '"':
    case '\'':
        return walk_string(walk, &literal);
    default: {
        const char *token = walk->at;
        while (walk->at < walk->end && *walk->at && !strchr(",]} \t\r\n/", *walk->at)) {
            walk->at++;
        }
        if (walk->at == token) {
            return fail(walk, "a value is missing");
        }
        return check_number(walk, token, (size_t)(walk->at - token));
    }
    }
}

static int by_value(const void *left, const void *right) {
    uintptr_t a = (uintptr_t)((const struct position *)left)->value;
    uintptr_t b = (uintptr_t)((const struct position *)right)->value;
    return (a > b) - (a < b);
}

bool positions_find(struct positions *positions, const char *text, size_t length, struct json_object *root,
                    struct positions_mistake *mistake) {
    struct walk walk = {positions, mistake, text, text + length, 1};
    skip_blanks(&walk);
    if (!walk_value(&walk, root)) {
        return false;
    }
    skip_blanks(&walk);
    if (walk.at < walk.end) {
        return fail(&walk, "the text goes on after its end");
    }
    qsort(positions->items, positions->count, sizeof(*positions->items), by_value);
    return true;
}

unsigned positions_line(const struct positions *positions, const struct json_object *value) {
    struct position key = {value, 0};
    const struct position *found = NULL;
    if (value && positions->count) {
        found = bsearch(&key, positions->items, positions->count, sizeof(key), by_value);
    }
    return found ? found->line : 0;
}

void positions_free(struct positions *positions) {
    free(positions->items);
    *positions = (struct positions){0};
}
