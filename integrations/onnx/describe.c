/* Descriptors: copied, and completed from the table of the library. */
#include <string.h>

#include "onnx/emit.h"

void *onnx_emission_memory(const struct onnx_emission *e, size_t count, size_t size) {
    void *memory = onnx_allocate(&e->call->plan->arena, count, size);
    if (memory == NULL) {
        onnx_memory_is_out(e->call);
    }
    return memory;
}

uint32_t onnx_count_elements(const VkdmlOperatorSchema *schema, const VkdmlFieldSchema *field,
                             const unsigned char *desc) {
    uint32_t count = 1;
    if (field->countField != VKDML_NONE) {
        memcpy(&count, desc + schema->fields[field->countField].offset, sizeof count);
    }
    return count;
}

/* What a pointer of a descriptor leads to, copied; tensors are another matter. */
static bool copy_field(const struct onnx_emission *e, const VkdmlOperatorSchema *schema, const VkdmlFieldSchema *field,
                       unsigned char *desc) {
    size_t size;
    switch (field->type) {
    case VKDML_FIELD_TYPE_UINT_ARRAY:
    case VKDML_FIELD_TYPE_INT_ARRAY:
    case VKDML_FIELD_TYPE_FLOAT_ARRAY:
        size = sizeof(uint32_t);
        break;
    case VKDML_FIELD_TYPE_SCALE_BIAS:
        size = sizeof(DML_SCALE_BIAS);
        break;
    case VKDML_FIELD_TYPE_OPERATOR_DESC:
    case VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY:
        size = sizeof(DML_OPERATOR_DESC);
        break;
    default:
        return true;
    }
    const void *from;
    memcpy(&from, desc + field->offset, sizeof from);
    if (from == NULL) {
        return true;
    }
    const uint32_t count = onnx_count_elements(schema, field, desc);
    void *copy = onnx_emission_memory(e, count, size);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, from, count * size);
    memcpy(desc + field->offset, &copy, sizeof copy);
    if (size != sizeof(DML_OPERATOR_DESC)) {
        return true;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (!onnx_copy_operator(e, (const DML_OPERATOR_DESC *)from + i, (DML_OPERATOR_DESC *)copy + i)) {
            return false;
        }
    }
    return true;
}

bool onnx_copy_operator(const struct onnx_emission *e, const DML_OPERATOR_DESC *from, DML_OPERATOR_DESC *to) {
    const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchema(from->Type);
    unsigned char *desc = schema == NULL ? NULL : onnx_emission_memory(e, 1, schema->descSize);
    if (desc == NULL) {
        return onnx_refuse(e->call, "no operator %d", (int)from->Type);
    }
    memcpy(desc, from->Desc, schema->descSize);
    *to = (DML_OPERATOR_DESC){from->Type, desc};
    for (uint32_t f = 0; f < schema->fieldCount; ++f) {
        if (!copy_field(e, schema, &schema->fields[f], desc)) {
            return false;
        }
    }
    return true;
}

static bool describe(const struct onnx_emission *e, const struct onnx_tensor *tensor, DML_BUFFER_TENSOR_DESC *buffer) {
    const struct onnx_source *source = &e->call->plan->sources[tensor->source];
    const uint32_t rank = tensor->rank == 0 ? 1 : tensor->rank;
    uint32_t *sizes = onnx_emission_memory(e, 2 * rank, sizeof *sizes);
    if (sizes == NULL) {
        return false;
    }
    sizes[0] = 1;
    memcpy(sizes, tensor->sizes, tensor->rank * sizeof *sizes);
    memcpy(sizes + rank, tensor->strides, tensor->rank * sizeof *sizes);
    const bool is_owned = source->kind == ONNX_SOURCE_HOST && source->bytes > ONNX_CONSTANT_BYTES;
    *buffer = (DML_BUFFER_TENSOR_DESC){.DataType = onnx_dml_type(tensor->type),
                                       .Flags = is_owned ? DML_TENSOR_FLAG_OWNED_BY_DML : DML_TENSOR_FLAG_NONE,
                                       .DimensionCount = rank,
                                       .Sizes = sizes,
                                       .Strides = tensor->is_strided && tensor->rank != 0 ? sizes + rank : NULL,
                                       .TotalTensorSizeInBytes = ONNX_ROUND_UP_4(source->bytes)};
    return true;
}

static bool describe_input(const struct onnx_emission *e, uint32_t index, DML_TENSOR_DESC *desc) {
    const struct onnx_tensor *tensor = e->inputs[index];
    if (onnx_dml_type(tensor->type) == DML_TENSOR_DATA_TYPE_UNKNOWN) {
        return onnx_refuse_type(e->call, "%s: DirectML has no such type", onnx_type_name(tensor->type));
    }
    if (tensor->source == ONNX_NONE) {
        return onnx_refuse(e->call, "a tensor of no elements");
    }
    DML_BUFFER_TENSOR_DESC *buffer = onnx_emission_memory(e, 1, sizeof *buffer);
    *desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, buffer};
    return buffer != NULL && describe(e, tensor, buffer);
}

/* Points a field of the descriptor to tensors that are there, those from *next on. */
static bool set_inputs(const struct onnx_emission *e, const VkdmlFieldSchema *field, uint32_t *next) {
    const bool is_array = field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
    const uint32_t count = is_array ? onnx_count_elements(e->schema, field, e->desc) : 1;
    DML_TENSOR_DESC *descs = NULL;
    if (*next < e->input_count && (is_array || e->inputs[*next] != NULL)) {
        descs = onnx_emission_memory(e, count, sizeof *descs);
        if (descs == NULL) {
            return false;
        }
        for (uint32_t i = 0; i < count && *next + i < e->input_count; ++i) {
            if (e->inputs[*next + i] == NULL) {
                return onnx_refuse(e->call, "an input is missing");
            }
            if (!describe_input(e, *next + i, &descs[i])) {
                return false;
            }
        }
    }
    memcpy(e->desc + field->offset, &descs, sizeof descs);
    *next += count;
    return true;
}

/* Outputs as far as they are known. */
static bool set_outputs(const struct onnx_emission *e, const VkdmlFieldSchema *field, uint32_t *next) {
    const bool is_array = field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
    const uint32_t count = is_array ? onnx_count_elements(e->schema, field, e->desc) : 1;
    DML_TENSOR_DESC *descs = NULL;
    for (uint32_t i = *next; i < *next + count && i < e->output_count; ++i) {
        const struct onnx_tensor *declared = e->outputs[i];
        if (declared == &onnx_absent) {
            continue;
        }
        descs = &e->descs[*next];
        e->descs[i] = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, NULL};
        if (declared == NULL) {
            continue;
        }
        const uint32_t rank = declared->rank == 0 ? 1 : declared->rank;
        uint32_t *sizes = onnx_emission_memory(e, rank, sizeof *sizes);
        if (sizes == NULL) {
            return false;
        }
        sizes[0] = 1;
        memcpy(sizes, declared->sizes, declared->rank * sizeof *sizes);
        e->buffers[i] =
            (DML_BUFFER_TENSOR_DESC){.DataType = onnx_dml_type(declared->type), .DimensionCount = rank, .Sizes = sizes};
        e->descs[i].Desc = &e->buffers[i];
    }
    memcpy(e->desc + field->offset, &descs, sizeof descs);
    *next += count;
    return true;
}

bool onnx_set_tensors(const struct onnx_emission *e, VkdmlFieldKind kind) {
    uint32_t next = 0;
    for (uint32_t f = 0; f < e->schema->fieldCount; ++f) {
        const VkdmlFieldSchema *field = &e->schema->fields[f];
        if (field->kind != kind) {
            continue;
        }
        if (!(kind == VKDML_FIELD_KIND_INPUT_TENSOR ? set_inputs(e, field, &next) : set_outputs(e, field, &next))) {
            return false;
        }
    }
    return true;
}

uint32_t onnx_count_tensors(const VkdmlOperatorSchema *schema, const unsigned char *desc, VkdmlFieldKind kind) {
    uint32_t count = 0;
    for (uint32_t f = 0; f < schema->fieldCount; ++f) {
        const VkdmlFieldSchema *field = &schema->fields[f];
        if (field->kind == kind) {
            count += field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY ? onnx_count_elements(schema, field, desc) : 1;
        }
    }
    return count;
}
