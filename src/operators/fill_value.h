/* Outputs that are one value. */
#ifndef VKDML_OPERATORS_FILL_VALUE_H
#define VKDML_OPERATORS_FILL_VALUE_H

#include "operators/operators.h"

/* Makes every element of output 0 a value of its type, low word first. */
VkdmlResult vkdml_fill_plan(const struct vkdml_tensor *output, const uint32_t bits[2],
                            const struct vkdml_planning *planning);

#endif
