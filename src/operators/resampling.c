#include "operators/resampling.h"

#include <inttypes.h>
#include <math.h>

/* Scales and offsets beyond these lead to no other elements. */
#define LEAST_SCALE     0x1p-32f
#define GREATEST_SCALE  0x1p64f
#define GREATEST_OFFSET 0x1p32f

static void check_offsets(const char *name, const float *offsets, uint32_t count, struct vkdml_report *report) {
    for (uint32_t d = 0; d < count && offsets != NULL; ++d) {
        if (!(fabsf(offsets[d]) <= GREATEST_OFFSET)) {
            vkdml_report_invalid(report, "%s[%" PRIu32 "] is %g, must be from -2^32 to 2^32", name, d,
                                 (double)offsets[d]);
        }
    }
}

bool vkdml_resampling_check(const struct vkdml_resampling *r, const struct vkdml_tensor *tensor, const char *name,
                            struct vkdml_report *report) {
    const uint32_t count = tensor->dimension_count;
    if (r->count != count) {
        vkdml_report_invalid(report, "%s is %" PRIu32 ", must be %" PRIu32 " = %s.DimensionCount", r->count_name,
                             r->count, count, name);
        return false;
    }
    for (uint32_t d = 0; d < count; ++d) {
        if (!(r->scales[d] >= LEAST_SCALE) || isinf(r->scales[d])) {
            vkdml_report_invalid(report, "Scales[%" PRIu32 "] is %g, must be finite and at least 2^-32", d,
                                 (double)r->scales[d]);
        }
    }
    check_offsets("InputPixelOffsets", r->input_offsets, count, report);
    check_offsets("OutputPixelOffsets", r->output_offsets, count, report);
    return true;
}

struct vkdml_scaling vkdml_resampling_scaling(const struct vkdml_resampling *r, uint32_t d) {
    const bool is_nearest = r->mode == DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR;
    return (struct vkdml_scaling){
        .scale = r->scales[d] > GREATEST_SCALE ? GREATEST_SCALE : r->scales[d],
        .input_offset = r->input_offsets != NULL ? r->input_offsets[d] : 0.5f,
        .output_offset = r->output_offsets != NULL ? r->output_offsets[d] : -0.5f,
        .bias = is_nearest ? r->bias : 0,
        .rounds_up = is_nearest && r->rounds_up,
    };
}
