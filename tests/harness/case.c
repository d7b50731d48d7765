#include "case.h"

#include <assert.h>
#include <string.h>

void case_begin(struct operator_case *c, DML_OPERATOR_TYPE type) {
    memset(c, 0, sizeof(*c));
    c->schema = vkdmlGetOperatorSchema(type);
    assert(c->schema != NULL && c->schema->fieldCount <= CASE_MAX_FIELDS);
    assert(c->schema->descSize <= CASE_MAX_DESC_BYTES);
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &c->schema->fields[i];
        c->fields[i].word_count = field->type == VKDML_FIELD_TYPE_SCALE_BIAS     ? 2
                                  : field->type == VKDML_FIELD_TYPE_SCALAR_UNION ? 2
                                  : field->type == VKDML_FIELD_TYPE_TENSOR_DESC  ? 0
                                  : field->type == VKDML_FIELD_TYPE_UINT_ARRAY   ? 0
                                                                                 : 1;
    }
}

static struct case_field *find_field(struct operator_case *c, const char *name) {
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (strcmp(c->schema->fields[i].name, name) == 0) {
            c->fields[i].present = 1;
            return &c->fields[i];
        }
    }
    assert(0 && "no such field");
    return NULL;
}

struct case_tensor *case_tensor(struct operator_case *c, const char *field) {
    return &find_field(c, field)->tensor;
}

void case_set(struct operator_case *c, const char *field, uint32_t word_count, const uint32_t *words) {
    struct case_field *f = find_field(c, field);
    f->word_count = word_count;
    memcpy(f->words, words, word_count * sizeof(words[0]));
}

void case_set_uint(struct operator_case *c, const char *field, uint32_t value) {
    case_set(c, field, 1, &value);
}

void case_set_float(struct operator_case *c, const char *field, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    case_set(c, field, 1, &bits);
}

bool case_is_tensor(const struct operator_case *c, uint32_t field) {
    return c->schema->fields[field].type == VKDML_FIELD_TYPE_TENSOR_DESC;
}

bool case_is_input(const struct operator_case *c, uint32_t field) {
    return c->schema->fields[field].kind == VKDML_FIELD_KIND_INPUT_TENSOR;
}

uint32_t case_aliases(const struct operator_case *c, uint32_t field) {
    uint32_t aliases = 0, ordinal = 0;
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if ((c->schema->fields[field].mayAliasFields >> i & 1) != 0) {
            aliases |= (c->fields[field].tensor.in_place >> ordinal++ & 1) << i;
        }
    }
    return aliases;
}

static void build_tensor(const struct case_tensor *tensor, uint32_t index, struct case_desc *desc) {
    memcpy(desc->sizes[index], tensor->sizes, sizeof(tensor->sizes));
    memcpy(desc->strides[index], tensor->strides, sizeof(tensor->strides));
    desc->buffers[index] = (DML_BUFFER_TENSOR_DESC){
        .DataType = tensor->type,
        .Flags = tensor->owned ? DML_TENSOR_FLAG_OWNED_BY_DML : DML_TENSOR_FLAG_NONE,
        .DimensionCount = tensor->rank,
        .Sizes = desc->sizes[index],
        .Strides = tensor->has_strides ? desc->strides[index] : NULL,
        .TotalTensorSizeInBytes = case_total_bytes(tensor),
        .GuaranteedBaseOffsetAlignment = tensor->align,
    };
    desc->tensors[index] = (DML_TENSOR_DESC){.Type = DML_TENSOR_TYPE_BUFFER, .Desc = &desc->buffers[index]};
}

void case_build_desc(const struct operator_case *c, struct case_desc *desc) {
    memset(desc, 0, sizeof(*desc));
    desc->op = (DML_OPERATOR_DESC){.Type = c->schema->type, .Desc = desc->desc};
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        const VkdmlFieldSchema *schema = &c->schema->fields[i];
        const struct case_field *field = &c->fields[i];
        unsigned char *member = (unsigned char *)desc->desc + schema->offset;
        const void *pointer = NULL;
        memcpy(desc->words[i], field->words, sizeof(field->words));
        switch (schema->type) {
        case VKDML_FIELD_TYPE_TENSOR_DESC:
            build_tensor(&field->tensor, i, desc);
            pointer = &desc->tensors[i];
            break;
        case VKDML_FIELD_TYPE_UINT_ARRAY:
        case VKDML_FIELD_TYPE_INT_ARRAY:
        case VKDML_FIELD_TYPE_FLOAT_ARRAY:
        case VKDML_FIELD_TYPE_SCALE_BIAS:
            pointer = desc->words[i];
            break;
        case VKDML_FIELD_TYPE_UINT:
        case VKDML_FIELD_TYPE_INT:
        case VKDML_FIELD_TYPE_FLOAT:
        case VKDML_FIELD_TYPE_ENUM:
        case VKDML_FIELD_TYPE_BOOL:
        case VKDML_FIELD_TYPE_SIZE_2D:
        case VKDML_FIELD_TYPE_SCALAR_UNION:
            memcpy(member, field->words, field->word_count * sizeof(field->words[0]));
            continue;
        case VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY:
        case VKDML_FIELD_TYPE_OPERATOR_DESC:
        case VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY:
            assert(0 && "no row has such a field yet");
            continue;
        }
        if (field->present) {
            memcpy(member, &pointer, sizeof(pointer));
        }
    }
}

void case_strides(const struct case_tensor *tensor, uint32_t *strides) {
    if (tensor->has_strides) {
        memcpy(strides, tensor->strides, sizeof(tensor->strides));
        return;
    }
    uint32_t stride = 1;
    for (uint32_t d = tensor->rank; d-- > 0;) {
        strides[d] = stride;
        stride *= tensor->sizes[d];
    }
}

uint64_t case_element_count(const struct case_tensor *tensor) {
    uint64_t count = 1;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        count *= tensor->sizes[d];
    }
    return count;
}

uint64_t case_minimum_bytes(const struct case_tensor *tensor) {
    uint32_t strides[DML_TENSOR_DIMENSION_COUNT_MAX1] = {0};
    case_strides(tensor, strides);
    uint64_t last = 0;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        last += (uint64_t)(tensor->sizes[d] - 1) * strides[d];
    }
    return ((last + 1) * vkdmlGetDataTypeSize(tensor->type) + 3) / 4 * 4;
}

uint64_t case_total_bytes(const struct case_tensor *tensor) {
    return case_minimum_bytes(tensor) + tensor->slack;
}

bool case_next_coordinates(const struct case_tensor *tensor, uint32_t *coordinates) {
    for (uint32_t d = tensor->rank; d-- > 0;) {
        if (++coordinates[d] < tensor->sizes[d]) {
            return true;
        }
        coordinates[d] = 0;
    }
    return false;
}

uint64_t case_element_position(const struct case_tensor *tensor, const uint32_t *strides, const uint32_t *coordinates) {
    uint64_t position = 0;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        position += (uint64_t)coordinates[d] * strides[d];
    }
    return position;
}
