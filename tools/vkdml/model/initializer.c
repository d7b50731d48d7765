#include "model/initializer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "model/element.h"
#include "model/npy.h"
#include "model/random.h"

static uint64_t physical_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_size = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_size > 0 ? (uint64_t)pages * (uint64_t)page_size : UINT64_MAX;
}

/* Gives the resource `size` zeroed bytes. Systems promise more memory than they have and kill the program that takes
 * them at their word, so a mistyped count is refused here. */
static bool allocate_contents(struct model *model, struct resource *resource, uint64_t size) {
    uint64_t memory = physical_memory();
    if (size > memory || model->bytes > memory - size) {
        return document_error(&model->document, resource->json,
                              "resource '%s' has %llu bytes: the model's resources exceed the machine's memory "
                              "(%llu bytes)",
                              resource->name, (unsigned long long)size, (unsigned long long)memory);
    }
    resource->contents = calloc(1, size);
    if (!resource->contents) {
        return document_error(&model->document, resource->json, "resource '%s': out of memory for %llu bytes",
                              resource->name, (unsigned long long)size);
    }
    resource->size = size;
    model->bytes += size;
    return true;
}

/* The values' bytes are known: reads sizeInBytes and initialValuesOffsetInBytes and allocates. */
static bool size_contents(struct model *model, struct resource *resource, uint64_t values_size) {
    const struct document *document = &model->document;
    uint64_t size = 0;
    uint64_t offset = 0;
    /* 2^63: leaves room for adding and rounding up. */
    const uint64_t limit = (uint64_t)1 << 63;
    if (!document_unsigned(document, resource->json, "sizeInBytes", limit, &size) ||
        !document_unsigned(document, resource->json, "initialValuesOffsetInBytes", limit, &offset)) {
        return false;
    }
    if (values_size > limit - offset) {
        return document_error(document, resource->json, "resource '%s': its values do not fit 2^63 bytes",
                              resource->name);
    }
    if (!document_member(resource->json, "sizeInBytes")) {
        size = offset + values_size;
    }
    if (size < offset + values_size) {
        return document_error(document, document_member(resource->json, "sizeInBytes"),
                              "resource '%s': sizeInBytes is %llu, must be at least %llu, where its values end",
                              resource->name, (unsigned long long)size, (unsigned long long)(offset + values_size));
    }
    resource->values_offset = offset;
    resource->values_size = values_size;
    return allocate_contents(model, resource, (size + 3) & ~(uint64_t)3);
}

static bool require_type(const struct model *model, const struct resource *resource) {
    if (vkdmlGetDataTypeBits(resource->type) != 0) {
        return true;
    }
    return document_error(&model->document, resource->json,
                          "resource '%s': initialValuesDataType is %s, must be a data type", resource->name,
                          element_type_name(resource->type));
}

/* An element of the resource's type from a JSON value; `what` names it in messages. */
static bool parse_element(const struct model *model, const struct resource *resource, struct json_object *value,
                          DML_TENSOR_DATA_TYPE type, const char *what, void *element) {
    const char *why = element_parse(value, type, element);
    if (!why) {
        return true;
    }
    return document_error(&model->document, value ? value : resource->json, "resource '%s': %s is %.60s, %s (%s)",
                          resource->name, what, value ? json_object_to_json_string(value) : "null", why,
                          element_type_name(type));
}

static bool load_array(struct model *model, struct resource *resource, struct json_object *values) {
    size_t count = json_object_array_length(values);
    resource->count = count;
    if (!require_type(model, resource) || !size_contents(model, resource, element_bytes(resource->type, count))) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        char what[48];
        unsigned char element[8];
        snprintf(what, sizeof(what), "%s[%zu]", resource->member, i);
        if (!parse_element(model, resource, json_object_array_get_idx(values, i), resource->type, what, element)) {
            return false;
        }
        element_store(resource->type, element, i, resource->contents + resource->values_offset);
    }
    return true;
}

/* [{"name"?, "type", "value"}, ..]: packed one after the other. */
static bool load_list(struct model *model, struct resource *resource, struct json_object *values) {
    static const char *const known[] = {"name", "type", "value", NULL};
    const struct document *document = &model->document;
    size_t count = json_object_array_length(values);
    DML_TENSOR_DATA_TYPE *types = arena_allocate(&model->arena, count, sizeof(*types));
    uint64_t values_size = 0;
    if (!types) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct json_object *item = json_object_array_get_idx(values, i);
        struct json_object *type = NULL;
        if (!json_object_is_type(item, json_type_object)) {
            return document_error(document, item ? item : values,
                                  "resource '%s': initialValues[%zu] must be an object with type and value where "
                                  "initialValuesDataType is UNKNOWN",
                                  resource->name, i);
        }
        document_warn_unknown(document, item, known, resource->member);
        type = document_require(document, item, "type", json_type_string, resource->member);
        if (!type) {
            return false;
        }
        if (!element_type_from_name(json_object_get_string(type), &types[i]) || !vkdmlGetDataTypeSize(types[i])) {
            return document_error(
                document, type, "resource '%s': initialValues[%zu].type is \"%s\", must be a data type of whole bytes",
                resource->name, i, json_object_get_string(type));
        }
        values_size += vkdmlGetDataTypeSize(types[i]);
    }
    resource->types = types;
    resource->count = count;
    if (!size_contents(model, resource, values_size)) {
        return false;
    }
    unsigned char *at = resource->contents + resource->values_offset;
    for (size_t i = 0; i < count; i++) {
        char what[48];
        snprintf(what, sizeof(what), "%s[%zu].value", resource->member, i);
        struct json_object *value = document_member(json_object_array_get_idx(values, i), "value");
        if (!parse_element(model, resource, value, types[i], what, at)) {
            return false;
        }
        at += vkdmlGetDataTypeSize(types[i]);
    }
    return true;
}

/* valueCount, which an expectation may leave out: its resource has a count. */
static bool read_count(struct model *model, struct resource *resource, struct json_object *values) {
    if (!document_member(values, "valueCount") && resource->count == 0) {
        return document_error(&model->document, values, "resource '%s': 'valueCount' is missing", resource->name);
    }
    /* 2^32-1: the most elements a tensor may have. */
    return document_unsigned(&model->document, values, "valueCount", UINT32_MAX, &resource->count) &&
           require_type(model, resource);
}

/* {valueCount, value} and {valueCount, valueStart, valueDelta} */
static bool load_sequence(struct model *model, struct resource *resource, struct json_object *values) {
    static const char *const known[] = {"valueCount", "value", "valueStart", "valueDelta", NULL};
    bool sequence = !document_member(values, "value");
    unsigned char element[8] = {0};
    unsigned char delta[8] = {0};
    document_warn_unknown(&model->document, values, known, resource->member);
    if (!read_count(model, resource, values) ||
        !parse_element(model, resource, document_member(values, sequence ? "valueStart" : "value"), resource->type,
                       sequence ? "valueStart" : "value", element)) {
        return false;
    }
    if (sequence &&
        !parse_element(model, resource, document_member(values, "valueDelta"), resource->type, "valueDelta", delta)) {
        return false;
    }
    if (!size_contents(model, resource, element_bytes(resource->type, resource->count))) {
        return false;
    }
    /* Zeros are there already, and left alone they take no memory until they are used. */
    static const unsigned char zero[8] = {0};
    bool all_zero = memcmp(element, zero, sizeof(zero)) == 0 && memcmp(delta, zero, sizeof(zero)) == 0;
    unsigned char *at = resource->contents + resource->values_offset;
    for (uint64_t i = 0; i < resource->count && !all_zero; i++) {
        element_store(resource->type, element, i, at);
        if (sequence) {
            element_add(resource->type, element, delta);
        }
    }
    return true;
}

/* An optional finite number. */
static bool read_number(const struct model *model, const struct resource *resource, struct json_object *values,
                        const char *name, double *number) {
    struct json_object *value = document_member(values, name);
    if (!value) {
        return true;
    }
    if (!parse_element(model, resource, value, DML_TENSOR_DATA_TYPE_FLOAT64, name, number)) {
        return false;
    }
    return isfinite(*number) ||
           document_error(&model->document, value, "resource '%s': %s must be finite", resource->name, name);
}

/* min and max: by default 0 and 1, of integers the least and the greatest. */
static bool read_uniform(const struct model *model, const struct resource *resource, struct json_object *values,
                         struct random_distribution *distribution) {
    bool ordered;
    if (element_is_float(resource->type)) {
        distribution->max = 1;
        if (!read_number(model, resource, values, "min", &distribution->min) ||
            !read_number(model, resource, values, "max", &distribution->max)) {
            return false;
        }
        ordered = distribution->min <= distribution->max;
    } else {
        static const char *const names[] = {"min", "max"};
        uint64_t *const ends[] = {&distribution->first, &distribution->last};
        element_integer_range(resource->type, &distribution->first, &distribution->last);
        /* Counted from the least, numbers with a sign compare as those without do. */
        const uint64_t least = distribution->first;
        for (int i = 0; i < 2; i++) {
            struct json_object *value = document_member(values, names[i]);
            unsigned char element[8] = {0};
            if (value && !parse_element(model, resource, value, resource->type, names[i], element)) {
                return false;
            }
            *ends[i] = value ? element_bits(resource->type, element) : *ends[i];
        }
        ordered = distribution->first - least <= distribution->last - least;
    }
    return ordered ||
           document_error(&model->document, values, "resource '%s': min is greater than max", resource->name);
}

/* mean and deviation: by default 0 and 1. */
static bool read_normal(const struct model *model, const struct resource *resource, struct json_object *values,
                        struct random_distribution *distribution) {
    distribution->normal = true;
    distribution->deviation = 1;
    return read_number(model, resource, values, "mean", &distribution->mean) &&
           read_number(model, resource, values, "deviation", &distribution->deviation) &&
           (distribution->deviation >= 0 ||
            document_error(&model->document, values, "resource '%s': deviation must not be negative", resource->name));
}

/* {valueCount, random: "uniform", min?, max?, seed?} and {valueCount, random: "normal", mean?, deviation?, seed?} */
static bool load_random(struct model *model, struct resource *resource, struct json_object *values) {
    static const char *const known_uniform[] = {"valueCount", "random", "min", "max", "seed", NULL};
    static const char *const known_normal[] = {"valueCount", "random", "mean", "deviation", "seed", NULL};
    const struct document *document = &model->document;
    struct json_object *kind = document_member(values, "random");
    const char *text = json_object_get_string(kind);
    const bool normal = strcasecmp(text, "normal") == 0;
    struct random_distribution distribution = {0};
    uint64_t seed = random_seed_of_name(resource->name);
    if (!normal && strcasecmp(text, "uniform") != 0) {
        return document_error(document, kind, "resource '%s': random is \"%s\", must be \"uniform\" or \"normal\"",
                              resource->name, text);
    }
    document_warn_unknown(document, values, normal ? known_normal : known_uniform, resource->member);
    if (!read_count(model, resource, values) || !document_unsigned(document, values, "seed", UINT64_MAX, &seed)) {
        return false;
    }
    distribution.type = resource->type;
    if (!(normal ? read_normal : read_uniform)(model, resource, values, &distribution) ||
        !size_contents(model, resource, element_bytes(resource->type, resource->count))) {
        return false;
    }
    random_fill(&distribution, seed, resource->count, resource->contents + resource->values_offset);
    return true;
}

/* Relative to the model, else to the working directory. */
static const char *resolve_source(struct model *model, const char *path) {
    if (path[0] == '/') {
        return path;
    }
    const char *beside = arena_join(&model->arena, model->input_path, path);
    return !beside || file_exists(beside) ? beside : path;
}

static bool take_npy(struct model *model, struct resource *resource, struct json_object *where,
                     const unsigned char *bytes, size_t length, const unsigned char **values, uint64_t *values_size) {
    struct npy npy;
    const char *why = npy_read(bytes, length, &npy);
    if (why) {
        return document_error(&model->document, where, "resource '%s': '%s': %s", resource->name,
                              json_object_get_string(where), why);
    }
    resource->type = npy.type;
    resource->count = npy.count;
    resource->dimension_count = npy.dimension_count;
    uint64_t *dimensions = arena_allocate(&model->arena, NPY_MAX_DIMENSIONS, sizeof(*dimensions));
    if (!dimensions) {
        return false;
    }
    memcpy(dimensions, npy.dimensions, sizeof(npy.dimensions));
    resource->dimensions = dimensions;
    *values = npy.data;
    *values_size = npy.count * vkdmlGetDataTypeSize(npy.type);
    return true;
}

static bool load_file(struct model *model, struct resource *resource, struct json_object *values) {
    static const char *const known[] = {"sourcePath", NULL};
    const struct document *document = &model->document;
    struct json_object *source = document_require(document, values, "sourcePath", json_type_string, resource->member);
    unsigned char *bytes = NULL;
    size_t length = 0;
    bool loaded = false;
    document_warn_unknown(document, values, known, resource->member);
    const char *path = source ? resolve_source(model, json_object_get_string(source)) : NULL;
    if (!path) {
        return false;
    }
    static const char *const images[] = {"png", "jpg", "jpeg", "bmp"};
    for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
        if (file_has_extension(path, images[i])) {
            return document_error(document, source, "resource '%s': '%s': images are not supported", resource->name,
                                  path);
        }
    }
    const uint64_t memory = physical_memory();
    const char *why = file_read(path, memory > model->bytes ? memory - model->bytes : 0, &bytes, &length);
    if (why) {
        return document_error(document, source, "resource '%s': '%s': %s", resource->name, path, why);
    }
    const unsigned char *data = bytes;
    uint64_t data_size = length;
    if (file_has_extension(path, "npy")) {
        if (!take_npy(model, resource, source, bytes, length, &data, &data_size)) {
            goto done;
        }
    } else if (!require_type(model, resource)) {
        goto done;
    } else if (length * 8 % vkdmlGetDataTypeBits(resource->type) != 0) {
        document_error(document, source, "resource '%s': '%s' has %zu bytes, no whole number of %s elements",
                       resource->name, path, length, element_type_name(resource->type));
        goto done;
    } else {
        resource->count = (uint64_t)length * 8 / vkdmlGetDataTypeBits(resource->type);
    }
    loaded = size_contents(model, resource, data_size);
    if (loaded) {
        memcpy(resource->contents + resource->values_offset, data, data_size);
    }
done:
    free(bytes);
    return loaded;
}

bool initializer_load_values(struct model *model, struct resource *resource, struct json_object *values) {
    const struct document *document = &model->document;
    if (json_object_is_type(values, json_type_array)) {
        return resource->type == DML_TENSOR_DATA_TYPE_UNKNOWN ? load_list(model, resource, values)
                                                              : load_array(model, resource, values);
    }
    if (json_object_is_type(values, json_type_object)) {
        return document_member(values, "sourcePath") ? load_file(model, resource, values)
               : document_member(values, "random")   ? load_random(model, resource, values)
                                                     : load_sequence(model, resource, values);
    }
    return document_error(document, values ? values : resource->json, "resource '%s': '%s' %s an array%s",
                          resource->name, resource->member, values ? "must be" : "is missing, must be",
                          resource->is_expected ? " or an object" : ", an object or \"deferred\"");
}

static bool load_values(struct model *model, struct resource *resource) {
    struct json_object *values = document_member(resource->json, "initialValues");
    if (json_object_is_type(values, json_type_string) && strcmp(json_object_get_string(values), "deferred") == 0) {
        resource->deferred = true;
        return true;
    }
    return initializer_load_values(model, resource, values);
}

/* initialValuesDataType */
static bool load_type(const struct model *model, struct resource *resource) {
    struct json_object *type = document_member(resource->json, "initialValuesDataType");
    if (!type || (json_object_is_type(type, json_type_string) &&
                  element_type_from_name(json_object_get_string(type), &resource->type))) {
        return true;
    }
    char hint[SUGGEST_SIZE];
    return document_error(&model->document, type, "resource '%s': initialValuesDataType is %.100s, no data type%s",
                          resource->name, json_object_to_json_string(type),
                          element_type_hint(json_object_get_string(type), hint));
}

bool initializer_load(struct model *model, struct resource *resource) {
    static const char *const known[] = {
        "initialValues", "initialValuesDataType", "sizeInBytes", "initialValuesOffsetInBytes", "type", NULL};
    const struct document *document = &model->document;
    if (!json_object_is_type(resource->json, json_type_object)) {
        return document_error(document, resource->json, "resource '%s' must be an object", resource->name);
    }
    struct json_object *kind = document_member(resource->json, "type");
    if (kind && strcasecmp(json_object_get_string(kind), "buffer") != 0) {
        return document_error(document, kind, "resource '%s': type is %s, only buffers are supported", resource->name,
                              json_object_get_string(kind));
    }
    if (document_either(resource->json, "resampleSize", "resampleMode")) {
        return document_error(document, resource->json, "resource '%s': images are not supported", resource->name);
    }
    document_warn_unknown(document, resource->json, known, resource->name);
    resource->member = "initialValues";
    if (!load_type(model, resource) || !load_values(model, resource)) {
        return false;
    }
    if (!resource->deferred && resource->count == 0) {
        return document_error(document, resource->json, "resource '%s' holds no values", resource->name);
    }
    return true;
}

bool initializer_settle(struct model *model, struct resource *resource, const DML_BUFFER_TENSOR_DESC *tensor,
                        uint64_t offset) {
    if (tensor->TotalTensorSizeInBytes > UINT64_MAX / 2 || offset > UINT64_MAX / 2) {
        return document_error(&model->document, resource->json, "resource '%s' does not fit 2^63 bytes",
                              resource->name);
    }
    uint32_t element_bits = vkdmlGetDataTypeBits(tensor->DataType);
    uint64_t bytes = tensor->TotalTensorSizeInBytes;
    uint64_t room = element_bits == 4 ? bytes * 2 : element_bits ? bytes / (element_bits / 8) : 0;
    uint64_t count = 1;
    for (uint32_t i = 0; i < tensor->DimensionCount && count <= UINT32_MAX; i++) {
        count *= tensor->Sizes[i];
    }
    resource->type = tensor->DataType;
    resource->values_offset = offset;
    /* Of a tensor with strides all that lies between its elements, too. */
    resource->count = tensor->Strides || count > room ? room : count;
    resource->values_size = element_bytes(tensor->DataType, resource->count);
    /* At least one word, for a tensor so wrong that it has no size: its operator is refused before anything runs. */
    uint64_t size = (offset + tensor->TotalTensorSizeInBytes + 3) & ~(uint64_t)3;
    return allocate_contents(model, resource, size ? size : 4);
}
