#include "operators/region_rules.h"

#include <inttypes.h>
#include <math.h>

#include "frames/regions/regions.h"
#include "tensor/infer.h"

/* A dimension of a tensor that is a dimension of another. */
void vkdml_regions_check_size(const char *name, struct vkdml_tensor *tensor, uint32_t d, const char *other_name,
                              const struct vkdml_tensor *other, uint32_t e, struct vkdml_report *report) {
    if (!vkdml_size_is(tensor, d, other->sizes[e])) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32 "]", name,
                             d, tensor->sizes[d], other->sizes[e], other_name, e);
    }
}

void vkdml_regions_check_is(const char *name, struct vkdml_tensor *tensor, uint32_t d, uint32_t size, const char *why,
                            struct vkdml_report *report) {
    if (!vkdml_size_is(tensor, d, size)) {
        vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 "%s", name, d,
                             tensor->sizes[d], size, why);
    }
}

void vkdml_regions_check_numbers(const char *name, struct vkdml_tensor *corners, uint32_t numbers,
                                 struct vkdml_report *report) {
    const uint32_t rank = corners->dimension_count;
    for (uint32_t d = 0; d + 2 < rank; ++d) {
        vkdml_regions_check_is(name, corners, d, 1, "", report);
    }
    vkdml_regions_check_is(name, corners, rank - 1, numbers, ", the numbers of a region", report);
}

void vkdml_regions_check_indices(const char *name, struct vkdml_tensor *indices, const char *bins_name,
                                 const struct vkdml_tensor *bins, struct vkdml_report *report) {
    for (uint32_t d = 0; d + 1 < indices->dimension_count; ++d) {
        vkdml_regions_check_is(name, indices, d, 1, "", report);
    }
    vkdml_regions_check_size(name, indices, indices->dimension_count - 1, bins_name, bins, 0, report);
}

void vkdml_regions_check_bins(const char *name, const struct vkdml_tensor *bins, struct vkdml_report *report) {
    for (uint32_t d = 2; d < 4; ++d) {
        if (bins->sizes[d] > VKDML_REGIONS_MOST_BINS) {
            vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be at most %d", name, d,
                                 bins->sizes[d], VKDML_REGIONS_MOST_BINS);
        }
    }
}

void vkdml_samples_check(const struct vkdml_samples *samples, struct vkdml_report *report) {
    if (samples->function != DML_REDUCE_FUNCTION_AVERAGE && samples->function != DML_REDUCE_FUNCTION_MAX) {
        vkdml_report_invalid(report,
                             "ReductionFunction is %d, must be DML_REDUCE_FUNCTION_AVERAGE (%d) or "
                             "DML_REDUCE_FUNCTION_MAX (%d)",
                             (int)samples->function, DML_REDUCE_FUNCTION_AVERAGE, DML_REDUCE_FUNCTION_MAX);
    }
    if (samples->least > VKDML_REGIONS_MOST_SAMPLES) {
        vkdml_report_invalid(report, "MinimumSamplesPerOutput is %" PRIu32 ", must be at most %d", samples->least,
                             VKDML_REGIONS_MOST_SAMPLES);
    }
    if (samples->most == 0 || samples->least > samples->most) {
        vkdml_report_invalid(report,
                             "MaximumSamplesPerOutput is %" PRIu32
                             ", must be at least 1 and MinimumSamplesPerOutput (%" PRIu32 ")",
                             samples->most, samples->least);
    }
}

float vkdml_regions_normal(float x) {
    return fpclassify(x) == FP_SUBNORMAL ? 0 : x;
}
