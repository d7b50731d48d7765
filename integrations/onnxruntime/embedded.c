#include "embedded.h"

#include <string.h>

/* Fields of ModelProto, GraphProto and TensorProto. */
enum { MODEL_GRAPH = 7, GRAPH_INITIALIZER = 5, TENSOR_NAME = 8, TENSOR_RAW_DATA = 9 };

/* Adds an initializer if it has raw data. */
static bool add(struct embedded *embedded, struct onnx_wire tensor) {
    struct onnx_text name = {NULL, 0}, data = {NULL, 0};
    struct onnx_field field;
    while (onnx_wire_next(&tensor, &field)) {
        if ((field.number == TENSOR_NAME && !onnx_wire_bytes(&tensor, &field, &name)) ||
            (field.number == TENSOR_RAW_DATA && !onnx_wire_bytes(&tensor, &field, &data))) {
            return false;
        }
    }
    if (tensor.is_broken || name.length == 0 || data.length == 0 || onnx_names_find(&embedded->names, name) != NULL) {
        return !tensor.is_broken;
    }
    embedded->parts[embedded->names.count] = data;
    return onnx_names_add(&embedded->names, name, embedded->names.count);
}

static bool read_graph(struct embedded *embedded, struct onnx_wire graph) {
    struct onnx_field field;
    size_t count;
    if (!onnx_wire_fields(graph, GRAPH_INITIALIZER, &count)) {
        return false;
    }
    embedded->parts = onnx_allocate(embedded->names.arena, count + 1, sizeof *embedded->parts);
    bool done = embedded->parts != NULL;
    while (done && onnx_wire_next(&graph, &field)) {
        struct onnx_wire tensor;
        done = field.number != GRAPH_INITIALIZER ||
               (onnx_wire_message(&graph, &field, &tensor) && add(embedded, tensor));
    }
    return done && !graph.is_broken;
}

static bool read_model(struct embedded *embedded, const unsigned char *bytes, size_t length) {
    struct onnx_error ignored = {0};
    struct onnx_wire model = onnx_wire_begin(bytes, length, &ignored), graph;
    struct onnx_field field;
    while (onnx_wire_next(&model, &field)) {
        if (field.number == MODEL_GRAPH) {
            return onnx_wire_message(&model, &field, &graph) && read_graph(embedded, graph);
        }
    }
    return false;
}

/* Files that cannot be mapped, and those of other formats, have no parts. */
static void open_file(struct embedded *embedded, struct onnx_external *external, const char *path,
                      struct onnx_arena *arena) {
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    struct onnx_error ignored = {0};
    const unsigned char *bytes;
    uint32_t file;
    embedded->is_open = true;
    embedded->names.arena = external->memory;
    if (!onnx_external_find(external, (struct onnx_text){name, strlen(name)}, &file, &ignored)) {
        return;
    }
    const uint64_t length = external->files[file].length;
    if (length <= ONNX_MOST_COPIED || length > SIZE_MAX ||
        !onnx_external_read(external, file, 0, (size_t)length / 4 * 4, arena, &bytes, &ignored) ||
        external->files[file].mapped == NULL) {
        return;
    }
    embedded->end = bytes + length;
    if (!read_model(embedded, bytes, (size_t)length)) {
        embedded->names.count = embedded->names.slot_count = 0;
    }
}

const void *embedded_find(struct embedded *embedded, struct onnx_external *external, const char *path,
                          struct onnx_arena *arena, const char *name, const void *data, size_t bytes) {
    if (bytes <= ONNX_MOST_COPIED || path == NULL) {
        return NULL;
    }
    if (!embedded->is_open) {
        open_file(embedded, external, path, arena);
    }
    const struct onnx_name *found = onnx_names_find(&embedded->names, (struct onnx_text){name, strlen(name)});
    const struct onnx_text *part = found == NULL ? NULL : &embedded->parts[found->number];
    /* Who reads a tensor may read whole words. */
    if (part == NULL || part->length != bytes ||
        (bytes % 4 != 0 && embedded->end - ((const unsigned char *)part->text + bytes) < 4)) {
        return NULL;
    }
    const bool is_equal = memcmp(part->text, data, bytes) == 0;
    onnx_arena_release(arena, part->text, bytes);
    return is_equal ? part->text : NULL;
}
