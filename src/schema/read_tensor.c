#include "schema/read_tensor.h"

#include <string.h>

static void read_data_type(const char *name, DML_TENSOR_DATA_TYPE type, struct vkdml_tensor *tensor,
                           struct vkdml_report *report) {
    tensor->data_type = type;
    tensor->element_size = vkdml_data_type_size(type);
    tensor->element_bits = vkdml_data_type_bits(type);
    if (tensor->element_bits == 0) {
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

void vkdml_read_tensor(const char *name, const DML_TENSOR_DESC *desc, struct vkdml_tensor *tensor,
                       struct vkdml_report *report) {
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
