#include "base/message.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/progress.h"
#include "text/visible_text.h"

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

/* Lines, in which nothing drives a terminal. */
static void print_lines(const char *message, size_t bytes) {
    const size_t room = 4 * bytes + 1;
    char *copy = malloc(bytes + 1), *visible = malloc(room);
    if (copy && visible) {
        memcpy(copy, message, bytes + 1);
        char *line = copy, *end = strchr(line, '\n');
        for (; end; line = end + 1, end = strchr(line, '\n')) {
            *end = '\0';
            visible_message(line, visible, room);
            fprintf(stderr, "%s\n", visible);
        }
        visible_message(line, visible, room);
        fputs(visible, stderr);
    } else {
        fputs(message, stderr);
    }
    free(visible);
    free(copy);
}

void message_end(FILE *stream) {
    if (stream != stderr && fclose(stream) == 0) {
        if (length > 0 && text[length - 1] == '\n') {
            text[--length] = '\0';
        }
        print_lines(text, length);
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
