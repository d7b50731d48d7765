#include "document.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "file.h"

/* json-c keeps no positions, so the text is walked a second time beside the tree that json-c made of it. The walk
 * relies on json-c having accepted the text; where it cannot follow it says so. */
struct position {
    const struct json_object *value;
    unsigned line;
};

struct walk {
    struct document *document;
    const char *at;
    const char *end;
    unsigned line;
};

static void print_where(const struct document *document, unsigned line) {
    if (line) {
        fprintf(stderr, "%s:%u: ", document->path, line);
    } else {
        fprintf(stderr, "%s: ", document->path);
    }
}

static bool fail_at(const struct walk *walk, const char *format, const char *name) {
    print_where(walk->document, walk->line);
    fprintf(stderr, format, name);
    fputc('\n', stderr);
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
    struct document *document = walk->document;
    if (!value) {
        return true;
    }
    if (document->position_count == document->position_capacity) {
        size_t capacity = document->position_capacity ? 2 * document->position_capacity : 256;
        struct position *grown = realloc(document->positions, capacity * sizeof(*grown));
        if (!grown) {
            return fail_at(walk, "%s", "out of memory");
        }
        document->positions = grown;
        document->position_capacity = capacity;
    }
    document->positions[document->position_count++] = (struct position){value, walk->line};
    return true;
}

/* Steps over a string, in double or single quotes. Returns its first character; *length is what stands between the
 * quotes, escapes unresolved. */
static const char *skip_string(struct walk *walk, size_t *length) {
    char quote = *walk->at++;
    const char *start = walk->at;
    while (walk->at < walk->end && *walk->at != quote) {
        walk->line += *walk->at == '\n';
        walk->at += *walk->at == '\\' ? 2 : 1;
    }
    *length = (size_t)(walk->at - start);
    walk->at += walk->at < walk->end;
    return start;
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
    return fail_at(walk, "%s", "a whole number does not fit 64 bits");
}

static bool walk_value(struct walk *walk, struct json_object *value);

static bool walk_members(struct walk *walk, struct json_object *object) {
    struct document *document = walk->document;
    size_t first = document->position_count;
    for (;;) {
        skip_blanks(walk);
        if (walk->at >= walk->end || *walk->at == '}') {
            walk->at += walk->at < walk->end;
            return true;
        }
        if (*walk->at != '"' && *walk->at != '\'') {
            return fail_at(walk, "%s", "a member's name must be a string");
        }
        size_t length;
        const char *key = skip_string(walk, &length);
        char name[256];
        snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name) - 1), key);
        /* A name with escapes is not found here, and its value then has no line of its own. */
        struct json_object *value = NULL;
        json_object_object_get_ex(object, name, &value);
        for (size_t i = first; value && i < document->position_count; i++) {
            if (document->positions[i].value == value) {
                return fail_at(walk, "member '%s' is given twice", name);
            }
        }
        skip_blanks(walk);
        walk->at += walk->at < walk->end; /* the colon */
        skip_blanks(walk);
        if (!walk_value(walk, value)) {
            return false;
        }
        skip_blanks(walk);
        walk->at += walk->at < walk->end && *walk->at == ',';
    }
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
    size_t length = 0;
    switch (*walk->at) {
    case '{':
        walk->at++;
        return walk_members(walk, json_object_is_type(value, json_type_object) ? value : NULL);
    case '[':
        walk->at++;
        return walk_elements(walk, json_object_is_type(value, json_type_array) ? value : NULL);
    case '"':
    case '\'':
        skip_string(walk, &length);
        return true;
    default: {
        const char *token = walk->at;
        while (walk->at < walk->end && *walk->at && !strchr(",]} \t\r\n/", *walk->at)) {
            walk->at++;
        }
        if (walk->at == token) {
            return fail_at(walk, "%s", "a value is missing");
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

static bool locate_values(struct document *document, size_t start) {
    struct walk walk = {document, document->text + start, document->text + document->length, 1};
    skip_blanks(&walk);
    if (!walk_value(&walk, document->root)) {
        return false;
    }
    skip_blanks(&walk);
    if (walk.at < walk.end) {
        return fail_at(&walk, "%s", "the text goes on after the model's end");
    }
    qsort(document->positions, document->position_count, sizeof(*document->positions), by_value);
    return true;
}

static unsigned line_at(const struct document *document, size_t offset) {
    unsigned line = 1;
    for (size_t i = 0; i < offset && i < document->length; i++) {
        line += document->text[i] == '\n';
    }
    return line;
}

static bool parse(struct document *document, size_t start) {
    bool parsed = false;
    struct json_tokener *tokener = json_tokener_new();
    if (!tokener) {
        return document_error(document, NULL, "out of memory");
    }
    if (document->length - start > INT32_MAX) {
        document_error(document, NULL, "the model is larger than 2 GiB");
        goto done;
    }
    /* With the zero byte after the end, so that a text cut short is an error and not "go on". */
    document->root = json_tokener_parse_ex(tokener, document->text + start, (int)(document->length - start + 1));
    enum json_tokener_error error = json_tokener_get_error(tokener);
    if (error != json_tokener_success) {
        size_t offset = start + json_tokener_get_parse_end(tokener);
        print_where(document, line_at(document, offset < document->length ? offset : document->length));
        fprintf(stderr, "%s\n", offset < document->length ? json_tokener_error_desc(error) : "the text ends too early");
        goto done;
    }
    parsed = json_object_is_type(document->root, json_type_object) ||
             document_error(document, NULL, "a model must be a JSON object");
done:
    json_tokener_free(tokener);
    return parsed;
}

bool document_load(struct document *document, const char *path) {
    unsigned char *bytes = NULL;
    const bool standard_input = strcmp(path, "-") == 0;
    *document = (struct document){.path = standard_input ? "standard input" : path};
    const char *why = standard_input ? file_read_standard_input(&bytes, &document->length)
                                     : file_read(path, &bytes, &document->length);
    if (why) {
        return document_error(document, NULL, "%s", why);
    }
    document->text = (char *)bytes;
    const char *zero = memchr(document->text, 0, document->length);
    if (zero) {
        print_where(document, line_at(document, (size_t)(zero - document->text)));
        fprintf(stderr, "a zero byte: this is no JSON text\n");
        return false;
    }
    size_t start = document->length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* a byte order mark */
    return parse(document, start) && locate_values(document, start);
}

void document_free(struct document *document) {
    json_object_put(document->root);
    free(document->positions);
    free(document->text);
    *document = (struct document){0};
}

static unsigned line_of(const struct document *document, const struct json_object *value) {
    struct position key = {value, 0};
    const struct position *found = NULL;
    if (value && document->position_count) {
        found = bsearch(&key, document->positions, document->position_count, sizeof(key), by_value);
    }
    return found ? found->line : 0;
}

bool document_error(const struct document *document, const struct json_object *where, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_where(document, line_of(document, where));
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return false;
}

void document_warning(const struct document *document, const struct json_object *where, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_where(document, line_of(document, where));
    fputs("warning: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

struct json_object *document_member(struct json_object *object, const char *name) {
    struct json_object *value = NULL;
    json_object_object_get_ex(object, name, &value);
    return value;
}

struct json_object *document_either(struct json_object *object, const char *name, const char *spelling) {
    struct json_object *value = document_member(object, name);
    return value ? value : document_member(object, spelling);
}

struct json_object *document_require(const struct document *document, struct json_object *object, const char *name,
                                     json_type type, const char *owner) {
    struct json_object *value = document_member(object, name);
    if (!value) {
        document_error(document, object, "%s: '%s' is missing", owner, name);
    } else if (!json_object_is_type(value, type)) {
        document_error(document, value, "%s: '%s' must be of JSON type %s", owner, name, json_type_to_name(type));
        value = NULL;
    }
    return value;
}

bool document_read_unsigned(const struct json_object *value, uint64_t maximum, uint64_t *number) {
    if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0) {
        return false;
    }
    *number = json_object_get_uint64(value);
    return *number <= maximum;
}

bool document_unsigned(const struct document *document, struct json_object *object, const char *name, uint64_t maximum,
                       uint64_t *value) {
    struct json_object *member = document_member(object, name);
    if (member && !document_read_unsigned(member, maximum, value)) {
        return document_error(document, member, "'%s' is %s, must be a whole number from 0 to %llu", name,
                              json_object_to_json_string(member), (unsigned long long)maximum);
    }
    return true;
}

void document_warn_unknown(const struct document *document, struct json_object *object, const char *const *known,
                           const char *owner) {
    json_object_object_foreach(object, name, value) {
        const char *const *match = known;
        while (*match && strcmp(*match, name) != 0) {
            match++;
        }
        if (!*match && strcmp(name, "$schema") != 0) {
            document_warning(document, value ? value : object, "%s: unknown member '%s' is ignored", owner, name);
        }
    }
}
