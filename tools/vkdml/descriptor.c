#include "descriptor.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "element.h"

/* What building one descriptor takes everywhere along. */
struct builder {
    struct model *model;
    struct dispatchable *dispatchable;
    unsigned char *desc; /* the descriptor struct */
};

/* A name and its value, e.g. of a flag. */
struct named_value {
    const char *name;
    int value;
};

/* "dispatchable 'pad': FIELD " and the message, with the value's line. */
static bool fail(const struct builder *builder, const struct json_object *where, const char *field,
                 const char *message) {
    return document_error(&builder->model->document, where ? where : builder->dispatchable->fields,
                          "dispatchable '%s': %s %s", builder->dispatchable->name, field, message);
}

/* The same, with the value that is there. */
static bool fail_value(const struct builder *builder, struct json_object *value, const char *field, const char *must) {
    return document_error(&builder->model->document, value, "dispatchable '%s': %s is %.100s, must be %s",
                          builder->dispatchable->name, field, json_object_to_json_string(value), must);
}

/* Whether text is an enumerator in full, or what follows the prefix. */
static bool names_enumerator(const char *text, const char *full, const char *prefix) {
    size_t length = strlen(prefix);
    return strcmp(text, full) == 0 || (strncmp(full, prefix, length) == 0 && strcmp(text, full + length) == 0);
}

static bool read_flag(const struct builder *builder, struct json_object *value, const char *field, const char *prefix,
                      const struct named_value *flags, int *result) {
    if (json_object_is_type(value, json_type_string)) {
        for (const struct named_value *flag = flags; flag->name; flag++) {
            if (names_enumerator(json_object_get_string(value), flag->name, prefix)) {
                *result |= flag->value;
                return true;
            }
        }
    }
    char must[160];
    snprintf(must, sizeof(must), "one of the flags %s*", prefix);
    return fail_value(builder, value, field, must);
}

/* Flags: a string, or an array of strings. Absent: 0. */
static bool read_flags(const struct builder *builder, struct json_object *owner, const char *field, const char *prefix,
                       const struct named_value *flags, int *result) {
    struct json_object *value = document_member(owner, field);
    *result = 0;
    if (!value) {
        return true;
    }
    if (!json_object_is_type(value, json_type_array)) {
        return read_flag(builder, value, field, prefix, flags, result);
    }
    for (size_t i = 0; i < json_object_array_length(value); i++) {
        struct json_object *item = json_object_array_get_idx(value, i);
        if (!item) {
            return fail(builder, value, field, "holds null, must hold strings");
        }
        if (!read_flag(builder, item, field, prefix, flags, result)) {
            return false;
        }
    }
    return true;
}

/* An array of whole numbers; *count is its length. */
static bool read_uint_array(const struct builder *builder, struct json_object *value, const char *field,
                            const uint32_t **array, uint32_t *count) {
    if (!json_object_is_type(value, json_type_array)) {
        return fail_value(builder, value, field, "an array of whole numbers");
    }
    size_t length = json_object_array_length(value);
    uint32_t *numbers = arena_allocate(&builder->model->arena, length ? length : 1, sizeof(*numbers));
    if (!numbers) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        struct json_object *item = json_object_array_get_idx(value, i);
        uint64_t number = 0;
        char name[96];
        snprintf(name, sizeof(name), "%.64s[%zu]", field, i);
        if (!item) {
            return fail(builder, value, name, "is null, must be a whole number from 0 to 4294967295");
        }
        if (!document_read_unsigned(item, UINT32_MAX, &number)) {
            return fail_value(builder, item, name, "a whole number from 0 to 4294967295");
        }
        numbers[i] = (uint32_t)number;
    }
    *array = numbers;
    *count = (uint32_t)length;
    return true;
}

/* The members of a buffer tensor, from the object that holds them. `field` is the tensor's name. */
static bool read_buffer_tensor(const struct builder *builder, struct json_object *object, const char *field,
                               DML_BUFFER_TENSOR_DESC *tensor) {
    static const struct named_value flags[] = {{"DML_TENSOR_FLAG_NONE", DML_TENSOR_FLAG_NONE},
                                               {"DML_TENSOR_FLAG_OWNED_BY_DML", DML_TENSOR_FLAG_OWNED_BY_DML},
                                               {NULL, 0}};
    static const char *const known[] = {"Type",
                                        "DataType",
                                        "Flags",
                                        "DimensionCount",
                                        "Sizes",
                                        "Strides",
                                        "TotalTensorSizeInBytes",
                                        "GuaranteedBaseOffsetAlignment",
                                        NULL};
    const struct document *document = &builder->model->document;
    struct json_object *type = document_member(object, "DataType");
    struct json_object *sizes = document_member(object, "Sizes");
    struct json_object *strides = document_member(object, "Strides");
    char name[96];
    int flag_bits = 0;
    uint32_t size_count = 0;
    uint32_t stride_count = 0;
    document_warn_unknown(document, object, known, field);
    if (!type || !sizes) {
        snprintf(name, sizeof(name), "%.64s.%s", field, type ? "Sizes" : "DataType");
        return fail(builder, object, name, "is missing");
    }
    snprintf(name, sizeof(name), "%.64s.DataType", field);
    if (!json_object_is_type(type, json_type_string) ||
        !element_type_from_name(json_object_get_string(type), &tensor->DataType)) {
        return fail_value(builder, type, name, "a DML_TENSOR_DATA_TYPE");
    }
    if (!read_flags(builder, object, "Flags", "DML_TENSOR_FLAG_", flags, &flag_bits)) {
        return false;
    }
    tensor->Flags = (DML_TENSOR_FLAGS)flag_bits;
    snprintf(name, sizeof(name), "%.64s.Sizes", field);
    if (!read_uint_array(builder, sizes, name, &tensor->Sizes, &size_count)) {
        return false;
    }
    snprintf(name, sizeof(name), "%.64s.Strides", field);
    if (strides && !read_uint_array(builder, strides, name, &tensor->Strides, &stride_count)) {
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
        snprintf(name, sizeof(name), "%.64s.%s", field, dimension_count != size_count ? "Sizes" : "Strides");
        return fail(builder, dimension_count != size_count ? sizes : strides, name, message);
    }
    tensor->DimensionCount = (uint32_t)dimension_count;
    tensor->GuaranteedBaseOffsetAlignment = (uint32_t)alignment;
    tensor->TotalTensorSizeInBytes =
        vkdmlCalcBufferTensorSize(tensor->DataType, tensor->DimensionCount, tensor->Sizes, tensor->Strides);
    return document_unsigned(document, object, "TotalTensorSizeInBytes", UINT64_MAX, &tensor->TotalTensorSizeInBytes);
}

static bool read_tensor(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    struct tensor {
        DML_TENSOR_DESC desc;
        DML_BUFFER_TENSOR_DESC buffer;
    } *tensor = arena_allocate(&builder->model->arena, 1, sizeof(*tensor));
    if (!tensor) {
        return false;
    }
    if (!json_object_is_type(value, json_type_object)) {
        return fail_value(builder, value, field->name, "an object");
    }
    struct json_object *type = document_either(value, "Type", "type");
    if (type && !(json_object_is_type(type, json_type_string) &&
                  names_enumerator(json_object_get_string(type), "DML_TENSOR_TYPE_BUFFER", "DML_TENSOR_TYPE_"))) {
        return fail_value(builder, type, field->name, "of type DML_TENSOR_TYPE_BUFFER");
    }
    struct json_object *members = document_either(value, "Desc", "desc");
    if (members && !json_object_is_type(members, json_type_object)) {
        return fail_value(builder, members, field->name, "an object");
    }
    tensor->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &tensor->buffer};
    if (!read_buffer_tensor(builder, members ? members : value, field->name, &tensor->buffer)) {
        return false;
    }
    const DML_TENSOR_DESC *pointer = &tensor->desc;
    memcpy(builder->desc + field->offset, &pointer, sizeof(pointer));
    return true;
}

static bool read_uint(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    uint64_t number = 0;
    if (!document_read_unsigned(value, UINT32_MAX, &number)) {
        return fail_value(builder, value, field->name, "a whole number from 0 to 4294967295");
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
    snprintf(message, sizeof(message), "is %.100s, %s (%s)", json_object_to_json_string(value), why,
             element_type_name(type));
    return fail(builder, value, name, message);
}

static bool read_int(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    return read_element(builder, value, field->name, DML_TENSOR_DATA_TYPE_INT32, builder->desc + field->offset);
}

static bool read_float(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    return read_element(builder, value, field->name, DML_TENSOR_DATA_TYPE_FLOAT32, builder->desc + field->offset);
}

static bool read_enumerator(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    const VkdmlEnumeration *enumeration = field->enumeration;
    char text[128];
    snprintf(text, sizeof(text), "%s_", enumeration->name);
    for (uint32_t i = 0; i < enumeration->enumeratorCount && json_object_is_type(value, json_type_string); i++) {
        const VkdmlEnumerator *enumerator = &enumeration->enumerators[i];
        if (names_enumerator(json_object_get_string(value), enumerator->name, text)) {
            memcpy(builder->desc + field->offset, &enumerator->value, sizeof(enumerator->value));
            return true;
        }
    }
    snprintf(text, sizeof(text), "a %s", enumeration->name);
    return fail_value(builder, value, field->name, text);
}

static bool read_array(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    const VkdmlFieldSchema *count_field = &builder->dispatchable->schema->fields[field->countField];
    struct json_object *count_value = document_member(builder->dispatchable->fields, count_field->name);
    const uint32_t *array = NULL;
    uint32_t length = 0;
    uint64_t count = 0;
    if (!read_uint_array(builder, value, field->name, &array, &length)) {
        return false;
    }
    /* Where the count is missing or no number, its own field tells. */
    if (document_read_unsigned(count_value, UINT32_MAX, &count) && count != length) {
        char message[160];
        snprintf(message, sizeof(message), "has %u elements, must have %llu = %.64s", length, (unsigned long long)count,
                 count_field->name);
        return fail(builder, value, field->name, message);
    }
    memcpy(builder->desc + field->offset, &array, sizeof(array));
    return true;
}

static bool read_scale_bias(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    static const char *const known[] = {"Scale", "Bias", NULL};
    DML_SCALE_BIAS *scale_bias = arena_allocate(&builder->model->arena, 1, sizeof(*scale_bias));
    if (!scale_bias) {
        return false;
    }
    if (!json_object_is_type(value, json_type_object)) {
        return fail_value(builder, value, field->name, "an object");
    }
    document_warn_unknown(&builder->model->document, value, known, field->name);
    float *const targets[] = {&scale_bias->Scale, &scale_bias->Bias};
    for (int i = 0; i < 2; i++) {
        struct json_object *member = document_member(value, known[i]);
        char name[96];
        snprintf(name, sizeof(name), "%.64s.%s", field->name, known[i]);
        if (!member) {
            return fail(builder, value, name, "is missing");
        }
        if (!read_element(builder, member, name, DML_TENSOR_DATA_TYPE_FLOAT32, targets[i])) {
            return false;
        }
    }
    const DML_SCALE_BIAS *pointer = scale_bias;
    memcpy(builder->desc + field->offset, &pointer, sizeof(pointer));
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
    const VkdmlFieldSchema *type_field = &builder->dispatchable->schema->fields[field->typeField];
    struct json_object *type_value = document_member(builder->dispatchable->fields, type_field->name);
    DML_TENSOR_DATA_TYPE type = DML_TENSOR_DATA_TYPE_UNKNOWN;
    if (json_object_is_type(value, json_type_object)) {
        for (const struct named_value *member = members; member->name; member++) {
            struct json_object *given = document_member(value, member->name);
            if (given && json_object_object_length(value) == 1) {
                return read_element(builder, given, field->name, (DML_TENSOR_DATA_TYPE)member->value,
                                    builder->desc + field->offset);
            }
        }
        return fail_value(builder, value, field->name, "a number, or an object with one member such as \"Float32\"");
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
    [VKDML_FIELD_TYPE_TENSOR_DESC] = read_tensor,
    [VKDML_FIELD_TYPE_UINT] = read_uint,
    [VKDML_FIELD_TYPE_INT] = read_int,
    [VKDML_FIELD_TYPE_FLOAT] = read_float,
    [VKDML_FIELD_TYPE_ENUM] = read_enumerator,
    [VKDML_FIELD_TYPE_UINT_ARRAY] = read_array,
    [VKDML_FIELD_TYPE_SCALE_BIAS] = read_scale_bias,
    [VKDML_FIELD_TYPE_SCALAR_UNION] = read_scalar,
};

static bool read_field(const struct builder *builder, const VkdmlFieldSchema *field) {
    struct json_object *value = document_member(builder->dispatchable->fields, field->name);
    if (!value) {
        return field->optional ? true : fail(builder, NULL, field->name, "is missing");
    }
    if ((size_t)field->type >= sizeof(readers) / sizeof(readers[0])) {
        return fail(builder, value, field->name, "is of a type that this program is too old to read");
    }
    return readers[field->type](builder, value, field);
}

/* Warns of members that are no field of the operator, nor, beside an inline descriptor, a dispatchable's own. */
static void warn_unknown_fields(const struct builder *builder) {
    static const char *const own[] = {"type",           "Type",           "desc",     "Desc",
                                      "executionFlags", "dmlCompileType", "bindings", NULL};
    const struct document *document = &builder->model->document;
    const struct dispatchable *dispatchable = builder->dispatchable;
    bool is_inline = dispatchable->fields == dispatchable->json;
    if (!is_inline) {
        document_warn_unknown(document, dispatchable->json, own, dispatchable->name);
    }
    json_object_object_foreach(dispatchable->fields, name, value) {
        bool known = false;
        for (uint32_t i = 0; i < dispatchable->schema->fieldCount; i++) {
            known = known || strcmp(name, dispatchable->schema->fields[i].name) == 0;
        }
        for (size_t i = 0; is_inline && own[i]; i++) {
            known = known || strcmp(name, own[i]) == 0;
        }
        if (!known) {
            document_warning(document, value ? value : dispatchable->fields, "%s: unknown member '%s' is ignored",
                             dispatchable->name, name);
        }
    }
}

static bool find_operator(const struct builder *builder, struct json_object *type) {
    static const char prefix[] = "DML_OPERATOR_";
    static const char *const others[] = {"hlsl", "onnx", "dmlSerializedGraph"};
    const char *text = json_object_get_string(type);
    /* DirectML has two names for it, the schema one. */
    if (names_enumerator(text, "DML_OPERATOR_SCATTER", prefix)) {
        text = "DML_OPERATOR_SCATTER_ELEMENTS";
    }
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); i++) {
        const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchemaAt(i);
        if (names_enumerator(text, schema->name, prefix)) {
            builder->dispatchable->schema = schema;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strcasecmp(text, others[i]) == 0) {
            return document_error(&builder->model->document, type,
                                  "dispatchable '%s': type is %s, only DML operators are supported",
                                  builder->dispatchable->name, others[i]);
        }
    }
    /* 1024: well beyond DirectML's 177 operators; the values are not promised to be without gaps. */
    for (int i = 0; i < 1024; i++) {
        const char *name = vkdmlGetOperatorName((DML_OPERATOR_TYPE)i);
        if (name && names_enumerator(text, name, prefix)) {
            return document_error(&builder->model->document, type,
                                  "dispatchable '%s': %s is not implemented (`vkdml operators` lists what is)",
                                  builder->dispatchable->name, name);
        }
    }
    return document_error(&builder->model->document, type, "dispatchable '%s': type is \"%s\", no DML operator",
                          builder->dispatchable->name, text);
}

/* executionFlags and dmlCompileType */
static bool read_compilation(const struct builder *builder) {
    static const struct named_value flags[] = {
        {"DML_EXECUTION_FLAG_NONE", DML_EXECUTION_FLAG_NONE},
        {"DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION", DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION},
        {"DML_EXECUTION_FLAG_DISABLE_META_COMMANDS", DML_EXECUTION_FLAG_DISABLE_META_COMMANDS},
        {"DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE", DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE},
        {NULL, 0}};
    struct dispatchable *dispatchable = builder->dispatchable;
    int bits = 0;
    if (!read_flags(builder, dispatchable->json, "executionFlags", "DML_EXECUTION_FLAG_", flags, &bits)) {
        return false;
    }
    dispatchable->flags = (DML_EXECUTION_FLAGS)bits;
    struct json_object *compile = document_member(dispatchable->json, "dmlCompileType");
    const char *text = json_object_get_string(compile);
    /* A graph of one operator is that operator. */
    if (compile && strcmp(text, "DmlCompileOp") != 0 && strcmp(text, "DmlCompileGraph") != 0) {
        return fail_value(builder, compile, "dmlCompileType", "\"DmlCompileOp\" or \"DmlCompileGraph\"");
    }
    return true;
}

bool descriptor_load(struct model *model, struct dispatchable *dispatchable) {
    const struct document *document = &model->document;
    struct builder builder = {model, dispatchable, NULL};
    if (!json_object_is_type(dispatchable->json, json_type_object)) {
        return document_error(document, dispatchable->json, "dispatchable '%s' must be an object", dispatchable->name);
    }
    struct json_object *type = document_either(dispatchable->json, "type", "Type");
    if (!type) {
        return document_error(document, dispatchable->json, "dispatchable '%s': 'type' is missing", dispatchable->name);
    }
    struct json_object *fields = document_either(dispatchable->json, "desc", "Desc");
    dispatchable->fields = fields ? fields : dispatchable->json;
    if (!json_object_is_type(dispatchable->fields, json_type_object)) {
        return document_error(document, fields, "dispatchable '%s': 'desc' must be an object", dispatchable->name);
    }
    if (!find_operator(&builder, type) || !read_compilation(&builder)) {
        return false;
    }
    builder.desc = arena_allocate(&model->arena, 1, dispatchable->schema->descSize);
    if (!builder.desc) {
        return false;
    }
    warn_unknown_fields(&builder);
    bool complete = true;
    for (uint32_t i = 0; i < dispatchable->schema->fieldCount; i++) {
        complete = read_field(&builder, &dispatchable->schema->fields[i]) && complete;
    }
    dispatchable->desc = (DML_OPERATOR_DESC){dispatchable->schema->type, builder.desc};
    return complete;
}
