#include "template_values.h"

#include <fnmatch.h>
#include <string.h>

#define ROW(operator_name, field, value, data) {operator_name, field, value, data},

static const struct template_value rows[] = {
#include "template_values.inc"
};

const struct template_value *template_value_find(const VkdmlOperatorSchema *schema, const VkdmlFieldSchema *field) {
    const char *name = schema->name + strlen("DML_OPERATOR_");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (fnmatch(rows[i].operator_name, name, 0) == 0 && fnmatch(rows[i].field, field->name, 0) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}
