#include "schema/newer.h"

DML_ROI_ALIGN1_OPERATOR_DESC vkdml_roi_align1_of(const struct vkdml_instance *instance) {
    if (instance->schema->type == DML_OPERATOR_ROI_ALIGN1) {
        return *(const DML_ROI_ALIGN1_OPERATOR_DESC *)instance->desc;
    }
    const DML_ROI_ALIGN_OPERATOR_DESC *desc = instance->desc;
    return (DML_ROI_ALIGN1_OPERATOR_DESC){
        .ReductionFunction = desc->ReductionFunction,
        .InterpolationMode = desc->InterpolationMode,
        .SpatialScaleX = desc->SpatialScaleX,
        .SpatialScaleY = desc->SpatialScaleY,
        .InputPixelOffset = 0.5f,
        .OutputPixelOffset = -0.5f,
        .OutOfBoundsInputValue = desc->OutOfBoundsInputValue,
        .MinimumSamplesPerOutput = desc->MinimumSamplesPerOutput,
        .MaximumSamplesPerOutput = desc->MaximumSamplesPerOutput,
    };
}
