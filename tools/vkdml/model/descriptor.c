#include "model/descriptor.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/attribute.h"
#include "model/tensor.h"

static const char operator_prefix[] = "DML_OPERATOR_";

/* Warns of members of an operator's object that are no field of it nor, where the descriptor stands inline, the
 * object's own, a list that ends with NULL. */
static void warn_unknown_fields(const struct builder *builder, struct json_object *object, const char *const *own) {
    const struct document *document = &builder->model->document;
    bool is_inline = builder->fields == object;
    if (!is_inline) {
        document_warn_unknown(document, object, own, builder->dispatchable->name);
    }
    json_object_object_foreach(builder->fields, name, value) {
        struct suggest suggest = suggest_begin(name);
        char hint[SUGGEST_SIZE];
        bool known = false;
        for (uint32_t i = 0; i < builder->schema->fieldCount; i++) {
            known = known || strcmp(name, builder->schema->fields[i].name) == 0;
        }
        for (size_t i = 0; is_inline && own[i]; i++) {
            known = known || strcmp(name, own[i]) == 0;
        }
        if (known) {
            continue;
        }
        for (uint32_t i = 0; i < builder->schema->fieldCount; i++) {
            suggest_consider(&suggest, builder->schema->fields[i].name);
        }
        if (is_inline) {
            suggest_consider_all(&suggest, own);
        }
        document_warning(document, value ? value : builder->fields, "%s: unknown member '%s%s' is ignored%s",
                         builder->dispatchable->name, builder->owner, name, suggest_hint(&suggest, hint));
    }
}

/* A hint at the implemented operator that was meant, of those that may be fused into another where one to fuse was. */
static const char *suggest_operator(const char *text, DML_OPERATOR_TYPE into, char hint[SUGGEST_SIZE]) {
    struct suggest suggest = suggest_begin(text);
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); i++) {
        const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchemaAt(i);
        if (!into || (schema->fusableSince && (!schema->fusableInto || schema->fusableInto == into))) {
            builder_consider(&suggest, schema->name, operator_prefix);
        }
    }
    return suggest_hint(&suggest, hint);
}

/* DxDispatch's other types of dispatchables, and what to do instead. */
static const struct {
    const char *type, *advice;
} unsupported[] = {
    {"hlsl", "vkdml runs no HLSL"},
    {"onnx", "`vkdml run MODEL.onnx` runs an ONNX model"},
    {"dmlSerializedGraph", "the format of its file is DirectML's own; run the ONNX model that it was made from, or "
                           "state the graph as a DML_GRAPH_DESC"},
};

/* The row of the operator that a type names; NULL, and the reason on stderr, where there is none. */
static const VkdmlOperatorSchema *find_operator(const struct builder *builder, struct json_object *type) {
    const struct document *document = &builder->model->document;
    const char *dispatchable = builder->dispatchable->name;
    const char *text = json_object_get_string(type);
    /* DirectML has two names for it, the schema one. */
    if (builder_names(text, "DML_OPERATOR_SCATTER", operator_prefix)) {
        text = "DML_OPERATOR_SCATTER_ELEMENTS";
    }
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); i++) {
        const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchemaAt(i);
        if (builder_names(text, schema->name, operator_prefix)) {
            return schema;
        }
    }
    for (size_t i = 0; i < sizeof(unsupported) / sizeof(unsupported[0]); i++) {
        if (strcasecmp(text, unsupported[i].type) == 0) {
            document_error(document, type, "dispatchable '%s': %stype is %s, which is not supported: %s", dispatchable,
                           builder->owner, unsupported[i].type, unsupported[i].advice);
            return NULL;
        }
    }
    /* 1024: well beyond DirectML's 177 operators; the values are not promised to be without gaps. */
    for (int i = 0; i < 1024; i++) {
        const char *name = vkdmlGetOperatorName((DML_OPERATOR_TYPE)i);
        if (name && builder_names(text, name, operator_prefix)) {
            document_error(document, type,
                           "dispatchable '%s': %s%s%s is not implemented (`vkdml operators` lists what is)",
                           dispatchable, builder->owner, *builder->owner ? "Type: " : "", name);
            return NULL;
        }
    }
    char hint[SUGGEST_SIZE];
    document_error(
        document, type, "dispatchable '%s': %stype is \"%s\", no DML operator%s", dispatchable, builder->owner, text,
        suggest_operator(text, *builder->owner ? builder->dispatchable->schema->type : DML_OPERATOR_INVALID, hint));
    return NULL;
}

/* ---- operators that are fused ---- */

static bool read_attribute(const struct builder *builder, const VkdmlFieldSchema *field) {
    struct json_object *value = document_member(builder->fields, field->name);
    if (field->kind != VKDML_FIELD_KIND_ATTRIBUTE) {
        return !value ||
               builder_fail(builder, value, field->name, "is given, must be null in an operator that is fused");
    }
    return value ? attribute_read(builder, value, field)
                 : field->optional || builder_fail(builder, NULL, field->name, "is missing");
}

/* {"Type": .., "Desc": {..}}, or the fields inline. `name` is the operator's in `outer`. */
static bool read_operator(const struct builder *outer, struct json_object *value, const char *name, void *element) {
    DML_OPERATOR_DESC *desc = element;
    static const char *const own[] = {"type", "Type", "desc", "Desc", NULL};
    struct builder builder = {.model = outer->model, .dispatchable = outer->dispatchable};
    if (!json_object_is_type(value, json_type_object)) {
        return builder_fail_value(outer, value, name, "an object");
    }
    builder.owner = arena_join(&outer->model->arena, name, ".");
    struct json_object *type = document_either(value, "Type", "type");
    struct json_object *fields = document_either(value, "Desc", "desc");
    builder.fields = fields ? fields : value;
    if (!builder.owner || !json_object_is_type(builder.fields, json_type_object)) {
        return builder.owner && builder_fail_value(outer, fields, name, "an object with an object 'Desc'");
    }
    if (!json_object_is_type(type, json_type_string)) {
        return builder_fail(&builder, value, "Type", "is missing, must name an operator");
    }
    builder.schema = find_operator(&builder, type);
    builder.desc = builder.schema ? arena_allocate(&outer->model->arena, 1, builder.schema->descSize) : NULL;
    if (!builder.desc) {
        return false;
    }
    warn_unknown_fields(&builder, value, own);
    bool complete = true;
    for (uint32_t i = 0; i < builder.schema->fieldCount; i++) {
        complete = read_attribute(&builder, &builder.schema->fields[i]) && complete;
    }
    *desc = (DML_OPERATOR_DESC){builder.schema->type, builder.desc};
    return complete;
}

static bool read_fused(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    DML_OPERATOR_DESC *desc = arena_allocate(&builder->model->arena, 1, sizeof(*desc));
    if (!desc || !read_operator(builder, value, field->name, desc)) {
        return false;
    }
    builder_point(builder, field, desc);
    return true;
}

static bool read_fused_array(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field) {
    return builder_read_array(builder, value, field, sizeof(DML_OPERATOR_DESC), read_operator);
}

/* ---- dispatchables ---- */

static bool read_field(const struct builder *builder, const VkdmlFieldSchema *field) {
    struct json_object *value = document_member(builder->fields, field->name);
    if (!value) {
        return field->optional || builder_fail(builder, NULL, field->name, "is missing");
    }
    switch (field->type) {
    case VKDML_FIELD_TYPE_TENSOR_DESC:
        return tensor_read(builder, value, field);
    case VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY:
        return tensor_read_array(builder, value, field);
    case VKDML_FIELD_TYPE_OPERATOR_DESC:
        return read_fused(builder, value, field);
    case VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY:
        return read_fused_array(builder, value, field);
    default:
        return attribute_read(builder, value, field);
    }
}

/* Inputs, or outputs: those of the row, and the tensors of an array. */
static uint32_t count_tensors(const struct builder *builder, VkdmlFieldKind kind) {
    uint32_t count = kind == VKDML_FIELD_KIND_INPUT_TENSOR ? builder->schema->inputCount : builder->schema->outputCount;
    for (uint32_t i = 0; i < builder->schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &builder->schema->fields[i];
        if (field->kind == kind && field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY) {
            count += (uint32_t)json_object_array_length(document_member(builder->fields, field->name));
        }
    }
    return count;
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
    if (!builder_read_flags(builder, dispatchable->json, "executionFlags", "DML_EXECUTION_FLAG_", flags, &bits)) {
        return false;
    }
    dispatchable->flags = (DML_EXECUTION_FLAGS)bits;
    struct json_object *compile = document_member(dispatchable->json, "dmlCompileType");
    const char *text = json_object_get_string(compile);
    /* A graph of one operator is that operator. */
    if (compile && strcmp(text, "DmlCompileOp") != 0 && strcmp(text, "DmlCompileGraph") != 0) {
        return builder_fail_value(builder, compile, "dmlCompileType", "\"DmlCompileOp\" or \"DmlCompileGraph\"");
    }
    return true;
}

bool descriptor_load_flags(struct model *model, struct dispatchable *dispatchable) {
    const struct builder builder = {
        .model = model, .dispatchable = dispatchable, .owner = "", .fields = dispatchable->json};
    return read_compilation(&builder);
}

bool descriptor_find(struct model *model, struct dispatchable *dispatchable) {
    const struct document *document = &model->document;
    struct builder builder = {.model = model, .dispatchable = dispatchable, .owner = ""};
    if (!json_object_is_type(dispatchable->json, json_type_object)) {
        return document_error(document, dispatchable->json, "dispatchable '%s' must be an object", dispatchable->name);
    }
    struct json_object *type = document_either(dispatchable->json, "type", "Type");
    if (!type) {
        return document_error(document, dispatchable->json, "dispatchable '%s': 'type' is missing", dispatchable->name);
    }
    struct json_object *fields = document_either(dispatchable->json, "desc", "Desc");
    builder.fields = dispatchable->fields = fields ? fields : dispatchable->json;
    if (!json_object_is_type(builder.fields, json_type_object)) {
        return document_error(document, fields, "dispatchable '%s': 'desc' must be an object", dispatchable->name);
    }
    dispatchable->schema = find_operator(&builder, type);
    return dispatchable->schema != NULL;
}

bool descriptor_load(struct model *model, struct dispatchable *dispatchable) {
    static const char *const own[] = {"type",           "Type",           "desc",     "Desc",
                                      "executionFlags", "dmlCompileType", "bindings", NULL};
    struct builder builder = {.model = model,
                              .dispatchable = dispatchable,
                              .owner = "",
                              .schema = dispatchable->schema,
                              .fields = dispatchable->fields};
    if (!read_compilation(&builder)) {
        return false;
    }
    builder.desc = arena_allocate(&model->arena, 1, builder.schema->descSize);
    if (!builder.desc) {
        return false;
    }
    warn_unknown_fields(&builder, dispatchable->json, own);
    bool complete = true;
    for (uint32_t i = 0; i < builder.schema->fieldCount; i++) {
        complete = read_field(&builder, &builder.schema->fields[i]) && complete;
    }
    dispatchable->desc = (DML_OPERATOR_DESC){builder.schema->type, builder.desc};
    if (complete) {
        dispatchable->input_count = count_tensors(&builder, VKDML_FIELD_KIND_INPUT_TENSOR);
        dispatchable->output_count = count_tensors(&builder, VKDML_FIELD_KIND_OUTPUT_TENSOR);
    }
    return complete;
}
