/* Dimensions that an array of axes names. */
#ifndef VKDML_OPERATORS_AXES_H
#define VKDML_OPERATORS_AXES_H

#include "schema/schema.h"

struct vkdml_axes {
    uint32_t count;
    const uint32_t *items;
};

/* Reports axes that a tensor of the name given does not have. One that is listed twice counts once, as in DirectML. */
void vkdml_axes_check_of(const struct vkdml_tensor *tensor, const char *name, const struct vkdml_axes *axes,
                         struct vkdml_report *report);

/* Reports axes that input 0 does not have. */
void vkdml_axes_check(const struct vkdml_instance *instance, const struct vkdml_axes *axes,
                      struct vkdml_report *report);

bool vkdml_axes_list(const struct vkdml_axes *axes, uint32_t dimension);

/* A bit for each. */
uint32_t vkdml_axes_bits(const struct vkdml_axes *axes);

#endif
