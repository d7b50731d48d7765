#include "schema/subject.h"

#include <assert.h>

struct vkdml_subject vkdml_find_subject(const struct vkdml_instance *instance, const VkdmlFieldSchema *field,
                                        uint32_t element) {
    const uint32_t index = field->bindingIndex + element;
    return field->kind == VKDML_FIELD_KIND_INPUT_TENSOR
               ? (struct vkdml_subject){field, instance->input_names[index], &instance->inputs[index]}
               : (struct vkdml_subject){field, instance->output_names[index], &instance->outputs[index]};
}

/* An array is the last field of its kind. */
uint32_t vkdml_subject_count(const struct vkdml_instance *instance, const VkdmlFieldSchema *field) {
    if (field->kind == VKDML_FIELD_KIND_ATTRIBUTE || instance->role != NULL) {
        return 0;
    }
    const uint32_t all = field->kind == VKDML_FIELD_KIND_INPUT_TENSOR ? instance->input_count : instance->output_count;
    return field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY ? all - field->bindingIndex : 1;
}

const VkdmlTensorSupport *vkdml_find_support(const VkdmlFieldSchema *field, DML_FEATURE_LEVEL level) {
    for (uint32_t i = 0; i < field->supportCount; i++) {
        if (field->support[i].level <= level) {
            return &field->support[i];
        }
    }
    assert(false && "a tensor is newer than its operator");
    return &field->support[field->supportCount - 1];
}

bool vkdml_agreement_holds(const struct vkdml_instance *instance, const VkdmlAgreement *agreement) {
    return (int)agreement->below == 0 || instance->level < agreement->below;
}

bool vkdml_names_scalars_type(const VkdmlOperatorSchema *schema, uint32_t index) {
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        if (schema->fields[i].typeField == index) {
            return true;
        }
    }
    return false;
}
