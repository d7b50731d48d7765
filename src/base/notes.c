#include "base/notes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Enough for most plans. */
#define FIRST_CAPACITY 1024

/* Sixteen dimensions of seven columns, ten digits each, come to less. */
#define DIMENSIONS_ROOM 1536

void vkdml_notes_begin(struct vkdml_notes *notes, const VkAllocationCallbacks *callbacks, struct vkdml_report *report) {
    *notes = (struct vkdml_notes){.callbacks = callbacks};
    report->notes = notes;
}

void vkdml_notes_end(struct vkdml_notes *notes, struct vkdml_report *report) {
    vkdml_free(notes->callbacks, notes->text);
    notes->text = NULL;
    notes->length = notes->capacity = 0;
    report->notes = NULL;
}

static bool reserve(struct vkdml_notes *notes, size_t bytes) {
    size_t capacity = notes->capacity ? notes->capacity : FIRST_CAPACITY;
    if (bytes <= notes->capacity - notes->length) {
        return true;
    }
    while (bytes > capacity - notes->length) {
        capacity *= 2;
    }
    char *text = vkdml_allocate(notes->callbacks, capacity);
    if (!text) {
        notes->is_out_of_memory = true;
        return false;
    }
    if (notes->length) {
        memcpy(text, notes->text, notes->length);
    }
    vkdml_free(notes->callbacks, notes->text);
    notes->text = text;
    notes->capacity = capacity;
    return true;
}

/* Whether the note that begins at `length` stands before already. */
static bool is_known(const struct vkdml_notes *notes) {
    const char *own = notes->text + notes->length;
    for (const char *note = notes->text; note < own; note += strlen(note) + 1) {
        if (strcmp(note, own) == 0) {
            return true;
        }
    }
    return false;
}

/* `part`: what the note is of; NULL: the whole. */
VKDML_PRINTF(4, 0)
static void add(struct vkdml_notes *notes, char kind, const char *part, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    const size_t before = part ? strlen(part) + strlen(": ") : 0;
    if (length < 0 || !reserve(notes, before + (size_t)length + 2)) {
        return;
    }
    char *note = notes->text + notes->length;
    note[0] = kind;
    if (part) {
        snprintf(note + 1, before + 1, "%s: ", part);
    }
    vsnprintf(note + 1 + before, (size_t)length + 1, format, arguments);
    if (kind == VKDML_NOTE_OF_STEP || !is_known(notes)) {
        notes->length += before + (size_t)length + 2;
    }
}

size_t vkdml_note_begin_step(struct vkdml_report *report) {
    struct vkdml_notes *notes = report->notes;
    if (!notes || !reserve(notes, 2)) {
        return 0;
    }
    notes->text[notes->length++] = VKDML_NOTE_STEP_BEGINS;
    notes->text[notes->length++] = '\0';
    return notes->length;
}

void vkdml_note(struct vkdml_report *report, const char *format, ...) {
    if (report->notes) {
        va_list arguments;
        va_start(arguments, format);
        add(report->notes, VKDML_NOTE_OF_PLAN, report->part, format, arguments);
        va_end(arguments);
    }
}

void vkdml_note_step(struct vkdml_report *report, const char *format, ...) {
    if (report->notes) {
        va_list arguments;
        va_start(arguments, format);
        add(report->notes, VKDML_NOTE_OF_STEP, NULL, format, arguments);
        va_end(arguments);
    }
}

/* What does not fit is left out. */
VKDML_PRINTF(3, 4)
static void append(char *text, size_t *length, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int written = vsnprintf(text + *length, DIMENSIONS_ROOM - *length, format, arguments);
    va_end(arguments);
    if (written > 0) {
        *length += (size_t)written < DIMENSIONS_ROOM - *length ? (size_t)written : DIMENSIONS_ROOM - *length - 1;
    }
}

void vkdml_note_dimensions(struct vkdml_report *report, const char *what, uint32_t count, size_t pitch,
                           const struct vkdml_note_column *columns, size_t column_count) {
    char text[DIMENSIONS_ROOM];
    size_t length = 0;
    if (!report->notes) {
        return;
    }
    text[0] = '\0';
    for (size_t c = 0; c < column_count; c++) {
        if (columns[c].name) {
            append(text, &length, "%s%s", length ? ", " : "", columns[c].name);
            for (uint32_t d = 0; d < count; d++) {
                uint32_t number;
                memcpy(&number, (const char *)columns[c].first + d * pitch, sizeof number);
                append(text, &length, " %" PRIu32, number);
            }
        }
    }
    vkdml_note(report, "%s: %s", what, text);
}
