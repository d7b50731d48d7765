#include "onnx/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/message.h"
#include "model/npy.h"

bool values_begin(struct values *values, uint32_t count, const struct onnx_plan_output *outputs) {
    *values = (struct values){.count = count};
    values->outputs = calloc((size_t)count + 1, sizeof(*values->outputs));
    values->elements = calloc((size_t)count + 1, sizeof(*values->elements));
    bool good = values->outputs && values->elements;
    for (uint32_t i = 0; good && i < count; i++) {
        values->outputs[i] = outputs[i];
        values->elements[i] = calloc(1, outputs[i].bytes + 8);
        good = values->elements[i] != NULL;
    }
    if (!good) {
        message_print("vkdml: out of memory");
    }
    return good;
}

void values_free(struct values *values) {
    for (uint32_t i = 0; values->elements && i < values->count; i++) {
        free(values->elements[i]);
    }
    free(values->elements);
    free(values->outputs);
    *values = (struct values){0};
}

uint64_t values_elements(const struct values *values, uint32_t index) {
    uint64_t count = subject_type(values->outputs[index].type) == DML_TENSOR_DATA_TYPE_UNKNOWN ? 0 : 1;
    for (uint32_t d = 0; d < values->outputs[index].rank; d++) {
        count *= values->outputs[index].sizes[d];
    }
    return count;
}

bool values_write(const struct values *values, uint32_t index, const char *path) {
    const struct onnx_plan_output *output = &values->outputs[index];
    uint64_t sizes[ONNX_MAX_RANK];
    char header[NPY_HEADER_SIZE];
    for (uint32_t d = 0; d < output->rank; d++) {
        sizes[d] = output->sizes[d];
    }
    const size_t length = npy_header(subject_type(output->type), output->rank, sizes, header);
    const char *why = length ? file_write(path, header, length, values->elements[index], output->bytes)
                             : "its type is none of .npy files";
    if (why) {
        message_print("vkdml: '%s': %s", path, why);
    }
    return !why;
}
