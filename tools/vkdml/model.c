#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "binding.h"
#include "descriptor.h"
#include "expectation.h"
#include "initializer.h"
#include "npy.h"

/* The field with the input (or output) at a binding index: an array has those from its own on. */
static const VkdmlFieldSchema *find_tensor_field(const VkdmlOperatorSchema *schema, VkdmlFieldKind kind,
                                                 uint32_t index) {
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &schema->fields[i];
        if (field->kind == kind && (field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY ? index >= field->bindingIndex
                                                                                      : index == field->bindingIndex)) {
            return field;
        }
    }
    return NULL;
}

struct model_tensor model_tensor(const struct dispatchable *dispatchable, VkdmlFieldKind kind, uint32_t index) {
    struct model_tensor tensor = {.field = find_tensor_field(dispatchable->schema, kind, index)};
    const DML_TENSOR_DESC *first = NULL;
    tensor.element = index - tensor.field->bindingIndex;
    memcpy(&first, (const unsigned char *)dispatchable->desc.Desc + tensor.field->offset, sizeof(first));
    tensor.desc = first ? first[tensor.element].Desc : NULL;
    if (tensor.field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY) {
        snprintf(tensor.name, sizeof(tensor.name), "%s[%u]", tensor.field->name, tensor.element);
    } else {
        snprintf(tensor.name, sizeof(tensor.name), "%s", tensor.field->name);
    }
    return tensor;
}

/* The folder of a file, with its '/'; empty for a bare name. */
static const char *folder_of(struct arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = arena_join(arena, path, "");
    if (folder) {
        folder[slash ? slash - path + 1 : 0] = 0;
    }
    return folder;
}

/* A folder as given on the command line, with a '/' behind it. */
static const char *as_folder(struct arena *arena, const char *path) {
    return arena_join(arena, path, *path && path[strlen(path) - 1] != '/' ? "/" : "");
}

static bool load_resources(struct model *model) {
    const struct document *document = &model->document;
    struct json_object *object = document_require(document, document->root, "resources", json_type_object, "the model");
    if (!object) {
        return false;
    }
    size_t count = (size_t)json_object_object_length(object);
    model->resources = arena_allocate(&model->arena, count, sizeof(*model->resources));
    if (!model->resources || !names_create(&model->resource_names, count)) {
        return model->resources && document_error(document, object, "out of memory");
    }
    bool good = true;
    json_object_object_foreach(object, name, value) {
        struct resource *resource = &model->resources[model->resource_count++];
        resource->name = name;
        resource->json = value;
        good =
            (names_add(&model->resource_names, name, resource) || document_error(document, value, "out of memory")) &&
            initializer_load(model, resource) && good;
    }
    return good;
}

static bool load_dispatchables(struct model *model) {
    const struct document *document = &model->document;
    struct json_object *object =
        document_require(document, document->root, "dispatchables", json_type_object, "the model");
    if (!object) {
        return false;
    }
    size_t count = (size_t)json_object_object_length(object);
    model->dispatchables = arena_allocate(&model->arena, count, sizeof(*model->dispatchables));
    if (!model->dispatchables || !names_create(&model->dispatchable_names, count)) {
        return model->dispatchables && document_error(document, object, "out of memory");
    }
    bool good = true;
    json_object_object_foreach(object, name, value) {
        struct dispatchable *dispatchable = &model->dispatchables[model->dispatchable_count++];
        dispatchable->name = name;
        dispatchable->json = value;
        if (!names_add(&model->dispatchable_names, name, dispatchable) || !descriptor_load(model, dispatchable) ||
            !binding_load_owned(model, dispatchable)) {
            dispatchable->schema = NULL;
            good = false;
        }
    }
    return good;
}

static bool load_dispatch(struct model *model, struct command *command) {
    static const char *const known[] = {"type", "dispatchable", "bindings", "threadGroupCount", NULL};
    const struct document *document = &model->document;
    struct json_object *name = document_require(document, command->json, "dispatchable", json_type_string, "dispatch");
    document_warn_unknown(document, command->json, known, "dispatch");
    if (!name) {
        return false;
    }
    command->dispatchable = names_find(&model->dispatchable_names, json_object_get_string(name));
    if (!command->dispatchable) {
        char hint[SUGGEST_SIZE];
        return document_error(document, name, "dispatch: no dispatchable is called '%s'%s",
                              json_object_get_string(name),
                              names_hint(&model->dispatchable_names, json_object_get_string(name), hint));
    }
    /* Without a schema its own mistakes have been told. */
    return command->dispatchable->schema && binding_load_dispatch(model, command);
}

struct resource *model_find_resource(struct model *model, struct json_object *name, const char *owner) {
    const char *text = json_object_get_string(name);
    struct resource *resource = names_find(&model->resource_names, text);
    if (!resource) {
        char hint[SUGGEST_SIZE];
        document_error(&model->document, name, "%s: no resource is called '%s'%s", owner, text,
                       names_hint(&model->resource_names, text, hint));
    }
    return resource;
}

/* The resource of a command that needs one. */
static bool find_resource(struct model *model, struct command *command, const char *owner) {
    struct json_object *name = document_require(&model->document, command->json, "resource", json_type_string, owner);
    command->resource = name ? model_find_resource(model, name, owner) : NULL;
    return command->resource != NULL;
}

static bool load_print(struct model *model, struct command *command) {
    static const char *const known[] = {"type", "resource", "verbose", NULL};
    struct json_object *verbose = document_member(command->json, "verbose");
    document_warn_unknown(&model->document, command->json, known, "print");
    if (verbose && !json_object_is_type(verbose, json_type_boolean)) {
        return document_error(&model->document, verbose, "print: 'verbose' must be true or false");
    }
    command->verbose = json_object_get_boolean(verbose);
    return find_resource(model, command, "print");
}

static bool load_dimensions(struct model *model, struct command *command) {
    struct json_object *array = document_member(command->json, "dimensions");
    if (!array) {
        return true;
    }
    if (!json_object_is_type(array, json_type_array) || json_object_array_length(array) > NPY_MAX_DIMENSIONS) {
        return document_error(&model->document, array, "writeFile: 'dimensions' must be an array of at most %d sizes",
                              NPY_MAX_DIMENSIONS);
    }
    size_t count = json_object_array_length(array);
    uint64_t *dimensions = arena_allocate(&model->arena, count ? count : 1, sizeof(*dimensions));
    if (!dimensions) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct json_object *size = json_object_array_get_idx(array, i);
        if (!document_read_unsigned(size, UINT32_MAX, &dimensions[i])) {
            return document_error(&model->document, size ? size : array,
                                  "writeFile: dimensions[%zu] must be a whole number from 0 to 4294967295", i);
        }
    }
    command->dimension_count = (uint32_t)count;
    command->dimensions = dimensions;
    return true;
}

static bool load_write_file(struct model *model, struct command *command) {
    static const char *const known[] = {"type", "resource", "targetPath", "dimensions", NULL};
    const struct document *document = &model->document;
    document_warn_unknown(document, command->json, known, "writeFile");
    struct json_object *target = document_require(document, command->json, "targetPath", json_type_string, "writeFile");
    if (!target || !find_resource(model, command, "writeFile") || !load_dimensions(model, command)) {
        return false;
    }
    const char *path = json_object_get_string(target);
    command->path = arena_join(&model->arena, path[0] == '/' ? "" : model->output_path, path);
    return command->path != NULL;
}

static const struct {
    const char *name;
    enum command_type type;
    bool (*load)(struct model *model, struct command *command);
} command_types[] = {
    {"dispatch", COMMAND_DISPATCH, load_dispatch},
    {"expect", COMMAND_EXPECT, expectation_load},
    {"print", COMMAND_PRINT, load_print},
    {"writeFile", COMMAND_WRITE_FILE, load_write_file},
};

static bool load_command(struct model *model, struct command *command) {
    const struct document *document = &model->document;
    if (!json_object_is_type(command->json, json_type_object)) {
        return document_error(document, command->json ? command->json : document_member(document->root, "commands"),
                              "a command must be an object");
    }
    struct json_object *type = document_require(document, command->json, "type", json_type_string, "command");
    if (!type) {
        return false;
    }
    const char *text = json_object_get_string(type);
    struct suggest suggest = suggest_begin(text);
    char hint[SUGGEST_SIZE];
    for (size_t i = 0; i < sizeof(command_types) / sizeof(command_types[0]); i++) {
        if (strcasecmp(text, command_types[i].name) == 0) {
            command->type = command_types[i].type;
            return command_types[i].load(model, command);
        }
        suggest_consider(&suggest, command_types[i].name);
    }
    return document_error(document, type, "command type is \"%s\", must be dispatch, expect, print or writeFile%s",
                          text, suggest_hint(&suggest, hint));
}

static bool load_commands(struct model *model) {
    const struct document *document = &model->document;
    struct json_object *array = document_require(document, document->root, "commands", json_type_array, "the model");
    if (!array) {
        return false;
    }
    size_t count = json_object_array_length(array);
    model->commands = arena_allocate(&model->arena, count, sizeof(*model->commands));
    if (!model->commands) {
        return false;
    }
    bool good = true;
    for (; model->command_count < count; model->command_count++) {
        struct command *command = &model->commands[model->command_count];
        command->json = json_object_array_get_idx(array, model->command_count);
        good = load_command(model, command) && good;
    }
    return good;
}

bool model_load(struct model *model, const char *path, const char *input_path, const char *output_path) {
    static const char *const known[] = {"resources", "dispatchables", "commands", NULL};
    *model = (struct model){0};
    if (!document_load(&model->document, path)) {
        return false;
    }
    model->input_path = input_path ? as_folder(&model->arena, input_path) : folder_of(&model->arena, path);
    model->output_path = as_folder(&model->arena, output_path ? output_path : "");
    if (!model->input_path || !model->output_path) {
        return false;
    }
    document_warn_unknown(&model->document, model->document.root, known, "the model");
    /* One after the other even where one fails: all mistakes are told at once. */
    bool good = load_resources(model);
    good = load_dispatchables(model) && good;
    good = load_commands(model) && good;
    return good;
}

void model_free(struct model *model) {
    for (size_t i = 0; i < model->resource_count; i++) {
        free(model->resources[i].contents);
    }
    for (size_t i = 0; i < model->command_count; i++) {
        if (model->commands[i].expectation) {
            free(model->commands[i].expectation->values);
        }
    }
    names_free(&model->resource_names);
    names_free(&model->dispatchable_names);
    arena_free(&model->arena);
    document_free(&model->document);
    *model = (struct model){0};
}

/* The member of an operator or tensor, inline or in its `desc`. */
static struct json_object *find_member(struct json_object *value, const char *name) {
    struct json_object *member = document_member(value, name);
    struct json_object *inner = document_either(value, "Desc", "desc");
    return !member && json_object_is_type(inner, json_type_object) ? document_member(inner, name) : member;
}

/* The JSON value that a reason such as "DML_OPERATOR_JOIN: InputTensors[1].Sizes[2] is 7, .." or ".._GEMM:
 * FusedActivation: Alpha is .." speaks of: as far as its path can be followed from the descriptor's fields. */
static const struct json_object *find_subject(const struct dispatchable *dispatchable, const char *reason) {
    const char *colon = strstr(reason, ": ");
    const char *at = colon ? colon + 2 : reason;
    struct json_object *value = dispatchable->fields;
    for (;;) {
        char name[64];
        size_t length = strcspn(at, ".[ ,:\n");
        if (length == 0 || length >= sizeof(name) || !json_object_is_type(value, json_type_object)) {
            return value;
        }
        memcpy(name, at, length);
        name[length] = 0;
        struct json_object *member = find_member(value, name);
        if (!member) {
            return value;
        }
        value = member;
        at += length;
        if (*at == '[' && json_object_is_type(value, json_type_array)) {
            char *end;
            struct json_object *element = json_object_array_get_idx(value, strtoul(at + 1, &end, 10));
            if (!element || *end != ']') {
                return value;
            }
            value = element;
            at = end + 1;
        }
        if (*at != '.' && strncmp(at, ": ", 2) != 0) {
            return value;
        }
        at += *at == '.' ? 1 : 2;
    }
}

bool model_report_refusal(const struct model *model, const struct dispatchable *dispatchable,
                          const struct json_object *where) {
    const char *reason = vkdmlGetErrorMessage();
    if (!*reason) {
        return document_error(&model->document, where, "dispatchable '%s': failed without a reason",
                              dispatchable->name);
    }
    while (*reason) {
        size_t length = strcspn(reason, "\n");
        document_error(&model->document, where ? where : find_subject(dispatchable, reason), "dispatchable '%s': %.*s",
                       dispatchable->name, (int)length, reason);
        reason += length + (reason[length] == '\n');
    }
    return false;
}

bool model_validate(const struct model *model, DML_FEATURE_LEVEL level) {
    bool good = true;
    for (size_t i = 0; i < model->dispatchable_count; i++) {
        const struct dispatchable *dispatchable = &model->dispatchables[i];
        if (dispatchable->schema && vkdmlValidateOperator(&dispatchable->desc, level) != VKDML_SUCCESS) {
            good = model_report_refusal(model, dispatchable, NULL);
        }
    }
    return good;
}
