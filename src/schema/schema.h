/* The operator table and the generic checks that read it. */
#ifndef VKDML_SCHEMA_SCHEMA_H
#define VKDML_SCHEMA_SCHEMA_H

#include <vulkan/vulkan_core.h>

#include "base/report.h"
#include "tensor/tensor.h"
#include "vkdml/schema.h"

/* A descriptor deep-copied out of the caller's memory: what validation, planning and the reference read. */
struct vkdml_instance {
    const VkdmlOperatorSchema *schema;
    DML_FEATURE_LEVEL level;
    const void *desc; /* a copy of the descriptor struct: attributes, arrays and ScaleBias own memory; its tensor
                         pointers are NULL: the tensors are below, by binding index */
    struct vkdml_tensor *inputs;
    struct vkdml_tensor *outputs;
};

/* The row of an implemented operator, or NULL. */
const VkdmlOperatorSchema *vkdml_schema_find(DML_OPERATOR_TYPE type);

/* Copies a descriptor. Refuses, a line each, what makes it unreadable: unknown operator or level, operator newer than
 * the level, null pointers, unknown tensor type or data type, dimension counts outside 1..8, an array's count field
 * beyond 8. One allocation; *instance is NULL on failure. level 0: the newest. */
VkdmlResult vkdml_instance_create(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level,
                                  const VkAllocationCallbacks *callbacks, struct vkdml_report *report,
                                  struct vkdml_instance **instance);

void vkdml_instance_destroy(struct vkdml_instance *instance, const VkAllocationCallbacks *callbacks);

/* The generic rules on a readable descriptor: type and dimension count by level, zero sizes, element limit, minimum
 * total size, strides of outputs (zero, overlapping), flags (OWNED_BY_DML on outputs), alignment, enumerators by level,
 * agreement between tensors. Adds a line per failure to the report. The tensor's name is the field's. */
void vkdml_schema_check(const struct vkdml_instance *instance, struct vkdml_report *report);

/* "Field[i]" rules in operator code name tensors through this: the name of input or output `index`. */
const char *vkdml_input_name(const struct vkdml_instance *instance, uint32_t index);
const char *vkdml_output_name(const struct vkdml_instance *instance, uint32_t index);

/* "6_4", or NULL */
const char *vkdml_level_name(DML_FEATURE_LEVEL level);

#endif
