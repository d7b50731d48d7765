#include "model/tensor.h"

#include <stdio.h>

#include "model/element.h"
#include "model/graph_source.h"

/* The members of a buffer tensor, from the object that holds them. `field` is the tensor's name. Borrowed: the object
 * is that of what the tensor reads, which has more members. */
static bool read_buffer_tensor(const struct builder *builder, struct json_object *object, const char *field,
                               bool is_borrowed, DML_BUFFER_TENSOR_DESC *tensor) {
    static const struct named_value flags[] = {{"DML_TENSOR_FLAG_NONE", DML_TENSOR_FLAG_NONE},
                                               {"DML_TENSOR_FLAG_OWNED_BY_DML", DML_TENSOR_FLAG_OWNED_BY_DML},
                                               {NULL, 0}};
    const char *const known[] = {"Type",
                                 "DataType",
                                 "Flags",
                                 "DimensionCount",
                                 "Sizes",
                                 "Strides",
                                 "TotalTensorSizeInBytes",
                                 "GuaranteedBaseOffsetAlignment",
                                 builder->takes_sources ? "from" : NULL,
                                 NULL};
    const struct document *document = &builder->model->document;
    struct json_object *type = document_member(object, "DataType");
    struct json_object *sizes = document_member(object, "Sizes");
    struct json_object *strides = document_member(object, "Strides");
    char name[BUILDER_NAME_SIZE];
    int flag_bits = 0;
    uint32_t size_count = 0;
    uint32_t stride_count = 0;
    if (!is_borrowed) {
        document_warn_unknown(document, object, known, field);
    }
    if (!type || !sizes) {
        snprintf(name, sizeof(name), "%.96s.%s", field, type ? "Sizes" : "DataType");
        return builder_fail(builder, object, name, "is missing");
    }
    snprintf(name, sizeof(name), "%.96s.DataType", field);
    if (!json_object_is_type(type, json_type_string) ||
        !element_type_from_name(json_object_get_string(type), &tensor->DataType)) {
        char hint[SUGGEST_SIZE];
        char must[SUGGEST_SIZE + 32];
        snprintf(must, sizeof(must), "a DML_TENSOR_DATA_TYPE%s", element_type_hint(json_object_get_string(type), hint));
        return builder_fail_value(builder, type, name, must);
    }
    if (!builder_read_flags(builder, object, "Flags", "DML_TENSOR_FLAG_", flags, &flag_bits)) {
        return false;
    }
    tensor->Flags = (DML_TENSOR_FLAGS)flag_bits;
    snprintf(name, sizeof(name), "%.96s.Sizes", field);
    if (!builder_read_uints(builder, sizes, name, &tensor->Sizes, &size_count)) {
        return false;
    }
    snprintf(name, sizeof(name), "%.96s.Strides", field);
    if (strides && !builder_read_uints(builder, strides, name, &tensor->Strides, &stride_count)) {
        return false;
    }
    uint64_t dimension_count = size_count;
    uint64_t alignment = 0;
    if (!document_unsigned(document, object, "DimensionCount", UINT32_MAX, &dimension_count) ||
        !document_unsigned(document, object, "GuaranteedBaseOffsetAlignment", UINT32_MAX, &alignment)) {
        return false;
    }
    if (dimension_count != size_count || (strides && stride_count != dimension_count)) {
        char message[160];
        snprintf(message, sizeof(message), "has %u elements, must have %llu = DimensionCount",
                 dimension_count != size_count ? size_count : stride_count, (unsigned long long)dimension_count);
        snprintf(name, sizeof(name), "%.96s.%s", field, dimension_count != size_count ? "Sizes" : "Strides");
        return builder_fail(builder, dimension_count != size_count ? sizes : strides, name, message);
    }
    tensor->DimensionCount = (uint32_t)dimension_count;
    tensor->GuaranteedBaseOffsetAlignment = (uint32_t)alignment;
    tensor->TotalTensorSizeInBytes =
        vkdmlCalcBufferTensorSize(tensor->DataType, tensor->DimensionCount, tensor->Sizes, tensor->Strides);
    return document_unsigned(document, object, "TotalTensorSizeInBytes", UINT64_MAX, &tensor->TotalTensorSizeInBytes);
}

/* A tensor as a descriptor refers to it. */
static bool read_tensor(const struct builder *builder, struct json_object *value, const char *name, void *element) {
    DML_TENSOR_DESC *tensor = element;
    DML_BUFFER_TENSOR_DESC *buffer = arena_allocate(&builder->model->arena, 1, sizeof(*buffer));
    if (!buffer) {
        return false;
    }
    const bool is_borrowed = builder->takes_sources && json_object_is_type(value, json_type_string);
    if (is_borrowed) {
        value = graph_tensor_json(builder, value, name);
        if (!value) {
            return false;
        }
    }
    if (!json_object_is_type(value, json_type_object)) {
        return builder_fail_value(builder, value, name,
                                  builder->takes_sources ? "an object, or what it reads" : "an object");
    }
    struct json_object *type = is_borrowed ? NULL : document_either(value, "Type", "type");
    if (type && !(json_object_is_type(type, json_type_string) &&
                  builder_names(json_object_get_string(type), "DML_TENSOR_TYPE_BUFFER", "DML_TENSOR_TYPE_"))) {
        return builder_fail_value(builder, type, name, "of type DML_TENSOR_TYPE_BUFFER");
    }
    struct json_object *members = document_either(value, "Desc", "desc");
    if (members && !json_object_is_type(members, json_type_object)) {
        return builder_fail_value(builder, members, name, "an object");
    }
    *tensor = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, buffer};
    return read_buffer_tensor(builder, members ? members : value, name, is_borrowed, buffer);
}

/* Inputs of a graph's nodes say what they read. */
static struct builder at_field(const struct builder *builder, const VkdmlFieldSchema *field) {
    struct builder at = *builder;
    at.takes_sources = builder->dispatchable->within != NULL && field->kind == VKDML_FIELD_KIND_INPUT_TENSOR;
    return at;
}

bool tensor_read(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    DML_TENSOR_DESC *tensor = arena_allocate(&builder->model->arena, 1, sizeof(*tensor));
    const struct builder at = at_field(builder, field);
    if (!tensor || !read_tensor(&at, value, field->name, tensor)) {
        return false;
    }
    builder_point(builder, field, tensor);
    return true;
}

bool tensor_read_array(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    const struct builder at = at_field(builder, field);
    return builder_read_array(&at, value, field, sizeof(DML_TENSOR_DESC), read_tensor);
}
