/* In place of which inputs a descriptor's outputs may lie: what binding and the reference hold callers to. */
#ifndef VKDML_SCHEMA_ALIASES_H
#define VKDML_SCHEMA_ALIASES_H

#include "base/aliases.h"
#include "schema/schema.h"

/* Of a field of the instance's operator that is an output tensor, or an array of them, which is never in place. */
struct vkdml_aliases vkdml_output_aliases(const struct vkdml_instance *instance, const VkdmlFieldSchema *output);

#endif
