#include "api/error.h"
#include "operators/operators.h"
#include "vkdml/schema.h"

VkdmlResult vkdmlValidateOperator(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level) {
    struct vkdml_report *report = vkdml_error_begin();
    struct vkdml_instance *instance = NULL;
    VkdmlResult result = vkdml_validate(desc, level, NULL, report, &instance);
    vkdml_instance_destroy(instance, NULL);
    return vkdml_error_end(report, result);
}
