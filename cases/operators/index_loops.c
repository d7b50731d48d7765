/* The benchmarks of index.c as plain loops: see cases/loops.h. Fields are in the order of the descriptors; tensors are
 * packed, and all indices good. */
#include "cases/loops.h"

/* An index from the type the benchmarks use. */
static size_t index_at(unsigned char *const *tensors, uint32_t slot, size_t i) {
    return ((const uint32_t *)(const void *)tensors[slot])[i];
}

/* An element, or a row. */
static void copy_element(unsigned char *to, const unsigned char *from, size_t bytes) {
    switch (bytes) {
    case 1:
        *to = *from;
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    default:
        memcpy(to, from, bytes);
        break;
    }
}

/* Along Axis of a packed matrix; all indices are good. */
void loop_gather(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0], *indices = &c->tensors[1];
    const size_t element = vkdmlGetDataTypeSize(input->type), count = (size_t)case_element_count(indices);
    const bool rows = c->fields[3].words[0] == 0;
    const size_t outer = rows ? 1 : input->sizes[0], size = input->sizes[rows ? 0 : 1];
    const size_t inner = (rows ? input->sizes[1] : 1) * element;
    for (size_t o = 0; o < outer; o++) {
        for (size_t i = 0; i < count; i++) {
            const unsigned char *from = tensors[0] + (o * size + index_at(tensors, 1, i)) * inner;
            unsigned char *to = tensors[2] + (o * count + i) * inner;
            copy_element(to, from, inner);
        }
    }
}

/* Along Axis of a packed matrix. */
void loop_gather_elements(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0], *indices = &c->tensors[1];
    const size_t element = vkdmlGetDataTypeSize(input->type), width = input->sizes[1];
    const bool rows = c->fields[3].words[0] == 0;
    for (size_t i = 0; i < indices->sizes[0]; i++) {
        for (size_t j = 0; j < width; j++) {
            const size_t named = index_at(tensors, 1, i * width + j);
            const size_t from = rows ? named * width + j : i * width + named;
            copy_element(tensors[2] + (i * width + j) * element, tensors[0] + from * element, element);
        }
    }
}

/* Tuples of two coordinates, of a row or of an element. */
void loop_gather_nd(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0], *output = &c->tensors[2];
    const size_t last = input->rank == 3 ? input->sizes[2] : 1, bytes = last * vkdmlGetDataTypeSize(input->type);
    const size_t count = (size_t)case_element_count(output) / last;
    for (size_t i = 0; i < count; i++) {
        const size_t from = index_at(tensors, 1, 2 * i) * input->sizes[1] + index_at(tensors, 1, 2 * i + 1);
        copy_element(tensors[2] + i * bytes, tensors[0] + from * bytes, bytes);
    }
}

/* Tuples of one coordinate, of a row of its batch. */
void loop_gather_nd1(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0];
    const size_t bytes = input->sizes[2] * vkdmlGetDataTypeSize(input->type), count = input->sizes[1];
    for (size_t b = 0; b < input->sizes[0]; b++) {
        for (size_t i = b * count; i < (b + 1) * count; i++) {
            const unsigned char *from = tensors[0] + (b * count + index_at(tensors, 1, i)) * bytes;
            memcpy(tensors[2] + i * bytes, from, bytes);
        }
    }
}

/* Along Axis of a matrix: a row's beginning backward, or of each column the coordinate's own. */
void loop_reverse_subsequences(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0];
    const size_t element = vkdmlGetDataTypeSize(input->type), height = input->sizes[0], width = input->sizes[1];
    const bool rows = c->fields[3].words[0] == 0;
    for (size_t i = 0; i < height; i++) {
        const unsigned char *from = tensors[0] + i * width * element;
        unsigned char *to = tensors[2] + i * width * element;
        if (rows) {
            for (size_t j = 0; j < width; j++) {
                const size_t length = index_at(tensors, 1, j), named = i < length ? length - 1 - i : i;
                copy_element(to + j * element, tensors[0] + (named * width + j) * element, element);
            }
        } else {
            const size_t length = index_at(tensors, 1, i);
            for (size_t j = 0; j < length; j++) {
                copy_element(to + j * element, from + (length - 1 - j) * element, element);
            }
            memcpy(to + length * element, from + length * element, (width - length) * element);
        }
    }
}

/* Everything off, then what is on. */
void loop_one_hot(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *output = &c->tensors[2];
    const size_t element = vkdmlGetDataTypeSize(output->type), height = output->sizes[0], width = output->sizes[1];
    const bool rows = c->fields[3].words[0] == 0;
    const unsigned char *off = tensors[1], *on = tensors[1] + element;
    for (size_t j = 0; j < width; j++) {
        copy_element(tensors[2] + j * element, off, element);
    }
    for (size_t i = 1; i < height; i++) {
        memcpy(tensors[2] + i * width * element, tensors[2], width * element);
    }
    for (size_t i = 0; i < (rows ? width : height); i++) {
        const size_t named = index_at(tensors, 0, i);
        copy_element(tensors[2] + (rows ? named * width + i : i * width + named) * element, on, element);
    }
}

/* The input, then the updates in their order. */
void loop_scatter_elements(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0], *indices = &c->tensors[1];
    const size_t element = vkdmlGetDataTypeSize(input->type), width = input->sizes[1];
    const bool rows = c->fields[4].words[0] == 0;
    memcpy(tensors[3], tensors[0], (size_t)case_element_count(input) * element);
    for (size_t i = 0; i < indices->sizes[0]; i++) {
        for (size_t j = 0; j < width; j++) {
            const size_t named = index_at(tensors, 1, i * width + j);
            const size_t to = rows ? named * width + j : i * width + named;
            copy_element(tensors[3] + to * element, tensors[2] + (i * width + j) * element, element);
        }
    }
}

void loop_scatter_nd(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0], *updates = &c->tensors[2];
    const size_t bytes = input->sizes[1] * vkdmlGetDataTypeSize(input->type);
    memcpy(tensors[3], tensors[0], input->sizes[0] * bytes);
    for (size_t i = 0; i < updates->sizes[0]; i++) {
        memcpy(tensors[3] + index_at(tensors, 1, i) * bytes, tensors[2] + i * bytes, bytes);
    }
}
