#include "import.h"

#include <string.h>

#include "embedded.h"
#include "onnx/external.h"
#include "onnx/names.h"
#include "text/visible_text.h"

struct importing {
    struct onnx_model *model;
    struct onnx_error *error;
    bool copies_data;
    uint32_t room;               /* values */
    uint32_t *slots, slot_count; /* by a hash of names: numbers of values and 1, or 0 */
    struct onnx_external external; /* files of constants; no folder: ONNX Runtime has the model from elsewhere */
    struct onnx_arena scratch;     /* of the tables of files */
    const char *path;              /* of the model; NULL: ONNX Runtime has it from elsewhere */
    struct embedded embedded;      /* constants in that file */
};

enum onnx_type import_type(ONNXTensorElementDataType type) {
    /* Both are TensorProto.DataType's numbers. */
    const bool is_known = type <= ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16 ||
                          type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4 || type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4;
    return is_known ? (enum onnx_type)type : ONNX_UNDEFINED;
}

static void *take(struct importing *i, size_t count, size_t size) {
    void *memory = onnx_allocate(&i->model->arena, count, size);
    if (memory == NULL) {
        onnx_fail_memory(i->error);
    }
    return memory;
}

static const char *copy_text(struct importing *i, const char *text) {
    const char *copy = text == NULL ? "" : onnx_copy_text(&i->model->arena, text, strlen(text));
    if (copy == NULL) {
        onnx_fail_memory(i->error);
    }
    return copy;
}

static bool check(struct importing *i, OrtStatus *status) {
    return ort_check(status, i->error);
}

/* ---- values ---- */

static uint32_t hash_of(const char *name) {
    uint32_t hash = 2166136261U;
    for (; *name != 0; ++name) {
        hash = (hash ^ (unsigned char)*name) * 16777619U;
    }
    return hash;
}

/* The slot of a name, or where it would be. */
static uint32_t *slot_of(const struct importing *i, const char *name) {
    uint32_t slot = hash_of(name) & (i->slot_count - 1);
    while (i->slots[slot] != 0 && strcmp(i->model->graph.values[i->slots[slot] - 1].name, name) != 0) {
        slot = (slot + 1) & (i->slot_count - 1);
    }
    return &i->slots[slot];
}

/* The names of sizes that are open. */
static bool read_symbols(struct importing *i, const OrtTensorTypeAndShapeInfo *shape, struct onnx_value *value) {
    const char *names[ONNX_MAX_RANK] = {NULL};
    if (!check(i, ort.api->GetSymbolicDimensions(shape, names, value->rank))) {
        return false;
    }
    for (uint32_t d = 0; d < value->rank; ++d) {
        if (value->sizes[d] < 0 && names[d] != NULL && names[d][0] != 0) {
            value->symbols[d] = copy_text(i, names[d]);
            if (value->symbols[d] == NULL) {
                return false;
            }
        }
    }
    return true;
}

static bool read_shape(struct importing *i, const OrtValueInfo *info, struct onnx_value *value) {
    const OrtTypeInfo *type_info;
    const OrtTensorTypeAndShapeInfo *shape = NULL;
    ONNXTensorElementDataType type;
    size_t rank;
    if (!check(i, ort.api->GetValueInfoTypeInfo(info, &type_info)) ||
        (type_info != NULL && !check(i, ort.api->CastTypeInfoToTensorInfo(type_info, &shape)))) {
        return false;
    }
    if (shape == NULL) {
        return true; /* no tensor */
    }
    if (!check(i, ort.api->GetTensorElementType(shape, &type)) ||
        !check(i, ort.api->GetDimensionsCount(shape, &rank))) {
        return false;
    }
    value->type = import_type(type);
    /* API 23 does not tell scalars from ranks that are not known. What no node makes is taken for a scalar. */
    const OrtNode *producer = NULL;
    size_t output;
    if (rank == 0 && !check(i, ort.api->ValueInfo_GetValueProducer(info, &producer, &output))) {
        return false;
    }
    value->has_shape = rank <= ONNX_MAX_RANK && producer == NULL;
    value->rank = (uint32_t)rank;
    return !value->has_shape || rank == 0 ||
           (check(i, ort.api->GetDimensions(shape, value->sizes, rank)) && read_symbols(i, shape, value));
}

/* name NULL: of no initializer. */
static bool read_data(struct importing *i, const OrtValue *from, const char *name, struct onnx_data *data) {
    OrtTensorTypeAndShapeInfo *shape;
    ONNXTensorElementDataType type;
    size_t rank, count;
    int64_t sizes[ONNX_MAX_RANK];
    const void *bytes;
    if (!check(i, ort.api->GetTensorTypeAndShape(from, &shape))) {
        return false;
    }
    bool done = check(i, ort.api->GetTensorElementType(shape, &type)) &&
                check(i, ort.api->GetDimensionsCount(shape, &rank)) &&
                check(i, ort.api->GetTensorShapeElementCount(shape, &count));
    done = done && (rank <= ONNX_MAX_RANK || onnx_fail(i->error, "a constant of more than 8 dimensions")) &&
           check(i, ort.api->GetDimensions(shape, sizes, rank));
    ort.api->ReleaseTensorTypeAndShapeInfo(shape);
    if (!done) {
        return false;
    }
    *data = (struct onnx_data){.type = import_type(type), .rank = (uint32_t)rank};
    for (size_t d = 0; d < rank; ++d) {
        data->sizes[d] = (uint32_t)sizes[d];
    }
    data->bytes = onnx_bytes_of(data->type, count);
    if (data->bytes == 0) {
        return true;
    }
    if (!check(i, ort.api->GetTensorData(from, &bytes))) {
        return false;
    }
    data->data = bytes;
    const void *in_file =
        i->copies_data && name != NULL && data->type != ONNX_BOOL
            ? embedded_find(&i->embedded, &i->external, i->path, &i->model->arena, name, bytes, data->bytes)
            : NULL;
    if (in_file != NULL) {
        data->data = in_file;
    } else if (i->copies_data) {
        void *copy = take(i, data->bytes + 8, 1);
        if (copy == NULL) {
            return false;
        }
        memcpy(copy, bytes, data->bytes);
        data->data = copy;
    }
    return true;
}

/* Data that the model keeps in a file beside it stays there, mapped: ONNX Runtime then does not load it for us, and
 * drops its own. Finds none where the file cannot be used; ONNX Runtime reads the constant, or says why not. */
static void find_in_file(struct importing *i, const OrtExternalInitializerInfo *info, const struct onnx_value *value,
                         struct onnx_data *data) {
    struct onnx_error ignored = {0};
    const char *path = ort.api->ExternalInitializerInfo_GetFilePath(info);
    const int64_t offset = ort.api->ExternalInitializerInfo_GetFileOffset(info);
    uint32_t file;
    const unsigned char *bytes;
    *data = (struct onnx_data){.type = value->type, .rank = value->rank};
    for (uint32_t d = 0; d < value->rank; ++d) {
        if (value->sizes[d] < 0 || value->sizes[d] > UINT32_MAX) {
            return;
        }
        data->sizes[d] = (uint32_t)value->sizes[d];
    }
    const size_t length = onnx_bytes_of(data->type, onnx_elements(data->rank, data->sizes));
    if (!value->has_shape || i->external.folder == NULL || path == NULL || offset < 0 || length == 0 ||
        length == SIZE_MAX || data->type == ONNX_BOOL ||
        length != ort.api->ExternalInitializerInfo_GetByteSize(info) ||
        !onnx_external_find(&i->external, (struct onnx_text){path, strlen(path)}, &file, &ignored)) {
        return;
    }
    const uint64_t all = i->external.files[file].length;
    if ((uint64_t)offset <= all && length <= all - (uint64_t)offset &&
        onnx_external_read(&i->external, file, (uint64_t)offset, length, &i->model->arena, &bytes, &ignored)) {
        data->data = bytes;
        data->bytes = length;
    }
}

static bool read_external(struct importing *i, const OrtValueInfo *info, const struct onnx_value *value,
                          struct onnx_data *data) {
    OrtExternalInitializerInfo *external = NULL;
    if (!check(i, ort.api->ValueInfo_GetExternalInitializerInfo(info, &external))) {
        return false;
    }
    if (external != NULL) {
        find_in_file(i, external, value, data);
        ort.api->ReleaseExternalInitializerInfo(external);
    }
    return true;
}

static bool read_constant(struct importing *i, const OrtValueInfo *info, struct onnx_value *value) {
    bool is_constant;
    const OrtValue *from = NULL;
    if (!check(i, ort.api->ValueInfo_IsConstantInitializer(info, &is_constant))) {
        return false;
    }
    struct onnx_data *data = is_constant ? take(i, 1, sizeof *data) : NULL;
    if (!is_constant || data == NULL || !read_external(i, info, value, data)) {
        return i->error->text[0] == 0;
    }
    if (data->data == NULL) {
        if (!check(i, ort.api->ValueInfo_GetInitializerValue(info, &from)) || from == NULL) {
            return i->error->text[0] == 0;
        }
        if (!read_data(i, from, value->name, data)) {
            return false;
        }
    }
    value->constant = data;
    value->type = data->type;
    value->has_shape = true;
    value->rank = data->rank;
    for (uint32_t d = 0; d < data->rank; ++d) {
        value->sizes[d] = data->sizes[d];
    }
    return true;
}

/* The value of that name, which is added where it is new. NULL info or an empty name: ONNX_NONE. */
static bool find_value(struct importing *i, const OrtValueInfo *info, uint32_t *number) {
    const char *name = "";
    *number = ONNX_NONE;
    if (info != NULL && !check(i, ort.api->GetValueInfoName(info, &name))) {
        return false;
    }
    if (name == NULL || name[0] == 0) {
        return true;
    }
    uint32_t *slot = slot_of(i, name);
    if (*slot == 0) {
        struct onnx_graph *graph = &i->model->graph;
        if (graph->value_count == i->room) {
            return onnx_fail(i->error, "more values than the graph's nodes have");
        }
        struct onnx_value *value = &graph->values[graph->value_count];
        value->name = copy_text(i, name);
        value->outer = ONNX_NONE;
        if (value->name == NULL || !read_shape(i, info, value) || !read_constant(i, info, value)) {
            return false;
        }
        *slot = ++graph->value_count;
    }
    *number = *slot - 1;
    return true;
}

static bool find_values(struct importing *i, const OrtValueInfo *const *infos, size_t count, uint32_t *numbers) {
    for (size_t k = 0; k < count; ++k) {
        if (!find_value(i, infos[k], &numbers[k])) {
            return false;
        }
    }
    return true;
}

/* ---- attributes ---- */

static bool read_numbers(struct importing *i, const OrtOpAttr *from, OrtOpAttrType type, size_t size, void **elements,
                         size_t *count) {
    size_t bytes = 0;
    char nothing;
    OrtStatus *status = ort.api->ReadOpAttr(from, type, &nothing, 0, &bytes);
    if (status != NULL) {
        ort.api->ReleaseStatus(status); /* there was no room, which is what was asked */
    }
    *elements = take(i, bytes + size, 1);
    *count = bytes / size;
    size_t written;
    return *elements != NULL && (bytes == 0 || check(i, ort.api->ReadOpAttr(from, type, *elements, bytes, &written)));
}

static bool read_strings(struct importing *i, void *text, size_t length, struct onnx_attribute *to, bool is_list) {
    const char *at = text;
    size_t count = is_list ? 0 : 1;
    for (size_t c = 0; is_list && c < length; ++c) {
        count += at[c] == 0;
    }
    to->strings = take(i, count + 1, sizeof *to->strings);
    if (to->strings == NULL) {
        return false;
    }
    for (size_t c = 0; c < count; ++c) {
        to->strings[c] = at;
        at += strlen(at) + 1;
    }
    to->count = count;
    return true;
}

static bool read_attribute(struct importing *i, const OrtOpAttr *from, struct onnx_attribute *to, bool *is_read) {
    OrtOpAttrType type;
    const char *name;
    void *elements;
    size_t count;
    *is_read = true;
    if (!check(i, ort.api->OpAttr_GetType(from, &type)) || !check(i, ort.api->OpAttr_GetName(from, &name))) {
        return false;
    }
    to->name = copy_text(i, name);
    switch (type) {
    case ORT_OP_ATTR_INT:
    case ORT_OP_ATTR_INTS:
        to->kind = type == ORT_OP_ATTR_INT ? ONNX_ATTRIBUTE_INT : ONNX_ATTRIBUTE_INTS;
        if (!read_numbers(i, from, type, sizeof(int64_t), &elements, &to->count)) {
            return false;
        }
        to->ints = elements;
        return true;
    case ORT_OP_ATTR_FLOAT:
    case ORT_OP_ATTR_FLOATS:
        to->kind = type == ORT_OP_ATTR_FLOAT ? ONNX_ATTRIBUTE_FLOAT : ONNX_ATTRIBUTE_FLOATS;
        if (!read_numbers(i, from, type, sizeof(float), &elements, &to->count)) {
            return false;
        }
        to->floats = elements;
        return true;
    case ORT_OP_ATTR_STRING:
    case ORT_OP_ATTR_STRINGS:
        to->kind = type == ORT_OP_ATTR_STRING ? ONNX_ATTRIBUTE_STRING : ONNX_ATTRIBUTE_STRINGS;
        return read_numbers(i, from, type, 1, &elements, &count) &&
               read_strings(i, elements, count, to, type == ORT_OP_ATTR_STRINGS);
    case ORT_OP_ATTR_TENSOR: {
        OrtValue *tensor = NULL;
        to->kind = ONNX_ATTRIBUTE_TENSOR;
        to->count = 1;
        const bool copies = i->copies_data;
        i->copies_data = true; /* the value goes again */
        const bool done = check(i, ort.api->OpAttr_GetTensorAttributeAsOrtValue(from, &tensor)) && tensor != NULL &&
                          read_data(i, tensor, NULL, &to->tensor);
        i->copies_data = copies;
        ort.api->ReleaseValue(tensor);
        return done || onnx_fail(i->error, "attribute %s is no tensor", visible_text(name).text);
    }
    case ORT_OP_ATTR_GRAPH: /* ONNX Runtime runs the node, and asks for its body as a graph of its own */
        to->kind = ONNX_ATTRIBUTE_GRAPH;
        to->count = 1;
        return true;
    default:
        *is_read = false;
        return true;
    }
}

static bool read_attributes(struct importing *i, const OrtNode *from, struct onnx_node *to) {
    size_t count;
    if (!check(i, ort.api->Node_GetNumAttributes(from, &count))) {
        return false;
    }
    const OrtOpAttr **attributes = take(i, count, sizeof(OrtOpAttr *));
    struct onnx_attribute *own = take(i, count, sizeof *own);
    if (attributes == NULL || own == NULL ||
        (count != 0 && !check(i, ort.api->Node_GetAttributes(from, attributes, count)))) {
        return false;
    }
    to->attributes = own;
    for (size_t a = 0; a < count; ++a) {
        bool is_read;
        if (!read_attribute(i, attributes[a], &own[to->attribute_count], &is_read)) {
            return false;
        }
        to->attribute_count += is_read;
    }
    return true;
}

/* ---- nodes ---- */

static bool read_values(struct importing *i, const OrtNode *from, bool are_outputs, uint32_t *count,
                        const uint32_t **values) {
    size_t length;
    if (!check(i,
               are_outputs ? ort.api->Node_GetNumOutputs(from, &length) : ort.api->Node_GetNumInputs(from, &length))) {
        return false;
    }
    const OrtValueInfo **infos = take(i, length, sizeof(OrtValueInfo *));
    uint32_t *numbers = take(i, length, sizeof *numbers);
    if (infos == NULL || numbers == NULL ||
        (length != 0 && !check(i, are_outputs ? ort.api->Node_GetOutputs(from, infos, length)
                                              : ort.api->Node_GetInputs(from, infos, length)))) {
        return false;
    }
    *count = (uint32_t)length;
    *values = numbers;
    return find_values(i, infos, length, numbers);
}

static bool read_node(struct importing *i, const OrtNode *from, struct onnx_node *to) {
    const char *name, *op, *domain;
    int version;
    if (!check(i, ort.api->Node_GetName(from, &name)) || !check(i, ort.api->Node_GetOperatorType(from, &op)) ||
        !check(i, ort.api->Node_GetDomain(from, &domain)) || !check(i, ort.api->Node_GetSinceVersion(from, &version))) {
        return false;
    }
    to->name = copy_text(i, name);
    to->op = copy_text(i, op);
    to->domain = copy_text(i, domain != NULL && strcmp(domain, "ai.onnx") == 0 ? "" : domain);
    to->version = version < 1 ? 1 : (uint32_t)version;
    return to->name != NULL && to->op != NULL && to->domain != NULL &&
           read_values(i, from, false, &to->input_count, &to->inputs) &&
           read_values(i, from, true, &to->output_count, &to->outputs) && read_attributes(i, from, to);
}

static bool count_values(struct importing *i, const OrtNode *const *nodes, size_t count) {
    size_t room = 0, inputs, outputs;
    for (size_t n = 0; n < count; ++n) {
        if (!check(i, ort.api->Node_GetNumInputs(nodes[n], &inputs)) ||
            !check(i, ort.api->Node_GetNumOutputs(nodes[n], &outputs))) {
            return false;
        }
        room += inputs + outputs;
    }
    if (room > UINT32_MAX / 4) {
        return onnx_fail(i->error, "more nodes than a graph may have");
    }
    i->room = (uint32_t)room;
    i->slot_count = 16;
    while (i->slot_count < 2 * i->room) {
        i->slot_count *= 2;
    }
    i->slots = take(i, i->slot_count, sizeof *i->slots);
    i->model->graph.values = take(i, i->room, sizeof *i->model->graph.values);
    return i->slots != NULL && i->model->graph.values != NULL;
}

/* The folder of the model's file, where ONNX Runtime knows it. */
static bool find_folder(struct importing *i, const OrtGraph *graph) {
    const char *path = NULL;
    if (!check(i, ort.api->Graph_GetModelPath(graph, &path))) {
        return false;
    }
    if (path == NULL || path[0] == 0) {
        return true;
    }
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    i->external.folder = onnx_copy_text(&i->scratch, path, length);
    i->external.memory = &i->scratch;
    i->path = onnx_copy_text(&i->scratch, path, strlen(path));
    return (i->external.folder != NULL && i->path != NULL) || onnx_fail_memory(i->error);
}

static bool read_nodes(struct importing *i, const OrtGraph *graph) {
    struct onnx_graph *own = &i->model->graph;
    size_t count;
    if (!check(i, ort.api->Graph_GetNumNodes(graph, &count))) {
        return false;
    }
    const OrtNode **nodes = take(i, count, sizeof(OrtNode *));
    own->nodes = take(i, count, sizeof *own->nodes);
    own->name = "";
    if (nodes == NULL || own->nodes == NULL ||
        (count != 0 && !check(i, ort.api->Graph_GetNodes(graph, nodes, count))) || !count_values(i, nodes, count)) {
        return false;
    }
    own->node_count = (uint32_t)count;
    for (size_t n = 0; n < count; ++n) {
        if (!read_node(i, nodes[n], &own->nodes[n])) {
            return false;
        }
    }
    return true;
}

bool import_graph(const OrtGraph *graph, bool copies_data, struct onnx_model *model, struct onnx_error *error) {
    struct importing i = {.model = model, .error = error, .copies_data = copies_data};
    *model = (struct onnx_model){.producer = "ONNX Runtime", .expansion = onnx_expansion_begin(0)};
    const bool done = find_folder(&i, graph) && read_nodes(&i, graph);
    onnx_arena_free(&i.scratch);
    return done;
}

/* Numbers of values by the names that ends of the fused node have. */
static bool find_ends(struct onnx_model *model, const OrtValueInfo *const *infos, size_t count, uint32_t *numbers,
                      struct onnx_error *error) {
    struct onnx_names names = {.arena = &model->arena};
    for (uint32_t v = 0; v < model->graph.value_count; ++v) {
        const char *name = model->graph.values[v].name;
        if (!onnx_names_add(&names, (struct onnx_text){name, strlen(name)}, v)) {
            return onnx_fail_memory(error);
        }
    }
    for (size_t k = 0; k < count; ++k) {
        const char *name = "";
        if (infos[k] == NULL || !ort_check(ort.api->GetValueInfoName(infos[k], &name), error)) {
            return onnx_fail(error, "a fused node has an end without a name");
        }
        const struct onnx_name *found = onnx_names_find(&names, (struct onnx_text){name, strlen(name)});
        if (found == NULL) {
            return onnx_fail(error, "no node has the value '%s' of the fused node", visible_text(name).text);
        }
        numbers[k] = found->number;
    }
    return true;
}

bool import_ends(const OrtNode *fused, struct onnx_model *model, struct onnx_error *error) {
    struct importing i = {.model = model, .error = error};
    size_t inputs, outputs;
    if (!check(&i, ort.api->Node_GetNumInputs(fused, &inputs)) ||
        !check(&i, ort.api->Node_GetNumOutputs(fused, &outputs))) {
        return false;
    }
    const OrtValueInfo **infos = take(&i, inputs + outputs, sizeof(OrtValueInfo *));
    uint32_t *numbers = take(&i, inputs + outputs, sizeof *numbers);
    if (infos == NULL || numbers == NULL ||
        (inputs != 0 && !check(&i, ort.api->Node_GetInputs(fused, infos, inputs))) ||
        (outputs != 0 && !check(&i, ort.api->Node_GetOutputs(fused, infos + inputs, outputs))) ||
        !find_ends(model, infos, inputs + outputs, numbers, error)) {
        return false;
    }
    model->graph.input_count = (uint32_t)inputs;
    model->graph.output_count = (uint32_t)outputs;
    model->graph.inputs = numbers;
    model->graph.outputs = numbers + inputs;
    return true;
}
