/* Reading a model from a JSON file. */
#ifndef LOAD_H
#define LOAD_H

#include "model/model.h"

/* Reads a model. input_path NULL: the model's folder; output_path NULL: the working directory. Every mistake found is
 * on stderr; the model must be freed either way. */
bool model_load(struct model *model, const char *path, const char *input_path, const char *output_path);

#endif
