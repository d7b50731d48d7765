#include <math.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

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
            vkdml_number_write(output, memory->outputs[0], &at,
                               interpolated(input, memory->inputs[0], &at, &row, &column));
        } else {
            struct vkdml_coordinate from = at;
            from.index[height] /= desc->ScaleSize.Height;
            from.index[width] /= desc->ScaleSize.Width;
            vkdml_element_write(output, memory->outputs[0], &at, vkdml_element_read(input, memory->inputs[0], &from));
        }
    } while (vkdml_coordinate_next(output, &at));
}
