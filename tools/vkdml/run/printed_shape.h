/* The shape in which a resource is printed. */
#ifndef PRINTED_SHAPE_H
#define PRINTED_SHAPE_H

#include "model/model.h"

/* The sizes of the tensor that the latest dispatch before the command, or the next one after it, binds the resource's
 * values to, where that has their type and their number and no gaps; else those of the file they came from; else their
 * number. Returns how many there are. */
uint32_t printed_shape(const struct model *model, const struct command *command,
                       uint64_t sizes[COMPARE_MAX_DIMENSIONS]);

#endif
