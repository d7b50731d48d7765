/* The tests' own rows in the operator table's place: the linker wraps the functions. */
#include "rows/own_rows.h"

const VkdmlOperatorSchema *__wrap_vkdmlGetOperatorSchema(DML_OPERATOR_TYPE type);
const VkdmlOperatorSchema *__wrap_vkdmlGetOperatorSchemaAt(uint32_t index);
uint32_t __wrap_vkdmlGetOperatorSchemaCount(void);

const VkdmlOperatorSchema *__wrap_vkdmlGetOperatorSchema(DML_OPERATOR_TYPE type) {
    return own_row_find(type);
}

const VkdmlOperatorSchema *__wrap_vkdmlGetOperatorSchemaAt(uint32_t index) {
    return own_row_at(index);
}

uint32_t __wrap_vkdmlGetOperatorSchemaCount(void) {
    return own_row_count();
}
