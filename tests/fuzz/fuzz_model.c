/* JSON models, as the command reads them: refused with a message, or validated, compiled for an invented device where
 * they have graphs, and run on the reference where they are small. Files and messages are this program's own. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/message.h"
#include "base/watch.h"
#include "change.h"
#include "invented.h"
#include "model/graph_build.h"
#include "model/load.h"
#include "model/npy.h"
#include "require.h"
#include "run/executor.h"
#include "text_change.h"

#define MOST_MEMORY    ((uint64_t)1 << 20) /* that this machine seems to have: of all resources of a model */
#define MOST_ELEMENTS  4096                /* of tensors that the reference runs over */
#define MOST_ATTRIBUTE 64                  /* windows and repetitions */
#define MOST_RUN       64                  /* elements of models whose windows are large */

/* ---- what the model's reader stands on ---- */

static const uint8_t *model_bytes;
static size_t model_length;
static uint32_t messages;

long fuzz_sysconf(int name);

long fuzz_sysconf(int name) {
    REQUIRE(name == _SC_PHYS_PAGES || name == _SC_PAGESIZE);
    return name == _SC_PAGESIZE ? 4096 : (long)(MOST_MEMORY / 4096);
}

static const char *give(const void *data, size_t size, unsigned char **bytes, size_t *length) {
    *bytes = malloc(size + 1);
    REQUIRE(*bytes != NULL);
    if (size > 0)
        memcpy(*bytes, data, size);
    (*bytes)[size] = 0;
    *length = size;
    return NULL;
}

const char *file_read_any(const char *path, uint64_t limit, uint64_t pipe_limit, unsigned char **bytes,
                          size_t *length) {
    (void)path;
    (void)limit;
    (void)pipe_limit;
    return give(model_bytes, model_length, bytes, length);
}

const char *file_read_standard_input(uint64_t limit, unsigned char **bytes, size_t *length) {
    return file_read_any("-", limit, limit, bytes, length);
}

/* Any .npy file has as many elements as its name has characters, of a type that its first one says; any other file has
 * as many bytes. One whose name begins with '!' is not there. */
const char *file_read(const char *path, uint64_t limit, unsigned char **bytes, size_t *length) {
    char data[NPY_HEADER_SIZE + 8 * 64] = {0};
    const size_t characters = strlen(path) % 64;
    size_t header = 0, size = characters;
    if (path[0] == '!')
        return "No such file or directory";
    if (file_has_extension(path, "npy")) {
        static const DML_TENSOR_DATA_TYPE types[] = {DML_TENSOR_DATA_TYPE_UINT8, DML_TENSOR_DATA_TYPE_FLOAT32,
                                                     DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_DATA_TYPE_INT64};
        const DML_TENSOR_DATA_TYPE type = types[(unsigned char)path[0] % 4];
        const uint64_t dimensions[2] = {2, characters / 2};
        header = npy_header(type, 2, dimensions, data);
        size = characters / 2 * 2 * vkdmlGetDataTypeSize(type);
    }
    return header + size <= limit ? give(data, header + size, bytes, length) : "too large";
}

bool file_exists(const char *path) {
    return path[0] != '!';
}

bool file_has_extension(const char *path, const char *extension) {
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcasecmp(dot + 1, extension) == 0;
}

static FILE *nowhere;

FILE *message_begin(void) {
    nowhere = nowhere != NULL ? nowhere : fopen("/dev/null", "w");
    REQUIRE(nowhere != NULL);
    messages++;
    return nowhere;
}

void message_end(FILE *stream) {
    REQUIRE(stream == nowhere);
    rewind(stream);
}

void message_print(const char *format, ...) {
    (void)format;
    messages++;
}

void watch_begin(const char *name, uint32_t seconds, const char *option) {
    (void)name;
    (void)seconds;
    (void)option;
}

void watch_end(void) {
}

/* ---- what becomes of a model ---- */

static bool is_small_tensor(const DML_BUFFER_TENSOR_DESC *desc, uint64_t most) {
    uint64_t elements = 1;
    if (desc == NULL)
        return true;
    for (uint32_t d = 0; d < desc->DimensionCount && elements <= most; d++)
        elements *= desc->Sizes[d];
    return elements <= most && desc->TotalTensorSizeInBytes <= MOST_MEMORY;
}

static bool is_small(const struct dispatchable *op, uint64_t most) {
    bool small = true;
    for (uint32_t i = 0; i < op->input_count && small; i++)
        small = is_small_tensor(model_tensor(op, VKDML_FIELD_KIND_INPUT_TENSOR, i).desc, most);
    for (uint32_t i = 0; i < op->output_count && small; i++)
        small = is_small_tensor(model_tensor(op, VKDML_FIELD_KIND_OUTPUT_TENSOR, i).desc, most);
    return small;
}

/* Lists of numbers that loops may hang on. */
static bool has_small_attributes(const struct dispatchable *op) {
    bool small = true;
    for (uint32_t i = 0; i < op->schema->fieldCount && small; i++) {
        const VkdmlFieldSchema *field = &op->schema->fields[i];
        const uint32_t *numbers = NULL;
        uint32_t count = 0;
        if (field->type != VKDML_FIELD_TYPE_UINT_ARRAY)
            continue;
        memcpy(&numbers, (const unsigned char *)op->desc.Desc + field->offset, sizeof(numbers));
        memcpy(&count, (const unsigned char *)op->desc.Desc + op->schema->fields[field->countField].offset,
               sizeof(count));
        for (uint32_t n = 0; numbers != NULL && n < count; n++)
            small = small && numbers[n] <= MOST_ATTRIBUTE;
    }
    return small;
}

static bool is_quick(const struct dispatchable *dispatchable) {
    const struct graph *graph = dispatchable->graph;
    if (graph == NULL)
        return is_small(dispatchable, has_small_attributes(dispatchable) ? MOST_ELEMENTS : MOST_RUN);
    bool quick = true;
    for (uint32_t n = 0; n < graph->node_count && quick; n++)
        quick = graph->nodes[n].op == NULL || is_quick(graph->nodes[n].op);
    return quick;
}

static void compile_graph(const struct model *model, const struct dispatchable *dispatchable) {
    struct graph_build build;
    VkdmlDispatchable compiled = NULL;
    if (graph_build_begin(&build, model, dispatchable, invented_device())) {
        const VkdmlCompileInfo info = {.structSize = sizeof(info), .executionFlags = dispatchable->flags};
        const VkdmlResult result = vkdmlCompileGraph(invented_device(), &build.desc, &info, &compiled);
        REQUIRE((result == VKDML_SUCCESS) == (compiled != NULL));
        REQUIRE(result == VKDML_SUCCESS || vkdmlGetErrorMessage()[0] != '\0');
    }
    graph_build_end(&build);
    vkdmlDestroyDispatchable(compiled);
}

static void run_on_reference(struct model *model) {
    const struct run_options options = {.repeats = 1, .iterations = 1};
    struct executor *executor = reference_open(model, &options);
    REQUIRE(executor != NULL);
    bool good = true;
    for (size_t i = 0; i < model->resource_count; i++)
        good = (model->resources[i].contents == NULL ||
                executor->operations->create_buffer(executor, &model->resources[i])) &&
               good;
    for (size_t i = 0; i < model->dispatchable_count; i++)
        good = executor->operations->prepare(executor, &model->dispatchables[i]) && good;
    for (size_t i = 0; i < model->command_count && good; i++) {
        const struct command *command = &model->commands[i];
        struct timing_sample sample;
        if (command->type == COMMAND_DISPATCH && is_quick(command->dispatchable))
            good = executor->operations->dispatch(executor, command, &sample);
    }
    REQUIRE(good || messages > 0);
    for (size_t i = 0; i < model->dispatchable_count; i++)
        executor->operations->release_dispatchable(executor, &model->dispatchables[i]);
    executor->operations->close(executor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct model model;
    model_bytes = data;
    model_length = size;
    messages = 0;
    bool good = model_load(&model, "model.json", NULL, NULL);
    REQUIRE(good || messages > 0);
    const uint32_t before = messages;
    const bool valid = model_validate(&model, 0);
    REQUIRE(valid || messages > before);
    REQUIRE(model.bytes <= MOST_MEMORY);
    if (good && valid) {
        for (size_t i = 0; i < model.dispatchable_count; i++)
            if (model.dispatchables[i].graph != NULL)
                compile_graph(&model, &model.dispatchables[i]);
        run_on_reference(&model);
    }
    model_free(&model);
    return 0;
}

/* ---- changes ---- */

#define MOST_WORDS 4096

/* Those of the dictionary, and all names that the operator table has. */
static const char *const *find_words(void) {
    static const char *words[MOST_WORDS + 1] = {
#include "model_words.inc"
    };
    static bool found;
    uint32_t count = 0;
    if (found)
        return words;
    while (words[count] != NULL)
        count++;
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); i++) {
        const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchemaAt(i);
        REQUIRE(count + schema->fieldCount + 1 < MOST_WORDS);
        words[count++] = schema->name;
        for (uint32_t f = 0; f < schema->fieldCount; f++)
            words[count++] = schema->fields[f].name;
    }
    found = true;
    return words;
}

size_t change_input(uint8_t *bytes, size_t length, size_t room, uint64_t seed) {
    struct random random = {seed};
    return text_change(bytes, length, room, &random, find_words());
}
