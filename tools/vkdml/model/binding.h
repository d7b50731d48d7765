/* What a model binds to the tensors of an operator. */
#ifndef BINDING_H
#define BINDING_H

#include "model/model.h"

/* Reads a dispatchable's own `bindings`, of its OWNED_BY_DML inputs, into dispatchable->owned. */
bool binding_load_owned(struct model *model, struct dispatchable *dispatchable);

/* Reads the `bindings` of a dispatch command into command->inputs and command->outputs. */
bool binding_load_dispatch(struct model *model, struct command *command);

#endif
