#include "onnx/known_operators.h"

#include <string.h>

/* ---- keys: all that a descriptor says, as bytes ---- */

struct key {
    struct onnx_plan *plan; /* has the bytes */
    size_t count;
    bool failed; /* memory is out */
};

static void add(struct key *key, const void *bytes, size_t count) {
    struct onnx_plan *plan = key->plan;
    if (plan->key_room - key->count < count) {
        const size_t room = 2 * (key->count + count) + 512;
        unsigned char *grown = onnx_allocate(&plan->arena, room, 1);
        key->failed = key->failed || grown == NULL;
        if (key->failed) {
            return;
        }
        if (key->count != 0) {
            memcpy(grown, plan->key, key->count);
        }
        plan->key = grown;
        plan->key_room = room;
    }
    if (count != 0) {
        memcpy(plan->key + key->count, bytes, count);
    }
    key->count += count;
}

/* A tensor of a descriptor; an output's may have no Desc yet. */
static void add_tensor(struct key *key, const DML_TENSOR_DESC *tensor) {
    const DML_BUFFER_TENSOR_DESC *buffer = tensor == NULL ? NULL : tensor->Desc;
    if (buffer == NULL) {
        const uint32_t nothing[] = {tensor != NULL, 0};
        add(key, nothing, sizeof nothing);
        return;
    }
    const uint32_t facts[] = {1,
                              1 + buffer->DimensionCount,
                              (uint32_t)buffer->DataType,
                              (uint32_t)buffer->Flags,
                              buffer->Strides != NULL,
                              buffer->GuaranteedBaseOffsetAlignment,
                              (uint32_t)buffer->TotalTensorSizeInBytes,
                              (uint32_t)(buffer->TotalTensorSizeInBytes >> 32)};
    const size_t bytes = buffer->DimensionCount * sizeof *buffer->Sizes;
    add(key, facts, sizeof facts);
    add(key, buffer->Sizes, bytes);
    add(key, buffer->Strides, buffer->Strides == NULL ? 0 : bytes);
}

static void add_operator(struct key *key, const DML_OPERATOR_DESC *op);

/* What a pointer leads to, of `count` elements. */
static void add_elements(struct key *key, VkdmlFieldType type, const void *elements, uint32_t count) {
    const uint32_t facts[] = {elements != NULL, count};
    add(key, facts, sizeof facts);
    for (uint32_t i = 0; elements != NULL && i < count; ++i) {
        switch (type) {
        case VKDML_FIELD_TYPE_TENSOR_DESC:
        case VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY:
            add_tensor(key, (const DML_TENSOR_DESC *)elements + i);
            break;
        case VKDML_FIELD_TYPE_OPERATOR_DESC:
        case VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY:
            add_operator(key, (const DML_OPERATOR_DESC *)elements + i);
            break;
        case VKDML_FIELD_TYPE_SCALE_BIAS:
            add(key, elements, sizeof(DML_SCALE_BIAS));
            break;
        default: /* arrays of numbers */
            add(key, (const uint32_t *)elements + i, sizeof(uint32_t));
        }
    }
}

static void add_field(struct key *key, const VkdmlOperatorSchema *schema, const VkdmlFieldSchema *field,
                      const unsigned char *desc) {
    const void *elements;
    switch (field->type) {
    case VKDML_FIELD_TYPE_UINT:
    case VKDML_FIELD_TYPE_INT:
    case VKDML_FIELD_TYPE_FLOAT:
    case VKDML_FIELD_TYPE_ENUM:
    case VKDML_FIELD_TYPE_BOOL:
        add(key, desc + field->offset, sizeof(uint32_t));
        return;
    case VKDML_FIELD_TYPE_SCALAR_UNION:
        add(key, desc + field->offset, sizeof(DML_SCALAR_UNION));
        return;
    case VKDML_FIELD_TYPE_SIZE_2D:
        add(key, desc + field->offset, sizeof(DML_SIZE_2D));
        return;
    default:
        memcpy(&elements, desc + field->offset, sizeof elements);
        add_elements(key, field->type, elements, onnx_count_elements(schema, field, desc));
    }
}

static void add_operator(struct key *key, const DML_OPERATOR_DESC *op) {
    const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchema(op->Type);
    const uint32_t type = (uint32_t)op->Type;
    add(key, &type, sizeof type);
    for (uint32_t f = 0; f < schema->fieldCount; ++f) {
        add_field(key, schema, &schema->fields[f], op->Desc);
    }
}

/* ---- entries ---- */

/* FNV-1a's steps over words: 0xcbf29ce484222325 and 0x100000001b3 are its 64-bit offset basis and prime. Keys are
 * multiples of 4 bytes. */
static uint64_t hash_of(const unsigned char *key, size_t count) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, key + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    return hash ^ hash >> 32;
}

struct onnx_known_operator *onnx_know_operator(const struct onnx_emission *e) {
    struct onnx_plan *plan = e->call->plan;
    struct key key = {.plan = plan};
    add_operator(&key, &e->op);
    if (key.failed) {
        onnx_memory_is_out(e->call);
        return NULL;
    }
    const uint64_t hash = hash_of(plan->key, key.count);
    struct onnx_known_operator **bucket = &plan->known[hash % ONNX_KNOWN_BUCKETS];
    for (struct onnx_known_operator *known = *bucket; known != NULL; known = known->next) {
        if (known->hash == hash && known->key_bytes == key.count && memcmp(known->key, plan->key, key.count) == 0) {
            return known;
        }
    }
    struct onnx_known_operator *added = onnx_emission_memory(e, 1, sizeof *added);
    unsigned char *copy = onnx_emission_memory(e, key.count, 1);
    if (added == NULL || copy == NULL) {
        return NULL;
    }
    memcpy(copy, plan->key, key.count);
    *added = (struct onnx_known_operator){*bucket, hash, copy, key.count, plan->known_count++, NULL};
    *bucket = added;
    return added;
}
