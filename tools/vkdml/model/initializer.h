/* The first contents of a model's buffers. */
#ifndef INITIALIZER_H
#define INITIALIZER_H

#include "model/model.h"

/* Reads the resource from its JSON (name and json are set). */
bool initializer_load(struct model *model, struct resource *resource);

/* Reads values alone into a resource whose name, json, member and type are set. */
bool initializer_load_values(struct model *model, struct resource *resource, struct json_object *values);

/* Gives a deferred resource the size and type of the tensor it is first bound to, and zeros. */
bool initializer_settle(struct model *model, struct resource *resource, const DML_BUFFER_TENSOR_DESC *tensor,
                        uint64_t offset);

#endif
