/* Operator descriptors out of JSON, by the library's operator table: no operator is named here. */
#ifndef DESCRIPTOR_H
#define DESCRIPTOR_H

#include "model/model.h"

/* Builds the descriptor of a dispatchable (name and json are set): schema, fields, desc and flags. */
bool descriptor_load(struct model *model, struct dispatchable *dispatchable);

#endif
