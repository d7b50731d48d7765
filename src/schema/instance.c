/* Copies a descriptor out of the caller's memory, checking each pointer and length before it follows it. */
#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "schema/schema.h"
#include "schema/table.h"

#define NEWEST_LEVEL DML_FEATURE_LEVEL_6_4

/* Arrays of descriptors are as long as a tensor has dimensions. */
#define MAX_ARRAY_LENGTH VKDML_MAX_DIMENSIONS

/* ---- one allocation, cut into parts ---- */

struct arena {
    unsigned char *memory; /* NULL while only adding up */
    size_t used;
};

/* Takes zeroed memory aligned for any type. Sums are far from overflow: the schema bounds every part. */
static void *take(struct arena *arena, size_t bytes) {
    void *part = arena->memory != NULL ? arena->memory + arena->used : NULL;
    const size_t alignment = alignof(max_align_t);
    arena->used += (bytes + alignment - 1) / alignment * alignment;
    return part;
}

/* Bytes behind a pointer of a descriptor; 0 for types that are not such pointers. */
static const size_t pointee_bytes[] = {
    [VKDML_FIELD_TYPE_UINT_ARRAY] = MAX_ARRAY_LENGTH * sizeof(uint32_t),
    [VKDML_FIELD_TYPE_SCALE_BIAS] = sizeof(DML_SCALE_BIAS),
    [VKDML_FIELD_TYPE_SCALAR_UNION] = 0, /* the last type */
};

static size_t instance_bytes(const VkdmlOperatorSchema *schema) {
    struct arena arena = {0};
    take(&arena, sizeof(struct vkdml_instance));
    take(&arena, schema->inputCount * sizeof(struct vkdml_tensor));
    take(&arena, schema->outputCount * sizeof(struct vkdml_tensor));
    take(&arena, schema->descSize);
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        take(&arena, pointee_bytes[schema->fields[i].type]);
    }
    return arena.used;
}

/* ---- fields by offset ---- */

static const void *read_pointer(const void *desc, const VkdmlFieldSchema *field) {
    const void *pointer;
    memcpy(&pointer, (const unsigned char *)desc + field->offset, sizeof pointer);
    return pointer;
}

static void write_pointer(void *desc, const VkdmlFieldSchema *field, const void *pointer) {
    memcpy((unsigned char *)desc + field->offset, &pointer, sizeof pointer);
}

static uint32_t read_uint(const void *desc, const VkdmlFieldSchema *field) {
    uint32_t value;
    memcpy(&value, (const unsigned char *)desc + field->offset, sizeof value);
    return value;
}

/* ---- tensors ---- */

static void read_data_type(const char *name, DML_TENSOR_DATA_TYPE type, struct vkdml_tensor *tensor,
                           struct vkdml_report *report) {
    tensor->data_type = type;
    tensor->element_size = vkdml_data_type_size(type);
    if (tensor->element_size > 0) {
        return;
    }
    if (type == DML_TENSOR_DATA_TYPE_UINT4 || type == DML_TENSOR_DATA_TYPE_INT4) {
        vkdml_report_invalid(report, "%s.DataType is %s, must be a type of whole bytes: 4-bit types are not supported",
                             name, vkdml_data_type_name(type));
    } else {
        vkdml_report_invalid(report, "%s.DataType is %d, must be a DML_TENSOR_DATA_TYPE other than UNKNOWN", name,
                             (int)type);
    }
}

static void read_dimensions(const char *name, const DML_BUFFER_TENSOR_DESC *buffer, struct vkdml_tensor *tensor,
                            struct vkdml_report *report) {
    const uint32_t count = buffer->DimensionCount;
    const bool count_is_sane = count >= 1 && count <= VKDML_MAX_DIMENSIONS;
    if (!count_is_sane) {
        vkdml_report_invalid(report, "%s.DimensionCount is %u, must be 1 to %u", name, count, VKDML_MAX_DIMENSIONS);
    }
    if (buffer->Sizes == NULL) {
        vkdml_report_invalid(report, "%s.Sizes is NULL, must point to DimensionCount sizes", name);
    }
    if (!count_is_sane || buffer->Sizes == NULL) {
        return;
    }
    tensor->dimension_count = count;
    memcpy(tensor->sizes, buffer->Sizes, count * sizeof tensor->sizes[0]);
    tensor->has_strides = buffer->Strides != NULL;
    if (tensor->has_strides) {
        memcpy(tensor->strides, buffer->Strides, count * sizeof tensor->strides[0]);
    } else if (!vkdml_packed_strides(count, tensor->sizes, tensor->strides)) {
        /* More elements than a tensor may have; vkdml_schema_check() says so. */
        memset(tensor->strides, 0, sizeof tensor->strides);
    }
}

static void read_tensor(const VkdmlFieldSchema *field, const DML_TENSOR_DESC *desc, struct vkdml_tensor *tensor,
                        struct vkdml_report *report) {
    const char *name = field->name;
    if (desc == NULL) {
        if (!field->optional) {
            vkdml_report_invalid(report, "%s is NULL, must point to a DML_TENSOR_DESC", name);
        }
        return;
    }
    if (desc->Type != DML_TENSOR_TYPE_BUFFER) {
        vkdml_report_invalid(report, "%s.Type is %d, must be DML_TENSOR_TYPE_BUFFER (%d)", name, (int)desc->Type,
                             (int)DML_TENSOR_TYPE_BUFFER);
    }
    if (desc->Desc == NULL) {
        vkdml_report_invalid(report, "%s.Desc is NULL, must point to a DML_BUFFER_TENSOR_DESC", name);
    }
    if (desc->Type != DML_TENSOR_TYPE_BUFFER || desc->Desc == NULL) {
        return;
    }
    const DML_BUFFER_TENSOR_DESC *buffer = desc->Desc;
    read_data_type(name, buffer->DataType, tensor, report);
    tensor->flags = buffer->Flags;
    const unsigned int flags = (unsigned int)buffer->Flags;
    if ((flags & ~(unsigned int)DML_TENSOR_FLAG_OWNED_BY_DML) != 0) {
        vkdml_report_invalid(report,
                             "%s.Flags is 0x%x, must be DML_TENSOR_FLAG_NONE (0) or DML_TENSOR_FLAG_OWNED_BY_DML (1)",
                             name, flags);
    }
    read_dimensions(name, buffer, tensor, report);
    tensor->total_bytes = buffer->TotalTensorSizeInBytes;
    tensor->base_alignment = buffer->GuaranteedBaseOffsetAlignment;
}

/* ---- attributes ---- */

static bool is_array_length(const VkdmlOperatorSchema *schema, uint32_t field_index) {
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        if (schema->fields[i].countField == field_index) {
            return true;
        }
    }
    return false;
}

static void read_array(const VkdmlOperatorSchema *schema, const VkdmlFieldSchema *field, void *copy, uint32_t *array,
                       struct vkdml_report *report) {
    const VkdmlFieldSchema *count_field = &schema->fields[field->countField];
    const uint32_t count = read_uint(copy, count_field);
    const void *source = read_pointer(copy, field);
    write_pointer(copy, field, source != NULL ? array : NULL);
    if (source == NULL) {
        if (count > 0 && !field->optional) {
            vkdml_report_invalid(report, "%s is NULL, must point to %s (%u) values", field->name, count_field->name,
                                 count);
        }
    } else if (count <= MAX_ARRAY_LENGTH) { /* a longer one was reported with its count field */
        memcpy(array, source, count * sizeof array[0]);
    }
}

static void read_scale_bias(const VkdmlFieldSchema *field, void *copy, DML_SCALE_BIAS *scale_bias,
                            struct vkdml_report *report) {
    const void *source = read_pointer(copy, field);
    write_pointer(copy, field, source != NULL ? scale_bias : NULL);
    if (source != NULL) {
        memcpy(scale_bias, source, sizeof *scale_bias);
    } else if (!field->optional) {
        vkdml_report_invalid(report, "%s is NULL, must point to a DML_SCALE_BIAS", field->name);
    }
}

/* Reads field `index` of the copied struct and whatever it points to. */
static void read_field(struct vkdml_instance *instance, void *copy, uint32_t index, struct arena *arena,
                       struct vkdml_report *report) {
    const VkdmlOperatorSchema *schema = instance->schema;
    const VkdmlFieldSchema *field = &schema->fields[index];
    void *pointee = take(arena, pointee_bytes[field->type]);
    switch (field->type) {
    case VKDML_FIELD_TYPE_TENSOR_DESC: {
        struct vkdml_tensor *tensors =
            field->kind == VKDML_FIELD_KIND_INPUT_TENSOR ? instance->inputs : instance->outputs;
        read_tensor(field, read_pointer(copy, field), &tensors[field->bindingIndex], report);
        write_pointer(copy, field, NULL);
        break;
    }
    case VKDML_FIELD_TYPE_UINT:
        if (is_array_length(schema, index) && read_uint(copy, field) > MAX_ARRAY_LENGTH) {
            vkdml_report_invalid(report, "%s is %u, must be at most %u", field->name, read_uint(copy, field),
                                 MAX_ARRAY_LENGTH);
        }
        break;
    case VKDML_FIELD_TYPE_UINT_ARRAY:
        read_array(schema, field, copy, pointee, report);
        break;
    case VKDML_FIELD_TYPE_SCALE_BIAS:
        read_scale_bias(field, copy, pointee, report);
        break;
    default: /* came with the struct */
        break;
    }
}

/* ---- the descriptor ---- */

/* Whether the operator is one of DirectML's, of the level, implemented, and has a struct. */
static void check_type(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, struct vkdml_report *report) {
    if (vkdml_operator_name(desc->Type) == NULL) {
        vkdml_report_invalid(report, "DML_OPERATOR_DESC.Type is %d, must be one of DirectML's operators (%d to %d)",
                             (int)desc->Type, (int)DML_OPERATOR_ELEMENT_WISE_IDENTITY, (int)DML_OPERATOR_UNFOLD);
        return;
    }
    const DML_FEATURE_LEVEL introduced = vkdml_operator_level(desc->Type);
    if (vkdml_level_name(level) != NULL && introduced > level) {
        vkdml_report_invalid(report, "needs DML_FEATURE_LEVEL_%s, the feature level is %s",
                             vkdml_level_name(introduced), vkdml_level_name(level));
    }
    if (vkdml_schema_find(desc->Type) == NULL) {
        vkdml_report_add(report, VKDML_ERROR_NOT_IMPLEMENTED, "is not implemented yet");
    }
    if (desc->Desc == NULL) {
        vkdml_report_invalid(report, "DML_OPERATOR_DESC.Desc is NULL, must point to a descriptor of that operator");
    }
}

static VkdmlResult copy_desc(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level,
                             const VkAllocationCallbacks *callbacks, struct vkdml_report *report,
                             struct vkdml_instance **instance) {
    const VkdmlOperatorSchema *schema = vkdml_schema_find(desc->Type);
    const size_t bytes = instance_bytes(schema);
    struct arena arena = {vkdml_allocate(callbacks, bytes), 0};
    if (arena.memory == NULL) {
        return vkdml_report_out_of_memory(report, bytes, "a copy of the descriptor");
    }
    struct vkdml_instance *made = take(&arena, sizeof *made);
    made->schema = schema;
    made->level = level;
    made->inputs = take(&arena, schema->inputCount * sizeof made->inputs[0]);
    made->outputs = take(&arena, schema->outputCount * sizeof made->outputs[0]);
    void *copy = take(&arena, schema->descSize);
    memcpy(copy, desc->Desc, schema->descSize);
    made->desc = copy;

    const uint32_t failures_before = report->count;
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        read_field(made, copy, i, &arena, report);
    }
    if (report->count > failures_before) {
        vkdml_instance_destroy(made, callbacks);
        return VKDML_ERROR_INVALID_ARGUMENT;
    }
    *instance = made;
    return VKDML_SUCCESS;
}

VkdmlResult vkdml_instance_create(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level,
                                  const VkAllocationCallbacks *callbacks, struct vkdml_report *report,
                                  struct vkdml_instance **instance) {
    *instance = NULL;
    const uint32_t failures_before = report->count;
    const DML_FEATURE_LEVEL held_to = (int)level == 0 ? NEWEST_LEVEL : level;
    if (vkdml_level_name(held_to) == NULL) {
        vkdml_report_invalid(report, "the feature level is 0x%x, must be 0 or one of DML_FEATURE_LEVEL_1_0 to %s",
                             (unsigned int)level, vkdml_level_name(NEWEST_LEVEL));
    }
    if (desc == NULL) {
        vkdml_report_invalid(report, "DML_OPERATOR_DESC is NULL, must point to a descriptor");
        return VKDML_ERROR_INVALID_ARGUMENT;
    }

    const char *context = report->context;
    if (context == NULL) {
        report->context = vkdml_operator_name(desc->Type);
    }
    check_type(desc, held_to, report);
    VkdmlResult result = report->result;
    if (report->count == failures_before) {
        result = copy_desc(desc, held_to, callbacks, report, instance);
    }
    report->context = context;
    return result;
}

void vkdml_instance_destroy(struct vkdml_instance *instance, const VkAllocationCallbacks *callbacks) {
    vkdml_free(callbacks, instance);
}
