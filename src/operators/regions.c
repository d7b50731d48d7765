/* ROI_POOLING, ROI_ALIGN and ROI_ALIGN1: regions of pictures on grids of one size. */
#include "frames/regions/regions.h"

#include <inttypes.h>
#include <math.h>

#include "operators/operators.h"
#include "operators/region_rules.h"
#include "operators/scalar.h"
#include "schema/newer.h"

/* ---- rules ---- */

/* What the tensors of all agree in; regions have so many numbers. Whether ranks are right the table says. */
static bool check_tensors(const struct vkdml_instance *instance, uint32_t numbers, struct vkdml_report *report) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    struct vkdml_tensor *corners = &instance->inputs[1], *output = &instance->outputs[0];
    const char *name = vkdml_input_name(instance, 1), *output_name = vkdml_output_name(instance, 0);
    const uint32_t rank = corners->dimension_count;
    if (input->dimension_count != 4 || output->dimension_count != 4 || rank < 2 || rank > 4) {
        return false;
    }
    vkdml_regions_check_numbers(name, corners, numbers, report);
    vkdml_regions_check_size(output_name, output, 0, name, corners, rank - 2, report);
    vkdml_regions_check_size(output_name, output, 1, vkdml_input_name(instance, 0), input, 1, report);
    vkdml_regions_check_bins(output_name, output, report);
    return true;
}

static void check_roi_pooling(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_ROI_POOLING_OPERATOR_DESC *desc = instance->desc;
    if (check_tensors(instance, 5, report)) {
        const char *name = vkdml_output_name(instance, 0);
        vkdml_regions_check_is(name, &instance->outputs[0], 2, desc->PooledSize.Height, " = PooledSize.Height", report);
        vkdml_regions_check_is(name, &instance->outputs[0], 3, desc->PooledSize.Width, " = PooledSize.Width", report);
    }
}

static void check_align(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_ROI_ALIGN1_OPERATOR_DESC desc = vkdml_roi_align1_of(instance);
    struct vkdml_tensor *indices = &instance->inputs[2];
    if (check_tensors(instance, 4, report)) {
        const char *name = vkdml_input_name(instance, 2);
        vkdml_regions_check_indices(name, indices, vkdml_output_name(instance, 0), &instance->outputs[0], report);
    }
    const struct vkdml_samples samples = {desc.ReductionFunction, desc.MinimumSamplesPerOutput,
                                          desc.MaximumSamplesPerOutput};
    vkdml_samples_check(&samples, report);
}

/* ---- plans ---- */

static struct vkdml_regions begin(const struct vkdml_instance *instance) {
    return (struct vkdml_regions){
        .input = vkdml_input_view(instance, 0),
        .corners = vkdml_input_view(instance, 1),
        .indices = {.at = {.type = DML_TENSOR_DATA_TYPE_UNKNOWN}},
        .output = vkdml_output_view(instance, 0),
    };
}

static VkdmlResult plan_roi_pooling(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_ROI_POOLING_OPERATOR_DESC *desc = planning->instance->desc;
    struct vkdml_regions regions = begin(planning->instance);
    (void)op;
    regions.scales[0] = regions.scales[1] = vkdml_regions_normal(desc->SpatialScale);
    return vkdml_regions_plan(&regions, planning->builder);
}

/* As an element of the tensors' type. */
static uint32_t outside_of(float value, DML_TENSOR_DATA_TYPE type) {
    uint32_t bits[2];
    vkdml_scalar_from_float(isnan(value) ? NAN : value, type, bits);
    return type == DML_TENSOR_DATA_TYPE_FLOAT16 ? vkdml_float_bits(vkdml_float_of_half(bits[0])) : bits[0];
}

static VkdmlResult plan_align(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_ROI_ALIGN1_OPERATOR_DESC desc = vkdml_roi_align1_of(planning->instance);
    const uint32_t limit = VKDML_REGIONS_MOST_SAMPLES;
    struct vkdml_regions regions = begin(planning->instance);
    (void)op;
    regions.indices = vkdml_input_view(planning->instance, 2);
    regions.scales[0] = vkdml_regions_normal(desc.SpatialScaleX);
    regions.scales[1] = vkdml_regions_normal(desc.SpatialScaleY);
    regions.outside = outside_of(desc.OutOfBoundsInputValue, regions.output.at.type);
    regions.has_samples = true;
    regions.interpolates = desc.InterpolationMode == DML_INTERPOLATION_MODE_LINEAR;
    regions.averages = desc.ReductionFunction == DML_REDUCE_FUNCTION_AVERAGE;
    regions.to_corners = desc.AlignRegionsToCorners != 0;
    regions.input_offset = desc.InputPixelOffset;
    regions.output_offset = vkdml_regions_normal(desc.OutputPixelOffset);
    regions.least_samples = desc.MinimumSamplesPerOutput == 0 ? 1 : desc.MinimumSamplesPerOutput;
    regions.most_samples = desc.MaximumSamplesPerOutput < limit ? desc.MaximumSamplesPerOutput : limit;
    return vkdml_regions_plan(&regions, planning->builder);
}

const struct vkdml_operator vkdml_operator_roi_pooling = {.rules = check_roi_pooling, .plan = plan_roi_pooling};
const struct vkdml_operator vkdml_operator_roi_align = {.rules = check_align, .plan = plan_align};
const struct vkdml_operator vkdml_operator_roi_align1 = {.rules = check_align, .plan = plan_align};
