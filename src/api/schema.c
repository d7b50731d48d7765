#include "schema/schema.h"

#include <stddef.h>

#include "schema/table.h"
#include "vkdml/schema.h"

const VkdmlOperatorSchema *vkdmlGetOperatorSchema(DML_OPERATOR_TYPE type) {
    return vkdml_schema_find(type);
}

uint32_t vkdmlGetOperatorSchemaCount(void) {
    return vkdml_schema_count();
}

const VkdmlOperatorSchema *vkdmlGetOperatorSchemaAt(uint32_t index) {
    return vkdml_schema_at(index);
}

const char *vkdmlGetOperatorName(DML_OPERATOR_TYPE type) {
    return vkdml_operator_name(type);
}

DML_FEATURE_LEVEL vkdmlGetOperatorFeatureLevel(DML_OPERATOR_TYPE type) {
    return vkdml_operator_level(type);
}

const char *vkdmlGetDataTypeName(DML_TENSOR_DATA_TYPE type) {
    return vkdml_data_type_name(type);
}

uint32_t vkdmlGetDataTypeSize(DML_TENSOR_DATA_TYPE type) {
    return vkdml_data_type_size(type);
}

uint32_t vkdmlGetDataTypeBits(DML_TENSOR_DATA_TYPE type) {
    return vkdml_data_type_bits(type);
}

const char *vkdmlGetFeatureLevelName(DML_FEATURE_LEVEL level) {
    return vkdml_level_name(level);
}

uint64_t vkdmlCalcBufferTensorSize(DML_TENSOR_DATA_TYPE type, uint32_t dimensionCount, const uint32_t *sizes,
                                   const uint32_t *strides) {
    const uint32_t element_bits = vkdml_data_type_bits(type);
    if (element_bits == 0 || dimensionCount < 1 || dimensionCount > VKDML_MAX_DIMENSIONS || sizes == NULL) {
        return 0;
    }
    for (uint32_t i = 0; i < dimensionCount; i++) {
        if (sizes[i] == 0) {
            return 0;
        }
    }
    uint64_t bytes;
    return vkdml_minimum_bytes(element_bits, dimensionCount, sizes, strides, &bytes) ? bytes : 0;
}
