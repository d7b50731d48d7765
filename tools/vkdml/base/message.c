#include "base/message.h"

#include <stdarg.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "base/progress.h"

/* The message being written: one at a time. */
static char *text;
static size_t length;
static struct json_object *gathered;

FILE *message_begin(void) {
    /* Where memory is out pieces go straight to stderr, and are not gathered. */
    text = NULL;
    FILE *stream = open_memstream(&text, &length);
    progress_clear();
    return stream ? stream : stderr;
}

static void gather(const char *message) {
    struct json_object *string = gathered ? json_object_new_string(message) : NULL;
    if (string && json_object_array_add(gathered, string) != 0) {
        json_object_put(string);
    }
}

void message_end(FILE *stream) {
    if (stream != stderr && fclose(stream) == 0) {
        if (length > 0 && text[length - 1] == '\n') {
            text[length - 1] = '\0';
        }
        fputs(text, stderr);
        gather(text);
    }
    fputc('\n', stderr);
    free(text);
    text = NULL;
}

void message_print(const char *format, ...) {
    va_list arguments;
    FILE *stream = message_begin();
    va_start(arguments, format);
    vfprintf(stream, format, arguments);
    va_end(arguments);
    message_end(stream);
}

void message_gather(struct json_object *array) {
    gathered = array;
}
