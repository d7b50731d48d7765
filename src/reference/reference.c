#include "reference/reference.h"

#include <assert.h>

typedef void (*reference)(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory);

static const reference references[] = {
#define VKDML_OPERATOR(NAME, name, ...) [DML_OPERATOR_##NAME] = vkdml_reference_##name,
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR
};

void vkdml_reference(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const size_t type = (size_t)instance->schema->type;
    assert(type < sizeof references / sizeof references[0] && references[type] != NULL);
    references[type](instance, memory);
}
