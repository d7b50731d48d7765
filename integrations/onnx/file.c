#include "onnx/file.h"

#include <stdlib.h>
#include <string.h>

#include "onnx/read_graph.h"
#include "text/visible_text.h"

/* ModelProto's fields. */
enum {
    IR_VERSION = 1,
    PRODUCER_NAME = 2,
    GRAPH = 7,
    OPSET_IMPORT = 8,
    FUNCTIONS = 25,
};

enum { INITIALIZERS = 5 }; /* GraphProto's */

static bool read_fields(struct onnx_reading *reading, struct onnx_wire wire, struct onnx_model *model,
                        struct onnx_wire *graph) {
    struct onnx_field field;
    struct onnx_text producer = {"", 0};
    bool has_graph = false;
    while (onnx_wire_next(&wire, &field)) {
        if (field.number == IR_VERSION) {
            onnx_wire_int(&wire, &field, &model->ir_version);
        } else if (field.number == PRODUCER_NAME) {
            onnx_wire_text(&wire, &field, &producer);
        } else if (field.number == GRAPH) {
            has_graph = onnx_wire_message(&wire, &field, graph);
        }
    }
    if (wire.is_broken) {
        return false;
    }
    if (!has_graph) {
        return onnx_fail(reading->error, "this is no ONNX model: it has no graph");
    }
    model->producer = onnx_copy_text(reading->arena, producer.text, producer.length);
    return model->producer != NULL || onnx_out_of_memory(reading);
}

/* Before version 3 of the format no operator sets were imported: there was one. */
static bool add_first_opset(struct onnx_reading *reading, const struct onnx_model *model, struct onnx_opsets *opsets) {
    if (opsets->count != 0 || model->ir_version >= 3) {
        return true;
    }
    opsets->items = onnx_allocate(reading->arena, 1, sizeof *opsets->items);
    if (opsets->items == NULL) {
        return onnx_out_of_memory(reading);
    }
    opsets->items[opsets->count++] = (struct onnx_opset){"", 1};
    return true;
}

/* Bytes of a model but for those of its initializers. */
static bool count_bytes(struct onnx_wire graph, size_t length, size_t *bytes) {
    struct onnx_field field;
    *bytes = length;
    while (onnx_wire_next(&graph, &field)) {
        *bytes -= field.number == INITIALIZERS ? field.length : 0;
    }
    return !graph.is_broken;
}

static bool read_model(struct onnx_reading *reading, const unsigned char *bytes, size_t length,
                       struct onnx_model *model) {
    struct onnx_wire wire = onnx_wire_begin(bytes, length, reading->error), graph;
    struct onnx_opsets opsets;
    struct onnx_functions functions;
    size_t node_bytes;
    if (!read_fields(reading, wire, model, &graph) || !onnx_opsets_read(reading, wire, OPSET_IMPORT, &opsets) ||
        !add_first_opset(reading, model, &opsets) ||
        !count_bytes(graph, length, &node_bytes)) {
        return false;
    }
    functions = (struct onnx_functions){.expansion = onnx_expansion_begin(node_bytes)};
    model->opsets = opsets.items;
    model->opset_count = opsets.count;
    const bool is_read = onnx_functions_read(reading, wire, FUNCTIONS, &functions) &&
                         onnx_graph_read(reading, &functions, &opsets, graph, &model->graph);
    model->expansion = functions.expansion;
    return is_read;
}

/* With bytes that stay, or with a file that is mapped. */
static bool read_bytes(const unsigned char *bytes, const unsigned char *mapped, size_t length, const char *folder,
                       struct onnx_model *model, struct onnx_error *error) {
    error->text[0] = 0;
    if (length == 0) {
        return onnx_fail(error, "this is no ONNX model: it is empty");
    }
    struct onnx_reading reading = {.arena = &model->arena,
                                   .error = error,
                                   .external = {.folder = folder},
                                   .bytes = bytes,
                                   .mapped = mapped,
                                   .length = length};
    reading.external.memory = &reading.scratch;
    const bool is_read = read_model(&reading, bytes, length, model);
    onnx_arena_free(&reading.scratch);
    if (!is_read) {
        onnx_arena_free(&model->arena);
        *model = (struct onnx_model){.ir_version = 0};
    }
    return is_read;
}

bool onnx_read_model(const unsigned char *bytes, size_t length, const char *folder, struct onnx_model *model,
                     struct onnx_error *error) {
    *model = (struct onnx_model){.ir_version = 0};
    return read_bytes(bytes, NULL, length, folder, model, error);
}

bool onnx_read_tensor(const unsigned char *bytes, size_t length, struct onnx_arena *arena, struct onnx_data *tensor,
                      const char **name, struct onnx_error *error) {
    error->text[0] = 0;
    if (length == 0) {
        return onnx_fail(error, "this is no tensor: it is empty");
    }
    struct onnx_reading reading = {.arena = arena, .error = error};
    const bool is_read = onnx_tensor_read(&reading, onnx_wire_begin(bytes, length, error), tensor, name);
    onnx_arena_free(&reading.scratch);
    return is_read;
}

/* ---- files ---- */

struct onnx_file {
    struct onnx_arena arena; /* of the bytes, if the file is not mapped */
    struct onnx_model model;
};

static bool open_in(struct onnx_file *file, const char *path, struct onnx_error *error) {
    const unsigned char *bytes, *mapped;
    size_t length;
    const char *slash = strrchr(path, '/');
    const size_t folder_length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    struct onnx_arena folders = {0};
    const char *folder = onnx_copy_text(&folders, path, folder_length);
    struct onnx_error reason;
    const bool done =
        (folder != NULL || onnx_fail_memory(error)) &&
        onnx_read_and_map_file(path, &file->arena, &file->model.arena, &bytes, &mapped, &length, error) &&
        (read_bytes(bytes, mapped, length, folder, &file->model, &reason) ||
         onnx_fail_with(error, reason.result, "%s: %s", visible_text(path).text, reason.text));
    onnx_arena_free(&folders);
    if (done && mapped != NULL) {
        onnx_arena_free(&file->arena);
    }
    return done;
}

bool onnx_open(const char *path, struct onnx_file **file, struct onnx_error *error) {
    error->text[0] = 0;
    *file = calloc(1, sizeof **file);
    if (*file == NULL) {
        return onnx_fail_memory(error);
    }
    if (!open_in(*file, path, error)) {
        onnx_close(*file);
        *file = NULL;
        return false;
    }
    return true;
}

const struct onnx_model *onnx_file_model(const struct onnx_file *file) {
    return &file->model;
}

void onnx_close(struct onnx_file *file) {
    if (file != NULL) {
        onnx_arena_free(&file->model.arena);
        onnx_arena_free(&file->arena);
        free(file);
    }
}
