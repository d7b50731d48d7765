#include <assert.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

/* Stands for a position that no input element fills. */
#define OUTSIDE (-1)

/* 0 .. divisor - 1, for negative values too. */
static int64_t modulo(int64_t value, int64_t divisor) {
    const int64_t rest = value % divisor;
    return rest < 0 ? rest + divisor : rest;
}

/* Each mode as the position in the input, 0 .. size - 1, that fills position `at` counted from the input's first
 * element. The distances are below 2^33. */

static int64_t fold_constant(int64_t at, int64_t size) {
    return at >= 0 && at < size ? at : OUTSIDE;
}

static int64_t fold_edge(int64_t at, int64_t size) {
    const int64_t last = size - 1;
    return at < 0 ? 0 : at > last ? last : at;
}

/* There and back, the edges once each: 0 1 2 3 2 1 | 0 1 2 3 2 1 | ... */
static int64_t fold_reflection(int64_t at, int64_t size) {
    if (size == 1) {
        return 0;
    }
    const int64_t period = 2 * (size - 1);
    const int64_t step = modulo(at, period);
    return step < size ? step : period - step;
}

/* There and back, the edges twice: 0 1 2 3 3 2 1 0 | 0 1 2 3 3 2 1 0 | ... */
static int64_t fold_symmetric(int64_t at, int64_t size) {
    const int64_t period = 2 * size;
    const int64_t step = modulo(at, period);
    return step < size ? step : period - 1 - step;
}

static int64_t fold_wrap(int64_t at, int64_t size) {
    return modulo(at, size);
}

typedef int64_t (*fold)(int64_t at, int64_t size);

static const fold folds[] = {
    [DML_PADDING_MODE_CONSTANT] = fold_constant,
    [DML_PADDING_MODE_EDGE] = fold_edge,
    [DML_PADDING_MODE_REFLECTION] = fold_reflection,
    [DML_PADDING_MODE_SYMMETRIC] = fold_symmetric,
    [DML_PADDING_MODE_WRAP] = fold_wrap,
};

/* The input's first element in the output's coordinates. Sizes add up modulo 2^32: where the sum wraps, the half of the
 * numbers that is 2^31 or more is negative. */
static int64_t first_of(uint64_t size, uint32_t start, uint32_t end) {
    const bool wraps = size + start + end >= UINT64_C(0x100000000);
    return wraps && start >= 0x80000000u ? (int64_t)start - INT64_C(0x100000000) : (int64_t)start;
}

/* Pads the only input into the only output; value: the bits of an element, for CONSTANT. */
static void pad(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                DML_PADDING_MODE mode, const uint32_t *start, const uint32_t *end, uint64_t value) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    assert((size_t)mode < sizeof folds / sizeof folds[0]);
    struct vkdml_coordinate to = {{0}};
    do {
        struct vkdml_coordinate from = {{0}};
        bool outside = false;
        for (uint32_t i = 0; i < output->dimension_count; i++) {
            const int64_t position = 
                folds[mode]((int64_t)to.index[i] - first_of(input->sizes[i], start[i], end[i]), input->sizes[i]);
            outside = outside || position == OUTSIDE;
            from.index[i] = outside ? 0 : (uint32_t)position;
        }
        vkdml_element_write(output, memory->outputs[0], &to,
                            outside ? value : vkdml_element_read(input, memory->inputs[0], &from));
    } while (vkdml_coordinate_next(output, &to));
}

void vkdml_reference_padding(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_PADDING_OPERATOR_DESC *desc = instance->desc;
    const uint64_t value = vkdml_convert_attribute(&desc->PaddingValue, instance->outputs[0].data_type);
    pad(instance, memory, desc->PaddingMode, desc->StartPadding, desc->EndPadding, value);
}

void vkdml_reference_padding1(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_PADDING1_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_coordinate first = {{0}};
    pad(instance, memory, desc->PaddingMode, desc->StartPadding, desc->EndPadding,
        vkdml_element_read(&instance->outputs[0], &desc->PaddingValue, &first));
}
