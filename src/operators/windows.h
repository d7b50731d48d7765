/* Windows on pictures and volumes, as descriptors of poolings have them. */
#ifndef VKDML_OPERATORS_WINDOWS_H
#define VKDML_OPERATORS_WINDOWS_H

#include "base/report.h"
#include "frames/neighbours/neighbours.h"
#include "tensor/tensor.h"

/* Of each spatial dimension. */
struct vkdml_windows {
    uint32_t dimension_count;
    const uint32_t *strides;
    const uint32_t *window;
    const uint32_t *start;
    const uint32_t *end;
    const uint32_t *dilations;
};

extern const uint32_t vkdml_no_dilations[];

/* Those of a descriptor. */
#define VKDML_WINDOWS(desc, dilations)                                                                                 \
    { (desc)->DimensionCount, (desc)->Strides, (desc)->WindowSize, (desc)->StartPadding, (desc)->EndPadding, dilations }

/* Which numbers of windows a descriptor may state. */
enum vkdml_windows_rule {
    VKDML_WINDOWS_ANY,      /* any: windows beyond the padded tensor see padding; with a stride of 0 all are one window */
    VKDML_WINDOWS_APART,    /* any, with strides of at least 1 */
    VKDML_WINDOWS_THAT_FIT, /* the number of windows that fit into the padded tensor */
};

/* Checks the attributes and the sizes of `pooled`, which has an element for each window; sizes that are not known become
 * the numbers of windows that fit. */
void vkdml_windows_check(const struct vkdml_windows *windows, enum vkdml_windows_rule rule,
                         const struct vkdml_tensor *tensor, const char *name, struct vkdml_tensor *pooled,
                         const char *pooled_name, struct vkdml_report *report);

/* Whether windows have elements outside of the tensor, or EndPadding states some, in a spatial dimension. */
bool vkdml_windows_have_padding(const struct vkdml_windows *windows, const struct vkdml_tensor *tensor,
                                const struct vkdml_tensor *pooled, uint32_t s);

/* Whether kernels can count along the padded tensor and up to the end of the last window: VKDML_ERROR_LIMIT_EXCEEDED. */
VkdmlResult vkdml_windows_check_lengths(const struct vkdml_windows *windows, const struct vkdml_tensor *tensor,
                                        const struct vkdml_tensor *pooled, struct vkdml_report *report);

/* Sets the dimensions of a pool from one tensor onto another, of some spatial dimensions, a bit each; places, where
 * they are asked for, are counted in the first's row-major order, whatever its strides. */
void vkdml_windows_set_dimensions(const struct vkdml_windows *windows, uint32_t walked, const struct vkdml_view *from,
                                  const struct vkdml_view *to, const struct vkdml_view *places,
                                  struct vkdml_neighbours *pool);

#endif
