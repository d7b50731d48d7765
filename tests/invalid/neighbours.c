#include "neighbours.h"

#include <string.h>

#include "documented.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct visitor {
    neighbour_visit *visit;
    void *context;
    struct operator_case *c; /* put back as it was after each visit */
};

static void visit(const struct visitor *visitor) {
    visitor->visit(visitor->c, visitor->context);
}

static void visit_with(const struct visitor *visitor, uint32_t *word, uint32_t value) {
    const uint32_t was = *word;
    if (value != was) {
        *word = value;
        visit(visitor);
        *word = was;
    }
}

/* ---- tensors ---- */

static void visit_sizes(const struct visitor *visitor, struct case_tensor *tensor) {
    for (uint32_t d = 0; d < tensor->rank; d++) {
        const uint32_t size = tensor->sizes[d];
        const uint32_t others[] = {1, 2, 3, size + 1, size - 1, size * 2, size / 2, 65536};
        for (size_t i = 0; i < COUNT_OF(others); i++) {
            if (others[i] != 0) {
                visit_with(visitor, &tensor->sizes[d], others[i]);
            }
        }
    }
}

static void visit_ranks(const struct visitor *visitor, struct case_tensor *tensor) {
    const struct case_tensor was = *tensor;
    tensor->has_strides = 0;
    if (tensor->rank > 1) {
        tensor->rank--;
        visit(visitor); /* without the last dimension */
        memmove(tensor->sizes, was.sizes + 1, tensor->rank * sizeof(tensor->sizes[0]));
        visit(visitor);
        *tensor = was;
        tensor->has_strides = 0;
    }
    if (tensor->rank < CASE_MAX_RANK) {
        memmove(tensor->sizes + 1, was.sizes, tensor->rank * sizeof(tensor->sizes[0]));
        tensor->sizes[0] = 1;
        tensor->rank++;
        visit(visitor);
    }
    *tensor = was;
}

static void visit_tensor(const struct visitor *visitor, struct case_tensor *tensor) {
    const struct case_tensor was = *tensor;
    for (uint32_t type = 1; type < TYPE_COUNT; type++) {
        tensor->type = (DML_TENSOR_DATA_TYPE)type;
        visit(visitor);
    }
    *tensor = was;
    visit_with(visitor, &tensor->owned, !tensor->owned);
    visit_sizes(visitor, tensor);
    visit_ranks(visitor, tensor);
}

/* Without the tensors of a field; and where there are none, as the tensors of each other field are. */
static void visit_presence(const struct visitor *visitor, uint32_t index) {
    struct operator_case *c = visitor->c;
    struct case_field *field = &c->fields[index];
    const struct case_field was = *field;
    if (field->present) {
        field->present = 0;
        visit(visitor);
    } else {
        const struct case_tensor tensor_was = c->tensors[index];
        for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
            if (case_is_tensor(c, i) && c->fields[i].present) {
                c->tensors[index] = c->tensors[i];
                c->tensors[index].value_count = 0;
                field->present = field->count = 1;
                visit(visitor);
                *field = was;
            }
        }
        c->tensors[index] = tensor_was;
    }
    *field = was;
}

/* ---- attributes ---- */

static void visit_float(const struct visitor *visitor, uint32_t *word) {
    static const uint32_t others[] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x40000000, 0x7f800000, 0x7fc00000};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        visit_with(visitor, word, others[i]);
    }
}

static void visit_number(const struct visitor *visitor, uint32_t *word) {
    const uint32_t number = *word;
    const uint32_t others[] = {0,          1,
                               2,          3,
                               4,          5,
                               6,          7,
                               8,          9,
                               number + 1, number - 1,
                               number * 2, number / 2,
                               4096,       UINT32_C(65537),
                               INT32_MAX,  UINT32_C(1) << 31,
                               UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        visit_with(visitor, word, others[i]);
    }
}

/* What an array's elements are counted by is held to what there is room for, or far more than an array may have. */
static void visit_count(const struct visitor *visitor, uint32_t *word) {
    const uint32_t others[] = {0, 1, 2, 3, 4, 5, *word + 1, *word - 1, 7, 8, 9, UINT32_C(65537), UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        if (others[i] <= 9 || others[i] > 65536) {
            visit_with(visitor, word, others[i]);
        }
    }
}

static bool counts(const VkdmlOperatorSchema *schema, uint32_t index) {
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        if (schema->fields[i].countField == index) {
            return true;
        }
    }
    return false;
}

static void visit_words(const struct visitor *visitor, const VkdmlOperatorSchema *schema, uint32_t index,
                        struct case_field *field) {
    const VkdmlFieldType type = schema->fields[index].type;
    for (uint32_t i = 0; i < field->word_count; i++) {
        if (type == VKDML_FIELD_TYPE_FLOAT || type == VKDML_FIELD_TYPE_FLOAT_ARRAY ||
            type == VKDML_FIELD_TYPE_SCALE_BIAS) {
            visit_float(visitor, &field->words[i]);
        } else if (counts(schema, index)) {
            visit_count(visitor, &field->words[i]);
        } else {
            visit_number(visitor, &field->words[i]);
        }
    }
    const bool is_pointer = type == VKDML_FIELD_TYPE_UINT_ARRAY || type == VKDML_FIELD_TYPE_INT_ARRAY ||
                            type == VKDML_FIELD_TYPE_FLOAT_ARRAY || type == VKDML_FIELD_TYPE_SCALE_BIAS;
    if (is_pointer) {
        visit_with(visitor, &field->present, !field->present);
    }
}

static void visit_fused(const struct visitor *visitor, uint32_t index) {
    struct operator_case *c = visitor->c;
    struct case_field *field = &c->fields[index];
    const struct case_field was = *field;
    for (uint32_t i = 0; field->present && i < field->count; i++) {
        struct case_fused *fused = &c->fused[i];
        for (uint32_t k = 0; k < fused->schema->fieldCount; k++) {
            visit_words(visitor, fused->schema, k, &fused->fields[k]);
        }
    }
    field->present = 0;
    visit(visitor);
    *field = was;
    const struct case_fused fused_was = c->fused[0];
    for (int type = 1; type <= DML_OPERATOR_UNFOLD; type++) {
        if (strncmp(vkdmlGetOperatorName((DML_OPERATOR_TYPE)type), "DML_OPERATOR_ACTIVATION_", 24) == 0) {
            case_fuse(c, c->schema->fields[index].name, 0, (DML_OPERATOR_TYPE)type);
            visit(visitor);
            *field = was;
        }
    }
    c->fused[0] = fused_was;
}

/* ---- the case ---- */

static void visit_levels(const struct visitor *visitor) {
    const DML_FEATURE_LEVEL was = visitor->c->level;
    for (size_t i = 0; i < LEVEL_COUNT; i++) {
        visitor->c->level = levels[i].value;
        visit(visitor);
    }
    visitor->c->level = was;
}

void visit_neighbours(const struct operator_case *c, neighbour_visit *visit_one, void *context) {
    static struct operator_case copy;
    copy = *c;
    const struct visitor visitor = {visit_one, context, &copy};
    visit(&visitor);
    visit_levels(&visitor);
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        visit_tensor(&visitor, &copy.tensors[at.slot]);
    }
    for (uint32_t i = 0; i < copy.schema->fieldCount; i++) {
        switch (copy.schema->fields[i].type) {
        case VKDML_FIELD_TYPE_TENSOR_DESC:
        case VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY:
            visit_presence(&visitor, i);
            break;
        case VKDML_FIELD_TYPE_OPERATOR_DESC:
        case VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY:
            visit_fused(&visitor, i);
            break;
        default:
            visit_words(&visitor, copy.schema, i, &copy.fields[i]);
            break;
        }
    }
}
