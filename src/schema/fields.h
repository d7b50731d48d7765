/* A descriptor's fields, read and written by the table's offsets. */
#ifndef VKDML_SCHEMA_FIELDS_H
#define VKDML_SCHEMA_FIELDS_H

#include "vkdml/schema.h"

const void *vkdml_field_pointer(const void *desc, const VkdmlFieldSchema *field);
void vkdml_field_set_pointer(void *desc, const VkdmlFieldSchema *field, const void *pointer);

/* Of UINT fields, and as bits of the others that have 32. */
uint32_t vkdml_field_uint(const void *desc, const VkdmlFieldSchema *field);
void vkdml_field_set_uint(void *desc, const VkdmlFieldSchema *field, uint32_t value);

/* Lengths that an array may have. */
struct vkdml_lengths {
    uint32_t least;
    uint32_t most;
};

struct vkdml_lengths vkdml_array_lengths(VkdmlFieldType type);

/* How many elements a descriptor's array has; 0 where it has more than it may. */
uint32_t vkdml_array_length(const VkdmlOperatorSchema *schema, const VkdmlFieldSchema *array, const void *desc);

#endif
