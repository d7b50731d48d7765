/* Whether the shape of a .npy file is a tensor's. */
#ifndef SHAPE_H
#define SHAPE_H

#include "model/model.h"

/* Warns where a resource comes from a .npy file whose elements are not those of the tensor, one for one and in the
 * order in which they lie in memory: of another type, or of another shape but for dimensions of one element. Tensors
 * with gaps between their elements are not judged. Once a resource; `owner` begins the message. */
void shape_check(const struct model *model, struct resource *resource, const DML_BUFFER_TENSOR_DESC *tensor,
                 const struct json_object *where, const char *owner);

#endif
