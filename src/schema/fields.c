#include "schema/fields.h"

#include <string.h>

#include "schema/schema.h"

const void *vkdml_field_pointer(const void *desc, const VkdmlFieldSchema *field) {
    const void *pointer;
    memcpy(&pointer, (const unsigned char *)desc + field->offset, sizeof pointer);
    return pointer;
}

void vkdml_field_set_pointer(void *desc, const VkdmlFieldSchema *field, const void *pointer) {
    memcpy((unsigned char *)desc + field->offset, &pointer, sizeof pointer);
}

uint32_t vkdml_field_uint(const void *desc, const VkdmlFieldSchema *field) {
    uint32_t value;
    memcpy(&value, (const unsigned char *)desc + field->offset, sizeof value);
    return value;
}

void vkdml_field_set_uint(void *desc, const VkdmlFieldSchema *field, uint32_t value) {
    memcpy((unsigned char *)desc + field->offset, &value, sizeof value);
}

/* Arrays of numbers are as long as a tensor has dimensions. Of operators there are at most six, a network's
 * activations. */
struct vkdml_lengths vkdml_array_lengths(VkdmlFieldType type) {
    const struct vkdml_lengths tensors = {1, VKDML_MAX_ARRAY_TENSORS}, others = {0, VKDML_MAX_DIMENSIONS};
    return type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY ? tensors : others;
}

uint32_t vkdml_array_length(const VkdmlOperatorSchema *schema, const VkdmlFieldSchema *array, const void *desc) {
    const uint32_t length = vkdml_field_uint(desc, &schema->fields[array->countField]);
    return length <= vkdml_array_lengths(array->type).most ? length : 0;
}
