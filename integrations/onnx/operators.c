#include "onnx/operators.h"

#include <pthread.h>
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

const struct onnx_operator *onnx_operator_at(uint32_t index) {
    for (uint32_t f = 0; f < FAMILIES; ++f) {
        if (index < families[f]->count) {
            return &families[f]->operators[index];
        }
        index -= families[f]->count;
    }
    return NULL;
}

/* ---- rows by name ---- */

/* More than twice the number of rows. */
#define SLOTS 2048

/* Open addressing: the rows of one name follow each other, up to an empty slot. */
static const struct onnx_operator *slots[SLOTS];

/* FNV-1a: 2166136261 and 16777619 are its 32-bit offset basis and prime. */
static uint32_t slot_of(const char *op) {
    uint32_t hash = UINT32_C(2166136261);
    for (; *op != 0; ++op) {
        hash = (hash ^ (unsigned char)*op) * UINT32_C(16777619);
    }
    return (hash ^ hash >> 16) % SLOTS;
}

static void fill_slots(void) {
    const struct onnx_operator *row;
    for (uint32_t i = 0; i < SLOTS / 2 && (row = onnx_operator_at(i)) != NULL; ++i) {
        uint32_t slot = slot_of(row->op);
        while (slots[slot] != NULL) {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = row;
    }
}

const struct onnx_operator *onnx_find_operator(const char *domain, const char *op, uint32_t version) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct onnx_operator *found = NULL;
    pthread_once(&once, fill_slots);
    for (uint32_t slot = slot_of(op); slots[slot] != NULL; slot = (slot + 1) % SLOTS) {
        const struct onnx_operator *row = slots[slot];
        if (row->since <= version && (found == NULL || row->since > found->since) && strcmp(row->op, op) == 0 &&
            strcmp(row->domain, domain) == 0) {
            found = row;
        }
    }
    return found;
}
