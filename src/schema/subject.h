/* What the table's rules are about: tensors under their names. */
#ifndef VKDML_SCHEMA_SUBJECT_H
#define VKDML_SCHEMA_SUBJECT_H

#include "schema/schema.h"

/* A tensor under its name. */
struct vkdml_subject {
    const VkdmlFieldSchema *field;
    const char *name; /* the field's, or "QuantizationTensors[1]" */
    struct vkdml_tensor *tensor;
};

/* The tensor of a field; of an array's the one at `element`. */
struct vkdml_subject vkdml_find_subject(const struct vkdml_instance *instance, const VkdmlFieldSchema *field,
                                        uint32_t element);

/* How many tensors a field has; an operator that is fused has none. */
uint32_t vkdml_subject_count(const struct vkdml_instance *instance, const VkdmlFieldSchema *field);

/* The newest row of support not above the level. */
const VkdmlTensorSupport *vkdml_find_support(const VkdmlFieldSchema *field, DML_FEATURE_LEVEL level);

/* Whether a rule is one of the instance's level. */
bool vkdml_agreement_holds(const struct vkdml_instance *instance, const VkdmlAgreement *agreement);

/* Whether scalars are of the data type in a field. */
bool vkdml_names_scalars_type(const VkdmlOperatorSchema *schema, uint32_t index);

#endif
