/* The operator table and the generic checks that read it. */
#ifndef VKDML_SCHEMA_SCHEMA_H
#define VKDML_SCHEMA_SCHEMA_H

#include <vulkan/vulkan_core.h>

#include "base/report.h"
#include "tensor/tensor.h"
#include "vkdml/schema.h"

/* The most tensors that an array may have. */
#define VKDML_MAX_ARRAY_TENSORS 65536

/* A descriptor deep-copied out of the caller's memory: what validation, planning and the reference read. */
struct vkdml_instance {
    const VkdmlOperatorSchema *schema;
    DML_FEATURE_LEVEL level;
    const void *desc; /* a copy of the descriptor struct: attributes, arrays and ScaleBias own memory; its pointers to
                         tensors and operators are NULL: they are below. A BOOL is 0 or 1 */
    /* By binding index, those of an array behind the row's own. */
    uint32_t input_count;
    uint32_t output_count;
    struct vkdml_tensor *inputs;
    struct vkdml_tensor *outputs;
    const char **input_names; /* the field's, or "QuantizationTensors[1]" */
    const char **output_names;
    /* The operators that are fused into this one, in order: attributes only, no tensors. */
    uint32_t activation_count;
    struct vkdml_instance *activations;
    const char *role; /* of an operator that is fused: "FusedActivation", "ActivationDescs[2]"; else NULL */
};

/* The row of an operator, or NULL. */
typedef const VkdmlOperatorSchema *vkdml_schema_lookup(DML_OPERATOR_TYPE type);

/* The row of an implemented operator, or NULL. */
const VkdmlOperatorSchema *vkdml_schema_find(DML_OPERATOR_TYPE type);

/* Copies a descriptor. Refuses, a line each, what makes it unreadable: unknown operator or level, operator newer than
 * the level, null pointers, unknown tensor type or data type, dimension counts outside 1..8, an array's count field
 * beyond what its array may have, operators that cannot be fused. One allocation; *instance is NULL on failure. level
 * 0: the newest. */
VkdmlResult vkdml_instance_create(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level,
                                  const VkAllocationCallbacks *callbacks, struct vkdml_report *report,
                                  struct vkdml_instance **instance);

/* The same where outputs are not known: each is inferred, but for an optional one that is NULL, and has what the
 * descriptor knows of it. */
VkdmlResult vkdml_instance_create_known(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level,
                                        const VkAllocationCallbacks *callbacks, struct vkdml_report *report,
                                        struct vkdml_instance **instance);

/* The same by rows that are looked up otherwise than in the table. */
VkdmlResult vkdml_instance_create_of(vkdml_schema_lookup *find, const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level,
                                     const VkAllocationCallbacks *callbacks, struct vkdml_report *report,
                                     struct vkdml_instance **instance);

/* Its ScaleBias; NULL where it has none, or may have none. */
const DML_SCALE_BIAS *vkdml_instance_scale_bias(const struct vkdml_instance *instance);

void vkdml_instance_destroy(struct vkdml_instance *instance, const VkAllocationCallbacks *callbacks);

/* Finds of outputs that are inferred what the table's rules say. */
void vkdml_schema_infer(struct vkdml_instance *instance);

/* The generic rules on a readable descriptor: type and dimension count by level, zero sizes, element limit, minimum
 * total size, strides of outputs (zero, overlapping), flags (OWNED_BY_DML on outputs), alignment, enumerators by level,
 * agreement between tensors, the type of scalars; and of fused operators the enumerators. Adds a line per failure to
 * the report; none where something of an output that is inferred is not known. */
void vkdml_schema_check(const struct vkdml_instance *instance, struct vkdml_report *report);

/* The name of input or output `index`, for reasons; as long as the instance. */
const char *vkdml_input_name(const struct vkdml_instance *instance, uint32_t index);
const char *vkdml_output_name(const struct vkdml_instance *instance, uint32_t index);

/* "6_4", or NULL */
const char *vkdml_level_name(DML_FEATURE_LEVEL level);

#endif
