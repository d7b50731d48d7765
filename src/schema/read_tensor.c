#include "schema/read_tensor.h"

#include <string.h>

static void read_data_type(const char *name, DML_TENSOR_DATA_TYPE type, struct vkdml_tensor *tensor,
                           struct vkdml_report *report) {
    vkdml_tensor_set_data_type(tensor, type);
    if (tensor->element_bits == 0) {
        vkdml_report_invalid_type(report, "%s.DataType is %d, must be a DML_TENSOR_DATA_TYPE other than UNKNOWN", name,
                                  (int)type);
    }
}

static bool check_dimension_count(const char *name, uint32_t least, uint32_t count, struct vkdml_report *report) {
    const bool is_sane = count >= least && count <= VKDML_MAX_DIMENSIONS;
    if (!is_sane) {
        vkdml_report_invalid(report, "%s.DimensionCount is %u, must be %u to %u", name, count, least,
                             VKDML_MAX_DIMENSIONS);
    }
    return is_sane;
}

static void read_dimensions(const char *name, const DML_BUFFER_TENSOR_DESC *buffer, struct vkdml_tensor *tensor,
                            struct vkdml_report *report) {
    const uint32_t count = buffer->DimensionCount;
    const bool count_is_sane = check_dimension_count(name, 1, count, report);
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

static void check_type(const char *name, DML_TENSOR_TYPE type, struct vkdml_report *report) {
    if (type != DML_TENSOR_TYPE_BUFFER) {
        vkdml_report_invalid(report, "%s.Type is %d, must be DML_TENSOR_TYPE_BUFFER (%d)", name, (int)type,
                             (int)DML_TENSOR_TYPE_BUFFER);
    }
}

void vkdml_read_tensor(const char *name, const DML_TENSOR_DESC *desc, struct vkdml_tensor *tensor,
                       struct vkdml_report *report) {
    check_type(name, desc->Type, report);
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

void vkdml_read_known(const char *name, const DML_TENSOR_DESC *desc, struct vkdml_tensor *tensor,
                      struct vkdml_report *report) {
    if (desc->Desc == NULL) {
        return;
    }
    check_type(name, desc->Type, report);
    if (desc->Type != DML_TENSOR_TYPE_BUFFER) {
        return;
    }
    const DML_BUFFER_TENSOR_DESC *buffer = desc->Desc;
    const uint32_t count = buffer->DimensionCount;
    if (buffer->DataType != DML_TENSOR_DATA_TYPE_UNKNOWN) {
        read_data_type(name, buffer->DataType, tensor, report);
    }
    if (check_dimension_count(name, 0, count, report)) {
        tensor->dimension_count = count;
        if (count != 0 && buffer->Sizes != NULL) {
            memcpy(tensor->sizes, buffer->Sizes, count * sizeof tensor->sizes[0]);
        }
    }
}
