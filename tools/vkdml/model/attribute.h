/* A descriptor's numbers, from JSON. */
#ifndef ATTRIBUTE_H
#define ATTRIBUTE_H

#include "model/builder.h"

/* Any field that is neither a tensor nor an operator. */
bool attribute_read(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field);

#endif
