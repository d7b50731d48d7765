/* LOCAL_RESPONSE_NORMALIZATION, UPSAMPLE_2D and FOLD. Floats are summed in double. */
#include <float.h>
#include <math.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

static void write_number(const struct vkdml_tensor *tensor, void *memory, const struct vkdml_coordinate *at, double x) {
    vkdml_element_write(tensor, memory, at, vkdml_float_to_element(tensor->data_type, (float)x));
}

/* ---- LOCAL_RESPONSE_NORMALIZATION ---- */

/* What is beyond FLOAT32 is infinite. */
static double limited(double x) {
    return x > (double)FLT_MAX ? (double)INFINITY : x < -(double)FLT_MAX ? -(double)INFINITY : x;
}

struct region {
    uint32_t first[VKDML_MAX_DIMENSIONS], last[VKDML_MAX_DIMENSIONS];
};

static double sum_of_squares(const struct vkdml_tensor *tensor, const void *memory, const struct region *region) {
    struct vkdml_coordinate at = {{region->first[0], region->first[1], region->first[2], region->first[3]}};
    double sum = 0;
    for (;;) {
        const double x = vkdml_number_read(tensor, memory, &at);
        sum += x * x;
        uint32_t d = tensor->dimension_count;
        while (d-- > 0 && ++at.index[d] > region->last[d]) {
            at.index[d] = region->first[d];
        }
        if (d == UINT32_MAX) {
            return sum;
        }
    }
}

void vkdml_reference_local_response_normalization(const struct vkdml_instance *instance,
                                                  const struct vkdml_reference_memory *memory) {
    const DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0];
    const uint32_t before = (desc->LocalSize - 1) / 2, behind = desc->LocalSize / 2;
    struct vkdml_coordinate at = {{0}};
    do {
        struct region region;
        for (uint32_t d = 0; d < input->dimension_count; d++) {
            const uint32_t c = at.index[d], most = input->sizes[d] - 1;
            const int is_around = desc->CrossChannel ? d == 1 : d >= 2;
            region.first[d] = !is_around ? c : c > before ? c - before : 0;
            region.last[d] = !is_around ? c : most - c > behind ? c + behind : most;
        }
        const double sum = limited(sum_of_squares(input, memory->inputs[0], &region));
        const double scale = (double)(float)((double)desc->Alpha / desc->LocalSize);
        const double divisor = limited((double)desc->Bias + limited(scale * sum));
        const double x = vkdml_number_read(input, memory->inputs[0], &at);
        write_number(&instance->outputs[0], memory->outputs[0], &at, x / pow(divisor, (double)desc->Beta));
    } while (vkdml_coordinate_next(input, &at));
}

/* ---- UPSAMPLE_2D ---- */

/* An output coordinate lies between two of the input, nearer to one of them. */
struct between {
    uint32_t places[2];
    double weights[2];
};

static struct between between(uint32_t c, uint32_t factor, uint32_t size) {
    const double place = ((double)c + 0.5) / factor - 0.5;
    const double first = floor(place + 0x1p-40); /* the quotient may be rounded down from an integer */
    struct between b = {{0, 0}, {1, 0}};
    b.places[0] = first < 0 ? 0 : (uint32_t)first;
    b.places[1] = first + 1 > size - 1 ? size - 1 : (uint32_t)(first + 1);
    if (b.places[0] != b.places[1]) {
        b.weights[1] = fabs(place - first) < 0x1p-40 ? 0 : place - first;
        b.weights[0] = 1 - b.weights[1];
    }
    return b;
}

static double interpolated(const struct vkdml_tensor *input, const void *memory, const struct vkdml_coordinate *at,
                           const struct between *row, const struct between *column) {
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        const double weight = row->weights[i / 2] * column->weights[i % 2];
        struct vkdml_coordinate from = *at;
        from.index[input->dimension_count - 2] = row->places[i / 2];
        from.index[input->dimension_count - 1] = column->places[i % 2];
        sum += weight == 0 ? 0 : weight * vkdml_number_read(input, memory, &from);
    }
    return sum;
}

void vkdml_reference_upsample_2d(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_UPSAMPLE_2D_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    const uint32_t height = input->dimension_count - 2, width = input->dimension_count - 1;
    struct vkdml_coordinate at = {{0}};
    do {
        if (desc->InterpolationMode == DML_INTERPOLATION_MODE_LINEAR) {
            const struct between row = between(at.index[height], desc->ScaleSize.Height, input->sizes[height]);
            const struct between column = between(at.index[width], desc->ScaleSize.Width, input->sizes[width]);
            write_number(output, memory->outputs[0], &at, interpolated(input, memory->inputs[0], &at, &row, &column));
        } else {
            struct vkdml_coordinate from = at;
            from.index[height] /= desc->ScaleSize.Height;
            from.index[width] /= desc->ScaleSize.Width;
            vkdml_element_write(output, memory->outputs[0], &at, vkdml_element_read(input, memory->inputs[0], &from));
        }
    } while (vkdml_coordinate_next(output, &at));
}

/* ---- FOLD ---- */

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
            write_number(output, memory->outputs[0], &at, totals.number);
        } else {
            vkdml_element_write(output, memory->outputs[0], &at, totals.integer);
        }
    } while (vkdml_coordinate_next(output, &at));
}
