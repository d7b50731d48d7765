#include "model/builder.h"

#include <stdio.h>
#include <string.h>

bool builder_fail(const struct builder *builder, const struct json_object *where, const char *field,
                  const char *message) {
    return document_error(&builder->model->document, where ? where : builder->fields, "dispatchable '%s': %s%s %s",
                          builder->dispatchable->name, builder->owner, field, message);
}

bool builder_fail_value(const struct builder *builder, struct json_object *value, const char *field, const char *must) {
    return document_error(&builder->model->document, value, "dispatchable '%s': %s%s is %.100s, must be %s",
                          builder->dispatchable->name, builder->owner, field, json_object_to_json_string(value), must);
}

bool builder_names(const char *text, const char *full, const char *prefix) {
    size_t length = strlen(prefix);
    return strcmp(text, full) == 0 || (strncmp(full, prefix, length) == 0 && strcmp(text, full + length) == 0);
}

void builder_consider(struct suggest *suggest, const char *full, const char *prefix) {
    const size_t length = strlen(prefix);
    const bool in_full = strncmp(suggest->text, "DML_", 4) == 0 || strncmp(full, prefix, length) != 0;
    suggest_consider(suggest, in_full ? full : full + length);
}

static bool read_flag(const struct builder *builder, struct json_object *value, const char *field, const char *prefix,
                      const struct named_value *flags, int *result) {
    struct suggest suggest = suggest_begin(json_object_get_string(value));
    for (const struct named_value *flag = flags; flag->name && json_object_is_type(value, json_type_string); flag++) {
        if (builder_names(json_object_get_string(value), flag->name, prefix)) {
            *result |= flag->value;
            return true;
        }
        builder_consider(&suggest, flag->name, prefix);
    }
    char hint[SUGGEST_SIZE];
    char must[SUGGEST_SIZE + 64];
    snprintf(must, sizeof(must), "one of the flags %.32s*%s", prefix, suggest_hint(&suggest, hint));
    return builder_fail_value(builder, value, field, must);
}

bool builder_read_flags(const struct builder *builder, struct json_object *owner, const char *field, const char *prefix,
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
            return builder_fail(builder, value, field, "holds null, must hold strings");
        }
        if (!read_flag(builder, item, field, prefix, flags, result)) {
            return false;
        }
    }
    return true;
}

bool builder_read_uints(const struct builder *builder, struct json_object *value, const char *field,
                        const uint32_t **array, uint32_t *count) {
    if (!json_object_is_type(value, json_type_array)) {
        return builder_fail_value(builder, value, field, "an array of whole numbers");
    }
    size_t length = json_object_array_length(value);
    uint32_t *numbers = arena_allocate(&builder->model->arena, length ? length : 1, sizeof(*numbers));
    if (!numbers) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        struct json_object *item = json_object_array_get_idx(value, i);
        uint64_t number = 0;
        char name[BUILDER_NAME_SIZE];
        snprintf(name, sizeof(name), "%.96s[%zu]", field, i);
        if (!item) {
            return builder_fail(builder, value, name, "is null, must be a whole number from 0 to 4294967295");
        }
        if (!document_read_unsigned(item, UINT32_MAX, &number)) {
            return builder_fail_value(builder, item, name, "a whole number from 0 to 4294967295");
        }
        numbers[i] = (uint32_t)number;
    }
    *array = numbers;
    *count = (uint32_t)length;
    return true;
}

bool builder_array_length(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field,
                          uint32_t *length) {
    const char *count_name = builder->schema->fields[field->countField].name;
    uint64_t count = 0;
    if (!json_object_is_type(value, json_type_array)) {
        return builder_fail_value(builder, value, field->name, "an array");
    }
    *length = (uint32_t)json_object_array_length(value);
    /* Where the count is missing or no number, its own field tells. */
    if (document_read_unsigned(document_member(builder->fields, count_name), UINT32_MAX, &count) && count != *length) {
        char message[160];
        snprintf(message, sizeof(message), "has %u elements, must have %llu = %.64s", *length,
                 (unsigned long long)count, count_name);
        return builder_fail(builder, value, field->name, message);
    }
    return true;
}

bool builder_read_array(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field,
                        size_t size,
                        bool (*read)(const struct builder *builder, struct json_object *value, const char *name,
                                     void *element)) {
    uint32_t length = 0;
    if (!builder_array_length(builder, value, field, &length)) {
        return false;
    }
    unsigned char *elements = arena_allocate(&builder->model->arena, length ? length : 1, size);
    bool good = elements != NULL;
    for (uint32_t i = 0; elements && i < length; i++) {
        struct json_object *item = json_object_array_get_idx(value, i);
        char name[BUILDER_NAME_SIZE];
        snprintf(name, sizeof(name), "%.64s[%u]", field->name, i);
        good = (item ? read(builder, item, name, elements + i * size)
                     : builder_fail(builder, value, name, "is null, must be an object")) &&
               good;
    }
    builder_point(builder, field, elements);
    return good;
}

void builder_point(const struct builder *builder, const VkdmlFieldSchema *field, const void *pointer) {
    memcpy(builder->desc + field->offset, &pointer, sizeof(pointer));
}
