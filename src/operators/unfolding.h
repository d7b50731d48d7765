/* What UNFOLD and FOLD have in common: an image, and the windows in it as columns. */
#ifndef VKDML_OPERATORS_UNFOLDING_H
#define VKDML_OPERATORS_UNFOLDING_H

#include "base/report.h"
#include "schema/schema.h"
#include "tensor/tensor.h"

struct vkdml_unfolding {
    struct vkdml_tensor *image;
    struct vkdml_tensor *columns;
    const char *image_name;
    const char *columns_name;
    uint32_t dimension_count; /* spatial ones */
    const uint32_t *window_sizes;
    const uint32_t *strides;
    const uint32_t *dilations;
    const uint32_t *start;
    const uint32_t *end;
};

/* What the descriptors of UNFOLD, whose input is the image, and of FOLD, whose output is, say. */
struct vkdml_unfolding vkdml_unfolding_of_unfold(const struct vkdml_instance *instance);
struct vkdml_unfolding vkdml_unfolding_of_fold(const struct vkdml_instance *instance);

/* How many windows begin along spatial dimension s; 0 where not even one fits. */
uint64_t vkdml_unfolding_blocks(const struct vkdml_unfolding *unfolding, uint32_t s);

/* Reports what is wrong with the attributes and sizes. */
void vkdml_unfolding_check(const struct vkdml_unfolding *unfolding, struct vkdml_report *report);

#endif
