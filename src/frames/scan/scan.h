/* Plans of the scan kernels (glsl/scan/scan.glsl): each output element is what the elements of its line, all along an
 * axis, add up or multiply to, up to its own. */
#ifndef VKDML_FRAMES_SCAN_SCAN_H
#define VKDML_FRAMES_SCAN_SCAN_H

#include "base/report.h"
#include "plan/builder.h"
#include "tensor/tensor.h"

/* Of one type and sizes; they may be in one place. */
struct vkdml_scan {
    struct vkdml_view input;
    struct vkdml_view output;
    uint32_t axis;
    bool multiplies;   /* else adds */
    bool is_backward;  /* from the last element of a line to the first */
    bool is_exclusive; /* an element's own value does not count */
};

VkdmlResult vkdml_scan_plan(const struct vkdml_scan *scan, struct vkdml_builder *builder);

#endif
