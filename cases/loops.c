#include "cases/loops.h"

#include <string.h>

#include "cases/number.h"

/* Elements of a block's side: two blocks of the widest are 16 KiB, half of a small first-level cache. */
#define BLOCK 32

#define DEFINE_TRANSPOSE(name, type)                                                                                   \
    static void name(const type *from, type *to, size_t height, size_t width) {                                        \
        for (size_t y0 = 0; y0 < height; y0 += BLOCK) {                                                                \
            const size_t y1 = y0 + BLOCK < height ? y0 + BLOCK : height;                                               \
            for (size_t x0 = 0; x0 < width; x0 += BLOCK) {                                                             \
                const size_t x1 = x0 + BLOCK < width ? x0 + BLOCK : width;                                             \
                for (size_t y = y0; y < y1; y++) {                                                                     \
                    for (size_t x = x0; x < x1; x++) {                                                                 \
                        to[y * width + x] = from[x * height + y];                                                      \
                    }                                                                                                  \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

DEFINE_TRANSPOSE(transpose8, uint8_t)
DEFINE_TRANSPOSE(transpose16, uint16_t)
DEFINE_TRANSPOSE(transpose32, uint32_t)
DEFINE_TRANSPOSE(transpose64, uint64_t)

void loop_transpose(const struct operator_case *c, unsigned char *const *tensors) {
    const uint32_t in = case_index(c, "InputTensor"), out = case_index(c, "OutputTensor");
    const size_t height = c->tensors[out].sizes[0], width = c->tensors[out].sizes[1];
    const void *from = tensors[in];
    void *to = tensors[out];
    switch (vkdmlGetDataTypeSize(c->tensors[out].type)) {
    case 1:
        transpose8(from, to, height, width);
        break;
    case 2:
        transpose16(from, to, height, width);
        break;
    case 4:
        transpose32(from, to, height, width);
        break;
    default:
        transpose64(from, to, height, width);
        break;
    }
}

/* Where a padded coordinate, counted from the first input one, takes its value from; -1: from the padding value. */
static int64_t source(uint32_t mode, int64_t x, int64_t size) {
    if (x >= 0 && x < size) {
        return x;
    }
    if (mode == DML_PADDING_MODE_CONSTANT) {
        return -1;
    }
    if (mode == DML_PADDING_MODE_EDGE) {
        return x < 0 ? 0 : size - 1;
    }
    const int64_t period = mode == DML_PADDING_MODE_WRAP         ? size
                           : mode == DML_PADDING_MODE_REFLECTION ? (size > 1 ? 2 * (size - 1) : 1)
                                                                 : 2 * size;
    const int64_t folded = (x % period + period) % period;
    if (folded < size) {
        return folded;
    }
    return mode == DML_PADDING_MODE_REFLECTION ? period - folded : period - 1 - folded;
}

struct padding {
    uint32_t mode, rank, element;
    const uint32_t *start, *input, *output;
    uint64_t value;
};

static void pad_element(const struct padding *padding, const unsigned char *row, int64_t x, unsigned char *to) {
    const uint32_t last = padding->rank - 1;
    const int64_t from = row != NULL ? source(padding->mode, x, padding->input[last]) : -1;
    if (from < 0) {
        memcpy(to, &padding->value, padding->element);
    } else {
        memcpy(to, row + (size_t)from * padding->element, padding->element);
    }
}

/* row: of the input; NULL: all is padding value. */
static void pad_row(const struct padding *padding, const unsigned char *row, unsigned char *to) {
    const uint32_t last = padding->rank - 1;
    const int64_t start = padding->start[last], size = padding->input[last], width = padding->output[last];
    const int64_t inside = row != NULL ? start + size : start;
    for (int64_t x = 0; x < start; x++) {
        pad_element(padding, row, x - start, to + (size_t)x * padding->element);
    }
    if (row != NULL) {
        memcpy(to + (size_t)start * padding->element, row, (size_t)size * padding->element);
    }
    for (int64_t x = inside; x < width; x++) {
        pad_element(padding, row, x - start, to + (size_t)x * padding->element);
    }
}

void loop_padding(const struct operator_case *c, unsigned char *const *tensors) {
    const uint32_t in = case_index(c, "InputTensor"), out = case_index(c, "OutputTensor");
    const struct case_tensor *input = &c->tensors[in], *output = &c->tensors[out];
    struct padding padding = {c->fields[case_index(c, "PaddingMode")].words[0],
                              input->rank,
                              vkdmlGetDataTypeSize(input->type),
                              c->fields[case_index(c, "StartPadding")].words,
                              input->sizes,
                              output->sizes,
                              0};
    float value;
    memcpy(&value, c->fields[case_index(c, "PaddingValue")].words, sizeof(value));
    padding.value = number_encode(input->type, (double)value);
    const uint32_t last = input->rank - 1;
    const size_t row_bytes = (size_t)output->sizes[last] * padding.element;
    const uint64_t rows = case_element_count(output) / output->sizes[last];
    uint32_t coordinates[CASE_MAX_RANK] = {0};
    for (uint64_t r = 0; r < rows; r++) {
        int64_t row = 0;
        for (uint32_t d = 0; d < last && row >= 0; d++) {
            const int64_t from = source(padding.mode, (int64_t)coordinates[d] - padding.start[d], input->sizes[d]);
            row = from < 0 ? -1 : row * input->sizes[d] + from;
        }
        pad_row(&padding, row < 0 ? NULL : tensors[in] + (size_t)row * input->sizes[last] * padding.element,
                tensors[out] + r * row_bytes);
        for (uint32_t d = last; d-- > 0 && ++coordinates[d] == output->sizes[d];) {
            coordinates[d] = 0;
        }
    }
}

/* Rows of up to `rank` columns are written ahead of the count; the caller leaves out trailing zeros, behind which a row
 * that does not count would be left. */
#define DEFINE_NONZERO(name, type)                                                                                     \
    static uint32_t name(const type *elements, size_t count, type mask, uint32_t rank, const uint32_t *sizes,          \
                         uint32_t *rows) {                                                                             \
        uint32_t coordinates[CASE_MAX_RANK] = {0};                                                                     \
        uint32_t found = 0;                                                                                            \
        const uint32_t width = sizes[rank - 1];                                                                        \
        for (size_t i = 0; i < count;) {                                                                               \
            const uint32_t end = count - i < width ? (uint32_t)(count - i) : width;                                    \
            for (uint32_t x = 0; x < end; x++, i++) {                                                                  \
                uint32_t *row = rows + (size_t)found * rank;                                                           \
                for (uint32_t d = 0; d + 1 < rank; d++) {                                                              \
                    row[d] = coordinates[d];                                                                           \
                }                                                                                                      \
                row[rank - 1] = x;                                                                                     \
                found += (elements[i] & mask) != 0;                                                                    \
            }                                                                                                          \
            for (uint32_t d = rank - 1; d-- > 0 && ++coordinates[d] == sizes[d];) {                                    \
                coordinates[d] = 0;                                                                                    \
            }                                                                                                          \
        }                                                                                                              \
        return found;                                                                                                  \
    }

DEFINE_NONZERO(nonzero8, uint8_t)
DEFINE_NONZERO(nonzero16, uint16_t)
DEFINE_NONZERO(nonzero32, uint32_t)

void loop_nonzero(const struct operator_case *c, unsigned char *const *tensors) {
    const uint32_t in = case_index(c, "InputTensor");
    const struct case_tensor *input = &c->tensors[in];
    const uint32_t element = vkdmlGetDataTypeSize(input->type);
    /* Without the sign: -0.0 is zero. */
    const uint32_t mask = number_is_float(input->type) ? UINT32_MAX >> (33 - 8 * element) : UINT32_MAX;
    const void *elements = tensors[in];
    uint32_t *rows = (uint32_t *)(void *)tensors[case_index(c, "OutputCoordinatesTensor")];
    size_t count = case_element_count(input);
    for (uint32_t bits = 0; count != 0 && (bits & mask) == 0;) {
        memcpy(&bits, tensors[in] + (count - 1) * element, element);
        count -= (bits & mask) == 0;
    }
    const uint32_t found = element == 1   ? nonzero8(elements, count, (uint8_t)mask, input->rank, input->sizes, rows)
                           : element == 2 ? nonzero16(elements, count, (uint16_t)mask, input->rank, input->sizes, rows)
                                          : nonzero32(elements, count, mask, input->rank, input->sizes, rows);
    memcpy(tensors[case_index(c, "OutputCountTensor")], &found, sizeof(found));
}

/* A matrix, or images in which only the channels' stride tells anything. */
static void read_operand(const struct case_tensor *tensor, struct loop_operands *o, uint32_t n) {
    uint32_t strides[CASE_MAX_RANK];
    case_strides(tensor, strides);
    const bool is_image = tensor->rank == 4 && tensor->has_strides;
    o->inputs[n].column = strides[tensor->rank - 1];
    o->inputs[n].row = strides[is_image ? 1 : tensor->rank - 2];
    o->inputs[n].every = is_image ? tensor->sizes[2] : 1;
    o->inputs[n].count = is_image ? tensor->sizes[1] : SIZE_MAX;
}

struct loop_operands loop_operands(const struct operator_case *c, unsigned char *const *tensors) {
    struct loop_operands o = {.packed = true};
    uint32_t n = 0, floats = 0;
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        const struct case_tensor *tensor = at.tensor;
        if (!at.is_input) {
            o.output = tensors[at.slot];
            o.width = tensor->sizes[tensor->rank - 1];
            o.height = case_element_count(tensor) / o.width;
            continue;
        }
        o.type = n == 0 ? tensor->type : o.type;
        o.packed = o.packed && !tensor->has_strides;
        o.inputs[n].elements = tensors[at.slot];
        read_operand(tensor, &o, n++);
    }
    o.inputs[1] = n == 1 ? o.inputs[0] : o.inputs[1];
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (c->schema->fields[i].type == VKDML_FIELD_TYPE_FLOAT) {
            memcpy(&o.p[floats++], c->fields[i].words, sizeof(o.p[0]));
        }
    }
    return o;
}

/* ---- moves ---- */

static void move_row(uint32_t element, size_t count, const unsigned char *from, ptrdiff_t from_step,
                     unsigned char *to) {
    if (from_step == (ptrdiff_t)element) {
        memcpy(to, from, count * element);
        return;
    }
    for (size_t i = 0; i < count; i++, from += from_step, to += element) {
        loop_copy(to, from, element);
    }
}

void loop_move(const struct loop_move *move, const unsigned char *from, unsigned char *to) {
    uint32_t at[LOOP_MOVE_RANK] = {0};
    const uint32_t last = move->rank - 1;
    for (;;) {
        const unsigned char *source = from;
        unsigned char *target = to;
        for (uint32_t d = 0; d < last; d++) {
            source += (ptrdiff_t)at[d] * move->from[d] * (ptrdiff_t)move->element;
            target += (ptrdiff_t)at[d] * move->to[d] * (ptrdiff_t)move->element;
        }
        move_row(move->element, move->sizes[last], source, move->from[last] * (ptrdiff_t)move->element, target);
        uint32_t d = last;
        while (d > 0 && ++at[d - 1] == move->sizes[d - 1]) {
            at[--d] = 0;
        }
        if (d == 0) {
            return;
        }
    }
}
