/* Names and other text of a file, as messages and logs print it. A file may hold anything: escape sequences that drive
 * a terminal, line breaks that forge a line of a log, marks that reverse the order of characters, or megabytes. */
#ifndef TEXT_VISIBLE_TEXT_H
#define TEXT_VISIBLE_TEXT_H

#include <stddef.h>

/* Room for about a hundred characters. */
struct visible_text {
    char text[128];
};

/* The text on one line: "\n" for a line break, "\x1b" for other bytes that are not printed, and, of a long text, its
 * beginning and the number of its bytes: "abc... (5000000 bytes)". Printable UTF-8 stays as it is. */
struct visible_text visible_text(const char *text);
struct visible_text visible_bytes(const char *text, size_t length);

/* The same of a whole message, without shortening it. Returns the length; what has no room is left out. `to` may not
 * overlap the text. */
size_t visible_message(const char *text, char *to, size_t room);

#endif
