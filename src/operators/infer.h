/* Descriptors whose outputs are not known. */
#ifndef VKDML_OPERATORS_INFER_H
#define VKDML_OPERATORS_INFER_H

#include "operators/operators.h"

/* Copies a descriptor, finds its outputs' dimension counts and sizes, and their types where rules say them, and holds
 * it to all rules. A type that none says is UNKNOWN. *instance is NULL on failure. */
VkdmlResult vkdml_infer(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, const VkAllocationCallbacks *callbacks,
                        struct vkdml_report *report, struct vkdml_instance **instance);

#endif
