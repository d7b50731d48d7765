#include "model/load.h"

#include <string.h>
#include <strings.h>

#include "model/binding.h"
#include "model/descriptor.h"
#include "model/expectation.h"
#include "model/graph.h"
#include "model/initializer.h"
#include "model/npy.h"

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

/* A member of the model, with room for as many items as it has and for their names; NULL, and the reason was told. */
static void *begin_list(struct model *model, const char *member, size_t size, struct names *names,
                        struct json_object **object) {
    const struct document *document = &model->document;
    *object = document_require(document, document->root, member, json_type_object, "the model");
    if (!*object) {
        return NULL;
    }
    const size_t count = (size_t)json_object_object_length(*object);
    void *items = arena_allocate(&model->arena, count, size);
    if (items && !names_create(names, count)) {
        document_error(document, *object, "out of memory");
        return NULL;
    }
    return items;
}

static bool load_resources(struct model *model) {
    const struct document *document = &model->document;
    struct json_object *object;
    model->resources = begin_list(model, "resources", sizeof(*model->resources), &model->resource_names, &object);
    if (!model->resources) {
        return false;
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

static bool load_operator(struct model *model, struct dispatchable *dispatchable) {
    return descriptor_find(model, dispatchable) && descriptor_load(model, dispatchable);
}

/* The operators, or the graphs. */
static bool load_some(struct model *model, bool graphs) {
    bool good = true;
    for (size_t i = 0; i < model->dispatchable_count; i++) {
        struct dispatchable *dispatchable = &model->dispatchables[i];
        if (graph_is(dispatchable) == graphs &&
            (!(graphs ? graph_load : load_operator)(model, dispatchable) || !binding_load_owned(model, dispatchable))) {
            dispatchable->schema = NULL;
            good = false;
        }
    }
    return good;
}

static bool load_dispatchables(struct model *model) {
    const struct document *document = &model->document;
    struct json_object *object;
    model->dispatchables =
        begin_list(model, "dispatchables", sizeof(*model->dispatchables), &model->dispatchable_names, &object);
    if (!model->dispatchables) {
        return false;
    }
    json_object_object_foreach(object, name, value) {
        struct dispatchable *dispatchable = &model->dispatchables[model->dispatchable_count++];
        dispatchable->name = name;
        dispatchable->json = value;
        if (!names_add(&model->dispatchable_names, name, dispatchable)) {
            return document_error(document, value, "out of memory");
        }
    }
    /* Nodes of graphs may be other dispatchables, wherever these stand. */
    const bool good = load_some(model, false);
    return load_some(model, true) && good;
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
