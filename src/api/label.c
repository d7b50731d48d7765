#include "api/label.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"

/* Instead of what does not fit. */
#define REST ", .."

/* Adds to a text; false where it does not fit with room for REST, and the text is then as before. */
VKDML_PRINTF(4, 5)
static bool append(char *text, size_t capacity, size_t *length, const char *format, ...) {
    const size_t room = capacity - *length;
    va_list arguments;
    va_start(arguments, format);
    const int written = vsnprintf(text + *length, room, format, arguments);
    va_end(arguments);
    if (written < 0 || (size_t)written + sizeof REST > room) {
        text[*length] = '\0';
        return false;
    }
    *length += (size_t)written;
    return true;
}

static bool append_tensor(const struct vkdml_tensor *tensor, const char *name, bool first, char *text, size_t capacity,
                          size_t *length) {
    static const char prefix[] = "DML_TENSOR_DATA_TYPE_";
    const char *type = vkdml_data_type_name(tensor->data_type);
    size_t end = *length;
    bool fits = append(text, capacity, &end, "%s%s %s", first ? ": " : ", ", name, type + strlen(prefix));
    for (uint32_t i = 0; i < tensor->dimension_count && fits; i++) {
        fits = append(text, capacity, &end, "%c%" PRIu32, i == 0 ? ' ' : 'x', tensor->sizes[i]);
    }
    if (fits) {
        *length = end;
    }
    text[*length] = '\0';
    return fits;
}

void vkdml_write_label(const struct vkdml_instance *instance, char *label, size_t capacity) {
    size_t length = (size_t)snprintf(label, capacity, "%s", instance->schema->name);
    bool first = true, fits = true;
    for (uint32_t i = 0; i < instance->input_count && fits; i++) {
        if (instance->inputs[i].dimension_count > 0) {
            fits = append_tensor(&instance->inputs[i], vkdml_input_name(instance, i), first, label, capacity, &length);
            first = false;
        }
    }
    for (uint32_t i = 0; i < instance->output_count && fits; i++) {
        if (instance->outputs[i].dimension_count > 0) {
            fits =
                append_tensor(&instance->outputs[i], vkdml_output_name(instance, i), first, label, capacity, &length);
            first = false;
        }
    }
    if (!fits) {
        snprintf(label + length, capacity - length, REST);
    }
}
