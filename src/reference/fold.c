#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

struct totals {
    double number;
    uint64_t integer;
};

/* Adds the elements of all windows that are at a place, window element by window element. */
static struct totals total_at(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                              const struct vkdml_coordinate *at) {
    const DML_FOLD_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    const uint32_t spatial = desc->DimensionCount, first = input->dimension_count - 3;
    uint32_t element[VKDML_MAX_DIMENSIONS] = {0};
    struct totals totals = {0, 0};
    for (;;) {
        uint32_t row = at->index[1], block = 0, is_there = 1;
        for (uint32_t s = 0; s < spatial; s++) {
            const uint64_t padded = (uint64_t)output->sizes[2 + s] + desc->StartPadding[s] + desc->EndPadding[s];
            const uint64_t blocks =
                (padded - (uint64_t)desc->Dilations[s] * (desc->WindowSizes[s] - 1) - 1) / desc->Strides[s] + 1;
            const uint64_t place = (uint64_t)at->index[2 + s] + desc->StartPadding[s];
            const uint64_t offset = (uint64_t)element[s] * desc->Dilations[s];
            const uint64_t begin = (place - offset) / desc->Strides[s];
            is_there = is_there && offset <= place && (place - offset) % desc->Strides[s] == 0 && begin < blocks;
            row = row * desc->WindowSizes[s] + element[s];
            block = block * (uint32_t)blocks + (uint32_t)begin;
        }
        if (is_there) {
            struct vkdml_coordinate from = {{0}};
            from.index[first] = at->index[0];
            from.index[first + 1] = row;
            from.index[first + 2] = block;
            const uint64_t bits = vkdml_element_read(input, memory->inputs[0], &from);
            if (vkdml_data_type_is_float(input->data_type)) {
                totals.number += (double)vkdml_element_to_float(input->data_type, bits);
            } else {
                totals.integer += bits;
            }
        }
        uint32_t s = spatial;
        while (s-- > 0 && ++element[s] == desc->WindowSizes[s]) {
            element[s] = 0;
        }
        if (s == UINT32_MAX) {
            return totals;
        }
    }
}

void vkdml_reference_fold(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const struct vkdml_tensor *output = &instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        const struct totals totals = total_at(instance, memory, &at);
        if (vkdml_data_type_is_float(output->data_type)) {
            vkdml_number_write(output, memory->outputs[0], &at, totals.number);
        } else {
            vkdml_element_write(output, memory->outputs[0], &at, totals.integer);
        }
    } while (vkdml_coordinate_next(output, &at));
}
