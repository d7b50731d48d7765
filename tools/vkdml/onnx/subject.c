#include "onnx/subject.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/message.h"
#include "base/suggest.h"
#include "model/element.h"
#include "model/npy.h"
#include "model/random.h"
#include "text/visible_text.h"

/* What the reference reads of buffers are whole words. */
#define PADDING 8

DML_TENSOR_DATA_TYPE subject_type(enum onnx_type type) {
    static const DML_TENSOR_DATA_TYPE types[] = {
        [ONNX_FLOAT] = DML_TENSOR_DATA_TYPE_FLOAT32,   [ONNX_UINT8] = DML_TENSOR_DATA_TYPE_UINT8,
        [ONNX_INT8] = DML_TENSOR_DATA_TYPE_INT8,       [ONNX_UINT16] = DML_TENSOR_DATA_TYPE_UINT16,
        [ONNX_INT16] = DML_TENSOR_DATA_TYPE_INT16,     [ONNX_INT32] = DML_TENSOR_DATA_TYPE_INT32,
        [ONNX_INT64] = DML_TENSOR_DATA_TYPE_INT64,     [ONNX_BOOL] = DML_TENSOR_DATA_TYPE_UINT8,
        [ONNX_FLOAT16] = DML_TENSOR_DATA_TYPE_FLOAT16, [ONNX_DOUBLE] = DML_TENSOR_DATA_TYPE_FLOAT64,
        [ONNX_UINT32] = DML_TENSOR_DATA_TYPE_UINT32,   [ONNX_UINT64] = DML_TENSOR_DATA_TYPE_UINT64,
        [ONNX_UINT4] = DML_TENSOR_DATA_TYPE_UINT4,     [ONNX_INT4] = DML_TENSOR_DATA_TYPE_INT4,
    };
    const size_t index = (size_t)type;
    return index < sizeof(types) / sizeof(types[0]) ? types[index] : DML_TENSOR_DATA_TYPE_UNKNOWN;
}

const char *subject_output(const struct subject *subject, uint32_t index) {
    return subject->graph->values[subject->graph->outputs[index]].name;
}

bool subject_fail(const struct subject *subject, const struct onnx_error *error) {
    message_print("%s: %s", subject->path, error->text);
    return false;
}

static const struct onnx_value *input_value(const struct subject *subject, uint32_t index) {
    return &subject->graph->values[subject->graph->inputs[index]];
}

static bool out_of_memory(const struct subject *subject) {
    message_print("%s: out of memory", subject->path);
    return false;
}

/* ---- what the command line names must be there ---- */

static bool check_names(const struct subject *subject, const struct onnx_pairs *pairs, const char *what,
                        const uint32_t *values, uint32_t count) {
    bool good = true;
    for (size_t p = 0; p < pairs->count; p++) {
        const int length = (int)(strrchr(pairs->texts[p], '=') - pairs->texts[p]);
        bool found = false;
        for (uint32_t i = 0; i < count && !found; i++) {
            const char *name = subject->graph->values[values[i]].name;
            found = strlen(name) == (size_t)length && strncmp(name, pairs->texts[p], (size_t)length) == 0;
        }
        if (!found) {
            char name[256], hint[SUGGEST_SIZE];
            snprintf(name, sizeof(name), "%.*s", length, pairs->texts[p]);
            struct suggest suggest = suggest_begin(name);
            for (uint32_t i = 0; i < count; i++) {
                suggest_consider(&suggest, subject->graph->values[values[i]].name);
            }
            message_print("%s: there is no %s '%s'%s", subject->path, what, name, suggest_hint(&suggest, hint));
            good = false;
        }
    }
    return good;
}

/* "INPUT.D" */
static void dimension_name(const struct onnx_value *value, uint32_t d, char *text, size_t size) {
    snprintf(text, size, "%s.%u", value->name, d);
}

static bool is_size_of(const struct onnx_value *value, const char *text, size_t length) {
    for (uint32_t d = 0; value->has_shape && d < value->rank; d++) {
        char name[512];
        dimension_name(value, d, name, sizeof(name));
        const bool is_symbol =
            value->symbols[d] && strlen(value->symbols[d]) == length && strncmp(value->symbols[d], text, length) == 0;
        if (value->sizes[d] < 0 && (is_symbol || (strlen(name) == length && strncmp(name, text, length) == 0))) {
            return true;
        }
    }
    return false;
}

static bool check_sizes(const struct subject *subject) {
    const struct onnx_pairs *pairs = &subject->request->sizes;
    bool good = true;
    for (size_t p = 0; p < pairs->count; p++) {
        const size_t length = (size_t)(strrchr(pairs->texts[p], '=') - pairs->texts[p]);
        bool found = false;
        for (uint32_t i = 0; i < subject->graph->input_count && !found; i++) {
            found = is_size_of(input_value(subject, i), pairs->texts[p], length);
        }
        if (!found) {
            message_print("%s: no input leaves a size '%.*s' open", subject->path, (int)length, pairs->texts[p]);
            good = false;
        }
    }
    return good;
}

/* ---- files ---- */

static bool file_fits(const struct subject *subject, const struct onnx_value *value, const struct npy *npy,
                      const char *path) {
    if (value->type != ONNX_UNDEFINED && subject_type(value->type) != npy->type) {
        message_print("%s: %s is of type %s, input '%s' of %s", subject->path, path, element_type_name(npy->type),
                      visible_text(value->name).text, onnx_type_name(value->type));
        return false;
    }
    bool fits = npy->dimension_count <= ONNX_MAX_RANK && (!value->has_shape || value->rank == npy->dimension_count);
    for (uint32_t d = 0; fits && d < npy->dimension_count; d++) {
        fits = npy->dimensions[d] <= UINT32_MAX &&
               (!value->has_shape || value->sizes[d] < 0 || (uint64_t)value->sizes[d] == npy->dimensions[d]);
    }
    if (!fits) {
        message_print("%s: %s has other dimensions than input '%s'", subject->path, path,
                      visible_text(value->name).text);
    }
    return fits;
}

static enum onnx_type type_of_file(const struct onnx_value *value, DML_TENSOR_DATA_TYPE type) {
    enum onnx_type found = value->type;
    for (int t = ONNX_FLOAT; found == ONNX_UNDEFINED && t <= ONNX_UINT64; t++) {
        found = subject_type((enum onnx_type)t) == type ? (enum onnx_type)t : ONNX_UNDEFINED;
    }
    return found;
}

static bool read_input(struct subject *subject, uint32_t index, const char *path) {
    const struct onnx_value *value = input_value(subject, index);
    struct onnx_plan_input *input = &subject->inputs[index];
    unsigned char *bytes = NULL;
    size_t length = 0;
    struct npy npy;
    const char *why = file_read(path, SIZE_MAX, &bytes, &length);
    why = why ? why : npy_read(bytes, length, &npy);
    if (why) {
        message_print("%s: %s: %s", subject->path, path, why);
        free(bytes);
        return false;
    }
    bool good = file_fits(subject, value, &npy, path);
    if (good) {
        const uint64_t size = element_bytes(npy.type, npy.count);
        input->type = type_of_file(value, npy.type);
        input->rank = npy.dimension_count;
        for (uint32_t d = 0; d < input->rank; d++) {
            input->sizes[d] = (uint32_t)npy.dimensions[d];
        }
        subject->elements[index] = calloc(1, size + PADDING);
        good = subject->elements[index] || out_of_memory(subject);
        if (good) {
            memcpy(subject->elements[index], npy.data, size);
            input->data = subject->elements[index];
        }
    }
    free(bytes);
    return good;
}

/* ---- what no file has ---- */

/* What a file has where the dimension is named alike. */
static bool find_in_files(const struct subject *subject, const char *symbol, uint32_t *size) {
    for (size_t i = 0; symbol && i < subject->file_count; i++) {
        const uint32_t input = subject->files[i];
        const struct onnx_value *value = input_value(subject, input);
        for (uint32_t d = 0; value->has_shape && d < value->rank; d++) {
            if (value->symbols[d] && strcmp(value->symbols[d], symbol) == 0) {
                *size = subject->inputs[input].sizes[d];
                return true;
            }
        }
    }
    return false;
}

bool subject_size(const struct subject *subject, const struct onnx_value *value, uint32_t d, uint32_t *size) {
    char name[512];
    dimension_name(value, d, name, sizeof(name));
    const char *given = onnx_pairs_find(&subject->request->sizes, name);
    given = given || !value->symbols[d] ? given : onnx_pairs_find(&subject->request->sizes, value->symbols[d]);
    if (given) {
        *size = (uint32_t)strtoul(given, NULL, 10);
        return true;
    }
    return find_in_files(subject, value->symbols[d], size);
}

static uint32_t open_size(struct subject *subject, const struct onnx_value *value, uint32_t d) {
    uint32_t size = 1;
    subject->has_open_sizes = !subject_size(subject, value, d, &size) || subject->has_open_sizes;
    return size;
}

static void fill_random(enum onnx_type type, const char *name, uint64_t count, unsigned char *elements) {
    struct random_distribution distribution = {.type = subject_type(type), .deviation = 1, .first = 0, .last = 1};
    distribution.normal = element_is_float(distribution.type);
    random_fill(&distribution, random_seed_of_name(name), count, elements);
}

static bool make_input(struct subject *subject, uint32_t index) {
    const struct onnx_value *value = input_value(subject, index);
    struct onnx_plan_input *input = &subject->inputs[index];
    uint64_t count = 1;
    if (value->kind != ONNX_KIND_TENSOR) {
        message_print("%s: input '%s' is %s: maps, sequences and optional values are not supported", subject->path,
                      visible_text(value->name).text, onnx_kind_name(value->kind));
        return false;
    }
    if (!value->has_shape || subject_type(value->type) == DML_TENSOR_DATA_TYPE_UNKNOWN) {
        const char *what =
            value->type == ONNX_UNDEFINED || !value->has_shape ? "has no shape" : "has no type of DirectML";
        message_print("%s: input '%s' %s: --input %s=FILE.npy gives it one", subject->path,
                      visible_text(value->name).text, what, visible_text(value->name).text);
        return false;
    }
    input->type = value->type;
    input->rank = value->rank;
    for (uint32_t d = 0; d < value->rank; d++) {
        input->sizes[d] = value->sizes[d] < 0 ? open_size(subject, value, d) : (uint32_t)value->sizes[d];
        if (value->sizes[d] > UINT32_MAX || (input->sizes[d] && count > UINT64_MAX / 8 / input->sizes[d])) {
            message_print("%s: input '%s' is too large", subject->path, visible_text(value->name).text);
            return false;
        }
        count *= input->sizes[d];
    }
    const size_t bytes = onnx_bytes_of(input->type, count);
    subject->elements[index] = bytes > SIZE_MAX - PADDING ? NULL : calloc(1, bytes + PADDING);
    if (!subject->elements[index]) {
        return out_of_memory(subject);
    }
    if (!subject->request->zeros && bytes) {
        fill_random(input->type, value->name, count, subject->elements[index]);
    }
    input->data = subject->elements[index];
    return true;
}

static bool make_inputs(struct subject *subject) {
    const uint32_t count = subject->input_count;
    bool good = true;
    subject->inputs = calloc((size_t)count + 1, sizeof(*subject->inputs));
    subject->elements = calloc((size_t)count + 1, sizeof(*subject->elements));
    if (!subject->inputs || !subject->elements) {
        return out_of_memory(subject);
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *path = onnx_pairs_find(&subject->request->inputs, input_value(subject, i)->name);
        if (path && read_input(subject, i, path)) {
            subject->files[subject->file_count++] = i;
        } else {
            good = !path && good;
        }
    }
    for (uint32_t i = 0; good && i < subject->graph->input_count; i++) {
        good = subject->elements[i] || make_input(subject, i);
    }
    return good;
}

bool subject_open(struct subject *subject, const char *path, const struct onnx_request *request) {
    struct onnx_error error = {0};
    *subject = (struct subject){.path = path, .name = path, .request = request};
    if (!onnx_open(path, &subject->file, &error)) {
        message_print("vkdml: %s", error.text);
        return false;
    }
    subject->model = onnx_file_model(subject->file);
    subject->graph = &subject->model->graph;
    subject->input_count = subject->graph->input_count + subject->graph->optional_count;
    if (subject->graph->name && *subject->graph->name) {
        subject->name = subject->graph->name;
    }
    bool good = check_names(subject, &request->inputs, "input", subject->graph->inputs, subject->input_count);
    good = check_names(subject, &request->outputs, "output", subject->graph->outputs, subject->graph->output_count) &&
           good;
    good = check_sizes(subject) && good;
    return good && make_inputs(subject);
}

void subject_close(struct subject *subject) {
    for (uint32_t i = 0; subject->elements && i < subject->input_count; i++) {
        free(subject->elements[i]);
    }
    free(subject->elements);
    free(subject->inputs);
    onnx_close(subject->file);
    *subject = (struct subject){0};
}
