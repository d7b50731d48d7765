#include "base/report.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Kept free behind the lines for the one that counts the others, newline and terminator included. */
#define OMITTED_LINE_ROOM sizeof("\n(and 4294967295 more)")

void vkdml_report_clear(struct vkdml_report *report) {
    report->result = VKDML_SUCCESS;
    report->causes = 0;
    report->count = 0;
    report->omitted = 0;
    report->length = 0;
    report->context = NULL;
    report->part = NULL;
    report->notes = NULL;
    report->text[0] = '\0';
}

/* Prints into what is left of `room` bytes from *end on; false where it does not fit. */
VKDML_PRINTF(4, 0)
static bool append(char *text, size_t room, size_t *end, const char *format, va_list arguments) {
    if (*end >= room) {
        return false;
    }
    int written = vsnprintf(text + *end, room - *end, format, arguments);
    if (written < 0 || (size_t)written >= room - *end) {
        return false;
    }
    *end += (size_t)written;
    return true;
}

VKDML_PRINTF(4, 5)
static bool append_formatted(char *text, size_t room, size_t *end, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    bool fits = append(text, room, end, format, arguments);
    va_end(arguments);
    return fits;
}

/* Counts a line that was left out and writes the count as the last line, over the previous one. */
static void omit_line(struct vkdml_report *report) {
    if (report->omitted > 0) {
        const char *last_newline = strrchr(report->text, '\n');
        report->length = last_newline != NULL ? (size_t)(last_newline - report->text) : 0;
    }
    report->omitted++;
    bool fits = append_formatted(report->text, sizeof report->text, &report->length, "%s(and %" PRIu32 " more)",
                                 report->length > 0 ? "\n" : "", report->omitted);
    assert(fits);
    (void)fits;
}

static bool append_prefix(char *text, size_t room, size_t *end, const char *prefix) {
    return prefix == NULL || append_formatted(text, room, end, "%s: ", prefix);
}

VKDML_PRINTF(3, 0)
static VkdmlResult add_line(struct vkdml_report *report, VkdmlResult result, const char *format, va_list arguments) {
    assert(result != VKDML_SUCCESS);
    if (report->count == 0) {
        report->result = result;
    }
    report->count++;

    /* After the first line that did not fit none is added: the lines shown are the first ones. */
    const size_t room = sizeof report->text - OMITTED_LINE_ROOM;
    size_t end = report->length;
    if (report->omitted == 0 && append_formatted(report->text, room, &end, "%s", report->length > 0 ? "\n" : "") &&
        append_prefix(report->text, room, &end, report->context) &&
        append_prefix(report->text, room, &end, report->part) && append(report->text, room, &end, format, arguments)) {
        report->length = end;
    } else {
        report->text[report->length] = '\0';
        omit_line(report);
    }
    return result;
}

VkdmlResult vkdml_report_add(struct vkdml_report *report, VkdmlResult result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_line(report, result, format, arguments);
    va_end(arguments);
    return result;
}

VkdmlResult vkdml_report_invalid(struct vkdml_report *report, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_line(report, VKDML_ERROR_INVALID_ARGUMENT, format, arguments);
    va_end(arguments);
    return VKDML_ERROR_INVALID_ARGUMENT;
}

VkdmlResult vkdml_report_invalid_type(struct vkdml_report *report, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_line(report, VKDML_ERROR_INVALID_ARGUMENT, format, arguments);
    va_end(arguments);
    report->causes |= VKDML_ERROR_CAUSE_DATA_TYPE;
    return VKDML_ERROR_INVALID_ARGUMENT;
}

VkdmlResult vkdml_report_out_of_memory(struct vkdml_report *report, size_t bytes, const char *what) {
    return vkdml_report_add(report, VKDML_ERROR_OUT_OF_HOST_MEMORY, "no host memory: %zu bytes for %s", bytes, what);
}
