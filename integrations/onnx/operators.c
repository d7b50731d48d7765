#include "onnx/operators.h"

#include <string.h>

#define ONNX_FAMILY(name) extern const struct onnx_family onnx_family_##name;
#include "onnx/families.inc"
#undef ONNX_FAMILY

static const struct onnx_family *const families[] = {
#define ONNX_FAMILY(name) &onnx_family_##name,
#include "onnx/families.inc"
#undef ONNX_FAMILY
};

enum { FAMILIES = sizeof families / sizeof families[0] };

const struct onnx_operator *onnx_find_operator(const char *domain, const char *op, uint32_t version) {
    const struct onnx_operator *found = NULL;
    for (uint32_t f = 0; f < FAMILIES; ++f) {
        for (uint32_t i = 0; i < families[f]->count; ++i) {
            const struct onnx_operator *row = &families[f]->operators[i];
            if (row->since <= version && (found == NULL || row->since > found->since) && strcmp(row->op, op) == 0 &&
                strcmp(row->domain, domain) == 0) {
                found = row;
            }
        }
    }
    return found;
}

const struct onnx_operator *onnx_operator_at(uint32_t index) {
    for (uint32_t f = 0; f < FAMILIES; ++f) {
        if (index < families[f]->count) {
            return &families[f]->operators[index];
        }
        index -= families[f]->count;
    }
    return NULL;
}
