/* A report collects why a call failed: one line per failure, the first failure's code as the result. It never
 * allocates, so it also tells of out-of-memory. Every internal function that can fail takes one. */
#ifndef VKDML_BASE_REPORT_H
#define VKDML_BASE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vkdml/result.h"

/* Room for every failure of a descriptor with eight bad dimensions in each of several tensors; what does not fit is
 * counted in the last line. */
#define VKDML_REPORT_CAPACITY 4096

#if defined(__GNUC__)
#define VKDML_PRINTF(format_index, first_index) __attribute__((format(printf, format_index, first_index)))
#else
#define VKDML_PRINTF(format_index, first_index)
#endif

struct vkdml_notes;

struct vkdml_report {
    VkdmlResult result;        /* of the first failure; VKDML_SUCCESS while there is none */
    uint32_t causes;           /* VkdmlErrorCauseBits of all failures */
    uint32_t count;            /* failures reported */
    uint32_t omitted;          /* of them, those whose line did not fit */
    size_t length;             /* of text */
    const char *context;       /* NULL, or put before each line with ": ", e.g. "DML_OPERATOR_PADDING"; borrowed */
    const char *part;          /* NULL, or put behind the context in the same way, e.g. "FusedActivation"; borrowed */
    struct vkdml_notes *notes; /* NULL, or where planners say why a plan is as it is; borrowed */
    char text[VKDML_REPORT_CAPACITY];
};

/* Makes a report empty, with no context. */
void vkdml_report_clear(struct vkdml_report *report);

/* Adds a line and returns `result`, which must be a failure. */
VkdmlResult vkdml_report_add(struct vkdml_report *report, VkdmlResult result, const char *format, ...)
    VKDML_PRINTF(3, 4);

/* Adds an VKDML_ERROR_INVALID_ARGUMENT line and returns that. */
VkdmlResult vkdml_report_invalid(struct vkdml_report *report, const char *format, ...) VKDML_PRINTF(2, 3);

/* The same of a tensor's data type: VKDML_ERROR_CAUSE_DATA_TYPE. */
VkdmlResult vkdml_report_invalid_type(struct vkdml_report *report, const char *format, ...) VKDML_PRINTF(2, 3);

/* Adds a VKDML_ERROR_OUT_OF_HOST_MEMORY line, saying how many bytes for what, and returns that. */
VkdmlResult vkdml_report_out_of_memory(struct vkdml_report *report, size_t bytes, const char *what);

#endif
