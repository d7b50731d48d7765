/* What descriptors of resamplings say, and of their gradients. */
#ifndef VKDML_OPERATORS_RESAMPLING_H
#define VKDML_OPERATORS_RESAMPLING_H

#include "base/report.h"
#include "frames/neighbours/scaling.h"
#include "tensor/tensor.h"

struct vkdml_resampling {
    DML_INTERPOLATION_MODE mode;
    float bias; /* before the nearest place is rounded */
    bool rounds_up;
    bool is_antialiased;
    const char *count_name;
    uint32_t count;
    const float *scales;
    const float *input_offsets;  /* NULL: 0.5 */
    const float *output_offsets; /* NULL: -0.5 */
};

/* Checks the attributes beside a tensor; false where there are not as many as it has dimensions. */
bool vkdml_resampling_check(const struct vkdml_resampling *resampling, const struct vkdml_tensor *tensor,
                            const char *name, struct vkdml_report *report);

/* Of a dimension. */
struct vkdml_scaling vkdml_resampling_scaling(const struct vkdml_resampling *resampling, uint32_t d);

#endif
