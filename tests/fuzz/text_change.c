#include "text_change.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define MOST_TOKENS 4096 /* those behind stay as they are */
#define MOST_PIECE  1024 /* bytes that are put in at once */
#define MOST_DEPTH  300

/* A word, number or string, or one other byte. */
struct token {
    size_t begin, end;
};

static struct token tokens[MOST_TOKENS];
static uint32_t token_count;

static bool is_word(uint8_t byte) {
    return isalnum(byte) || strchr("+-._", byte) != NULL;
}

static size_t end_of(const uint8_t *text, size_t length, size_t at) {
    const uint8_t first = text[at++];
    if (first == '"' || first == '\'') {
        while (at < length && text[at] != first)
            at += text[at] == '\\' && at + 1 < length ? 2 : 1;
        return at < length ? at + 1 : length;
    }
    while (first != 0 && is_word(first) && at < length && text[at] != 0 && is_word(text[at]))
        at++;
    return at;
}

static void find_tokens(const uint8_t *text, size_t length) {
    token_count = 0;
    for (size_t at = 0; at < length && token_count < MOST_TOKENS;) {
        if (isspace(text[at])) {
            at++;
            continue;
        }
        tokens[token_count] = (struct token){at, end_of(text, length, at)};
        at = tokens[token_count++].end;
    }
}

/* The last token of the value that begins at one: the bracket that closes, or itself. */
static uint32_t value_end(const uint8_t *text, uint32_t first) {
    uint32_t depth = 0;
    for (uint32_t t = first; t < token_count; t++) {
        const uint8_t byte = text[tokens[t].begin];
        depth += strchr("{[(", byte) != NULL && byte != 0;
        depth -= strchr("}])", byte) != NULL && byte != 0 && depth > 0;
        if (depth == 0)
            return t;
    }
    return first;
}

static uint8_t byte_of(const uint8_t *text, uint32_t token) {
    return token < token_count ? text[tokens[token].begin] : 0;
}

enum place { ANYWHERE, OF_VALUE, OF_ELEMENT, OF_MEMBER };

/* Whether a value, an element of a list or a member of an object begins there. */
static bool is_at(const uint8_t *text, uint32_t token, enum place place) {
    const uint8_t before = token > 0 ? byte_of(text, token - 1) : 0, own = byte_of(text, token);
    const bool is_name = byte_of(text, token + 1) == ':';
    if (own == 0 || strchr("}]),:", own) != NULL)
        return false;
    switch (place) {
    case OF_VALUE:
        return !is_name && (before == ':' || before == ',' || before == '[' || before == '(');
    case OF_ELEMENT:
        return !is_name && (before == ',' || before == '[' || before == '(');
    case OF_MEMBER:
        return is_name;
    default:
        return true;
    }
}

/* A token of the kind, where one is found soon, and mostly: texts are to be wrong in their form now and then only. */
static uint32_t choose(const uint8_t *text, struct random *random, enum place place) {
    uint32_t token = random_below(random, token_count);
    for (uint32_t tries = 0; tries < 20 && !is_at(text, token, place); tries++)
        token = random_below(random, token_count);
    return token;
}

/* Puts a piece in place of the bytes from `begin` to `end`; nothing where there is no room. */
static size_t put(uint8_t *text, size_t length, size_t room, size_t begin, size_t end, const void *piece, size_t size) {
    if (length - (end - begin) + size > room)
        return length;
    memmove(text + begin + size, text + end, length - end);
    memcpy(text + begin, piece, size);
    return length - (end - begin) + size;
}

static const char *random_number(struct random *random) {
    static const char *const numbers[] = {"0",
                                          "1",
                                          "-1",
                                          "2",
                                          "3",
                                          "4",
                                          "5",
                                          "7",
                                          "8",
                                          "9",
                                          "16",
                                          "32",
                                          "33",
                                          "255",
                                          "256",
                                          "65535",
                                          "65536",
                                          "2147483647",
                                          "2147483648",
                                          "-2147483649",
                                          "4294967295",
                                          "4294967296",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "1e308",
                                          "1e400",
                                          "-0.0",
                                          "0.5",
                                          "1e-320",
                                          "NaN",
                                          "Infinity",
                                          "-Infinity",
                                          "true",
                                          "false",
                                          "null",
                                          "\"\"",
                                          "[]",
                                          "{}",
                                          "0x10",
                                          "00"};
    return RANDOM_OF(random, numbers);
}

/* A token in place of another: a number, a word, or one of the text's. */
static size_t change_token(uint8_t *text, size_t length, size_t room, struct random *random, const char *const *words) {
    char piece[MOST_PIECE];
    const enum place place = random_chance(random, 70) ? OF_VALUE : random_chance(random, 90) ? OF_MEMBER : ANYWHERE;
    const struct token *token = &tokens[choose(text, random, place)];
    const uint8_t quote = text[token->begin];
    size_t size = 0;
    if ((quote == '"' || quote == '\'') && (place != OF_VALUE || random_chance(random, 80))) {
        uint32_t count = 0;
        while (words[count] != NULL)
            count++;
        const char *word = words[random_below(random, count)];
        piece[size++] = (char)quote;
        const size_t most = sizeof(piece) - 2, letters = strlen(word) < most ? strlen(word) : most;
        memcpy(piece + size, word, letters);
        size += letters;
        piece[size++] = (char)quote;
    } else if (!is_word(quote) && random_chance(random, 70)) {
        return length; /* brackets and commas stay mostly */
    } else {
        const char *number = random_number(random);
        size = strlen(number);
        memcpy(piece, number, size);
    }
    return put(text, length, room, token->begin, token->end, piece, size);
}

/* A value in place of another, or beside it. */
static size_t copy_value(uint8_t *text, size_t length, size_t room, struct random *random, bool beside) {
    char piece[MOST_PIECE];
    const uint32_t from = choose(text, random, OF_VALUE), to = choose(text, random, beside ? OF_ELEMENT : OF_VALUE);
    const size_t begin = tokens[from].begin, size = tokens[value_end(text, from)].end - begin;
    if (size + 1 > sizeof(piece))
        return length;
    memcpy(piece, text + begin, size);
    piece[size] = ',';
    const size_t at = tokens[to].begin;
    return put(text, length, room, at, beside ? at : tokens[value_end(text, to)].end, piece, size + beside);
}

/* A value, a member or an element goes, and the comma behind it. */
static size_t drop_value(uint8_t *text, size_t length, size_t room, struct random *random) {
    const uint32_t first = choose(text, random, random_chance(random, 50) ? OF_MEMBER : OF_ELEMENT);
    uint32_t last = value_end(text, first);
    if (last + 2 < token_count && text[tokens[last + 1].begin] == ':')
        last = value_end(text, last + 2);
    if (last + 1 < token_count && text[tokens[last + 1].begin] == ',')
        last++;
    return put(text, length, room, tokens[first].begin, tokens[last].end, "", 0);
}

static size_t change_bytes(uint8_t *text, size_t length, size_t room, struct random *random) {
    uint8_t piece[8];
    const size_t at = random_below(random, (uint32_t)length);
    const size_t left = length - at, most = left < 8 ? left : 8;
    const size_t gone = random_chance(random, 50) ? 1 : random_below(random, (uint32_t)most + 1);
    const size_t size = random_below(random, 3) == 0 ? random_below(random, sizeof(piece)) : gone;
    random_bytes(random, piece, sizeof(piece));
    return put(text, length, room, at, at + gone, piece, size);
}

/* Brackets in one another. */
static size_t nest(uint8_t *text, size_t length, size_t room, struct random *random) {
    char piece[2 * MOST_DEPTH + 1];
    const size_t depth = random_between(random, 1, MOST_DEPTH);
    const struct token *token = &tokens[choose(text, random, OF_VALUE)];
    memset(piece, '[', depth);
    piece[depth] = '1';
    memset(piece + depth + 1, ']', depth);
    return put(text, length, room, token->begin, token->end, piece, 2 * depth + random_below(random, 2));
}

size_t text_change(uint8_t *text, size_t length, size_t room, struct random *random, const char *const *words) {
    find_tokens(text, length);
    if (length == 0 || token_count == 0)
        return put(text, length, room, 0, 0, "{}", 2);
    const uint32_t choice = random_below(random, 100);
    return choice < 60   ? change_token(text, length, room, random, words)
           : choice < 74 ? copy_value(text, length, room, random, false)
           : choice < 84 ? copy_value(text, length, room, random, true)
           : choice < 95 ? drop_value(text, length, room, random)
           : choice < 98 ? change_bytes(text, length, room, random)
           : choice < 99 ? nest(text, length, room, random)
                         : random_below(random, (uint32_t)length + 1);
}
