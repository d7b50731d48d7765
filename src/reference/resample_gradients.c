/* RESAMPLE_GRAD and RESAMPLE_GRAD1: each element adds up, in double, what the elements give whose places are near it.
 * Places are FLOAT32's, as RESAMPLE1 and RESAMPLE2 have them. */
#include <math.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

struct resampling {
    bool is_linear;
    int rounds; /* the nearest: -1 down, 0 to the nearer, halves up, 1 up */
    const float *scales, *input_offsets, *output_offsets;
};

static float place_of(const struct resampling *r, uint32_t d, uint32_t c) {
    const float scale = r->scales[d] > 0x1p64f ? 0x1p64f : r->scales[d];
    const float place = ((float)c - r->output_offsets[d]) / scale - r->input_offsets[d];
    return fabsf(place) < 0x1p-32f ? 0 : place;
}

/* What coordinate c of the gradient gives to coordinate i of `size` in a dimension. */
static double share_of(const struct resampling *r, uint32_t d, uint32_t c, uint32_t i, uint32_t size) {
    const float place = place_of(r, d, c);
    const double last = (double)size - 1;
    double wanted = r->is_linear    ? (double)place
                    : r->rounds < 0 ? floor((double)place)
                    : r->rounds > 0 ? ceil((double)place)
                                    : floor((double)(place + 0.5f));
    wanted = wanted < 0 ? 0 : wanted > last ? last : wanted;
    if (r->is_linear) {
        wanted = (double)(float)wanted;
    }
    const double share = 1 - fabs(wanted - i);
    return share > 0 ? share : 0;
}

/* The first coordinate from `c` on that gives something to coordinate i; the gradient's size where there is none. */
static uint32_t next_giver(const struct resampling *r, uint32_t d, uint32_t c, uint32_t i,
                           const struct vkdml_tensor *gradient, const struct vkdml_tensor *output) {
    while (c < gradient->sizes[d] && share_of(r, d, c, i, output->sizes[d]) == 0) {
        c++;
    }
    return c;
}

static double sum_at(const struct resampling *r, const struct vkdml_tensor *gradient, const void *memory,
                     const struct vkdml_tensor *output, const struct vkdml_coordinate *at) {
    const uint32_t rank = output->dimension_count;
    struct vkdml_coordinate first = {{0}};
    double sum = 0;
    for (uint32_t d = 0; d < rank; d++) {
        first.index[d] = next_giver(r, d, 0, at->index[d], gradient, output);
        if (first.index[d] == gradient->sizes[d]) {
            return 0;
        }
    }
    struct vkdml_coordinate from = first;
    uint32_t d;
    do {
        double share = 1;
        for (d = 0; d < rank; d++) {
            share *= share_of(r, d, from.index[d], at->index[d], output->sizes[d]);
        }
        sum += share * vkdml_number_read(gradient, memory, &from);
        for (d = rank; d-- > 0;) {
            from.index[d] = next_giver(r, d, from.index[d] + 1, at->index[d], gradient, output);
            if (from.index[d] < gradient->sizes[d]) {
                break;
            }
            from.index[d] = first.index[d];
        }
    } while (d != UINT32_MAX);
    return sum;
}

static void resample(const struct resampling *r, const struct vkdml_instance *instance,
                     const struct vkdml_reference_memory *memory) {
    const struct vkdml_tensor *gradient = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        vkdml_number_write(output, memory->outputs[0], &at, sum_at(r, gradient, memory->inputs[0], output, &at));
    } while (vkdml_coordinate_next(output, &at));
}

/* The gradient's input is the forward operator's output, and so are the offsets. */
#define OF_FORWARD(desc)                                                                                               \
    .is_linear = (desc)->InterpolationMode == DML_INTERPOLATION_MODE_LINEAR, .scales = (desc)->Scales,                 \
    .input_offsets = (desc)->OutputPixelOffsets, .output_offsets = (desc)->InputPixelOffsets

void vkdml_reference_resample_grad(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_RESAMPLE_GRAD_OPERATOR_DESC *desc = instance->desc;
    const struct resampling r = {OF_FORWARD(desc)};
    resample(&r, instance, memory);
}

void vkdml_reference_resample_grad1(const struct vkdml_instance *instance,
                                    const struct vkdml_reference_memory *memory) {
    const DML_RESAMPLE_GRAD1_OPERATOR_DESC *desc = instance->desc;
    const struct resampling r = {OF_FORWARD(desc),
                                 .rounds = desc->RoundingDirection == DML_AXIS_DIRECTION_INCREASING ? 1 : -1};
    resample(&r, instance, memory);
}
