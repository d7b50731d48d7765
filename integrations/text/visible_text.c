#include "text/visible_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SUFFIX = sizeof "... (18446744073709551615 bytes)" };

/* The bytes of the UTF-8 character that text begins with; 0: it is none. */
static size_t character(const unsigned char *text, size_t length, uint32_t *code) {
    const size_t bytes = text[0] < 0x80 ? 1 : text[0] < 0xC2 ? 0 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
    if (bytes == 0 || bytes > length || text[0] > 0xF4) {
        return 0;
    }
    *code = bytes == 1 ? text[0] : text[0] & (0x7Fu >> bytes);
    for (size_t i = 1; i < bytes; ++i) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (text[i] & 0x3F);
    }
    const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool is_valid = *code >= least[bytes] && *code <= 0x10FFFF && (*code < 0xD800 || *code > 0xDFFF);
    return is_valid ? bytes : 0;
}

/* Controls, line and paragraph separators, and what changes the direction or the joining of characters. */
static bool is_printed(uint32_t code) {
    return code >= 0x20 && (code < 0x7F || code > 0x9F) && (code < 0x200B || code > 0x200F) &&
           (code < 0x2028 || code > 0x202E) && (code < 0x2060 || code > 0x206F) && code != 0xFEFF && code != 0xAD &&
           code != 0x61C && (code < 0xE0000 || code > 0xE007F);
}

/* One character of the text, or one byte that is none, as it is printed; the bytes of the text that it takes. */
static size_t print(const unsigned char *text, size_t length, char printed[8]) {
    uint32_t code = 0;
    const size_t bytes = character(text, length, &code);
    if (bytes != 0 && is_printed(code)) {
        memcpy(printed, text, bytes);
        printed[bytes] = 0;
        return bytes;
    }
    const char *known = text[0] == '\n' ? "\\n" : text[0] == '\r' ? "\\r" : text[0] == '\t' ? "\\t" : NULL;
    if (known != NULL) {
        memcpy(printed, known, 3);
    } else {
        snprintf(printed, 8, "\\x%02x", (unsigned)text[0]);
    }
    return 1;
}

/* What has room; where not all has, `end` is how much of it leaves room for a suffix. */
static size_t print_all(const char *text, size_t length, char *to, size_t room, size_t *end) {
    size_t at = 0, used = 0;
    *end = 0;
    while (at < length) {
        char printed[8];
        const size_t bytes = print((const unsigned char *)text + at, length - at, printed);
        const size_t printed_length = strlen(printed);
        if (used + printed_length >= room) {
            break;
        }
        memcpy(to + used, printed, printed_length);
        used += printed_length;
        at += bytes;
        *end = used + MOST_SUFFIX <= room ? used : *end;
    }
    to[used] = 0;
    *end = at == length ? used : *end;
    return used;
}

struct visible_text visible_bytes(const char *text, size_t length) {
    struct visible_text visible;
    size_t end;
    if (print_all(text, length, visible.text, sizeof visible.text, &end) != end) {
        snprintf(visible.text + end, sizeof visible.text - end, "... (%zu bytes)", length);
    }
    return visible;
}

struct visible_text visible_text(const char *text) {
    return visible_bytes(text, strlen(text));
}

size_t visible_message(const char *text, char *to, size_t room) {
    size_t end;
    return print_all(text, strlen(text), to, room, &end);
}
