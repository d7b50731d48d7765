/* A descriptor's tensors, from JSON. */
#ifndef TENSOR_H
#define TENSOR_H

#include "model/builder.h"

/* A tensor, and an array of them. */
bool tensor_read(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field);
bool tensor_read_array(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field);

#endif
