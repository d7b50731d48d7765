/* What devices and operators need and support: all of it read off the operator table. */
#include "api/check.h"
#include "api/error.h"
#include "kernels/cooperative_matrix.h"
#include "schema/schema.h"
#include "tensor/tensor.h"
#include "vulkan/device.h"

/* FLOAT16 is converted by the device with the first, and multiplied by matrix cores with the first three, INT8 with
 * shaderInt8 in place of the first. */
static const char *const useful_features[] = {"shaderFloat16", "vulkanMemoryModel", "cooperativeMatrix", "shaderInt8",
                                              "shaderIntegerDotProduct"};
static const char *const useful_extensions[] = {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
                                                VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME};

static const VkdmlRequirements requirements_of_all = {
    .apiVersion = VKDML_VULKAN_API_VERSION,
    .queueFlags = VK_QUEUE_COMPUTE_BIT,
    .usefulFeatureCount = sizeof useful_features / sizeof *useful_features,
    .usefulFeatures = useful_features,
    .usefulExtensionCount = sizeof useful_extensions / sizeof *useful_extensions,
    .usefulExtensions = useful_extensions,
};

/* The row that a tensor is held to at a level: support is sorted newest first. NULL before the first. */
static const VkdmlTensorSupport *support_at(const VkdmlFieldSchema *field, DML_FEATURE_LEVEL level) {
    for (uint32_t i = 0; i < field->supportCount; i++) {
        if (field->support[i].level <= level) {
            return &field->support[i];
        }
    }
    return NULL;
}

/* Whether any tensor of an operator may have a type at a level. */
static bool takes_type(const VkdmlOperatorSchema *schema, DML_FEATURE_LEVEL level, DML_TENSOR_DATA_TYPE type) {
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        const VkdmlTensorSupport *support =
            schema->fields[i].supportCount > 0 ? support_at(&schema->fields[i], level) : NULL;
        if (support && (support->dataTypes >> type & 1)) {
            return true;
        }
    }
    return false;
}

static VkdmlResult check_type(DML_TENSOR_DATA_TYPE type, const char *name, struct vkdml_report *report) {
    if (!vkdml_data_type_name(type)) {
        return vkdml_report_invalid(report, "%s is %d, must be a DML_TENSOR_DATA_TYPE", name, (int)type);
    }
    return VKDML_SUCCESS;
}

/* Whether an operator is implemented, of the level, and takes the type. */
static VkdmlResult check_operator(DML_OPERATOR_TYPE type, DML_TENSOR_DATA_TYPE data_type, DML_FEATURE_LEVEL level,
                                  struct vkdml_report *report) {
    const char *name = vkdmlGetOperatorName(type);
    const VkdmlOperatorSchema *schema = vkdml_schema_find(type);
    if (!name) {
        return vkdml_report_invalid(report, "type is %d, must be a DML_OPERATOR_TYPE", (int)type);
    }
    report->context = name; /* static */
    if (!schema) {
        return vkdml_report_add(report, VKDML_ERROR_NOT_IMPLEMENTED, "not implemented");
    }
    if (schema->introduced > level) {
        return vkdml_report_invalid(report, "the feature level is %s, must be at least %s", vkdml_level_name(level),
                                    vkdml_level_name(schema->introduced));
    }
    if (check_type(data_type, "dataType", report) != VKDML_SUCCESS) {
        return report->result;
    }
    if (!takes_type(schema, level, data_type)) {
        return vkdml_report_invalid(report, "dataType is %s, must be a type of one of its tensors at feature level %s",
                                    vkdml_data_type_name(data_type), vkdml_level_name(level));
    }
    return VKDML_SUCCESS;
}

VkdmlResult vkdmlGetRequirements(VkdmlRequirements *requirements) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = vkdml_check_given(requirements, "requirements", report);
    if (result == VKDML_SUCCESS) {
        *requirements = requirements_of_all;
    }
    return vkdml_error_end(report, result);
}

VkdmlResult vkdmlGetOperatorRequirements(DML_OPERATOR_TYPE type, DML_TENSOR_DATA_TYPE dataType,
                                         VkdmlRequirements *requirements) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = vkdml_check_given(requirements, "requirements", report);
    if (result == VKDML_SUCCESS) {
        result = check_operator(type, dataType, DML_FEATURE_LEVEL_6_4, report);
    }
    if (result == VKDML_SUCCESS) {
        *requirements = requirements_of_all;
    }
    return vkdml_error_end(report, result);
}

VkdmlResult vkdmlCheckOperatorSupport(VkdmlDevice device, DML_OPERATOR_TYPE type, DML_TENSOR_DATA_TYPE dataType) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = vkdml_check_device(device, report);
    if (result == VKDML_SUCCESS) {
        result = check_operator(type, dataType, device->level, report);
    }
    return vkdml_end_on_object(report, result, device);
}

static VkdmlResult query_data_type(VkdmlDevice device, const void *query, void *answer, struct vkdml_report *report) {
    const DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT *asked = query;
    DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT *support = answer;
    if (check_type(asked->DataType, "queryData.DataType", report) != VKDML_SUCCESS) {
        return report->result;
    }
    support->IsSupported = 0;
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); i++) {
        const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchemaAt(i);
        if (schema->introduced <= device->level && takes_type(schema, device->level, asked->DataType)) {
            support->IsSupported = 1;
        }
    }
    return VKDML_SUCCESS;
}

static VkdmlResult query_levels(VkdmlDevice device, const void *query, void *answer, struct vkdml_report *report) {
    const DML_FEATURE_QUERY_FEATURE_LEVELS *asked = query;
    DML_FEATURE_DATA_FEATURE_LEVELS *support = answer;
    if (asked->RequestedFeatureLevelCount == 0 || !asked->RequestedFeatureLevels) {
        return vkdml_report_invalid(report, "queryData.%s is %s, must be given",
                                    asked->RequestedFeatureLevels ? "RequestedFeatureLevelCount"
                                                                  : "RequestedFeatureLevels",
                                    asked->RequestedFeatureLevels ? "0" : "NULL");
    }
    DML_FEATURE_LEVEL newest = (DML_FEATURE_LEVEL)0;
    for (uint32_t i = 0; i < asked->RequestedFeatureLevelCount; i++) {
        DML_FEATURE_LEVEL level = asked->RequestedFeatureLevels[i];
        /* A value without a name is a level of a later DirectML: asking for it is no error. */
        if (vkdml_level_name(level) && level <= device->level && level > newest) {
            newest = level;
        }
    }
    if ((int)newest == 0) {
        return vkdml_report_add(report, VKDML_ERROR_FEATURE_NOT_PRESENT,
                                "queryData.RequestedFeatureLevels has no level up to the device's, %s",
                                vkdml_level_name(device->level));
    }
    support->MaxSupportedFeatureLevel = newest;
    return VKDML_SUCCESS;
}

static const struct feature {
    DML_FEATURE feature;
    uint32_t query_size;
    uint32_t support_size;
    VkdmlResult (*query)(VkdmlDevice device, const void *query, void *answer, struct vkdml_report *report);
} features[] = {
    {DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT, sizeof(DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT),
     sizeof(DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT), query_data_type},
    {DML_FEATURE_FEATURE_LEVELS, sizeof(DML_FEATURE_QUERY_FEATURE_LEVELS), sizeof(DML_FEATURE_DATA_FEATURE_LEVELS),
     query_levels},
};

static const struct feature *find_feature(DML_FEATURE feature, struct vkdml_report *report) {
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        if (features[i].feature == feature) {
            return &features[i];
        }
    }
    vkdml_report_invalid(report, "feature is %d, must be a DML_FEATURE", (int)feature);
    return NULL;
}

static VkdmlResult check_query(const struct feature *row, uint32_t query_size, const void *query, uint32_t support_size,
                               const void *support, struct vkdml_report *report) {
    vkdml_check_given(query, "queryData", report);
    vkdml_check_given(support, "supportData", report);
    if (query_size != row->query_size) {
        vkdml_report_invalid(report, "queryDataSize is %u, must be %u", query_size, row->query_size);
    }
    if (support_size != row->support_size) {
        vkdml_report_invalid(report, "supportDataSize is %u, must be %u", support_size, row->support_size);
    }
    return report->result;
}

VkdmlResult vkdmlCheckFeatureSupport(VkdmlDevice device, DML_FEATURE feature, uint32_t queryDataSize,
                                     const void *queryData, uint32_t supportDataSize, void *supportData) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = vkdml_check_device(device, report);
    if (result == VKDML_SUCCESS) {
        const struct feature *row = find_feature(feature, report);
        result =
            row ? check_query(row, queryDataSize, queryData, supportDataSize, supportData, report) : report->result;
        if (result == VKDML_SUCCESS) {
            result = row->query(device, queryData, supportData, report);
        }
    }
    return vkdml_end_on_object(report, result, device);
}
