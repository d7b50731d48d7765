/* Example values of descriptor fields, for operators' templates. */
#ifndef TEMPLATE_VALUES_H
#define TEMPLATE_VALUES_H

#include <vkdml/schema.h>

/* See template_values.inc. */
struct template_value {
    const char *operator_name; /* without DML_OPERATOR_; '*' stands for anything */
    const char *field;         /* the same */
    const char *value;
    const char *data; /* NULL: any */
};

/* The row of a field, or NULL. */
const struct template_value *template_value_find(const VkdmlOperatorSchema *schema, const VkdmlFieldSchema *field);

#endif
