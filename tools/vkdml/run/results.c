#include "run/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <vkdml/result.h>

#include "base/json_tree.h"
#include "base/message.h"
#include "base/progress.h"
#include "model/element.h"
#include "run/array.h"
#include "run/printed_shape.h"
#include "text/visible_text.h"

#define SCHEMA_NAME "vkdml-run-1"

/* The document is whole only if every piece of it is. */
static void note(struct results *results, bool good) {
    results->incomplete = results->incomplete || !good;
}

void results_begin(struct results *results, const char *path, bool json, bool arrays) {
    *results = (struct results){.arrays = arrays};
    if (!json) {
        return;
    }
    results->root = json_object_new_object();
    note(results, json_tree_text(results->root, "schema", SCHEMA_NAME) &&
                      json_tree_text(results->root, "version", vkdmlGetVersionString()) &&
                      json_tree_text(results->root, "model", path));
    results->dispatchables = json_object_new_array();
    results->commands = json_object_new_array();
    results->messages = json_object_new_array();
    note(results, results->dispatchables && results->commands && results->messages);
    message_gather(results->messages);
}

void results_device(struct results *results, const char *name) {
    if (results->root) {
        note(results, json_tree_text(results->root, "device", name));
    } else {
        printf("Running on '%s'\n", visible_text(name).text);
    }
}

void results_prepared(struct results *results, const struct dispatchable *dispatchable, double milliseconds,
                      uint32_t verbosity) {
    if (results->root) {
        struct json_object *object = json_tree_object(results->dispatchables, NULL);
        note(results, json_tree_text(object, "name", dispatchable->name) &&
                          json_tree_text(object, "operator", dispatchable->schema->name) &&
                          json_tree_number(object, "initialize_ms", milliseconds));
    } else if (verbosity >= 1) {
        progress_clear();
        printf("Initialize '%s': %.4f ms\n", visible_text(dispatchable->name).text, milliseconds);
    }
}

/* By command_type, as models call them. */
static const char *const type_names[] = {
    [COMMAND_DISPATCH] = "dispatch",
    [COMMAND_PRINT] = "print",
    [COMMAND_WRITE_FILE] = "writeFile",
    [COMMAND_EXPECT] = "expect",
};

void results_command(struct results *results, size_t index, const struct command *command, bool print) {
    if (!results->root) {
        if (print) {
            printf(
                "Command %zu: %s\n", index,
                json_object_to_json_string_ext(command->json, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
        }
        return;
    }
    const bool dispatches = command->type == COMMAND_DISPATCH;
    results->command = json_tree_object(results->commands, NULL);
    note(results, json_tree_text(results->command, "type", type_names[command->type]) &&
                      json_tree_text(results->command, dispatches ? "dispatchable" : "resource",
                                     dispatches ? command->dispatchable->name : command->resource->name));
}

void results_dispatch(struct results *results, const struct command *command, const struct timing *timing,
                      uint32_t warmup, uint32_t verbosity) {
    if (results->root) {
        note(results, timing_to_json(timing, warmup, results->command));
    } else {
        timing_print(timing, visible_text(command->dispatchable->name).text, warmup, verbosity);
    }
}

/* An element that differs, by its coordinates or, where those are not known, its index. */
static bool add_difference(struct json_object *array, const struct compare_arrays *arrays,
                           const struct compare_shape *shape, const struct compare_difference *difference) {
    struct json_object *object = json_tree_object(array, NULL);
    char coordinates[COMPARE_COORDINATES_SIZE], got[ELEMENT_TEXT_SIZE], expected[ELEMENT_TEXT_SIZE];
    compare_coordinates(shape, difference->index, coordinates);
    element_format(arrays->type, difference->got, false, got);
    element_format(arrays->type, difference->expected, false, expected);
    return json_tree_add(object, "at", json_tokener_parse(coordinates)) && json_tree_digits(object, "got", got) &&
           json_tree_digits(object, "expected", expected);
}

/* `node`: of the command's graph, that was dispatched by itself; NULL: none. */
static bool add_comparison(struct json_object *command, const char *node, const char *tensor,
                           const struct compare_arrays *arrays, const char *tolerance,
                           const struct compare_result *result, const struct compare_shape *shape) {
    struct json_object *all = NULL;
    if (command && !json_object_object_get_ex(command, "comparisons", &all)) {
        all = json_tree_array(command, "comparisons");
    }
    struct json_object *object = json_tree_object(all, NULL);
    bool good = (!node || json_tree_text(object, "dispatchable", node)) && json_tree_text(object, "tensor", tensor) &&
                json_tree_text(object, "tolerance", tolerance) && json_tree_count(object, "elements", arrays->count) &&
                json_tree_count(object, "different", result->different);
    struct json_object *first = good ? json_tree_array(object, "first") : NULL;
    good = first != NULL;
    for (uint32_t i = 0; good && i < result->kept; i++) {
        good = add_difference(first, arrays, shape, &result->first[i]);
    }
    return good;
}

void results_comparison(struct results *results, const struct dispatchable *dispatchable, const char *tensor,
                        const struct compare_arrays *arrays, const struct compare_tolerance *tolerance,
                        const struct compare_result *result, const struct compare_shape *shape) {
    char text[COMPARE_TOLERANCE_SIZE];
    compare_tolerance_text(tolerance, text);
    if (results->root) {
        const char *of = json_object_get_string(document_member(results->command, "dispatchable"));
        const char *node = of && strcmp(of, dispatchable->name) != 0 ? dispatchable->name : NULL;
        note(results, add_comparison(results->command, node, tensor, arrays, text, result, shape));
    }
    const struct visible_text name = visible_text(dispatchable->name), of = visible_text(tensor);
    if (result->different) {
        FILE *stream = message_begin();
        fprintf(stream, "Dispatch '%s': %s differs from the reference: ", name.text, of.text);
        compare_print(stream, arrays, tolerance, result, shape);
        message_end(stream);
    } else if (!results->root) {
        printf("Dispatch '%s': %s is the reference's: %" PRIu64 " elements, %s\n", name.text, of.text,
               arrays->count, text);
    }
}

/* The text of the index-th value of a resource. Values of several types are packed, *at goes from one to the next. */
static void format_value(const struct command *command, const unsigned char *bytes, const unsigned char **at,
                         uint64_t index, bool verbose, char text[ELEMENT_TEXT_SIZE]) {
    const struct resource *resource = command->resource;
    const DML_TENSOR_DATA_TYPE type = resource->types ? resource->types[index] : resource->type;
    unsigned char element[8] = {0};
    if (resource->types) {
        element_load(type, *at, 0, element);
        *at += vkdmlGetDataTypeSize(type);
    } else {
        element_load(type, bytes, index, element);
    }
    element_format(type, element, verbose, text);
}

static bool add_types(struct json_object *object, const struct resource *resource) {
    struct json_object *types = json_tree_array(object, "types");
    bool good = types != NULL;
    for (uint64_t i = 0; good && i < resource->count; i++) {
        good = json_tree_text(types, NULL, element_type_name(resource->types[i]));
    }
    return good;
}

static bool add_values(struct json_object *object, const struct model *model, const struct command *command,
                       const unsigned char *bytes) {
    const struct resource *resource = command->resource;
    const unsigned char *at = bytes;
    uint64_t sizes[COMPARE_MAX_DIMENSIONS];
    char text[ELEMENT_TEXT_SIZE];
    bool good = resource->types ? add_types(object, resource)
                                : json_tree_text(object, "data_type", element_type_name(resource->type));
    struct json_object *shape = good ? json_tree_array(object, "shape") : NULL;
    const uint32_t dimensions = printed_shape(model, command, sizes);
    good = shape != NULL;
    for (uint32_t i = 0; good && i < dimensions; i++) {
        good = json_tree_count(shape, NULL, sizes[i]);
    }
    struct json_object *values = good ? json_tree_array(object, "values") : NULL;
    good = values != NULL;
    for (uint64_t i = 0; good && i < resource->count; i++) {
        format_value(command, bytes, &at, i, false, text);
        good = json_tree_digits(values, NULL, text);
    }
    return good;
}

/* "Resource 'name': 1, 2, 3", which scripts read. */
static void print_flat(const struct command *command, const unsigned char *bytes) {
    const unsigned char *at = bytes;
    printf("Resource '%s':", visible_text(command->resource->name).text);
    for (uint64_t i = 0; i < command->resource->count; i++) {
        char text[ELEMENT_TEXT_SIZE];
        format_value(command, bytes, &at, i, command->verbose, text);
        printf("%s%s", i ? ", " : " ", text);
    }
    putchar('\n');
}

static void print_array(const struct model *model, const struct command *command, const unsigned char *bytes) {
    const struct resource *resource = command->resource;
    uint64_t sizes[COMPARE_MAX_DIMENSIONS];
    const uint32_t dimensions = printed_shape(model, command, sizes);
    printf("Resource '%s', %s [", visible_text(resource->name).text, element_type_name(resource->type));
    for (uint32_t i = 0; i < dimensions; i++) {
        printf("%s%" PRIu64, i ? ", " : "", sizes[i]);
    }
    puts("]:");
    array_print(stdout, &(struct array){resource->type, dimensions, sizes, bytes, command->verbose});
}

void results_values(struct results *results, const struct model *model, const struct command *command,
                    const unsigned char *bytes) {
    if (results->root) {
        note(results, add_values(results->command, model, command, bytes));
    } else if (results->arrays && !command->resource->types) {
        print_array(model, command, bytes);
    } else {
        print_flat(command, bytes);
    }
}

void results_file(struct results *results, const struct command *command) {
    if (results->root) {
        note(results, json_tree_text(results->command, "path", command->path));
    } else {
        printf("Resource '%s' written to '%s'\n", visible_text(command->resource->name).text, command->path);
    }
}

void results_expected(struct results *results, const struct command *command, const char *tolerance) {
    if (results->root) {
        note(results, json_tree_text(results->command, "tolerance", tolerance));
    } else {
        printf("Resource '%s' is as expected: %" PRIu64 " elements, %s\n", visible_text(command->resource->name).text,
               command->resource->count, tolerance);
    }
}

bool results_end(struct results *results, bool succeeded) {
    bool good = true;
    progress_clear();
    if (results->root) {
        message_gather(NULL);
        note(results,
             json_tree_add(results->root, "succeeded", json_object_new_boolean(succeeded && !results->incomplete)));
        note(results, json_tree_add(results->root, "dispatchables", results->dispatchables));
        note(results, json_tree_add(results->root, "commands", results->commands));
        note(results, json_tree_add(results->root, "messages", results->messages));
        good = json_tree_print(results->root) && !results->incomplete;
        if (!good) {
            message_print("vkdml: out of memory");
        }
        json_object_put(results->root);
        results->root = NULL;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        message_print("vkdml: standard output cannot be written");
        good = false;
    }
    return good;
}
