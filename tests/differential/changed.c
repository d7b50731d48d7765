#include "changed.h"

#include <string.h>

#include "cases/generate.h"
#include "fuzz/change_case.h"

#define MOST_TRIES     300
#define MOST_BYTES     65536 /* of a tensor */
#define MOST_ELEMENTS  4096
#define MOST_ATTRIBUTE 64 /* windows, repetitions: what loops hang on beside sizes */
#define BUDGET         64 /* elements of what is changed */

static uint64_t elements_of(const struct case_tensor *tensor) {
    uint64_t elements = 1;
    for (uint32_t d = 0; d < tensor->rank && elements <= MOST_ELEMENTS; d++) {
        elements *= tensor->sizes[d];
    }
    return elements;
}

/* Elements that were typed in are of the tensor as it was, and places in others' memory of both as they were. */
static void forget_data(struct operator_case *c) {
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        struct case_tensor *tensor = &c->tensors[at.slot];
        tensor->in_place = 0;
        if (!at.is_input || tensor->value_count != elements_of(tensor)) {
            tensor->value_count = 0;
            memset(tensor->values, 0, sizeof(tensor->values));
            memset(tensor->kept, 0, sizeof(tensor->kept));
        }
    }
}

static bool is_small(const struct operator_case *c) {
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (elements_of(at.tensor) > MOST_ELEMENTS || case_total_bytes(at.tensor) > MOST_BYTES) {
            return false;
        }
    }
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        for (uint32_t w = 0; w < c->fields[i].word_count; w++) {
            if (c->schema->fields[i].type == VKDML_FIELD_TYPE_UINT_ARRAY && c->fields[i].words[w] > MOST_ATTRIBUTE) {
                return false;
            }
        }
    }
    return true;
}

bool changed_generate(const struct case_family *family, struct random *random, struct operator_case *c) {
    static struct case_desc desc;
    uint8_t data[64];
    generate_fix_budget(BUDGET);
    for (uint32_t tries = 0; tries < MOST_TRIES; tries++) {
        struct bytes bytes = {data, sizeof(data)};
        case_begin(c, family->type);
        family->generate(family, random, c);
        random_bytes(random, data, sizeof(data));
        change_case(&bytes, c);
        forget_data(c);
        case_build_desc(c, &desc);
        if (is_small(c) && vkdmlValidateOperator(&desc.op, c->level) == VKDML_SUCCESS) {
            return true;
        }
    }
    return false;
}
