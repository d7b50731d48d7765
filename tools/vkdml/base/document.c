#include "base/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/message.h"
#include "base/operator_names.h"
#include "base/suggest.h"

/* Begins a message with "FILE:LINE: ", or "FILE: " of line 0. */
static FILE *begin_at(const struct document *document, unsigned line) {
    FILE *stream = message_begin();
    if (line) {
        fprintf(stream, "%s:%u: ", document->path, line);
    } else {
        fprintf(stream, "%s: ", document->path);
    }
    return stream;
}

static bool fail_at(const struct document *document, unsigned line, const char *reason) {
    FILE *stream = begin_at(document, line);
    fputs(reason, stream);
    message_end(stream);
    return false;
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
        document_error(document, NULL, "the file is larger than 2 GiB");
        goto done;
    }
    /* With the zero byte after the end, so that a text cut short is an error and not "go on". */
    document->root = json_tokener_parse_ex(tokener, document->text + start, (int)(document->length - start + 1));
    enum json_tokener_error error = json_tokener_get_error(tokener);
    if (error != json_tokener_success) {
        size_t offset = start + json_tokener_get_parse_end(tokener);
        fail_at(document, line_at(document, offset < document->length ? offset : document->length),
                offset < document->length ? json_tokener_error_desc(error) : "the text ends too early");
        goto done;
    }
    parsed = json_object_is_type(document->root, json_type_object) ||
             document_error(document, NULL, "the file must hold one JSON object");
done:
    json_tokener_free(tokener);
    return parsed;
}

/* Notes the lines of all values, and refuses what json-c has passed over. */
static bool locate_values(struct document *document, size_t start) {
    struct positions_mistake mistake;
    if (positions_find(&document->positions, document->text + start, document->length - start, document->root,
                       &mistake)) {
        return true;
    }
    return fail_at(document, mistake.line, mistake.text);
}

/* Who names an operator wants a model of it. */
#define OPERATOR_HINT "; a file is expected: `vkdml template` prints one for an operator"

static bool is_operator(const char *path) {
    bool is = false;
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount() && !is; i++) {
        is = operator_names_equal(path, vkdmlGetOperatorSchemaAt(i)->name);
    }
    return is;
}

bool document_load(struct document *document, const char *path) {
    const bool standard_input = strcmp(path, "-") == 0;
    unsigned char *bytes = NULL;
    *document = (struct document){.path = standard_input ? "standard input" : path};
    const char *why = standard_input ? file_read_standard_input(FILE_PIPE_LIMIT, &bytes, &document->length)
                                     : file_read_any(path, INT32_MAX, FILE_PIPE_LIMIT, &bytes, &document->length);
    if (why) {
        return document_error(document, NULL, "%s%s", why, is_operator(path) ? OPERATOR_HINT : "");
    }
    document->text = (char *)bytes;
    const char *zero = memchr(document->text, 0, document->length);
    if (zero) {
        return fail_at(document, line_at(document, (size_t)(zero - document->text)),
                       "a zero byte: this is no JSON text");
    }
    size_t start = document->length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* a byte order mark */
    return parse(document, start) && locate_values(document, start);
}

void document_free(struct document *document) {
    json_object_put(document->root);
    positions_free(&document->positions);
    free(document->text);
    *document = (struct document){0};
}

FILE *document_error_begin(const struct document *document, const struct json_object *where) {
    return begin_at(document, positions_line(&document->positions, where));
}

bool document_error(const struct document *document, const struct json_object *where, const char *format, ...) {
    va_list arguments;
    FILE *stream = document_error_begin(document, where);
    va_start(arguments, format);
    vfprintf(stream, format, arguments);
    va_end(arguments);
    message_end(stream);
    return false;
}

void document_warning(const struct document *document, const struct json_object *where, const char *format, ...) {
    va_list arguments;
    FILE *stream = document_error_begin(document, where);
    va_start(arguments, format);
    fputs("warning: ", stream);
    vfprintf(stream, format, arguments);
    va_end(arguments);
    message_end(stream);
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
            struct suggest suggest = suggest_begin(name);
            char hint[SUGGEST_SIZE];
            suggest_consider_all(&suggest, known);
            document_warning(document, value ? value : object, "%s: unknown member '%s' is ignored%s", owner, name,
                             suggest_hint(&suggest, hint));
        }
    }
}
