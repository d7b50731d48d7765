/* The operator table once more, as the list of case families: an operator without cases does not link. */
#include "cases/family.h"

#define VKDML_OPERATOR(NAME, name, ...) extern const struct case_family vkdml_cases_##name;
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR

#define VKDML_OPERATOR(NAME, name, ...) &vkdml_cases_##name,
const struct case_family *const case_families[] = {
#include "schema/operator_table.inc"
};
#undef VKDML_OPERATOR

const size_t case_family_count = sizeof(case_families) / sizeof(case_families[0]);

const struct case_family *case_family_of(DML_OPERATOR_TYPE type) {
    for (size_t i = 0; i < case_family_count; i++) {
        if (case_families[i]->type == type) {
            return case_families[i];
        }
    }
    return NULL;
}

accuracy_bounds_of *case_bounds(DML_OPERATOR_TYPE type) {
    const struct case_family *family = case_family_of(type);
    return family != NULL ? family->bounds : NULL;
}
