#include "hostile.h"

/* So many cases are drawn for one that has an optional input. */
#define MOST_DRAWN 1000

/* The field that is the nth input, or the number of fields. */
static uint32_t input_field(const VkdmlOperatorSchema *schema, uint32_t n) {
    uint32_t field = 0;
    while (field < schema->fieldCount && (schema->fields[field].kind != VKDML_FIELD_KIND_INPUT_TENSOR || n-- != 0)) {
        field++;
    }
    return field;
}

uint32_t hostile_count(const struct case_family *family) {
    const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchema(family->type);
    uint32_t count = 0;
    while (input_field(schema, count) < schema->fieldCount) {
        count++;
    }
    return count;
}

/* The size of any dimension of any tensor: some of them are what coordinates and lengths are of. */
static uint32_t any_size(struct random *random, const struct operator_case *c) {
    const uint32_t chosen = random_below(random, case_input_count(c) + case_output_count(c));
    struct case_at at = case_first(c);
    struct case_at next = at;
    for (uint32_t i = 0; i < chosen && next.tensor != NULL; i++) {
        at = next;
        next = case_next(c, next);
    }
    return at.tensor->sizes[random_below(random, at.tensor->rank)];
}

/* Inputs of coordinates say of which dimension. */
static void make_hostile(struct random *random, const struct operator_case *c, struct case_tensor *tensor) {
    const uint32_t size = any_size(random, c);
    if (tensor->fill < CASE_FILL_INDICES || tensor->fill > CASE_FILL_PERMUTED) {
        tensor->fill_permille = size;
    }
    tensor->fill = CASE_FILL_HOSTILE;
    tensor->value_count = 0;
}

bool hostile_generate(const struct case_family *family, uint32_t n, struct random *random, struct operator_case *c) {
    bool any = false;
    for (uint32_t i = 0; i < MOST_DRAWN && !any; i++) {
        family->generate(family, random, c);
        for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
            if (at.field == input_field(c->schema, n)) {
                make_hostile(random, c, &c->tensors[at.slot]);
                any = true;
            }
        }
    }
    return any;
}
