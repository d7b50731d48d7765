/* RESAMPLE and its newer versions. Places are FLOAT32's, as include/vkdml/dml_operators.h has the formula; what is
 * between elements is added up in double. */
#include <math.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

struct resampling {
    int is_linear, is_antialiased;
    int rounds; /* the nearest: -1 down, 0 to the nearer, halves up, 1 up */
    const float *scales, *input_offsets, *output_offsets;
};

/* What an element takes along one dimension; the first and last elements also stand for what lies beyond them. */
struct taken {
    uint32_t first, count, last_of_all;
    float place;
    double scale; /* by which shares fall off; below 1 of what is antialiased */
    double sum;   /* of the shares */
    double of_first, of_last;
};

static double nearness(const struct taken *taken, double element) {
    const double share = 1 - fabs(element - (double)taken->place) * taken->scale;
    return share > 0 ? share : 0;
}

static double share(const struct taken *taken, uint32_t element) {
    return element == 0 ? taken->of_first : element == taken->last_of_all ? taken->of_last : nearness(taken, element);
}

static float place_of(const struct resampling *r, uint32_t d, uint32_t c) {
    const float scale = r->scales[d] > 0x1p64f ? 0x1p64f : r->scales[d];
    const float input_offset = r->input_offsets != NULL ? r->input_offsets[d] : 0.5f;
    const float output_offset = r->output_offsets != NULL ? r->output_offsets[d] : -0.5f;
    const float place = ((float)c - output_offset) / scale - input_offset;
    return fabsf(place) < 0x1p-32f ? 0 : place;
}

static double within(double place, uint32_t size) {
    return place < 0 ? 0 : place > (double)(size - 1) ? (double)(size - 1) : place;
}

static struct taken taken_of(const struct resampling *r, uint32_t d, uint32_t c, uint32_t size) {
    const float place = place_of(r, d, c);
    if (!r->is_linear) {
        const double rounded = r->rounds < 0   ? floor((double)place)
                               : r->rounds > 0 ? ceil((double)place)
                                               : floor((double)(place + 0.5f));
        const uint32_t nearest = (uint32_t)within(rounded, size);
        return (struct taken){nearest, 1, size - 1, (float)nearest, 1, 1, 1, 1};
    }
    struct taken taken = {.last_of_all = size - 1, .place = place, .scale = 1};
    if (r->is_antialiased && r->scales[d] < 1) {
        taken.scale = (double)r->scales[d];
    } else {
        taken.place = (float)within((double)place, size);
    }
    const double first = floor((double)taken.place - 1 / taken.scale),
                 last = ceil((double)taken.place + 1 / taken.scale);
    taken.first = (uint32_t)within(first, size);
    taken.count = (uint32_t)within(last, size) - taken.first + 1;
    for (double element = first; element <= last; element++) {
        const double near = nearness(&taken, element);
        taken.sum += near;
        taken.of_first += element <= 0 || size == 1 ? near : 0;
        taken.of_last += element >= size - 1 ? near : 0;
    }
    return taken;
}

static void resample(const struct resampling *r, const struct vkdml_instance *instance,
                     const struct vkdml_reference_memory *memory) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    const uint32_t rank = output->dimension_count;
    struct vkdml_coordinate at = {{0}};
    do {
        struct taken taken[VKDML_MAX_DIMENSIONS];
        struct vkdml_coordinate from = {{0}};
        for (uint32_t d = 0; d < rank; d++) {
            taken[d] = taken_of(r, d, at.index[d], input->sizes[d]);
            from.index[d] = taken[d].first;
        }
        double sum = 0;
        double shares = 1;
        uint32_t d;
        for (d = 0; d < rank; d++) {
            shares *= taken[d].sum;
        }
        do {
            double weight = 1;
            for (d = 0; d < rank; d++) {
                weight *= share(&taken[d], from.index[d]);
            }
            if (weight != 0) {
                const uint64_t bits = vkdml_element_read(input, memory->inputs[0], &from);
                sum += weight * (double)vkdml_element_to_float(input->data_type, bits);
            }
            for (d = rank; d-- > 0 && ++from.index[d] == taken[d].first + taken[d].count;) {
                from.index[d] = taken[d].first;
            }
        } while (d != UINT32_MAX);
        sum /= shares; /* once, so that halves of integers are exact */
        const uint64_t bits = !r->is_linear ? vkdml_element_read(input, memory->inputs[0], &from)
                              : vkdml_data_type_is_float(output->data_type)
                                  ? vkdml_float_to_element(output->data_type, (float)sum)
                                  : vkdml_float_to_integer((float)rint(sum), output->data_type);
        vkdml_element_write(output, memory->outputs[0], &at, bits);
    } while (vkdml_coordinate_next(output, &at));
}

void vkdml_reference_resample(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_RESAMPLE_OPERATOR_DESC *desc = instance->desc;
    const struct resampling r = {
        .is_linear = desc->InterpolationMode == DML_INTERPOLATION_MODE_LINEAR,
        .scales = desc->Scales,
    };
    resample(&r, instance, memory);
}

#define WITH_OFFSETS(desc)                                                                                             \
    .is_linear = (desc)->InterpolationMode == DML_INTERPOLATION_MODE_LINEAR, .scales = (desc)->Scales,                 \
    .input_offsets = (desc)->InputPixelOffsets, .output_offsets = (desc)->OutputPixelOffsets
#define ROUNDING(desc) .rounds = (desc)->RoundingDirection == DML_AXIS_DIRECTION_INCREASING ? 1 : -1

void vkdml_reference_resample1(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_RESAMPLE1_OPERATOR_DESC *desc = instance->desc;
    const struct resampling r = {WITH_OFFSETS(desc)};
    resample(&r, instance, memory);
}

void vkdml_reference_resample2(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_RESAMPLE2_OPERATOR_DESC *desc = instance->desc;
    const struct resampling r = {WITH_OFFSETS(desc), ROUNDING(desc)};
    resample(&r, instance, memory);
}

void vkdml_reference_resample3(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_RESAMPLE3_OPERATOR_DESC *desc = instance->desc;
    const struct resampling r = {WITH_OFFSETS(desc), ROUNDING(desc), .is_antialiased = desc->Antialiased != 0};
    resample(&r, instance, memory);
}
