#include "vkdml/infer.h"

#include <inttypes.h>
#include <string.h>

#include "api/check.h"
#include "api/error.h"
#include "operators/infer.h"

static VkdmlTensorShape shape_of(const struct vkdml_tensor *tensor) {
    VkdmlTensorShape shape = {.dataType = tensor->data_type, .dimensionCount = tensor->dimension_count};
    memcpy(shape.sizes, tensor->sizes, tensor->dimension_count * sizeof shape.sizes[0]);
    return shape;
}

static VkdmlResult check_count(const struct vkdml_instance *instance, uint32_t count, struct vkdml_report *report) {
    if (count == instance->output_count) {
        return VKDML_SUCCESS;
    }
    return vkdml_report_invalid(report, "outputCount is %" PRIu32 ", must be %" PRIu32 ", the outputs of %s", count,
                                instance->output_count, instance->schema->name);
}

VkdmlResult vkdmlInferOutputSizes(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, uint32_t outputCount,
                                  VkdmlTensorShape *outputs) {
    struct vkdml_report *report = vkdml_error_begin();
    struct vkdml_instance *instance = NULL;
    VkdmlResult result = vkdml_check_given(outputs, "outputs", report);
    if (result == VKDML_SUCCESS) {
        result = vkdml_infer(desc, level, NULL, report, &instance);
    }
    if (result == VKDML_SUCCESS) {
        result = check_count(instance, outputCount, report);
    }
    for (uint32_t i = 0; i < outputCount && result == VKDML_SUCCESS; ++i) {
        outputs[i] = shape_of(&instance->outputs[i]);
    }
    vkdml_instance_destroy(instance, NULL);
    return vkdml_error_end(report, result);
}
