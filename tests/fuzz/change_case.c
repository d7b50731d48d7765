#include "change_case.h"

#include <stdbool.h>
#include <string.h>

#include "cases/family.h"
#include "cases/generate.h"
#include "cases/random.h"

/* Small ones, powers of two and their neighbours, and any. */
static uint32_t take_size(struct bytes *bytes) {
    const uint32_t choice = take(bytes, 1);
    if (choice < 64)
        return choice % 9;
    if (choice < 224)
        return (UINT32_C(1) << choice % 32) + choice / 32 % 3 - 1;
    return choice < 240 ? UINT32_MAX : take(bytes, 4);
}

/* A tensor that is present; NULL: there is none. */
static struct case_tensor *take_tensor(struct bytes *bytes, struct operator_case *c) {
    uint32_t count = 0;
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at))
        count++;
    uint32_t wanted = count != 0 ? take(bytes, 1) % count : 0;
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at))
        if (wanted-- == 0)
            return &c->tensors[at.slot];
    return NULL;
}

/* Whether other fields have as many elements as this one says. */
static bool is_count(const struct operator_case *c, uint32_t index) {
    bool counts = false;
    for (uint32_t i = 0; i < c->schema->fieldCount; i++)
        counts = counts || c->schema->fields[i].countField == index;
    return counts;
}

/* One size wherever it is said: of tensors and, where `in_words`, of attributes. */
static void replace(struct operator_case *c, uint32_t size, uint32_t other, bool in_words) {
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        struct case_tensor *tensor = &c->tensors[at.slot];
        for (uint32_t d = 0; d < tensor->rank; d++)
            tensor->sizes[d] = tensor->sizes[d] == size ? other : tensor->sizes[d];
    }
    for (uint32_t i = 0; in_words && i < c->schema->fieldCount; i++)
        for (uint32_t w = 0; w < c->fields[i].word_count && !is_count(c, i); w++)
            c->fields[i].words[w] = c->fields[i].words[w] == size ? other : c->fields[i].words[w];
}

/* A number, or a float's bits; a count only gets less, since there are no more elements. */
static void change_field(struct bytes *bytes, const VkdmlFieldSchema *schema, bool counts, struct case_field *field) {
    if (field->word_count == 0)
        return;
    const uint32_t number = take_size(bytes);
    const float real = (float)number / 256;
    uint32_t bits;
    memcpy(&bits, &real, sizeof(bits));
    uint32_t *word = &field->words[take(bytes, 1) % field->word_count];
    const bool is_float = schema->type == VKDML_FIELD_TYPE_FLOAT || schema->type == VKDML_FIELD_TYPE_FLOAT_ARRAY;
    *word = is_float ? bits : counts && number > *word ? *word : number;
}

static void change_attribute(struct bytes *bytes, struct operator_case *c) {
    const uint32_t index = take(bytes, 1) % c->schema->fieldCount;
    const VkdmlFieldSchema *schema = &c->schema->fields[index];
    struct case_fused *fused = &c->fused[0];
    if (schema->type != VKDML_FIELD_TYPE_OPERATOR_DESC && schema->type != VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY) {
        if (!case_is_tensor(c, index))
            change_field(bytes, schema, is_count(c, index), &c->fields[index]);
    } else if (c->fields[index].present && c->fields[index].count > 0) {
        const uint32_t field = take(bytes, 1) % fused->schema->fieldCount;
        change_field(bytes, &fused->schema->fields[field], true, &fused->fields[field]);
    }
}

static void change(struct bytes *bytes, struct operator_case *c) {
    const uint32_t choice = take(bytes, 1) % 8;
    struct case_tensor *tensor = take_tensor(bytes, c);
    const uint32_t d = tensor != NULL && tensor->rank != 0 ? take(bytes, 1) % tensor->rank : CASE_MAX_RANK;
    if (choice == 0)
        change_attribute(bytes, c);
    if (d == CASE_MAX_RANK)
        return;
    switch (choice) {
    case 1:
        tensor->sizes[d] = take_size(bytes);
        break;
    case 2:
    case 3:
        replace(c, tensor->sizes[d], take_size(bytes), choice == 3);
        break;
    case 4:
    case 5:
        if (!tensor->has_strides)
            case_strides(tensor, tensor->strides);
        tensor->has_strides = 1;
        tensor->strides[d] = take_size(bytes);
        break;
    case 6:
        tensor->type = (DML_TENSOR_DATA_TYPE)(1 + take(bytes, 1) % DML_TENSOR_DATA_TYPE_INT4);
        break;
    default:
        tensor->has_strides = 0;
        tensor->owned = choice == 7 ? take(bytes, 1) % 2 : tensor->owned;
        break;
    }
}

/* Gives outputs the sizes that follow from the rest, and packs them where they had others. */
static void settle(struct operator_case *c) {
    static struct case_desc desc;
    static VkdmlTensorShape shapes[CASE_MAX_TENSORS];
    case_build_desc(c, &desc);
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (!at.is_input) {
            desc.buffers[at.slot].DimensionCount = 0;
            desc.buffers[at.slot].Sizes = NULL;
            desc.buffers[at.slot].Strides = NULL;
        }
    }
    if (vkdmlInferOutputSizes(&desc.op, c->level, case_output_count(c), shapes) != VKDML_SUCCESS)
        return;
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        const VkdmlTensorShape *shape = &shapes[at.binding];
        struct case_tensor *tensor = &c->tensors[at.slot];
        if (at.is_input || shape->dimensionCount == 0)
            continue;
        tensor->has_strides = tensor->has_strides && tensor->rank == shape->dimensionCount;
        tensor->rank = shape->dimensionCount;
        memcpy(tensor->sizes, shape->sizes, sizeof(shape->sizes[0]) * shape->dimensionCount);
    }
}

void change_case(struct bytes *bytes, struct operator_case *c) {
    for (uint32_t changes = take(bytes, 1) % 6; changes > 0; changes--)
        change(bytes, c);
    if (take(bytes, 1) % 4 != 1)
        settle(c);
}

void take_case(struct bytes *bytes, struct operator_case *c) {
    const struct case_family *family = case_families[take(bytes, 2) % case_family_count];
    struct random random = {take(bytes, 2)};
    generate_fix_budget(64);
    case_begin(c, family->type);
    family->generate(family, &random, c);
    change_case(bytes, c);
}
