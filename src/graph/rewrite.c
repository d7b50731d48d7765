#include "graph/rewrite.h"

#include <string.h>

#include "base/memory.h"
#include "operators/operators.h"
#include "schema/fields.h"

/* A tensor's descriptor, with what it points to. */
struct described {
    DML_BUFFER_TENSOR_DESC buffer;
    struct vkdml_tensor tensor;
};

struct rewriting {
    const struct vkdml_instance *from;
    const VkdmlOperatorSchema *to;
    const struct vkdml_edit *edits;
    size_t edit_count;
    unsigned char *desc; /* of `to` */
    /* Room for all tensors that there may be, and how much of it is taken. */
    DML_TENSOR_DESC *tensors;
    struct described *described;
    uint32_t tensor_count;
    DML_OPERATOR_DESC operators[VKDML_MAX_DIMENSIONS];
};

const VkdmlFieldSchema *vkdml_field_of(const VkdmlOperatorSchema *schema, const char *name, VkdmlFieldType type) {
    for (uint32_t i = 0; i < schema->fieldCount; ++i) {
        if (schema->fields[i].type == type && strcmp(schema->fields[i].name, name) == 0) {
            return &schema->fields[i];
        }
    }
    return NULL;
}

uint32_t vkdml_attribute_of(const struct vkdml_instance *instance, const char *name, VkdmlFieldType type) {
    const VkdmlFieldSchema *field = vkdml_field_of(instance->schema, name, type);
    return field != NULL ? vkdml_field_uint(instance->desc, field) : 0;
}

const uint32_t *vkdml_numbers_of(const struct vkdml_instance *instance, const char *name) {
    const VkdmlFieldSchema *field = vkdml_field_of(instance->schema, name, VKDML_FIELD_TYPE_UINT_ARRAY);
    return field != NULL ? vkdml_field_pointer(instance->desc, field) : NULL;
}

static const struct vkdml_edit *find_edit(const struct rewriting *rewriting, const VkdmlFieldSchema *field) {
    for (size_t i = 0; i < rewriting->edit_count; ++i) {
        if (strcmp(rewriting->edits[i].field, field->name) == 0) {
            return &rewriting->edits[i];
        }
    }
    return NULL;
}

/* The next of the descriptors of tensors, those of one field side by side; an absent tensor has none. */
static const DML_TENSOR_DESC *describe(struct rewriting *rewriting, const struct vkdml_tensor *tensor) {
    if (tensor->dimension_count == 0) {
        return NULL;
    }
    struct described *described = &rewriting->described[rewriting->tensor_count];
    DML_TENSOR_DESC *desc = &rewriting->tensors[rewriting->tensor_count++];
    described->tensor = *tensor;
    described->buffer = (DML_BUFFER_TENSOR_DESC){tensor->data_type,
                                                 tensor->flags,
                                                 tensor->dimension_count,
                                                 described->tensor.sizes,
                                                 tensor->has_strides ? described->tensor.strides : NULL,
                                                 tensor->total_bytes,
                                                 tensor->base_alignment};
    *desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &described->buffer};
    return desc;
}

/* Bytes of a field that is copied as it stands: what pointers lead to is the other operator's. */
static size_t field_bytes(VkdmlFieldType type) {
    switch (type) {
    case VKDML_FIELD_TYPE_SCALAR_UNION:
        return sizeof(DML_SCALAR_UNION);
    case VKDML_FIELD_TYPE_SIZE_2D:
        return sizeof(DML_SIZE_2D);
    case VKDML_FIELD_TYPE_UINT_ARRAY:
    case VKDML_FIELD_TYPE_INT_ARRAY:
    case VKDML_FIELD_TYPE_FLOAT_ARRAY:
    case VKDML_FIELD_TYPE_SCALE_BIAS:
        return sizeof(void *);
    default:
        return sizeof(uint32_t);
    }
}

static void write_tensors(struct rewriting *rewriting, const VkdmlFieldSchema *field, const VkdmlFieldSchema *source) {
    const struct vkdml_instance *from = rewriting->from;
    const bool is_input = source->kind == VKDML_FIELD_KIND_INPUT_TENSOR;
    const bool is_array = source->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
    const struct vkdml_tensor *tensors = (is_input ? from->inputs : from->outputs) + source->bindingIndex;
    const uint32_t all = is_input ? from->input_count : from->output_count;
    const uint32_t count = is_array ? all - source->bindingIndex : 1;
    for (uint32_t i = 0; i < count; ++i) {
        const DML_TENSOR_DESC *desc = describe(rewriting, &tensors[i]);
        if (i == 0) {
            vkdml_field_set_pointer(rewriting->desc, field, desc);
        }
    }
}

static void write_operators(struct rewriting *rewriting, const VkdmlFieldSchema *field) {
    const struct vkdml_instance *from = rewriting->from;
    for (uint32_t i = 0; i < from->activation_count; ++i) {
        rewriting->operators[i] = (DML_OPERATOR_DESC){from->activations[i].schema->type, from->activations[i].desc};
    }
    vkdml_field_set_pointer(rewriting->desc, field, from->activation_count != 0 ? rewriting->operators : NULL);
}

static void write_edit(struct rewriting *rewriting, const VkdmlFieldSchema *field, const struct vkdml_edit *edit) {
    if (edit->tensor != NULL) {
        vkdml_field_set_pointer(rewriting->desc, field, describe(rewriting, edit->tensor));
        for (uint32_t i = 1; i < edit->tensor_count; ++i) {
            describe(rewriting, &edit->tensor[i]); /* behind it */
        }
    } else if (edit->activation != NULL) {
        rewriting->operators[0] = (DML_OPERATOR_DESC){edit->activation->schema->type, edit->activation->desc};
        vkdml_field_set_pointer(rewriting->desc, field, rewriting->operators);
    } else if (edit->numbers != NULL) {
        vkdml_field_set_pointer(rewriting->desc, field, edit->numbers);
    } else if (field->type != VKDML_FIELD_TYPE_OPERATOR_DESC) {
        vkdml_field_set_uint(rewriting->desc, field, edit->bits);
    }
}

static void write_field(struct rewriting *rewriting, const VkdmlFieldSchema *field) {
    const struct vkdml_edit *edit = find_edit(rewriting, field);
    const VkdmlFieldSchema *source = vkdml_field_of(rewriting->from->schema, field->name, field->type);
    if (edit != NULL) {
        write_edit(rewriting, field, edit);
    } else if (source == NULL) {
        return; /* absent, or 0 */
    } else if (source->kind != VKDML_FIELD_KIND_ATTRIBUTE) {
        write_tensors(rewriting, field, source);
    } else if (field->type == VKDML_FIELD_TYPE_OPERATOR_DESC || field->type == VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY) {
        write_operators(rewriting, field);
    } else {
        memcpy(rewriting->desc + field->offset, (const unsigned char *)rewriting->from->desc + source->offset,
               field_bytes(field->type));
    }
}

static size_t round_up(size_t bytes) {
    return (bytes + 15) / 16 * 16;
}

VkdmlResult vkdml_rewrite(const struct vkdml_instance *from, DML_OPERATOR_TYPE type, const struct vkdml_edit *edits,
                          size_t edit_count, DML_FEATURE_LEVEL level, const VkAllocationCallbacks *callbacks,
                          struct vkdml_report *report, struct vkdml_report *refusal, struct vkdml_instance **made) {
    struct rewriting rewriting = {
        .from = from, .to = vkdml_schema_find(type), .edits = edits, .edit_count = edit_count};
    size_t tensors = (size_t)from->input_count + from->output_count + edit_count;
    for (size_t i = 0; i < edit_count; ++i) {
        tensors += edits[i].tensor_count;
    }
    const size_t described_at = round_up(rewriting.to->descSize);
    const size_t tensors_at = described_at + round_up(tensors * sizeof *rewriting.described);
    const size_t bytes = tensors_at + tensors * sizeof *rewriting.tensors;
    *made = NULL;
    rewriting.desc = vkdml_allocate(callbacks, bytes);
    if (rewriting.desc == NULL) {
        return vkdml_report_out_of_memory(report, bytes, "an operator of others");
    }
    rewriting.described = (struct described *)(void *)(rewriting.desc + described_at);
    rewriting.tensors = (DML_TENSOR_DESC *)(void *)(rewriting.desc + tensors_at);
    for (uint32_t i = 0; i < rewriting.to->fieldCount; ++i) {
        write_field(&rewriting, &rewriting.to->fields[i]);
    }
    vkdml_report_clear(refusal);
    const DML_OPERATOR_DESC desc = {type, rewriting.desc};
    const VkdmlResult result = vkdml_validate(&desc, level, callbacks, refusal, made);
    vkdml_free(callbacks, rewriting.desc);
    return result == VKDML_ERROR_OUT_OF_HOST_MEMORY ? vkdml_report_out_of_memory(report, bytes, "an operator of others")
                                                    : VKDML_SUCCESS;
}
