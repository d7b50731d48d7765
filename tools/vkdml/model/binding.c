#include "model/binding.h"

#include <string.h>

#include "model/initializer.h"
#include "model/shape.h"

/* Where one tensor's binding comes from. */
struct bind_point {
    struct model *model;
    const struct dispatchable *dispatchable;
    struct model_tensor tensor;
};

/* elementOffset and elementCount, in elements of elementSizeInBytes (or elementStride), which stands for the size of
 * the resource's type where it is not given. */
static bool read_range(const struct bind_point *point, struct json_object *object, struct binding *binding,
                       uint64_t *limit) {
    const struct document *document = &point->model->document;
    const DML_TENSOR_DATA_TYPE type =
        binding->resource->deferred ? point->tensor.desc->DataType : binding->resource->type;
    uint64_t element_size = 0;
    uint64_t offset = 0;
    uint64_t count = 0;
    if (!document_unsigned(document, object, "elementStride", UINT32_MAX, &element_size) ||
        !document_unsigned(document, object, "elementSizeInBytes", UINT32_MAX, &element_size) ||
        /* 2^31 elements of at most 2^32-1 bytes fit 64 bits. */
        !document_unsigned(document, object, "elementOffset", (uint64_t)1 << 31, &offset) ||
        !document_unsigned(document, object, "elementCount", (uint64_t)1 << 31, &count)) {
        return false;
    }
    const uint32_t bits = vkdmlGetDataTypeBits(type);
    const uint64_t shared = !element_size && bits == 4 ? 2 : 1; /* elements in a byte */
    const uint64_t step = element_size ? element_size : bits > 8 ? bits / 8 : 1;
    if (offset % shared != 0) {
        return document_error(document, object, "%s: elementOffset is %llu, must be even: two elements share a byte",
                              point->tensor.name, (unsigned long long)offset);
    }
    binding->offset = offset / shared * step;
    if (document_member(object, "elementCount")) {
        *limit = ((count + shared - 1) / shared * step + 3) & ~(uint64_t)3;
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
                              point->tensor.name);
    }
    binding->json = value;
    binding->resource = model_find_resource(model, name, point->tensor.name);
    if (!binding->resource) {
        return false;
    }
    if (is_object) {
        document_warn_unknown(document, value, known, "binding");
        if (!read_range(point, value, binding, &limit)) {
            return false;
        }
    }
    if (binding->resource->deferred && !binding->resource->contents &&
        !initializer_settle(model, binding->resource, point->tensor.desc, binding->offset)) {
        return false;
    }
    if (!binding->resource->contents) {
        return false; /* could not be read, which has been said */
    }
    if (point->tensor.field->kind == VKDML_FIELD_KIND_INPUT_TENSOR && binding->offset == 0 && limit == UINT64_MAX) {
        shape_check(model, binding->resource, point->tensor.desc, value, point->tensor.name);
    }
    uint64_t rest = binding->resource->size < binding->offset ? 0 : binding->resource->size - binding->offset;
    uint64_t available = rest < limit ? rest : limit;
    binding->size = point->tensor.desc->TotalTensorSizeInBytes;
    if (binding->size > available) {
        return document_error(
            document, value, "dispatchable '%s': %s needs %llu bytes, resource '%s' has %llu from offset %llu",
            point->dispatchable->name, point->tensor.name, (unsigned long long)binding->size, binding->resource->name,
            (unsigned long long)available, (unsigned long long)binding->offset);
    }
    return true;
}

/* The member of `bindings`, which may be NULL, for a bind point: one resource, or an array with one for each tensor of
 * the field. NULL, and the reason on stderr, where there is none. */
static struct json_object *find_value(const struct bind_point *point, struct json_object *bindings, bool owned) {
    const struct document *document = &point->model->document;
    struct json_object *value = bindings ? document_member(bindings, point->tensor.field->name) : NULL;
    if (json_object_is_type(value, json_type_array)) {
        value = json_object_array_get_idx(value, point->tensor.element); /* of as many as there are tensors */
    }
    if (!value) {
        document_error(document, bindings ? bindings : point->dispatchable->json,
                       "dispatchable '%s': nothing is bound to %s%s", point->dispatchable->name, point->tensor.name,
                       owned
                           ? ", which is OWNED_BY_DML: the dispatchable's own 'bindings' must bind it, not those of a "
                             "dispatch command"
                           : "");
    }
    return value;
}

static bool is_owned(const struct model_tensor *tensor) {
    return tensor->desc && (tensor->desc->Flags & DML_TENSOR_FLAG_OWNED_BY_DML);
}

/* Refuses a resource for a tensor that is none, or that may not be bound there. */
static bool check_bound(const struct model *model, const struct dispatchable *dispatchable,
                        const struct model_tensor *tensor, const struct json_object *value, bool owned) {
    if (!tensor->desc) {
        return document_error(&model->document, value, "dispatchable '%s': %s is absent, must not be bound",
                              dispatchable->name, tensor->name);
    }
    return is_owned(tensor) == owned ||
           document_error(&model->document, value, "dispatchable '%s': %s %s", dispatchable->name, tensor->name,
                          owned ? "is not OWNED_BY_DML, must be bound by the dispatch command"
                                : "is OWNED_BY_DML, must be bound by the dispatchable");
}

/* Holds a member of `bindings` to the tensors of its field. */
static bool check_member(const struct model *model, const struct dispatchable *dispatchable,
                         const VkdmlFieldSchema *field, struct json_object *value, bool owned) {
    const bool is_array = field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
    const uint32_t all =
        field->kind == VKDML_FIELD_KIND_INPUT_TENSOR ? dispatchable->input_count : dispatchable->output_count;
    const uint32_t tensors = is_array ? all - field->bindingIndex : 1;
    const bool is_list = json_object_is_type(value, json_type_array);
    const size_t given = is_list ? json_object_array_length(value) : 1;
    bool good = true;
    if (given != tensors || (is_array && !is_list)) {
        return document_error(&model->document, value, "dispatchable '%s': %s is bound to %zu resources, must be %u%s",
                              dispatchable->name, field->name, given, tensors, is_array ? ", in an array" : "");
    }
    for (uint32_t i = 0; i < tensors; i++) {
        const struct model_tensor tensor = model_tensor(dispatchable, field->kind, field->bindingIndex + i);
        struct json_object *item = is_list ? json_object_array_get_idx(value, i) : value;
        good = (!item || check_bound(model, dispatchable, &tensor, item, owned)) && good;
    }
    return good;
}

/* Refuses members of `bindings` that are no tensor, or none that may be bound there. */
static bool check_names(const struct model *model, const struct dispatchable *dispatchable,
                        struct json_object *bindings, bool owned) {
    const VkdmlOperatorSchema *schema = dispatchable->schema;
    bool good = true;
    json_object_object_foreach(bindings, name, value) {
        const VkdmlFieldSchema *field = NULL;
        struct suggest suggest = suggest_begin(name);
        char hint[SUGGEST_SIZE];
        for (uint32_t i = 0; i < schema->fieldCount; i++) {
            if (schema->fields[i].kind == VKDML_FIELD_KIND_ATTRIBUTE) {
                continue;
            }
            suggest_consider(&suggest, schema->fields[i].name);
            if (strcmp(schema->fields[i].name, name) == 0) {
                field = &schema->fields[i];
            }
        }
        if (!field) {
            good = document_error(&model->document, value ? value : bindings, "%s has no tensor called %s%s",
                                  schema->name, name, suggest_hint(&suggest, hint));
        } else if (value) {
            good = check_member(model, dispatchable, field, value, owned) && good;
        }
    }
    return good;
}

/* Reads the bindings of all inputs (or outputs) that are bound here. */
static bool load_side(struct model *model, const struct dispatchable *dispatchable, struct json_object *bindings,
                      VkdmlFieldKind kind, bool owned, struct binding *side) {
    const uint32_t count =
        kind == VKDML_FIELD_KIND_INPUT_TENSOR ? dispatchable->input_count : dispatchable->output_count;
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        const struct bind_point point = {model, dispatchable, model_tensor(dispatchable, kind, i)};
        if (point.tensor.desc && is_owned(&point.tensor) == owned) {
            struct json_object *value = find_value(&point, bindings, owned);
            good = value && read_binding(&point, value, &side[i]) && good;
        }
    }
    return good;
}

bool binding_load_owned(struct model *model, struct dispatchable *dispatchable) {
    struct json_object *bindings = document_member(dispatchable->json, "bindings");
    dispatchable->owned =
        arena_allocate(&model->arena, (size_t)dispatchable->input_count + 1, sizeof(*dispatchable->owned));
    if (!dispatchable->owned) {
        return false;
    }
    if (bindings && !json_object_is_type(bindings, json_type_object)) {
        return document_error(&model->document, bindings, "dispatchable '%s': 'bindings' must be an object",
                              dispatchable->name);
    }
    return (!bindings || check_names(model, dispatchable, bindings, true)) &&
           load_side(model, dispatchable, bindings, VKDML_FIELD_KIND_INPUT_TENSOR, true, dispatchable->owned);
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

static bool report_overlap(const struct model *model, const struct command *command, const struct binding *output,
                           const struct model_tensor *tensor, const struct model_tensor *other) {
    return document_error(&model->document, output->json, "dispatchable '%s': %s and %s overlap in '%s'",
                          command->dispatchable->name, tensor->name, other->name, output->resource->name);
}

/* An output shares bytes with nothing, unless the operator may run in place. The library refuses the rest on a GPU; the
 * reference knows host memory only, and cannot tell. */
static bool check_output(const struct model *model, const struct command *command, uint32_t index) {
    const struct dispatchable *dispatchable = command->dispatchable;
    const struct model_tensor tensor = model_tensor(dispatchable, VKDML_FIELD_KIND_OUTPUT_TENSOR, index);
    const struct binding *output = &command->outputs[index];
    for (uint32_t i = 0; i < dispatchable->input_count; i++) {
        const struct binding *input = &command->inputs[i];
        if (!ranges_overlap(output, input)) {
            continue;
        }
        const struct model_tensor other = model_tensor(dispatchable, VKDML_FIELD_KIND_INPUT_TENSOR, i);
        const uint32_t other_field = (uint32_t)(other.field - dispatchable->schema->fields);
        if ((tensor.field->mayAliasFields >> other_field & 1) == 0 || input->offset != output->offset ||
            !same_layout(other.desc, tensor.desc)) {
            return report_overlap(model, command, output, &tensor, &other);
        }
    }
    for (uint32_t i = 0; i < index; i++) {
        if (ranges_overlap(output, &command->outputs[i])) {
            const struct model_tensor other = model_tensor(dispatchable, VKDML_FIELD_KIND_OUTPUT_TENSOR, i);
            return report_overlap(model, command, output, &tensor, &other);
        }
    }
    return true;
}

/* Notes who writes the resources: what is expected of them afterwards is of that operator's accuracy. */
static void note_writer(const struct command *command) {
    for (uint32_t i = 0; i < command->dispatchable->output_count; i++) {
        const struct binding *output = &command->outputs[i];
        struct resource *resource = output->resource;
        if (resource) {
            const bool whole = output->offset == resource->values_offset;
            resource->writer = command->dispatchable;
            resource->written =
                whole ? model_tensor(command->dispatchable, VKDML_FIELD_KIND_OUTPUT_TENSOR, i).desc : NULL;
        }
    }
}

bool binding_load_dispatch(struct model *model, struct command *command) {
    const struct dispatchable *dispatchable = command->dispatchable;
    struct json_object *bindings =
        document_require(&model->document, command->json, "bindings", json_type_object, "dispatch");
    command->inputs = arena_allocate(&model->arena, (size_t)dispatchable->input_count + 1, sizeof(*command->inputs));
    command->outputs = arena_allocate(&model->arena, (size_t)dispatchable->output_count + 1, sizeof(*command->outputs));
    if (!bindings || !command->inputs || !command->outputs || !check_names(model, dispatchable, bindings, false)) {
        return false;
    }
    bool good = load_side(model, dispatchable, bindings, VKDML_FIELD_KIND_INPUT_TENSOR, false, command->inputs);
    good = load_side(model, dispatchable, bindings, VKDML_FIELD_KIND_OUTPUT_TENSOR, false, command->outputs) && good;
    for (uint32_t i = 0; good && i < dispatchable->output_count; i++) {
        good = check_output(model, command, i);
    }
    if (good) {
        note_writer(command);
    }
    return good;
}
