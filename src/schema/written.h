/* How much of an output an execution writes. */
#ifndef VKDML_SCHEMA_WRITTEN_H
#define VKDML_SCHEMA_WRITTEN_H

#include "schema/schema.h"

/* The number of bytes, from the first element on, that every execution of an operator writes. */
uint64_t vkdml_output_written(const struct vkdml_instance *instance, uint32_t output);

#endif
