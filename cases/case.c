#include "cases/case.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cases/number.h"

static uint32_t word_count(VkdmlFieldType type) {
    switch (type) {
    case VKDML_FIELD_TYPE_UINT:
    case VKDML_FIELD_TYPE_INT:
    case VKDML_FIELD_TYPE_FLOAT:
    case VKDML_FIELD_TYPE_ENUM:
    case VKDML_FIELD_TYPE_BOOL:
        return 1;
    case VKDML_FIELD_TYPE_SCALE_BIAS:
    case VKDML_FIELD_TYPE_SCALAR_UNION:
    case VKDML_FIELD_TYPE_SIZE_2D:
        return 2;
    default:
        return 0;
    }
}

static void begin_fields(const VkdmlOperatorSchema *schema, uint32_t most, struct case_field *fields) {
    assert(schema != NULL && schema->fieldCount <= most && schema->descSize <= CASE_MAX_DESC_BYTES);
    (void)most;
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        fields[i] = (struct case_field){.word_count = word_count(schema->fields[i].type)};
    }
}

void case_begin(struct operator_case *c, DML_OPERATOR_TYPE type) {
    memset(c, 0, sizeof(*c));
    c->schema = vkdmlGetOperatorSchema(type);
    begin_fields(c->schema, CASE_MAX_FIELDS, c->fields);
}

static uint32_t find_field(const VkdmlOperatorSchema *schema, const char *name) {
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        if (strcmp(schema->fields[i].name, name) == 0) {
            return i;
        }
    }
    assert(0 && "no such field");
    return 0;
}

/* The field with an element more, where it is not there yet. */
static uint32_t open_field(struct operator_case *c, const char *name, uint32_t element) {
    const uint32_t index = find_field(c->schema, name);
    struct case_field *field = &c->fields[index];
    assert(element <= field->count);
    field->present = 1;
    field->count = element < field->count ? field->count : element + 1;
    return index;
}

static uint32_t slot_of(uint32_t field, uint32_t element) {
    assert(element < CASE_MAX_ARRAY);
    return element == 0 ? field : CASE_MAX_FIELDS + element - 1;
}

struct case_tensor *case_array_tensor(struct operator_case *c, const char *field, uint32_t element) {
    return &c->tensors[slot_of(open_field(c, field, element), element)];
}

struct case_tensor *case_tensor(struct operator_case *c, const char *field) {
    return case_array_tensor(c, field, 0);
}

struct case_fused *case_fuse(struct operator_case *c, const char *field, uint32_t element, DML_OPERATOR_TYPE type) {
    assert(element < CASE_MAX_FUSED);
    open_field(c, field, element);
    struct case_fused *fused = &c->fused[element];
    fused->schema = vkdmlGetOperatorSchema(type);
    begin_fields(fused->schema, CASE_MAX_FUSED_FIELDS, fused->fields);
    return fused;
}

static void set_words(struct case_field *field, uint32_t word_count, const uint32_t *words) {
    field->present = 1;
    field->word_count = word_count;
    memcpy(field->words, words, word_count * sizeof(words[0]));
}

void case_set(struct operator_case *c, const char *field, uint32_t word_count, const uint32_t *words) {
    set_words(&c->fields[find_field(c->schema, field)], word_count, words);
}

void case_set_uint(struct operator_case *c, const char *field, uint32_t value) {
    case_set(c, field, 1, &value);
}

void case_set_float(struct operator_case *c, const char *field, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    case_set(c, field, 1, &bits);
}

void case_fused_set_float(struct case_fused *fused, const char *field, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    set_words(&fused->fields[find_field(fused->schema, field)], 1, &bits);
}

uint32_t case_index(const struct operator_case *c, const char *field) {
    return find_field(c->schema, field);
}

bool case_has(const struct operator_case *c, const char *field) {
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (strcmp(c->schema->fields[i].name, field) == 0) {
            return true;
        }
    }
    return false;
}

const uint32_t *case_words(const struct operator_case *c, const char *field) {
    return c->fields[find_field(c->schema, field)].words;
}

uint32_t case_word(const struct operator_case *c, const char *field) {
    return *case_words(c, field);
}

float case_float(const struct operator_case *c, const char *field) {
    float value;
    memcpy(&value, case_words(c, field), sizeof(value));
    return value;
}

bool case_is_tensor(const struct operator_case *c, uint32_t field) {
    return c->schema->fields[field].kind != VKDML_FIELD_KIND_ATTRIBUTE;
}

bool case_is_input(const struct operator_case *c, uint32_t field) {
    return c->schema->fields[field].kind == VKDML_FIELD_KIND_INPUT_TENSOR;
}

/* The first tensor from that one on. */
static struct case_at find_tensor(const struct operator_case *c, uint32_t field, uint32_t element) {
    while (field < c->schema->fieldCount &&
           (!case_is_tensor(c, field) || !c->fields[field].present || element >= c->fields[field].count)) {
        field++;
        element = 0;
    }
    if (field == c->schema->fieldCount) {
        return (struct case_at){.tensor = NULL};
    }
    const uint32_t slot = slot_of(field, element);
    return (struct case_at){.field = field,
                            .element = element,
                            .slot = slot,
                            .binding = c->schema->fields[field].bindingIndex + element,
                            .is_input = case_is_input(c, field),
                            .tensor = &c->tensors[slot]};
}

struct case_at case_first(const struct operator_case *c) {
    return find_tensor(c, 0, 0);
}

struct case_at case_next(const struct operator_case *c, struct case_at at) {
    return find_tensor(c, at.field, at.element + 1);
}

struct case_name case_tensor_name(const struct operator_case *c, struct case_at at) {
    const VkdmlFieldSchema *field = &c->schema->fields[at.field];
    struct case_name name;
    if (field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY) {
        snprintf(name.text, sizeof(name.text), "%s[%" PRIu32 "]", field->name, at.element);
    } else {
        snprintf(name.text, sizeof(name.text), "%s", field->name);
    }
    return name;
}

static uint32_t count_tensors(const struct operator_case *c, VkdmlFieldKind kind) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (c->schema->fields[i].kind == kind) {
            count += c->schema->fields[i].type == VKDML_FIELD_TYPE_TENSOR_DESC ? 1 : c->fields[i].count;
        }
    }
    return count;
}

uint32_t case_input_count(const struct operator_case *c) {
    return count_tensors(c, VKDML_FIELD_KIND_INPUT_TENSOR);
}

uint32_t case_output_count(const struct operator_case *c) {
    return count_tensors(c, VKDML_FIELD_KIND_OUTPUT_TENSOR);
}

uint32_t case_aliases(const struct operator_case *c, uint32_t field) {
    uint32_t aliases = 0, ordinal = 0;
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if ((c->schema->fields[field].mayAliasFields >> i & 1) != 0) {
            aliases |= (c->tensors[field].in_place >> ordinal++ & 1) << i;
        }
    }
    return aliases;
}

static DML_TENSOR_DESC build_tensor(const struct case_tensor *tensor, uint32_t slot, struct case_desc *desc) {
    memcpy(desc->sizes[slot], tensor->sizes, sizeof(tensor->sizes));
    memcpy(desc->strides[slot], tensor->strides, sizeof(tensor->strides));
    desc->buffers[slot] = (DML_BUFFER_TENSOR_DESC){
        .DataType = tensor->type,
        .Flags = tensor->owned ? DML_TENSOR_FLAG_OWNED_BY_DML : DML_TENSOR_FLAG_NONE,
        .DimensionCount = tensor->rank,
        .Sizes = desc->sizes[slot],
        .Strides = tensor->has_strides ? desc->strides[slot] : NULL,
        .TotalTensorSizeInBytes = case_total_bytes(tensor),
        .GuaranteedBaseOffsetAlignment = tensor->align,
    };
    return (DML_TENSOR_DESC){.Type = DML_TENSOR_TYPE_BUFFER, .Desc = &desc->buffers[slot]};
}

/* The tensors of a field; returns the first. */
static const DML_TENSOR_DESC *build_tensors(const struct operator_case *c, uint32_t field, struct case_desc *desc) {
    const bool is_array = c->schema->fields[field].type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
    DML_TENSOR_DESC *tensors = is_array ? desc->array : &desc->tensors[field];
    for (uint32_t i = 0; i < c->fields[field].count; i++) {
        const uint32_t slot = slot_of(field, i);
        tensors[i] = build_tensor(&c->tensors[slot], slot, desc);
    }
    return tensors;
}

/* Numbers: in the struct, or in `words`, which it then points to. */
static void build_attribute(const VkdmlFieldSchema *schema, const struct case_field *field, uint32_t *words,
                            unsigned char *struct_bytes) {
    unsigned char *member = struct_bytes + schema->offset;
    const void *pointer = words;
    switch (schema->type) {
    case VKDML_FIELD_TYPE_UINT_ARRAY:
    case VKDML_FIELD_TYPE_INT_ARRAY:
    case VKDML_FIELD_TYPE_FLOAT_ARRAY:
    case VKDML_FIELD_TYPE_SCALE_BIAS:
        memcpy(words, field->words, sizeof(field->words));
        if (field->present) {
            memcpy(member, &pointer, sizeof(pointer));
        }
        break;
    default:
        memcpy(member, field->words, field->word_count * sizeof(field->words[0]));
        break;
    }
}

static const DML_OPERATOR_DESC *build_fused(const struct operator_case *c, uint32_t count, struct case_desc *desc) {
    for (uint32_t i = 0; i < count; i++) {
        const struct case_fused *fused = &c->fused[i];
        for (uint32_t k = 0; k < fused->schema->fieldCount; k++) {
            if (fused->schema->fields[k].kind == VKDML_FIELD_KIND_ATTRIBUTE) {
                build_attribute(&fused->schema->fields[k], &fused->fields[k], desc->fused_words[i][k],
                                (unsigned char *)desc->fused_desc[i]);
            }
        }
        desc->fused[i] = (DML_OPERATOR_DESC){.Type = fused->schema->type, .Desc = desc->fused_desc[i]};
    }
    return desc->fused;
}

void case_build_desc(const struct operator_case *c, struct case_desc *desc) {
    memset(desc, 0, sizeof(*desc));
    desc->op = (DML_OPERATOR_DESC){.Type = c->schema->type, .Desc = desc->desc};
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        const VkdmlFieldSchema *schema = &c->schema->fields[i];
        const struct case_field *field = &c->fields[i];
        const void *pointer;
        switch (schema->type) {
        case VKDML_FIELD_TYPE_TENSOR_DESC:
        case VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY:
            pointer = build_tensors(c, i, desc);
            break;
        case VKDML_FIELD_TYPE_OPERATOR_DESC:
        case VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY:
            pointer = build_fused(c, field->count, desc);
            break;
        default:
            build_attribute(schema, field, desc->words[i], (unsigned char *)desc->desc);
            continue;
        }
        if (field->present) {
            memcpy((unsigned char *)desc->desc + schema->offset, &pointer, sizeof(pointer));
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
    const uint32_t bits = number_bits(tensor->type);
    const uint64_t bytes = bits < 8 ? (last + 2) / 2 : (last + 1) * (bits / 8);
    return (bytes + 3) / 4 * 4;
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
