#include "model/attribute.h"

#include <stdio.h>
#include <string.h>

#include "model/element.h"

static bool read_uint(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    uint64_t number = 0;
    if (!document_read_unsigned(value, UINT32_MAX, &number)) {
        return builder_fail_value(builder, value, field->name, "a whole number from 0 to 4294967295");
    }
    uint32_t stored = (uint32_t)number;
    memcpy(builder->desc + field->offset, &stored, sizeof(stored));
    return true;
}

/* INT, FLOAT and members of ScaleBias: an element of a data type. */
static bool read_element(const struct builder *builder, struct json_object *value, const char *name,
                         DML_TENSOR_DATA_TYPE type, void *element) {
    const char *why = element_parse(value, type, element);
    if (!why) {
        return true;
    }
    char message[256];
    snprintf(message, sizeof(message), "is %.100s, %s (%s)", value ? json_object_to_json_string(value) : "null", why,
             element_type_name(type));
    return builder_fail(builder, value, name, message);
}

static bool read_int(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    return read_element(builder, value, field->name, DML_TENSOR_DATA_TYPE_INT32, builder->desc + field->offset);
}

static bool read_float(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    return read_element(builder, value, field->name, DML_TENSOR_DATA_TYPE_FLOAT32, builder->desc + field->offset);
}

static bool read_enumerator(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    const VkdmlEnumeration *enumeration = field->enumeration;
    struct suggest suggest = suggest_begin(json_object_get_string(value));
    char prefix[64];
    snprintf(prefix, sizeof(prefix), "%s_", enumeration->name);
    for (uint32_t i = 0; i < enumeration->enumeratorCount && json_object_is_type(value, json_type_string); i++) {
        const VkdmlEnumerator *enumerator = &enumeration->enumerators[i];
        if (builder_names(json_object_get_string(value), enumerator->name, prefix)) {
            memcpy(builder->desc + field->offset, &enumerator->value, sizeof(enumerator->value));
            return true;
        }
        builder_consider(&suggest, enumerator->name, prefix);
    }
    char hint[SUGGEST_SIZE];
    char must[SUGGEST_SIZE + 80];
    snprintf(must, sizeof(must), "a %.64s%s", enumeration->name, suggest_hint(&suggest, hint));
    return builder_fail_value(builder, value, field->name, must);
}

static bool read_uints(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    const uint32_t *array = NULL;
    uint32_t length = 0;
    if (!builder_read_uints(builder, value, field->name, &array, &length) ||
        !builder_array_length(builder, value, field, &length)) {
        return false;
    }
    builder_point(builder, field, array);
    return true;
}

/* An array of INT32 or FLOAT32. */
static bool read_elements(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field,
                          DML_TENSOR_DATA_TYPE type) {
    uint32_t length;
    if (!builder_array_length(builder, value, field, &length)) {
        return false;
    }
    uint32_t *array = arena_allocate(&builder->model->arena, length ? length : 1, sizeof(*array));
    for (uint32_t i = 0; array && i < length; i++) {
        char name[BUILDER_NAME_SIZE];
        snprintf(name, sizeof(name), "%.96s[%u]", field->name, i);
        if (!read_element(builder, json_object_array_get_idx(value, i), name, type, &array[i])) {
            return false;
        }
    }
    builder_point(builder, field, array);
    return array != NULL;
}

static bool read_ints(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    return read_elements(builder, value, field, DML_TENSOR_DATA_TYPE_INT32);
}

static bool read_floats(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    return read_elements(builder, value, field, DML_TENSOR_DATA_TYPE_FLOAT32);
}

/* true or false, or 1 or 0. */
static bool read_bool(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    uint64_t number = 0;
    if (json_object_is_type(value, json_type_boolean)) {
        number = json_object_get_boolean(value);
    } else if (!document_read_unsigned(value, 1, &number)) {
        return builder_fail_value(builder, value, field->name, "true, false, 1 or 0");
    }
    const int32_t stored = (int32_t)number;
    memcpy(builder->desc + field->offset, &stored, sizeof(stored));
    return true;
}

/* {"Width", "Height"}, or an array of the two. */
static bool read_size(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    static const char *const known[] = {"Width", "Height", NULL};
    uint32_t size[2];
    if (json_object_is_type(value, json_type_object)) {
        document_warn_unknown(&builder->model->document, value, known, field->name);
    } else if (!json_object_is_type(value, json_type_array) || json_object_array_length(value) != 2) {
        return builder_fail_value(builder, value, field->name,
                                  "an object with Width and Height, or an array of the two");
    }
    for (int i = 0; i < 2; i++) {
        struct json_object *member = json_object_is_type(value, json_type_object)
                                         ? document_member(value, known[i])
                                         : json_object_array_get_idx(value, (size_t)i);
        char name[BUILDER_NAME_SIZE];
        uint64_t number = 0;
        snprintf(name, sizeof(name), "%.96s.%s", field->name, known[i]);
        if (!member) {
            return builder_fail(builder, value, name, "is missing");
        }
        if (!document_read_unsigned(member, UINT32_MAX, &number)) {
            return builder_fail_value(builder, member, name, "a whole number from 0 to 4294967295");
        }
        size[i] = (uint32_t)number;
    }
    const DML_SIZE_2D stored = {size[0], size[1]};
    memcpy(builder->desc + field->offset, &stored, sizeof(stored));
    return true;
}

static bool read_scale_bias(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    static const char *const known[] = {"Scale", "Bias", NULL};
    DML_SCALE_BIAS *scale_bias = arena_allocate(&builder->model->arena, 1, sizeof(*scale_bias));
    if (!scale_bias) {
        return false;
    }
    if (!json_object_is_type(value, json_type_object)) {
        return builder_fail_value(builder, value, field->name, "an object");
    }
    document_warn_unknown(&builder->model->document, value, known, field->name);
    float *const targets[] = {&scale_bias->Scale, &scale_bias->Bias};
    for (int i = 0; i < 2; i++) {
        struct json_object *member = document_member(value, known[i]);
        char name[BUILDER_NAME_SIZE];
        snprintf(name, sizeof(name), "%.96s.%s", field->name, known[i]);
        if (!member) {
            return builder_fail(builder, value, name, "is missing");
        }
        if (!read_element(builder, member, name, DML_TENSOR_DATA_TYPE_FLOAT32, targets[i])) {
            return false;
        }
    }
    builder_point(builder, field, scale_bias);
    return true;
}

/* A number of the data type in the field `typeField`, or an object with the one member of the union that is meant. */
static bool read_scalar(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    static const struct named_value members[] = {{"Int8", DML_TENSOR_DATA_TYPE_INT8},
                                                 {"UInt8", DML_TENSOR_DATA_TYPE_UINT8},
                                                 {"Int16", DML_TENSOR_DATA_TYPE_INT16},
                                                 {"UInt16", DML_TENSOR_DATA_TYPE_UINT16},
                                                 {"Int32", DML_TENSOR_DATA_TYPE_INT32},
                                                 {"UInt32", DML_TENSOR_DATA_TYPE_UINT32},
                                                 {"Int64", DML_TENSOR_DATA_TYPE_INT64},
                                                 {"UInt64", DML_TENSOR_DATA_TYPE_UINT64},
                                                 {"Float32", DML_TENSOR_DATA_TYPE_FLOAT32},
                                                 {"Float64", DML_TENSOR_DATA_TYPE_FLOAT64},
                                                 {NULL, 0}};
    const VkdmlFieldSchema *type_field = &builder->schema->fields[field->typeField];
    struct json_object *type_value = document_member(builder->fields, type_field->name);
    DML_TENSOR_DATA_TYPE type = DML_TENSOR_DATA_TYPE_UNKNOWN;
    if (json_object_is_type(value, json_type_object)) {
        for (const struct named_value *member = members; member->name; member++) {
            struct json_object *given = document_member(value, member->name);
            if (given && json_object_object_length(value) == 1) {
                return read_element(builder, given, field->name, (DML_TENSOR_DATA_TYPE)member->value,
                                    builder->desc + field->offset);
            }
        }
        return builder_fail_value(builder, value, field->name,
                                  "a number, or an object with one member such as \"Float32\"");
    }
    if (!json_object_is_type(type_value, json_type_string) ||
        !element_type_from_name(json_object_get_string(type_value), &type)) {
        return true; /* the type's own field tells */
    }
    return read_element(builder, value, field->name, type, builder->desc + field->offset);
}

/* By VkdmlFieldType. */
static bool (*const readers[])(const struct builder *builder, struct json_object *value,
                               const VkdmlFieldSchema *field) = {
    [VKDML_FIELD_TYPE_UINT] = read_uint,           [VKDML_FIELD_TYPE_INT] = read_int,
    [VKDML_FIELD_TYPE_FLOAT] = read_float,         [VKDML_FIELD_TYPE_ENUM] = read_enumerator,
    [VKDML_FIELD_TYPE_UINT_ARRAY] = read_uints,    [VKDML_FIELD_TYPE_SCALE_BIAS] = read_scale_bias,
    [VKDML_FIELD_TYPE_SCALAR_UNION] = read_scalar, [VKDML_FIELD_TYPE_BOOL] = read_bool,
    [VKDML_FIELD_TYPE_INT_ARRAY] = read_ints,      [VKDML_FIELD_TYPE_FLOAT_ARRAY] = read_floats,
    [VKDML_FIELD_TYPE_SIZE_2D] = read_size,
};

bool attribute_read(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    if ((size_t)field->type >= sizeof(readers) / sizeof(readers[0]) || !readers[field->type]) {
        return builder_fail(builder, value, field->name, "is of a type that this program is too old to read");
    }
    return readers[field->type](builder, value, field);
}
