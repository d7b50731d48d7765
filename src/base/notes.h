/* Why a plan is as it is: what planners say on their way about what they chose. Kept only where somebody asks, by
 * vkdmlExplainOperator(); else a note costs a test of a pointer. */
#ifndef VKDML_BASE_NOTES_H
#define VKDML_BASE_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include "base/report.h"

/* Notes one behind another: of each the kind, a byte, and its text with the final zero. */
struct vkdml_notes {
    const VkAllocationCallbacks *callbacks; /* borrowed; may be NULL */
    char *text;
    size_t length;
    size_t capacity;
    bool is_out_of_memory; /* and therefore incomplete */
};

#define VKDML_NOTE_OF_PLAN     'p'
#define VKDML_NOTE_OF_STEP     's'
#define VKDML_NOTE_STEP_BEGINS '+' /* without text */

/* Makes them empty, and lets planners that are given the report add to them. */
void vkdml_notes_begin(struct vkdml_notes *notes, const VkAllocationCallbacks *callbacks, struct vkdml_report *report);
void vkdml_notes_end(struct vkdml_notes *notes, struct vkdml_report *report);

/* Says that a step was added. Returns where notes of it begin, up to where the next one's do. */
size_t vkdml_note_begin_step(struct vkdml_report *report);

/* Of the plan as a whole, or of the report's part; the same again, as of every window, is kept once. */
void vkdml_note(struct vkdml_report *report, const char *format, ...) VKDML_PRINTF(2, 3);

/* Of the step that was added last. */
void vkdml_note_step(struct vkdml_report *report, const char *format, ...) VKDML_PRINTF(2, 3);

/* Numbers of dimensions: the first stands at `first`. */
struct vkdml_note_column {
    const char *name; /* NULL: left out */
    const uint32_t *first;
};

/* Of the plan: "WHAT: sizes 3 4, output strides 4 1". The next dimension's numbers lie `pitch` bytes further. */
void vkdml_note_dimensions(struct vkdml_report *report, const char *what, uint32_t count, size_t pitch,
                           const struct vkdml_note_column *columns, size_t column_count);

#endif
