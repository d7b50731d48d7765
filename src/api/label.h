/* An operator in words, for tools that show what a command buffer does. */
#ifndef VKDML_API_LABEL_H
#define VKDML_API_LABEL_H

#include <stddef.h>

#include "schema/schema.h"

/* Writes "DML_OPERATOR_GEMM: ATensor FLOAT32 1x1x64x32, .., OutputTensor FLOAT32 1x1x64x16", cut behind a tensor where
 * there is no room for all. */
void vkdml_write_label(const struct vkdml_instance *instance, char *label, size_t capacity);

#endif
