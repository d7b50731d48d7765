/* ROI_ALIGN_GRAD: of the pictures, each element of which collects what the points on it give, and of the regions, whose
 * numbers move the points. */
#include <inttypes.h>
#include <string.h>

#include "frames/map/map.h"
#include "frames/reduce/reduce.h"
#include "frames/regions/regions.h"
#include "operators/operators.h"
#include "operators/region_rules.h"

enum { INPUT, GRADIENT, REGIONS, INDICES };
enum { OUTPUT_GRADIENT, OUTPUT_REGIONS };

static bool has_input(const struct vkdml_instance *instance) {
    return instance->inputs[INPUT].dimension_count != 0;
}

static bool has_output(const struct vkdml_instance *instance, uint32_t output) {
    return instance->outputs[output].dimension_count != 0;
}

/* ---- rules ---- */

static void check_presence(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_ROI_ALIGN_GRAD_OPERATOR_DESC *desc = instance->desc;
    if (!has_output(instance, OUTPUT_GRADIENT) && !has_output(instance, OUTPUT_REGIONS)) {
        vkdml_report_invalid(report, "neither OutputGradientTensor nor OutputROIGradientTensor is there, must be one "
                                     "of them or both");
    }
    if (!has_input(instance) && has_output(instance, OUTPUT_REGIONS)) {
        vkdml_report_invalid(report, "InputTensor is not there, must be where OutputROIGradientTensor is");
    } else if (!has_input(instance) && desc->ReductionFunction == DML_REDUCE_FUNCTION_MAX) {
        vkdml_report_invalid(report,
                             "InputTensor is not there, must be where ReductionFunction is DML_REDUCE_FUNCTION_MAX");
    }
}

static void check_tensors(const struct vkdml_instance *instance, struct vkdml_report *report) {
    struct vkdml_tensor *gradient = &instance->inputs[GRADIENT], *corners = &instance->inputs[REGIONS];
    struct vkdml_tensor *indices = &instance->inputs[INDICES], *output = &instance->outputs[OUTPUT_GRADIENT];
    const uint32_t rank = corners->dimension_count;
    const char *name = vkdml_input_name(instance, GRADIENT);
    if (gradient->dimension_count != 4 || rank < 2 || rank > 4 || indices->dimension_count == 0) {
        return;
    }
    vkdml_regions_check_numbers(vkdml_input_name(instance, REGIONS), corners, 4, report);
    vkdml_regions_check_size(name, gradient, 0, vkdml_input_name(instance, REGIONS), corners, rank - 2, report);
    vkdml_regions_check_indices(vkdml_input_name(instance, INDICES), indices, name, gradient, report);
    vkdml_regions_check_bins(name, gradient, report);
    if (instance->inputs[INPUT].dimension_count == 4) {
        vkdml_regions_check_size(name, gradient, 1, vkdml_input_name(instance, INPUT), &instance->inputs[INPUT], 1,
                                 report);
    } else if (output->dimension_count == 4) {
        vkdml_regions_check_size(vkdml_output_name(instance, OUTPUT_GRADIENT), output, 1, name, gradient, 1, report);
    }
}

static void check(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_ROI_ALIGN_GRAD_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_samples samples = {desc->ReductionFunction, desc->MinimumSamplesPerOutput,
                                          desc->MaximumSamplesPerOutput};
    check_presence(instance, report);
    check_tensors(instance, report);
    vkdml_samples_check(&samples, report);
}

/* ---- plans ---- */

static struct vkdml_regions regions_of(const struct vkdml_instance *instance) {
    const DML_ROI_ALIGN_GRAD_OPERATOR_DESC *desc = instance->desc;
    const uint32_t limit = VKDML_REGIONS_MOST_SAMPLES;
    return (struct vkdml_regions){
        .input = vkdml_input_view(instance, INPUT),
        .corners = vkdml_input_view(instance, REGIONS),
        .indices = vkdml_input_view(instance, INDICES),
        .output = vkdml_input_view(instance, GRADIENT),
        .scales = {vkdml_regions_normal(desc->SpatialScaleX), vkdml_regions_normal(desc->SpatialScaleY)},
        .has_samples = true,
        .interpolates = desc->InterpolationMode == DML_INTERPOLATION_MODE_LINEAR,
        .averages = desc->ReductionFunction == DML_REDUCE_FUNCTION_AVERAGE,
        .to_corners = desc->AlignRegionsToCorners != 0,
        .input_offset = desc->InputPixelOffset,
        .output_offset = vkdml_regions_normal(desc->OutputPixelOffset),
        .least_samples = desc->MinimumSamplesPerOutput == 0 ? 1 : desc->MinimumSamplesPerOutput,
        .most_samples = desc->MaximumSamplesPerOutput < limit ? desc->MaximumSamplesPerOutput : limit,
    };
}

static VkdmlResult plan_pictures(const struct vkdml_planning *planning) {
    struct vkdml_regions regions = regions_of(planning->instance);
    struct vkdml_view winners;
    VkdmlResult result = VKDML_SUCCESS;
    if (!regions.averages) {
        struct vkdml_regions pooled = regions;
        winners = vkdml_builder_scratch(planning->builder, "the greatest points", &regions.output,
                                        DML_TENSOR_DATA_TYPE_UINT32);
        pooled.output = winners;
        pooled.result = VKDML_REGIONS_WINNERS;
        result = vkdml_regions_plan(&pooled, planning->builder);
        vkdml_builder_phase(planning->builder);
    }
    regions.input = vkdml_output_view(planning->instance, OUTPUT_GRADIENT);
    return result != VKDML_SUCCESS
               ? result
               : vkdml_region_gradient_plan(&regions, regions.averages ? NULL : &winners, planning->builder);
}

/* What bins add to their regions' numbers: regions, channels, rows, columns, and four numbers, packed. */
static VkdmlResult place_terms(const struct vkdml_view *gradient, struct vkdml_builder *builder,
                               struct vkdml_view *terms) {
    uint64_t elements = 4;
    *terms = (struct vkdml_view){.rank = 5, .sizes = {0, 0, 0, 0, 4}, .strides = {0, 0, 0, 0, 1}};
    for (uint32_t d = 4; d-- > 0;) {
        terms->sizes[d] = gradient->sizes[d];
        terms->strides[d] = (uint32_t)elements;
        elements *= gradient->sizes[d]; /* at most 4 (2^32-1) */
        if (elements > UINT32_MAX) {
            return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                    "four times the elements of InputGradientTensor are %" PRIu64
                                    " or more, must be at most %" PRIu32,
                                    elements, UINT32_MAX);
        }
    }
    terms->at = vkdml_builder_region(builder, "what bins add to regions", elements * 4, DML_TENSOR_DATA_TYPE_FLOAT32);
    return VKDML_SUCCESS;
}

/* The regions' numbers in five dimensions, those that are summed of size 1. */
static struct vkdml_view spread(const struct vkdml_view *numbers) {
    return (struct vkdml_view){
        .at = numbers->at,
        .rank = 5,
        .sizes = {numbers->sizes[numbers->rank - 2], 1, 1, 1, 4},
        .strides = {numbers->strides[numbers->rank - 2], 0, 0, 0, numbers->strides[numbers->rank - 1]},
    };
}

static VkdmlResult plan_regions(const struct vkdml_planning *planning) {
    struct vkdml_builder *builder = planning->builder;
    const struct vkdml_view output = vkdml_output_view(planning->instance, OUTPUT_REGIONS);
    const bool rounds = output.at.type == DML_TENSOR_DATA_TYPE_FLOAT16;
    struct vkdml_regions regions = regions_of(planning->instance);
    struct vkdml_reduce reduce = {.folded = 7u << 1, .function = VKDML_REDUCE_SUM};
    VkdmlResult result = place_terms(&regions.output, builder, &reduce.input);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    regions.result = VKDML_REGIONS_CORNER_TERMS;
    regions.gradient = regions.output;
    regions.output.at = reduce.input.at;
    memcpy(regions.output.strides, reduce.input.strides, 4 * sizeof(uint32_t));
    result = vkdml_regions_plan(&regions, builder);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    const struct vkdml_view sums =
        rounds ? vkdml_builder_scratch(builder, "sums", &output, DML_TENSOR_DATA_TYPE_FLOAT32) : output;
    reduce.outputs[0] = spread(&sums);
    vkdml_builder_phase(builder);
    result = vkdml_reduce_plan(&reduce, builder);
    if (result != VKDML_SUCCESS || !rounds) {
        return result;
    }
    struct vkdml_map map;
    vkdml_map_begin(&map, output);
    map.operation = VKDML_MAP_CAST;
    vkdml_map_set_operand(&map, 0, sums);
    vkdml_builder_phase(builder);
    return vkdml_map_plan(&map, builder);
}

static VkdmlResult plan(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    VkdmlResult result = VKDML_SUCCESS;
    (void)op;
    if (has_output(planning->instance, OUTPUT_GRADIENT)) {
        result = plan_pictures(planning);
    }
    if (result == VKDML_SUCCESS && has_output(planning->instance, OUTPUT_REGIONS)) {
        result = plan_regions(planning);
    }
    return result;
}

const struct vkdml_operator vkdml_operator_roi_align_grad = {.rules = check, .plan = plan};
