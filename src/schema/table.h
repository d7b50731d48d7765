/* The tables behind the schema: rows by index, and what is known of operators without a row. */
#ifndef VKDML_SCHEMA_TABLE_H
#define VKDML_SCHEMA_TABLE_H

#include "vkdml/schema.h"

/* How many rows there are. */
uint32_t vkdml_schema_count(void);

/* The row at an index, or NULL beyond the last. */
const VkdmlOperatorSchema *vkdml_schema_at(uint32_t index);

/* "DML_OPERATOR_..." of any of DirectML's operators, or NULL. */
const char *vkdml_operator_name(DML_OPERATOR_TYPE type);

/* The feature level that introduced any of DirectML's operators, or 0. */
DML_FEATURE_LEVEL vkdml_operator_level(DML_OPERATOR_TYPE type);

/* The feature level from which any of DirectML's operators may be fused into all others that fuse; 0: never. */
DML_FEATURE_LEVEL vkdml_operator_fusable_since(DML_OPERATOR_TYPE type);

#endif
