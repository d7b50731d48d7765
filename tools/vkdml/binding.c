#include "binding.h"

#include <string.h>

#include "initializer.h"

/* Where one tensor's binding comes from. */
struct bind_point {
    struct model *model;
    const struct dispatchable *dispatchable;
    const VkdmlFieldSchema *field;
    const DML_BUFFER_TENSOR_DESC *tensor;
};

static struct resource *find_resource(struct model *model, const char *name) {
    for (size_t i = 0; i < model->resource_count; i++) {
        if (strcmp(model->resources[i].name, name) == 0) {
            return &model->resources[i];
        }
    }
    return NULL;
}

/* elementOffset and elementCount, in elements of elementSizeInBytes (or elementStride), which stands for the size of
 * the resource's type where it is not given. */
static bool read_range(const struct bind_point *point, struct json_object *object, struct binding *binding,
                       uint64_t *limit) {
    const struct document *document = &point->model->document;
    uint64_t element_size =
        vkdmlGetDataTypeSize(binding->resource->deferred ? point->tensor->DataType : binding->resource->type);
    uint64_t offset = 0;
    uint64_t count = 0;
    element_size = element_size ? element_size : 1;
    if (!document_unsigned(document, object, "elementStride", UINT32_MAX, &element_size) ||
        !document_unsigned(document, object, "elementSizeInBytes", UINT32_MAX, &element_size) ||
        /* 2^31 elements of at most 2^32-1 bytes fit 64 bits. */
        !document_unsigned(document, object, "elementOffset", (uint64_t)1 << 31, &offset) ||
        !document_unsigned(document, object, "elementCount", (uint64_t)1 << 31, &count)) {
        return false;
    }
    binding->offset = offset * element_size;
    if (document_member(object, "elementCount")) {
        *limit = (count * element_size + 3) & ~(uint64_t)3;
    }
    return true;
}

/* A resource's name, or {"name", ..}. */
static bool read_binding(const struct bind_point *point, struct json_object *value, struct binding *binding) {
    static const char *const known[] = {
        "name", "elementCount", "elementSizeInBytes", "elementStride", "elementOffset", "format", "shape", NULL};
    struct model *model = point->model;
    const struct document *document = &model->document;
    bool is_object = json_object_is_type(value, json_type_object);
    struct json_object *name = is_object ? document_member(value, "name") : value;
    uint64_t limit = UINT64_MAX;
    if (!json_object_is_type(name, json_type_string)) {
        return document_error(document, value, "%s: must be bound to a resource's name, or an object with 'name'",
                              point->field->name);
    }
    binding->json = value;
    binding->resource = find_resource(model, json_object_get_string(name));
    if (!binding->resource) {
        return document_error(document, name, "%s: no resource is called '%s'", point->field->name,
                              json_object_get_string(name));
    }
    if (is_object) {
        document_warn_unknown(document, value, known, "binding");
        if (!read_range(point, value, binding, &limit)) {
            return false;
        }
    }
    if (binding->resource->deferred && !binding->resource->contents &&
        !initializer_settle(model, binding->resource, point->tensor, binding->offset)) {
        return false;
    }
    if (!binding->resource->contents) {
        return false; /* could not be read, which has been said */
    }
    uint64_t rest = binding->resource->size < binding->offset ? 0 : binding->resource->size - binding->offset;
    uint64_t available = rest < limit ? rest : limit;
    binding->size = point->tensor->TotalTensorSizeInBytes;
    if (binding->size > available) {
        return document_error(
            document, value, "dispatchable '%s': %s needs %llu bytes, resource '%s' has %llu from offset %llu",
            point->dispatchable->name, point->field->name, (unsigned long long)binding->size, binding->resource->name,
            (unsigned long long)available, (unsigned long long)binding->offset);
    }
    return true;
}

/* The member of `bindings` for a bind point: one resource, or an array of one. */
static bool read_bind_point(const struct bind_point *point, struct json_object *bindings, struct binding *binding) {
    const struct document *document = &point->model->document;
    struct json_object *value = document_member(bindings, point->field->name);
    if (!value) {
        return document_error(document, bindings, "dispatchable '%s': nothing is bound to %s",
                              point->dispatchable->name, point->field->name);
    }
    if (json_object_is_type(value, json_type_array)) {
        if (json_object_array_length(value) != 1 || !json_object_array_get_idx(value, 0)) {
            return document_error(document, value, "dispatchable '%s': %s is bound to %zu resources, must be 1",
                                  point->dispatchable->name, point->field->name, json_object_array_length(value));
        }
        value = json_object_array_get_idx(value, 0);
    }
    return read_binding(point, value, binding);
}

static bool is_owned(const DML_BUFFER_TENSOR_DESC *tensor) {
    return tensor && (tensor->Flags & DML_TENSOR_FLAG_OWNED_BY_DML);
}

/* Refuses members of `bindings` that are no tensor, or none that may be bound there. */
static bool check_names(const struct model *model, const struct dispatchable *dispatchable,
                        struct json_object *bindings, bool owned) {
    const VkdmlOperatorSchema *schema = dispatchable->schema;
    bool good = true;
    json_object_object_foreach(bindings, name, value) {
        const VkdmlFieldSchema *field = NULL;
        for (uint32_t i = 0; i < schema->fieldCount; i++) {
            if (strcmp(schema->fields[i].name, name) == 0 && schema->fields[i].kind != VKDML_FIELD_KIND_ATTRIBUTE) {
                field = &schema->fields[i];
            }
        }
        const struct json_object *where = value ? value : bindings;
        if (!field) {
            good = document_error(&model->document, where, "%s has no tensor called %s", schema->name, name);
        } else if (!model_tensor(dispatchable, field)) {
            good = document_error(&model->document, where, "dispatchable '%s': %s is absent, must not be bound",
                                  dispatchable->name, name);
        } else if (is_owned(model_tensor(dispatchable, field)) != owned) {
            good = document_error(&model->document, where, "dispatchable '%s': %s %s", dispatchable->name, name,
                                  owned ? "is not OWNED_BY_DML, must be bound by the dispatch command"
                                        : "is OWNED_BY_DML, must be bound by the dispatchable");
        }
    }
    return good;
}

bool binding_load_owned(struct model *model, struct dispatchable *dispatchable) {
    const VkdmlOperatorSchema *schema = dispatchable->schema;
    struct json_object *bindings = document_member(dispatchable->json, "bindings");
    bool good = true;
    dispatchable->owned = arena_allocate(&model->arena, schema->inputCount + 1, sizeof(*dispatchable->owned));
    if (!dispatchable->owned) {
        return false;
    }
    if (bindings && !json_object_is_type(bindings, json_type_object)) {
        return document_error(&model->document, bindings, "dispatchable '%s': 'bindings' must be an object",
                              dispatchable->name);
    }
    if (bindings && !check_names(model, dispatchable, bindings, true)) {
        return false;
    }
    for (uint32_t i = 0; i < schema->inputCount; i++) {
        const VkdmlFieldSchema *field = model_tensor_field(schema, VKDML_FIELD_KIND_INPUT_TENSOR, i);
        struct bind_point point = {model, dispatchable, field, model_tensor(dispatchable, field)};
        if (is_owned(point.tensor)) {
            good = read_bind_point(&point, bindings ? bindings : dispatchable->json, &dispatchable->owned[i]) && good;
        }
    }
    return good;
}

/* Element positions of dimensions larger than 1 are the same. */
static bool same_layout(const DML_BUFFER_TENSOR_DESC *a, const DML_BUFFER_TENSOR_DESC *b) {
    uint64_t packed_a = 1;
    uint64_t packed_b = 1;
    if (a->DataType != b->DataType || a->DimensionCount != b->DimensionCount) {
        return false;
    }
    for (uint32_t i = a->DimensionCount; i-- > 0;) {
        uint64_t stride_a = a->Strides ? a->Strides[i] : packed_a;
        uint64_t stride_b = b->Strides ? b->Strides[i] : packed_b;
        if (a->Sizes[i] != b->Sizes[i] || (a->Sizes[i] > 1 && stride_a != stride_b)) {
            return false;
        }
        packed_a *= a->Sizes[i];
        packed_b *= b->Sizes[i];
    }
    return true;
}

static bool ranges_overlap(const struct binding *a, const struct binding *b) {
    return a->resource && a->resource == b->resource && a->offset < b->offset + b->size &&
           b->offset < a->offset + a->size;
}

/* An output shares bytes with nothing, unless the operator may run in place. The library refuses the rest on a GPU; the
 * reference knows host memory only, and cannot tell. */
static bool check_output(const struct model *model, const struct command *command, uint32_t index) {
    const struct dispatchable *dispatchable = command->dispatchable;
    const VkdmlOperatorSchema *schema = dispatchable->schema;
    const VkdmlFieldSchema *field = model_tensor_field(schema, VKDML_FIELD_KIND_OUTPUT_TENSOR, index);
    const struct binding *output = &command->outputs[index];
    for (uint32_t i = 0; i < schema->inputCount; i++) {
        const VkdmlFieldSchema *other = model_tensor_field(schema, VKDML_FIELD_KIND_INPUT_TENSOR, i);
        const struct binding *input = &command->inputs[i];
        bool in_place = (field->mayAliasFields >> (other - schema->fields) & 1) != 0 &&
                        input->offset == output->offset &&
                        same_layout(model_tensor(dispatchable, other), model_tensor(dispatchable, field));
        if (ranges_overlap(output, input) && !in_place) {
            return document_error(&model->document, output->json, "dispatchable '%s': %s and %s overlap in '%s'",
                                  dispatchable->name, field->name, other->name, output->resource->name);
        }
    }
    for (uint32_t i = 0; i < index; i++) {
        if (ranges_overlap(output, &command->outputs[i])) {
            return document_error(&model->document, output->json, "dispatchable '%s': %s and %s overlap in '%s'",
                                  dispatchable->name, field->name,
                                  model_tensor_field(schema, VKDML_FIELD_KIND_OUTPUT_TENSOR, i)->name,
                                  output->resource->name);
        }
    }
    return true;
}

static bool load_side(struct model *model, struct command *command, struct json_object *bindings, VkdmlFieldKind kind,
                      uint32_t count, struct binding *side) {
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        const VkdmlFieldSchema *field = model_tensor_field(command->dispatchable->schema, kind, i);
        struct bind_point point = {model, command->dispatchable, field, model_tensor(command->dispatchable, field)};
        if (point.tensor && !is_owned(point.tensor)) {
            good = read_bind_point(&point, bindings, &side[i]) && good;
        }
    }
    return good;
}

bool binding_load_dispatch(struct model *model, struct command *command) {
    const VkdmlOperatorSchema *schema = command->dispatchable->schema;
    struct json_object *bindings =
        document_require(&model->document, command->json, "bindings", json_type_object, "dispatch");
    command->inputs = arena_allocate(&model->arena, schema->inputCount + 1, sizeof(*command->inputs));
    command->outputs = arena_allocate(&model->arena, schema->outputCount + 1, sizeof(*command->outputs));
    if (!bindings || !command->inputs || !command->outputs ||
        !check_names(model, command->dispatchable, bindings, false)) {
        return false;
    }
    bool good = load_side(model, command, bindings, VKDML_FIELD_KIND_INPUT_TENSOR, schema->inputCount, command->inputs);
    good = load_side(model, command, bindings, VKDML_FIELD_KIND_OUTPUT_TENSOR, schema->outputCount, command->outputs) &&
           good;
    for (uint32_t i = 0; good && i < schema->outputCount; i++) {
        good = check_output(model, command, i);
    }
    return good;
}
