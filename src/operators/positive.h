/* Arrays of a descriptor whose numbers must be at least 1. */
#ifndef VKDML_OPERATORS_POSITIVE_H
#define VKDML_OPERATORS_POSITIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/report.h"

struct vkdml_positive {
    const char *name; /* of the field */
    const uint32_t *values;
};

/* Reports each 0 among the first `length` numbers of some arrays; whether there was none. */
bool vkdml_positive_check(const struct vkdml_positive *arrays, uint32_t count, uint32_t length,
                          struct vkdml_report *report);

#endif
