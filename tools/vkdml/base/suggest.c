#include "base/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Names longer than that are not compared. */
#define LONGEST 64

struct suggest suggest_begin(const char *text) {
    return (struct suggest){.text = text, .distance = SIZE_MAX};
}

static int folded(char letter) {
    return tolower((unsigned char)letter);
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Damerau and Levenshtein's distance, in which no letter is exchanged and then changed again: rows of the table of the
 * distances between all beginnings of `a` and of `b`, of which the last three are kept. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        const size_t *before = rows[(i - 1) % 3];
        const size_t *second = rows[(i + 1) % 3]; /* i - 2 */
        size_t *row = rows[i % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t changed = before[j - 1] + (folded(a[i - 1]) != folded(b[j - 1]));
            row[j] = smaller(changed, smaller(before[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1])) {
                row[j] = smaller(row[j], second[j - 2] + 1);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

/* Whether the text stands in the name as whole words, between underscores. */
static bool holds_words(const char *name, size_t name_length, const char *text, size_t text_length) {
    for (size_t i = 0; i + text_length <= name_length; i++) {
        if ((i == 0 || name[i - 1] == '_') && strncasecmp(name + i, text, text_length) == 0 &&
            (i + text_length == name_length || name[i + text_length] == '_')) {
            return true;
        }
    }
    return false;
}

void suggest_consider(struct suggest *suggest, const char *name) {
    const size_t text_length = strlen(suggest->text);
    const size_t name_length = strlen(name);
    /* Half of what was written, rounded down, may be wrong: FLOAT is near FLOAT32, INT is near INT8. */
    const size_t limit = text_length / 2;
    if (text_length == 0 || text_length > LONGEST || name_length > LONGEST) {
        return;
    }
    size_t edits = edit_distance(suggest->text, text_length, name, name_length);
    size_t distance = edits;
    /* At least three letters, so that X is no word of every name; as far as two slips of the pen. */
    if (text_length >= 3 && edits > 2 && strncasecmp(name, suggest->text, text_length) == 0) {
        distance = 2;
        edits = 2; /* however long the name goes on */
    } else if (text_length >= 3 && edits > 2 && holds_words(name, name_length, suggest->text, text_length)) {
        distance = 2;
    } else if (edits > limit || edits > 4) {
        return;
    }
    if (distance < suggest->distance || (distance == suggest->distance && edits < suggest->edits)) {
        suggest->distance = distance;
        suggest->edits = edits;
        suggest->nearest = name;
    }
}

void suggest_consider_all(struct suggest *suggest, const char *const *names) {
    for (; *names; names++) {
        suggest_consider(suggest, *names);
    }
}

const char *suggest_hint(const struct suggest *suggest, char hint[SUGGEST_SIZE]) {
    hint[0] = 0;
    if (suggest->nearest) {
        snprintf(hint, SUGGEST_SIZE, "; did you mean %s?", suggest->nearest);
    }
    return hint;
}
