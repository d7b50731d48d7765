/* Operators made of others: a descriptor written again with some of its fields changed. */
#ifndef VKDML_GRAPH_REWRITE_H
#define VKDML_GRAPH_REWRITE_H

#include "base/report.h"
#include "schema/schema.h"

/* What a field is to be, of which one member is given; none: an operator to fuse that is to be absent. All that it
 * points to is borrowed during the call. */
struct vkdml_edit {
    const char *field;
    const struct vkdml_tensor *tensor;       /* of a tensor, or the first of an array's */
    uint32_t tensor_count;                   /* of an array; of one tensor 0 */
    const struct vkdml_instance *activation; /* of an operator to fuse: its tensors do not matter */
    const uint32_t *numbers;                 /* of an array; as long as it was */
    uint32_t bits;                           /* of an attribute of 32 bits */
};

/* Makes an operator of a type out of another: its fields are those that the other has by the same name and type, but
 * for edits; what is in neither is absent or 0. *made is NULL where the rules of the level refuse it, and refusal then
 * says why; failure is VKDML_ERROR_OUT_OF_HOST_MEMORY, which is in the report. */
VkdmlResult vkdml_rewrite(const struct vkdml_instance *from, DML_OPERATOR_TYPE type, const struct vkdml_edit *edits,
                          size_t edit_count, DML_FEATURE_LEVEL level, const VkAllocationCallbacks *callbacks,
                          struct vkdml_report *report, struct vkdml_report *refusal, struct vkdml_instance **made);

/* A field of an operator by its name and type, or NULL. */
const VkdmlFieldSchema *vkdml_field_of(const VkdmlOperatorSchema *schema, const char *name, VkdmlFieldType type);

/* The 32 bits of a field; 0 where there is none. */
uint32_t vkdml_attribute_of(const struct vkdml_instance *instance, const char *name, VkdmlFieldType type);

/* The numbers of an array; NULL where there are none. */
const uint32_t *vkdml_numbers_of(const struct vkdml_instance *instance, const char *name);

#endif
