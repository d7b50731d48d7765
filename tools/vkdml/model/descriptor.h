/* Operator descriptors out of JSON, by the library's operator table: no operator is named here. */
#ifndef DESCRIPTOR_H
#define DESCRIPTOR_H

#include "model/model.h"

/* Finds the operator of a dispatchable (name and json are set): schema and fields. */
bool descriptor_find(struct model *model, struct dispatchable *dispatchable);

/* Reads a dispatchable's flags; descriptor_load() does for operators. */
bool descriptor_load_flags(struct model *model, struct dispatchable *dispatchable);

/* Builds the descriptor of a dispatchable whose operator was found: desc and flags. */
bool descriptor_load(struct model *model, struct dispatchable *dispatchable);

#endif
